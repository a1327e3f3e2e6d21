#include <math.h>
#include <stdint.h>
#include <string.h>

#include "palette.h"
#include "scene-private.h"

TgScene *tg_scene_new(void) {
  TgScene *scene = g_new0(TgScene, 1);
  scene->strings = g_string_chunk_new(4096);
  scene->marks = g_array_new(FALSE, FALSE, sizeof(TgMark));
  scene->strokes = g_array_new(FALSE, FALSE, sizeof(TgStroke));
  scene->title = scene->description = "";
  return scene;
}

void tg_scene_free(TgScene *scene) {
  for (guint s = 0; s < scene->strokes->len; s++) g_free((gpointer)g_array_index(scene->strokes, TgStroke, s).point[0]);
  g_array_unref(scene->strokes);
  g_array_unref(scene->marks);
  g_string_chunk_free(scene->strings);
  g_free(scene);
}

static bool is_plain(const char *text) {
  for (const guchar *c = (const guchar *)text; *c; c++)
    if ((*c < 0x20 && *c != '\n') || *c >= 0x7f) return false;
  return true;
}

/* What people wrote may hold anything; what is kept is UTF-8 without control characters. */
static const char *keep(TgScene *scene, const char *text) {
  if (text == NULL) return NULL;
  if (is_plain(text)) return g_string_chunk_insert(scene->strings, text);
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  for (char *c = valid; *c; c++)
    if ((guchar)*c < 0x20 && *c != '\n') *c = ' ';
  return g_string_chunk_insert(scene->strings, valid);
}

/* A colour or the like, of which there are few. */
static const char *keep_once(TgScene *scene, const char *text) {
  if (text == NULL) return NULL;
  return is_plain(text) ? g_string_chunk_insert_const(scene->strings, text) : keep(scene, text);
}

static const char *keep_id(TgScene *scene, const char *id, const char *prefix, guint number) {
  if (id != NULL) return keep(scene, id);
  g_autofree char *made = g_strdup_printf("%s-%u", prefix, number);
  return keep(scene, made);
}

void tg_scene_mark(TgScene *scene, const TgMark *mark) {
  TgMark kept = *mark;
  kept.id = keep_id(scene, mark->id, "t", scene->marks->len);
  kept.title = keep(scene, mark->title);
  kept.fill = keep_once(scene, mark->fill);
  kept.line = keep_once(scene, mark->line);
  kept.text = keep(scene, mark->text);
  kept.ink = keep_once(scene, mark->ink);
  g_array_append_val(scene->marks, kept);
}

void tg_scene_stroke(TgScene *scene, const TgStroke *stroke) {
  TgStroke kept = *stroke;
  kept.id = keep_id(scene, stroke->id, "l", scene->strokes->len);
  kept.title = keep(scene, stroke->title);
  kept.from = keep(scene, stroke->from);
  kept.to = keep(scene, stroke->to);
  kept.colour = keep_once(scene, stroke->colour);
  kept.style = keep_once(scene, stroke->style);
  TgPoint *point = g_new(TgPoint, stroke->points[0] + stroke->points[1]);
  for (int piece = 0; piece < 2; piece++) {
    kept.point[piece] = point;
    for (int p = 0; p < stroke->points[piece]; p++) *point++ = stroke->point[piece][p];
  }
  g_array_append_val(scene->strokes, kept);
}

void tg_scene_label_stroke(TgScene *scene, TgPoint at, double size, const char *ink, const char *text) {
  if (scene->strokes->len == 0) return;
  TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, scene->strokes->len - 1);
  stroke->label = keep(scene, text);
  stroke->ink = keep_once(scene, ink);
  stroke->label_at = at;
  stroke->label_size = size;
}

void tg_scene_text(TgScene *scene, double x, double y, double size, const char *ink, const char *text) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_TEXT, .x = x, .y = y, .size = size, .ink = ink, .text = text});
}

void tg_scene_bold(TgScene *scene, const char *id, double x, double y, double size, const char *text) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_TEXT,
                                 .id = id,
                                 .x = x,
                                 .y = y,
                                 .size = size,
                                 .bold = true,
                                 .ink = TG_COLOUR_INK,
                                 .text = text});
}

void tg_scene_box_at(TgScene *scene, const char *id, const char *title, TgPoint centre, double width, double height,
                     const char *fill, const char *line, double pen) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                 .id = id,
                                 .title = title,
                                 .x = centre.x,
                                 .y = centre.y,
                                 .width = width,
                                 .height = height,
                                 .fill = fill,
                                 .line = line,
                                 .pen = pen});
}

