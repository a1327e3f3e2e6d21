/* The gnuplot script of a sweep: predicted time above, efficiency below, a column for each value of the variable that
 * is not the x axis; side by side where there is one. */
#include "sweep-plot.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 4, PANEL = 400, WIDE = 480, STRIP = 60, TICS = 6 };

static guint sizes_of(const TgSweep *sweep) {
  return MAX(sweep->n->len, 1);
}

static guint points_of(const TgPlot *plot) {
  return plot->sweep->along_n ? sizes_of(plot->sweep) : plot->sweep->p->len;
}

/* The i-th point of a line. */
static guint point_of(const TgPlot *plot, guint line, guint i) {
  return plot->sweep->along_n ? line * sizes_of(plot->sweep) + i : i * sizes_of(plot->sweep) + line;
}

/* Columns stand for lines spread evenly, where there are more of them. */
static guint line_of(const TgPlot *plot, guint column) {
  return plot->columns < 2 ? 0 : column * (plot->lines - 1) / (plot->columns - 1);
}

static int64_t x_of(const TgPlot *plot, guint i) {
  return g_array_index(plot->sweep->along_n ? plot->sweep->n : plot->sweep->p, int64_t, i);
}

/* x, the time (or the n that was found), the efficiency. A curve goes straight from one point that there is to the
 * next. */
static void add_data(const TgPlot *plot, guint column, int algorithm) {
  g_string_append_printf(plot->script, "$data_%u_%d << EOD\n", column, algorithm);
  for (guint i = 0; i < points_of(plot); i++) {
    const TgSweepCell *cell = tg_sweep_cell(plot->sweep, point_of(plot, line_of(plot, column), i), algorithm);
    if (cell->skipped) continue;
    g_string_append_printf(plot->script, "%" PRId64, x_of(plot, i));
    tg_plot_add_number(plot->script, plot->sizes ? (double)cell->n : cell->time_s);
    tg_plot_add_number(plot->script, cell->efficiency);
    g_string_append_c(plot->script, '\n');
  }
  g_string_append(plot->script, "EOD\n");
}

static void add_tics(const TgPlot *plot) {
  const guint count = points_of(plot), stride = (count + TICS - 1) / TICS;
  g_string_append(plot->script, "set xtics (");
  for (guint i = 0; i < count; i += stride)
    g_string_append_printf(plot->script, "%s%" PRId64, i ? ", " : "", x_of(plot, i));
  g_string_append(plot->script, ")\n");
}

static char *heading(const TgPlot *plot) {
  if (plot->sizes) return g_strdup_printf("Least n with an efficiency of %g", plot->sweep->efficiency);
  return g_strdup_printf("Predicted time%s", plot->efficiencies ? " and efficiency" : "");
}

static void add_settings(const TgPlot *plot) {
  GString *script = plot->script;
  g_autofree char *title = heading(plot);
  g_autofree char *title_quoted = tg_plot_quoted(title);
  g_string_append(script, "unset key\nset border 3 linecolor rgb '#444444'\nset tics nomirror textcolor rgb '#000000'\n"
                          "set grid linetype -1 linecolor rgb '#CCCCCC' linewidth 1 dashtype solid\nset logscale x 2\n"
                          "set format x '%.0f'\n");
  add_tics(plot);
  const double low = (double)x_of(plot, 0), high = (double)x_of(plot, points_of(plot) - 1);
  g_string_append_printf(script, "set xrange [%.6g:%.6g]\n", low / 1.15, high * 1.15);
  g_string_append_printf(script, "set multiplot title %s noenhanced font ',15'\n", title_quoted);
}

/* Places a panel, in fractions of the page; rows count from the top. Names the y axis: gnuplot would put the words
 * where terminals that measure text differently put the numbers. */
static void add_panel(const TgPlot *plot, int row, int across, const char *words) {
  const double left = 92 / plot->width, right = 14 / plot->width, between = 98 / plot->width;
  const double top = (104 + tg_plot_head_height(plot)) / plot->height;
  const double bottom = 56 / plot->height;
  const double gap = 84 / plot->height;
  const double wide = (1 - left - right - between * (plot->across - 1)) / plot->across;
  const double high = (1 - top - bottom - gap * (plot->rows - 1)) / plot->rows;
  const double x = left + across * (wide + between), y = bottom + (plot->rows - 1 - row) * (high + gap);
  g_string_append_printf(plot->script,
                         "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset bmargin at screen %.4f\n"
                         "set tmargin at screen %.4f\nset label '%s' at screen %.4f, %.4f center rotate\n",
                         x, x + wide, y, y + high, words, x - 78 / plot->width, y + high / 2);
}

/* A thin line where another ALGO becomes the best. */
static void add_crossovers(const TgPlot *plot, guint column) {
  const TgSweep *sweep = plot->sweep;
  const TgSweepPoint *point = tg_sweep_point(sweep, point_of(plot, line_of(plot, column), 0));
  const int64_t fixed = plot->lines < 2 ? 0 : sweep->along_n ? point->p : point->n;
  g_string_append(plot->script, "unset arrow\nunset label\n");
  for (guint i = 0; i < sweep->crossovers->len; i++) {
    const TgCrossover *crossover = &g_array_index(sweep->crossovers, TgCrossover, i);
    if (isnan(crossover->near) || (fixed && crossover->fixed != fixed)) continue;
    g_autofree char *name = g_strdup_printf("%s from here on", sweep->algorithm[crossover->after]);
    g_autofree char *words = tg_plot_quoted(name);
    g_string_append_printf(plot->script,
                           "set arrow from %.6g, graph 0 to %.6g, graph 1 nohead back linecolor rgb "
                           "'#666666' linewidth 1 dashtype 3\n"
                           "set label %s at %.6g, graph 1 left offset character 0.4, -0.6 noenhanced font ',10' "
                           "textcolor rgb '#444444'\n",
                           crossover->near, crossover->near, words, crossover->near);
  }
}

