/* Executor `blocks`: a processor is a thread block of a resident grid, a link is a block of global memory with a
 * counter. The plan is made on the host (blocks-plan.h), the kernel only follows it. */
#include "blocks-private.h"

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
  if (asked_is_unsuited) {
    g_set_error(
        error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT,
        "variant %d of the executor blocks keeps factors in panels, and this schedule's blocks cannot be kept so",
        blocks->base.options.variant);
    return false;
  }
  char grid[64];
  tg_schedule_grid_text(blocks->base.schedule, grid, sizeof grid);
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "grid %s has %lld processors, at most %lld blocks of %s are resident at once on %s", grid,
              (long long)facts->processors, (long long)facts->processors_max,
              tg_element_name(blocks->base.options.element), blocks->device.name);
  return false;
}

/* Bytes of every part; false where they overflow. */
static bool count_bytes(TgBlocks *blocks) {
  const TgBlocksPlan *plan = blocks->plan;
  int64_t *bytes = blocks->part_bytes, total = 0;
  bytes[TG_PART_INSTRUCTIONS] = plan->instructions * (int64_t)sizeof(TgBlocksInstruction);
  bytes[TG_PART_FIRST] = (plan->processors + 1) * (int64_t)sizeof(int64_t);
  bytes[TG_PART_WAITS] = plan->waits * (int64_t)sizeof(TgBlocksWait);
  bytes[TG_PART_MEMORY] =
      plan->elements * tg_blocks_element_bytes(blocks); /* the planner keeps this far from overflow */
  bytes[TG_PART_DONE] = plan->processors * TG_BLOCKS_STRIDE * (int64_t)sizeof(uint32_t);
  bytes[TG_PART_STATUS] = sizeof(TgBlocksStatus);
  const int64_t times = plan->processors * plan->steps; /* at most 2^14 * 2^24 */
  if (!blocks->base.options.no_times) bytes[TG_PART_TIMES] = times * (int64_t)sizeof(TgBlocksTime);
  for (int part = 0; part < TG_PARTS; part++) {
    bytes[part] = MAX(bytes[part], 8);
    if (bytes[part] > INT64_MAX - total) return false;
    total += bytes[part];
  }
  blocks->base.facts.memory_bytes = total;
  return true;
}

static bool check_memory(TgBlocks *blocks, GError **error) {
  const int64_t limit = blocks->base.options.memory_limit_bytes > 0
                            ? MIN(blocks->base.options.memory_limit_bytes, blocks->device.memory_bytes)
                            : blocks->device.memory_bytes;
  const bool counted = count_bytes(blocks);
  if (counted && blocks->base.facts.memory_bytes <= limit) return true;
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "the run needs %s%lld bytes of device memory, %lld of them for blocks; the limit is %lld bytes",
              counted ? "" : "more than ",
              (long long)(counted ? blocks->base.facts.memory_bytes : blocks->part_bytes[TG_PART_MEMORY]),
              (long long)blocks->part_bytes[TG_PART_MEMORY], (long long)limit);
  return false;
}

static bool allocate(TgBlocks *blocks, GError **error) {
  TgError reason;
  for (int part = 0; part < TG_PARTS; part++) {
    blocks->part[part] = tg_device_allocate(blocks->part_bytes[part], &reason);
    if (!blocks->part[part]) return tg_executor_fail(error, TG_EXECUTOR_ERROR_TOO_LARGE, &reason);
    if (blocks->base.options.poison && !tg_device_fill(blocks->part[part], 0xff, blocks->part_bytes[part], &reason))
      return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  }
  const TgBlocksPlan *plan = blocks->plan;
  if (tg_device_copy_in(blocks->part[TG_PART_INSTRUCTIONS], plan->instruction,
                        plan->instructions * (int64_t)sizeof *plan->instruction, &reason) &&
      tg_device_copy_in(blocks->part[TG_PART_FIRST], plan->first, blocks->part_bytes[TG_PART_FIRST], &reason) &&
      (plan->waits == 0 ||
       tg_device_copy_in(blocks->part[TG_PART_WAITS], plan->wait, plan->waits * (int64_t)sizeof *plan->wait, &reason)))
    return true;
  return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

static bool host_memory(TgBlocks *blocks, GError **error) {
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t block = plan->padded_rows[TG_MATRIX_C] * plan->padded_columns[TG_MATRIX_C];
  const int64_t staging = MAX(plan->input_elements, block) * tg_blocks_element_bytes(blocks);
  const int64_t times = blocks->base.options.no_times ? 0 : blocks->part_bytes[TG_PART_TIMES];
  blocks->staging = g_try_malloc((gsize)staging);
  if (times) blocks->times = g_try_malloc((gsize)times);
  if (blocks->staging && (!times || blocks->times)) return true;
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "out of memory on the host: %lld bytes for blocks on their way and %lld for times", (long long)staging,
              (long long)times);
  return false;
}

