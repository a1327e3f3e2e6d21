/* Executor `threads`: a processor is a thread of a thread block, a link is the block's shared memory with its barriers.
 * The program is made on the host (threads-program.h), the kernel only follows it. */
#include "threads-private.h"

static const char *const too_large_advice = "take a smaller grid: the problem is tiled around it";

static int64_t device_limit(const TgThreads *threads) {
  const int64_t limit = threads->base.options.memory_limit_bytes, has = threads->device.memory_bytes;
  return limit > 0 ? MIN(limit, has) : has;
}

static bool too_many_threads(const TgThreads *threads, int64_t limit, GError **error) {
  char grid[64];
  tg_schedule_grid_text(threads->base.schedule, grid, sizeof grid);
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "grid %s has %lld processors, a block of %s has %lld threads at most; %s", grid,
              (long long)threads->base.facts.processors, threads->device.name, (long long)limit, too_large_advice);
  return false;
}

static bool too_much_shared(const TgThreads *threads, const char *at_least, int64_t elements, int64_t limit_bytes,
                            GError **error) {
  char grid[64];
  tg_schedule_grid_text(threads->base.schedule, grid, sizeof grid);
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "grid %s needs %s%lld bytes of shared memory in a block, %s has %lld; %s", grid, at_least,
              (long long)(elements * tg_threads_element_bytes(threads)), threads->device.name, (long long)limit_bytes,
              too_large_advice);
  return false;
}

