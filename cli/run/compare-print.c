/* What `compare` says: documents, a plot of the steps, prediction and run on one time axis, and to people. */
#include "compare-command.h"
#include "output-files.h"
#include "output.h"
#include "sim.h"

#include "chart.h"
#include "text-units.h"

#include <math.h>

void tg_compare_estimate(const TgMachine *machine, const TgRunEntry *entry, TgElement element,
                         const TgExpectedRun *expected, const TgFormula *formula, TgEstimate *estimate) {
  const TgSchedule *schedule = &entry->algo.schedule;
  TgError unused;
  *estimate = (TgEstimate){.schedule = schedule,
                           .names = &entry->algo.names,
                           .formula = formula,
                           .network = expected->network,
                           .machine = *machine,
                           .shape = expected->shape,
                           .element = element,
                           .options = expected->options};
  tg_topology_format(&estimate->network, estimate->network_text, sizeof estimate->network_text);
  tg_embedding_init(&estimate->embedding, TG_ROWMAJOR, schedule->dims, schedule->extent, &estimate->network, &unused);
}

static void write_predicted(TgJson *json, const TgCompareCommand *compare, const TgRunEntry *measured,
                            const TgComparison *result) {
  const TgExpectedRun *expected = &result->expected;
  g_autoptr(TgFormula) formula = tg_algo_formula(&measured->algo);
  g_auto(TgEstimate) sim = {0};
  tg_compare_estimate(&compare->machine, measured, compare->run.options.element, expected, formula, &sim);
  tg_estimate_prove(&sim, NULL);
  tg_estimate_take_cost(&sim, &expected->cost);
  tg_estimate_closed_form(&sim);
  tg_json_key(json, "predicted");
  tg_sim_write(json, &sim);
}

TG_FIELD_TABLE(expected_fields, TG_FIELD(TgExpectedRun, pass_s), TG_FIELD(TgExpectedRun, rounds),
               TG_FIELD(TgExpectedRun, passes), TG_FIELD(TgExpectedRun, overhead_s));

static void write_totals(TgJson *json, const TgRunEntry *measured, const TgComparison *result) {
  const TgExpectedRun *expected = &result->expected;
  tg_json_member_double(json, "predicted_s", expected->time_s);
  tg_json_member_double(json, "measured_s", measured->run.time.median_s);
  tg_json_member_double(json, "least_s", result->least_s);
  tg_json_member_double(json, "most_s", result->most_s);
  tg_json_member_double(json, "drift_before", result->drift_before);
  tg_json_member_double(json, "drift_after", result->drift_after);
  tg_json_member_double(json, "cpu_waited", result->waited);
  tg_json_member_double(json, "error", result->total_error);
  tg_json_member_double(json, "median_abs_step_error", result->median_abs_step_error);
  tg_json_members(json, expected_fields, expected);
  tg_json_member_double(json, "step_scale", result->step_scale);
}

static void write_steps(TgJson *json, const TgRunEntry *measured, const TgComparison *result) {
  tg_json_member_array(json, "steps", TG_JSON_LINES);
  for (int64_t s = 0; measured->run.steps && s < measured->run.facts.steps; s++) {
    const bool none = measured->run.steps[s].runs == 0;
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "label", measured->run.steps[s].label);
    tg_json_member_integer(json, "index", measured->run.steps[s].index);
    tg_json_member_double(json, "predicted_s", none ? NAN : result->predicted_s[s]);
    tg_json_member_double(json, "measured_s", none ? NAN : result->measured_s[s]);
    tg_json_member_double(json, "error", none ? NAN : result->error[s]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_calibration(TgJson *json, const TgCompareCommand *compare) {
  tg_json_key(json, "calibration");
  if (compare->calibrated)
    tg_calibrate_write(json, &compare->calibrate);
  else
    tg_json_null(json);
}

static void write_result(TgJson *json, const TgCompareCommand *compare, guint r) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, r);
  const TgComparison *result = tg_compare_result(compare, r);
  tg_json_begin_document(json, "compare");
  tg_json_member_bool(json, "ok", measured->run.check.ok);
  tg_json_member_string(json, "algorithm", tg_algo_name(&measured->algo));
  tg_json_member_string(json, "on", compare->run.kind->name);
  tg_json_member_string(json, "machine", compare->machine.name);
  tg_json_member_bool(json, "calibrated", compare->calibrated);
  write_totals(json, measured, result);
  write_steps(json, measured, result);
  write_predicted(json, compare, measured, result);
  tg_json_key(json, "measured");
  tg_run_write_result(json, &compare->run, measured);
  if (compare->results->len == 1) write_calibration(json, compare);
  tg_json_end_object(json);
}

