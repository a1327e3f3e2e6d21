/* Executor `blocks`: a processor is a thread block of a resident grid, a link is a block of global memory with a
 * counter. The plan is made on the host (blocks-plan.h), the kernel only follows it. */
#include <math.h>
#include <string.h>

#include "blocks-launch.h"
#include "blocks-planner.h"
#include "executors-cuda.h"
#include "parts.h"

/* What is on the device, each at its own address. */
typedef enum TgBlocksPart {
  TG_PART_INSTRUCTIONS,
  TG_PART_FIRST,
  TG_PART_WAITS,
  TG_PART_MEMORY,
  TG_PART_DONE,
  TG_PART_TIMES,
  TG_PART_STATUS,
  TG_PARTS
} TgBlocksPart;

typedef struct TgBlocks {
  TgExecutor base;
  TgBlocksPlan *plan;
  TgDevice device;
  int32_t variant;      /* of the kernel */
  int32_t panel, inner; /* of the layout that it needs */
  TgPart part[TG_PARTS];
  TgBlocksTime *times; /* host's copy, or NULL */
  char *staging;       /* host: the input blocks, or a block of C */
  uint32_t runs;
} TgBlocks;

static inline int64_t element_bytes(const TgBlocks *blocks) {
  return tg_element_bytes(blocks->base.options.element);
}

/* --- what goes to the device and comes back: blocks of A and B, blocks of C, times -------------------------------- */

/* Where an element of a block lies that is given as row `r` and column `c` of the matrix. */
static int64_t place_in_block(const TgBlocksPlan *plan, int matrix, int64_t r, int64_t c) {
  const bool transposed = plan->transposed[matrix];
  const int64_t rows = transposed ? plan->padded_columns[matrix] : plan->padded_rows[matrix];
  const int64_t columns = transposed ? plan->padded_rows[matrix] : plan->padded_columns[matrix];
  const int64_t row = transposed ? c : r, column = transposed ? r : c;
  return plan->paneled[matrix] ? tg_blocks_panel_offset(rows, columns, plan->layout.panel, row, column)
                               : row * columns + column;
}

/* A block into its place in the staging memory. Runs of neighbours that stay neighbours are copied at once: to the end
 * of the row, or of the panel. */
static void pack(const TgBlocks *blocks, const TgBlocksPlaced *placed, const TgBlocksExtent *extent, const char *from) {
  const TgBlocksPlan *plan = blocks->plan;
  const int matrix = placed->matrix;
  const int64_t bytes = element_bytes(blocks), row_bytes = plan->columns[matrix] * bytes;
  const int64_t run = plan->transposed[matrix] ? 1 : plan->paneled[matrix] ? plan->layout.panel : extent->columns;
  char *to = blocks->staging + placed->offset * bytes;
  for (int64_t r = 0; r < extent->rows; r++)
    for (int64_t c = 0; c < extent->columns; c += run)
      memcpy(to + place_in_block(plan, matrix, r, c) * bytes, from + r * row_bytes + c * bytes,
             (size_t)(MIN(run, extent->columns - c) * bytes));
}

/* Packs the placed blocks with their padding, which the staging memory's zeros are. */
static bool load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgBlocks *blocks = (TgBlocks *)executor;
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t bytes = element_bytes(blocks);
  const char *const whole[] = {a, b};
  TgError reason;
  memset(blocks->staging, 0, (size_t)(plan->input_elements * bytes));
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    if (placed->matrix == TG_MATRIX_C) continue;
    const TgBlocksExtent extent = tg_blocks_extent(plan, blocks->base.schedule, placed);
    const char *from = whole[placed->matrix] + (extent.row * plan->columns[placed->matrix] + extent.column) * bytes;
    pack(blocks, placed, &extent, from);
  }
  return tg_device_copy_in(blocks->part[TG_PART_MEMORY].at, blocks->staging, plan->input_elements * bytes, &reason) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