static void add_panel_title(const TgPlot *plot, guint column) {
  const TgSweepPoint *point = tg_sweep_point(plot->sweep, point_of(plot, line_of(plot, column), 0));
  if (plot->lines < 2 && plot->sweep->along_n && point->p)
    g_string_append_printf(plot->script, "set title 'p = %" PRId64 "'\n", point->p);
  else if (plot->lines < 2 && !plot->sweep->along_n && point->n)
    g_string_append_printf(plot->script, "set title 'n = %" PRId64 "'\n", point->n);
  else if (plot->lines > 1)
    g_string_append_printf(plot->script, "set title '%s = %" PRId64 "'\n", plot->sweep->along_n ? "p" : "n",
                           plot->sweep->along_n ? point->p : point->n);
  else
    g_string_append(plot->script, "unset title\n");
}

/* Points that the panel can show: on a logarithmic axis those above 0. */
static guint count_shown(const TgPlot *plot, guint column, int data_column) {
  guint shown = 0;
  for (int a = 0; a < plot->sweep->algorithms; a++)
    for (guint i = 0; i < points_of(plot); i++) {
      const TgSweepCell *cell = tg_sweep_cell(plot->sweep, point_of(plot, line_of(plot, column), i), a);
      if (!cell->skipped) shown += data_column == 2 ? cell->time_s > 0 : !isnan(cell->efficiency);
    }
  return shown;
}

/* gnuplot refuses a panel without any point. */
static void add_nothing(const TgPlot *plot) {
  g_string_append(plot->script, "set label 'nothing to show' at graph 0.5, graph 0.5 center\n"
                                "unset logscale y\nset yrange [0:1]\nplot -1 notitle\n");
}

static void add_curves(const TgPlot *plot, guint column, int data_column) {
  if (!count_shown(plot, column, data_column)) {
    add_nothing(plot);
    return;
  }
  g_string_append(plot->script, "plot ");
  for (int a = 0; a < plot->sweep->algorithms; a++) {
    g_string_append_printf(plot->script, "%s$data_%u_%d using 1:%d with linespoints linetype %d notitle",
                           a ? ", \\\n     " : "", column, a, data_column, a + 1);
  }
  g_string_append_c(plot->script, '\n');
}

static void add_times(const TgPlot *plot, guint column) {
  static const char rows[] = "n, rows of the matrices";
  GString *script = plot->script;
  add_panel_title(plot, column);
  add_crossovers(plot, column);
  add_panel(plot, 0, plot->rows > 1 ? (int)column : 0, plot->sizes ? rows : "predicted time");
  if (column == 0) tg_plot_add_settings(plot);
  if (column == 0) tg_plot_add_legend(plot);
  g_string_append_printf(script, "set logscale y %s\nset format y '%s'\nset yrange [*:*]\nset ytics auto\n",
                         plot->sizes ? "2" : "10", plot->sizes ? "%.0f" : "%.0s %cs");
  g_string_append_printf(script, "set xlabel '%s'\n", plot->sweep->along_n ? rows : "p, processors");
  add_curves(plot, column, 2);
}

static void add_efficiencies(const TgPlot *plot, guint column) {
  add_crossovers(plot, column);
  add_panel(plot, plot->rows > 1 ? 1 : 0, plot->rows > 1 ? (int)column : 1, "efficiency");
  if (plot->rows > 1) g_string_append(plot->script, "unset title\n");
  g_string_append(plot->script, "unset logscale y\nset format y '%g'\nset yrange [0:*]\nset ytics auto\n");
  add_curves(plot, column, 3);
}

static bool has_efficiencies(const TgSweep *sweep) {
  for (gsize i = 0; i < (gsize)sweep->points->len * (gsize)sweep->algorithms; i++)
    if (!sweep->cell[i].skipped && !isnan(sweep->cell[i].efficiency)) return true;
  return false;
}

static void lay_out(TgPlot *plot) {
  const TgSweep *sweep = plot->sweep;
  plot->sizes = !isnan(sweep->efficiency);
  plot->efficiencies = !plot->sizes && has_efficiencies(sweep);
  plot->lines = sweep->along_n ? MAX(sweep->p->len, 1) : sizes_of(sweep);
  plot->columns = MIN(plot->lines, MOST_COLUMNS);
  plot->rows = plot->columns > 1 && plot->efficiencies ? 2 : 1;
  plot->across = plot->columns > 1 ? (int)plot->columns : plot->efficiencies ? 2 : 1;
  plot->width = plot->across == 1 ? 1.4 * WIDE : plot->across * WIDE;
  plot->height = plot->rows * PANEL + (plot->across == 1 ? 60 : 0) + STRIP;
  plot->settings = tg_plot_settings(plot);
  plot->height += tg_plot_head_height(plot);
}

char *tg_sweep_script(const void *data, const TgPlotFormat *format) {
  const TgSweep *sweep = data;
  TgPlot plot = {.sweep = sweep};
  lay_out(&plot);
  plot.script = tg_plot_script_new(format, plot.width, plot.height);
  tg_plot_add_styles(plot.script, sweep->algorithms);
  for (guint c = 0; c < plot.columns; c++)
    for (int a = 0; a < sweep->algorithms; a++) add_data(&plot, c, a);
  add_settings(&plot);
  for (guint c = 0; c < plot.columns; c++) {
    add_times(&plot, c);
    if (plot.efficiencies) add_efficiencies(&plot, c);
  }
  g_string_append(plot.script, "unset multiplot\n");
  g_strfreev(plot.settings);
  return g_string_free(plot.script, FALSE);
}
