/* The chain that the end waits for: over the rows, and its steps above them. */
#include <math.h>

#include "palette.h"
#include "spacetime-private.h"
#include "text-width.h"

enum { STRIP = 16, TEXT = 10 };

static double pen_of(const TgSpacetimePanel *panel) {
  return panel->row >= 15 ? 2 : 1.5;
}

/* White below black, where the rows are high enough for both. */
static double white_pen_of(const TgSpacetimePanel *panel) {
  return panel->row >= 20 ? 3.6 : 0;
}

/* Products that begin after a processor has entered the step wait for what comes to it: the chain reaches it before
 * them. Otherwise it leaves the one it comes from once that has multiplied. */
static double time_of_change(const TgSpacetimeRun *run, int64_t s) {
  const TgSpacetimeStep *step = &run->step[s];
  const TgSpan *from = &run->span[s * run->lanes + step->from], *to = &run->span[s * run->lanes + step->to];
  double products_s = to->products_end_s - to->products_s;
  bool waited = to->products_s > 0 && products_s > to->start_s + 1e-9 * run->time_s;
  double at_s = waited ? products_s : from->products_end_s;
  return CLAMP(at_s, step->start_s, step->end_s);
}

static char *title_of(const TgSpacetimePanel *panel, int64_t s) {
  const TgSpacetimeStep *step = &panel->run->step[s];
  const char *from = panel->run->lane[step->from], *to = panel->run->lane[step->to];
  g_autofree char *begin = tg_axis_number(panel->axis, step->start_s), *end = tg_axis_number(panel->axis, step->end_s);
  g_autofree char *where =
      step->from == step->to ? g_strdup_printf("on %s", to) : g_strdup_printf("from %s to %s", from, to);
  return g_strdup_printf("critical path, step %" G_GINT64_FORMAT ": %s, %s to %s %s", step->number, where, begin, end,
                         panel->axis->unit_name);
}

/* Along the one processor, over to the other one, along that. */
static void draw_step(const TgSpacetimePanel *panel, TgScene *scene, int64_t s, bool white) {
  const TgSpacetimeStep *step = &panel->run->step[s];
  double pen = white ? white_pen_of(panel) : pen_of(panel), y0 = tg_spacetime_y(panel, step->from),
         y1 = tg_spacetime_y(panel, step->to);
  double x0 = tg_spacetime_x(panel, step->start_s), x2 = tg_spacetime_x(panel, step->end_s);
  double x1 = y0 == y1 ? x2 : tg_spacetime_x(panel, time_of_change(panel->run, s));
  const char *after[] = {"", "-over", "-on"};
  const TgPoint point[] = {{x0, y0}, {x1, y0}, {x1, y1}, {x2, y1}};
  g_autofree char *title = title_of(panel, s);
  for (int piece = 0; piece < 3; piece++) {
    g_autofree char *id = g_strdup_printf("path-%d-%" G_GINT64_FORMAT "%s", panel->number, step->number, after[piece]);
    if (piece == 0 || y0 != y1)
      tg_spacetime_stretch(scene, white ? NULL : id, title, point[piece], point[piece + 1], pen);
  }
}

void tg_spacetime_draw_path(const TgSpacetimePanel *panel, TgScene *scene) {
  for (int white = white_pen_of(panel) > 0; white >= 0; white--)
    for (int64_t s = 0; s < panel->run->steps; s++) draw_step(panel, scene, s, white);
}

/* Number and label where they fit, else the number alone, which may reach beyond its box but not into another one. */
static char *words_of(const TgSpacetimeStep *step, double width) {
  g_autofree char *words = g_strdup_printf("%" G_GINT64_FORMAT " %s", step->number, step->label);
  if (*step->label && tg_text_width(words, TEXT) + 6 <= width) return g_steal_pointer(&words);
  return g_strdup_printf("%" G_GINT64_FORMAT, step->number);
}

static void draw_box(const TgSpacetimePanel *panel, TgScene *scene, int64_t s, double x0, double x1) {
  const TgSpacetimeStep *step = &panel->run->step[s];
  g_autofree char *title =
      g_strdup_printf("step %" G_GINT64_FORMAT "%s%s", step->number, *step->label ? ": " : "", step->label);
  g_autofree char *id = g_strdup_printf("step-%d-%" G_GINT64_FORMAT, panel->number, step->number);
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                 .id = id,
                                 .title = title,
                                 .x = (x0 + x1) / 2,
                                 .y = panel->top - 4 - STRIP / 2.0,
                                 .width = MAX(x1 - x0, 0.1),
                                 .height = STRIP,
                                 .fill = step->number % 2 ? "#ececec" : "white",
                                 .line = TG_COLOUR_IDLE,
                                 .pen = 0.5});
}

static void draw_words(const TgSpacetimePanel *panel, TgScene *scene, int64_t s, double x0, double x1, double *right) {
  g_autofree char *words = words_of(&panel->run->step[s], x1 - x0);
  double half = tg_text_width(words, TEXT) / 2, end = tg_spacetime_x(panel, panel->run->time_s);
  double x = MAX(MIN((x0 + x1) / 2, end - half), panel->left + half);
  if (x - half < *right + 5) return;
  tg_scene_text(scene, x, panel->top - 4 - STRIP / 2.0, TEXT, TG_COLOUR_INK, words);
  *right = x + half;
}

void tg_spacetime_draw_steps(const TgSpacetimePanel *panel, TgScene *scene) {
  double right = -1e9, bottom = panel->top + (double)panel->rows * panel->row;
  for (int64_t s = 0; s < panel->run->steps; s++) {
    const TgSpacetimeStep *step = &panel->run->step[s];
    double x0 = tg_spacetime_x(panel, step->start_s), x1 = tg_spacetime_x(panel, step->end_s);
    draw_box(panel, scene, s, x0, x1);
    if (x1 - x0 > 2)
      tg_axis_line(scene, (TgPoint){x1, panel->top - 4}, (TgPoint){x1, bottom}, TG_COLOUR_IDLE, "solid", 0.6);
  }
  for (int64_t s = 0; s < panel->run->steps; s++) {
    const TgSpacetimeStep *step = &panel->run->step[s];
    draw_words(panel, scene, s, tg_spacetime_x(panel, step->start_s), tg_spacetime_x(panel, step->end_s), &right);
  }
}
