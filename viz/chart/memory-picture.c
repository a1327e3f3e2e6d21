/* What the fullest processor holds as bars, step by step, and over them the mean and the least of all processors. */
#include <math.h>

#include "axis.h"
#include "caption.h"
#include "memory.h"
#include "palette.h"
#include "render.h"
#include "text-width.h"

/* Points. */
enum {
  PLOT = 720,   /* width of the plot … */
  HIGH = 190,   /* … and its height */
  HEAD = 72,    /* words above it … */
  FOOT = 50,    /* … and below */
  NUMBERS = 70, /* left of it */
};

/* What all schedules of the picture share. */
typedef struct Layout {
  const TgMemoryChart *chart;
  TgMemoryUnit unit;
  TgAxis axis;
  int64_t merged; /* steps that are drawn as one: the fullest of them */
  double step_width;
  double width, height;
} Layout;

typedef struct Panel {
  const Layout *chart;
  const TgMemoryRun *run;
  TgScene *scene;
  int number;          /* from 1 */
  double left, bottom; /* of the plot */
} Panel;

enum { TEXT = 10 };

/* By matrix, from dark to light as they stand above each other, so that they are told apart in grey, too. */
static const char *const matrix_fill[TG_MATRICES] = {"#005A8C", "#E07A2B", "#A9DFCB"};
static const char *const matrix_ink[TG_MATRICES] = {"white", TG_COLOUR_INK, TG_COLOUR_INK};

static double scale_of(const Layout *chart) {
  return chart->unit == TG_MEMORY_WORDS ? (double)chart->chart->element_bytes : 1;
}

static double x_of(const Panel *panel, int64_t step) {
  return panel->left + (double)(step / panel->chart->merged) * panel->chart->step_width;
}

static double y_of(const Panel *panel, double held) {
  return panel->bottom - held * scale_of(panel->chart) / panel->chart->axis.most * HIGH;
}

/* The fullest of the steps that are drawn as one. */
static int64_t shown_step(const Panel *panel, int64_t first) {
  const TgMemory *memory = panel->run->memory;
  int64_t best = first, end = MIN(first + panel->chart->merged, memory->steps + 1);
  for (int64_t s = first + 1; s < end; s++)
    if (memory->step[s].level[panel->chart->unit].largest > memory->step[best].level[panel->chart->unit].largest)
      best = s;
  return best;
}

static const TgMemoryLevel *level_at(const Panel *panel, int64_t step) {
  return &panel->run->memory->step[step].level[panel->chart->unit];
}

static char *amount(const Layout *chart, double held) {
  g_autofree char *number = tg_axis_number(&chart->axis, held * scale_of(chart));
  return g_strdup_printf("%s %s", number, chart->unit == TG_MEMORY_WORDS ? chart->axis.unit_name : "blocks");
}

/* Where a letter stands clear of the lines over the bar: in its middle, else nearer to an end of it; false where
 * nowhere. */
static bool find_letter(const Panel *panel, int64_t step, double y0, double y1, double *y) {
  static const double parts[] = {0.5, 0.3, 0.7};
  const TgMemoryLevel *level = level_at(panel, step);
  const double lines[] = {y_of(panel, level->mean), y_of(panel, panel->run->memory->once_words)};
  const int count = panel->chart->unit == TG_MEMORY_WORDS ? 2 : 1;
  for (gsize p = 0; p < G_N_ELEMENTS(parts); p++) {
    bool clear = true;
    *y = y0 + parts[p] * (y1 - y0);
    for (int l = 0; l < count; l++) clear = clear && fabs(*y - lines[l]) > 8;
    if (clear && y0 - *y > 7 && *y - y1 > 7) return true;
  }
  return false;
}

static void draw_letter(const Panel *panel, int64_t step, int matrix, double y0, double y1) {
  double y;
  if (panel->chart->step_width < 12 || !find_letter(panel, step, y0, y1, &y)) return;
  tg_scene_text(panel->scene, x_of(panel, step) + panel->chart->step_width / 2, y, TEXT, matrix_ink[matrix],
                tg_matrix_style[matrix].name);
}

