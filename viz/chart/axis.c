#include "axis.h"

#include <math.h>

#include "palette.h"
#include "text-width.h"

typedef struct Unit {
  double size;
  const char *name;
} Unit;

/* By kind, from the largest on. */
static const Unit units[][6] = {
    [TG_AXIS_TIME] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}},
    [TG_AXIS_BYTES] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "bytes"}},
    [TG_AXIS_COUNT] = {{1, ""}},
};

static double round_step(double least) {
  static const double factors[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(least)));
  for (gsize f = 0; f < G_N_ELEMENTS(factors); f++)
    if (factors[f] * power >= least * (1 - 1e-9)) return factors[f] * power;
  return 10 * power;
}

/* The unit is the largest of which there is at least one, else the smallest. Parts of a byte or of a block are none. */
void tg_axis_init(TgAxis *axis, TgAxisKind kind, double most, int ticks) {
  const Unit *unit = units[kind];
  while (unit[1].name && unit->size > most) unit++;
  *axis = (TgAxis){.most = most, .unit = unit->size, .unit_name = unit->name};
  axis->step = most > 0 ? round_step(most / axis->unit / ticks) * axis->unit : axis->unit;
  if (kind != TG_AXIS_TIME) axis->step = MAX(axis->step, 1);
}

char *tg_axis_number(const TgAxis *axis, double value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strdup(g_ascii_formatd(text, sizeof text, "%.6g", value / axis->unit));
}

int tg_axis_ticks(const TgAxis *axis) {
  return (int)floor(axis->most / axis->step + 1e-9);
}

void tg_axis_text_from(TgScene *scene, double x, double y, double size, const char *ink, const char *text) {
  tg_scene_text(scene, x + tg_text_width(text, size) / 2, y, size, ink, text);
}

void tg_axis_text_to(TgScene *scene, double x, double y, double size, const char *ink, const char *text) {
  tg_scene_text(scene, x - tg_text_width(text, size) / 2, y, size, ink, text);
}

enum { KEY = 11 }; /* size of the legend's words */

static double key_width(const TgAxisKey *key, const TgAxisLegend *legend) {
  return legend->sample + (*key->words ? 6 + tg_text_width(key->words, KEY) + legend->gap : 3);
}

void tg_axis_head(TgScene *scene, const char *id, double x, double y, const char *text) {
  tg_scene_bold(scene, id, x + tg_text_width(text, 14) * 1.06 / 2, y, 14, text);
}

void tg_axis_line(TgScene *scene, TgPoint a, TgPoint b, const char *colour, const char *style, double pen) {
  tg_scene_line(scene, NULL, "canvas", "canvas", a, b, colour, style, pen);
}

void tg_axis_legend(TgScene *scene, const TgAxisKey *keys, gsize count, const TgAxisLegend *legend, double middle,
                    double y) {
  double width = -legend->gap;
  for (gsize k = 0; k < count; k++) width += key_width(&keys[k], legend);
  double x = middle - width / 2;
  for (gsize k = 0; k < count; x += key_width(&keys[k++], legend)) {
    keys[k].sample(scene, keys[k].what, x, y);
    if (*keys[k].words) tg_axis_text_from(scene, x + legend->sample + 6, y, KEY, TG_COLOUR_INK, keys[k].words);
  }
}
