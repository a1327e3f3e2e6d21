/* Executor `threads`. Its programs are executed on the CPU (threads-machine.h); with a GPU, every schedule of the
 * library and those of own-schedules.h must give what the stepper gives. */
#include "executor-case.h"
#include "gpu-case.h"
#include "threads-machine.h"

static const char *const grids[] = {"1",     "2",     "5",     "8",     "33",    "1x1",   "2x2",   "3x3",
                                    "4x4",   "5x5",   "2x3",   "5x2",   "4x8",   "16x16", "1x1x1", "2x2x2",
                                    "3x3x3", "4x4x4", "5x5x1", "4x4x2", "6x6x3", "2x3x4", "7x1x2"};
static const int64_t sizes[][3] = {{1, 1, 1},    {7, 5, 6},  {31, 29, 40}, {13, 11, 17},
                                   {33, 34, 35}, {70, 3, 1}, {3, 2, 41},   {40, 41, 9}};

/** Nothing to do at all; a matrix on both sides: of C = A * A, and of a sum that is transposed on its way. */
static const TgLibraryEntry odd_schedules[] = {
    OWN("same", "grid i:q, j:q\n"
                "computes C = A\n"
                "place A(i,j), C(i,j) on (i,j)\n"
                "copy A into C\n"),
    OWN("square", "grid i:q, j:q\n"
                  "computes C = A * A\n"
                  "place A(i,j), C(i,j) on (i,j)\n"
                  "copy A into B\n"
                  "move A to (i, j-i)\n"
                  "move B to (i-j, j)\n"
                  "repeat s in q\n"
                  "  C += A * B\n"
                  "  move A to (i, j-1) where s < q-1\n"
                  "  move B to (i-1, j) where s < q-1\n"),
    OWN("thrice", "grid i:q, j:q\n"
                  "computes C = A * A'\n"
                  "place A(i,0), C(i,j) on (i,j)\n"
                  "place A(j,0) on (i,j) as T[0]\n"
                  "transpose T\n"
                  "C = A * T where i <= j\n"
                  "copy C into D where i < j\n"
                  "repeat s in 3\n"
                  "  transpose D where i < j\n"
                  "move D to (j,i) into C where i < j\n"),
    OWN("both-ways", "grid r:p\n"
                     "computes C = A * A'\n"
                     "require p % 2 == 1\n"
                     "place A(r,0) on (r)\n"
                     "place C(r,t) on (r) as C[t] for t in p\n"
                     "copy A into T\n"
                     "C[r] = A * A'\n"
                     "repeat s in (p-1)/2\n"
                     "  move T to (r-1)\n"
                     "  C[(r+s+1)%p] = A * T'\n"
                     "  X = T * A'\n"
                     "  move X to (r+s+1) into C[r]\n"),
};

