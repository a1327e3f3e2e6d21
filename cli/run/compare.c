/* topogemm compare: predicts, runs, and shows both step by step. */
#include "compare.h"
#include "output.h"
#include "progress.h"

#include "measurement.h"

#include <math.h>
#include <stdlib.h>

static void free_result(gpointer data) {
  TgCompareResult *result = data;
  tg_expected_clear(&result->expected);
  g_free(result->predicted_s);
  g_free(result->measured_s);
  g_free(result->error);
  g_free(result);
}

static void clear_compare(TgCompareCommand *compare) {
  tg_run_clear(&compare->run);
  tg_calibrate_clear(&compare->calibrate);
  g_clear_pointer(&compare->results, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgCompareCommand, clear_compare)

/* --- the prediction ------------------------------------------------------------------------------------------------*/

/* The executor is opened for its facts, and closed before anything runs. */
static bool open_facts(TgCli *cli, const TgRunCommand *run, const TgRunResult *result, TgExecutorFacts *facts,
                       GError **error) {
  TgProgressLine line;
  TgExecutor *executor = tg_run_executor(cli, run, result, &line, error);
  if (!executor) return false;
  *facts = *tg_executor_facts(executor);
  facts->kernel = NULL;
  tg_executor_close(executor);
  return true;
}

static TgExit predict(TgCli *cli, TgCompareCommand *compare, guint r) {
  const TgRunCommand *run = &compare->run;
  const TgProblem *problem = &tg_run_result(run, r)->problem;
  TgCompareResult *result = g_new0(TgCompareResult, 1);
  TgExecutorFacts facts;
  GError *error = NULL;
  g_ptr_array_add(compare->results, result);
  if (!open_facts(cli, run, tg_run_result(run, r), &facts, &error))
    return tg_run_report(cli, run, tg_run_result(run, r), error);
  if (tg_expected_run(&problem->schedule, &problem->names, &facts, &run->options, &run->kind->traits, &compare->machine,
                      &result->expected, &error)) {
    tg_compare_warn_of_tiles(cli, compare, &facts, problem);
    tg_compare_warn_of_sizes(cli, compare, r);
    return TG_EXIT_DONE;
  }
  g_prefix_error(&error, "compare: predicting %s: ", tg_problem_name(problem));
  return tg_report_error(cli, error);
}

/* --- beside what was measured --------------------------------------------------------------------------------------*/

static double error_of(double predicted_s, double measured_s) {
  return measured_s > 0 ? (predicted_s - measured_s) / measured_s : NAN;
}

/* Where taking times makes runs slower, steps are those of runs that take none: their share of a run is kept. */
static double scale_of(const TgRunCommand *run, const TgRunResult *measured) {
  double sum_s = 0;
  if (!run->kind->times_apart) return 1;
  for (int64_t s = 0; s < measured->facts.steps; s++)
    if (measured->steps[s].runs > 0) sum_s += measured->steps[s].median_s;
  return sum_s > 0 ? measured->time.median_s * measured->steps_share / sum_s : 1;
}

static double median_of_absolutes(const double *error, int64_t steps) {
  g_autofree double *absolute = g_new(double, (gsize)MAX(steps, 1));
  int32_t count = 0;
  for (int64_t s = 0; s < steps; s++)
    if (!isnan(error[s])) absolute[count++] = fabs(error[s]);
  return count ? tg_measurement_of(absolute, count, 0).median_s : NAN;
}

static void set_beside(const TgRunCommand *run, const TgRunResult *measured, TgCompareResult *result) {
  const int64_t steps = measured->steps ? measured->facts.steps : 0;
  const gsize room = (gsize)MAX(steps, 1);
  g_autofree int64_t *runs = g_new0(int64_t, room);
  result->predicted_s = g_new0(double, room);
  result->measured_s = g_new0(double, room);
  result->error = g_new0(double, room);
  result->step_scale = steps ? scale_of(run, measured) : 1;
  for (int64_t s = 0; s < steps; s++) {
    runs[s] = measured->steps[s].runs;
    result->predicted_s[s] = (double)result->expected.passes * result->expected.step_s[s];
    result->measured_s[s] = runs[s] > 0 ? measured->steps[s].median_s * result->step_scale : 0;
  }
  tg_expected_fold_steps(runs, steps, result->predicted_s);
  for (int64_t s = 0; s < steps; s++) result->error[s] = error_of(result->predicted_s[s], result->measured_s[s]);
  result->total_error = error_of(result->expected.time_s, measured->time.median_s);
  result->median_abs_step_error = median_of_absolutes(result->error, steps);
}

int *tg_compare_places(const TgCompareCommand *compare, bool measured) {
  const guint count = compare->results->len;
  int *place = g_new(int, count);
  g_autofree double *time_s = g_new(double, count);
  for (guint r = 0; r < count; r++)
    time_s[r] =
        measured ? tg_run_result(&compare->run, r)->time.median_s : tg_compare_result(compare, r)->expected.time_s;
  for (guint r = 0; r < count; r++) {
    place[r] = 1;
    for (guint other = 0; other < count; other++) place[r] += time_s[other] < time_s[r];
  }
  return place;
}

static double sign_beyond(double difference, double tie) {
  return difference > tie ? 1 : difference < -tie ? -1 : 0;
}

bool tg_compare_agrees(const TgCompareCommand *compare) {
  const double same = 1e-3;
  for (guint r = 0; r < compare->results->len; r++)
    for (guint other = 0; other < r; other++) {
      const double first_s = tg_compare_result(compare, r)->expected.time_s;
      const double second_s = tg_compare_result(compare, other)->expected.time_s;
      const TgMeasurement *first = &tg_run_result(&compare->run, r)->time;
      const TgMeasurement *second = &tg_run_result(&compare->run, other)->time;
      const double spread_s = fmax(first->stddev_s, 0) + fmax(second->stddev_s, 0); /* of one trial there is none */
      if (sign_beyond(first_s - second_s, same * fmin(first_s, second_s)) *
              sign_beyond(first->median_s - second->median_s, spread_s) <
          0)
        return false;
    }
  return true;
}

/* --- the command ---------------------------------------------------------------------------------------------------*/

static TgExit say(TgCli *cli, const TgCompareCommand *compare) {
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_compare_write(cli, json, compare);
    tg_print(cli, "%s", tg_json_text(json, NULL));
  } else if (!cli->options.quiet) {
    tg_compare_print(cli, compare);
  }
  const TgExit status = tg_compare_file(cli, compare);
  return status ? status : tg_compare_trace(cli, compare);
}

