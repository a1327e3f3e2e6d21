/* What differs between two pictures, put into the SVG of the first, gives that of the second: for steps of schedules,
 * one after the other and far apart, forward and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../frames-of.h"
#include "picture.h"
#include "scene-change.h"

/* The groups of an SVG: its lines but the first and the last. */
static GPtrArray *groups_of(const TgScene *scene) {
  GPtrArray *groups = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) svg = tg_scene_svg(scene, "q-");
  g_auto(GStrv) lines = g_strsplit(svg->str, "\n", -1);
  for (guint l = 1; l + 1 < g_strv_length(lines); l++) g_ptr_array_add(groups, g_strdup(lines[l]));
  return groups;
}

/* `text` with what stands between `before` and `after`, found from the `number`-th `<part` on, replaced. */
static char *put(char *text, const char *part, int number, const char *before, const char *after, const char *value) {
  g_autofree char *whole = text, *escaped = g_markup_escape_text(value, -1);
  g_auto(GStrv) lines = g_strsplit(escaped, "\n", -1);
  g_autofree char *line = g_strjoinv("&#10;", lines);
  const char *at = whole;
  for (int n = 0; n <= number; n++) at = strstr(at + (n > 0), part);
  g_assert_nonnull(at);
  at = strstr(at, before);
  g_assert_nonnull(at);
  at += strlen(before);
  return g_strdup_printf("%.*s%s%s", (int)(at - whole), whole, line, strstr(at, after));
}

static char *put_field(char *group, const char *field) {
  const char *outline = strstr(group, "<rect") ? "<rect" : "<circle", *value = field + 1;
  const int line = strchr("dyzk", *field) ? *value++ - '0' : 0;
  switch (*field) {
  case 'i':
    return put(group, "<g", 0, " id=\"", "\"", value);
  case 't':
    return put(group, "<title", 0, ">", "</title>", value);
  case 'f':
    return put(group, outline, 0, " fill=\"", "\"", value);
  case 's':
    return put(group, outline, 0, " stroke=\"", "\"", value);
  case 'w':
    return put(group, outline, 0, " stroke-width=\"", "\"", value);
  case 'd':
    return put(group, "<text", line, ">", "</text>", value);
  case 'y':
    return put(group, "<text", line, " y=\"", "\"", value);
  case 'z':
    return put(group, "<text", line, " font-size=\"", "\"", value);
  case 'k':
    return put(group, "<text", line, " fill=\"", "\"", value);
  }
  g_assert_not_reached();
}

/* Takes group NUMBER of `~NUMBER` and its fields out of `groups`, changed. */
static char *change_group(GPtrArray *groups, const char *record) {
  g_auto(GStrv) fields = g_strsplit(record + 1, TG_SCENE_FIELD, -1);
  char **place = (char **)&groups->pdata[atoi(fields[0])];
  char *group = g_steal_pointer(place);
  g_assert_nonnull(group); /* named once */
  for (char **field = fields + 1; *field; field++) group = put_field(group, *field);
  return group;
}

static GPtrArray *apply(GPtrArray *before, const char *records, const char *names) {
  GPtrArray *now = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) each = g_strsplit(records, TG_SCENE_RECORD, -1);
  for (char **record = each + 1; *each && *record; record++) {
    int first, count;
    if (**record == '!' || **record == '@') {
      g_assert_true(record == each + 1 || (**record == '@' && *record[-1] == '!'));
      continue;
    }
    if (sscanf(*record, "=%d,%d", &first, &count) == 2) {
      for (int g = first; g < first + count; g++) {
        g_assert_nonnull(before->pdata[g]);
        g_ptr_array_add(now, g_steal_pointer(&before->pdata[g]));
      }
    } else if (**record == '~') {
      g_ptr_array_add(now, change_group(before, *record));
    } else {
      g_ptr_array_add(now, g_strchomp(g_strdup(*record)));
    }
  }
  g_auto(GStrv) renamed = g_strsplit(names, TG_SCENE_RECORD, -1);
  for (char **record = renamed + 1; *renamed && *record; record++)
    now->pdata[atoi(*record + 1)] = change_group(now, *record);
  return now;
}

