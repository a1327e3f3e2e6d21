#include "axis.h"

#include <math.h>

#include "text-width.h"

typedef struct Unit {
  double size;
  const char *name;
} Unit;

static const Unit times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
static const Unit byte_units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "bytes"}};
static const Unit counts[] = {{1, ""}};

/* The largest unit of which there is at least one, else the smallest. */
static void set_unit(TgAxis *axis, const Unit *units, gsize count) {
  gsize u = 0;
  while (u + 1 < count && units[u].size > axis->most) u++;
  axis->unit = units[u].size;
  axis->unit_name = units[u].name;
}

static double round_step(double least) {
  static const double factors[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(least)));
  for (gsize f = 0; f < G_N_ELEMENTS(factors); f++)
    if (factors[f] * power >= least * (1 - 1e-9)) return factors[f] * power;
  return 10 * power;
}

static void set_steps(TgAxis *axis, int ticks) {
  axis->step = axis->most > 0 ? round_step(axis->most / axis->unit / ticks) * axis->unit : axis->unit;
}

void tg_axis_time(TgAxis *axis, double most_s, int ticks) {
  axis->most = most_s;
  set_unit(axis, times, G_N_ELEMENTS(times));
  set_steps(axis, ticks);
}

/* Parts of a byte or of a block are none. */
void tg_axis_bytes(TgAxis *axis, double most_bytes, int ticks) {
  axis->most = most_bytes;
  set_unit(axis, byte_units, G_N_ELEMENTS(byte_units));
  set_steps(axis, ticks);
  axis->step = MAX(axis->step, 1);
}

void tg_axis_count(TgAxis *axis, double most, int ticks) {
  axis->most = most;
  set_unit(axis, counts, G_N_ELEMENTS(counts));
  set_steps(axis, ticks);
  axis->step = MAX(axis->step, 1);
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

void tg_axis_line(TgScene *scene, TgPoint a, TgPoint b, const char *colour, const char *style, double pen) {
  TgPoint third = {(b.x - a.x) / 3, (b.y - a.y) / 3};
  TgPoint point[4] = {a, {a.x + third.x, a.y + third.y}, {b.x - third.x, b.y - third.y}, b};
  tg_scene_stroke(scene, &(TgStroke){.from = "canvas",
                                     .to = "canvas",
                                     .point = {point},
                                     .points = {4},
                                     .colour = colour,
                                     .style = style,
                                     .pen = pen});
}
