#include "caption.h"
#include "palette.h"
#include "render.h"
#include "spacetime-private.h"
#include "text-width.h"

enum { PLOT = 760, HEAD = 56, GAP = 22, AXIS = 46, LEGEND = 26, NAME = 10, TICKS = 10, BESIDE = 10, END = 14 };

/* The picture between its caption's words. */
typedef struct Chart {
  const TgSpacetime *spacetime;
  TgSpacetimePanel *panel;
  TgAxis axis;
  double names; /* width of the rows' names */
  double width, height;
} Chart;

static double panel_height(const TgSpacetimePanel *panel) {
  return HEAD + (double)panel->rows * panel->row;
}

static double names_width(const TgSpacetimePanel *panel) {
  double width = 0;
  for (int64_t row = 0; row < panel->rows; row++) {
    g_autofree char *name = tg_spacetime_row_name(panel, row);
    width = MAX(width, tg_text_width(name, NAME));
  }
  return width;
}

static void init(Chart *chart, const TgSpacetime *spacetime) {
  double most_s = 0;
  *chart = (Chart){.spacetime = spacetime, .panel = g_new0(TgSpacetimePanel, spacetime->runs), .height = AXIS + LEGEND};
  for (int r = 0; r < spacetime->runs; r++) {
    TgSpacetimePanel *panel = &chart->panel[r];
    tg_spacetime_panel_init(panel, &spacetime->run[r], r + 1);
    most_s = MAX(most_s, panel->run->time_s);
    chart->names = MAX(chart->names, names_width(panel));
    chart->height += panel_height(panel) + (r > 0 ? GAP : 0);
  }
  tg_axis_time(&chart->axis, most_s, TICKS);
  chart->names += BESIDE;
  chart->width = chart->names + PLOT + END;
}

static void clear(Chart *chart) {
  for (int r = 0; r < chart->spacetime->runs; r++) tg_spacetime_panel_clear(&chart->panel[r]);
  g_free(chart->panel);
}

static void draw_names(const TgSpacetimePanel *panel, TgScene *scene) {
  for (int64_t row = 0; row < panel->rows; row += tg_spacetime_named_rows(panel)) {
    g_autofree char *name = tg_spacetime_row_name(panel, row);
    tg_axis_text_to(scene, panel->left - BESIDE + 4, tg_spacetime_y(panel, row * panel->each), NAME, TG_COLOUR_INK,
                    name);
  }
}

/* Name and time in bold, the other words below them. The name of the only one is in the title. */
static void draw_head(const TgSpacetimePanel *panel, TgScene *scene, bool alone) {
  const double y = panel->top - HEAD;
  g_autofree char *title = g_strdup_printf("%s: %s", alone ? "predicted time" : panel->run->name, panel->run->time);
  g_autofree char *id = g_strdup_printf("run-%d", panel->number);
  tg_scene_mark(scene, &(TgMark){.shape = TG_OUTLINE_TEXT,
                                 .id = id,
                                 .x = panel->left + tg_text_width(title, 14) * 1.06 / 2,
                                 .y = y + 9,
                                 .text = title,
                                 .size = 14,
                                 .bold = true,
                                 .ink = TG_COLOUR_INK});
  tg_axis_text_from(scene, panel->left, y + 25, 11, TG_COLOUR_INK_SOFT, panel->run->words);
  tg_axis_text_to(scene, panel->left - BESIDE + 4, panel->top - 12, NAME, TG_COLOUR_INK_SOFT, "step");
}

/* Where the time of the run ends, as a line that reaches over its rows. */
static void draw_end(const TgSpacetimePanel *panel, TgScene *scene) {
  double x = tg_spacetime_x(panel, panel->run->time_s), bottom = panel->top + (double)panel->rows * panel->row;
  tg_axis_line(scene, (TgPoint){x, panel->top - 20}, (TgPoint){x, bottom + 3}, TG_COLOUR_INK, "solid", 1.4);
}

