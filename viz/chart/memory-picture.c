#include "caption.h"
#include "memory-private.h"
#include "palette.h"
#include "render.h"
#include "text-width.h"

enum { GAP = 14, LEGEND = 26, END = 14, TICKS = 6, WIDEST = 144, MOST_STEPS = 720 };

/* The longest run decides how wide a step is, the fullest processor how high the axis is. */
static void init(TgMemoryLayout *layout, const TgMemoryChart *chart) {
  double most = 0;
  int64_t steps = 1;
  *layout = (TgMemoryLayout){.chart = chart, .unit = chart->element_bytes ? TG_MEMORY_WORDS : TG_MEMORY_BLOCKS};
  for (int r = 0; r < chart->runs; r++) {
    const TgMemory *memory = chart->run[r].memory;
    const TgMemoryStep *peak = &memory->step[memory->peak_step[layout->unit]];
    most = MAX(most, (double)peak->level[layout->unit].largest);
    steps = MAX(steps, memory->steps + 1);
  }
  layout->merged = (steps + MOST_STEPS - 1) / MOST_STEPS;
  layout->step_width = MIN((double)TG_MEMORY_PLOT / (double)((steps + layout->merged - 1) / layout->merged), WIDEST);
  layout->width = TG_MEMORY_NUMBERS + TG_MEMORY_PLOT + END;
  layout->height = chart->runs * (TG_MEMORY_HEAD + TG_MEMORY_HIGH + TG_MEMORY_FOOT + GAP) - GAP + LEGEND;
  if (layout->unit == TG_MEMORY_WORDS)
    tg_axis_bytes(&layout->axis, MAX(most * (double)chart->element_bytes, 1), TICKS);
  else
    tg_axis_count(&layout->axis, MAX(most, 1), TICKS);
}

/* --- legend --------------------------------------------------------------------------------------------------- */

enum { SAMPLE = 26, KEY = 11, KEY_GAP = 16 };

static void sample_matrix(TgScene *scene, int matrix, double x, double y) {
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_BOX,
                                 .x = x + SAMPLE / 2.0,
                                 .y = y,
                                 .width = SAMPLE,
                                 .height = 14,
                                 .fill = tg_memory_fill[matrix],
                                 .line = TG_COLOUR_LINE,
                                 .pen = 0.6,
                                 .text = tg_matrix_style[matrix].name,
                                 .size = 10,
                                 .ink = tg_memory_ink[matrix]});
}
static void sample_mean(TgScene *scene, int matrix, double x, double y) {
  (void)matrix;
  tg_memory_line(scene, NULL, NULL, x, x + SAMPLE, y, 2);
}
static void sample_least(TgScene *scene, int matrix, double x, double y) {
  (void)matrix;
  tg_memory_dot(scene, NULL, NULL, x + SAMPLE / 2.0, y, 7);
}
static void sample_bound(TgScene *scene, int matrix, double x, double y) {
  (void)matrix;
  for (int dash = 0; dash < 3; dash++) tg_memory_line(scene, NULL, NULL, x + dash * 10, x + dash * 10 + 6, y, 1.2);
}

static const struct {
  void (*sample)(TgScene *scene, int matrix, double x, double y);
  int matrix;
  const char *words;
} keys[] = {
    {sample_matrix, TG_MATRIX_A, ""},
    {sample_matrix, TG_MATRIX_B, ""},
    {sample_matrix, TG_MATRIX_C, "on the fullest processor"},
    {sample_mean, 0, "mean of all processors"},
    {sample_least, 0, "least of all"},
    {sample_bound, 0, "one copy of A, B and C, spread evenly"},
};

static double key_width(gsize k) {
  return SAMPLE + (*keys[k].words ? 6 + tg_text_width(keys[k].words, KEY) + KEY_GAP : 3);
}

static void draw_legend(const TgMemoryLayout *layout, TgScene *scene, double left, double y) {
  const gsize count = G_N_ELEMENTS(keys) - (layout->unit == TG_MEMORY_BLOCKS);
  double width = -KEY_GAP;
  for (gsize k = 0; k < count; k++) width += key_width(k);
  double x = left + (layout->width - width) / 2;
  for (gsize k = 0; k < count; x += key_width(k++)) {
    keys[k].sample(scene, keys[k].matrix, x, y);
    if (*keys[k].words) tg_axis_text_from(scene, x + SAMPLE + 6, y, KEY, TG_COLOUR_INK, keys[k].words);
  }
}

static void find_words(const TgMemoryLayout *layout, TgCaption *caption) {
  *caption = (TgCaption){.title = g_strdup(layout->chart->title)};
  tg_caption_add_note(caption, g_strdup(layout->chart->note));
  if (layout->merged > 1)
    tg_caption_add_note(
        caption, g_strdup_printf("%" G_GINT64_FORMAT " steps are drawn as one: the fullest of them", layout->merged));
}

static void draw_chart(const TgMemoryLayout *layout, TgScene *scene, TgPoint origin) {
  double y = origin.y;
  for (int r = 0; r < layout->chart->runs; r++) {
    y += TG_MEMORY_HEAD + TG_MEMORY_HIGH;
    TgMemoryPanel panel = {.chart = layout,
                           .run = &layout->chart->run[r],
                           .scene = scene,
                           .number = r + 1,
                           .left = origin.x + TG_MEMORY_NUMBERS,
                           .bottom = y};
    tg_memory_draw_panel(&panel);
    y += TG_MEMORY_FOOT + GAP;
  }
  draw_legend(layout, scene, origin.x, y - GAP + LEGEND / 2.0);
}

TgScene *tg_memory_scene(const TgMemoryChart *chart) {
  TgMemoryLayout layout;
  TgCaption caption;
  TgScene *scene = tg_scene_new();
  init(&layout, chart);
  find_words(&layout, &caption);
  const TgRoom room = tg_caption_measure(&caption, layout.width, layout.height);
  tg_scene_describe(scene, chart->title, chart->note);
  draw_chart(&layout, scene, tg_caption_draw(&caption, scene, layout.width, layout.height, &room));
  tg_caption_clear(&caption);
  return scene;
}

GBytes *tg_draw_memory(const TgMemoryChart *chart, const char *format, GError **error) {
  g_autoptr(TgScene) scene = tg_memory_scene(chart);
  return tg_render(scene, format, chart->memory_limit_bytes, error);
}
