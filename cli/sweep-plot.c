/* The gnuplot script of a sweep: predicted time above, efficiency below, a column for each value of the variable that
 * is not the x axis; side by side where there is one. Colours are Okabe and Ito's, which people who do not see all
 * colours tell apart; each ALGO has its own mark and dash, too. */
#include "sweep.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 4, PANEL = 400, WIDE = 480, STRIP = 60, LEGEND_ROW = 22, TICS = 6 };

static const struct {
  const char *colour;
  int mark[2], dash; /* the second mark is for as many ALGOs again */
} styles[] = {{"#0072B2", {7, 6}, 1},   {"#D55E00", {5, 4}, 2}, {"#009E73", {9, 8}, 4}, {"#CC79A7", {13, 12}, 5},
              {"#E69F00", {11, 10}, 3}, {"#56B4E9", {6, 7}, 1}, {"#000000", {4, 5}, 2}, {"#7F7F7F", {8, 9}, 4}};

typedef struct TgPlot {
  const TgSweep *sweep;
  GString *script;
  bool sizes;           /* --efficiency: n against p, one panel */
  bool efficiencies;    /* a panel for them */
  guint lines, columns; /* values of the other variable, and how many of them are drawn */
  int rows, across;     /* panels */
  double width, height; /* pixels */
} TgPlot;

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

/* A text between single quotes. */
static char *quoted(const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "'", -1);
  g_autofree char *doubled = g_strjoinv("''", parts);
  return g_strdup_printf("'%s'", doubled);
}

static void add_number(GString *script, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(script, ' ');
  g_string_append(script, isnan(number) ? "NaN" : g_ascii_formatd(digits, sizeof digits, "%.9g", number));
}

/* x, the time (or the n that was found), the efficiency. A curve goes straight from one point that there is to the
 * next. */
static void add_data(const TgPlot *plot, guint column, int algorithm) {
  g_string_append_printf(plot->script, "$data_%u_%d << EOD\n", column, algorithm);
  for (guint i = 0; i < points_of(plot); i++) {
    const TgSweepCell *cell = tg_sweep_cell(plot->sweep, point_of(plot, line_of(plot, column), i), algorithm);
    if (cell->skipped) continue;
    g_string_append_printf(plot->script, "%" PRId64, x_of(plot, i));
    add_number(plot->script, plot->sizes ? (double)cell->n : cell->time_s);
    add_number(plot->script, cell->efficiency);
    g_string_append_c(plot->script, '\n');
  }
  g_string_append(plot->script, "EOD\n");
}

static void add_styles(const TgPlot *plot) {
  for (int a = 0; a < plot->sweep->algorithms; a++) {
    const gsize s = (gsize)a % G_N_ELEMENTS(styles);
    g_string_append_printf(plot->script,
                           "set linetype %d linecolor rgb '%s' linewidth 2 dashtype %d pointtype %d "
                           "pointsize 0.9\n",
                           a + 1, styles[s].colour, styles[s].dash,
                           styles[s].mark[(gsize)a / G_N_ELEMENTS(styles) % 2]);
  }
}

static void add_tics(const TgPlot *plot) {
  const guint count = points_of(plot), stride = (count + TICS - 1) / TICS;
  g_string_append(plot->script, "set xtics (");
  for (guint i = 0; i < count; i += stride)
    g_string_append_printf(plot->script, "%s%" PRId64, i ? ", " : "", x_of(plot, i));
  g_string_append(plot->script, ")\n");
}

static char *heading(const TgPlot *plot) {
  const TgSweep *sweep = plot->sweep;
  if (plot->sizes)
    return g_strdup_printf("Least n with an efficiency of %g: %s, model %s, %s", sweep->efficiency, sweep->machine,
                           sweep->model, sweep->element);
  return g_strdup_printf("Predicted time%s: %s, model %s, %s", plot->efficiencies ? " and efficiency" : "",
                         sweep->machine, sweep->model, sweep->element);
}

static void add_settings(const TgPlot *plot) {
  GString *script = plot->script;
  g_autofree char *title = heading(plot);
  g_autofree char *title_quoted = quoted(title);
  g_string_append(script, "unset key\nset border 3 linecolor rgb '#444444'\nset tics nomirror textcolor rgb '#000000'\n"
                          "set grid linecolor rgb '#DDDDDD' linewidth 0.7 dashtype 1\nset logscale x 2\n"
                          "set format x '%.0f'\n");
  add_tics(plot);
  const double low = (double)x_of(plot, 0), high = (double)x_of(plot, points_of(plot) - 1);
  g_string_append_printf(script, "set xrange [%.6g:%.6g]\n", low / 1.15, high * 1.15);
  g_string_append_printf(script, "set multiplot title %s noenhanced font ',15'\n", title_quoted);
}

