/** @file core.c
 * The page's module: the parser, walker, prover, cost models and pictures of topogemm, compiled to WebAssembly, for the
 * page's script to call. Every exported function that answers leaves a text (JSON or SVG) at answer(), answer_length()
 * bytes of UTF-8, valid until the next call. A laboratory is one schedule with its settings; a page may have several.
 */
#include "core-private.h"

static GString *text;
TgJson *json;

EXPORT(answer) const char *answer(void) {
  return text ? text->str : "";
}
EXPORT(answer_length) size_t answer_length(void) {
  return text ? text->len : 0;
}
EXPORT(room) void *room(size_t bytes) {
  return g_malloc(bytes);
}
EXPORT(forget) void forget(void *memory) {
  g_free(memory);
}

void begin_answer(void) {
  if (json) tg_json_free(json);
  json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_ROW);
}

void end_answer(void) {
  size_t length;
  tg_json_end_object(json);
  const char *whole = tg_json_text(json, &length);
  GString *copy = g_string_sized_new(length);
  take_answer(g_string_append_len(copy, whole, (gssize)length));
}

void take_answer(GString *answer) {
  if (text) g_string_free(text, TRUE);
  text = answer;
}

void write_error(const char *stage, const TgError *error) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgError, line), TG_FIELD(TgError, column), TG_FIELD(TgError, message));
  tg_json_member_object(json, "error", TG_JSON_ROW);
  tg_json_member_string(json, "stage", stage);
  tg_json_members(json, fields, error);
  tg_json_end_object(json);
}

void write_failure(const TgSchedule *schedule, const TgError *failure) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgError, step), TG_FIELD(TgError, line), TG_FIELD(TgError, processor),
                 TG_FIELD(TgError, message));
  g_autoptr(GString) id = g_string_new(NULL), name = g_string_new(NULL);
  tg_json_key(json, "failure");
  if (!failure) {
    tg_json_null(json);
    return;
  }
  if (failure->processor >= 0) {
    tg_processor_id_append(id, schedule, failure->processor);
    tg_processor_append(name, schedule, failure->processor);
  }
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_members(json, fields, failure);
  tg_json_member_string(json, "id", id->str);
  tg_json_member_string(json, "name", name->str);
  tg_json_end_object(json);
}

void write_name(const TgBlockName *block) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_block_name_append(name, block);
  tg_json_string(json, name->str);
}

void write_integers(const int64_t *values, int count) {
  for (int i = 0; i < count; i++) tg_json_integer(json, values[i]);
}

const TgFrame *seek_frame(Lab *lab, int64_t step) {
  GError *error = NULL;
  if (!lab->frames && !open_frames(lab)) return NULL;
  if (lab->frame && lab->frame->step == step) return lab->frame;
  if (step > tg_frames_steps(lab->frames)) step = tg_frames_steps(lab->frames);
  const TgFrame *frame = tg_frames_seek(lab->frames, step, &error);
  if (!frame && !error) frame = tg_frames_seek(lab->frames, tg_frames_steps(lab->frames), &error);
  lab->frame = frame;
  g_clear_error(&error);
  return frame;
}
