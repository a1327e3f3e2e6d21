/** @file executor-case.h
 * For tests of executors: schedules bound, stepped on the CPU, planned and run, and the results compared. */
#ifndef TG_TEST_EXECUTOR_CASE_H
#define TG_TEST_EXECUTOR_CASE_H

#include "../property/own-schedules.h"
#include "../step-case.h"
#include "blocks-machine.h"
#include "gpu-case.h"

/** What neither the library nor own-schedules.h does: a sum that travels while it grows, a sum under two names, a slot
 * that a reduce has emptied. */
static const TgLibraryEntry more_schedules[] = {
    OWN("carry", "grid i:p\n"
                 "place A(j,i) on (i) as A[j] for j in p\n"
                 "place B(i,0), C(i,0) on (i)\n"
                 "zero S\n"
                 "repeat s in p\n"
                 "  S += A[(i-s) % p] * B\n"
                 "  move S to (i+1)\n"
                 "copy S into C\n"),
    OWN("alias", "grid i:p\n"
                 "place A(i,t) on (i) as A[t] for t in 2\n"
                 "place B(t,0) on (i) as B[t] for t in 2\n"
                 "place C(i,0) on (i)\n"
                 "S = A[0] * B[0]\n"
                 "copy S into T\n"
                 "S += A[1] * B[1]\n"
                 "T += A[1] * B[1]\n"
                 "copy T into C\n"),
    OWN("again", "grid i:p\n"
                 "place A(r,i) on (i) as A[r] for r in 2\n"
                 "place B(i,0) on (i)\n"
                 "place C(r,0) on (0) as C[r] for r in 2\n"
                 "repeat r in 2\n"
                 "  X += A[r] * B\n"
                 "  reduce X along i to 0\n"
                 "  copy X into C[r] where i == 0\n"
                 "  zero X where i == 0\n"),
};

/** False where the schedule is not made for the grid. */
static inline bool bind(StepCase *test, const TgLibraryEntry *entry, const char *grid) {
  TgError error;
  TgBindings bindings = {0};
  g_assert_true(tg_schedule_parse(&test->schedule, &test->names, entry->text, entry->length, &error));
  g_assert_true(tg_bindings_grid(&bindings, grid, &error));
  return tg_schedule_bind(&test->schedule, &test->names, &bindings, &error);
}

static inline double tolerance(const StepCase *test) {
  return (test->options.element == TG_F64 ? 1e-15 : 5e-7) * sqrt((double)MAX(test->shape.k, 1));
}

/** norm(c - reference) / norm(reference), NaN where c has one. */
static inline double distance(const StepCase *test, const void *c) {
  double apart = 0, norm = 0;
  for (int64_t i = 0; i < test->shape.m * test->shape.n; i++) {
    const bool f64 = test->options.element == TG_F64;
    const double expected = f64 ? ((double *)test->data[TG_MATRIX_C])[i] : ((float *)test->data[TG_MATRIX_C])[i];
    const double got = f64 ? ((const double *)c)[i] : ((const float *)c)[i];
    apart += (got - expected) * (got - expected);
    norm += expected * expected;
  }
  return norm > 0 ? sqrt(apart / norm) : sqrt(apart);
}

/** Of the four pairs of a type (kind % 2) and a transport (kind / 2), a grid then has two that share neither. */
static inline bool is_kind_passed_over(guint32 number, guint32 kind) {
  return g_getenv("TG_TEST_EVERY") && (kind % 2 + kind / 2 + number) % 2;
}

/** The size of that number; the next that is not left out. */
static inline const int64_t *size_at(const int64_t (*sizes)[3], guint32 count, guint32 number) {
  for (guint32 s = 0; s < count; s++)
    if (!is_left_out(sizes[(number + s) % count])) return sizes[(number + s) % count];
  return sizes[0];
}

static inline TgExecutorOptions options_of(const StepCase *test) {
  return (TgExecutorOptions){.m = test->shape.m,
                             .n = test->shape.n,
                             .k = test->shape.k,
                             .element = test->options.element,
                             .collective = test->options.collective,
                             .deadline_s = is_slowed() ? 600 : 5,
                             .poison = true};
}

static inline void *c_new(const StepCase *test) {
  const gsize bytes = (gsize)(test->shape.m * test->shape.n * tg_element_bytes(test->options.element));
  return memset(g_malloc(bytes), 0xff, bytes);
}

static inline void expect_same(const StepCase *test, const char *what, const void *c) {
  const double error = distance(test, c);
  if (!(error <= tolerance(test)))
    g_error("%s of %s: relative error %g, at most %g", what, tg_name(&test->names, test->names.title), error,
            tolerance(test));
}

