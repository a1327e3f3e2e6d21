/* What goes to the device and comes back: the program, A and B, C, times. */
#include "threads-private.h"

#include <math.h>

static bool load_one(TgThreads *threads, int matrix, TgThreadsPart part, const void *data, TgError *reason) {
  const TgComputes *computes = &threads->base.schedule->computes;
  if (computes->left != matrix && computes->right != matrix) return true;
  return tg_device_copy_in(threads->part[part], data, threads->part_bytes[part], reason);
}

bool tg_threads_load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgThreads *threads = (TgThreads *)executor;
  TgError reason;
  return (load_one(threads, TG_MATRIX_A, TG_THREADS_A, a, &reason) &&
          load_one(threads, TG_MATRIX_B, TG_THREADS_B, b, &reason)) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

bool tg_threads_gather(TgExecutor *executor, void *c, GError **error) {
  TgThreads *threads = (TgThreads *)executor;
  TgError reason;
  return tg_device_copy_out(c, threads->part[TG_THREADS_C], threads->part_bytes[TG_THREADS_C], &reason) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

bool tg_threads_send_program(TgThreads *threads, TgError *reason) {
  const TgThreadsProgram *program = threads->program;
  const struct {
    TgThreadsPart part;
    const void *data;
  } tables[] = {{TG_THREADS_STEPS, program->step_level},
                {TG_THREADS_ROWS, program->level_row},
                {TG_THREADS_INSTRUCTIONS, program->instruction},
                {TG_THREADS_INPUTS, program->input},
                {TG_THREADS_RESULTS, program->result}};
  for (size_t t = 0; t < G_N_ELEMENTS(tables); t++)
    if (!tg_device_copy_in(threads->part[tables[t].part], tables[t].data, threads->part_bytes[tables[t].part], reason))
      return false;
  return true;
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

bool tg_threads_take_times(TgThreads *threads, TgError *reason) {
  const TgThreadsProgram *program = threads->program;
  TgThreadsClocks clocks;
  int64_t zero = INT64_MAX;
  if (!threads->times) return true;
  if (!tg_device_copy_out(threads->times, threads->part[TG_THREADS_TIMES], threads->part_bytes[TG_THREADS_TIMES],
                          reason) ||
      !tg_device_copy_out(&clocks, threads->part[TG_THREADS_CLOCKS], sizeof clocks, reason))
    return false;
  for (int64_t s = 0; s < program->steps; s++)
    for (int64_t warp = 0; warp < program->warps; warp++)
      if (takes_part(program, s, warp)) zero = MIN(zero, threads->times[s * program->warps + warp].begin);
  const double s_per_cycle = find_rate(threads, &clocks);
  for (int64_t s = 0; s < program->steps; s++) sum_up_step(threads, s, zero, s_per_cycle);
  return true;
}