static void draw_panel(const TgSpacetimePanel *panel, TgScene *scene, bool alone) {
  draw_head(panel, scene, alone);
  draw_names(panel, scene);
  tg_spacetime_draw_steps(panel, scene);
  draw_end(panel, scene);
  for (int64_t row = 0; row < panel->rows; row++) tg_spacetime_draw_row(panel, scene, row);
  tg_spacetime_draw_path(panel, scene);
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

enum { SAMPLE = 34, KEY = 11, KEY_GAP = 20, SAMPLE_HEIGHT = 13 };

static void sample_products(TgScene *scene, double x, double y) {
  tg_spacetime_products(scene, NULL, NULL, x, x + SAMPLE, y, SAMPLE_HEIGHT);
}
static void sample_communication(TgScene *scene, double x, double y) {
  tg_spacetime_communication(scene, NULL, NULL, x, x + SAMPLE, y, SAMPLE_HEIGHT);
}
static void sample_waiting(TgScene *scene, double x, double y) {
  tg_spacetime_waiting(scene, x, x + SAMPLE, y);
}
static void sample_path(TgScene *scene, double x, double y) {
  tg_spacetime_stretch(scene, "path", "critical path", (TgPoint){x + 1, y}, (TgPoint){x + SAMPLE - 1, y}, 2);
}

static const struct {
  void (*sample)(TgScene *scene, double x, double y);
  const char *words;
} keys[] = {
    {sample_products, "products"},
    {sample_communication, "communication that no product hides, and waiting for it"},
    {sample_waiting, "neither"},
    {sample_path, "critical path"},
};

static void draw_legend(const Chart *chart, TgScene *scene, double left, double y) {
  double width = -KEY_GAP;
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++) width += SAMPLE + 6 + tg_text_width(keys[k].words, KEY) + KEY_GAP;
  double x = left + (chart->width - width) / 2;
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++) {
    keys[k].sample(scene, x, y);
    tg_axis_text_from(scene, x + SAMPLE + 6, y, KEY, TG_COLOUR_INK, keys[k].words);
    x += SAMPLE + 6 + tg_text_width(keys[k].words, KEY) + KEY_GAP;
  }
}

/* --- words ---------------------------------------------------------------------------------------------------- */

/* What the rows leave out. */
static char *left_out(const TgSpacetimePanel *panel) {
  GString *text = g_string_new(NULL);
  if (panel->each > 1)
    g_string_append_printf(text, "A row stands for %" G_GINT64_FORMAT " processors and shows the busiest of them",
                           panel->each);
  if (panel->merged > 1)
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT " steps are drawn as one, products first", text->len ? "; " : "",
                           panel->merged);
  return g_string_free(text, FALSE);
}

static void add_left_out(TgCaption *caption, const Chart *chart) {
  for (int r = 0; r < chart->spacetime->runs; r++) {
    const TgSpacetimePanel *panel = &chart->panel[r];
    char *text = left_out(panel);
    if (*text && chart->spacetime->runs > 1) {
      g_autofree char *plain = text;
      text = g_strdup_printf("%s: %s", panel->run->name, plain);
    }
    if (*text)
      tg_caption_add_note(caption, text);
    else
      g_free(text);
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
    TgSpacetimePanel *panel = &chart->panel[r];
    panel->axis = &chart->axis;
    panel->left = left;
    panel->top = y + HEAD;
    panel->points_per_s = chart->axis.most > 0 ? PLOT / chart->axis.most : 0;
    draw_panel(panel, scene, chart->spacetime->runs == 1);
    y += panel_height(panel) + GAP;
  }
  draw_axis(chart, scene, left, y - GAP + 4);
  draw_legend(chart, scene, origin.x, y - GAP + AXIS + LEGEND / 2.0);
}

TgScene *tg_spacetime_scene(const TgSpacetime *spacetime) {
  Chart chart;
  TgCaption caption;
  TgScene *scene = tg_scene_new();
  init(&chart, spacetime);
  find_words(&chart, &caption);
  const TgRoom room = tg_caption_measure(&caption, chart.width, chart.height);
  tg_scene_describe(scene, spacetime->title, spacetime->note);
  draw_chart(&chart, scene, tg_caption_draw(&caption, scene, chart.width, chart.height, &room));
  tg_caption_clear(&caption);
  clear(&chart);
  return scene;
}

GBytes *tg_draw_spacetime(const TgSpacetime *spacetime, const char *format, GError **error) {
  g_autoptr(TgScene) scene = tg_spacetime_scene(spacetime);
  return tg_render(scene, format, spacetime->memory_limit_bytes, error);
}