static TgExit run_compare(TgCli *cli) {
  g_auto(TgCompareCommand) compare = {.results = g_ptr_array_new_with_free_func(free_result)};
  TgRunCommand *run = &compare.run;
  TgExit status = tg_compare_file_check(cli);
  if (!status) status = tg_run_begin(cli, "compare", run);
  if (!status && run->transport_count > 1)
    status =
        tg_report(cli, TG_EXIT_USAGE, "--transport %s: expected one, that of the machine file", cli->options.transport);
  if (!status) status = tg_compare_machine(cli, &compare);
  if (!status) status = tg_run_open(cli, run);
  if (!status) status = tg_compare_calibrate(cli, &compare);
  for (guint r = 0; !status && r < run->results->len; r++) status = predict(cli, &compare, r);
  for (guint r = 0; !status && r < run->results->len; r++) {
    status = tg_run_measure(cli, run, run->results->pdata[r]);
    if (!status) set_beside(run, tg_run_result(run, r), compare.results->pdata[r]);
  }
  if (status) return status;
  tg_environment_end(&run->environment);
  status = say(cli, &compare);
  return status ? status : tg_run_check(cli, run);
}

static const char *const options[] = {"on",
                                      "grid",
                                      "set",
                                      "n",
                                      "size",
                                      "a",
                                      "b",
                                      "type",
                                      "seed",
                                      "integers",
                                      "collective",
                                      "transport",
                                      "machine:compare",
                                      "sizes:calibrate",
                                      "budget:calibrate",
                                      "trials",
                                      "warmup",
                                      "deadline",
                                      "device",
                                      "variant",
                                      "no-cache",
                                      "json",
                                      "output:compare",
                                      "trace:compare",
                                      "quiet",
                                      "memory-limit",
                                      NULL};
static const TgExample examples[] = {
    {"compare cannon -n 200 --grid 2x2 --on cpu", "calibrates, predicts, runs, and shows both step by step"},
    {"compare cannon summa dns -n 256 --grid 4x4,2x2x2 --on cpu --machine my.machine",
     "whether the machine file of `calibrate` ranks them as they are"},
    {"compare summa -n 512 --grid 3x3 --on cpu --trace both.json -o steps.svg", "both on one time axis, and a plot"},
    {NULL, NULL},
};

const TgCommand tg_command_compare = {
    .name = "compare",
    .arguments = "ALGO…",
    .summary = "predict a run, run it, and show both step by step with the error",
    .details =
        "The prediction is made first, from the schedule, the sizes and the machine file of `topogemm calibrate`, by "
        "the model hockney: one pass through the schedule at the sizes of one instance, times the passes that follow "
        "one another. Then the run is checked and measured as `topogemm run` does. Errors are signed, (predicted - "
        "measured) / measured (docs/compare.md).\n"
        "Steps that take no time of their own, as moves that hide behind products, are counted to the next step that "
        "does. Several ALGOs make a table, with the order predicted and the order measured. -o FILE.json has the "
        "document, .svg, .png or .pdf a plot by gnuplot, .gp its script.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 16,
    .run = run_compare,
};
