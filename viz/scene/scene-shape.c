/* What both ways of writing a scene share. */
#include "scene-private.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

double tg_stroke_head_scale(const TgStroke *stroke, const TgPoint *point) {
  TgPoint end = point[stroke->points[0] - 1];
  double length = hypot(end.x - point[0].x, end.y - point[0].y);
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
