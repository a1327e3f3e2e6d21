/* One ALGO on its executor: open, load, run as often as asked, gather, check. */
#include "progress.h"
#include "run.h"

#include "nvtx.h"

#include <math.h>
#include <string.h>

enum {
  FEWEST_TRIALS = 3,
  GOOD_TRIALS = 20, /* a median of so many is taken even where it takes `patience_s` */
  MOST_TRIALS = 100,
  MOST_SAMPLES = 1 << 22 /* steps times trials that are kept */
};
static const double budget_s = 2, patience_s = 20;

enum { BUSY, WAITED, BEGIN, END, FIELDS };

/** A run under way. */
typedef struct TgMeasuring {
  TgRunCommand *run;
  TgRunResult *result;
  TgExecutor *executor;
  TgProgressLine line;
  GArray *seconds; /**< double: of the trials */
  GArray *timed_s; /**< double: of the runs that the samples are of: the trials, or others after them */
  double *sample;  /**< [(step * FIELDS + field) * kept + trial] */
  int64_t kept;
  void *flush; /**< device memory that is written to empty the cache */
  int64_t flush_bytes;
  bool is_checked;
} TgMeasuring;

static double now_s(void) {
  return (double)g_get_monotonic_time() * 1e-6;
}

static bool device_failed(GError **error, const TgError *reason) {
  g_set_error_literal(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED, reason->message);
  return false;
}

static bool empty_cache(const TgMeasuring *at, GError **error) {
  TgError reason;
  if (!at->flush) return true;
  return (tg_device_fill(at->flush, 0, at->flush_bytes, &reason) && tg_device_wait(&reason)) ||
         device_failed(error, &reason);
}

static bool check_c(TgMeasuring *at, GError **error) {
  TgRunCommand *run = at->run;
  TgResultCheck check;
  const double begun_s = now_s();
  memset(run->c->data, 0xff, tg_matrix_bytes(run->c)); /* an element that is not written is NaN */
  tg_range_begin("gather");
  const bool gathered = tg_executor_gather(at->executor, run->c->data, error);
  tg_range_end();
  at->result->gather_s = now_s() - begun_s;
  if (!gathered ||
      !tg_result_check(&check, &at->result->problem.schedule.computes, &run->input.shape, run->input.element,
                       run->input.a->data, tg_input_b(&run->input), run->c->data, 0, error))
    return false;
  const TgResultCheck *before = &at->result->check;
  if (!at->is_checked || (before->ok && !(check.relative_error <= before->relative_error))) at->result->check = check;
  at->is_checked = true;
  return true;
}

/* The first run of all is checked at once: before it, the executor's memory was poisoned. `*wall_s` is what a run takes
 * with all that belongs to it. */
static bool run_once(TgMeasuring *at, double *seconds, double *wall_s, GError **error) {
  if (!empty_cache(at, error)) return false;
  const double begun_s = now_s();
  tg_range_begin("run");
  const bool fine = tg_executor_run(at->executor, seconds, error);
  tg_range_end();
  *wall_s = now_s() - begun_s;
  return fine && (at->is_checked || check_c(at, error));
}

/* As many as fit the budget, from a good median to more than enough; a long run fewer times. */
static int64_t fit_trials(double once_s) {
  const double fit = once_s > 0 ? budget_s / once_s : MOST_TRIALS;
  if (fit >= GOOD_TRIALS) return (int64_t)fmin(fit, MOST_TRIALS);
  return (int64_t)CLAMP(patience_s / once_s, FEWEST_TRIALS, GOOD_TRIALS);
}

static void keep_steps(TgMeasuring *at, int64_t trial) {
  const TgExecutorStep *steps = tg_executor_steps(at->executor);
  if (!steps || trial >= at->kept) return;
  for (int64_t s = 0; s < at->result->facts.steps; s++) {
    const double values[FIELDS] = {steps[s].busy_s, steps[s].waited_s, steps[s].begin_s, steps[s].end_s};
    for (int f = 0; f < FIELDS; f++) at->sample[(s * FIELDS + f) * at->kept + trial] = values[f];
  }
}

/* Room for the steps of so many trials, or of as many of them as there is room for. */
static void reserve_samples(TgMeasuring *at, int64_t trials) {
  const int64_t steps = at->result->facts.steps;
  if (at->sample || !tg_executor_steps(at->executor) || steps == 0) return;
  at->kept = MIN(trials, MAX(1, MOST_SAMPLES / steps));
  at->sample = g_new(double, (gsize)(steps * FIELDS * at->kept));
}

