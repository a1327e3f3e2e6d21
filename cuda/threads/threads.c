/* Executor `threads`: a processor is a thread of a thread block, a link is the block's shared memory with its barriers.
 * The program is made on the host (threads-program.h), the kernel only follows it. */
#include <math.h>

#include "executors-cuda.h"
#include "parts.h"
#include "threads-compiler.h"
#include "threads-launch.h"

/* What is on the device, each at its own address. */
typedef enum TgThreadsPart {
  TG_THREADS_A,
  TG_THREADS_B,
  TG_THREADS_C,
  TG_THREADS_STEPS,
  TG_THREADS_ROWS,
  TG_THREADS_INSTRUCTIONS,
  TG_THREADS_INPUTS,
  TG_THREADS_RESULTS,
  TG_THREADS_TIMES,
  TG_THREADS_CLOCKS,
  TG_THREADS_PARTS
} TgThreadsPart;

typedef struct TgThreads {
  TgExecutor base;
  TgThreadsProgram *program;
  TgThreadsTiling tiling;
  TgDevice device;
  int64_t shared_bytes; /* of a block */
  TgPart part[TG_THREADS_PARTS];
  TgThreadsTime *times; /* host's copy, or NULL */
  uint64_t ns;          /* of all runs so far, by one clock of the device … */
  int64_t cycles;       /* … and by the other */
} TgThreads;

static inline int64_t element_bytes(const TgThreads *threads) {
  return tg_element_bytes(threads->base.options.element);
}

/* --- what goes to the device and comes back: A and B, C, times ---------------------------------------------------- */

static bool load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  const TgPart *part = ((TgThreads *)executor)->part;
  const TgComputes *computes = &executor->schedule->computes;
  const void *const whole[] = {a, b};
  TgError reason;
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++) {
    const TgPart *to = &part[TG_THREADS_A + matrix];
    if (computes->left != matrix && computes->right != matrix) continue;
    if (!tg_device_copy_in(to->at, whole[matrix], to->bytes, &reason))
      return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
  }
  return true;
}

static bool gather(TgExecutor *executor, void *c, GError **error) {
  TgThreads *threads = (TgThreads *)executor;
  TgError reason;
  return tg_device_copy_out(c, threads->part[TG_THREADS_C].at, threads->part[TG_THREADS_C].bytes, &reason) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

/* Whether any of the warp's threads has something to do in step `s`. */
static bool takes_part(const TgThreadsProgram *program, int64_t s, int64_t warp) {
  const int32_t *row = program->level_row + warp * program->levels;
  return row[program->step_level[s]] < row[program->step_level[s + 1]];
}

/* Means over the warps that took part in step `s`; times count from `zero`. */
static void sum_up_step(const TgThreads *threads, int64_t s, int64_t zero, double s_per_cycle) {
  const TgThreadsProgram *program = threads->program;
  const TgExecutorFacts *facts = &threads->base.facts;
  TgExecutorStep *step = &threads->base.steps[s];
  int64_t begin = INT64_MAX, end = INT64_MIN, took_part = 0;
  double busy = 0, waited = 0;
  for (int64_t warp = 0; warp < program->warps; warp++) {
    const TgThreadsTime *time = &threads->times[s * program->warps + warp];
    if (!takes_part(program, s, warp)) continue;
    begin = MIN(begin, time->begin);
    end = MAX(end, time->end);
    busy += (double)time->busy;
    waited += (double)time->waited;
    took_part++;
  }
  const double mean = took_part ? s_per_cycle / (double)took_part : NAN;
  step->runs = took_part ? facts->passes : 0;
  step->begin_s = took_part ? (double)(begin - zero) * s_per_cycle : NAN;
  step->end_s = took_part ? (double)(end - zero) * s_per_cycle : NAN;
  step->busy_s = busy * mean;
  step->waited_s = waited * mean;
}

/* The rate of the clock of cycles, from all runs so far: one short run has few nanoseconds to tell it by. */
static double find_rate(TgThreads *threads, const TgThreadsClocks *clocks) {
  threads->ns += clocks->ns[1] - clocks->ns[0];
  threads->cycles += clocks->cycles[1] - clocks->cycles[0];
  return threads->cycles > 0 ? (double)threads->ns * 1e-9 / (double)threads->cycles : NAN;
}

/* Takes the times of the last run from the device and sums them up in base.steps. */
static bool take_times(TgThreads *threads, TgError *reason) {
  const TgThreadsProgram *program = threads->program;
  TgThreadsClocks clocks;
  int64_t zero = INT64_MAX;
  if (!threads->times) return true;
  if (!tg_device_copy_out(threads->times, threads->part[TG_THREADS_TIMES].at, threads->part[TG_THREADS_TIMES].bytes,
                          reason) ||
      !tg_device_copy_out(&clocks, threads->part[TG_THREADS_CLOCKS].at, sizeof clocks, reason))
    return false;
  for (int64_t s = 0; s < program->steps; s++)
    for (int64_t warp = 0; warp < program->warps; warp++)
      if (takes_part(program, s, warp)) zero = MIN(zero, threads->times[s * program->warps + warp].begin);
  const double s_per_cycle = find_rate(threads, &clocks);
  for (int64_t s = 0; s < program->steps; s++) sum_up_step(threads, s, zero, s_per_cycle);
  return true;
}

/* --- opening and running ------------------------------------------------------------------------------------------ */

static const char *const too_large_advice = "use a smaller grid: the problem is tiled around it";

static bool too_many_threads(const TgThreads *threads, int64_t limit, GError **error) {
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "grid %s has %lld processors, but a block of %s has at most %lld threads; %s",
                          tg_schedule_grid_text(threads->base.schedule).s, (long long)threads->base.facts.processors,
                          threads->device.name, (long long)limit, too_large_advice);
}