static void close_blocks(TgExecutor *executor) {
  TgBlocks *blocks = (TgBlocks *)executor;
  for (int part = 0; part < TG_PARTS; part++) tg_device_free(blocks->part[part]);
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
  if (!check_memory(blocks, error) || !host_memory(blocks, error) || !allocate(blocks, error)) return false;
  return blocks->base.options.no_times || tg_executor_make_steps(&blocks->base, error);
}

static TgExecutor *open_blocks(const TgSchedule *schedule, const TgScheduleNames *names,
                               const TgExecutorOptions *options, GError **error) {
  TgBlocks *blocks = g_new0(TgBlocks, 1);
  blocks->base.kind = &tg_executor_blocks;
  blocks->base.schedule = schedule;
  blocks->base.names = names;
  blocks->base.options = *options;
  if (prepare(blocks, error)) return &blocks->base;
  close_blocks(&blocks->base);
  return NULL;
}

static bool start(TgBlocks *blocks, double *seconds, TgError *reason) {
  const TgExecutorOptions *options = &blocks->base.options;
  const double deadline_s = options->deadline_s > 0 ? options->deadline_s : usual_deadline_s;
  const TgBlocksRun run = {.instruction = blocks->part[TG_PART_INSTRUCTIONS],
                           .first = blocks->part[TG_PART_FIRST],
                           .wait = blocks->part[TG_PART_WAITS],
                           .memory = blocks->part[TG_PART_MEMORY],
                           .done = blocks->part[TG_PART_DONE],
                           .time = options->no_times ? NULL : blocks->part[TG_PART_TIMES],
                           .status = blocks->part[TG_PART_STATUS],
                           .steps = blocks->plan->steps,
                           .deadline_ns = (uint64_t)(deadline_s * 1e9),
                           .delay_ns = (uint32_t)options->delay_ns,
                           .delay_seed = options->delay_seed + blocks->runs++,
                           .stalled = options->stalled,
                           .processors = (int32_t)blocks->plan->processors};
  TgStopwatch *watch = tg_stopwatch_new(reason);
  bool fine = watch && tg_device_fill(blocks->part[TG_PART_DONE], 0, blocks->part_bytes[TG_PART_DONE], reason) &&
              tg_device_fill(blocks->part[TG_PART_STATUS], 0, blocks->part_bytes[TG_PART_STATUS], reason) &&
              tg_device_fill(blocks->part[TG_PART_TIMES], 0, blocks->part_bytes[TG_PART_TIMES], reason) &&
              tg_stopwatch_start(watch, reason) && tg_blocks_start(blocks->variant, options->element, &run, reason) &&
              tg_stopwatch_stop(watch, seconds, reason);
  if (watch) tg_stopwatch_free(watch);
  return fine;
}

/* What a wait past its deadline says: "step 3, `move A to (i, j-1)`: processor (1, 2) waited …". */
static bool check_status(const TgBlocks *blocks, GError **error) {
  TgBlocksStatus status;
  TgError reason;
  char processor[96], other[96];
  if (!tg_device_copy_out(&status, blocks->part[TG_PART_STATUS], sizeof status, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  if (!status.failed) return true;
  const TgScheduleNames *names = blocks->base.names;
  const double deadline_s = blocks->base.options.deadline_s;
  tg_schedule_processor_text(blocks->base.schedule, status.processor, processor, sizeof processor);
  tg_schedule_processor_text(blocks->base.schedule, status.other, other, sizeof other);
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED,
              "step %d, `%s`: processor %s waited more than %g s for processor %s, which had finished %d of the %d "
              "instructions that it needs",
              status.step, tg_name(names, names->source[status.statement]), processor,
              deadline_s > 0 ? deadline_s : usual_deadline_s, other, status.reached, status.count);
  return false;
}

static bool run_blocks(TgExecutor *executor, double *seconds, GError **error) {
  TgBlocks *blocks = (TgBlocks *)executor;
  TgError reason;
  if (!start(blocks, seconds, &reason)) return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  if (!check_status(blocks, error)) return false;
  return tg_blocks_take_times(blocks, &reason) || tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
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
                                           .load = tg_blocks_load,
                                           .run = run_blocks,
                                           .gather = tg_blocks_gather,
                                           .close = close_blocks};