/* How many trials there will be; 0 while nothing has run yet that says so. */
static bool warm_up(TgMeasuring *at, int64_t *trials, GError **error) {
  double seconds, wall_s;
  *trials = at->run->trials;
  for (int64_t w = 0; w < at->run->warmup; w++)
    if (!run_once(at, &seconds, &wall_s, error)) return false;
  if (*trials == 0 && at->run->warmup > 0) *trials = fit_trials(wall_s);
  return true;
}

static void keep_sample(TgMeasuring *at, int64_t trial, int64_t trials, double seconds) {
  reserve_samples(at, trials);
  keep_steps(at, trial);
  g_array_append_val(at->timed_s, seconds);
}

static bool run_trials(TgMeasuring *at, int64_t trials, GError **error) {
  double seconds, wall_s;
  for (int64_t t = 0; t == 0 || t < trials; t++) {
    if (!run_once(at, &seconds, &wall_s, error)) return false;
    if (trials == 0) trials = fit_trials(wall_s);
    at->line.total = trials;
    g_array_append_val(at->seconds, seconds);
    if (!at->run->kind->times_apart) keep_sample(at, t, trials, seconds);
    tg_progress_at(&at->line, t + 1);
  }
  return true;
}

/* Where taking times makes a run slower: in runs after the trials. */
static bool time_apart(TgMeasuring *at, GError **error) {
  double seconds, wall_s;
  const int64_t trials = MIN((int64_t)at->seconds->len, GOOD_TRIALS);
  if (!at->run->kind->times_apart) return true;
  tg_executor_take_times(at->executor, true);
  for (int64_t t = 0; t < trials; t++) {
    if (!run_once(at, &seconds, &wall_s, error)) return false;
    keep_sample(at, t, trials, seconds);
  }
  return true;
}

static bool run_all(TgCli *cli, TgMeasuring *at, GError **error) {
  const TgProblem *problem = &at->result->problem;
  int64_t trials;
  tg_executor_take_times(at->executor, !at->run->kind->times_apart);
  tg_progress_begin(&at->line, cli, at->run->command, MAX(at->run->trials, 1));
  at->line.parts = tg_walk_count_statements(&problem->schedule, &problem->names);
  const bool fine = warm_up(at, &trials, error) && run_trials(at, trials, error) && time_apart(at, error);
  tg_progress_end(cli);
  return fine;
}

static double median_of(TgMeasuring *at, int64_t step, int field) {
  return tg_measurement_of(&at->sample[(step * FIELDS + field) * at->kept], (int32_t)at->kept, 0).median_s;
}

/* A processor's time in a step of a trial. */
static double step_s(const TgMeasuring *at, int64_t step, int64_t trial) {
  const double *values = &at->sample[step * FIELDS * at->kept + trial];
  return values[BUSY * at->kept] + values[WAITED * at->kept];
}

static double run_s(const TgMeasuring *at, int64_t trial) {
  return g_array_index(at->timed_s, double, (guint)trial);
}

/* Before median_of() for this step, which sorts. */
static void sum_up_step(const TgMeasuring *at, int64_t step, TgRunStep *sums, double *room) {
  sums->share = 0;
  for (int64_t t = 0; t < at->kept; t++) {
    room[t] = step_s(at, step, t);
    sums->share += room[t] / run_s(at, t) / (double)at->kept;
  }
  sums->median_s = tg_measurement_of(room, (int32_t)at->kept, 0).median_s;
}

/* Of each trial, so that what makes one run slower than another is in both. */
static void sum_up_runs(const TgMeasuring *at, const TgExecutorStep *steps) {
  TgRunResult *result = at->result;
  g_autofree double *inside_s = g_new0(double, (gsize)at->kept), *outside_s = g_new(double, (gsize)at->kept);
  g_autofree double *share = g_new(double, (gsize)at->kept);
  for (int64_t t = 0; t < at->kept; t++) {
    for (int64_t s = 0; s < result->facts.steps; s++) inside_s[t] += steps[s].runs > 0 ? step_s(at, s, t) : 0;
    outside_s[t] = run_s(at, t) - inside_s[t];
    share[t] = inside_s[t] / run_s(at, t);
    result->outside_share += (1 - share[t]) / (double)at->kept;
  }
  result->steps_share = tg_measurement_of(share, (int32_t)at->kept, 0).median_s;
  result->steps_s = tg_measurement_of(inside_s, (int32_t)at->kept, 0).median_s;
  result->outside_s = tg_measurement_of(outside_s, (int32_t)at->kept, 0).median_s;
}