/* One name of the legend: its line, its mark, the name. */
static double legend_width(const TgPlot *plot, int algorithm) {
  return 70 + 7.5 * (double)g_utf8_strlen(plot->sweep->algorithm[algorithm], -1);
}

/* Names from `first` on that go on one line of the page. */
static int legend_row(const TgPlot *plot, int first, double *width) {
  int end = first;
  for (*width = 0; end < plot->sweep->algorithms; end++) {
    if (end > first && *width + legend_width(plot, end) > plot->width - 40) break;
    *width += legend_width(plot, end);
  }
  return end;
}

static int legend_rows(const TgPlot *plot) {
  double width;
  int rows = 0;
  for (int a = 0; a < plot->sweep->algorithms; rows++) a = legend_row(plot, a, &width);
  return rows;
}

/* Above the panels, for all of them: gnuplot's own would be as wide as one. */
static void add_legend(const TgPlot *plot) {
  int a = 0;
  for (int row = 0; a < plot->sweep->algorithms; row++) {
    double width, y = 1 - (44 + LEGEND_ROW * row) / plot->height;
    const int end = legend_row(plot, a, &width);
    double left = (plot->width - width) / 2;
    for (; a < end; left += legend_width(plot, a++)) {
      g_autofree char *name = quoted(plot->sweep->algorithm[a]);
      g_string_append_printf(plot->script,
                             "set arrow from screen %.4f, %.4f to screen %.4f, %.4f nohead linetype %d\n"
                             "set label at screen %.4f, %.4f point linetype %d\n"
                             "set label %s at screen %.4f, %.4f left noenhanced\n",
                             left / plot->width, y, (left + 44) / plot->width, y, a + 1, (left + 22) / plot->width, y,
                             a + 1, name, (left + 50) / plot->width, y);
    }
  }
}

/* Places a panel, in fractions of the page; rows count from the top. Names the y axis: gnuplot would put the words
 * where terminals that measure text differently put the numbers. */
static void add_panel(const TgPlot *plot, int row, int across, const char *words) {
  const double left = 92 / plot->width, right = 14 / plot->width, between = 98 / plot->width;
  const double top = (104 + LEGEND_ROW * (legend_rows(plot) - 1)) / plot->height, bottom = 56 / plot->height;
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
    g_string_append_printf(plot->script,
                           "set arrow from %.6g, graph 0 to %.6g, graph 1 nohead back linecolor rgb "
                           "'#888888' linewidth 1 dashtype 3\n",
                           crossover->near, crossover->near);
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

static void add_curves(const TgPlot *plot, guint column, int data_column) {
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
  if (column == 0) add_legend(plot);
  g_string_append_printf(script, "set logscale y %s\nset format y '%s'\nset yrange [*:*]\nset ytics auto\n",
                         plot->sizes ? "2" : "10", plot->sizes ? "%.0f" : "%.0s %cs");
  g_string_append_printf(script, "set xlabel '%s'\n", plot->sweep->along_n ? rows : "p, processors");
  add_curves(plot, column, 2);
}

static void add_efficiencies(const TgPlot *plot, guint column) {
  add_crossovers(plot, column);
  add_panel(plot, plot->rows > 1 ? 1 : 0, plot->rows > 1 ? (int)column : 1, "efficiency");
  if (plot->rows > 1) g_string_append(plot->script, "unset title\n");
  g_string_append(plot->script, "unset logscale y\nset format y '%g'\nset yrange [0:1]\nset ytics 0.2\n");
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
  plot->height = plot->rows * PANEL + (plot->across == 1 ? 60 : 0) + STRIP + LEGEND_ROW * (legend_rows(plot) - 1);
}

char *tg_sweep_script(const TgSweep *sweep, const char *terminal, double scale, const char *output) {
  TgPlot plot = {.sweep = sweep, .script = g_string_new("#!/usr/bin/env gnuplot\n")};
  lay_out(&plot);
  if (terminal) {
    g_autofree char *path = quoted(output ? output : "");
    g_string_append_printf(plot.script, "set terminal %s size ", terminal);
    add_number(plot.script, plot.width * scale);
    g_string_append_c(plot.script, ',');
    add_number(plot.script, plot.height * scale);
    g_string_append_c(plot.script, '\n');
    if (output) g_string_append_printf(plot.script, "set output %s\n", path);
  }
  add_styles(&plot);
  for (guint c = 0; c < plot.columns; c++)
    for (int a = 0; a < sweep->algorithms; a++) add_data(&plot, c, a);
  add_settings(&plot);
  for (guint c = 0; c < plot.columns; c++) {
    add_times(&plot, c);
    if (plot.efficiencies) add_efficiencies(&plot, c);
  }
  g_string_append(plot.script, "unset multiplot\n");
  return g_string_free(plot.script, FALSE);
}