/* How many bytes say it. */
static gsize expect_change(const TgScene *before, const TgScene *now, const char *what) {
  g_autoptr(GString) names = g_string_new(NULL), records = tg_scene_change(before, now, "q-", names);
  g_autoptr(GPtrArray) old = groups_of(before), expected = groups_of(now), got = apply(old, records->str, names->str);
  g_assert_cmpuint(got->len, ==, expected->len);
  for (guint g = 0; g < got->len; g++)
    if (strcmp(got->pdata[g], expected->pdata[g]) != 0)
      g_error("%s, group %u:\n%s\nshould be\n%s", what, g, (char *)got->pdata[g], (char *)expected->pdata[g]);
  return records->len;
}

static TgScene *scene_at(TgFrames *frames, gint64 step, TgHeat heat) {
  GError *error = NULL;
  const TgFrame *frame = tg_frames_seek(frames, step, &error);
  g_assert_no_error(error);
  return tg_picture_bare(frame, heat);
}

static void test_steps(void) {
  static const char *const subjects[][3] = {{"cannon", "4x4", "torus:4x4"},
                                            {"cannon", "12x12", "torus:12x12"},
                                            {"summa", "10x10", NULL},
                                            {"fox", "9x9", "torus:9x9"},
                                            {"dns", "4x4x4", "torus:4x4x4"},
                                            {"cannon25d", "8x8x2", NULL},
                                            {"dns-rounds", "2x2x2", "hypercube:3"},
                                            {"mmt", "5", "ring:5"},
                                            {"ring", "20", "ring:20"},
                                            {"transpose", "4x4", "torus:4x4"},
                                            {"allgather", "4x4", NULL},
                                            {"agarwal3d", "2x2x2", NULL}};
  for (gsize s = 0; s < G_N_ELEMENTS(subjects); s++) {
    Laid laid;
    lay(&laid, subjects[s][0], subjects[s][1], subjects[s][2], TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
    g_autoptr(TgFrames) frames = frames_of(&laid);
    const gint64 last = tg_frames_steps(frames), walk[] = {0, 1, 2, 3, 2, last, last - 1, 1, 0, last};
    g_autoptr(TgScene) before = scene_at(frames, 0, TG_HEAT_AUTO);
    for (gsize w = 0; w < G_N_ELEMENTS(walk); w++) {
      g_autoptr(TgScene) now = scene_at(frames, CLAMP(walk[w], 0, last), TG_HEAT_AUTO);
      g_autofree char *what = g_strdup_printf("%s, step %d", subjects[s][0], (int)walk[w]);
      expect_change(before, now, what);
      tg_scene_free(before);
      before = g_steal_pointer(&now);
    }
  }
}

/* What stays costs nothing, and a shift no new groups. */
static void test_little(void) {
  Laid laid;
  lay(&laid, "cannon", "12x12", "torus:12x12", TG_ROWMAJOR, TG_COLLECTIVE_WHOLE);
  g_autoptr(TgFrames) frames = frames_of(&laid);
  g_autoptr(TgScene) third = scene_at(frames, 3, TG_HEAT_AUTO), again = scene_at(frames, 3, TG_HEAT_AUTO);
  g_autoptr(TgScene) fourth = scene_at(frames, 4, TG_HEAT_AUTO);
  g_assert_cmpuint(expect_change(third, again, "the same"), <, 10);
  g_autoptr(GString) names = g_string_new(NULL), records = tg_scene_change(third, fourth, "", names);
  g_assert_null(strchr(records->str, '<'));
  g_assert_null(strstr(records->str, TG_SCENE_FIELD "i"));
  g_assert_nonnull(strstr(names->str, "m-4-"));
}

/* Every bit of the number is something that a mark or a stroke has or has not, or has so or otherwise. */
enum { BITS = 9 };

static TgScene *made_up(int number) {
  TgScene *scene = tg_scene_new();
  const bool a = number & 1, b = number & 2, c = number & 4, d = number & 8, e = number & 16, f = number & 32,
             g = number & 64, h = number & 128, i = number & 256;
  const TgPoint way[4] = {{0, 0}, {10, 0}, {20, 0}, {b ? 35 : 30, 0}};
  tg_scene_set_canvas(scene, 100, 100);
  tg_scene_stroke(scene, &(TgStroke){.id = a ? "m-1" : "m-2",
                                     .title = c   ? NULL
                                              : d ? "a \"way\" & more"
                                                  : "a way",
                                     .point = {way},
                                     .points = {4},
                                     .head = h ? TG_HEAD_ARROW : TG_HEAD_NONE,
                                     .colour = f ? "#123456" : "#654321",
                                     .style = i && !a ? "dashed" : NULL,
                                     .pen = d ? 2 : 1});
  if (a) tg_scene_label_stroke(scene, way[1], g ? 8 : 9, i ? "black" : "white", e ? "×3" : "1: ×2");
  for (int box = 0; box < (g ? 2 : 3); box++) {
    g_autofree char *id = g_strdup_printf("p-%d", box), *text = g_strdup_printf("A<%d>%snext", box, c ? "\n" : " ");
    tg_scene_mark(scene, &(TgMark){.shape = box == 1 ? TG_OUTLINE_CIRCLE : TG_OUTLINE_BOX,
                                   .id = id,
                                   .title = a   ? NULL
                                            : b ? "one\ntwo"
                                                : "three",
                                   .x = 10 * box,
                                   .y = 7,
                                   .width = 8,
                                   .height = 6,
                                   .fill = d ? "white" : NULL,
                                   .line = b   ? NULL
                                           : c ? "transparent"
                                               : "red",
                                   .pen = e ? 3 : 2,
                                   .dashed = h != i,
                                   .text = g ? "" : text,
                                   .size = d ? 9 : 10,
                                   .bold = h,
                                   .ink = f   ? NULL
                                          : g ? "blue"
                                              : "green"});
  }
  tg_scene_text(scene, 50, 50, 12, c ? "green" : "red", d ? "alone" : "alone\nbelow");
  return scene;
}

static void test_made_up(void) {
  for (int before = 0; before < 1 << BITS; before++) {
    for (int bit = 0; bit < BITS; bit++) {
      for (int other_bit = 0; other_bit < BITS; other_bit++) {
        const int now = before ^ 1 << bit ^ (other_bit == bit ? 0 : 1 << other_bit);
        g_autoptr(TgScene) one = made_up(before), other = made_up(now);
        g_autofree char *what = g_strdup_printf("%d to %d", before, now);
        expect_change(one, other, what);
      }
    }
  }
}

static void box(TgScene *scene, double x, const char *id) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_BOX, .id = id, .x = x, .y = 7, .width = 8, .height = 6});
}

