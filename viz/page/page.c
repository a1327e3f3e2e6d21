#include "page.h"

#include <string.h>

#include "json-fields.h"
#include "page-data.h"
#include "picture.h"
#include "svg-text.h"

const char *tg_page_lacks(void) {
  return tg_page_template_bytes > 0 ? NULL : tg_page_missing;
}

static void write_schedule(TgJson *json, const TgPageSchedule *one) {
  g_autofree char *text = g_strndup(one->text, one->length);
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "schedule", text);
  tg_json_member_string(json, "grid", one->grid);
  tg_json_member_string(json, "network", one->network ? one->network : "");
  tg_json_member_string(json, "embed", one->embedding ? one->embedding : "");
  tg_json_member_string(json, "collective", tg_collective_name(one->options->collective));
  tg_json_member_string(json, "heat", one->heat ? one->heat : "auto");
  if (one->task) tg_json_member_string(json, "task", one->task);
  tg_json_member_array(json, "set", TG_JSON_ROW);
  for (int i = 0; one->set && one->set[i]; i++) tg_json_string(json, one->set[i]);
  tg_json_end_array(json);
  tg_json_end_object(json);
}

/* A script element ends at the first "</", whatever it holds. */
static char *setup_of(const TgPageSchedule *schedules, int count, const TgPageOptions *options) {
  TG_FIELD_TABLE(size, TG_FIELD(TgPageOptions, m), TG_FIELD(TgPageOptions, n), TG_FIELD(TgPageOptions, k));
  TG_FIELD_TABLE(fields, TG_FIELD(TgPageOptions, step), TG_FIELD_GROUP("size", size),
                 TG_FIELD(TgPageOptions, element_bytes), TG_FIELD(TgPageOptions, machine));
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_array(json, "labs", TG_JSON_ROW);
  for (int i = 0; i < count; i++) write_schedule(json, &schedules[i]);
  tg_json_end_array(json);
  tg_json_members(json, fields, options);
  tg_json_end_object(json);
  return tg_text_replace(tg_json_text(json, NULL), "<", "\\u003c");
}

enum { PICTURE_PROCESSORS = 256 }; /* the page stays small */

/* The step for readers without scripts: its picture, and its messages in words. */
static void append_messages(GString *html, const TgFrame *frame) {
  if (frame->processors > PICTURE_PROCESSORS || frame->messages == 0) return;
  g_string_append(html, "<table><thead><tr><th>Block</th><th>From</th><th>To</th></tr></thead><tbody>\n");
  for (int64_t m = 0; m < frame->messages; m++) {
    const TgFrameMessage *message = &frame->message[m];
    g_string_append(html, "<tr><td>");
    tg_block_name_append(html, &message->block);
    g_string_append(html, "</td><td>");
    tg_processor_append(html, frame->schedule, message->from);
    g_string_append(html, "</td><td>");
    tg_processor_append(html, frame->schedule, message->to);
    g_string_append(html, "</td></tr>\n");
  }
  g_string_append(html, "</tbody></table>\n");
}

/* The title's first part names schedule and network. */
static void append_title(GString *title, const char *whole) {
  const char *end = strstr(whole, " — ");
  if (title->len) g_string_append(title, " and ");
  g_string_append_len(title, whole, end ? end - whole : (gssize)strlen(whole));
}

static bool append_first(GString *title, GString *html, const TgPageSchedule *one, int number, int64_t step,
                         GError **error) {
  const TgFrameOptions options = {.topology = one->options->topology,
                                  .embedding = one->options->embedding,
                                  .collective = one->options->collective,
                                  .to_the_error = true};
  g_autofree char *prefix = g_strdup_printf("s%d-", number);
  g_autoptr(TgFrames) frames = tg_frames_new(one->schedule, one->names, &options, error);
  if (!frames) return false;
  const TgFrame *frame = tg_frames_seek(frames, MIN(step, tg_frames_steps(frames)), error);
  if (!frame && !*error) frame = tg_frames_seek(frames, tg_frames_steps(frames), error);
  if (!frame) return false;
  g_autoptr(TgScene) scene = tg_picture_bare(frame, one->options->heat);
  g_autofree char *totals = tg_picture_totals(frame);
  append_title(title, tg_scene_title(scene));
  tg_svg_element(html, "h2", tg_scene_title(scene));
  tg_svg_element(html, "p", frame->note);
  if (frame->failure) tg_svg_element(html, "p", frame->failure->message);
  if (frame->processors <= PICTURE_PROCESSORS) {
    g_autoptr(GString) svg = tg_scene_svg(scene, prefix);
    g_string_append(html, svg->str);
  }
  tg_svg_element(html, "p", totals);
  append_messages(html, frame);
  return true;
}

/* What stands for a mark of the template. */
typedef struct Mark {
  const char *name, *text;
} Mark;

/* In one pass: what is put in may look like a mark. */
static GString *fill_template(const Mark *marks, gsize count) {
  GString *page = g_string_sized_new(2 * tg_page_template_bytes);
  const char *at = (const char *)tg_page_template, *end = at + tg_page_template_bytes;
  while (at < end) {
    gsize m = 0;
    while (m < count &&
           !((gsize)(end - at) >= strlen(marks[m].name) && strncmp(at, marks[m].name, strlen(marks[m].name)) == 0))
      m++;
    if (m < count)
      g_string_append(page, marks[m].text);
    else
      g_string_append_c(page, *at);
    at += m < count ? strlen(marks[m].name) : 1;
  }
  return page;
}

GBytes *tg_page_html(const TgPageSchedule *schedules, int count, const TgPageOptions *options, GError **error) {
  GError *failure = NULL;
  g_autoptr(GString) title = g_string_new(NULL), first = g_string_new(NULL);
  g_autofree char *setup = setup_of(schedules, count, options);
  for (int i = 0; i < count; i++) {
    if (append_first(title, first, &schedules[i], i, options->step, &failure)) continue;
    g_propagate_error(error, failure);
    return NULL;
  }
  g_autofree char *escaped = g_markup_escape_text(title->str, -1);
  const char *source = tg_name(schedules[0].names, schedules[0].names->citation);
  g_autofree char *citation = g_markup_escape_text(schedules[0].task ? schedules[0].task : source, -1);
  const Mark marks[] = {{"@TITLE@", escaped}, {"@CITATION@", citation}, {"@FIRST@", first->str}, {"@SETUP@", setup}};
  return g_string_free_to_bytes(fill_template(marks, G_N_ELEMENTS(marks)));
}