static bool gather(TgExecutor *executor, void *c, GError **error) {
  TgBlocks *blocks = (TgBlocks *)executor;
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t bytes = element_bytes(blocks), pitch = plan->padded_columns[TG_MATRIX_C];
  TgError reason;
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    if (placed->matrix != TG_MATRIX_C) continue;
    const TgBlocksExtent extent = tg_blocks_extent(plan, blocks->base.schedule, placed);
    if (extent.rows == 0 || extent.columns == 0) continue;
    if (!tg_device_copy_out(blocks->staging, (const char *)blocks->part[TG_PART_MEMORY].at + placed->offset * bytes,
                            extent.rows * pitch * bytes, &reason))
      return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
    for (int64_t r = 0; r < extent.rows; r++)
      memcpy((char *)c + ((extent.row + r) * plan->columns[TG_MATRIX_C] + extent.column) * bytes,
             blocks->staging + r * pitch * bytes, (size_t)(extent.columns * bytes));
  }
  return true;
}

/* Means over the processors that took part in step `s`; times count from `zero_ns`. */
static void sum_up_step(const TgBlocks *blocks, int64_t s, uint64_t zero_ns) {
  TgExecutorStep *step = &blocks->base.steps[s];
  uint64_t begin = UINT64_MAX, end = 0, busy = 0, waited = 0, took_part = 0;
  for (int64_t p = 0; p < blocks->plan->processors; p++) {
    const TgBlocksTime *time = &blocks->times[p * blocks->plan->steps + s];
    if (!time->begin_ns) continue;
    begin = MIN(begin, time->begin_ns);
    end = MAX(end, time->end_ns);
    busy += time->end_ns - time->begin_ns - time->waited_ns;
    waited += time->waited_ns;
    took_part++;
  }
  step->runs = took_part ? 1 : 0;
  step->begin_s = took_part ? (double)(begin - zero_ns) * 1e-9 : NAN;
  step->end_s = took_part ? (double)(end - zero_ns) * 1e-9 : NAN;
  step->busy_s = took_part ? (double)busy / (double)took_part * 1e-9 : NAN;
  step->waited_s = took_part ? (double)waited / (double)took_part * 1e-9 : NAN;
}

/* Takes the times of the last run from the device and sums them up in base.steps. */
static bool take_times(TgBlocks *blocks, TgError *reason) {
  const int64_t times = blocks->plan->processors * blocks->plan->steps;
  uint64_t zero_ns = UINT64_MAX;
  if (!blocks->times || times == 0) return true;
  if (!tg_device_copy_out(blocks->times, blocks->part[TG_PART_TIMES].at, times * (int64_t)sizeof *blocks->times,
                          reason))
    return false;
  for (int64_t t = 0; t < times; t++) {
    if (blocks->times[t].begin_ns) zero_ns = MIN(zero_ns, blocks->times[t].begin_ns);
  }
  for (int64_t s = 0; s < blocks->plan->steps; s++) sum_up_step(blocks, s, zero_ns);
  return true;
}

/* --- opening and running ------------------------------------------------------------------------------------------ */

static const double usual_deadline_s = 20;

/* The largest tiles with which all processors are resident together. */
static bool choose_variant(TgBlocks *blocks, GError **error) {
  TgExecutorFacts *facts = &blocks->base.facts;
  TgError reason;
  TgBlocksVariant variant;
  bool found = false, asked_is_unsuited = false;
  for (int32_t f = 0; tg_blocks_variant(f, blocks->base.options.element, &variant, &reason); f++) {
    facts->variants = f + 1;
    const bool unsuited = variant.panel && !tg_blocks_can_panel(blocks->base.schedule);
    if (blocks->base.options.variant && f + 1 != blocks->base.options.variant) continue;
    asked_is_unsuited = unsuited && blocks->base.options.variant;
    if (unsuited) continue;
    facts->processors_max = MAX(facts->processors_max, variant.resident);
    if (found || variant.resident < facts->processors) continue;
    found = true;
    blocks->variant = f;
    facts->variant = f + 1;
    blocks->panel = variant.panel;
    blocks->inner = variant.inner;
    facts->tile[0] = variant.rows;
    facts->tile[1] = variant.columns;
  }
  if (found) return true;
  if (reason.message[0]) return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  if (!tg_executor_has_variant(&blocks->base, error)) return false;
  if (asked_is_unsuited)
    return TG_EXECUTOR_FAIL(
        error, BAD_INPUT,
        "variant %d of the executor blocks keeps factors in panels, but this schedule's blocks cannot be kept that way",
        blocks->base.options.variant);
  return TG_EXECUTOR_FAIL(
      error, TOO_LARGE, "grid %s has %lld processors, but at most %lld blocks of %s can be resident at once on %s",
      tg_schedule_grid_text(blocks->base.schedule).s, (long long)facts->processors, (long long)facts->processors_max,
      tg_element_name(blocks->base.options.element), blocks->device.name);
}