/* What can be told before the program is made, which takes a while for many processors. */
static bool check_limits(TgThreads *threads, GError **error) {
  TgThreadsVariant variant;
  TgError reason;
  TgExecutorFacts *facts = &threads->base.facts;
  if (!tg_threads_variant(threads->base.options.element, 1, 0, &variant, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  facts->processors_max = MIN(variant.threads_max, TG_THREADS_MOST_PROCESSORS);
  if (facts->processors > facts->processors_max) return too_many_threads(threads, facts->processors_max, error);
  const int64_t least = tg_threads_least_elements(threads->base.schedule);
  return least * tg_threads_element_bytes(threads) <= variant.shared_bytes ||
         too_much_shared(threads, "at least ", least, variant.shared_bytes, error);
}

static bool choose_blocks(TgThreads *threads, GError **error) {
  TgThreadsVariant variant;
  TgError reason;
  TgExecutorFacts *facts = &threads->base.facts;
  const TgThreadsTiling *tiling = &threads->tiling;
  const int64_t elements =
      threads->program->elements + tiling->tile[TG_THREADS_TILE_ROW] * tiling->tile[TG_THREADS_TILE_COLUMN];
  threads->shared_bytes = facts->shared_bytes = elements * tg_threads_element_bytes(threads);
  if (!tg_threads_variant(threads->base.options.element, threads->program->processors, facts->shared_bytes, &variant,
                          &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  if (facts->shared_bytes > variant.shared_bytes)
    return too_much_shared(threads, "", elements, variant.shared_bytes, error);
  facts->instances = tiling->tile_rows * tiling->tile_columns;
  facts->panels = tiling->panels;
  facts->resident = MIN(variant.resident, facts->instances);
  for (int i = 0; i < TG_THREADS_NUMBERS; i++) facts->instance[i] = tiling->tile[i];
  facts->tile[0] = facts->tile[1] = 1;
  facts->kernel = "one multiply-add";
  if (facts->resident > 0) return true;
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "no block of %d threads with %lld bytes of shared memory fits on a multiprocessor of %s; %s",
              threads->program->processors, (long long)facts->shared_bytes, threads->device.name, too_large_advice);
  return false;
}

static int64_t matrix_bytes(const TgThreads *threads, TgMatrixName matrix) {
  int64_t rows, columns;
  const TgExecutorOptions *options = &threads->base.options;
  tg_schedule_matrix_shape(threads->base.schedule, matrix, options->m, options->n, options->k, &rows, &columns);
  return rows * columns * tg_threads_element_bytes(threads); /* below 2^31 * 2^31 * 8: 2^65, see count_bytes() */
}

/* Bytes of every part; false where they overflow. */
static bool count_bytes(TgThreads *threads) {
  const TgThreadsProgram *program = threads->program;
  const TgExecutorOptions *options = &threads->base.options;
  int64_t *bytes = threads->part_bytes, total = 0;
  const int64_t sizes[] = {options->m, options->n, options->k};
  for (int i = 0; i < 3; i++)
    if (sizes[i] > INT64_MAX / 64 / sizes[(i + 1) % 3]) return false;
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_C; matrix++)
    bytes[TG_THREADS_A + matrix] = matrix_bytes(threads, (TgMatrixName)matrix);
  bytes[TG_THREADS_STEPS] = (program->steps + 1) * (int64_t)sizeof *program->step_level;
  bytes[TG_THREADS_ROWS] = (program->levels * program->warps + 2) * (int64_t)sizeof *program->level_row;
  bytes[TG_THREADS_INSTRUCTIONS] =
      (program->rows + 1) * TG_THREADS_WARP * (int64_t)sizeof *program->instruction; /* the program is of this size */
  bytes[TG_THREADS_INPUTS] = program->inputs * (int64_t)sizeof *program->input;
  bytes[TG_THREADS_RESULTS] = threads->tiling.tile[0] * threads->tiling.tile[1] * (int64_t)sizeof *program->result;
  if (!options->no_times) {
    bytes[TG_THREADS_TIMES] = program->steps * program->warps * (int64_t)sizeof(TgThreadsTime);
    bytes[TG_THREADS_CLOCKS] = sizeof(TgThreadsClocks);
  }
  for (int part = 0; part < TG_THREADS_PARTS; part++) {
    if (bytes[part] > INT64_MAX - total) return false;
    total += bytes[part];
  }
  threads->base.facts.memory_bytes = total;
  return true;
}

static bool check_memory(TgThreads *threads, GError **error) {
  const int64_t limit = device_limit(threads);
  const bool counted = count_bytes(threads);
  if (counted && threads->base.facts.memory_bytes <= limit) return true;
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "the run needs %s%lld bytes of device memory; the limit is %lld bytes", counted ? "" : "more than ",
              (long long)(counted ? threads->base.facts.memory_bytes : INT64_MAX / 16), (long long)limit);
  return false;
}

static bool allocate(TgThreads *threads, GError **error) {
  TgError reason;
  for (int part = 0; part < TG_THREADS_PARTS; part++) {
    if (threads->part_bytes[part] == 0) continue;
    threads->part[part] = tg_device_allocate(threads->part_bytes[part], &reason);
    if (!threads->part[part]) return tg_executor_fail(error, TG_EXECUTOR_ERROR_TOO_LARGE, &reason);
    if (threads->base.options.poison && !tg_device_fill(threads->part[part], 0xff, threads->part_bytes[part], &reason))
      return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  }
  return tg_threads_send_program(threads, &reason) || tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

static bool host_memory(TgThreads *threads, GError **error) {
  const int64_t bytes = threads->part_bytes[TG_THREADS_TIMES];
  if (bytes == 0) return true;
  threads->times = g_try_malloc((gsize)bytes);
  if (threads->times) return tg_executor_make_steps(&threads->base, error);
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE, "out of memory on the host: %lld bytes for times",
              (long long)bytes);
  return false;
}

static void close_threads(TgExecutor *executor) {
  TgThreads *threads = (TgThreads *)executor;
  for (int part = 0; part < TG_THREADS_PARTS; part++) tg_device_free(threads->part[part]);
  tg_threads_program_free(threads->program);
  g_free(threads->times);
  g_free(threads->base.steps);
  g_free(threads);
}

static bool prepare(TgThreads *threads, GError **error) {
  TgExecutor *base = &threads->base;
  TgError reason;
  base->facts.processors = tg_schedule_processors(base->schedule);
  if (!tg_device_open(base->options.device, &threads->device, &reason))
    return tg_executor_fail(error, TG_EXECUTOR_ERROR_DEVICE, &reason);
  if (!check_limits(threads, error)) return false;
  threads->program = tg_threads_program_new(base->schedule, base->names, &base->options, error);
  if (!threads->program) return false;
  threads->tiling = tg_threads_tiling(base->schedule, &base->options);
  base->facts.instructions = threads->program->instructions;
  base->facts.waits = threads->program->waits;
  base->facts.steps = threads->program->steps;
  return choose_blocks(threads, error) && check_memory(threads, error) && host_memory(threads, error) &&
         allocate(threads, error);
}

static TgExecutor *open_threads(const TgSchedule *schedule, const TgScheduleNames *names,
                                const TgExecutorOptions *options, GError **error) {
  if (!tg_executor_has_no_waits(options, error)) return NULL;
  TgThreads *threads = g_new0(TgThreads, 1);
  threads->base.kind = &tg_executor_threads;
  threads->base.schedule = schedule;
  threads->base.names = names;
  threads->base.options = *options;
  if (tg_executor_has_one_variant(&threads->base, error) && prepare(threads, error)) return &threads->base;
  close_threads(&threads->base);
  return NULL;
}

static bool start(TgThreads *threads, double *seconds, TgError *reason) {
  const TgExecutorFacts *facts = &threads->base.facts;
  const TgComputes *computes = &threads->base.schedule->computes;
  void *const *part = threads->part;
  const TgThreadsRun run = {.tiling = threads->tiling,
                            .instances = facts->instances,
                            .inputs = threads->program->inputs,
                            .elements = threads->program->elements,
                            .steps = (int32_t)threads->program->steps,
                            .levels = (int32_t)threads->program->levels,
                            .warps = threads->program->warps,
                            .processors = threads->program->processors,
                            .blocks = (int32_t)facts->resident,
                            .factor = {part[TG_THREADS_A + computes->left],
                                       computes->right == TG_MATRICES ? NULL : part[TG_THREADS_A + computes->right]},
                            .c = part[TG_THREADS_C],
                            .step_level = part[TG_THREADS_STEPS],
                            .level_row = part[TG_THREADS_ROWS],
                            .instruction = part[TG_THREADS_INSTRUCTIONS],
                            .input = part[TG_THREADS_INPUTS],
                            .result = part[TG_THREADS_RESULTS],
                            .time = part[TG_THREADS_TIMES],
                            .clocks = part[TG_THREADS_CLOCKS]};
  TgStopwatch *watch = tg_stopwatch_new(reason);
  const bool fine =
      watch &&
      (!run.time || tg_device_fill(part[TG_THREADS_TIMES], 0, threads->part_bytes[TG_THREADS_TIMES], reason)) &&
      tg_stopwatch_start(watch, reason) &&
      tg_threads_start(threads->base.options.element, &run, threads->shared_bytes, reason) &&
      tg_stopwatch_stop(watch, seconds, reason);
  if (watch) tg_stopwatch_free(watch);
  return fine;
}

static bool run_threads(TgExecutor *executor, double *seconds, GError **error) {
  TgThreads *threads = (TgThreads *)executor;
  TgError reason;
  return (start(threads, seconds, &reason) && tg_threads_take_times(threads, &reason)) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

const TgExecutorKind tg_executor_threads = {.name = "threads",
                                            .processor = "a thread of a thread block",
                                            .link = "shared memory and the block's barriers",
                                            .on_gpu = true,
                                            .transports = 1 << TG_TRANSPORT_COPY,
                                            .traits = {.fetches = true},
                                            .unlike_sim = TG_EXECUTOR_TILES,
                                            .grid = "16x16",
                                            .sizes = "64,256,1024",
                                            .open = open_threads,
                                            .load = tg_threads_load,
                                            .run = run_threads,
                                            .gather = tg_threads_gather,
                                            .close = close_threads};