static void draw_block(const Panel *panel, int64_t step, int matrix, double from, double to) {
  const double width = panel->chart->step_width, y0 = y_of(panel, from), y1 = y_of(panel, to), x = x_of(panel, step);
  const double gap = width > 4 ? 0.5 : 0; /* on both sides */
  const char *name = tg_matrix_style[matrix].name;
  g_autofree char *much = amount(panel->chart, to - from);
  g_autofree char *title = g_strdup_printf("step %" G_GINT64_FORMAT ": %s of %s", step, much, name);
  g_autofree char *id = g_strdup_printf("held-%d-%" G_GINT64_FORMAT "-%s", panel->number, step, name);
  tg_scene_box(panel->scene, id, title, (TgPoint){x + gap, y1}, (TgPoint){x + width - gap, y0}, matrix_fill[matrix],
               width > 4 ? TG_COLOUR_LINE : matrix_fill[matrix], width > 4 ? 0.6 : 0.1);
  draw_letter(panel, step, matrix, y0, y1);
}

static void draw_stack(const Panel *panel, int64_t step) {
  const TgMemoryLevel *level = level_at(panel, step);
  int64_t held = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    if (level->of[matrix] > 0) draw_block(panel, step, matrix, (double)held, (double)(held + level->of[matrix]));
    held += level->of[matrix];
  }
}

/* A line in ink on white, so that it is seen on each colour. */
static void draw_line(TgScene *scene, const char *id, const char *title, double x0, double x1, double y, double pen) {
  for (int white = 1; white >= 0; white--) {
    const char *colour = white ? "white" : TG_COLOUR_INK;
    const double half = pen / 2 + white;
    tg_scene_box(scene, white ? NULL : id, title, (TgPoint){x0, y - half}, (TgPoint){x1, y + half}, colour, colour,
                 0.1);
  }
}

static void draw_mean(const Panel *panel, int64_t step) {
  const double width = panel->chart->step_width, x = x_of(panel, step);
  g_autofree char *much = amount(panel->chart, level_at(panel, step)->mean);
  g_autofree char *title = g_strdup_printf("step %" G_GINT64_FORMAT ": mean %s", step, much);
  g_autofree char *id = g_strdup_printf("mean-%d-%" G_GINT64_FORMAT, panel->number, step);
  draw_line(panel->scene, id, title, x, x + width, y_of(panel, level_at(panel, step)->mean), 2);
}

static void draw_dot(TgScene *scene, const char *id, const char *title, double x, double y, double size) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_CIRCLE,
                                 .id = id,
                                 .title = title,
                                 .x = x,
                                 .y = y,
                                 .width = size,
                                 .height = size,
                                 .fill = "white",
                                 .line = TG_COLOUR_INK,
                                 .pen = size > 4 ? 1.4 : 0.5});
}

static void draw_least(const Panel *panel, int64_t step) {
  const double width = panel->chart->step_width;
  g_autofree char *much = amount(panel->chart, (double)level_at(panel, step)->least);
  g_autofree char *title = g_strdup_printf("step %" G_GINT64_FORMAT ": least %s", step, much);
  g_autofree char *id = g_strdup_printf("least-%d-%" G_GINT64_FORMAT, panel->number, step);
  draw_dot(panel->scene, id, title, x_of(panel, step) + width * 0.75, y_of(panel, (double)level_at(panel, step)->least),
           CLAMP(width * 0.5, 1.5, 7));
}

static double end_of(const Panel *panel) {
  return x_of(panel, panel->run->memory->steps) + panel->chart->step_width;
}

/* In dashes of its own, because lines lie under boxes. */
static void draw_bound(const Panel *panel) {
  const double y = y_of(panel, panel->run->memory->once_words), end = end_of(panel);
  if (panel->chart->unit != TG_MEMORY_WORDS) return;
  for (double x = panel->left; x < end; x += 10) draw_line(panel->scene, NULL, NULL, x, MIN(x + 6, end), y, 1.2);
}

typedef void (*DrawStep)(const Panel *panel, int64_t step);

static void for_all_steps(const Panel *panel, DrawStep draw) {
  for (int64_t first = 0; first <= panel->run->memory->steps; first += panel->chart->merged)
    draw(panel, shown_step(panel, first));
}

static void draw_peak(const Panel *panel) {
  const int64_t step = panel->run->memory->peak_step[panel->chart->unit];
  const double width = panel->chart->step_width, x = x_of(panel, step) + width / 2,
               y = y_of(panel, (double)level_at(panel, step)->largest);
  g_autofree char *id = g_strdup_printf("peak-%d", panel->number);
  g_autofree char *text =
      g_strdup_printf("peak: %s, processor %s, step %" G_GINT64_FORMAT, panel->run->peak, panel->run->who, step);
  const double half = tg_text_width(text, 11) * 1.06 / 2;
  tg_scene_bold(panel->scene, id, CLAMP(x, panel->left + half, panel->left + PLOT - half), y - 15, 11, text);
  tg_axis_line(panel->scene, (TgPoint){x, y - 9}, (TgPoint){x, y}, TG_COLOUR_INK, "solid", 1.4);
  tg_axis_line(panel->scene, (TgPoint){panel->left, y}, (TgPoint){end_of(panel), y}, TG_COLOUR_INK, "dashed", 0.8);
}