static void check_program(const StepCase *test, guint32 seed) {
  const TgComputes *computes = &test->schedule.computes;
  const TgExecutorOptions options = options_of(test);
  GError *error = NULL;
  g_autoptr(TgThreadsProgram) program = tg_threads_program_new(&test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpint(tg_threads_least_elements(&test->schedule) -
                      test->schedule.blocks[TG_MATRIX_C][0] * test->schedule.blocks[TG_MATRIX_C][1],
                  <=, program->elements);
  const TgThreadsTiling tiling = tg_threads_tiling(&test->schedule, &options);
  const double *const factor[] = {test->data[computes->left],
                                  computes->right == TG_MATRICES ? NULL : test->data[computes->right]};
  ThreadsMachine *machine = threads_machine_new(program, &tiling, seed);
  g_autofree double *c = c_new(test);
  for (int64_t i = 0; i < tiling.tile_rows * tiling.tile_columns; i++) run_instance(machine, factor, c, i);
  expect_same(test, "program", c);
  threads_machine_free(machine);
}

static const int64_t device_sizes[][3] = {{1, 1, 1}, {7, 9, 5}, {127, 129, 67}, {1000, 37, 513}};

static int64_t passes(const TgSchedule *schedule, const int64_t *size) {
  const TgExecutorOptions options = {.m = size[0], .n = size[1], .k = size[2]};
  const TgThreadsTiling tiling = tg_threads_tiling(schedule, &options);
  return tiling.tile_rows * tiling.tile_columns * tiling.panels;
}

/** Small grids pass through their schedule very often: they get a small size. */
static const int64_t *device_size(const TgSchedule *schedule, guint32 number) {
  enum { MOST_PASSES = 2000000 };
  const int64_t *size = device_sizes[number % G_N_ELEMENTS(device_sizes)];
  return is_left_out(size) || passes(schedule, size) > MOST_PASSES ? device_sizes[number % 2] : size;
}

static void on_device(const StepCase *test) {
  const TgExecutorOptions options = options_of(test);
  check_executor(&tg_executor_threads, test, &options, false);
}

static int try_grid(const ScheduleCase *which, guint32 number, const char *grid, int *bound) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  if (!bind(test, which->entry, grid) || (which->on_device && is_passed_over((*bound)++))) return 0;
  test->options.collective = (TgCollective)(number % TG_COLLECTIVES);
  for (guint32 kind = 0; kind < 2; kind++) {
    const int64_t *size = sizes[(number + kind) % G_N_ELEMENTS(sizes)];
    if (which->on_device) size = device_size(&test->schedule, number + 2 * kind);
    step(test, size, kind || !which->on_device ? TG_F64 : TG_F32, number);
    which->on_device ? on_device(test) : check_program(test, number);
  }
  step_case_clear(test);
  return 1;
}

static void test_schedule(gconstpointer data) {
  const ScheduleCase *which = data;
  int ran = 0, bound = 0;
  if (which->on_device && !gpu_or_skip(&(TgDevice){0})) return;
  for (guint32 g = 0; g < G_N_ELEMENTS(grids); g++) ran += try_grid(which, g, grids[g], &bound);
  g_assert_cmpint(ran, >=, is_slowed() ? 1 : 2);
}

static void every_collective(const TgLibraryEntry *entry, bool device) {
  static const char *const grid[] = {"5", "6", "8"};
  for (int collective = 0; collective < TG_COLLECTIVES * 3; collective++) {
    g_autofree StepCase *test = g_new0(StepCase, 1);
    if (!bind(test, entry, grid[collective % 3])) continue;
    test->options.collective = (TgCollective)(collective / 3);
    step(test, (const int64_t[]){21, 13, 17}, TG_F64, 3);
    device ? on_device(test) : check_program(test, 5);
    step_case_clear(test);
  }
}

static void test_every_collective(gconstpointer data) {
  const bool device = data != NULL;
  if (device && !gpu_or_skip(&(TgDevice){0})) return;
  for (size_t s = 0; s < G_N_ELEMENTS(own_schedules); s++) every_collective(&own_schedules[s], device);
  for (size_t s = 0; s < G_N_ELEMENTS(more_schedules); s++) every_collective(&more_schedules[s], device);
}

/** A step of shifts and products needs one barrier, and no thread has more than its own instructions to do. */
static void test_levels(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "8x8", ""));
  const TgExecutorOptions options = {.m = 8, .n = 8, .k = 8};
  g_autoptr(TgThreadsProgram) program = tg_threads_program_new(&test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpint(program->steps, ==, 9);
  g_assert_cmpint(program->levels, ==, 9);
  g_assert_cmpint(program->warps, ==, 2);
  g_assert_cmpint(program->rows, ==, 2 * (2 + 7 * 3 + 1)); /* align; multiply, shift twice; multiply */
  for (int64_t s = 0; s <= program->steps; s++) g_assert_cmpint(program->step_level[s], ==, s);
}

