/* `compare -o` and `--trace`: the document, a plot of the steps, and both on one time axis. */
#include "compare-command.h"
#include "output-files.h"
#include "output.h"

#include "chart.h"

#include <math.h>
#include <string.h>

enum { MOST_SLICES = 100000, MOST_POINTS = 2000 };

TgExit tg_compare_file_check(const TgCli *cli) {
  const char *path = cli->options.output;
  const TgPlotFormat *format = path ? tg_plot_format(path) : NULL;
  if (path && !format && !g_str_has_suffix(path, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .json, .svg, .png, .pdf or .gp", path);
  if (format && !tg_plot_possible(format))
    return tg_report(cli, TG_EXIT_MISSING, "-o %s: gnuplot is not installed; .gp is its script, .json the numbers",
                     path);
  return tg_output_files_check(cli);
}

/* --- the plot ------------------------------------------------------------------------------------------------------*/

static void add_panel(TgChart *chart, const TgCompareCommand *compare, guint r) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, r);
  const TgComparison *result = tg_compare_result(compare, r);
  char grid[48];
  tg_schedule_grid_text(&measured->problem.schedule, grid, sizeof grid);
  g_autofree char *title = g_strdup_printf("%s on %s: %+.1f %% in all", tg_problem_name(&measured->problem), grid,
                                           100 * result->total_error);
  TgPanel *panel = tg_chart_panel(chart, title, "step", "time in the step, us");
  tg_panel_linear(panel);
  for (int64_t s = 0; measured->run.steps && s < MIN(measured->run.facts.steps, MOST_POINTS); s++) {
    if (measured->run.steps[s].runs == 0) continue;
    tg_panel_point(panel, "predicted", (double)(s + 1), 1e6 * result->predicted_s[s]);
    tg_panel_point(panel, "measured", (double)(s + 1), 1e6 * result->measured_s[s]);
  }
}

static char *make_script(const void *data, const TgPlotFormat *format) {
  const TgCompareCommand *compare = data;
  const TgShape *shape = &compare->run.input.shape;
  g_autofree char *title =
      g_strdup_printf("Predicted and measured on %s: %" PRId64 "x%" PRId64 "x%" PRId64 ", %s", compare->run.kind->name,
                      shape->m, shape->n, shape->k, tg_element_name(compare->run.input.element));
  g_autofree char *note = g_strdup_printf("machine: %s", compare->machine.name);
  g_autoptr(TgChart) chart = tg_chart_new(title, note);
  for (guint r = 0; r < compare->results->len; r++) add_panel(chart, compare, r);
  return tg_chart_script(chart, format);
}

TgExit tg_compare_file(TgCli *cli, const TgCompareCommand *compare) {
  const char *path = cli->options.output;
  g_autofree char *bytes = NULL;
  gsize length;
  GError *error = NULL;
  if (!path) return TG_EXIT_DONE;
  const TgPlotFormat *format = tg_plot_format(path);
  if (format && !tg_plot_make(format, make_script, compare, &bytes, &length, &error))
    return tg_report_error(cli, error);
  if (!format) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_compare_write(cli, json, compare);
    bytes = g_strdup(tg_json_text(json, &length));
  }
  return tg_output_file_write(cli, path, bytes, length);
}

/* --- the trace -----------------------------------------------------------------------------------------------------*/

/* Steps of one pass, one after another. */
static void write_predicted(TgTraceFile *file, const TgCompareCommand *compare, guint r, int64_t most) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, r);
  const TgComparison *result = tg_compare_result(compare, r);
  char grid[48];
  double at_s = 0;
  tg_schedule_grid_text(&measured->problem.schedule, grid, sizeof grid);
  g_autofree char *process =
      g_strdup_printf("predicted: %s on %s, %s", tg_problem_name(&measured->problem), grid, compare->run.kind->name);
  tg_trace_name(file, "process_name", 0, process);
  tg_trace_name(file, "thread_name", 0, "steps");
  for (int64_t s = 0; measured->run.steps && s < MIN(measured->run.facts.steps, most); s++) {
    const TgRunStep *step = &measured->run.steps[s];
    const double end_s = at_s + result->predicted_s[s] / (double)result->expected.passes;
    const TgTraceArgument arguments[] = {{.name = "step", .number = (double)step->index},
                                         {.name = "error", .number = result->error[s]}};
    if (step->runs == 0) continue;
    tg_trace_slice(file, &(TgTraceSlice){.name = *step->label ? step->label : "step",
                                         .kind = "step",
                                         .start_s = at_s,
                                         .end_s = end_s,
                                         .argument = arguments,
                                         .arguments = G_N_ELEMENTS(arguments)});
    at_s = end_s;
  }
}

TgExit tg_compare_trace(TgCli *cli, const TgCompareCommand *compare) {
  const TgRunCommand *run = &compare->run;
  const int64_t most = MOST_SLICES / compare->results->len;
  bool passes = false, steps = false;
  if (!cli->options.trace) return TG_EXIT_DONE;
  for (guint r = 0; r < compare->results->len; r++) {
    passes |= tg_compare_result(compare, r)->expected.passes > 1;
    steps |= tg_run_entry(run, r)->run.facts.steps > most;
  }
  g_autofree char *missing =
      passes || steps
          ? g_strdup_printf("%s%s%s", passes ? "of the passes through a schedule one is there" : "",
                            passes && steps ? "; " : "", steps ? "of the steps the first ones are there" : "")
          : NULL;
  g_auto(TgTraceFile) file = {.process = TG_TRACE_PREDICTED};
  tg_trace_begin(&file,
                 (const char *const[]){"machine", compare->machine.name, "device",
                                       tg_environment_device(&run->environment), "on", run->kind->name, "left_out",
                                       missing},
                 4);
  for (guint r = 0; r < compare->results->len; r++) {
    write_predicted(&file, compare, r, most);
    file.process++;
    tg_run_trace_result(&file, run, tg_run_entry(run, r), most);
    file.process++;
  }
  return tg_trace_end(cli, &file, missing);
}