static bool too_much_shared(const TgThreads *threads, const char *at_least, int64_t elements, int64_t limit_bytes,
                            GError **error) {
  return TG_EXECUTOR_FAIL(
      error, TOO_LARGE, "grid %s needs %s%lld bytes of shared memory in a block, but %s has %lld; %s",
      tg_schedule_grid_text(threads->base.schedule).s, at_least, (long long)(elements * element_bytes(threads)),
      threads->device.name, (long long)limit_bytes, too_large_advice);
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
  return least * element_bytes(threads) <= variant.shared_bytes ||
         too_much_shared(threads, "at least ", least, variant.shared_bytes, error);
}

static bool choose_blocks(TgThreads *threads, GError **error) {
  TgThreadsVariant variant;
  TgError reason;
  TgExecutorFacts *facts = &threads->base.facts;
  const TgThreadsTiling *tiling = &threads->tiling;
  const int64_t elements =
      threads->program->elements + tiling->tile[TG_THREADS_TILE_ROW] * tiling->tile[TG_THREADS_TILE_COLUMN];
  threads->shared_bytes = facts->shared_bytes = elements * element_bytes(threads);
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
  return TG_EXECUTOR_FAIL(
      error, TOO_LARGE, "no block of %d threads with %lld bytes of shared memory fits on a multiprocessor of %s; %s",
      threads->program->processors, (long long)facts->shared_bytes, threads->device.name, too_large_advice);
}

static int64_t matrix_bytes(const TgThreads *threads, TgMatrixName matrix) {
  int64_t rows, columns;
  const TgExecutorOptions *options = &threads->base.options;
  tg_schedule_matrix_shape(threads->base.schedule, matrix, options->m, options->n, options->k, &rows, &columns);
  return rows * columns * element_bytes(threads); /* below 2^31 * 2^31 * 8: 2^65, see count_bytes() */
}

/* Bytes of every part; false where they overflow. */
static bool count_bytes(TgThreads *threads) {
  const TgThreadsProgram *program = threads->program;
  const TgExecutorOptions *options = &threads->base.options;
  TgPart *part = threads->part;
  const int64_t sizes[] = {options->m, options->n, options->k};
  for (int i = 0; i < 3; i++)
    if (sizes[i] > INT64_MAX / 64 / sizes[(i + 1) % 3]) return false;
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_C; matrix++)
    part[TG_THREADS_A + matrix].bytes = matrix_bytes(threads, (TgMatrixName)matrix);
  part[TG_THREADS_STEPS] =
      (TgPart){.bytes = (program->steps + 1) * (int64_t)sizeof *program->step_level, .data = program->step_level};
  part[TG_THREADS_ROWS] =
      (TgPart){.bytes = (program->levels * program->warps + 2) * (int64_t)sizeof *program->level_row,
               .data = program->level_row};
  part[TG_THREADS_INSTRUCTIONS] =
      (TgPart){.bytes = (program->rows + 1) * TG_THREADS_WARP *
                        (int64_t)sizeof *program->instruction, /* the program is of this size */
               .data = program->instruction};
  part[TG_THREADS_INPUTS] =
      (TgPart){.bytes = program->inputs * (int64_t)sizeof *program->input, .data = program->input};
  part[TG_THREADS_RESULTS] =
      (TgPart){.bytes = threads->tiling.tile[0] * threads->tiling.tile[1] * (int64_t)sizeof *program->result,
               .data = program->result};
  if (options->no_times) return true;
  part[TG_THREADS_TIMES].bytes = program->steps * program->warps * (int64_t)sizeof(TgThreadsTime);
  part[TG_THREADS_CLOCKS].bytes = sizeof(TgThreadsClocks);
  return true;
}