static inline void place(const StepCase *test, const Machine *machine, int matrix, double *whole, bool out) {
  const TgBlocksPlan *plan = machine->plan;
  for (int64_t b = 0; b < plan->placed; b++) {
    const TgBlocksPlaced *placed = &plan->place[b];
    const int32_t *parts = test->schedule.blocks[matrix];
    if (placed->matrix != matrix) continue;
    const int64_t rows = test->shape.rows[matrix], columns = test->shape.columns[matrix];
    const int64_t row = tg_block_begin(rows, parts[0], placed->row);
    const int64_t column = tg_block_begin(columns, parts[1], placed->column);
    double *block = machine->memory + placed->offset;
    if (!out) memset(block, 0, (gsize)(plan->padded_rows[matrix] * plan->padded_columns[matrix]) * sizeof *block);
    for (int64_t i = row; i < tg_block_begin(rows, parts[0], placed->row + 1); i++) {
      for (int64_t j = column; j < tg_block_begin(columns, parts[1], placed->column + 1); j++) {
        const int64_t r = plan->transposed[matrix] ? j - column : i - row,
                      c = plan->transposed[matrix] ? i - row : j - column;
        const int64_t across = plan->transposed[matrix] ? plan->padded_rows[matrix] : plan->padded_columns[matrix];
        const int64_t down = plan->transposed[matrix] ? plan->padded_columns[matrix] : plan->padded_rows[matrix];
        double *inside = &block[plan->paneled[matrix] ? tg_blocks_panel_offset(down, across, plan->layout.panel, r, c)
                                                      : r * across + c];
        if (out)
          whole[i * columns + j] = *inside;
        else
          *inside = whole[i * columns + j];
      }
    }
  }
}

static inline void check_plan(const StepCase *test, TgTransport transport, guint32 seed) {
  GError *error = NULL;
  TgExecutorOptions options = options_of(test);
  options.transport = transport;
  const TgBlocksLayout layout = {.pad = (int32_t)(seed % 4 + 1),
                                 .align = (int32_t)(seed % 7 + 1),
                                 .panel = tg_blocks_can_panel(&test->schedule) ? (int32_t)(seed / 4 % 3 * 5) : 0,
                                 .inner = (int32_t)(seed % 3 * 8),
                                 .late_reuse = (int32_t)(seed / 3 % 2)};
  g_autoptr(TgBlocksPlan) plan = tg_blocks_plan_new(&test->schedule, &test->names, &options, &layout, &error);
  g_assert_no_error(error);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  Machine machine = {.plan = plan, .memory = g_new(double, (gsize)plan->elements)};
  g_autofree double *c = c_new(test);
  for (int again = 0; again < 2; again++) { /* the second run begins from what the first left */
    if (!again) memset(machine.memory, 0xff, (gsize)plan->elements * sizeof(double));
    machine.done = g_new0(int32_t, (gsize)plan->processors);
    for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B && !again; matrix++)
      place(test, &machine, matrix, test->data[matrix], false);
    run_plan(&machine, random, again);
    place(test, &machine, TG_MATRIX_C, c, true);
    expect_same(test, "plan", c);
    g_free(machine.done);
  }
  g_free(machine.memory);
}

/** Two runs by the executor give what the stepper gave. False where it refuses the schedule as too large, or as what it
 * cannot do, and `may_refuse`. */
static inline bool check_executor(const TgExecutorKind *kind, const StepCase *test, const TgExecutorOptions *options,
                                  bool may_refuse) {
  GError *error = NULL;
  g_autoptr(TgExecutor) executor = tg_executor_open(kind, &test->schedule, &test->names, options, &error);
  if (!executor && may_refuse &&
      (g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE) ||
       g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT))) {
    g_clear_error(&error);
    return false;
  }
  g_assert_no_error(error);
  const TgExecutorFacts *facts = tg_executor_facts(executor);
  g_assert_nonnull(facts->kernel);
  g_assert_true(facts->variant >= 1 && facts->variant <= facts->variants);
  if (options->variant) g_assert_cmpint(facts->variant, ==, options->variant);
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  for (int again = 0; again < 2; again++) {
    g_autofree void *c = c_new(test);
    if (!tg_executor_run(executor, NULL, &error) || !tg_executor_gather(executor, c, &error))
      g_error("%s: %s", tg_name(&test->names, test->names.title), error->message);
    expect_same(test, tg_transport_name(options->transport), c);
  }
  return true;
}

