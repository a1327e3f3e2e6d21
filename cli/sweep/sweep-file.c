/* The sweep for other programs: JSON, CSV, a gnuplot script, and plots by gnuplot. */
#include "output.h"
#include "sweep.h"

#include "atomic-file.h"

#include <math.h>
#include <string.h>

/* What is written and not drawn. */
static const char *const texts[] = {"csv", "json", NULL};

static const char *text_of(const char *path) {
  const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
  return dot && g_strv_contains(texts, dot + 1) ? dot + 1 : NULL;
}

bool tg_sweep_is_drawn(const char *path) {
  return tg_plot_format(path) != NULL;
}

TgExit tg_sweep_file_check(const TgCli *cli, const TgSweep *sweep) {
  const char *path = cli->options.output;
  const TgPlotFormat *format = path ? tg_plot_format(path) : NULL;
  if (!path) return TG_EXIT_DONE;
  if (!format && !text_of(path))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: unknown format, expected one of csv, json, gp, svg, png, pdf", path);
  if (format && sweep->n->len < 2 && sweep->p->len < 2)
    return tg_report(cli, TG_EXIT_USAGE,
                     "-o %s: a plot needs a sweep of at least two values, as in --sweep "
                     "n=512..16384",
                     path);
  if (!format || tg_plot_possible(format)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_MISSING,
                   "-o %s: gnuplot, which draws it, is not here: install the package gnuplot-nox "
                   "(Debian, Ubuntu) or gnuplot; -o FILE.gp or FILE.csv needs none",
                   path);
}

TG_FIELD_TABLE(cell_fields, TG_FIELD(TgSweepCell, processors), TG_FIELD(TgSweepCell, time_s),
               TG_FIELD(TgSweepCell, compute_s), TG_FIELD(TgSweepCell, communication_s),
               TG_FIELD(TgSweepCell, efficiency), TG_FIELD(TgSweepCell, closed_form_s), TG_FIELD(TgSweepCell, messages),
               TG_FIELD(TgSweepCell, bytes), TG_FIELD(TgSweepCell, max_link_bytes),
               TG_FIELD_AS(TgSweepCell, memory.node_bytes, "bytes_per_node_max"), TG_FIELD(TgSweepCell, memory.fits),
               TG_FIELD(TgSweepCell, proved));

static void write_cell(TgJson *json, const TgSweep *sweep, const TgSweepPoint *point, int algorithm,
                       const TgSweepCell *cell, bool fastest) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", sweep->algorithm[algorithm]);
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

static void write_crossovers(TgJson *json, const TgSweep *sweep) {
  tg_json_key(json, "crossovers");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < sweep->crossovers->len; i++) {
    const TgCrossover *crossover = &g_array_index(sweep->crossovers, TgCrossover, i);
    tg_json_begin_object(json, TG_JSON_ROW);
    if (crossover->fixed) tg_json_member_integer(json, sweep->along_n ? "p" : "n", crossover->fixed);
    tg_json_member_string(json, "from", sweep->algorithm[crossover->before]);
    tg_json_member_string(json, "to", sweep->algorithm[crossover->after]);
    tg_json_member_integer(json, sweep->along_n ? "n" : "p", crossover->at);
    tg_json_member_double(json, "near", crossover->near);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

void tg_sweep_write(TgJson *json, const TgSweep *sweep) {
  tg_json_begin_document(json, "sweep");
  tg_json_member_string(json, "machine", sweep->machine);
  tg_json_member_string(json, "model", sweep->model);
  tg_json_member_string(json, "type", sweep->element);
  tg_json_member_string(json, "settings", sweep->settings);
  tg_sim_write_settings(json, &sweep->options);
  tg_json_member_double(json, "efficiency", sweep->efficiency);
  tg_json_key(json, "predictions");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < sweep->points->len; i++) {
    const int winner = tg_sweep_winner(sweep, i, -1);
    for (int a = 0; a < sweep->algorithms; a++)
      write_cell(json, sweep, tg_sweep_point(sweep, i), a, tg_sweep_cell(sweep, i, a),
                 winner >= 0 && tg_sweep_ties(sweep, i, a, winner));
  }
  tg_json_end_array(json);
  write_crossovers(json, sweep);
  tg_json_end_object(json);
}

static void append_number(GString *text, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(text, ',');
  if (!isnan(number)) g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.9g", number));
}

/* What is skipped has no row; an empty field is a number that there is none of. */
static char *csv_text(const TgSweep *sweep) {
  GString *text = g_string_new("algorithm,grid,topology,processors,m,n,k,time_s,compute_s,communication_s,efficiency,"
                               "closed_form_s,messages,bytes,max_link_bytes,bytes_per_node_max\n");
  for (guint i = 0; i < sweep->points->len; i++)
    for (int a = 0; a < sweep->algorithms; a++) {
      const TgSweepCell *cell = tg_sweep_cell(sweep, i, a);
      const TgSweepPoint *point = tg_sweep_point(sweep, i);
      if (cell->skipped) continue;
      const double numbers[] = {cell->time_s, cell->compute_s, cell->communication_s, cell->efficiency,
                                cell->closed_form_s};
      g_string_append_printf(text, "%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, sweep->algorithm[a],
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

static char *json_text(const TgSweep *sweep) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_sweep_write(json, sweep);
  return g_strdup(tg_json_text(json, NULL));
}

static bool make(const TgSweep *sweep, const char *path, char **bytes, gsize *length, GError **error) {
  const TgPlotFormat *format = tg_plot_format(path);
  if (format) return tg_plot_make(format, tg_sweep_script, sweep, bytes, length, error);
  *bytes = strcmp(text_of(path), "csv") == 0 ? csv_text(sweep) : json_text(sweep);
  *length = strlen(*bytes);
  return true;
}

TgExit tg_sweep_file_write(TgCli *cli, const TgSweep *sweep) {
  const char *path = cli->options.output;
  g_autofree char *bytes = NULL;
  gsize length;
  GError *error = NULL;
  if (!path) return TG_EXIT_DONE;
  if (!make(sweep, path, &bytes, &length, &error) || !tg_atomic_file_write(path, bytes, length, &error))
    return tg_report_error(cli, error);
  if (cli->options.json) return TG_EXIT_DONE;
  tg_print(cli, "\n");
  tg_print_line(cli, "%s", path);
  return TG_EXIT_DONE;
}
