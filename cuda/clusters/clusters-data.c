/* What goes to the device and comes back: op(A) transposed, op(B), C, times. */
#include "clusters-private.h"

#include <math.h>
#include <string.h>

bool tg_clusters_shares_operand(const TgSchedule *schedule) {
  const TgComputes *computes = &schedule->computes;
  return computes->left == computes->right && computes->left_transposed != computes->right_transposed;
}

/* target (columns x rows, rows of it `pitch` elements apart) = source (rows x columns) transposed, by squares that a
 * cache holds. */
static void turn(char *target, int64_t pitch, const char *source, int64_t rows, int64_t columns, int64_t bytes) {
  enum { SIDE = 32 };
  for (int64_t r0 = 0; r0 < rows; r0 += SIDE)
    for (int64_t c0 = 0; c0 < columns; c0 += SIDE)
      for (int64_t c = c0; c < MIN(c0 + SIDE, columns); c++)
        for (int64_t r = r0; r < MIN(r0 + SIDE, rows); r++) {
          if (bytes == sizeof(double))
            ((double *)(void *)target)[c * pitch + r] = ((const double *)(const void *)source)[r * columns + c];
          else
            ((float *)(void *)target)[c * pitch + r] = ((const float *)(const void *)source)[r * columns + c];
        }
}

/* A k x `across` matrix on the device, from `matrix` or its transpose. */
static bool load_operand(const TgClusters *clusters, TgClustersPart part, const void *matrix, bool transposed,
                         int64_t across, int64_t pitch, TgError *reason) {
  const int64_t bytes = tg_clusters_element_bytes(clusters), k = clusters->base.options.k;
  char *staging = g_try_malloc0((gsize)(k * pitch * bytes));
  if (!staging)
    return tg_error_set(reason, 0, 0, "out of memory on the host: %lld bytes", (long long)(k * pitch * bytes));
  if (transposed)
    turn(staging, pitch, matrix, across, k, bytes);
  else
    for (int64_t t = 0; t < k; t++)
      memcpy(staging + t * pitch * bytes, (const char *)matrix + t * across * bytes, (size_t)(across * bytes));
  const bool fine = tg_device_copy_in(clusters->part[part], staging, k * pitch * bytes, reason);
  g_free(staging);
  return fine;
}

bool tg_clusters_load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  const TgClusters *clusters = (TgClusters *)executor;
  const TgComputes *computes = &executor->schedule->computes;
  const void *const whole[] = {a, b};
  TgError reason;
  if (load_operand(clusters, TG_CLUSTERS_LEFT, whole[computes->left], !computes->left_transposed, executor->options.m,
                   clusters->left_row, &reason) &&
      (tg_clusters_shares_operand(executor->schedule) ||
       load_operand(clusters, TG_CLUSTERS_RIGHT, whole[computes->right], computes->right_transposed,
                    executor->options.n, clusters->right_row, &reason)))
    return true;
  return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

bool tg_clusters_gather(TgExecutor *executor, void *c, GError **error) {
  const TgClusters *clusters = (TgClusters *)executor;
  TgError reason;
  return tg_device_copy_out(c, clusters->part[TG_CLUSTERS_C], clusters->part_bytes[TG_CLUSTERS_C], &reason) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

/* Which steps multiply: the others are folded away, or done at the end, or what they send is waited for by a product.
 */
static void count_runs(const TgClusters *clusters) {
  const TgClusterPlan *plan = clusters->plan;
  const TgExecutorFacts *facts = &clusters->base.facts;
  for (int64_t s = 0; s < facts->steps; s++) clusters->base.steps[s].runs = 0;
  for (int64_t i = 0; i < plan->products; i++) clusters->base.steps[plan->product[i].step - 1].runs = facts->passes;
}

bool tg_clusters_take_times(TgClusters *clusters, const TgClusterStatus *status, TgError *reason) {
  const TgExecutorFacts *facts = &clusters->base.facts;
  const int64_t processors = clusters->plan->processors, times = processors * facts->steps;
  if (!clusters->base.steps || clusters->base.untimed) return true;
  g_autofree TgClusterTime *time = g_new(TgClusterTime, (gsize)MAX(times, 1));
  if (!tg_device_copy_out(time, clusters->part[TG_CLUSTERS_TIMES], times * (int64_t)sizeof *time, reason)) return false;
  const double clock_s =
      (double)(status->end_ns - status->begin_ns) * 1e-9 / (double)MAX(status->end_clock - status->begin_clock, 1);
  const double at_once = (double)MIN(clusters->jobs.count, facts->resident);
  double pass_s = 0; /* of the mean pass through the schedule */
  count_runs(clusters);
  for (int64_t s = 0; s < facts->steps; s++) {
    TgExecutorStep *step = &clusters->base.steps[s];
    uint64_t busy = 0, waited = 0, took_part = 0;
    for (int64_t p = 0; p < processors; p++) {
      const TgClusterTime *own = &time[p * facts->steps + s];
      busy += own->busy;
      waited += own->waited;
      took_part += own->busy > 0;
    }
    const double share = took_part ? clock_s / ((double)took_part * at_once) : NAN;
    step->busy_s = (double)busy * share;
    step->waited_s = (double)waited * share;
    if (step->runs == 0) continue;
    step->begin_s = pass_s;
    step->end_s = pass_s += (step->busy_s + step->waited_s) / (double)step->runs;
  }
  return true;
}
