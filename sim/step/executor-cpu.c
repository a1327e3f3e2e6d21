#include "executors-cpu.h"

#include "blas.h"
#include "executor-kind.h"
#include "spare.h"
#include "stepper-private.h"
#include "trials.h"

#include <string.h>

typedef struct TgCpu {
  TgExecutor base;
  TgShape shape;
  void *input[TG_MATRICES]; /**< copies of A and B */
  int64_t bytes[TG_MATRICES];
  TgStepper *stepper; /**< of the last run */
  TgSpare *spare;     /**< memory of the runs before it */
  char *blas;
} TgCpu;

static bool fail(GError **error, GError *reason) {
  static const TgExecutorError codes[] = {[TG_SIM_ERROR_BAD_INPUT] = TG_EXECUTOR_ERROR_BAD_INPUT,
                                          [TG_SIM_ERROR_TOO_LARGE] = TG_EXECUTOR_ERROR_TOO_LARGE,
                                          [TG_SIM_ERROR_SCHEDULE] = TG_EXECUTOR_ERROR_SCHEDULE,
                                          [TG_SIM_ERROR_STOPPED] = TG_EXECUTOR_ERROR_FAILED,
                                          [TG_SIM_ERROR_MISSING] = TG_EXECUTOR_ERROR_DEVICE};
  g_set_error_literal(error, TG_EXECUTOR_ERROR, (int)codes[reason->code], reason->message);
  g_error_free(reason);
  return false;
}

static TgStepperOptions stepper_options(const TgCpu *cpu) {
  const TgExecutorOptions *options = &cpu->base.options;
  return (TgStepperOptions){.m = options->m,
                            .n = options->n,
                            .k = options->k,
                            .element = options->element,
                            .collective = options->collective,
                            .memory_limit_bytes = (uint64_t)options->memory_limit_bytes,
                            .spare = cpu->spare,
                            .watch = options->watch};
}

static TgStepper *stepper_new(const TgCpu *cpu, GError **error) {
  const TgStepperOptions how = stepper_options(cpu);
  GError *reason = NULL;
  TgStepper *stepper = tg_stepper_new(cpu->base.schedule, cpu->base.names, &how, cpu->input[TG_MATRIX_A],
                                      cpu->input[TG_MATRIX_B], &reason);
  if (!stepper) fail(error, reason);
  return stepper;
}

/* What would not fit is not even asked for: the system gives memory that it does not have. */
static bool check_memory(TgCpu *cpu, GError **error) {
  const TgStepperOptions how = stepper_options(cpu);
  const uint64_t limit = tg_stepper_limit_bytes(&how);
  uint64_t need = 0;
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++) {
    cpu->bytes[matrix] =
        cpu->shape.rows[matrix] * cpu->shape.columns[matrix] * tg_element_bytes(cpu->base.options.element);
    need += (uint64_t)cpu->bytes[matrix];
  }
  if (need <= limit) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "A and B need %" G_GUINT64_FORMAT " bytes, the limit is %" G_GUINT64_FORMAT " bytes", need,
                          limit);
}

static bool allocate(TgCpu *cpu, GError **error) {
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++) {
    const int64_t bytes = cpu->bytes[matrix];
    if (bytes == 0) continue;
    cpu->input[matrix] = g_try_malloc((gsize)bytes);
    if (!cpu->input[matrix])
      return TG_EXECUTOR_FAIL(error, TOO_LARGE, "out of memory: %c has %lld bytes", "AB"[matrix], (long long)bytes);
    if (cpu->base.options.poison) memset(cpu->input[matrix], 0xff, (size_t)bytes);
  }
  return true;
}

static void close_cpu(TgExecutor *executor) {
  TgCpu *cpu = (TgCpu *)executor;
  tg_stepper_free(cpu->stepper);
  tg_spare_free(cpu->spare);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) g_free(cpu->input[matrix]);
  g_free(cpu->blas);
  g_free(cpu->base.steps);
  g_free(cpu);
}

