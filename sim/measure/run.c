#include "run.h"

#include "check.h"
#include "executor-kind.h"
#include "trials.h"

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
  TgExecutor *executor;
  const TgRunOptions *options;
  const void *a, *b;
  void *c;
  TgRunResult *result;
  bool keeps_steps;   /**< of the runs now */
  double *run_s;      /**< of the runs that the samples are of: the trials, or others after them */
  double *sample;     /**< [(step * FIELDS + field) * room + trial] */
  int64_t room, kept; /**< trials that there is room for, and that are there */
  bool is_checked;
  GError **error;
} TgMeasuring;

static void tell_phase(const TgMeasuring *at, const char *name) {
  if (at->options->phase) at->options->phase(at->options->data, name);
}

enum { NOT_WRITTEN = 0xff /* the bytes of NaN */ };

static void forget_part(const TgMeasuring *at, const TgMatrixPart *part) {
  const int64_t bytes = tg_element_bytes(at->executor->options.element), columns = at->executor->options.n;
  for (int64_t row = part->row; row < part->row + part->rows; row++)
    memset((char *)at->c + (row * columns + part->column) * bytes, NOT_WRITTEN, (size_t)(part->columns * bytes));
}

/* What this program has of each matrix. */
static void find_parts(const TgMeasuring *at, GArray *found[TG_MATRICES]) {
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    found[matrix] = at->executor->kind->parts(at->executor, (TgMatrixName)matrix);
}

static void sum_over_job(const void *executor, double *values, int64_t count) {
  ((const TgExecutor *)executor)->kind->sum(executor, values, count);
}

static bool gather(TgMeasuring *at) {
  const double begun_s = tg_now_s();
  tell_phase(at, "gather");
  const bool gathered = tg_executor_gather(at->executor, at->c, at->error);
  tell_phase(at, NULL);
  at->result->gather_s = tg_now_s() - begun_s;
  return gathered;
}

static bool gather_and_check_parts(TgMeasuring *at, const TgShape *shape, TgCheck *check) {
  GArray *found[TG_MATRICES];
  TgCheckParts parts = {.job = {sum_over_job, at->executor}};
  const void *const data[] = {at->a, at->b, at->c};
  find_parts(at, found);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    parts.part[matrix] = (const TgMatrixPart *)(void *)found[matrix]->data;
    parts.parts[matrix] = found[matrix]->len;
  }
  for (int64_t p = 0; p < parts.parts[TG_MATRIX_C]; p++) forget_part(at, &parts.part[TG_MATRIX_C][p]);
  const bool gathered = gather(at);
  if (gathered)
    tg_check_estimate(check, &at->executor->schedule->computes, shape, at->executor->options.element, data, &parts);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) g_array_unref(found[matrix]);
  return gathered;
}

static bool gather_and_check(TgMeasuring *at, const TgShape *shape, TgCheck *check) {
  const TgExecutorOptions *options = &at->executor->options;
  if (options->parts) return gather_and_check_parts(at, shape, check);
  memset(at->c, NOT_WRITTEN, (size_t)(options->m * options->n * tg_element_bytes(options->element)));
  return gather(at) && tg_check_large_product(check, &at->executor->schedule->computes, shape, options->element, at->a,
                                              at->b, at->c, 0, at->error);
}

static bool check_c(TgMeasuring *at) {
  const TgExecutorOptions *options = &at->executor->options;
  TgCheck check;
  TgShape shape;
  if (!tg_shape_init(&shape, &at->executor->schedule->computes, options->m, options->n, options->k, at->error) ||
      !gather_and_check(at, &shape, &check))
    return false;
  const TgCheck *before = &at->result->check;
  if (!at->is_checked || (before->ok && !(check.relative_error <= before->relative_error))) at->result->check = check;
  at->is_checked = true;
  return true;
}

/* Room for the steps of so many trials, or of as many of them as there is room for. */
static void reserve_samples(TgMeasuring *at, int64_t trials) {
  const int64_t steps = at->result->facts.steps;
  if (at->sample || !tg_executor_steps(at->executor) || steps == 0) return;
  at->room = MIN(trials, MAX(1, MOST_SAMPLES / steps));
  at->sample = g_new(double, (gsize)(steps * FIELDS * at->room));
  at->run_s = g_new(double, (gsize)at->room);
}

static void keep_sample(TgMeasuring *at, double seconds) {
  const TgExecutorStep *steps = tg_executor_steps(at->executor);
  if (!steps || at->kept == at->room) return;
  at->run_s[at->kept] = seconds;
  for (int64_t s = 0; s < at->result->facts.steps; s++) {
    const double values[FIELDS] = {steps[s].busy_s, steps[s].waited_s, steps[s].begin_s, steps[s].end_s};
    for (int f = 0; f < FIELDS; f++) at->sample[(s * FIELDS + f) * at->room + at->kept] = values[f];
  }
  at->kept++;
}