static void draw_numbers(const Panel *panel) {
  double right = -1e9;
  for (int64_t s = 0; s <= panel->run->memory->steps; s += panel->chart->merged) {
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, s);
    double x = x_of(panel, s) + panel->chart->step_width / 2, half = tg_text_width(text, TEXT) / 2;
    if (x - half < right + 5) continue;
    tg_scene_text(panel->scene, x, panel->bottom + 10, TEXT, TG_COLOUR_INK, text);
    right = x + half;
  }
}

static int64_t same_label_until(const TgMemory *memory, int64_t first) {
  int64_t end = first + 1;
  while (end <= memory->steps && g_str_equal(memory->step[end].label, memory->step[first].label)) end++;
  return end;
}

/* A label below all steps in a row that have it, with a line as long as they are; left out where it does not fit. */
static void draw_labels(const Panel *panel) {
  const TgMemory *memory = panel->run->memory;
  for (int64_t s = 0, end; s <= memory->steps; s = end) {
    end = same_label_until(memory, s);
    double x0 = x_of(panel, s) + 2, x1 = x_of(panel, end - 1) + panel->chart->step_width - 2, y = panel->bottom + 19;
    const char *label = memory->step[s].label;
    if (*label == '\0' || tg_text_width(label, TEXT) > x1 - x0 + 2) continue;
    tg_axis_line(panel->scene, (TgPoint){x0, y}, (TgPoint){x1, y}, TG_COLOUR_IDLE, "solid", 1);
    tg_scene_text(panel->scene, (x0 + x1) / 2, y + 8, TEXT, TG_COLOUR_INK_SOFT, label);
  }
}

static void draw_axes(const Panel *panel) {
  const TgAxis *axis = &panel->chart->axis;
  for (int t = 0; t <= tg_axis_ticks(axis); t++) {
    double y = panel->bottom - t * axis->step / axis->most * HIGH;
    g_autofree char *number = tg_axis_number(axis, t * axis->step);
    tg_axis_line(panel->scene, (TgPoint){panel->left - 4, y}, (TgPoint){panel->left + PLOT, y},
                 t > 0 ? "#dedede" : TG_COLOUR_LINE, "solid", t > 0 ? 0.7 : 1);
    tg_axis_text_to(panel->scene, panel->left - 8, y, TEXT, TG_COLOUR_INK, number);
  }
  tg_axis_text_to(panel->scene, panel->left - 8, panel->bottom + 10, TEXT, TG_COLOUR_INK_SOFT, "step");
}

/* The name of the only one is in the title. */
static void draw_head(const Panel *panel) {
  const double y = panel->bottom - HIGH - HEAD;
  const bool bytes = panel->chart->unit == TG_MEMORY_WORDS, alone = panel->chart->chart->runs == 1;
  g_autofree char *head = alone ? g_strdup_printf("at most %s", panel->run->peak) : g_strdup(panel->run->name);
  g_autofree char *id = g_strdup_printf("run-%d", panel->number);
  g_autofree char *unit =
      bytes ? g_strdup_printf("%s a processor", panel->chart->axis.unit_name) : g_strdup("blocks a processor");
  tg_axis_head(panel->scene, id, panel->left, y + 9, head);
  tg_axis_text_from(panel->scene, panel->left, y + 25, 11, TG_COLOUR_INK_SOFT, panel->run->words);
  tg_axis_text_from(panel->scene, panel->left - NUMBERS, panel->bottom - HIGH - 31, 11, TG_COLOUR_INK, unit);
}

static void draw_panel(const Panel *panel) {
  draw_head(panel);
  draw_axes(panel);
  draw_numbers(panel);
  draw_labels(panel);
  for_all_steps(panel, draw_stack);
  draw_bound(panel);
  for_all_steps(panel, draw_mean);
  for_all_steps(panel, draw_least);
  draw_peak(panel);
}

enum { GAP = 14, LEGEND = 26, END = 14, TICKS = 6, WIDEST = 144, MOST_STEPS = 720 };