/* Of several that look alike each is taken once, whether in its place or not. */
static void test_alike(void) {
  static const char *const orders[] = {"1222", "2221", "1122", "2211", "12", "2", "", "121212", "212121"};
  for (gsize o = 0; o < G_N_ELEMENTS(orders); o++) {
    for (gsize p = 0; p < G_N_ELEMENTS(orders); p++) {
      g_autoptr(TgScene) before = tg_scene_new(), now = tg_scene_new();
      for (const char *c = orders[o]; *c; c++) box(before, *c, c);
      for (const char *c = orders[p]; *c; c++) box(now, *c, c);
      g_autofree char *what = g_strdup_printf("%s to %s", orders[o], orders[p]);
      expect_change(before, now, what);
    }
  }
}

static void test_canvas(void) {
  g_autoptr(TgScene) one = made_up(1), other = made_up(1);
  g_autoptr(GString) names = g_string_new(NULL);
  tg_scene_set_canvas(other, 100, 101.25);
  g_autoptr(GString) records = tg_scene_change(one, other, "", names), same = tg_scene_change(one, one, "", names);
  g_assert_true(g_str_has_prefix(records->str, TG_SCENE_RECORD "!100 101.25" TG_SCENE_RECORD "="));
  g_assert_null(strchr(same->str, '!'));
  tg_scene_describe(other, "another\ttitle", NULL);
  g_autoptr(GString) titled = tg_scene_change(one, other, "", names);
  g_assert_nonnull(strstr(titled->str, "101.25" TG_SCENE_RECORD "@another title" TG_SCENE_RECORD "="));
  g_assert_null(strchr(same->str, '@'));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scene-change/steps", test_steps);
  g_test_add_func("/scene-change/little", test_little);
  g_test_add_func("/scene-change/made-up", test_made_up);
  g_test_add_func("/scene-change/alike", test_alike);
  g_test_add_func("/scene-change/canvas", test_canvas);
  return g_test_run();
}
