/* The gnuplot script of a sweep: predicted time above, efficiency below, a column for each value of the variable that
 * is not the x axis; side by side where there is one. */
#include "output.h"
#include "sweep-command.h"

#include "atomic-file.h"

#include <math.h>
#include <string.h>

typedef struct TgPlot {
  const TgSweepCommand *command;
  GString *script;
  bool sizes;           /* --efficiency: n against p, one panel */
  bool efficiencies;    /* a panel for them */
  guint lines, columns; /* values of the other variable, and how many of them are drawn */
  int rows, across;     /* panels */
  double width, height; /* pixels */
  char **settings;      /* lines below the title */
} TgPlot;

enum { LEGEND_ROW = 22, SETTINGS_ROW = 17 };

/* What the predictions depend on, in lines that go on the page. */
static char **plot_settings(const TgPlot *plot) {
  const TgSweepCommand *command = plot->command;
  const gsize most = (gsize)((plot->width - 40) / 7);
  g_autofree char *text = g_strdup_printf("%s; %s, %s", command->request.machine.name, command->settings,
                                          tg_element_name(command->request.element));
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  GPtrArray *lines = g_ptr_array_new();
  g_autoptr(GString) line = g_string_new(NULL);
  for (char **word = words; *word; word++) {
    if (line->len && line->len + 1 + strlen(*word) > most) {
      g_ptr_array_add(lines, g_strdup(line->str));
      g_string_truncate(line, 0);
    }
    g_string_append_printf(line, "%s%s", line->len ? " " : "", *word);
  }
  g_ptr_array_add(lines, g_strdup(line->str));
  g_ptr_array_add(lines, NULL);
  return (char **)g_ptr_array_free(lines, FALSE);
}

static double settings_rows(const TgPlot *plot) {
  return SETTINGS_ROW * (double)g_strv_length(plot->settings);
}

static void plot_add_settings(const TgPlot *plot) {
  for (int i = 0; plot->settings[i]; i++) {
    g_autofree char *line = tg_plot_quoted(plot->settings[i]);
    g_string_append_printf(plot->script, "set label %s at screen 0.5, %.4f center noenhanced font ',11'\n", line,
                           1 - (40 + SETTINGS_ROW * i) / plot->height);
  }
}

/* One name of the legend: its line, its mark, the name. */
static double legend_width(const TgPlot *plot, int algorithm) {
  return 70 + 7.5 * (double)g_utf8_strlen(plot->command->name[algorithm], -1);
}

/* Names from `first` on that go on one line of the page. */
static int legend_row(const TgPlot *plot, int first, double *width) {
  int end = first;
  for (*width = 0; end < plot->command->sweep.sources; end++) {
    if (end > first && *width + legend_width(plot, end) > plot->width - 40) break;
    *width += legend_width(plot, end);
  }
  return end;
}

static int legend_rows(const TgPlot *plot) {
  double width;
  int rows = 0;
  for (int a = 0; a < plot->command->sweep.sources; rows++) a = legend_row(plot, a, &width);
  return rows;
}

/* Above the panels, for all of them: gnuplot's own would be as wide as one. */
static void plot_add_legend(const TgPlot *plot) {
  int a = 0;
  for (int row = 0; a < plot->command->sweep.sources; row++) {
    double width, y = 1 - (44 + settings_rows(plot) + LEGEND_ROW * row) / plot->height;
    const int end = legend_row(plot, a, &width);
    double left = (plot->width - width) / 2;
    for (; a < end; left += legend_width(plot, a++)) {
      g_autofree char *name = tg_plot_quoted(plot->command->name[a]);
      g_string_append_printf(plot->script,
                             "set arrow from screen %.4f, %.4f to screen %.4f, %.4f nohead linetype %d\n"
                             "set label at screen %.4f, %.4f point linetype %d\n"
                             "set label %s at screen %.4f, %.4f left noenhanced\n",
                             left / plot->width, y, (left + 44) / plot->width, y, a + 1, (left + 22) / plot->width, y,
                             a + 1, name, (left + 50) / plot->width, y);
    }
  }
}

/* Pixels that the settings take, and the legend beyond its first line. */
static double plot_head_height(const TgPlot *plot) {
  return settings_rows(plot) + LEGEND_ROW * (legend_rows(plot) - 1);
}

enum { MOST_COLUMNS = 4, PANEL = 400, WIDE = 480, STRIP = 60, TICS = 6 };

static guint sizes_of(const TgSweepCommand *command) {
  return MAX(command->sweep.n->len, 1);
}

static guint points_of(const TgPlot *plot) {
  return plot->command->sweep.along_n ? sizes_of(plot->command) : plot->command->sweep.p->len;
}