TG_FIELD_TABLE(ranking_fields, TG_FIELD(TgRanking, pairs), TG_FIELD(TgRanking, agree), TG_FIELD(TgRanking, disagree),
               TG_FIELD(TgRanking, predicted_ties), TG_FIELD(TgRanking, measured_ties), TG_FIELD(TgRanking, separated),
               TG_FIELD(TgRanking, separated_wrong), TG_FIELD(TgRanking, tau), TG_FIELD(TgRanking, regret),
               TG_FIELD(TgRanking, median_abs_error));

void tg_compare_write(TgJson *json, const TgCompareCommand *compare) {
  const guint count = compare->results->len;
  if (count == 1) {
    write_result(json, compare, 0);
    return;
  }
  g_autofree int *predicted = tg_compare_places(compare, false), *measured = tg_compare_places(compare, true);
  tg_json_begin_document(json, "comparisons");
  tg_json_member_bool(json, "ok", tg_run_is_right(&compare->run));
  tg_json_member_array(json, "comparisons", TG_JSON_LINES);
  for (guint r = 0; r < count; r++) write_result(json, compare, r);
  tg_json_end_array(json);
  tg_json_member_array(json, "places", TG_JSON_LINES);
  for (guint r = 0; r < count; r++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "algorithm", tg_algo_name(&tg_run_entry(&compare->run, r)->algo));
    tg_json_member_integer(json, "predicted_place", predicted[r]);
    tg_json_member_integer(json, "measured_place", measured[r]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
  const TgRanking ranking = tg_compare_ranking(compare);
  tg_json_member_object(json, "ranking", TG_JSON_LINES);
  tg_json_members(json, ranking_fields, &ranking);
  tg_json_end_object(json);
  write_calibration(json, compare);
  tg_environment_write(json, &compare->run.environment);
  tg_json_end_object(json);
}

enum { MOST_SLICES = 100000, MOST_POINTS = 2000 };

TgExit tg_compare_file_check(const TgCli *cli) {
  const char *path = cli->options.output;
  const TgPlotFormat *format = path ? tg_plot_format(path) : NULL;
  if (path && !format && !g_str_has_suffix(path, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .json, .svg, .png, .pdf or .gp", path);
  if (format && !tg_plot_possible(format))
    return tg_report(cli, TG_EXIT_MISSING,
                     "-o %s: gnuplot is not installed; use .gp for its script or .json for the numbers", path);
  return tg_output_files_check(cli);
}

/* --- the plot ------------------------------------------------------------------------------------------------------*/

static void add_panel(TgChart *chart, const TgCompareCommand *compare, guint r) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, r);
  const TgComparison *result = tg_compare_result(compare, r);
  g_autofree char *title =
      g_strdup_printf("%s on %s: %+.1f %% in total", tg_algo_name(&measured->algo),
                      tg_schedule_grid_text(&measured->algo.schedule).s, 100 * result->total_error);
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
    tg_compare_write(json, compare);
    bytes = g_strdup(tg_json_text(json, &length));
  }
  return tg_output_file_write(cli, path, bytes, length);
}

/* --- the trace -----------------------------------------------------------------------------------------------------*/