/* The first run of all is checked at once: before it, the executor's memory may have been poisoned. */
static bool run_once(void *data, int32_t trial, int32_t trials, double *seconds) {
  TgMeasuring *at = data;
  const TgRunOptions *options = at->options;
  if (options->before_run && !options->before_run(options->data, at->error)) return false;
  tell_phase(at, "run");
  const bool fine = tg_executor_run(at->executor, seconds, at->error);
  tell_phase(at, NULL);
  if (!fine || (!at->is_checked && !check_c(at))) return false;
  if (trial >= 0 && at->keeps_steps) {
    reserve_samples(at, trials ? trials : MOST_TRIALS);
    keep_sample(at, *seconds);
  }
  if (trial >= 0 && options->progress) options->progress(options->data, trial + 1, trials);
  return true;
}

static double agree(void *data, double once_s) {
  return tg_executor_agree(((TgMeasuring *)data)->executor, once_s);
}

static TgTrialLimits limits_of(const TgRunOptions *options) {
  TgTrialLimits limits = {.warmup = (int32_t)options->warmup,
                          .budget_s = budget_s,
                          .least = FEWEST_TRIALS,
                          .most = MOST_TRIALS,
                          .wanted = GOOD_TRIALS,
                          .wanted_s = patience_s,
                          .agree = agree};
  if (options->trials) limits.least = limits.most = (int32_t)options->trials;
  if (options->trials) limits.wanted = 0;
  return limits;
}

static bool run_trials(TgMeasuring *at, const TgTrialLimits *limits, TgMeasurement *time) {
  bool out_of_memory;
  if (tg_trials(limits, run_once, at, time, &out_of_memory)) return true;
  return out_of_memory && TG_SIM_FAIL(at->error, TOO_LARGE, "out of memory for the times of the trials");
}

/* Where taking times makes a run slower, they are of runs after the trials. */
static bool run_all(TgMeasuring *at) {
  const TgTrialLimits limits = limits_of(at->options);
  TgMeasurement unused;
  at->keeps_steps = !at->executor->kind->times_apart;
  tg_executor_take_times(at->executor, at->keeps_steps);
  if (!run_trials(at, &limits, &at->result->time)) return false;
  if (at->keeps_steps) return true;
  const int32_t again = MIN(at->result->time.trials, GOOD_TRIALS);
  at->keeps_steps = true;
  tg_executor_take_times(at->executor, true);
  return run_trials(at, &(TgTrialLimits){.least = again, .most = again}, &unused);
}

static double median_of(TgMeasuring *at, int64_t step, int field) {
  return tg_measurement_of(&at->sample[(step * FIELDS + field) * at->room], (int32_t)at->kept, 0).median_s;
}

/* A processor's time in a step of a trial. */
static double step_s(const TgMeasuring *at, int64_t step, int64_t trial) {
  const double *values = &at->sample[step * FIELDS * at->room + trial];
  return values[BUSY * at->room] + values[WAITED * at->room];
}

/* Before median_of() for this step, which sorts. */
static void sum_up_step(const TgMeasuring *at, int64_t step, TgRunStep *sums, double *room) {
  sums->share = 0;
  for (int64_t t = 0; t < at->kept; t++) {
    room[t] = step_s(at, step, t);
    sums->share += room[t] / at->run_s[t] / (double)at->kept;
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
    outside_s[t] = at->run_s[t] - inside_s[t];
    share[t] = inside_s[t] / at->run_s[t];
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

static bool load(TgMeasuring *at) {
  const double begun_s = tg_now_s();
  tell_phase(at, "load");
  const bool fine = tg_executor_load(at->executor, at->a, at->b, at->error);
  tell_phase(at, NULL);
  at->result->load_s = tg_now_s() - begun_s;
  return fine;
}

static double flops_per_s(const TgExecutor *executor, double seconds) {
  const TgExecutorOptions *options = &executor->options;
  if (executor->schedule->computes.right == TG_MATRICES || !(seconds > 0)) return NAN;
  return 2 * (double)options->m * (double)options->n * (double)options->k / seconds;
}

bool tg_run(TgExecutor *executor, const TgRunOptions *options, const void *a, const void *b, void *c,
            TgRunResult *result, GError **error) {
  TgMeasuring at = {.executor = executor, .options = options, .a = a, .b = b, .c = c, .result = result, .error = error};
  result->facts = *tg_executor_facts(executor);
  result->facts.kernel = result->kernel = g_strdup(result->facts.kernel);
  result->facts.plan = NULL;
  result->facts.arrives = NULL;
  result->clock_error_s = NAN;
  bool fine = load(&at) && run_all(&at);
  if (fine && options->places && executor->kind->places) /* at once, since clocks drift */
    result->places = executor->kind->places(executor, &result->clock_error_s);
  fine = fine && check_c(&at);
  if (fine) {
    sum_up_steps(&at);
    result->flops_per_s = flops_per_s(executor, result->time.median_s);
  }
  g_free(at.run_s);
  g_free(at.sample);
  return fine;
}

void tg_run_result_clear(TgRunResult *result) {
  g_clear_pointer(&result->kernel, g_free);
  g_clear_pointer(&result->steps, g_free);
  g_clear_pointer(&result->places, g_array_unref);
}
