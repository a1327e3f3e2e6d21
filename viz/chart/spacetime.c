#include "spacetime.h"

#include <math.h>

#include "axis.h"
#include "caption.h"
#include "palette.h"
#include "render.h"
#include "text-width.h"

/* Which lanes a schedule's rows show, and where. */
typedef struct Panel {
  const TgSpacetimeRun *run;
  int number;         /* of the run, from 1 */
  int64_t rows, each; /* lanes a row; the last may have fewer */
  int64_t *shown;     /* by row: its busiest lane */
  int64_t merged;     /* steps that are drawn as one */
  double row, bar;    /* heights, points */
  double left, top;   /* of the rows */
  double points_per_s;
  const TgAxis *axis;
} Panel;

static double x_of(const Panel *panel, double time_s) {
  return panel->left + time_s * panel->points_per_s;
}

/* The middle of the row in which the lane is. */
static double y_of(const Panel *panel, int64_t lane) {
  return panel->top + ((double)(lane / panel->each) + 0.5) * panel->row;
}

/* Bars of one kind. */
typedef struct Bar {
  const char *name, *fill, *line;
  double height; /* in heights of a row's bar */
} Bar;

enum { PRODUCTS, COMMUNICATION, WAITING };
static const Bar bars[] = {[PRODUCTS] = {"products", "#009E73", "#00402e", 1},
                           [COMMUNICATION] = {"communication", "#F0E442", "#4d4d00", 0.5},
                           [WAITING] = {"waiting", "#CC79A7", "#5e2b49", 0.5}};

/* --- which lanes share a row, and which of them it shows ------------------------------------------------------- */

enum {
  MOST_SHARED_ROWS = 48, /* where lanes share rows: whole lines of the grid matter more than many rows */
  MOST_STEPS = 240       /* drawn; of more, several are drawn as one */
};

/* Whole lines, planes … of the grid, and of the last of these a part that divides it. */
static int64_t lanes_each(const TgSpacetimeRun *run) {
  int64_t each = 1;
  if (run->lanes <= TG_SPACETIME_ROWS) return 1;
  for (int axis = run->dims - 1; axis >= 0; each *= run->extent[axis--])
    for (int32_t part = 1; part <= run->extent[axis]; part++)
      if (run->extent[axis] % part == 0 && run->lanes <= each * part * MOST_SHARED_ROWS) return each * part;
  return run->lanes;
}

static double busy_s(const TgSpacetimeRun *run, int64_t lane) {
  double seconds = 0;
  for (int64_t s = 0; s < run->steps; s++) {
    const TgSpan *span = &run->span[s * run->lanes + lane];
    seconds += span->talks ? span->end_s - span->start_s : span->products_s;
  }
  return seconds;
}

/* Times that are the same but for rounding are a tie, which the first lane wins. */
static int64_t busiest(const TgSpacetimeRun *run, int64_t first, int64_t end) {
  int64_t best = first;
  double most = busy_s(run, first);
  for (int64_t lane = first + 1; lane < end; lane++) {
    double busy = busy_s(run, lane);
    if (busy > most + 1e-9 * run->time_s) best = lane, most = busy;
  }
  return best;
}

static double row_height(int64_t rows) {
  return rows <= 16 ? 22 : rows <= 32 ? 15 : rows <= 48 ? 12 : 10;
}

/* Finds rows and their heights. */
static void panel_init(Panel *panel, const TgSpacetimeRun *run, int number) {
  *panel = (Panel){.run = run, .number = number, .each = lanes_each(run)};
  panel->rows = (run->lanes + panel->each - 1) / panel->each;
  panel->merged = (run->steps + MOST_STEPS - 1) / MOST_STEPS;
  panel->row = row_height(panel->rows);
  panel->bar = panel->row * 0.74;
  panel->shown = g_new(int64_t, panel->rows);
  for (int64_t row = 0; row < panel->rows; row++)
    panel->shown[row] = busiest(run, row * panel->each, MIN((row + 1) * panel->each, run->lanes));
}

