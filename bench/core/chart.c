#include "chart.h"

#include <math.h>
#include <string.h>

enum { WIDE = 480, HIGH = 400, HEAD = 70, MOST_TICKS = 20, ACROSS = 3 };

typedef struct TgPoint {
  double x, y;
} TgPoint;

typedef struct TgCurve {
  char *name;
  GArray *points; /* TgPoint */
} TgCurve;

struct TgPanel {
  char *title, *x, *y;
  GPtrArray *curves; /* TgCurve */
  bool linear, parity;
};

struct TgChart {
  char *title, *note;
  GPtrArray *panels; /* TgPanel */
};

static void free_curve(gpointer data) {
  TgCurve *curve = data;
  g_free(curve->name);
  g_array_unref(curve->points);
  g_free(curve);
}

static void free_panel(gpointer data) {
  TgPanel *panel = data;
  g_free(panel->title);
  g_free(panel->x);
  g_free(panel->y);
  g_ptr_array_unref(panel->curves);
  g_free(panel);
}

TgChart *tg_chart_new(const char *title, const char *note) {
  TgChart *chart = g_new0(TgChart, 1);
  chart->title = g_strdup(title);
  chart->note = g_strdup(note);
  chart->panels = g_ptr_array_new_with_free_func(free_panel);
  return chart;
}

void tg_chart_free(TgChart *chart) {
  g_free(chart->title);
  g_free(chart->note);
  g_ptr_array_unref(chart->panels);
  g_free(chart);
}

TgPanel *tg_chart_panel(TgChart *chart, const char *title, const char *x, const char *y) {
  TgPanel *panel = g_new0(TgPanel, 1);
  *panel = (TgPanel){.title = g_strdup(title),
                     .x = g_strdup(x),
                     .y = g_strdup(y),
                     .curves = g_ptr_array_new_with_free_func(free_curve)};
  g_ptr_array_add(chart->panels, panel);
  return panel;
}

void tg_panel_linear(TgPanel *panel) {
  panel->linear = true;
}

void tg_panel_parity(TgPanel *panel) {
  panel->parity = true;
}

static TgCurve *curve_of(TgPanel *panel, const char *name) {
  for (guint c = 0; c < panel->curves->len; c++) {
    TgCurve *curve = panel->curves->pdata[c];
    if (strcmp(curve->name, name) == 0) return curve;
  }
  TgCurve *curve = g_new0(TgCurve, 1);
  *curve = (TgCurve){g_strdup(name), g_array_new(FALSE, FALSE, sizeof(TgPoint))};
  g_ptr_array_add(panel->curves, curve);
  return curve;
}

void tg_panel_point(TgPanel *panel, const char *curve, double x, double y) {
  const TgPoint point = {x, y};
  if (!(panel->linear ? x >= 0 && y >= 0 : x > 0 && y > 0) || isinf(x) || isinf(y)) return;
  g_array_append_val(curve_of(panel, curve)->points, point);
}

/* The names of all panels, in the order of their first curve: number i has line type i + 1. */
static GPtrArray *names_of(const TgChart *chart) {
  GPtrArray *names = g_ptr_array_new();
  for (guint p = 0; p < chart->panels->len; p++) {
    const TgPanel *panel = chart->panels->pdata[p];
    for (guint c = 0; c < panel->curves->len; c++) {
      const TgCurve *curve = panel->curves->pdata[c];
      if (!g_ptr_array_find_with_equal_func(names, curve->name, g_str_equal, NULL)) g_ptr_array_add(names, curve->name);
    }
  }
  return names;
}

static void add_data(GString *script, const TgPanel *panel, guint p) {
  for (guint c = 0; c < panel->curves->len; c++) {
    const TgCurve *curve = panel->curves->pdata[c];
    g_string_append_printf(script, "$data_%u_%u << EOD\n", p, c);
    for (guint i = 0; i < curve->points->len; i++) {
      const TgPoint *point = &g_array_index(curve->points, TgPoint, i);
      tg_plot_add_number(script, point->x);
      tg_plot_add_number(script, point->y);
      g_string_append_c(script, '\n');
    }
    g_string_append(script, "EOD\n");
  }
}

static void add_words(GString *script, const char *what, const char *words) {
  g_autofree char *quoted = tg_plot_quoted(words);
  g_string_append_printf(script, "set %s %s noenhanced\n", what, quoted);
}