/* The i-th point of a line. */
static guint point_of(const TgPlot *plot, guint line, guint i) {
  return plot->command->sweep.along_n ? line * sizes_of(plot->command) + i : i * sizes_of(plot->command) + line;
}

/* Columns stand for lines spread evenly, where there are more of them. */
static guint line_of(const TgPlot *plot, guint column) {
  return plot->columns < 2 ? 0 : column * (plot->lines - 1) / (plot->columns - 1);
}

static int64_t x_of(const TgPlot *plot, guint i) {
  return g_array_index(plot->command->sweep.along_n ? plot->command->sweep.n : plot->command->sweep.p, int64_t, i);
}

/* x, the time (or the n that was found), the efficiency. A curve goes straight from one point that there is to the
 * next. */
static void add_data(const TgPlot *plot, guint column, int algorithm) {
  g_string_append_printf(plot->script, "$data_%u_%d << EOD\n", column, algorithm);
  for (guint i = 0; i < points_of(plot); i++) {
    const TgSweepCell *cell = tg_sweep_cell(&plot->command->sweep, point_of(plot, line_of(plot, column), i), algorithm);
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
  if (plot->sizes) return g_strdup_printf("Smallest n with an efficiency of %g", plot->command->sweep.efficiency);
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
  const double top = (104 + plot_head_height(plot)) / plot->height;
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
  const TgSweepCommand *command = plot->command;
  const TgSweepPoint *point = tg_sweep_point(&command->sweep, point_of(plot, line_of(plot, column), 0));
  const int64_t fixed = plot->lines < 2 ? 0 : command->sweep.along_n ? point->p : point->n;
  g_string_append(plot->script, "unset arrow\nunset label\n");
  for (guint i = 0; i < command->sweep.crossovers->len; i++) {
    const TgCrossover *crossover = &g_array_index(command->sweep.crossovers, TgCrossover, i);
    if (isnan(crossover->near) || (fixed && crossover->fixed != fixed)) continue;
    g_autofree char *name = g_strdup_printf("%s from here on", command->name[crossover->after]);
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
  const TgSweepPoint *point = tg_sweep_point(&plot->command->sweep, point_of(plot, line_of(plot, column), 0));
  if (plot->lines < 2 && plot->command->sweep.along_n && point->p)
    g_string_append_printf(plot->script, "set title 'p = %" PRId64 "'\n", point->p);
  else if (plot->lines < 2 && !plot->command->sweep.along_n && point->n)
    g_string_append_printf(plot->script, "set title 'n = %" PRId64 "'\n", point->n);
  else if (plot->lines > 1)
    g_string_append_printf(plot->script, "set title '%s = %" PRId64 "'\n", plot->command->sweep.along_n ? "p" : "n",
                           plot->command->sweep.along_n ? point->p : point->n);
  else
    g_string_append(plot->script, "unset title\n");
}

/* Points that the panel can show: on a logarithmic axis those above 0. */
static guint count_shown(const TgPlot *plot, guint column, int data_column) {
  guint shown = 0;
  for (int a = 0; a < plot->command->sweep.sources; a++)
    for (guint i = 0; i < points_of(plot); i++) {
      const TgSweepCell *cell = tg_sweep_cell(&plot->command->sweep, point_of(plot, line_of(plot, column), i), a);
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
  for (int a = 0; a < plot->command->sweep.sources; a++) {
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
  if (column == 0) plot_add_settings(plot);
  if (column == 0) plot_add_legend(plot);
  g_string_append_printf(script, "set logscale y %s\nset format y '%s'\nset yrange [*:*]\nset ytics auto\n",
                         plot->sizes ? "2" : "10", plot->sizes ? "%.0f" : "%.0s %cs");
  g_string_append_printf(script, "set xlabel '%s'\n", plot->command->sweep.along_n ? rows : "p, processors");
  add_curves(plot, column, 2);
}

static void add_efficiencies(const TgPlot *plot, guint column) {
  add_crossovers(plot, column);
  add_panel(plot, plot->rows > 1 ? 1 : 0, plot->rows > 1 ? (int)column : 1, "efficiency");
  if (plot->rows > 1) g_string_append(plot->script, "unset title\n");
  g_string_append(plot->script, "unset logscale y\nset format y '%g'\nset yrange [0:*]\nset ytics auto\n");
  add_curves(plot, column, 3);
}

static bool has_efficiencies(const TgSweepCommand *command) {
  for (gsize i = 0; i < (gsize)command->sweep.points->len * (gsize)command->sweep.sources; i++)
    if (!command->sweep.cell[i].skipped && !isnan(command->sweep.cell[i].efficiency)) return true;
  return false;
}

static void lay_out(TgPlot *plot) {
  const TgSweepCommand *command = plot->command;
  plot->sizes = !isnan(command->sweep.efficiency);
  plot->efficiencies = !plot->sizes && has_efficiencies(command);
  plot->lines = command->sweep.along_n ? MAX(command->sweep.p->len, 1) : sizes_of(command);
  plot->columns = MIN(plot->lines, MOST_COLUMNS);
  plot->rows = plot->columns > 1 && plot->efficiencies ? 2 : 1;
  plot->across = plot->columns > 1 ? (int)plot->columns : plot->efficiencies ? 2 : 1;
  plot->width = plot->across == 1 ? 1.4 * WIDE : plot->across * WIDE;
  plot->height = plot->rows * PANEL + (plot->across == 1 ? 60 : 0) + STRIP;
  plot->settings = plot_settings(plot);
  plot->height += plot_head_height(plot);
}

/* The script that draws a TgSweep; see TgPlotMaker. Free with g_free(). */
static char *sweep_script(const void *data, const TgPlotFormat *format) {
  const TgSweepCommand *command = data;
  TgPlot plot = {.command = command};
  lay_out(&plot);
  plot.script = tg_plot_script_new(format, plot.width, plot.height);
  tg_plot_add_styles(plot.script, command->sweep.sources);
  for (guint c = 0; c < plot.columns; c++)
    for (int a = 0; a < command->sweep.sources; a++) add_data(&plot, c, a);
  add_settings(&plot);
  for (guint c = 0; c < plot.columns; c++) {
    add_times(&plot, c);
    if (plot.efficiencies) add_efficiencies(&plot, c);
  }
  g_string_append(plot.script, "unset multiplot\n");
  g_strfreev(plot.settings);
  return g_string_free(plot.script, FALSE);
}

/* What is written and not drawn. */
static const char *const texts[] = {"csv", "json", NULL};

/* --- files for other programs: JSON, CSV, the script, and plots by gnuplot ---------------------------------------- */

static const char *text_of(const char *path) {
  const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
  return dot && g_strv_contains(texts, dot + 1) ? dot + 1 : NULL;
}

TgExit tg_sweep_file_check(const TgCli *cli, const TgSweepRequest *request) {
  const char *path = cli->options.output;
  const TgPlotFormat *format = path ? tg_plot_format(path) : NULL;
  if (!path) return TG_EXIT_DONE;
  if (!format && !text_of(path))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: unknown format, expected one of csv, json, gp, svg, png, pdf", path);
  if (format && request->n->len < 2 && request->p->len < 2)
    return tg_report(cli, TG_EXIT_USAGE,
                     "-o %s: a plot needs a sweep of at least two values, as in --sweep "
                     "n=512..16384",
                     path);
  if (!format || tg_plot_possible(format)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_MISSING,
                   "-o %s: gnuplot is not installed: install the package gnuplot-nox (Debian, Ubuntu) or gnuplot, or "
                   "write FILE.gp or FILE.csv, which do not need it",
                   path);
}

TG_FIELD_TABLE(cell_fields, TG_FIELD(TgSweepCell, processors), TG_FIELD(TgSweepCell, time_s),
               TG_FIELD(TgSweepCell, compute_s), TG_FIELD(TgSweepCell, communication_s),
               TG_FIELD(TgSweepCell, efficiency), TG_FIELD(TgSweepCell, closed_form_s), TG_FIELD(TgSweepCell, messages),
               TG_FIELD(TgSweepCell, bytes), TG_FIELD(TgSweepCell, max_link_bytes),
               TG_FIELD_AS(TgSweepCell, memory.node_bytes, "bytes_per_node_max"), TG_FIELD(TgSweepCell, memory.fits),
               TG_FIELD(TgSweepCell, proved));

static void write_cell(TgJson *json, const TgSweepCommand *command, const TgSweepPoint *point, int algorithm,
                       const TgSweepCell *cell, bool fastest) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", command->name[algorithm]);
  if (point->p) tg_json_member_integer(json, "p", point->p);
  const int64_t n = cell->skipped ? point->n : cell->n;
  tg_json_member_integer(json, "m", point->m ? point->m : n);
  tg_json_member_integer(json, "n", n);
  tg_json_member_integer(json, "k", point->k ? point->k : n);
  if (cell->skipped) {
    tg_json_member_string(json, "left_out", cell->skipped);
  } else {
    tg_json_member_string(json, "grid", cell->grid);
    tg_parameters_write(json, cell->parameters);
    tg_json_member_string(json, "topology", cell->network);
    tg_json_members(json, cell_fields, cell);
    tg_json_member_bool(json, "fastest", fastest);
  }
  tg_json_end_object(json);
}

static void write_crossovers(TgJson *json, const TgSweepCommand *command) {
  tg_json_member_array(json, "crossovers", TG_JSON_LINES);
  for (guint i = 0; i < command->sweep.crossovers->len; i++) {
    const TgCrossover *crossover = &g_array_index(command->sweep.crossovers, TgCrossover, i);
    tg_json_begin_object(json, TG_JSON_ROW);
    if (crossover->fixed) tg_json_member_integer(json, command->sweep.along_n ? "p" : "n", crossover->fixed);
    tg_json_member_string(json, "from", command->name[crossover->before]);
    tg_json_member_string(json, "to", command->name[crossover->after]);
    tg_json_member_integer(json, command->sweep.along_n ? "n" : "p", crossover->at);
    tg_json_member_double(json, "near", crossover->near);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

void tg_sweep_write(TgJson *json, const TgSweepCommand *command) {
  tg_json_begin_document(json, "sweep");
  tg_json_member_string(json, "machine", command->request.machine.name);
  tg_json_member_string(json, "model", tg_cost_model_name(command->request.options.model));
  tg_json_member_string(json, "type", tg_element_name(command->request.element));
  tg_json_member_string(json, "settings", command->settings);
  tg_sim_write_settings(json, &command->request.options);
  tg_json_member_double(json, "efficiency", command->sweep.efficiency);
  tg_json_member_array(json, "predictions", TG_JSON_LINES);
  for (guint i = 0; i < command->sweep.points->len; i++) {
    const int winner = tg_sweep_winner(&command->sweep, i, -1);
    for (int a = 0; a < command->sweep.sources; a++)
      write_cell(json, command, tg_sweep_point(&command->sweep, i), a, tg_sweep_cell(&command->sweep, i, a),
                 winner >= 0 && tg_sweep_ties(&command->sweep, i, a, winner));
  }
  tg_json_end_array(json);
  write_crossovers(json, command);
  tg_json_end_object(json);
}

static void append_number(GString *text, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(text, ',');
  if (!isnan(number)) g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.9g", number));
}

/* What is skipped has no row; an empty field is a number that there is none of. */
static char *csv_text(const TgSweepCommand *command) {
  GString *text = g_string_new("algorithm,grid,topology,processors,m,n,k,time_s,compute_s,communication_s,efficiency,"
                               "closed_form_s,messages,bytes,max_link_bytes,bytes_per_node_max\n");
  for (guint i = 0; i < command->sweep.points->len; i++)
    for (int a = 0; a < command->sweep.sources; a++) {
      const TgSweepCell *cell = tg_sweep_cell(&command->sweep, i, a);
      const TgSweepPoint *point = tg_sweep_point(&command->sweep, i);
      if (cell->skipped) continue;
      const double numbers[] = {cell->time_s, cell->compute_s, cell->communication_s, cell->efficiency,
                                cell->closed_form_s};
      g_string_append_printf(text, "%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, command->name[a],
                             cell->grid, cell->network, cell->processors, point->m ? point->m : cell->n, cell->n,
                             point->k ? point->k : cell->n);
      for (size_t n = 0; n < G_N_ELEMENTS(numbers); n++) append_number(text, numbers[n]);
      g_string_append_printf(text, ",%" PRId64 ",%" PRId64 ",%" PRId64, cell->messages, cell->bytes,
                             cell->max_link_bytes);
      append_number(text, cell->memory.node_bytes);
      g_string_append_c(text, '\n');
    }
  return g_string_free(text, FALSE);
}

static char *json_text(const TgSweepCommand *command) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_sweep_write(json, command);
  return g_strdup(tg_json_text(json, NULL));
}

static bool make(const TgSweepCommand *command, const char *path, char **bytes, gsize *length, GError **error) {
  const TgPlotFormat *format = tg_plot_format(path);
  if (format) return tg_plot_make(format, sweep_script, command, bytes, length, error);
  *bytes = strcmp(text_of(path), "csv") == 0 ? csv_text(command) : json_text(command);
  *length = strlen(*bytes);
  return true;
}

TgExit tg_sweep_file_write(TgCli *cli, const TgSweepCommand *command) {
  const char *path = cli->options.output;
  g_autofree char *bytes = NULL;
  gsize length;
  GError *error = NULL;
  if (!path) return TG_EXIT_DONE;
  if (!make(command, path, &bytes, &length, &error) || !tg_atomic_file_write(path, bytes, length, &error))
    return tg_report_error(cli, error);
  if (cli->options.json) return TG_EXIT_DONE;
  tg_print(cli, "\n");
  tg_print_line(cli, "%s", path);
  return TG_EXIT_DONE;
}