/* Steps of one pass, one after another. */
static void trace_predicted(TgTraceFile *file, const TgCompareCommand *compare, guint r, int64_t most) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, r);
  const TgComparison *result = tg_compare_result(compare, r);
  double at_s = 0;
  g_autofree char *process =
      g_strdup_printf("predicted: %s on %s, %s", tg_algo_name(&measured->algo),
                      tg_schedule_grid_text(&measured->algo.schedule).s, compare->run.kind->name);
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
      passes || steps ? g_strdup_printf("%s%s%s", passes ? "only one pass through each schedule is included" : "",
                                        passes && steps ? "; " : "", steps ? "only the first steps are included" : "")
                      : NULL;
  g_auto(TgTraceFile) file = {.process = TG_TRACE_PREDICTED};
  tg_trace_begin(&file,
                 (const char *const[]){"machine", compare->machine.name, "device",
                                       tg_environment_device(&run->environment), "on", run->kind->name, "left_out",
                                       missing},
                 4);
  for (guint r = 0; r < compare->results->len; r++) {
    trace_predicted(&file, compare, r, most);
    file.process++;
    tg_run_trace_result(&file, run, tg_run_entry(run, r), most);
    file.process++;
  }
  return tg_trace_end(cli, &file, missing);
}

enum { MOST_STEPS = 24 };

static void add_error(TgTable *table, double error) {
  tg_table_add(table, isnan(error) ? "-" : "%+.1f %%", 100 * error);
}

static void print_machine(TgCli *cli, const TgCompareCommand *compare) {
  const TgMachine *machine = &compare->machine;
  tg_print(cli, "machine: %s%s\n", machine->name,
           compare->calibrated ? ", calibrated for this comparison (--machine reuses a file from `topogemm calibrate`)"
                               : "");
}

static void print_problem(TgCli *cli, const TgRunCommand *run) {
  const TgComputes *computes = &tg_run_entry(run, 0)->algo.schedule.computes;
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64, tg_computes_text(computes).s, run->input.shape.m, run->input.shape.n);
  if (computes->right != TG_MATRICES) tg_print(cli, ", inner dimension %" PRId64, run->input.shape.k);
  tg_print(cli, ", %s, transport %s\n", tg_element_name(run->input.element), tg_transport_name(run->options.transport));
}

static void add_drift(TgTable *table, double drift, const char *when) {
  g_autofree char *number = g_strdup_printf("%.2f", drift);
  if (tg_drift_is_notable(drift))
    tg_table_add_fact(table, "drift", number,
                      "times the predicted time, judging by the machine's speed just %s the run: calibrate again",
                      when);
}

static void add_waited(TgTable *table, const TgComparison *result) {
  if (tg_comparison_waited(result))
    tg_table_add_fact(table, "waited", tg_percent_text(result->waited).s,
                      "of the time of its threads, for a CPU: other programs ran");
}

static void print_totals(TgCli *cli, const TgRunEntry *measured, const TgComparison *result) {
  const TgExpectedRun *expected = &result->expected;
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *taken = measured->run.time.trials == 1
                               ? g_strdup("one run")
                               : g_strdup_printf("median of %d runs, standard deviation %s", measured->run.time.trials,
                                                 tg_time_text(measured->run.time.stddev_s).s);
  tg_table_add_fact(table, "predicted", tg_time_text(expected->time_s).s,
                    "%" PRId64 " pass%s of %s through the schedule, plus %s of overhead", expected->passes,
                    expected->passes == 1 ? "" : "es", tg_time_text(expected->pass_s).s,
                    tg_time_text(expected->overhead_s).s);
  if (!isnan(result->least_s)) {
    g_autofree char *most = g_strdup_printf(
        "to %s: twice the residual and the spread of the calibration%s", tg_time_text(result->most_s).s,
        tg_drift_is_notable(result->drift_before) || tg_drift_is_notable(result->drift_after) ? ", times the drift"
                                                                                              : "");
    tg_table_add_fact(table, "expected", tg_time_text(result->least_s).s, "%s%s", most,
                      result->least_s <= measured->run.time.median_s && measured->run.time.median_s <= result->most_s
                          ? ""
                          : "; the run lies outside");
  }
  tg_table_add_fact(table, "measured", tg_time_text(measured->run.time.median_s).s, "%s", taken);
  tg_table_add(table, "error");
  add_error(table, result->total_error);
  tg_table_add(table, "(predicted - measured) / measured");
  add_drift(table, result->drift_before, "before");
  add_drift(table, result->drift_after, "after");
  add_waited(table, result);
  tg_table_print(cli, table, 2, false);
}

