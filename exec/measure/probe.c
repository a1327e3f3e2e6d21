#include "probe.h"

#include "trials.h"

#include <math.h>
#include <string.h>

enum { LEAST_TRIALS = 3, MOST_TRIALS = 500, PATTERN = 1 << 16 };
static const double longest_warmup_s = 0.2;

static const char multiplies[] = "schedule multiply\n"
                                 "  \"every processor multiplies what it has\"\n"
                                 "grid i:p, j:q\n"
                                 "place A(i,t) on (i,j) as A[t] for t in %d\n"
                                 "place B(t,j) on (i,j) as B[t] for t in %d\n"
                                 "place C(i,j) on (i,j)\n"
                                 "repeat t in %d\n"
                                 "  step \"multiply\"\n"
                                 "    C += A[t] * B[t]\n";

/* After s times h hops processor j has block j + s h of the row; with h and q coprime, each block once. */
static const char moves[] = "schedule multiply-and-move\n"
                            "  \"every processor multiplies, and passes a block on %d times\"\n"
                            "grid i:p, j:q\n"
                            "place A(i,j) on (i,j)\n"
                            "place B(t,j) on (i,j) as B[t] for t in q\n"
                            "place C(i,j) on (i,j)\n"
                            "repeat s in q\n"
                            "  step \"multiply\"\n"
                            "    C += A * B[(j + s*%d) %% q]\n"
                            "  step \"move\"\n"
                            "    repeat h in %d\n"
                            "      move A to (i, j-1) where s < q-1\n";

/* The same along columns. */
static const char moves_down[] = "schedule multiply-and-move-down\n"
                                 "  \"every processor multiplies, and passes a block on %d times\"\n"
                                 "grid i:p, j:q\n"
                                 "place A(i,t) on (i,j) as A[t] for t in p\n"
                                 "place B(i,j) on (i,j)\n"
                                 "place C(i,j) on (i,j)\n"
                                 "repeat s in p\n"
                                 "  step \"multiply\"\n"
                                 "    C += A[(i + s*%d) %% p] * B\n"
                                 "  step \"move\"\n"
                                 "    repeat h in %d\n"
                                 "      move B to (i-1, j) where s < p-1\n";

static const char adds[] = "schedule multiply-and-add\n"
                           "  \"every processor adds each of its products to the sum of those before it\"\n"
                           "grid i:p, j:q\n"
                           "place A(i,t) on (i,j) as A[t] for t in %d\n"
                           "place B(t,j) on (i,j) as B[t] for t in %d\n"
                           "place C(i,j) on (i,j)\n"
                           "step \"multiply\"\n"
                           "  C += A[0] * B[0]\n"
                           "repeat t in %d\n"
                           "  step \"multiply\"\n"
                           "    T = A[t+1] * B[t+1]\n"
                           "  step \"add\"\n"
                           "    add T to (i, j) into C\n";

/** An executor with its schedule, which must outlive it. */
typedef struct Opened {
  TgSchedule schedule;
  TgScheduleNames names;
  TgExecutor *executor;
} Opened;

char *tg_probe_text(const TgProbe *probe) {
  if (probe->adds) return g_strdup_printf(adds, probe->products, probe->products, probe->products - 1);
  if (probe->down) return g_strdup_printf(moves_down, probe->hops, probe->hops, probe->hops);
  return probe->hops ? g_strdup_printf(moves, probe->hops, probe->hops, probe->hops)
                     : g_strdup_printf(multiplies, probe->products, probe->products, probe->products);
}

int64_t tg_probe_moves(const TgProbe *probe) {
  return probe->adds ? probe->products - 1 : (int64_t)probe->hops * ((probe->down ? probe->rows : probe->columns) - 1);
}

static void close_one(Opened *opened) {
  tg_executor_close(opened->executor);
  g_free(opened);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Opened, close_one)

static Opened *open_one(const TgExecutorKind *kind, const TgExecutorOptions *options, const TgProbe *probe,
                        GError **error) {
  g_autoptr(Opened) opened = g_new0(Opened, 1);
  g_autofree char *text = tg_probe_text(probe), *grid = g_strdup_printf("%dx%d", probe->rows, probe->columns);
  TgExecutorOptions own = *options;
  TgBindings bindings = {0};
  TgError reason;
  own.m = probe->m;
  own.n = probe->n;
  own.k = probe->k;
  own.variant = probe->variant;
  if (!tg_schedule_parse(&opened->schedule, &opened->names, text, strlen(text), &reason) ||
      !tg_bindings_grid(&bindings, grid, &reason) ||
      !tg_schedule_bind(&opened->schedule, &opened->names, &bindings, &reason)) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT, "the schedule to measure with: %s",
                reason.message);
    return NULL;
  }
  opened->executor = tg_executor_open(kind, &opened->schedule, &opened->names, &own, error);
  return opened->executor ? g_steal_pointer(&opened) : NULL;
}

