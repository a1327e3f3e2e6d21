/* Bars, lines and stretches of the chain: height and outline tell them apart where colours do not. */
#include <math.h>

#include "palette.h"
#include "spacetime-private.h"

enum { LEAST_TENTHS = 1 }; /* of a point: what is narrower is not drawn */

static void draw_bar(TgScene *scene, const TgMark *bar, double x0, double x1, double y, double height) {
  TgMark mark = *bar;
  if (x1 - x0 < LEAST_TENTHS / 10.0) return;
  mark.shape = TG_OUTLINE_BOX;
  mark.pen = x1 - x0 > 6 ? 0.6 : 0.1;
  if (x1 - x0 <= 6) mark.line = mark.fill;
  mark.x = (x0 + x1) / 2;
  mark.y = y;
  mark.width = MAX(x1 - x0 - mark.pen, 0.1);
  mark.height = height;
  tg_scene_mark(scene, &mark);
}

void tg_spacetime_products(TgScene *scene, const char *id, const char *title, double x0, double x1, double y,
                           double height) {
  draw_bar(scene, &(TgMark){.id = id, .title = title, .fill = TG_SPACETIME_PRODUCTS, .line = "#00402e"}, x0, x1, y,
           height);
}

void tg_spacetime_communication(TgScene *scene, const char *id, const char *title, double x0, double x1, double y,
                                double height) {
  draw_bar(scene, &(TgMark){.id = id, .title = title, .fill = TG_SPACETIME_COMMUNICATION, .line = "#4d4d00"}, x0, x1, y,
           height / 2);
}

void tg_spacetime_waiting(TgScene *scene, double x0, double x1, double y) {
  if (x1 - x0 < LEAST_TENTHS / 10.0) return;
  tg_axis_line(scene, (TgPoint){x0, y}, (TgPoint){x1, y}, TG_SPACETIME_WAITING, "dashed", 1);
}

static void draw_stretch(TgScene *scene, const char *id, const char *title, const char *colour, TgPoint a, TgPoint b,
                         double pen) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                 .id = id,
                                 .title = title,
                                 .x = (a.x + b.x) / 2,
                                 .y = (a.y + b.y) / 2,
                                 .width = fabs(b.x - a.x) + pen,
                                 .height = fabs(b.y - a.y) + pen,
                                 .fill = colour,
                                 .line = colour,
                                 .pen = 0.1});
}

void tg_spacetime_stretch(TgScene *scene, const char *id, const char *title, TgPoint a, TgPoint b, double pen) {
  draw_stretch(scene, id, title, id ? TG_COLOUR_INK : "white", a, b, pen);
}

/* --- a row ---------------------------------------------------------------------------------------------------- */

/* Several steps as one: products first, then what is communication. */
static TgSpan merge(const TgSpacetimePanel *panel, int64_t lane, int64_t first, int64_t end, double *waiting_s) {
  const TgSpacetimeRun *run = panel->run;
  TgSpan all = run->span[first * run->lanes + lane];
  *waiting_s = 0;
  if (end - first > 1) all.products_s = 0;
  for (int64_t s = first; s < end && end - first > 1; s++) {
    const TgSpan *one = &run->span[s * run->lanes + lane];
    all.products_s += one->products_s;
    all.end_s = one->end_s;
    if (one->talks) all.talks = true;
    if (!one->talks) *waiting_s += one->end_s - one->start_s - one->products_s;
  }
  if (end - first > 1) all.products_end_s = all.start_s + all.products_s;
  return all;
}

static char *title_of(const TgSpacetimePanel *panel, int64_t lane, int64_t step, const char *what, double from_s,
                      double to_s) {
  const TgSpacetimeStep *at = &panel->run->step[step];
  g_autofree char *from = tg_axis_number(panel->axis, from_s), *to = tg_axis_number(panel->axis, to_s);
  return g_strdup_printf("%s, step %" G_GINT64_FORMAT "%s%s: %s, %s to %s %s", panel->run->lane[lane], at->number,
                         *at->label ? ", " : "", at->label, what, from, to, panel->axis->unit_name);
}

typedef void (*DrawBar)(TgScene *scene, const char *id, const char *title, double x0, double x1, double y,
                        double height);

static void draw_part(const TgSpacetimePanel *panel, TgScene *scene, DrawBar draw, const char *what, int64_t lane,
                      int64_t step, const char *after, double from_s, double to_s) {
  g_autofree char *title = title_of(panel, lane, step, what, from_s, to_s);
  g_autofree char *id = g_strdup_printf("%s-%d-%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "%s", what, panel->number, lane,
                                        panel->run->step[step].number, after);
  draw(scene, id, title, tg_spacetime_x(panel, from_s), tg_spacetime_x(panel, to_s), tg_spacetime_y(panel, lane),
       panel->bar);
}

static void draw_rest(const TgSpacetimePanel *panel, TgScene *scene, const TgSpan *span, int64_t lane, int64_t step,
                      const char *after, double from_s, double to_s) {
  double y = tg_spacetime_y(panel, lane);
  if (to_s <= from_s) return;
  if (span->talks)
    draw_part(panel, scene, tg_spacetime_communication, "communication", lane, step, after, from_s, to_s);
  else
    tg_spacetime_waiting(scene, tg_spacetime_x(panel, from_s), tg_spacetime_x(panel, to_s), y);
}

static void draw_span(const TgSpacetimePanel *panel, TgScene *scene, int64_t lane, int64_t first, int64_t end) {
  double waiting_s, y = tg_spacetime_y(panel, lane);
  TgSpan span = merge(panel, lane, first, end, &waiting_s);
  double from_s = CLAMP(span.products_end_s - span.products_s, span.start_s, span.products_end_s);
  double talked_s = span.end_s - waiting_s;
  draw_rest(panel, scene, &span, lane, first, "", span.start_s, span.products_s > 0 ? from_s : talked_s);
  if (span.products_s > 0) {
    draw_part(panel, scene, tg_spacetime_products, "products", lane, first, "", from_s, span.products_end_s);
    draw_rest(panel, scene, &span, lane, first, "-after", span.products_end_s, talked_s);
  }
  if (waiting_s > 0) tg_spacetime_waiting(scene, tg_spacetime_x(panel, talked_s), tg_spacetime_x(panel, span.end_s), y);
}

/* Before its first step and after its last one a processor waits. */
void tg_spacetime_draw_row(const TgSpacetimePanel *panel, TgScene *scene, int64_t row) {
  const TgSpacetimeRun *run = panel->run;
  const int64_t lane = panel->shown[row];
  double y = tg_spacetime_y(panel, lane);
  for (int64_t s = 0; s < run->steps; s += panel->merged)
    draw_span(panel, scene, lane, s, MIN(s + panel->merged, run->steps));
  if (run->steps == 0) return;
  tg_spacetime_waiting(scene, panel->left, tg_spacetime_x(panel, run->span[lane].start_s), y);
  tg_spacetime_waiting(scene, tg_spacetime_x(panel, run->span[(run->steps - 1) * run->lanes + lane].end_s),
                       tg_spacetime_x(panel, run->time_s), y);
}