/* The row's name, "(0, 1)" or "(0, 0) to (0, 15)". */
static char *row_name(const Panel *panel, int64_t row) {
  int64_t first = row * panel->each, last = MIN(first + panel->each, panel->run->lanes) - 1;
  if (first == last) return g_strdup(panel->run->lane[first]);
  return g_strdup_printf("%s to %s", panel->run->lane[first], panel->run->lane[last]);
}

/* Every how many rows one is named, so that names do not touch. */
static int64_t named_rows(const Panel *panel) {
  return panel->row >= 12 ? 1 : 2;
}

enum { LEAST_TENTHS = 1 }; /* of a point: what is narrower is not drawn */

/* From x0 to x1 around y, in a row whose bars have this height. */
static void draw_bar(TgScene *scene, const Bar *bar, const char *id, const char *title, double x0, double x1, double y,
                     double height) {
  const bool wide = x1 - x0 > 6;
  const double pen = wide ? 0.6 : 0.1, middle = (x0 + x1) / 2, half = MAX(x1 - x0 - pen, 0.1) / 2;
  const double up = height * bar->height / 2;
  if (x1 - x0 < LEAST_TENTHS / 10.0) return;
  tg_scene_box(scene, id, title, (TgPoint){middle - half, y - up}, (TgPoint){middle + half, y + up}, bar->fill,
               wide ? bar->line : bar->fill, pen);
}

/* The line of a lane that is idle. */
static void draw_idle(TgScene *scene, double x0, double x1, double y) {
  if (x1 - x0 < LEAST_TENTHS / 10.0) return;
  tg_axis_line(scene, (TgPoint){x0, y}, (TgPoint){x1, y}, "#8c8c8c", "dashed", 1);
}

/* A stretch of the chain in ink, or the white below it, which has no id. */
static void draw_stretch(TgScene *scene, const char *id, const char *title, TgPoint a, TgPoint b, double pen) {
  const char *colour = id ? TG_COLOUR_INK : "white";
  const TgPoint from = {MIN(a.x, b.x) - pen / 2, MIN(a.y, b.y) - pen / 2};
  const TgPoint to = {MAX(a.x, b.x) + pen / 2, MAX(a.y, b.y) + pen / 2};
  tg_scene_box(scene, id, title, from, to, colour, colour, 0.1);
}

/* --- a row ---------------------------------------------------------------------------------------------------- */

/* Several steps as one: products first, then what is communication, then idle time. */
static TgSpan merge(const Panel *panel, int64_t lane, int64_t first, int64_t end, double *idle_s) {
  const TgSpacetimeRun *run = panel->run;
  TgSpan all = run->span[first * run->lanes + lane];
  *idle_s = 0;
  if (end - first > 1) all.products_s = 0;
  for (int64_t s = first; s < end && end - first > 1; s++) {
    const TgSpan *one = &run->span[s * run->lanes + lane];
    all.products_s += one->products_s + one->ahead_s;
    all.end_s = one->end_s;
    if (one->talks) all.talks = true;
    if (!one->talks) *idle_s += fmax(one->end_s - one->start_s - one->products_s - one->ahead_s, 0);
  }
  if (end - first > 1) all.products_end_s = all.start_s + all.products_s;
  if (end - first > 1) all.ahead_s = 0; /* they are among all products */
  return all;
}

static char *title_of(const Panel *panel, int64_t lane, int64_t step, const char *what, double from_s, double to_s) {
  const TgSpacetimeStep *at = &panel->run->step[step];
  g_autofree char *from = tg_axis_number(panel->axis, from_s), *to = tg_axis_number(panel->axis, to_s);
  return g_strdup_printf("%s, step %" G_GINT64_FORMAT "%s%s: %s, %s to %s %s", panel->run->lane[lane], at->number,
                         *at->label ? ", " : "", at->label, what, from, to, panel->axis->unit_name);
}