/** All places of the largest grid, and one more. */
static void test_largest(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  const TgExecutorOptions options = {.m = 40, .n = 70, .k = 33};
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "33x33", ""));
  g_assert_null(tg_threads_program_new(&test->schedule, &test->names, &options, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE);
  g_assert_nonnull(strstr(error->message, "1089 processors; a block has at most 1024 threads"));
  g_clear_error(&error);
  g_assert_true(step_case_bind(test, step_case_library("ring"), "1000", ""));
  g_assert_cmpint(tg_threads_least_elements(&test->schedule), ==, 1000 + 1000 + 2 * 1000000); /* A, B, C and sums */
  g_assert_true(step_case_bind(test, step_case_library("mmt"), "8", ""));
  g_assert_cmpint(tg_threads_least_elements(&test->schedule), ==, 2 * (8 + 64) + 64);
  g_assert_true(step_case_bind(test, step_case_library("ring"), "300", ""));
  g_assert_null(tg_threads_program_new(&test->schedule, &test->names, &options, &error));
  g_assert_nonnull(strstr(error->message, " elements of shared memory; a block of threads has at most 65536"));
  g_clear_error(&error);
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "32x32", ""));
  step(test, (const int64_t[]){40, 70, 33}, TG_F64, 3);
  check_program(test, 9);
  step_case_clear(test);
}

static void test_sizes(void) {
  static const char *const names[][2] = {{"cannon", "16x16"}, {"cannon", "32x32"},  {"summa", "3x3"}, {"mmt", "32"},
                                         {"dns", "10x10x10"}, {"transpose", "7x7"}, {"ring", "48"}};
  static const int64_t odd[][3] = {{1000, 37, 513}, {129, 127, 129}, {7, 700, 1}, {513, 1000, 37}, {1, 1, 1}};
  if (!gpu_or_skip(&(TgDevice){0})) return;
  for (size_t s = 0; s < G_N_ELEMENTS(names) * G_N_ELEMENTS(odd); s++) {
    g_autofree StepCase *test = g_new0(StepCase, 1);
    if (is_left_out(odd[s % 5])) continue;
    begin(test, names[s / 5][0], names[s / 5][1], odd[s % 5], s % 2 ? TG_F64 : TG_F32);
    on_device(test);
    step_case_clear(test);
  }
}

static void test_bad_input(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "2x2", sizes[2], TG_F32);
  TgExecutorOptions options = options_of(test);
  options.transport = TG_TRANSPORT_PULL;
  expect_refused_by(&tg_executor_threads, test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "transport");
  options = options_of(test);
  options.stalled = 1;
  expect_refused_by(&tg_executor_threads, test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "neither delayed nor stalled");
  step_case_clear(test);
}

static void test_no_device(void) {
  check_no_device(&tg_executor_threads, sizes[2]);
}

static void test_too_large(void) {
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  const TgExecutorKind *kind = &tg_executor_threads;
  TgExecutorOptions options = {.m = 100, .n = 100, .k = 100};
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "33x33", ""));
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE,
                    "grid 33x33 has 1089 processors, but a block of ");
  g_assert_true(step_case_bind(test, step_case_library("ring"), "1000", ""));
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE,
                    "grid 1000 needs at least 8008000 bytes of shared memory in a block, but ");
  options.element = TG_F64; /* little in place, but everyone gathers rows and columns: 250 KB */
  g_assert_true(step_case_bind(test, step_case_library("allgather"), "25x25", ""));
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "grid 25x25 needs 2");
  g_autofree char *has = g_strdup_printf(" has %d; use a smaller grid", device.shared_bytes);
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, has);
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "2x2", ""));
  options.memory_limit_bytes = 10000;
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "the limit is 10000 bytes");
  options = (TgExecutorOptions){.m = INT32_MAX, .n = INT32_MAX, .k = INT32_MAX};
  expect_refused_by(kind, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "bytes of device memory");
}

