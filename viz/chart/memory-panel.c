/* What the fullest processor holds as bars, step by step, and over them the mean and the least of all processors. */
#include <math.h>

#include "memory-private.h"
#include "palette.h"
#include "text-width.h"

enum { TEXT = 10 };

const char *const tg_memory_fill[TG_MATRICES] = {"#005A8C", "#E07A2B", "#A9DFCB"};
const char *const tg_memory_ink[TG_MATRICES] = {"white", TG_COLOUR_INK, TG_COLOUR_INK};

static double scale_of(const TgMemoryLayout *chart) {
  return chart->unit == TG_MEMORY_WORDS ? (double)chart->chart->element_bytes : 1;
}

static double x_of(const TgMemoryPanel *panel, int64_t step) {
  return panel->left + (double)(step / panel->chart->merged) * panel->chart->step_width;
}

static double y_of(const TgMemoryPanel *panel, double held) {
  return panel->bottom - held * scale_of(panel->chart) / panel->chart->axis.most * TG_MEMORY_HIGH;
}

/* The fullest of the steps that are drawn as one. */
static int64_t shown_step(const TgMemoryPanel *panel, int64_t first) {
  const TgMemory *memory = panel->run->memory;
  int64_t best = first, end = MIN(first + panel->chart->merged, memory->steps + 1);
  for (int64_t s = first + 1; s < end; s++)
    if (memory->step[s].level[panel->chart->unit].largest > memory->step[best].level[panel->chart->unit].largest)
      best = s;
  return best;
}

static const TgMemoryLevel *level_at(const TgMemoryPanel *panel, int64_t step) {
  return &panel->run->memory->step[step].level[panel->chart->unit];
}

static char *amount(const TgMemoryLayout *chart, double held) {
  g_autofree char *number = tg_axis_number(&chart->axis, held * scale_of(chart));
  return g_strdup_printf("%s %s", number, chart->unit == TG_MEMORY_WORDS ? chart->axis.unit_name : "blocks");
}

/* Where a letter stands clear of the lines over the bar: in its middle, else nearer to an end of it; false where
 * nowhere. */
static bool find_letter(const TgMemoryPanel *panel, int64_t step, double y0, double y1, double *y) {
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

static void draw_letter(const TgMemoryPanel *panel, int64_t step, int matrix, double y0, double y1) {
  double y;
  if (panel->chart->step_width < 12 || !find_letter(panel, step, y0, y1, &y)) return;
  tg_scene_text(panel->scene, x_of(panel, step) + panel->chart->step_width / 2, y, TEXT, tg_memory_ink[matrix],
                tg_matrix_style[matrix].name);
}

static void draw_block(const TgMemoryPanel *panel, int64_t step, int matrix, double from, double to) {
  const double width = panel->chart->step_width, y0 = y_of(panel, from), y1 = y_of(panel, to);
  const char *name = tg_matrix_style[matrix].name;
  g_autofree char *much = amount(panel->chart, to - from);
  g_autofree char *title = g_strdup_printf("step %" G_GINT64_FORMAT ": %s of %s", step, much, name);
  g_autofree char *id = g_strdup_printf("held-%d-%" G_GINT64_FORMAT "-%s", panel->number, step, name);
  tg_scene_mark(panel->scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                        .id = id,
                                        .title = title,
                                        .x = x_of(panel, step) + width / 2,
                                        .y = (y0 + y1) / 2,
                                        .width = width - (width > 4 ? 1 : 0),
                                        .height = y0 - y1,
                                        .fill = tg_memory_fill[matrix],
                                        .line = width > 4 ? TG_COLOUR_LINE : tg_memory_fill[matrix],
                                        .pen = width > 4 ? 0.6 : 0.1});
  draw_letter(panel, step, matrix, y0, y1);
}

static void draw_stack(const TgMemoryPanel *panel, int64_t step) {
  const TgMemoryLevel *level = level_at(panel, step);
  int64_t held = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    if (level->of[matrix] > 0) draw_block(panel, step, matrix, (double)held, (double)(held + level->of[matrix]));
    held += level->of[matrix];
  }
}

void tg_memory_line(TgScene *scene, const char *id, const char *title, double x0, double x1, double y, double pen) {
  for (int white = 1; white >= 0; white--)
    tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                   .id = white ? NULL : id,
                                   .title = title,
                                   .x = (x0 + x1) / 2,
                                   .y = y,
                                   .width = x1 - x0,
                                   .height = pen + 2 * white,
                                   .fill = white ? "white" : TG_COLOUR_INK,
                                   .line = white ? "white" : TG_COLOUR_INK,
                                   .pen = 0.1});
}

static void draw_mean(const TgMemoryPanel *panel, int64_t step) {
  const double width = panel->chart->step_width, x = x_of(panel, step);
  g_autofree char *much = amount(panel->chart, level_at(panel, step)->mean);
  g_autofree char *title = g_strdup_printf("step %" G_GINT64_FORMAT ": mean %s", step, much);
  g_autofree char *id = g_strdup_printf("mean-%d-%" G_GINT64_FORMAT, panel->number, step);
  tg_memory_line(panel->scene, id, title, x, x + width, y_of(panel, level_at(panel, step)->mean), 2);
}

