#include "executor-kind.h"
#include "prove.h"
#include "walk.h"

#include <math.h>
#include <unistd.h>

GQuark tg_executor_error_quark(void) {
  return g_quark_from_static_string("tg-executor-error");
}

bool tg_executor_fail(GError **error, TgExecutorError code, const TgError *reason) {
  g_set_error_literal(error, TG_EXECUTOR_ERROR, (int)code, reason->message);
  return false;
}

const char *tg_transport_name(TgTransport transport) {
  static const char *const names[TG_TRANSPORTS] = {"copy", "pull", "load", "message"};
  return transport < TG_TRANSPORTS ? names[transport] : "unknown";
}

uint64_t tg_physical_memory_bytes(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

uint64_t tg_executor_memory_limit(const TgExecutorOptions *options) {
  return options->memory_limit_bytes > 0 ? (uint64_t)options->memory_limit_bytes : tg_physical_memory_bytes();
}

bool tg_executor_was_late(const TgExecutor *executor, const TgLateWait *late, GError **error) {
  const TgScheduleNames *names = executor->names;
  return TG_EXECUTOR_FAIL(
      error, FAILED,
      "step %d, `%s`: processor %s waited more than %g s for processor %s, which had finished %d of the %d "
      "instructions that it needs",
      late->step, tg_name(names, names->source[late->statement]),
      tg_schedule_processor_text(executor->schedule, late->processor).s, late->deadline_s,
      tg_schedule_processor_text(executor->schedule, late->other).s, late->reached, late->count);
}

static bool size_is_fine(int64_t size) {
  return size >= 1 && size <= INT32_MAX;
}

bool tg_executor_has_no_waits(const TgExecutorOptions *options, GError **error) {
  if (options->delay_ns == 0 && options->stalled == 0) return true;
  return TG_EXECUTOR_FAIL(error, BAD_INPUT, "processors of this executor can be neither delayed nor stalled");
}

bool tg_executor_prove(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorOptions *options,
                       GError **error) {
  g_autofree TgProof *proof = g_new(TgProof, 1);
  if (tg_prove_watched(schedule, names, options->collective, options->m, options->n, options->k, options->watch, proof))
    return true;
  const TgCause cause = proof->failure.cause;
  return tg_executor_fail(error,
                          cause == TG_CAUSE_MEMORY    ? TG_EXECUTOR_ERROR_TOO_LARGE
                          : cause == TG_CAUSE_STOPPED ? TG_EXECUTOR_ERROR_FAILED
                                                      : TG_EXECUTOR_ERROR_SCHEDULE,
                          &proof->failure);
}

bool tg_executor_has_variant(const TgExecutor *executor, GError **error) {
  const int32_t variant = executor->options.variant, variants = executor->facts.variants;
  if (variant >= 0 && variant <= variants) return true;
  return TG_EXECUTOR_FAIL(error, BAD_INPUT,
                          "the executor %s has no variant %d of %s: it has %d, and 0 leaves the choice to it",
                          executor->kind->name, variant, tg_element_name(executor->options.element), variants);
}

bool tg_executor_has_one_variant(TgExecutor *executor, GError **error) {
  executor->facts.variant = executor->facts.variants = 1;
  return tg_executor_has_variant(executor, error);
}

/** C = A * A' and its like need m = n; nothing else ties m, n and k to one another. */
static bool sizes_fit(const TgSchedule *schedule, const TgExecutorOptions *options) {
  const TgComputes *computes = &schedule->computes;
  const bool same = computes->left == computes->right;
  if (same && computes->left_transposed != computes->right_transposed) return options->m == options->n;
  if (same) return options->m == options->n && options->n == options->k;
  return true;
}

void tg_executor_count_passes(TgExecutorFacts *facts) {
  facts->rounds = tg_divide_up(facts->instances, facts->resident);
  facts->passes = facts->rounds * facts->panels;
}

static bool check_options(const TgExecutorKind *kind, const TgSchedule *schedule, const TgExecutorOptions *options,
                          GError **error) {
  if (schedule->bound != TG_BOUND_YES) return TG_EXECUTOR_FAIL(error, BAD_INPUT, "the schedule is not bound to a grid");
  if (!size_is_fine(options->m) || !size_is_fine(options->n) || !size_is_fine(options->k))
    return TG_EXECUTOR_FAIL(error, BAD_INPUT, "m, n and k must be from 1 to 2147483647");
  if (!sizes_fit(schedule, options))
    return TG_EXECUTOR_FAIL(error, BAD_INPUT,
                            "a matrix times itself: m and n must be equal, and all three where neither or both are "
                            "transposed");
  if (options->element < TG_F32 || options->element >= TG_ELEMENTS)
    return TG_EXECUTOR_FAIL(error, BAD_INPUT, "elements must be f32 or f64");
  if (!(kind->transports >> options->transport & 1))
    return TG_EXECUTOR_FAIL(error, BAD_INPUT, "this executor does not support the requested transport");
  if (options->parts && !kind->parts)
    return TG_EXECUTOR_FAIL(error, BAD_INPUT, "this executor does not support parts of matrices");
  if (!(options->deadline_s >= 0) || options->deadline_s > 1e6 || options->delay_ns < 0)
    return TG_EXECUTOR_FAIL(error, BAD_INPUT,
                            "a deadline must be from 0 to 1000000 s, and a delay must not be negative");
  return true;
}

TgExecutor *tg_executor_open(const TgExecutorKind *kind, const TgSchedule *schedule, const TgScheduleNames *names,
                             const TgExecutorOptions *options, GError **error) {
  if (!check_options(kind, schedule, options, error)) return NULL;
  TgExecutor *executor = kind->open(schedule, names, options, error);
  if (executor && executor->facts.passes == 0) tg_executor_count_passes(&executor->facts);
  return executor;
}

bool tg_executor_load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  const TgComputes *computes = &executor->schedule->computes;
  const void *const given[] = {a, b};
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++) {
    if ((computes->left == matrix || computes->right == matrix) && !given[matrix])
      return TG_EXECUTOR_FAIL(error, BAD_INPUT, "%c is missing", "AB"[matrix]);
  }
  executor->loaded = executor->kind->load(executor, a, b, error);
  return executor->loaded;
}

