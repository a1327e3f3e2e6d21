/* Executor `clusters`: a processor is a thread block of a cluster, a link is a copy from one block's shared memory into
 * another's. Streams are planned on the host (clusters-plan.h), the kernel only follows them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "clusters-launch.h"
#include "clusters-planner.h"
#include "executors-cuda.h"
#include "parts.h"

/* What is on the device, each at its own address. */
typedef enum TgClustersPart {
  TG_CLUSTERS_PROCESSORS,
  TG_CLUSTERS_OPS,
  TG_CLUSTERS_OPS_OF,
  TG_CLUSTERS_PRODUCTS,
  TG_CLUSTERS_OUTPUTS,
  TG_CLUSTERS_TERMS,
  TG_CLUSTERS_JOBS,
  TG_CLUSTERS_LEFT,
  TG_CLUSTERS_RIGHT, /* of no bytes where it is the same as the left one */
  TG_CLUSTERS_C,
  TG_CLUSTERS_PARTIALS,
  TG_CLUSTERS_SCRATCH,
  TG_CLUSTERS_TIMES,
  TG_CLUSTERS_STATUS,
  TG_CLUSTERS_PARTS
} TgClustersPart;

typedef struct TgClusters {
  TgExecutor base;
  TgClusterPlan *plan;
  TgDevice device;
  TgClusterVariant variant;
  int32_t variant_number;
  int64_t left_row, right_row; /* elements from one row to the next */
  int64_t instances_down, instances_across;
  TgClusterJobs jobs;
  TgPart part[TG_CLUSTERS_PARTS];
  uint32_t runs;
} TgClusters;

static inline int64_t element_bytes(const TgClusters *clusters) {
  return tg_element_bytes(clusters->base.options.element);
}

/* --- what goes to the device and comes back: op(A) transposed, op(B), C, times ------------------------------------ */

/* Whether op(A)' and op(B) are one and the same. */
static bool shares_operand(const TgSchedule *schedule) {
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
  const int64_t bytes = element_bytes(clusters), k = clusters->base.options.k;
  char *staging = g_try_malloc0((gsize)(k * pitch * bytes));
  if (!staging)
    return tg_error_set(reason, 0, 0, "out of memory on the host: %lld bytes", (long long)(k * pitch * bytes));
  if (transposed)
    turn(staging, pitch, matrix, across, k, bytes);
  else
    for (int64_t t = 0; t < k; t++)
      memcpy(staging + t * pitch * bytes, (const char *)matrix + t * across * bytes, (size_t)(across * bytes));
  const bool fine = tg_device_copy_in(clusters->part[part].at, staging, k * pitch * bytes, reason);
  g_free(staging);
  return fine;
}

static bool load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  const TgClusters *clusters = (TgClusters *)executor;
  const TgComputes *computes = &executor->schedule->computes;
  const void *const whole[] = {a, b};
  TgError reason;
  if (load_operand(clusters, TG_CLUSTERS_LEFT, whole[computes->left], !computes->left_transposed, executor->options.m,
                   clusters->left_row, &reason) &&
      (shares_operand(executor->schedule) ||
       load_operand(clusters, TG_CLUSTERS_RIGHT, whole[computes->right], computes->right_transposed,
                    executor->options.n, clusters->right_row, &reason)))
    return true;
  return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