static void sum_up_steps(TgMeasuring *at) {
  TgRunResult *result = at->result;
  const TgExecutorStep *steps = tg_executor_steps(at->executor);
  if (!at->sample || !steps) return;
  result->steps = g_new(TgRunStep, (gsize)result->facts.steps);
  result->step_trials = at->kept;
  sum_up_runs(at, steps);
  g_autofree double *room = g_new(double, (gsize)at->kept);
  for (int64_t s = 0; s < result->facts.steps; s++) {
    TgRunStep *sums = &result->steps[s];
    *sums = (TgRunStep){.label = steps[s].label,
                        .index = steps[s].index,
                        .runs = steps[s].runs,
                        .median_s = NAN,
                        .busy_s = NAN,
                        .waited_s = NAN,
                        .begin_s = NAN,
                        .end_s = NAN,
                        .share = NAN};
    if (steps[s].runs == 0) continue;
    sum_up_step(at, s, sums, room);
    sums->busy_s = median_of(at, s, BUSY);
    sums->waited_s = median_of(at, s, WAITED);
    sums->begin_s = median_of(at, s, BEGIN);
    sums->end_s = median_of(at, s, END);
  }
}

static bool load(TgMeasuring *at, GError **error) {
  const double begun_s = now_s();
  tg_range_begin("load");
  const bool fine = tg_executor_load(at->executor, at->run->input.a->data, tg_input_b(&at->run->input), error);
  tg_range_end();
  at->result->load_s = now_s() - begun_s;
  return fine;
}

static bool open_flush(TgMeasuring *at, GError **error) {
  TgError reason;
  if (!at->run->cold) return true;
  at->flush_bytes = 2 * (int64_t)at->run->environment.device.l2_bytes;
  at->flush = tg_device_allocate(at->flush_bytes, &reason);
  return at->flush || device_failed(error, &reason);
}

TgExecutor *tg_run_executor(TgCli *cli, const TgRunCommand *run, const TgRunResult *result, TgProgressLine *line,
                            GError **error) {
  const TgProblem *problem = &result->problem;
  TgExecutorOptions options = tg_run_options(run, result);
  options.watch = &line->watch;
  tg_progress_begin(line, cli, "proof", tg_walk_count_statements(&problem->schedule, &problem->names));
  TgExecutor *executor = tg_executor_open(run->kind, &problem->schedule, &problem->names, &options, error);
  tg_progress_end(cli);
  return executor;
}

static bool measure(TgCli *cli, TgMeasuring *at, GError **error) {
  TgRunResult *result = at->result;
  at->executor = tg_run_executor(cli, at->run, result, &at->line, error);
  if (!at->executor) return false;
  result->facts = *tg_executor_facts(at->executor);
  result->facts.kernel = result->kernel = g_strdup(result->facts.kernel);
  if (!open_flush(at, error) || !load(at, error) || !run_all(cli, at, error) || !check_c(at, error)) return false;
  sum_up_steps(at); /* before the times are sorted */
  result->time =
      tg_measurement_of((double *)(void *)at->seconds->data, (int32_t)at->seconds->len, (int32_t)at->run->warmup);
  return true;
}

TgExit tg_run_prove(const TgCli *cli, const TgRunCommand *run, const TgRunResult *result) {
  const TgProblem *problem = &result->problem;
  const TgExecutorOptions *options = &run->options;
  g_autofree TgProof *proof = g_new(TgProof, 1);
  if (tg_prove(&problem->schedule, &problem->names, options->collective, options->m, options->n, options->k, proof))
    return TG_EXIT_DONE;
  return tg_problem_report_failure(cli, problem, &proof->failure);
}

TgExit tg_run_report(const TgCli *cli, const TgRunCommand *run, const TgRunResult *result, GError *error) {
  char grid[48];
  const TgProblem *problem = &result->problem;
  const bool unproved = g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE);
  const TgExit status = unproved ? tg_run_prove(cli, run, result) : TG_EXIT_DONE;
  if (status) {
    g_error_free(error);
    return status;
  }
  tg_schedule_grid_text(&problem->schedule, grid, sizeof grid);
  if (result->variant_from == TG_VARIANT_TUNED)
    g_prefix_error(&error, "variant %d, which bench shapes has kept and --no-cache ignores: ", result->variant);
  g_prefix_error(&error, "%s: %s on %s, --on %s: ", run->command, tg_problem_name(problem), grid, run->kind->name);
  return tg_report_error(cli, error);
}

TgExit tg_run_measure(TgCli *cli, TgRunCommand *run, TgRunResult *result) {
  GError *error = NULL;
  TgMeasuring at = {.run = run,
                    .result = result,
                    .seconds = g_array_new(FALSE, FALSE, sizeof(double)),
                    .timed_s = g_array_new(FALSE, FALSE, sizeof(double))};
  const bool fine = measure(cli, &at, &error);
  if (at.flush) tg_device_free(at.flush);
  tg_executor_close(at.executor);
  g_array_unref(at.seconds);
  g_array_unref(at.timed_s);
  g_free(at.sample);
  return fine ? TG_EXIT_DONE : tg_run_report(cli, run, result, error);
}