static void draw_part(const Panel *panel, TgScene *scene, const Bar *bar, int64_t lane, int64_t step, const char *after,
                      double from_s, double to_s) {
  g_autofree char *title = title_of(panel, lane, step, bar->name, from_s, to_s);
  g_autofree char *id = g_strdup_printf("%s-%d-%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "%s", bar->name, panel->number,
                                        lane, panel->run->step[step].number, after);
  draw_bar(scene, bar, id, title, x_of(panel, from_s), x_of(panel, to_s), y_of(panel, lane), panel->bar);
}

static void draw_rest(const Panel *panel, TgScene *scene, const TgSpan *span, int64_t lane, int64_t step,
                      const char *after, double from_s, double to_s) {
  double y = y_of(panel, lane);
  if (to_s <= from_s) return;
  if (span->talks)
    draw_part(panel, scene, &bars[COMMUNICATION], lane, step, after, from_s, to_s);
  else
    draw_idle(scene, x_of(panel, from_s), x_of(panel, to_s), y);
}

static void draw_span(const Panel *panel, TgScene *scene, int64_t lane, int64_t first, int64_t end) {
  double idle_s, y = y_of(panel, lane);
  TgSpan span = merge(panel, lane, first, end, &idle_s);
  double from_s = CLAMP(span.products_end_s - span.products_s, span.start_s, span.products_end_s);
  double talked_s = span.end_s - idle_s;
  const bool multiplies = span.products_s > 0 && span.products_end_s > span.start_s;
  const double ahead_s = span.ahead_s > 0 ? span.ahead_end_s - span.ahead_s : talked_s;
  draw_rest(panel, scene, &span, lane, first, "", span.start_s, multiplies ? from_s : ahead_s);
  if (multiplies) {
    draw_part(panel, scene, &bars[PRODUCTS], lane, first, "", from_s, span.products_end_s);
    draw_rest(panel, scene, &span, lane, first, "-after", span.products_end_s, ahead_s);
  }
  if (span.ahead_s > 0) {
    draw_part(panel, scene, &bars[PRODUCTS], lane, first, "-ahead", ahead_s, span.ahead_end_s);
    draw_rest(panel, scene, &span, lane, first, "-after-ahead", span.ahead_end_s, talked_s);
  }
  if (idle_s > 0) draw_idle(scene, x_of(panel, talked_s), x_of(panel, span.end_s), y);
}