/** A processor that does nothing lets others wait past the deadline; afterwards only close() is left. */
static inline void check_deadline(const TgExecutorKind *kind, const StepCase *test, int32_t stalled,
                                  const char *words) {
  GError *error = NULL;
  TgExecutorOptions options = options_of(test);
  options.deadline_s = 0.05;
  options.stalled = stalled;
  g_autoptr(TgExecutor) executor = tg_executor_open(kind, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  g_assert_false(tg_executor_run(executor, NULL, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, words));
  g_clear_error(&error);
  g_assert_false(tg_executor_run(executor, NULL, &error));
  g_clear_error(&error);
}

/** Every run gives the very same bits, however processors are delayed. */
static inline void check_stress(const TgExecutorKind *kind, const StepCase *test, const TgExecutorOptions *options) {
  const char *name = tg_name(&test->names, test->names.title);
  const int runs = g_test_slow() ? 2500 : is_slowed() ? 3 : 60;
  GError *error = NULL;
  g_autoptr(TgExecutor) executor = tg_executor_open(kind, &test->schedule, &test->names, options, &error);
  g_assert_no_error(error);
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  g_autofree void *first = c_new(test);
  for (int r = 0; r < runs; r++) {
    g_autofree void *c = c_new(test);
    if (!tg_executor_run(executor, NULL, &error) || !tg_executor_gather(executor, r ? c : first, &error))
      g_error("%s: %s", name, error->message);
    if (r == 0) expect_same(test, "stress", first);
    if (r && memcmp(first, c, (size_t)(test->shape.m * test->shape.n) * sizeof(float)) != 0)
      g_error("%s: run %d of %d differs from the first", name, r + 1, runs);
  }
}

static inline void check_device(const StepCase *test, TgTransport transport) {
  TgExecutorOptions options = options_of(test);
  options.transport = transport;
  check_executor(&tg_executor_blocks, test, &options, false);
}

/** Fills A and B and steps the schedule on the CPU. */
static inline void step(StepCase *test, const int64_t *size, TgElement element, guint32 seed) {
  const TgComputes *computes = &test->schedule.computes;
  const bool same = computes->left == computes->right;
  const int64_t n = same ? size[0] : size[1];
  const int64_t k = same && computes->left_transposed == computes->right_transposed ? n : size[2];
  step_case_fill(test, size[0], n, k, element, false, seed);
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  step_case_finish(test, stepper);
}

static inline void begin(StepCase *test, const char *name, const char *grid, const int64_t *size, TgElement element) {
  g_assert_true(step_case_bind(test, step_case_library(name), grid, ""));
  step(test, size, element, 7);
}

static inline void expect_refused_by(const TgExecutorKind *kind, const StepCase *test, const TgExecutorOptions *options,
                                     TgExecutorError code, const char *words) {
  GError *error = NULL;
  g_assert_null(tg_executor_open(kind, &test->schedule, &test->names, options, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, (int)code);
  if (!strstr(error->message, words)) g_error("`%s` lacks `%s`", error->message, words);
  g_clear_error(&error);
}

static inline void expect_refused(const StepCase *test, const TgExecutorOptions *options, TgExecutorError code,
                                  const char *words) {
  expect_refused_by(&tg_executor_blocks, test, options, code, words);
}

/** Column of the block of A that lies at `offset`, which is its processor here; -1 where none does. */
static inline int32_t column_of(const TgBlocksPlan *plan, int64_t offset) {
  for (int64_t b = 0; b < plan->placed; b++) {
    if (plan->place[b].matrix == TG_MATRIX_A && plan->place[b].offset == offset) return plan->place[b].column;
  }
  return -1;
}

/** No GPU, or none of that number. */
static inline void check_no_device(const TgExecutorKind *kind, const int64_t *size) {
  TgDevice device;
  TgError none;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "2x2", size, TG_F32);
  TgExecutorOptions options = options_of(test);
  if (tg_device_open(0, &device, &none)) options.device = 1000;
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_DEVICE, "");
  step_case_clear(test);
}

/** A schedule as the executor plans it, followed on the CPU, or run by the device. */
typedef struct ScheduleCase {
  const TgLibraryEntry *entry;
  bool on_device;
} ScheduleCase;

/** The tests of a schedule: /EXECUTOR/PLAN/NAME, and /EXECUTOR/device/NAME. */
typedef struct ScheduleTests {
  const char *executor, *plan;
  GTestDataFunc of_plan, on_device;
} ScheduleTests;

static inline void add_schedule(const ScheduleTests *tests, const TgLibraryEntry *entry) {
  for (int on_device = 0; on_device < 2; on_device++) {
    ScheduleCase *which = g_new(ScheduleCase, 1);
    *which = (ScheduleCase){entry, on_device != 0};
    g_autofree char *path =
        g_strdup_printf("/%s/%s/%s", tests->executor, on_device ? "device" : tests->plan, entry->name);
    g_test_add_data_func_full(path, which, on_device ? tests->on_device : tests->of_plan, g_free);
  }
}

/** Those of the library, and of the tests. */
static inline void add_schedules(const ScheduleTests *tests) {
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) add_schedule(tests, &entry[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(own_schedules); i++) add_schedule(tests, &own_schedules[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(more_schedules); i++) add_schedule(tests, &more_schedules[i]);
}

#endif