static bool gather(TgExecutor *executor, void *c, GError **error) {
  const TgClusters *clusters = (TgClusters *)executor;
  TgError reason;
  return tg_device_copy_out(c, clusters->part[TG_CLUSTERS_C].at, clusters->part[TG_CLUSTERS_C].bytes, &reason) ||
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

/* Takes the times of the last run from the device and puts them into base.steps. */
static bool take_times(TgClusters *clusters, const TgClusterStatus *status, TgError *reason) {
  const TgExecutorFacts *facts = &clusters->base.facts;
  const int64_t processors = clusters->plan->processors, times = processors * facts->steps;
  if (!clusters->base.steps || clusters->base.untimed) return true;
  g_autofree TgClusterTime *time = g_new(TgClusterTime, (gsize)MAX(times, 1));
  if (!tg_device_copy_out(time, clusters->part[TG_CLUSTERS_TIMES].at, times * (int64_t)sizeof *time, reason))
    return false;
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

/* --- opening and running ------------------------------------------------------------------------------------------ */

static const double usual_deadline_s = 20;
enum { LEAST_CAPABILITY = 90 };

static bool refuse_device(const TgClusters *clusters, GError **error) {
  const TgDevice *device = &clusters->device;
  return TG_EXECUTOR_FAIL(
      error, DEVICE, "%s has compute capability %d.%d, but thread-block clusters need 9.0; use the executor blocks",
      device->name, device->capability / 10, device->capability % 10);
}

/* Slots that a block of this variant has room for, whatever it sends. */
static int32_t slots_of(const TgClusterVariant *variant) {
  int32_t slots = TG_CLUSTER_SLOTS;
  while (slots > 1 && tg_cluster_shared_bytes(variant, slots, TG_CLUSTER_CHANNELS) > variant->shared_most) slots--;
  return slots;
}

static bool count_variants(TgClusters *clusters, GError **error) {
  TgExecutor *base = &clusters->base;
  TgClusterVariant variant;
  TgError reason;
  while (tg_cluster_variant(base->facts.variants, base->options.element, &variant, &reason)) base->facts.variants++;
  if (reason.message[0]) return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  return tg_executor_has_variant(base, error);
}

/* The first variant whose slots suffice, or the one asked for. */
static bool choose_variant(TgClusters *clusters, GError **error) {
  TgExecutor *base = &clusters->base;
  TgError reason;
  for (int32_t f = MAX(base->options.variant - 1, 0);; f++) {
    if (!tg_cluster_variant(f, base->options.element, &clusters->variant, &reason)) break;
    g_clear_error(error);
    clusters->variant_number = f;
    base->facts.variant = f + 1;
    clusters->plan = tg_cluster_plan_new(base->schedule, base->names, &base->options, slots_of(&clusters->variant),
                                         clusters->variant.warps, error);
    if (clusters->plan) return true;
    if (base->options.variant || !error || !g_error_matches(*error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE))
      return false;
  }
  if (reason.message[0]) {
    g_clear_error(error);
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  }
  g_prefix_error(error, "%" PRId64 " bytes of shared memory: ", clusters->variant.shared_most);
  return false;
}

static bool choose_residency(TgClusters *clusters, GError **error) {
  TgExecutorFacts *facts = &clusters->base.facts;
  const TgClusterPlan *plan = clusters->plan;
  TgError reason;
  int32_t resident = 0;
  facts->shared_bytes = tg_cluster_shared_bytes(&clusters->variant, plan->slots, plan->channels);
  if (!tg_cluster_resident(clusters->variant_number, clusters->base.options.element, plan->sums > 1, plan->processors,
                           facts->shared_bytes, &resident, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  facts->resident = resident;
  if (resident > 0) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "a cluster of %d blocks with %" PRId64 " bytes of shared memory each does not fit on %s",
                          plan->processors, facts->shared_bytes, clusters->device.name);
}

static int64_t parts_of(int64_t size, int64_t part) {
  return size / part + (size % part != 0);
}

static uint32_t word_of(const TgStreamProduct *product) {
  uint32_t word = (uint32_t)product->flags << 14 | (uint32_t)product->step << 18;
  for (int role = 0; role < TG_ROLES; role++)
    word |= (uint32_t)product->slot[role] << 5 * role | (uint32_t)product->parity[role] << (10 + role) |
            (uint32_t)product->odd[role] << (12 + role);
  return word;
}

static TgClusterWords *words_of(const TgClusterPlan *plan) {
  TgClusterWords *words = g_new0(TgClusterWords, 1);
  for (int32_t p = 0; p < plan->processors; p++) {
    words->first[p] = plan->processor[p].product_first;
    words->of_panel[p] = plan->processor[p].products;
  }
  for (int64_t i = 0; i < plan->products; i++) words->word[i] = word_of(&plan->product[i]);
  return words;
}

/* The products of all processors have room in the kernel's constants. */
static bool check_words(const TgClusters *clusters, GError **error) {
  if (clusters->plan->products <= TG_CLUSTER_WORDS) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "%" PRId64 " products of %d panels on all processors; a kernel supports at most %d",
                          clusters->plan->products, clusters->plan->unit, TG_CLUSTER_WORDS);
}

/* How the problem is tiled around the schedule. */
static bool tile_problem(TgClusters *clusters, GError **error) {
  const TgExecutorOptions *options = &clusters->base.options;
  const TgClusterPlan *plan = clusters->plan;
  TgExecutorFacts *facts = &clusters->base.facts;
  facts->processors = plan->processors;
  facts->processors_max = TG_CLUSTER_MOST;
  facts->instructions = plan->ops + plan->products;
  facts->steps = plan->steps;
  facts->kernel = "register tiles from shared memory that the copy engine fills";
  facts->tile[0] = facts->tile[1] = clusters->variant.tile;
  facts->instance[0] = (int64_t)plan->rows * clusters->variant.tile;
  facts->instance[1] = (int64_t)plan->columns * clusters->variant.tile;
  facts->instance[2] = (int64_t)plan->inner * clusters->variant.depth;
  clusters->instances_down = parts_of(options->m, facts->instance[0]);
  clusters->instances_across = parts_of(options->n, facts->instance[1]);
  facts->instances = clusters->instances_down * clusters->instances_across;
  facts->panels = parts_of(options->k, facts->instance[2]);
  if (facts->instances <= INT32_MAX / plan->processors) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "C of %" PRId64 " x %" PRId64 " has %" PRId64
                          " tiles of the schedule, at most %d clusters of %d are "
                          "started",
                          options->m, options->n, facts->instances, INT32_MAX / plan->processors, plan->processors);
}

/* What dividing an instance costs, in clocks: a job for its beginning, its end and its share of the last addition; and
 * that addition as a whole. Chosen, not fitted: the beginning fills a slot from the device's memory, the end exchanges
 * sums between groups of warps, and a kernel starts in some microseconds. */
static TgClusterJobCost job_cost(const TgClusters *clusters) {
  enum { JOB_CLOCKS = 12000, ADDITION_CLOCKS = 10000, MULTIPLY_ADDS = 128 /* f32, a clock */ };
  const TgClusterVariant *variant = &clusters->variant;
  const TgClusterPlan *plan = clusters->plan;
  int32_t most = 1;
  for (int32_t p = 0; p < plan->processors; p++) most = MAX(most, plan->processor[p].products);
  const double product = (double)variant->tile * variant->tile * variant->depth / MULTIPLY_ADDS *
                         (clusters->base.options.element == TG_F64 ? 2 : 1);
  return (TgClusterJobCost){JOB_CLOCKS / (product * most), ADDITION_CLOCKS / (product * most)};
}

static bool make_jobs(TgClusters *clusters, GError **error) {
  TgExecutorFacts *facts = &clusters->base.facts;
  if (tg_cluster_jobs_init(&clusters->jobs, facts->instances, facts->panels, facts->resident,
                           INT32_MAX / clusters->plan->processors, job_cost(clusters))) {
    facts->rounds = clusters->jobs.rounds;
    facts->passes = clusters->jobs.passes;
    return true;
  }
  return TG_EXECUTOR_FAIL(error, TOO_LARGE, "no memory on the host for %" PRId64 " instances", facts->instances);
}

/* Bytes of every part; false where they overflow. Sizes are below 2^31, so no product of two of them does. */
static bool count_bytes(TgClusters *clusters) {
  const TgExecutorOptions *options = &clusters->base.options;
  const TgClusterPlan *plan = clusters->plan;
  const TgExecutorFacts *facts = &clusters->base.facts;
  const int64_t element = element_bytes(clusters), align = 16 / element;
  TgPart *part = clusters->part;
  clusters->left_row = parts_of(options->m, align) * align;
  clusters->right_row = parts_of(options->n, align) * align;
  const int64_t elements[] = {options->k * clusters->left_row, options->k * clusters->right_row,
                              options->m * options->n};
  part[TG_CLUSTERS_PROCESSORS].bytes = plan->processors * (int64_t)sizeof(TgStreamProcessor);
  part[TG_CLUSTERS_OPS].bytes = plan->ops * (int64_t)sizeof(TgClusterOp);
  part[TG_CLUSTERS_OPS_OF].bytes = plan->products;
  part[TG_CLUSTERS_PRODUCTS].bytes = plan->products * (int64_t)sizeof(TgStreamProduct);
  part[TG_CLUSTERS_OUTPUTS].bytes = plan->outputs * (int64_t)sizeof(TgStreamOutput);
  part[TG_CLUSTERS_TERMS].bytes = plan->terms * (int64_t)sizeof(TgStreamTerm);
  part[TG_CLUSTERS_JOBS].bytes = clusters->jobs.count * (int64_t)sizeof(TgClusterJob);
  part[TG_CLUSTERS_PARTIALS].bytes = clusters->jobs.partials * facts->instance[0] * facts->instance[1] * element;
  for (int e = 0; e < 3; e++) {
    if (elements[e] > INT64_MAX / 16) return false;
    part[TG_CLUSTERS_LEFT + e].bytes = elements[e] * element;
  }
  if (shares_operand(clusters->base.schedule)) part[TG_CLUSTERS_RIGHT].bytes = 0;
  const int64_t sums = clusters->jobs.count * plan->processors; /* below 2^31 */
  if (plan->sums > 1) part[TG_CLUSTERS_SCRATCH].bytes = sums * plan->sums * clusters->variant.sum_bytes;
  part[TG_CLUSTERS_TIMES].bytes = (int64_t)plan->processors * plan->steps * (int64_t)sizeof(TgClusterTime);
  part[TG_CLUSTERS_STATUS].bytes = sizeof(TgClusterStatus);
  return true;
}

static TgClusterOp *ops_of(const TgClusterPlan *plan) {
  TgClusterOp *ops = g_new0(TgClusterOp, (gsize)MAX(plan->ops, 1));
  for (int64_t i = 0; i < plan->ops; i++) {
    const TgStreamOp *op = &plan->op[i];
    ops[i].word[0] = (uint32_t)op->operation | (uint32_t)op->slot << 2 | (uint32_t)op->peer << 7 |
                     (uint32_t)op->peer_slot << 11 | (uint32_t)op->channel << 16 | (uint32_t)op->role << 22 |
                     (uint32_t)op->wraps << 24 | (uint32_t)op->parity << 25 | (uint32_t)op->odd << 26 |
                     (uint32_t)op->channel_parity << 27 | (uint32_t)op->channel_odd << 28;
    ops[i].word[1] = (uint32_t)op->spare | (uint32_t)op->ahead << 16;
    ops[i].word[2] = (uint16_t)op->across | (uint32_t)op->inner << 16;
    ops[i].word[3] = (uint32_t)op->filling << 5 | (uint32_t)op->step << 17;
  }
  return ops;
}

static uint8_t *ops_of_each(const TgClusterPlan *plan) {
  uint8_t *counts = g_new0(uint8_t, (gsize)MAX(plan->products, 1));
  for (int64_t i = 0; i < plan->products; i++) counts[i] = plan->product[i].ops;
  return counts;
}

static bool allocate(TgClusters *clusters, GError **error) {
  const TgClusterPlan *plan = clusters->plan;
  g_autofree TgClusterOp *ops = ops_of(plan);
  g_autofree uint8_t *ops_of_products = ops_of_each(plan);
  const void *const fixed[] = {plan->processor, ops,        ops_of_products,   plan->product,
                               plan->output,    plan->term, clusters->jobs.job};
  for (gsize f = 0; f < G_N_ELEMENTS(fixed); f++) clusters->part[f].data = fixed[f];
  return tg_parts_allocate(&clusters->base, clusters->part, TG_CLUSTERS_PARTS, error);
}

static void close_clusters(TgExecutor *executor) {
  TgClusters *clusters = (TgClusters *)executor;
  tg_parts_free(clusters->part, TG_CLUSTERS_PARTS);
  tg_cluster_jobs_clear(&clusters->jobs);
  tg_cluster_plan_free(clusters->plan);
  g_free(clusters->base.steps);
  g_free(clusters);
}

static bool prepare(TgClusters *clusters, GError **error) {
  TgError reason;
  if (!tg_device_open(clusters->base.options.device, &clusters->device, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  if (clusters->device.capability < LEAST_CAPABILITY) return refuse_device(clusters, error);
  return count_variants(clusters, error) && choose_variant(clusters, error) && check_words(clusters, error) &&
         choose_residency(clusters, error) && tile_problem(clusters, error) && make_jobs(clusters, error) &&
         tg_parts_check(&clusters->base, &clusters->device, clusters->part, TG_CLUSTERS_PARTS, count_bytes(clusters),
                        INT64_MAX, "", error) &&
         allocate(clusters, error) &&
         (clusters->base.options.no_times || tg_executor_make_steps(&clusters->base, error));
}

static TgExecutor *open_clusters(const TgSchedule *schedule, const TgScheduleNames *names,
                                 const TgExecutorOptions *options, GError **error) {
  TgClusters *clusters = g_new0(TgClusters, 1);
  g_autoptr(GError) why = NULL;
  clusters->base =
      (TgExecutor){.kind = &tg_executor_clusters, .schedule = schedule, .names = names, .options = *options};
  if (prepare(clusters, &why)) return &clusters->base;
  g_propagate_error(error, g_steal_pointer(&why));
  close_clusters(&clusters->base);
  return NULL;
}

/* In units of the kernel. It counts up to 4398 s, more than any deadline that makes sense here. */
static uint32_t deadline_of(const TgExecutorOptions *options) {
  const double units = (options->deadline_s > 0 ? options->deadline_s : usual_deadline_s) * 1e9 / 1024;
  return (uint32_t)CLAMP(units, 1, 0xfffffff0);
}

static TgClusterRun run_of(TgClusters *clusters) {
  const TgExecutorOptions *options = &clusters->base.options;
  const TgClusterPlan *plan = clusters->plan;
  TgClusterRun run = {.processor = clusters->part[TG_CLUSTERS_PROCESSORS].at,
                      .op = clusters->part[TG_CLUSTERS_OPS].at,
                      .ops_of = clusters->part[TG_CLUSTERS_OPS_OF].at,
                      .product = clusters->part[TG_CLUSTERS_PRODUCTS].at,
                      .output = clusters->part[TG_CLUSTERS_OUTPUTS].at,
                      .term = clusters->part[TG_CLUSTERS_TERMS].at,
                      .job = clusters->part[TG_CLUSTERS_JOBS].at,
                      .c = clusters->part[TG_CLUSTERS_C].at,
                      .partial = clusters->part[TG_CLUSTERS_PARTIALS].at,
                      .scratch = clusters->part[TG_CLUSTERS_SCRATCH].at,
                      .time = options->no_times || clusters->base.untimed ? NULL : clusters->part[TG_CLUSTERS_TIMES].at,
                      .status = clusters->part[TG_CLUSTERS_STATUS].at,
                      .deadline = deadline_of(options),
                      .ldc = options->n,
                      .m = (int32_t)options->m,
                      .n = (int32_t)options->n,
                      .processors = plan->processors,
                      .unit = plan->unit,
                      .slots = plan->slots,
                      .channels = plan->channels,
                      .sums = plan->sums,
                      .rows = plan->rows,
                      .columns = plan->columns,
                      .instances_down = (int32_t)clusters->instances_down,
                      .instances_across = (int32_t)clusters->instances_across,
                      .inner = plan->inner,
                      .jobs = (int32_t)clusters->jobs.count,
                      .divided = (int32_t)clusters->jobs.divided,
                      .parts = clusters->jobs.parts,
                      .whole = options->n * element_bytes(clusters) % 16 == 0,
                      .steps = plan->steps,
                      .stalled = options->stalled,
                      .delay_ns = (uint32_t)options->delay_ns,
                      .delay_seed = options->delay_seed + clusters->runs++};
  for (int64_t o = 0; o < plan->outputs; o++) run.gathers |= plan->output[o].terms > 1;
  return run;
}

static bool start(TgClusters *clusters, double *seconds, TgError *reason) {
  const TgClusterRun run = run_of(clusters);
  g_autofree TgClusterWords *words = words_of(clusters->plan);
  const TgExecutorOptions *options = &clusters->base.options;
  const bool shared = shares_operand(clusters->base.schedule);
  const void *left = clusters->part[TG_CLUSTERS_LEFT].at, *right = shared ? left : clusters->part[TG_CLUSTERS_RIGHT].at;
  TgStopwatch *watch = tg_stopwatch_new(reason);
  const bool fine = watch && tg_part_clear(&clusters->part[TG_CLUSTERS_STATUS], reason) &&
                    tg_part_clear(&clusters->part[TG_CLUSTERS_TIMES], reason) && tg_stopwatch_start(watch, reason) &&
                    tg_cluster_start(clusters->variant_number, options->element, clusters->base.facts.shared_bytes,
                                     left, clusters->left_row, right, shared ? clusters->left_row : clusters->right_row,
                                     options->k, &run, words, reason) &&
                    tg_stopwatch_stop(watch, seconds, reason);
  if (watch) tg_stopwatch_free(watch);
  return fine;
}

/* The error of a wait past its deadline. */
static bool check_status(const TgClusters *clusters, const TgClusterStatus *status, GError **error) {
  static const char *const waiting[] = {"for the blocks that it multiplies", "for room to load a block",
                                        "for room to receive a block", "to send a block"};
  if (!status->failed) return true;
  const double deadline_s = clusters->base.options.deadline_s;
  return TG_EXECUTOR_FAIL(error, FAILED, "step %d, instance %d of the schedule: processor %s waited more than %g s %s",
                          status->step, status->instance + 1,
                          tg_schedule_processor_text(clusters->base.schedule, status->processor).s,
                          deadline_s > 0 ? deadline_s : usual_deadline_s, waiting[status->waiting & 3]);
}

static bool run_clusters(TgExecutor *executor, double *seconds, GError **error) {
  TgClusters *clusters = (TgClusters *)executor;
  TgClusterStatus status;
  TgError reason;
  if (!start(clusters, seconds, &reason) ||
      !tg_device_copy_out(&status, clusters->part[TG_CLUSTERS_STATUS].at, sizeof status, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  if (!check_status(clusters, &status, error)) return false;
  return take_times(clusters, &status, &reason) || tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

const TgExecutorKind tg_executor_clusters = {.name = "clusters",
                                             .processor = "a thread block of a cluster",
                                             .link = "a copy from shared memory to shared memory",
                                             .on_gpu = true,
                                             .has_deadline = true,
                                             .transports = 1 << TG_TRANSPORT_COPY | 1 << TG_TRANSPORT_LOAD,
                                             .times_apart = true,
                                             .traits = {.overlaps = true, .fetches = true, .folds = true},
                                             .unlike_sim = TG_EXECUTOR_TILES,
                                             .grid = "2x2",
                                             .sizes = "1024,3072,9216",
                                             .open = open_clusters,
                                             .load = load,
                                             .run = run_clusters,
                                             .gather = gather,
                                             .close = close_clusters};