/* The planner keeps all of them far from overflow; a part of no entries has 8 bytes. */
static void count_bytes(TgBlocks *blocks) {
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t times = plan->processors * plan->steps; /* at most 2^14 * 2^24 */
  TgPart *part = blocks->part;
  part[TG_PART_INSTRUCTIONS].bytes = plan->instructions * (int64_t)sizeof *plan->instruction;
  part[TG_PART_FIRST].bytes = (plan->processors + 1) * (int64_t)sizeof *plan->first;
  part[TG_PART_WAITS].bytes = plan->waits * (int64_t)sizeof *plan->wait;
  part[TG_PART_MEMORY].bytes = plan->elements * element_bytes(blocks);
  part[TG_PART_DONE].bytes = plan->processors * TG_BLOCKS_STRIDE * (int64_t)sizeof(uint32_t);
  part[TG_PART_STATUS].bytes = sizeof(TgBlocksStatus);
  if (!blocks->base.options.no_times) part[TG_PART_TIMES].bytes = times * (int64_t)sizeof(TgBlocksTime);
  if (plan->instructions) part[TG_PART_INSTRUCTIONS].data = plan->instruction;
  if (plan->waits) part[TG_PART_WAITS].data = plan->wait;
  part[TG_PART_FIRST].data = plan->first;
  for (int p = 0; p < TG_PARTS; p++) part[p].bytes = MAX(part[p].bytes, 8);
}

static bool check_memory(TgBlocks *blocks, GError **error) {
  count_bytes(blocks);
  const int64_t of_blocks = blocks->part[TG_PART_MEMORY].bytes;
  g_autofree char *of_them = g_strdup_printf(", %lld of them for blocks", (long long)of_blocks);
  return tg_parts_check(&blocks->base, &blocks->device, blocks->part, TG_PARTS, true, of_blocks, of_them, error);
}

static bool host_memory(TgBlocks *blocks, GError **error) {
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t block = plan->padded_rows[TG_MATRIX_C] * plan->padded_columns[TG_MATRIX_C];
  const int64_t staging = MAX(plan->input_elements, block) * element_bytes(blocks);
  const int64_t times = blocks->base.options.no_times ? 0 : blocks->part[TG_PART_TIMES].bytes;
  blocks->staging = g_try_malloc((gsize)staging);
  if (times) blocks->times = g_try_malloc((gsize)times);
  if (blocks->staging && (!times || blocks->times)) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "out of memory on the host: %lld bytes for blocks in transit and %lld for times",
                          (long long)staging, (long long)times);
}

static void close_blocks(TgExecutor *executor) {
  TgBlocks *blocks = (TgBlocks *)executor;
  tg_parts_free(blocks->part, TG_PARTS);
  tg_blocks_plan_free(blocks->plan);
  g_free(blocks->times);
  g_free(blocks->staging);
  g_free(blocks->base.steps);
  g_free(blocks);
}