bool tg_probe_facts(const TgExecutorKind *kind, const TgExecutorOptions *options, const TgProbe *probe,
                    TgExecutorFacts *facts, GError **error) {
  g_autoptr(Opened) opened = open_one(kind, options, probe, error);
  if (!opened) return false;
  *facts = *tg_executor_facts(opened->executor);
  facts->kernel = NULL;
  facts->plan = NULL;
  facts->arrives = NULL;
  return true;
}

/* Random numbers in [-1, 1), a pattern of them over and over: how long a product takes does not depend on which. */
static void *random_matrix(int64_t elements, TgElement element, GError **error) {
  const gsize bytes = (gsize)elements * (gsize)tg_element_bytes(element);
  const gsize pattern = MIN(bytes, (gsize)(PATTERN * tg_element_bytes(element)));
  char *matrix = g_try_malloc(bytes);
  if (!matrix) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "out of memory on the host: %" G_GSIZE_FORMAT " bytes", bytes);
    return NULL;
  }
  GRand *random = g_rand_new_with_seed(1);
  for (gsize e = 0; e < pattern / (gsize)tg_element_bytes(element); e++) {
    const double number = g_rand_double_range(random, -1, 1);
    if (element == TG_F64)
      ((double *)(void *)matrix)[e] = number;
    else
      ((float *)(void *)matrix)[e] = (float)number;
  }
  g_rand_free(random);
  for (gsize at = pattern; at < bytes; at += pattern) memcpy(matrix + at, matrix, MIN(pattern, bytes - at));
  return matrix;
}

static bool load(const Opened *opened, const TgExecutorOptions *options, const TgProbe *probe, GError **error) {
  g_autofree void *a = random_matrix(probe->m * probe->k, options->element, error);
  g_autofree void *b = a ? random_matrix(probe->k * probe->n, options->element, error) : NULL;
  return b && tg_executor_load(opened->executor, a, b, error);
}

/* Steps that multiply, and the others, as parts of the run that they are of. Others without a time of their own are
 * done beside products: NaN. */
static void share_steps(const TgExecutor *executor, double run_s, double *multiply, double *move) {
  const TgExecutorStep *steps = tg_executor_steps(executor);
  int64_t moved = 0;
  *multiply = *move = 0;
  for (int64_t s = 0; steps && s < tg_executor_facts(executor)->steps; s++) {
    const double step_s = (steps[s].busy_s + steps[s].waited_s) / run_s;
    const bool multiplies_here = strcmp(steps[s].label, "multiply") == 0;
    if (steps[s].runs == 0) continue;
    if (!multiplies_here) moved++;
    *(multiplies_here ? multiply : move) += step_s;
  }
  if (moved == 0) *move = NAN;
}

/** The probe under way. */
typedef struct Probing {
  TgExecutor *executor;
  double multiply[MOST_TRIALS], move[MOST_TRIALS];
  GError **error;
} Probing;

static bool run_once(void *data, int32_t trial, int32_t trials, double *seconds) {
  Probing *probing = data;
  (void)trials;
  if (!tg_executor_run(probing->executor, seconds, probing->error)) return false;
  if (trial >= 0) share_steps(probing->executor, *seconds, &probing->multiply[trial], &probing->move[trial]);
  return true;
}

static double agree(void *data, double once_s) {
  return tg_executor_agree(((Probing *)data)->executor, once_s);
}

static bool run_trials(const TgExecutorKind *kind, TgExecutor *executor, double budget_s, TgProbeTimes *times,
                       GError **error) {
  /* Caches, pages and a clock that rises need no longer than that, however many trials are wanted. */
  const TgTrialLimits limits = {.warmup = INT32_MAX,
                                .warmup_s = fmax(fmin(budget_s / 5, longest_warmup_s), 1e-9),
                                .budget_s = budget_s,
                                .least = LEAST_TRIALS,
                                .most = MOST_TRIALS,
                                .agree = agree};
  Probing probing = {.executor = executor, .error = error};
  TgMeasurement time;
  tg_executor_take_times(executor, true);
  if (!tg_trials(&limits, run_once, &probing, &time, NULL)) return false;
  times->trials = time.trials;
  const bool apart = !isnan(probing.move[0]);
  const double multiply = tg_measurement_of(probing.multiply, times->trials, 1).median_s;
  const double move = apart ? tg_measurement_of(probing.move, times->trials, 1).median_s : NAN;
  tg_executor_take_times(executor, false);
  if (kind->times_apart &&
      !tg_trials(&(TgTrialLimits){.least = time.trials, .most = time.trials}, run_once, &probing, &time, NULL))
    return false;
  times->time_s = time.median_s;
  times->multiply_s = times->time_s * multiply;
  times->move_s = times->time_s * move;
  return true;
}

bool tg_probe_run(const TgExecutorKind *kind, const TgExecutorOptions *options, const TgProbe *probe, double budget_s,
                  TgProbeTimes *times, GError **error) {
  g_autoptr(Opened) opened = open_one(kind, options, probe, error);
  if (!opened || !load(opened, options, probe, error)) return false;
  times->facts = *tg_executor_facts(opened->executor);
  times->facts.kernel = NULL;
  times->facts.plan = NULL;
  times->facts.arrives = NULL;
  return run_trials(kind, opened->executor, budget_s, times, error);
}