/* The longest run decides how wide a step is, the fullest processor how high the axis is. */
static void init(Layout *layout, const TgMemoryChart *chart) {
  double most = 0;
  int64_t steps = 1;
  *layout = (Layout){.chart = chart, .unit = chart->element_bytes ? TG_MEMORY_WORDS : TG_MEMORY_BLOCKS};
  for (int r = 0; r < chart->runs; r++) {
    const TgMemory *memory = chart->run[r].memory;
    const TgMemoryStep *peak = &memory->step[memory->peak_step[layout->unit]];
    most = MAX(most, (double)peak->level[layout->unit].largest);
    steps = MAX(steps, memory->steps + 1);
  }
  layout->merged = (steps + MOST_STEPS - 1) / MOST_STEPS;
  layout->step_width = MIN((double)PLOT / (double)((steps + layout->merged - 1) / layout->merged), WIDEST);
  layout->width = NUMBERS + PLOT + END;
  layout->height = chart->runs * (HEAD + HIGH + FOOT + GAP) - GAP + LEGEND;
  tg_axis_init(&layout->axis, layout->unit == TG_MEMORY_WORDS ? TG_AXIS_BYTES : TG_AXIS_COUNT,
               MAX(most * scale_of(layout), 1), TICKS);
}

/* --- legend --------------------------------------------------------------------------------------------------- */

enum { SAMPLE = 26, KEY_GAP = 16 };

static void sample_matrix(TgScene *scene, int matrix, double x, double y) {
  tg_scene_box_at(scene, NULL, NULL, (TgPoint){x + SAMPLE / 2.0, y}, SAMPLE, 14, matrix_fill[matrix], TG_COLOUR_LINE,
                  0.6);
  tg_scene_label_mark(scene, 10, matrix_ink[matrix], tg_matrix_style[matrix].name);
}
static void sample_mean(TgScene *scene, int what, double x, double y) {
  (void)what;
  draw_line(scene, NULL, NULL, x, x + SAMPLE, y, 2);
}
static void sample_least(TgScene *scene, int what, double x, double y) {
  (void)what;
  draw_dot(scene, NULL, NULL, x + SAMPLE / 2.0, y, 7);
}
static void sample_bound(TgScene *scene, int what, double x, double y) {
  (void)what;
  for (int dash = 0; dash < 3; dash++) draw_line(scene, NULL, NULL, x + dash * 10, x + dash * 10 + 6, y, 1.2);
}

static const TgAxisKey keys[] = {
    {sample_matrix, TG_MATRIX_A, ""},
    {sample_matrix, TG_MATRIX_B, ""},
    {sample_matrix, TG_MATRIX_C, "on the fullest processor"},
    {sample_mean, 0, "mean of all processors"},
    {sample_least, 0, "least of all"},
    {sample_bound, 0, "one copy of A, B and C, spread evenly"}, /* of words alone */
};

static void find_words(const Layout *layout, TgCaption *caption) {
  *caption = (TgCaption){.title = g_strdup(layout->chart->title)};
  tg_caption_add_note(caption, g_strdup(layout->chart->note));
  if (layout->merged > 1)
    tg_caption_add_note(
        caption, g_strdup_printf("%" G_GINT64_FORMAT " steps are drawn as one: the fullest of them", layout->merged));
}

static void draw_chart(const Layout *layout, TgScene *scene, TgPoint origin) {
  double y = origin.y;
  for (int r = 0; r < layout->chart->runs; r++) {
    y += HEAD + HIGH;
    Panel panel = {.chart = layout,
                   .run = &layout->chart->run[r],
                   .scene = scene,
                   .number = r + 1,
                   .left = origin.x + NUMBERS,
                   .bottom = y};
    draw_panel(&panel);
    y += FOOT + GAP;
  }
  tg_axis_legend(scene, keys, G_N_ELEMENTS(keys) - (layout->unit == TG_MEMORY_BLOCKS), &(TgAxisLegend){SAMPLE, KEY_GAP},
                 origin.x + layout->width / 2, y - GAP + LEGEND / 2.0);
}

TgScene *tg_memory_scene(const TgMemoryChart *chart) {
  Layout layout;
  TgCaption caption;
  TgScene *scene = tg_scene_new();
  init(&layout, chart);
  find_words(&layout, &caption);
  tg_scene_describe(scene, chart->title, chart->note);
  draw_chart(&layout, scene, tg_caption_draw(&caption, scene, layout.width, layout.height, NULL));
  tg_caption_clear(&caption);
  return scene;
}

GBytes *tg_draw_memory(const TgMemoryChart *chart, const char *format, GError **error) {
  g_autoptr(TgScene) scene = tg_memory_scene(chart);
  return tg_render(scene, format, chart->memory_limit_bytes, error);
}