static int64_t add_steps(TgTable *table, const TgRunEntry *measured, const TgComparison *result) {
  int64_t folded = 0;
  for (int64_t s = 0; s < measured->run.facts.steps; s++) {
    const bool none = measured->run.steps[s].runs == 0;
    folded += none;
    if (s >= MOST_STEPS) continue;
    tg_table_add(table, "%" PRId64, measured->run.steps[s].index);
    tg_table_add(table, "%s", measured->run.steps[s].label);
    tg_table_add_time(table, none ? NAN : result->predicted_s[s]);
    tg_table_add_time(table, none ? NAN : result->measured_s[s]);
    add_error(table, none ? NAN : result->error[s]);
  }
  return folded;
}

/* Whose they are. */
static const char *times_of(const TgExecutorFacts *facts) {
  return facts->at_once == 0   ? "mean of the processors that take part"
         : facts->at_once == 1 ? "total of all processors"
                               : "mean of the cores";
}

static void print_steps(TgCli *cli, const TgRunEntry *measured, const TgComparison *result) {
  g_autoptr(TgTable) table = tg_table_new("rlrrr");
  if (!measured->run.steps) return;
  tg_table_add_row(table, "step|label|predicted|measured|error");
  const int64_t folded = add_steps(table, measured, result);
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (measured->run.facts.steps > MOST_STEPS)
    tg_print(cli, "  … and %" PRId64 " more steps; --json prints all of them\n",
             measured->run.facts.steps - MOST_STEPS);
  GString *words = g_string_new(NULL);
  g_string_printf(words, "times: %s in the step, over the whole run; median absolute error: %.1f %%",
                  times_of(&measured->run.facts), 100 * result->median_abs_step_error);
  if (folded) g_string_append(words, "; a step with - has no time of its own and counts towards the next one that has");
  if (result->step_scale != 1)
    g_string_append_printf(words, "; steps are timed in separate, slower runs; their times are multiplied by %.3f",
                           result->step_scale);
  tg_print_wrapped(cli, words->str, 2, 0);
  g_string_free(words, TRUE);
}

static void print_one(TgCli *cli, const TgCompareCommand *compare) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, 0);
  const TgComparison *result = tg_compare_result(compare, 0);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s on %s, predicted and executed on %s", tg_algo_name(&measured->algo),
                  tg_schedule_grid_text(&measured->algo.schedule).s, compare->run.kind->name);
  print_problem(cli, &compare->run);
  print_machine(cli, compare);
  tg_print(cli, "\n");
  print_totals(cli, measured, result);
  print_steps(cli, measured, result);
}

/* What differs by no more than predictions may be off is in any order. */
static char *verdict_of(const TgRanking *ranking, double error) {
  const int wrong = ranking->separated_wrong;
  char number[16] = "none";
  if (ranking->measured_ties == ranking->pairs)
    return g_strdup("The runs are too noisy to rank: their times differ by no more than their standard deviations.");
  if (ranking->separated == 0)
    return g_strdup_printf("The prediction does not tell them apart: it may be off by %.1f %% either way.",
                           100 * error);
  if (wrong > 0) g_snprintf(number, sizeof number, "%d", wrong);
  return g_strdup_printf(
      "The prediction, which may be off by %.1f %% either way, tells %d of %d pairs apart, %s of them "
      "in the wrong order.",
      100 * error, ranking->separated, ranking->pairs, number);
}

/* What a user decides by is whether the predicted winner is a good choice. */
static void print_ranking(TgCli *cli, const TgCompareCommand *compare) {
  const TgRanking ranking = tg_compare_ranking(compare);
  g_autoptr(GString) words = g_string_new(NULL);
  tg_print(cli, "\n");
  g_autofree char *verdict = verdict_of(&ranking, tg_machine_error(&compare->machine));
  tg_print_wrapped(cli, verdict, 2, 0);
  g_string_printf(words, "the predicted winner takes %.1f %% longer than the fastest; median absolute error %.1f %%",
                  100 * ranking.regret, 100 * ranking.median_abs_error);
  if (!isnan(ranking.tau)) g_string_append_printf(words, "; rank correlation %.2f (Kendall's tau-b)", ranking.tau);
  tg_print_wrapped(cli, words->str, 2, 0);
}