static void draw_wait(const Panel *panel, TgScene *scene, int64_t lane, int64_t number, const char *title,
                      double from_s, double to_s) {
  g_autofree char *id =
      g_strdup_printf("waiting-%d-%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, panel->number, lane, number);
  draw_bar(scene, &bars[WAITING], id, title, x_of(panel, from_s), x_of(panel, to_s), y_of(panel, lane), panel->bar);
}

/* `*first` of the waits is the first that ends after `from_s`. */
static double waited_s(const GArray *waits, guint *first, double from_s, double to_s) {
  double sum_s = 0;
  while (*first < waits->len && g_array_index(waits, TgSpacetimeWait, *first).to_s <= from_s) ++*first;
  for (guint w = *first; w < waits->len && g_array_index(waits, TgSpacetimeWait, w).from_s < to_s; w++) {
    const TgSpacetimeWait *wait = &g_array_index(waits, TgSpacetimeWait, w);
    sum_s += fmin(wait->to_s, to_s) - fmax(wait->from_s, from_s);
  }
  return sum_s;
}

/* Of steps that are drawn as one, after the rest of their communication. */
static void draw_merged_waits(const Panel *panel, TgScene *scene, int64_t lane, const GArray *waits) {
  const TgSpacetimeRun *run = panel->run;
  guint first = 0;
  for (int64_t s = 0; s < run->steps; s += panel->merged) {
    double idle_s;
    const int64_t end = MIN(s + panel->merged, run->steps);
    const TgSpan span = merge(panel, lane, s, end, &idle_s);
    const double sum_s = waited_s(waits, &first, span.start_s, span.end_s), to_s = span.end_s - idle_s;
    g_autofree char *time = tg_axis_number(panel->axis, sum_s);
    g_autofree char *title =
        g_strdup_printf("%s, steps %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ": waits for partners for %s %s in all",
                        run->lane[lane], run->step[s].number, run->step[end - 1].number, time, panel->axis->unit_name);
    draw_wait(panel, scene, lane, run->step[s].number, title, fmax(to_s - sum_s, span.start_s + span.products_s), to_s);
  }
}

static void draw_waits(const Panel *panel, TgScene *scene, int64_t lane) {
  const GArray *waits = panel->run->waits ? panel->run->waits[lane] : NULL;
  if (waits && panel->merged > 1) draw_merged_waits(panel, scene, lane, waits);
  for (guint w = 0; waits && panel->merged == 1 && w < waits->len; w++) {
    const TgSpacetimeWait *wait = &g_array_index(waits, TgSpacetimeWait, w);
    g_autofree char *from = tg_axis_number(panel->axis, wait->from_s), *to = tg_axis_number(panel->axis, wait->to_s);
    g_autofree char *title = g_strdup_printf("%s: waits for a partner, %s to %s %s", panel->run->lane[lane], from, to,
                                             panel->axis->unit_name);
    draw_wait(panel, scene, lane, w, title, wait->from_s, wait->to_s);
  }
}

/* Before its first step and after its last one a processor is idle. */
static void draw_row(const Panel *panel, TgScene *scene, int64_t row) {
  const TgSpacetimeRun *run = panel->run;
  const int64_t lane = panel->shown[row];
  double y = y_of(panel, lane);
  for (int64_t s = 0; s < run->steps; s += panel->merged)
    draw_span(panel, scene, lane, s, MIN(s + panel->merged, run->steps));
  draw_waits(panel, scene, lane);
  if (run->steps == 0) return;
  draw_idle(scene, panel->left, x_of(panel, run->span[lane].start_s), y);
  draw_idle(scene, x_of(panel, run->span[(run->steps - 1) * run->lanes + lane].end_s), x_of(panel, run->time_s), y);
}

/* --- the chain that the end waits for: over the rows, and its steps above them --------------------------------- */

enum { STRIP = 16, TEXT = 10 };

static double pen_of(const Panel *panel) {
  return panel->row >= 15 ? 2 : 1.5;
}

/* White below black, where the rows are high enough for both. */
static double white_pen_of(const Panel *panel) {
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

static char *path_title(const Panel *panel, int64_t s) {
  const TgSpacetimeStep *step = &panel->run->step[s];
  const char *from = panel->run->lane[step->from], *to = panel->run->lane[step->to];
  g_autofree char *begin = tg_axis_number(panel->axis, step->start_s), *end = tg_axis_number(panel->axis, step->end_s);
  g_autofree char *where =
      step->from == step->to ? g_strdup_printf("on %s", to) : g_strdup_printf("from %s to %s", from, to);
  return g_strdup_printf("critical path, step %" G_GINT64_FORMAT ": %s, %s to %s %s", step->number, where, begin, end,
                         panel->axis->unit_name);
}

/* Along the one processor, over to the other one, along that. */
static void draw_step(const Panel *panel, TgScene *scene, int64_t s, bool white) {
  const TgSpacetimeStep *step = &panel->run->step[s];
  double pen = white ? white_pen_of(panel) : pen_of(panel), y0 = y_of(panel, step->from), y1 = y_of(panel, step->to);
  double x0 = x_of(panel, step->start_s), x2 = x_of(panel, step->end_s);
  double x1 = y0 == y1 ? x2 : x_of(panel, time_of_change(panel->run, s));
  const char *after[] = {"", "-over", "-on"};
  const TgPoint point[] = {{x0, y0}, {x1, y0}, {x1, y1}, {x2, y1}};
  g_autofree char *title = path_title(panel, s);
  for (int piece = 0; piece < 3; piece++) {
    g_autofree char *id = g_strdup_printf("path-%d-%" G_GINT64_FORMAT "%s", panel->number, step->number, after[piece]);
    if (piece == 0 || y0 != y1) draw_stretch(scene, white ? NULL : id, title, point[piece], point[piece + 1], pen);
  }
}

/* The chain, over the rows. */
static void draw_path(const Panel *panel, TgScene *scene) {
  for (int white = white_pen_of(panel) > 0; white >= 0; white--)
    for (int64_t s = 0; s < panel->run->steps; s++) draw_step(panel, scene, s, white);
}

/* Number and label where they fit, else the number alone, which may reach beyond its box but not into another one. */
static char *words_of(const TgSpacetimeStep *step, double width) {
  g_autofree char *words = g_strdup_printf("%" G_GINT64_FORMAT " %s", step->number, step->label);
  if (*step->label && tg_text_width(words, TEXT) + 6 <= width) return g_steal_pointer(&words);
  return g_strdup_printf("%" G_GINT64_FORMAT, step->number);
}

static void draw_box(const Panel *panel, TgScene *scene, int64_t s, double x0, double x1) {
  const TgSpacetimeStep *step = &panel->run->step[s];
  g_autofree char *title =
      g_strdup_printf("step %" G_GINT64_FORMAT "%s%s", step->number, *step->label ? ": " : "", step->label);
  g_autofree char *id = g_strdup_printf("step-%d-%" G_GINT64_FORMAT, panel->number, step->number);
  tg_scene_box(scene, id, title, (TgPoint){x0, panel->top - 4 - STRIP}, (TgPoint){MAX(x1, x0 + 0.1), panel->top - 4},
               step->number % 2 ? "#ececec" : "white", TG_COLOUR_IDLE, 0.5);
}

static void draw_words(const Panel *panel, TgScene *scene, int64_t s, double x0, double x1, double *right) {
  g_autofree char *words = words_of(&panel->run->step[s], x1 - x0);
  double half = tg_text_width(words, TEXT) / 2, end = x_of(panel, panel->run->time_s);
  double x = MAX(MIN((x0 + x1) / 2, end - half), panel->left + half);
  if (x - half < *right + 5) return;
  tg_scene_text(scene, x, panel->top - 4 - STRIP / 2.0, TEXT, TG_COLOUR_INK, words);
  *right = x + half;
}

/* The steps along the chain, above the rows, and their bounds through these. */
static void draw_steps(const Panel *panel, TgScene *scene) {
  double right = -1e9, bottom = panel->top + (double)panel->rows * panel->row;
  for (int64_t s = 0; s < panel->run->steps; s++) {
    const TgSpacetimeStep *step = &panel->run->step[s];
    double x0 = x_of(panel, step->start_s), x1 = x_of(panel, step->end_s);
    draw_box(panel, scene, s, x0, x1);
    if (x1 - x0 > 2)
      tg_axis_line(scene, (TgPoint){x1, panel->top - 4}, (TgPoint){x1, bottom}, TG_COLOUR_IDLE, "solid", 0.6);
  }
  for (int64_t s = 0; s < panel->run->steps; s++) {
    const TgSpacetimeStep *step = &panel->run->step[s];
    draw_words(panel, scene, s, x_of(panel, step->start_s), x_of(panel, step->end_s), &right);
  }
}

/* --- the chart ------------------------------------------------------------------------------------------------ */

enum { PLOT = 760, HEAD = 56, GAP = 22, AXIS = 46, LEGEND = 26, NAME = 10, TICKS = 10, BESIDE = 10, END = 14 };

/* The picture between its caption's words. */
typedef struct Chart {
  const TgSpacetime *spacetime;
  Panel *panel;
  TgAxis axis;
  double names; /* width of the rows' names */
  double width, height;
} Chart;

static double panel_height(const Panel *panel) {
  return HEAD + (double)panel->rows * panel->row;
}

static double names_width(const Panel *panel) {
  double width = 0;
  for (int64_t row = 0; row < panel->rows; row++) {
    g_autofree char *name = row_name(panel, row);
    width = MAX(width, tg_text_width(name, NAME));
  }
  return width;
}

static void init(Chart *chart, const TgSpacetime *spacetime) {
  double most_s = 0;
  *chart = (Chart){.spacetime = spacetime, .panel = g_new0(Panel, spacetime->runs), .height = AXIS + LEGEND};
  for (int r = 0; r < spacetime->runs; r++) {
    Panel *panel = &chart->panel[r];
    panel_init(panel, &spacetime->run[r], r + 1);
    most_s = MAX(most_s, panel->run->time_s);
    chart->names = MAX(chart->names, names_width(panel));
    chart->height += panel_height(panel) + (r > 0 ? GAP : 0);
  }
  tg_axis_init(&chart->axis, TG_AXIS_TIME, most_s, TICKS);
  chart->names += BESIDE;
  chart->width = chart->names + PLOT + END;
}

static void clear(Chart *chart) {
  for (int r = 0; r < chart->spacetime->runs; r++) g_free(chart->panel[r].shown);
  g_free(chart->panel);
}

static void draw_names(const Panel *panel, TgScene *scene) {
  for (int64_t row = 0; row < panel->rows; row += named_rows(panel)) {
    g_autofree char *name = row_name(panel, row);
    tg_axis_text_to(scene, panel->left - BESIDE + 4, y_of(panel, row * panel->each), NAME, TG_COLOUR_INK, name);
  }
}

/* Name and time in bold, the other words below them. The name of the only one is in the title. */
static void draw_head(const Panel *panel, TgScene *scene, bool alone) {
  const double y = panel->top - HEAD;
  g_autofree char *title = g_strdup_printf("%s: %s", alone ? "predicted time" : panel->run->name, panel->run->time);
  g_autofree char *id = g_strdup_printf("run-%d", panel->number);
  tg_axis_head(scene, id, panel->left, y + 9, title);
  tg_axis_text_from(scene, panel->left, y + 25, 11, TG_COLOUR_INK_SOFT, panel->run->words);
  tg_axis_text_to(scene, panel->left - BESIDE + 4, panel->top - 12, NAME, TG_COLOUR_INK_SOFT, "step");
}

/* Where the time of the run ends, as a line that reaches over its rows. */
static void draw_end(const Panel *panel, TgScene *scene) {
  double x = x_of(panel, panel->run->time_s), bottom = panel->top + (double)panel->rows * panel->row;
  tg_axis_line(scene, (TgPoint){x, panel->top - 20}, (TgPoint){x, bottom + 3}, TG_COLOUR_INK, "solid", 1.4);
}

static void draw_panel(const Panel *panel, TgScene *scene, bool alone) {
  draw_head(panel, scene, alone);
  draw_names(panel, scene);
  draw_steps(panel, scene);
  draw_end(panel, scene);
  for (int64_t row = 0; row < panel->rows; row++) draw_row(panel, scene, row);
  draw_path(panel, scene);
}

static void draw_axis(const Chart *chart, TgScene *scene, double left, double y) {
  const TgAxis *axis = &chart->axis;
  const double scale = axis->most > 0 ? PLOT / axis->most : 0;
  g_autofree char *title = g_strdup_printf("time in %s", axis->unit_name);
  tg_axis_line(scene, (TgPoint){left, y}, (TgPoint){left + PLOT, y}, TG_COLOUR_LINE, "solid", 1);
  for (int t = 0; t <= tg_axis_ticks(axis); t++) {
    double x = left + t * axis->step * scale;
    g_autofree char *number = tg_axis_number(axis, t * axis->step);
    tg_axis_line(scene, (TgPoint){x, y}, (TgPoint){x, y + 5}, TG_COLOUR_LINE, "solid", 1);
    tg_scene_text(scene, x, y + 13, 11, TG_COLOUR_INK, number);
  }
  tg_scene_text(scene, left + PLOT / 2.0, y + 30, 12, TG_COLOUR_INK, title);
}

/* --- legend --------------------------------------------------------------------------------------------------- */

enum { SAMPLE = 34, KEY_GAP = 20, SAMPLE_HEIGHT = 13 };

static void sample_bar(TgScene *scene, int what, double x, double y) {
  draw_bar(scene, &bars[what], NULL, NULL, x, x + SAMPLE, y, SAMPLE_HEIGHT);
}
static void sample_idle(TgScene *scene, int what, double x, double y) {
  (void)what;
  draw_idle(scene, x, x + SAMPLE, y);
}
static void sample_path(TgScene *scene, int what, double x, double y) {
  (void)what;
  draw_stretch(scene, "path", "critical path", (TgPoint){x + 1, y}, (TgPoint){x + SAMPLE - 1, y}, 2);
}

static const TgAxisKey keys[] = {
    {sample_bar, PRODUCTS, "products"},
    {sample_bar, COMMUNICATION, "communication that no product hides"},
    {sample_bar, WAITING, "waiting for a partner"},
    {sample_idle, 0, "idle"},
    {sample_path, 0, "critical path"},
};

/* --- words ---------------------------------------------------------------------------------------------------- */

/* What the rows leave out. */
static char *left_out(const Panel *panel) {
  GString *text = g_string_new(NULL);
  if (panel->each > 1)
    g_string_append_printf(text, "A row stands for %" G_GINT64_FORMAT " processors and shows the busiest of them",
                           panel->each);
  if (panel->merged > 1)
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT " steps are drawn as one, products first", text->len ? "; " : "",
                           panel->merged);
  if (!panel->run->waits && panel->run->steps > 0)
    g_string_append_printf(text, "%swaiting is part of communication here", text->len ? "; " : "");
  return g_string_free(text, FALSE);
}

static void add_left_out(TgCaption *caption, const Chart *chart) {
  for (int r = 0; r < chart->spacetime->runs; r++) {
    const Panel *panel = &chart->panel[r];
    char *text = left_out(panel);
    if (*text && chart->spacetime->runs > 1) {
      g_autofree char *plain = text;
      text = g_strdup_printf("%s: %s", panel->run->name, plain);
    }
    tg_caption_add_note(caption, text);
  }
}

static void find_words(const Chart *chart, TgCaption *caption) {
  *caption = (TgCaption){.title = g_strdup(chart->spacetime->title)};
  tg_caption_add_note(caption, g_strdup(chart->spacetime->note));
  add_left_out(caption, chart);
}

static void draw_chart(Chart *chart, TgScene *scene, TgPoint origin) {
  const double left = origin.x + chart->names;
  double y = origin.y;
  for (int r = 0; r < chart->spacetime->runs; r++) {
    Panel *panel = &chart->panel[r];
    panel->axis = &chart->axis;
    panel->left = left;
    panel->top = y + HEAD;
    panel->points_per_s = chart->axis.most > 0 ? PLOT / chart->axis.most : 0;
    draw_panel(panel, scene, chart->spacetime->runs == 1);
    y += panel_height(panel) + GAP;
  }
  draw_axis(chart, scene, left, y - GAP + 4);
  tg_axis_legend(scene, keys, G_N_ELEMENTS(keys), &(TgAxisLegend){SAMPLE, KEY_GAP}, origin.x + chart->width / 2,
                 y - GAP + AXIS + LEGEND / 2.0);
}

GArray *tg_spacetime_shown(const TgSpacetimeRun *run) {
  Panel panel;
  GArray *shown = g_array_new(FALSE, FALSE, sizeof(int64_t));
  panel_init(&panel, run, 1);
  g_array_append_vals(shown, panel.shown, (guint)panel.rows);
  g_free(panel.shown);
  return shown;
}

TgScene *tg_spacetime_scene(const TgSpacetime *spacetime) {
  Chart chart;
  TgCaption caption;
  TgScene *scene = tg_scene_new();
  init(&chart, spacetime);
  find_words(&chart, &caption);
  tg_scene_describe(scene, spacetime->title, spacetime->note);
  draw_chart(&chart, scene, tg_caption_draw(&caption, scene, chart.width, chart.height, NULL));
  tg_caption_clear(&caption);
  clear(&chart);
  return scene;
}

GBytes *tg_draw_spacetime(const TgSpacetime *spacetime, const char *format, GError **error) {
  g_autoptr(TgScene) scene = tg_spacetime_scene(spacetime);
  return tg_render(scene, format, spacetime->memory_limit_bytes, error);
}