static bool fill_facts(TgCpu *cpu, GError **error) {
  TgExecutorFacts *facts = &cpu->base.facts;
  const TgExecutorOptions *options = &cpu->base.options;
  GError *reason = NULL;
  uint64_t peak_bytes;
  g_autoptr(TgStepper) stepper = stepper_new(cpu, error);
  if (!stepper) return false;
  if (!tg_stepper_peak_bytes(stepper, cpu->base.names, &peak_bytes, &reason)) return fail(error, reason);
  cpu->blas = tg_blas_description();
  *facts = (TgExecutorFacts){.processors = tg_schedule_processors(cpu->base.schedule),
                             .processors_max = TG_MAX_PROCESSORS,
                             .at_once = 1,
                             .memory_bytes = cpu->bytes[TG_MATRIX_A] + cpu->bytes[TG_MATRIX_B] +
                                             (int64_t)MIN(peak_bytes, (uint64_t)INT64_MAX / 2),
                             .kernel = cpu->blas,
                             .variant = 1,
                             .variants = 1,
                             .steps = tg_stepper_steps(stepper),
                             .instance = {options->m, options->n, options->k},
                             .instances = 1,
                             .resident = 1,
                             .panels = 1};
  return options->no_times || tg_executor_make_steps(&cpu->base, error);
}

static bool prepare(TgCpu *cpu, GError **error) {
  const TgExecutorOptions *options = &cpu->base.options;
  GError *reason = NULL;
  if (!tg_shape_init(&cpu->shape, &cpu->base.schedule->computes, options->m, options->n, options->k, &reason))
    return fail(error, reason);
  return check_memory(cpu, error) && tg_executor_prove(cpu->base.schedule, cpu->base.names, options, error) &&
         allocate(cpu, error) && fill_facts(cpu, error);
}

static TgExecutor *open_cpu(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorOptions *options,
                            GError **error) {
  if (!tg_executor_has_no_waits(options, error)) return NULL;
  TgCpu *cpu = g_new0(TgCpu, 1);
  cpu->base.kind = &tg_executor_cpu;
  cpu->base.schedule = schedule;
  cpu->base.names = names;
  cpu->base.options = *options;
  cpu->spare = tg_spare_new();
  if (tg_executor_has_one_variant(&cpu->base, error) && prepare(cpu, error)) return &cpu->base;
  close_cpu(&cpu->base);
  return NULL;
}

static bool load_cpu(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgCpu *cpu = (TgCpu *)executor;
  const void *const given[] = {a, b};
  (void)error;
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++)
    if (cpu->bytes[matrix]) memcpy(cpu->input[matrix], given[matrix], (size_t)cpu->bytes[matrix]);
  return true;
}

static void note_step(TgCpu *cpu, int64_t s, double begin_s, double end_s) {
  if (!cpu->base.steps) return;
  TgExecutorStep *step = &cpu->base.steps[s];
  step->runs = 1;
  step->begin_s = begin_s;
  step->end_s = end_s;
  step->busy_s = end_s - begin_s;
  step->waited_s = 0;
}

/* The stepper's own memory is made before the clock starts. */
static bool run_cpu(TgExecutor *executor, double *seconds, GError **error) {
  TgCpu *cpu = (TgCpu *)executor;
  GError *reason = NULL;
  g_clear_pointer(&cpu->stepper, tg_stepper_free);
  cpu->stepper = stepper_new(cpu, error);
  if (!cpu->stepper) return false;
  const double zero_s = tg_now_s();
  double begin_s = 0, end_s = 0;
  for (int64_t s = 0; s < cpu->base.facts.steps; s++) {
    if (tg_stepper_next(cpu->stepper, &reason) != TG_PROGRESS_MORE) return fail(error, reason);
    end_s = tg_now_s() - zero_s;
    note_step(cpu, s, begin_s, end_s);
    begin_s = end_s;
  }
  *seconds = end_s;
  return true;
}

static bool gather_cpu(TgExecutor *executor, void *c, GError **error) {
  TgCpu *cpu = (TgCpu *)executor;
  GError *reason = NULL;
  return tg_stepper_result(cpu->stepper, c, TG_RESULT_COMPLETE, &reason) || fail(error, reason);
}

/* Its sizes are multiples of what OpenBLAS takes at a time; what is left over of others is measured apart. From 162 on
 * two threads work on a product, see blas.c. */
const TgExecutorKind tg_executor_cpu = {.name = "cpu",
                                        .processor = "a logical processor; all take turns",
                                        .link = "shared memory: moving a block only renames it",
                                        .transports = 1 << TG_TRANSPORT_COPY,
                                        .traits = {.fetches = true},
                                        .unlike_sim = "whose processors take turns; here they work at the same time",
                                        .grid = "4x4",
                                        .sizes = "16,32,48,80,112,144,161,162,208,272",
                                        .open = open_cpu,
                                        .load = load_cpu,
                                        .run = run_cpu,
                                        .gather = gather_cpu,
                                        .close = close_cpu};