static void print_waited(TgCli *cli, const TgCompareCommand *compare) {
  double most = 0;
  for (guint r = 0; r < compare->results->len; r++)
    if (tg_comparison_waited(tg_compare_result(compare, r))) most = fmax(most, tg_compare_result(compare, r)->waited);
  if (most == 0) return;
  g_autofree char *words =
      g_strdup_printf("waited: up to %s of the time of their threads the runs waited for a CPU: other programs ran",
                      tg_percent_text(most).s);
  tg_print_wrapped(cli, words, 2, 0);
}

static void print_drift(TgCli *cli, const TgCompareCommand *compare) {
  double least = INFINITY, most = 0;
  for (guint r = 0; r < compare->results->len; r++) {
    const TgComparison *result = tg_compare_result(compare, r);
    least = fmin(least, fmin(result->drift_before, result->drift_after));
    most = fmax(most, fmax(result->drift_before, result->drift_after));
  }
  print_waited(cli, compare);
  if (isinf(least) || (!tg_drift_is_notable(least) && !tg_drift_is_notable(most))) return;
  g_autofree char *words = g_strdup_printf("drift: judging by the machine's speed just before and after them, the runs "
                                           "would take %.2f to %.2f times their predicted time: "
                                           "calibrate again",
                                           least, most);
  tg_print_wrapped(cli, words, 2, 0);
}

/* Predictions that the machine's error does not separate from the predicted winner, itself included. */
static bool *find_ties(const TgCompareCommand *compare, const int *predicted, int *ties) {
  const guint count = compare->results->len;
  bool *tied = g_new(bool, count);
  guint winner = 0;
  while (predicted[winner] != 1) winner++;
  *ties = 0;
  for (guint r = 0; r < count; r++) {
    tied[r] = tg_machine_is_tie(&compare->machine, tg_compare_result(compare, r)->expected.time_s,
                                tg_compare_result(compare, winner)->expected.time_s);
    *ties += tied[r];
  }
  return tied;
}

static void print_several(TgCli *cli, const TgCompareCommand *compare) {
  const guint count = compare->results->len;
  g_autofree int *predicted = tg_compare_places(compare, false), *measured = tg_compare_places(compare, true);
  int ties;
  g_autofree bool *tied = find_ties(compare, predicted, &ties);
  g_autoptr(TgTable) table = tg_table_new("llrrrrrr");
  tg_print_styled(cli, TG_STYLE_HEADING, "predicted and executed on %s", compare->run.kind->name);
  print_problem(cli, &compare->run);
  print_machine(cli, compare);
  tg_print(cli, "\n");
  tg_table_add_row(table, "|grid|predicted|measured|error|steps|place predicted|place measured");
  for (guint r = 0; r < count; r++) {
    const TgRunEntry *run = tg_run_entry(&compare->run, r);
    const TgComparison *result = tg_compare_result(compare, r);
    tg_table_add(table, "%s", tg_algo_name(&run->algo));
    tg_table_add(table, "%s", tg_schedule_grid_text(&run->algo.schedule).s);
    tg_table_add_time(table, result->expected.time_s);
    tg_table_add_time(table, run->run.time.median_s);
    add_error(table, result->total_error);
    tg_table_add(table, isnan(result->median_abs_step_error) ? "-" : "%.1f %%", 100 * result->median_abs_step_error);
    tg_table_add(table, "%s%d", ties > 1 && tied[r] ? "=" : "", predicted[r]);
    tg_table_add(table, "%d", measured[r]);
  }
  tg_table_print(cli, table, 2, true);
  tg_print_wrapped(cli,
                   "error: (predicted - measured) / measured; steps: median absolute error of the steps; =: the "
                   "prediction does not tell it from the predicted winner",
                   2, 0);
  print_ranking(cli, compare);
  print_drift(cli, compare);
}

void tg_compare_print(TgCli *cli, const TgCompareCommand *compare) {
  compare->results->len > 1 ? print_several(cli, compare) : print_one(cli, compare);
  tg_run_print_variants(cli, &compare->run);
  g_autofree char *environment = tg_environment_text(&compare->run.environment);
  tg_print(cli, "executed by %s; %s\n", environment, tg_run_entry(&compare->run, 0)->run.kernel);
}