void tg_scene_box(TgScene *scene, const char *id, const char *title, TgPoint a, TgPoint b, const char *fill,
                  const char *line, double pen) {
  tg_scene_box_at(scene, id, title, (TgPoint){(a.x + b.x) / 2, (a.y + b.y) / 2}, fabs(b.x - a.x), fabs(b.y - a.y), fill,
                  line, pen);
}

void tg_scene_label_mark(TgScene *scene, double size, const char *ink, const char *text) {
  TgMark *mark = &g_array_index(scene->marks, TgMark, scene->marks->len - 1);
  mark->text = keep(scene, text);
  mark->ink = keep_once(scene, ink);
  mark->size = size;
}

void tg_bezier(TgPoint point[4], TgPoint a, TgPoint b, TgPoint aside) {
  const double dx = (b.x - a.x) / 3, dy = (b.y - a.y) / 3;
  point[0] = a;
  point[1] = (TgPoint){a.x + dx + aside.x, a.y + dy + aside.y};
  point[2] = (TgPoint){b.x - dx + aside.x, b.y - dy + aside.y};
  point[3] = b;
}

void tg_scene_line(TgScene *scene, const char *id, const char *from, const char *to, TgPoint a, TgPoint b,
                   const char *colour, const char *style, double pen) {
  TgPoint point[4];
  tg_bezier(point, a, b, (TgPoint){0, 0});
  tg_scene_stroke(scene, &(TgStroke){.id = id,
                                     .from = from,
                                     .to = to,
                                     .point = {point},
                                     .points = {4},
                                     .colour = colour,
                                     .style = style,
                                     .pen = pen});
}

void tg_scene_set_canvas(TgScene *scene, double width, double height) {
  scene->width = width;
  scene->height = height;
}

void tg_scene_describe(TgScene *scene, const char *title, const char *description) {
  scene->title = keep(scene, title);
  scene->description = keep(scene, description);
}

TgSceneSize tg_scene_size(const TgScene *scene) {
  TgSceneSize size = {
      .marks = scene->marks->len, .strokes = scene->strokes->len, .width = scene->width, .height = scene->height};
  for (guint m = 0; m < scene->marks->len; m++) size.texts += g_array_index(scene->marks, TgMark, m).text != NULL;
  return size;
}

const char *tg_scene_title(const TgScene *scene) {
  return scene->title;
}
const char *tg_scene_description(const TgScene *scene) {
  return scene->description;
}

GHashTable *tg_scene_titles(const TgScene *scene) {
  GHashTable *titles = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    if (mark->title) g_hash_table_insert(titles, (gpointer)mark->id, (gpointer)mark->title);
  }
  for (guint s = 0; s < scene->strokes->len; s++) {
    const TgStroke *stroke = &g_array_index(scene->strokes, TgStroke, s);
    if (stroke->title) g_hash_table_insert(titles, (gpointer)stroke->id, (gpointer)stroke->title);
  }
  return titles;
}

/* By hand because a picture has tens of thousands of numbers. */
void tg_scene_append_number(GString *string, double value) {
  char text[32], *at = text + sizeof text;
  int64_t hundredths = llround(value * 100);
  uint64_t rest = (uint64_t)(hundredths < 0 ? -hundredths : hundredths);
  int places = rest % 10 != 0 ? 2 : rest % 100 != 0 ? 1 : 0;
  if (places < 2) rest /= places == 1 ? 10 : 100;
  for (int digit = 0; rest > 0 || digit <= places; rest /= 10, digit++) {
    if (places > 0 && digit == places) *--at = '.';
    *--at = (char)('0' + rest % 10);
  }
  if (hundredths < 0) *--at = '-';
  g_string_append_len(string, at, text + sizeof text - at);
}

double tg_stroke_head_scale(const TgStroke *stroke) {
  const TgPoint begin = stroke->point[0][0], end = stroke->point[0][stroke->points[0] - 1];
  double length = hypot(end.x - begin.x, end.y - begin.y);
  double most = MAX(length / 1.5 - 1.5 * stroke->pen, 2) / TG_HEAD_POINTS;
  return MIN(0.62 + 0.13 * stroke->pen, most);
}

const char *tg_scene_fill(const TgMark *mark) {
  return mark->fill ? mark->fill : "none";
}

const char *tg_scene_border(const TgMark *mark) {
  return mark->line && strcmp(mark->line, "transparent") != 0 ? mark->line : "none";
}

double tg_scene_pen(const TgMark *mark) {
  return mark->pen > 0 ? mark->pen : 1;
}

double tg_scene_line_y(const TgMark *mark, int line) {
  int lines = 1;
  for (const char *c = mark->text; *c; c++) lines += *c == '\n';
  return mark->y + (line - (lines - 1) / 2.0) * mark->size * 1.2 + mark->size * 0.35;
}