void tg_memory_dot(TgScene *scene, const char *id, const char *title, double x, double y, double size) {
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

static void draw_least(const TgMemoryPanel *panel, int64_t step) {
  const double width = panel->chart->step_width;
  g_autofree char *much = amount(panel->chart, (double)level_at(panel, step)->least);
  g_autofree char *title = g_strdup_printf("step %" G_GINT64_FORMAT ": least %s", step, much);
  g_autofree char *id = g_strdup_printf("least-%d-%" G_GINT64_FORMAT, panel->number, step);
  tg_memory_dot(panel->scene, id, title, x_of(panel, step) + width * 0.75,
                y_of(panel, (double)level_at(panel, step)->least), CLAMP(width * 0.5, 1.5, 7));
}

static double end_of(const TgMemoryPanel *panel) {
  return x_of(panel, panel->run->memory->steps) + panel->chart->step_width;
}

/* In dashes of its own, because lines lie under boxes. */
static void draw_bound(const TgMemoryPanel *panel) {
  const double y = y_of(panel, panel->run->memory->once_words), end = end_of(panel);
  if (panel->chart->unit != TG_MEMORY_WORDS) return;
  for (double x = panel->left; x < end; x += 10) tg_memory_line(panel->scene, NULL, NULL, x, MIN(x + 6, end), y, 1.2);
}

typedef void (*DrawStep)(const TgMemoryPanel *panel, int64_t step);

static void for_all_steps(const TgMemoryPanel *panel, DrawStep draw) {
  for (int64_t first = 0; first <= panel->run->memory->steps; first += panel->chart->merged)
    draw(panel, shown_step(panel, first));
}

static void draw_peak(const TgMemoryPanel *panel) {
  const int64_t step = panel->run->memory->peak_step[panel->chart->unit];
  const double width = panel->chart->step_width, x = x_of(panel, step) + width / 2,
               y = y_of(panel, (double)level_at(panel, step)->largest);
  g_autofree char *id = g_strdup_printf("peak-%d", panel->number);
  g_autofree char *text =
      g_strdup_printf("peak: %s, processor %s, step %" G_GINT64_FORMAT, panel->run->peak, panel->run->who, step);
  const double half = tg_text_width(text, 11) * 1.06 / 2;
  tg_scene_mark(panel->scene, &(TgMark){.shape = TG_OUTLINE_TEXT,
                                        .id = id,
                                        .x = CLAMP(x, panel->left + half, panel->left + TG_MEMORY_PLOT - half),
                                        .y = y - 15,
                                        .text = text,
                                        .size = 11,
                                        .bold = true,
                                        .ink = TG_COLOUR_INK});
  tg_axis_line(panel->scene, (TgPoint){x, y - 9}, (TgPoint){x, y}, TG_COLOUR_INK, "solid", 1.4);
  tg_axis_line(panel->scene, (TgPoint){panel->left, y}, (TgPoint){end_of(panel), y}, TG_COLOUR_INK, "dashed", 0.8);
}

static void draw_numbers(const TgMemoryPanel *panel) {
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
static void draw_labels(const TgMemoryPanel *panel) {
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

static void draw_axes(const TgMemoryPanel *panel) {
  const TgAxis *axis = &panel->chart->axis;
  for (int t = 0; t <= tg_axis_ticks(axis); t++) {
    double y = panel->bottom - t * axis->step / axis->most * TG_MEMORY_HIGH;
    g_autofree char *number = tg_axis_number(axis, t * axis->step);
    tg_axis_line(panel->scene, (TgPoint){panel->left - 4, y}, (TgPoint){panel->left + TG_MEMORY_PLOT, y},
                 t > 0 ? "#dedede" : TG_COLOUR_LINE, "solid", t > 0 ? 0.7 : 1);
    tg_axis_text_to(panel->scene, panel->left - 8, y, TEXT, TG_COLOUR_INK, number);
  }
  tg_axis_text_to(panel->scene, panel->left - 8, panel->bottom + 10, TEXT, TG_COLOUR_INK_SOFT, "step");
}

/* The name of the only one is in the title. */
static void draw_head(const TgMemoryPanel *panel) {
  const double y = panel->bottom - TG_MEMORY_HIGH - TG_MEMORY_HEAD;
  const bool bytes = panel->chart->unit == TG_MEMORY_WORDS, alone = panel->chart->chart->runs == 1;
  g_autofree char *head = alone ? g_strdup_printf("at most %s", panel->run->peak) : g_strdup(panel->run->name);
  g_autofree char *id = g_strdup_printf("run-%d", panel->number);
  g_autofree char *unit =
      bytes ? g_strdup_printf("%s a processor", panel->chart->axis.unit_name) : g_strdup("blocks a processor");
  tg_scene_mark(panel->scene, &(TgMark){.shape = TG_OUTLINE_TEXT,
                                        .id = id,
                                        .x = panel->left + tg_text_width(head, 14) * 1.06 / 2,
                                        .y = y + 9,
                                        .text = head,
                                        .size = 14,
                                        .bold = true,
                                        .ink = TG_COLOUR_INK});
  tg_axis_text_from(panel->scene, panel->left, y + 25, 11, TG_COLOUR_INK_SOFT, panel->run->words);
  tg_axis_text_from(panel->scene, panel->left - TG_MEMORY_NUMBERS, panel->bottom - TG_MEMORY_HIGH - 31, 11,
                    TG_COLOUR_INK, unit);
}

void tg_memory_draw_panel(const TgMemoryPanel *panel) {
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