/* Few whole numbers, as steps are: one tick each. */
static bool has_few_numbers(const TgPanel *panel) {
  double least = INFINITY, most = -INFINITY;
  for (guint c = 0; c < panel->curves->len; c++) {
    const TgCurve *curve = panel->curves->pdata[c];
    for (guint i = 0; i < curve->points->len; i++) {
      const double x = g_array_index(curve->points, TgPoint, i).x;
      if (x != floor(x)) return false;
      least = fmin(least, x);
      most = fmax(most, x);
    }
  }
  return most - least <= MOST_TICKS;
}

static void add_panel(GString *script, const TgPanel *panel, guint p, const GPtrArray *names) {
  add_words(script, "title", panel->title);
  add_words(script, "xlabel", panel->x);
  add_words(script, "ylabel", panel->y);
  if (panel->curves->len == 0) { /* gnuplot refuses a panel without any point */
    g_string_append(script, "set label 1 'not measured' at graph 0.5, 0.5 center\nunset logscale\n"
                            "plot [0:1] [0:1] -1 notitle\nunset label 1\nset logscale x 2\nset logscale y 10\n");
    return;
  }
  if (panel->parity)
    g_string_append(script, "set logscale xy 10\nset yrange [*:*]\nunset offsets\nset format x '%.0s %cs'\n"
                            "set format y '%.0s %cs'\n");
  else
    g_string_append(
        script, panel->linear
                    ? "unset logscale\nset yrange [0:*]\nset offsets 0, 0, graph 0.3, 0\nset format y '%g'\n"
                      "set format x '%.10g'\n"
                    : "set logscale x 2\nset logscale y 10\nset yrange [*:*]\nunset offsets\nset format y '%.0s%c'\n"
                      "set format x '%.0f'\n");
  if (panel->linear)
    g_string_append(script, has_few_numbers(panel) ? "set xtics 1 norotate font ',10'\n"
                                                   : "set xtics autofreq rotate by -45 font ',10'\n");
  for (guint c = 0; c < panel->curves->len; c++) {
    const TgCurve *curve = panel->curves->pdata[c];
    g_autofree char *name = tg_plot_quoted(curve->name);
    guint style = 0;
    g_ptr_array_find_with_equal_func((GPtrArray *)names, curve->name, g_str_equal, &style);
    g_string_append_printf(script, "%s $data_%u_%u using 1:2 with %s linetype %u title %s noenhanced",
                           c ? ", \\\n    " : "plot", p, c, panel->parity ? "points" : "linespoints", style + 1, name);
  }
  if (panel->parity) g_string_append(script, ", \\\n     x with lines linecolor rgb '#888888' notitle");
  g_string_append_c(script, '\n');
}

char *tg_chart_script(const TgChart *chart, const TgPlotFormat *format) {
  const guint count = chart->panels->len, across = MIN(count, ACROSS), down = (count + ACROSS - 1) / ACROSS;
  const double wide = count == 1 ? 1.4 * WIDE : WIDE * across, high = HIGH * down + HEAD;
  GString *script = tg_plot_script_new(format, wide, high);
  g_autoptr(GPtrArray) names = names_of(chart);
  g_autofree char *title = tg_plot_quoted(chart->title), *note = tg_plot_quoted(chart->note);
  tg_plot_add_styles(script, (int)names->len);
  for (guint p = 0; p < count; p++) add_data(script, chart->panels->pdata[p], p);
  g_string_append_printf(
      script,
      "set border 3 linecolor rgb '#444444'\nset tics nomirror\nset logscale x 2\nset logscale y 10\n"
      "set grid linetype -1 linecolor rgb '#CCCCCC' linewidth 1 dashtype solid\n"
      "set format x '%%.0f'\nset format y '%%.0s%%c'\nset xtics rotate by -45 font ',10'\n"
      "set key inside left top Left reverse samplen 3 font ',10' opaque\n"
      "set multiplot layout %u,%u margins char 10,char 4,char 6,char 6 spacing char 12,char 8\n",
      down, across);
  g_string_append_printf(script, "set label 2 %s at screen 0.5, %.4f center noenhanced font ',15'\n", title,
                         1 - 18 / high);
  g_string_append_printf(script, "set label 3 %s at screen 0.5, %.4f center noenhanced font ',10'\n", note,
                         1 - 38 / high);
  for (guint p = 0; p < count; p++) {
    add_panel(script, chart->panels->pdata[p], p, names);
    if (p == 0) g_string_append(script, "unset label 2\nunset label 3\n");
  }
  g_string_append(script, "unset multiplot\n");
  return g_string_free(script, FALSE);
}