bool tg_executor_run(TgExecutor *executor, double *seconds, GError **error) {
  double unused;
  if (!executor->loaded || executor->failed)
    return TG_EXECUTOR_FAIL(error, BAD_INPUT, "%s",
                            executor->failed ? "an earlier run failed" : "run before A and B were loaded");
  executor->ran = executor->kind->run(executor, seconds ? seconds : &unused, error);
  executor->failed = !executor->ran;
  return executor->ran;
}

void tg_executor_take_times(TgExecutor *executor, bool take) {
  executor->untimed = !take && executor->kind->times_apart;
}

bool tg_executor_gather(TgExecutor *executor, void *c, GError **error) {
  if (!executor->ran) return TG_EXECUTOR_FAIL(error, BAD_INPUT, "C is gathered before a run made it");
  return executor->kind->gather(executor, c, error);
}

double tg_executor_agree(const TgExecutor *executor, double seconds) {
  return executor->kind->agree ? executor->kind->agree(executor, seconds) : seconds;
}

void tg_executor_close(TgExecutor *executor) {
  if (executor) executor->kind->close(executor);
}

bool tg_executor_make_steps(TgExecutor *executor, GError **error) {
  const int64_t steps = executor->facts.steps;
  TgWalk walk;
  TgError unused;
  executor->steps = g_try_new0(TgExecutorStep, (gsize)MAX(steps, 1));
  if (!executor->steps) return TG_EXECUTOR_FAIL(error, TOO_LARGE, "out of memory for the times of the steps");
  for (int64_t s = 0; s < steps; s++)
    executor->steps[s] =
        (TgExecutorStep){.index = s + 1, .label = "", .begin_s = NAN, .end_s = NAN, .busy_s = NAN, .waited_s = NAN};
  tg_walk_init(&walk, executor->schedule, executor->names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE) executor->steps[walk.step - 1].label = tg_walk_label(&walk);
  return true;
}

const TgExecutorFacts *tg_executor_facts(const TgExecutor *executor) {
  return &executor->facts;
}

const TgExecutorStep *tg_executor_steps(const TgExecutor *executor) {
  return executor->ran ? executor->steps : NULL;
}