/** One pass in one instance, and many of both: the sums of the steps' times are below that of the whole run. */
static void check_times(const int64_t *size, int64_t runs) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  double seconds, sum = 0, last = 0;
  begin(test, "cannon", "8x8", size, TG_F32);
  const TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor =
      tg_executor_open(&tg_executor_threads, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_null(tg_executor_steps(executor));
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  for (int again = 0; again < 3; again++) g_assert_true(tg_executor_run(executor, &seconds, &error));
  const TgExecutorFacts *facts = tg_executor_facts(executor);
  const TgExecutorStep *steps = tg_executor_steps(executor);
  g_assert_cmpint(facts->steps, ==, 9);
  if (runs == 0) runs = facts->passes;
  g_assert_cmpstr(steps[0].label, ==, "align");
  g_assert_cmpfloat(steps[0].begin_s, ==, 0);
  for (int s = 0; s < 9; s++) {
    g_assert_cmpint(steps[s].index, ==, s + 1);
    g_assert_cmpint(steps[s].runs, ==, runs);
    g_assert_cmpfloat(steps[s].begin_s, >=, last - 1e-9);
    g_assert_cmpfloat(steps[s].end_s, >, steps[s].begin_s);
    g_assert_cmpfloat(steps[s].busy_s, >, 0);
    g_assert_cmpfloat(steps[s].waited_s, >=, 0);
    sum += steps[s].busy_s + steps[s].waited_s;
    last = steps[s].begin_s;
  }
  g_test_message("%g s of steps in a run of %g s", sum, seconds);
  g_assert_cmpfloat(sum, <=, seconds * 1.05);
  if (runs > 1000) g_assert_cmpfloat(sum, >, seconds * 0.2);
  step_case_clear(test);
}

static void test_times(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  check_times((const int64_t[]){8, 8, 8}, 1);
  check_times((const int64_t[]){8, 8, 80}, 10);
  check_times((const int64_t[]){64, 64, 16000}, 2000);
  check_times((const int64_t[]){544, 544, 64}, 0); /* 4624 instances: more than a card has room for at once */
}

static void test_no_times(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  begin(test, "summa", "4x4", (const int64_t[]){30, 31, 32}, TG_F32);
  TgExecutorOptions options = options_of(test);
  options.no_times = true;
  g_autoptr(TgExecutor) executor =
      tg_executor_open(&tg_executor_threads, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  g_assert_true(tg_executor_run(executor, NULL, &error));
  g_assert_null(tg_executor_steps(executor));
  g_autofree void *c = c_new(test);
  g_assert_true(tg_executor_gather(executor, c, &error));
  expect_same(test, "no times", c);
  step_case_clear(test);
}

/** A run begins from what was loaded last, and leaves no trace of the one before. */
static void test_loads_again(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  begin(test, "cannon", "4x4", (const int64_t[]){50, 51, 52}, TG_F32);
  const TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor =
      tg_executor_open(&tg_executor_threads, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  for (guint32 seed = 1; seed < 4; seed++) {
    g_autofree void *c = c_new(test);
    step(test, (const int64_t[]){50, 51, 52}, TG_F32, seed);
    g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
    g_assert_true(tg_executor_run(executor, NULL, &error) && tg_executor_gather(executor, c, &error));
    expect_same(test, "loaded again", c);
  }
  step_case_clear(test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  const ScheduleTests tests = {"threads", "program", test_schedule, test_schedule};
  add_schedules(&tests);
  for (size_t i = 0; i < G_N_ELEMENTS(odd_schedules); i++) add_schedule(&tests, &odd_schedules[i]);
  g_test_add_data_func("/threads/program/every-collective", NULL, test_every_collective);
  g_test_add_data_func("/threads/device/every-collective", "", test_every_collective);
  g_test_add_func("/threads/program/levels", test_levels);
  g_test_add_func("/threads/program/largest", test_largest);
  g_test_add_func("/threads/device/sizes", test_sizes);
  g_test_add_func("/threads/bad-input", test_bad_input);
  g_test_add_func("/threads/no-device", test_no_device);
  g_test_add_func("/threads/device/too-large", test_too_large);
  g_test_add_func("/threads/device/times", test_times);
  g_test_add_func("/threads/device/no-times", test_no_times);
  g_test_add_func("/threads/device/loads-again", test_loads_again);
  return g_test_run();
}