static bool prepare(TgBlocks *blocks, GError **error) {
  TgError reason;
  TgExecutorFacts *facts = &blocks->base.facts;
  facts->processors = tg_schedule_processors(blocks->base.schedule);
  if (!tg_device_open(blocks->base.options.device, &blocks->device, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  if (!choose_variant(blocks, error)) return false;
  const TgBlocksLayout layout = {.pad = 4, .align = 64, .panel = blocks->panel, .inner = blocks->inner};
  blocks->plan = tg_blocks_plan_new(blocks->base.schedule, blocks->base.names, &blocks->base.options, &layout, error);
  if (!blocks->plan) return false;
  facts->instructions = blocks->plan->instructions;
  facts->waits = blocks->plan->waits;
  facts->steps = blocks->plan->steps;
  facts->instance[0] = blocks->base.options.m;
  facts->instance[1] = blocks->base.options.n;
  facts->instance[2] = blocks->base.options.k;
  facts->instances = facts->resident = facts->panels = 1;
  facts->kernel = "register tiles from shared memory";
  if (!check_memory(blocks, error) || !host_memory(blocks, error) ||
      !tg_parts_allocate(&blocks->base, blocks->part, TG_PARTS, error))
    return false;
  return blocks->base.options.no_times || tg_executor_make_steps(&blocks->base, error);
}

static TgExecutor *open_blocks(const TgSchedule *schedule, const TgScheduleNames *names,
                               const TgExecutorOptions *options, GError **error) {
  TgBlocks *blocks = g_new0(TgBlocks, 1);
  blocks->base = (TgExecutor){.kind = &tg_executor_blocks, .schedule = schedule, .names = names, .options = *options};
  if (prepare(blocks, error)) return &blocks->base;
  close_blocks(&blocks->base);
  return NULL;
}

static bool start(TgBlocks *blocks, double *seconds, TgError *reason) {
  const TgExecutorOptions *options = &blocks->base.options;
  const double deadline_s = options->deadline_s > 0 ? options->deadline_s : usual_deadline_s;
  const TgBlocksRun run = {.instruction = blocks->part[TG_PART_INSTRUCTIONS].at,
                           .first = blocks->part[TG_PART_FIRST].at,
                           .wait = blocks->part[TG_PART_WAITS].at,
                           .memory = blocks->part[TG_PART_MEMORY].at,
                           .done = blocks->part[TG_PART_DONE].at,
                           .time = options->no_times ? NULL : blocks->part[TG_PART_TIMES].at,
                           .status = blocks->part[TG_PART_STATUS].at,
                           .steps = blocks->plan->steps,
                           .deadline_ns = (uint64_t)(deadline_s * 1e9),
                           .delay_ns = (uint32_t)options->delay_ns,
                           .delay_seed = options->delay_seed + blocks->runs++,
                           .stalled = options->stalled,
                           .processors = (int32_t)blocks->plan->processors};
  TgStopwatch *watch = tg_stopwatch_new(reason);
  bool fine = watch && tg_part_clear(&blocks->part[TG_PART_DONE], reason) &&
              tg_part_clear(&blocks->part[TG_PART_STATUS], reason) &&
              tg_part_clear(&blocks->part[TG_PART_TIMES], reason) && tg_stopwatch_start(watch, reason) &&
              tg_blocks_start(blocks->variant, options->element, &run, reason) &&
              tg_stopwatch_stop(watch, seconds, reason);
  if (watch) tg_stopwatch_free(watch);
  return fine;
}

static bool check_status(const TgBlocks *blocks, GError **error) {
  TgBlocksStatus status;
  TgError reason;
  if (!tg_device_copy_out(&status, blocks->part[TG_PART_STATUS].at, sizeof status, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  if (!status.failed) return true;
  const double deadline_s = blocks->base.options.deadline_s;
  const TgLateWait late = {.deadline_s = deadline_s > 0 ? deadline_s : usual_deadline_s,
                           .processor = status.processor,
                           .statement = status.statement,
                           .step = status.step,
                           .other = status.other,
                           .count = status.count,
                           .reached = status.reached};
  return tg_executor_was_late(&blocks->base, &late, error);
}

static bool run_blocks(TgExecutor *executor, double *seconds, GError **error) {
  TgBlocks *blocks = (TgBlocks *)executor;
  TgError reason;
  if (!start(blocks, seconds, &reason)) return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  if (!check_status(blocks, error)) return false;
  return take_times(blocks, &reason) || tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

const TgExecutorKind tg_executor_blocks = {.name = "blocks",
                                           .processor = "a thread block of a resident grid",
                                           .link = "global memory and a counter",
                                           .on_gpu = true,
                                           .has_deadline = true,
                                           .transports = 1 << TG_TRANSPORT_COPY | 1 << TG_TRANSPORT_PULL,
                                           .traits = {.fetches = true},
                                           .grid = "16x16",
                                           .sizes = "64,96,128,384,640",
                                           .open = open_blocks,
                                           .load = load,
                                           .run = run_blocks,
                                           .gather = gather,
                                           .close = close_blocks};