static bool host_memory(TgThreads *threads, GError **error) {
  const int64_t bytes = threads->part[TG_THREADS_TIMES].bytes;
  if (bytes == 0) return true;
  threads->times = g_try_malloc((gsize)bytes);
  if (threads->times) return tg_executor_make_steps(&threads->base, error);
  return TG_EXECUTOR_FAIL(error, TOO_LARGE, "out of memory on the host: %lld bytes for times", (long long)bytes);
}

static void close_threads(TgExecutor *executor) {
  TgThreads *threads = (TgThreads *)executor;
  tg_parts_free(threads->part, TG_THREADS_PARTS);
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
  return choose_blocks(threads, error) &&
         tg_parts_check(base, &threads->device, threads->part, TG_THREADS_PARTS, count_bytes(threads), INT64_MAX / 16,
                        "", error) &&
         host_memory(threads, error) && tg_parts_allocate(base, threads->part, TG_THREADS_PARTS, error);
}

static TgExecutor *open_threads(const TgSchedule *schedule, const TgScheduleNames *names,
                                const TgExecutorOptions *options, GError **error) {
  if (!tg_executor_has_no_waits(options, error)) return NULL;
  TgThreads *threads = g_new0(TgThreads, 1);
  threads->base = (TgExecutor){.kind = &tg_executor_threads, .schedule = schedule, .names = names, .options = *options};
  if (tg_executor_has_one_variant(&threads->base, error) && prepare(threads, error)) return &threads->base;
  close_threads(&threads->base);
  return NULL;
}

static bool start(TgThreads *threads, double *seconds, TgError *reason) {
  const TgExecutorFacts *facts = &threads->base.facts;
  const TgComputes *computes = &threads->base.schedule->computes;
  const TgPart *part = threads->part;
  const TgThreadsRun run = {.tiling = threads->tiling,
                            .instances = facts->instances,
                            .inputs = threads->program->inputs,
                            .elements = threads->program->elements,
                            .steps = (int32_t)threads->program->steps,
                            .levels = (int32_t)threads->program->levels,
                            .warps = threads->program->warps,
                            .processors = threads->program->processors,
                            .blocks = (int32_t)facts->resident,
                            .factor = {part[TG_THREADS_A + computes->left].at,
                                       computes->right == TG_MATRICES ? NULL : part[TG_THREADS_A + computes->right].at},
                            .c = part[TG_THREADS_C].at,
                            .step_level = part[TG_THREADS_STEPS].at,
                            .level_row = part[TG_THREADS_ROWS].at,
                            .instruction = part[TG_THREADS_INSTRUCTIONS].at,
                            .input = part[TG_THREADS_INPUTS].at,
                            .result = part[TG_THREADS_RESULTS].at,
                            .time = part[TG_THREADS_TIMES].at,
                            .clocks = part[TG_THREADS_CLOCKS].at};
  TgStopwatch *watch = tg_stopwatch_new(reason);
  const bool fine = watch && tg_part_clear(&part[TG_THREADS_TIMES], reason) && tg_stopwatch_start(watch, reason) &&
                    tg_threads_start(threads->base.options.element, &run, threads->shared_bytes, reason) &&
                    tg_stopwatch_stop(watch, seconds, reason);
  if (watch) tg_stopwatch_free(watch);
  return fine;
}

static bool run_threads(TgExecutor *executor, double *seconds, GError **error) {
  TgThreads *threads = (TgThreads *)executor;
  TgError reason;
  return (start(threads, seconds, &reason) && take_times(threads, &reason)) ||
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
                                            .load = load,
                                            .run = run_threads,
                                            .gather = gather,
                                            .close = close_threads};
