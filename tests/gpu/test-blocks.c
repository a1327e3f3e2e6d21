/* Executor `blocks`. Its plans are executed on the CPU (blocks-machine.h); with a GPU, every schedule of the library
 * and those of own-schedules.h must give what the stepper gives. */
#include "executor-case.h"
#include "gpu-case.h"

static const char *const grids[] = {"1",     "2",     "5",     "8",     "1x1",   "2x2",   "3x3",
                                    "4x4",   "5x5",   "2x3",   "5x2",   "4x8",   "1x1x1", "2x2x2",
                                    "3x3x3", "4x4x4", "5x5x1", "4x4x2", "6x6x3", "2x3x4", "7x1x2"};
static const int64_t sizes[][3] = {{1, 1, 1}, {9, 1, 7}, {31, 29, 40}, {13, 11, 17}, {127, 129, 67}, {70, 3, 1}};

static const TgBlocksLayout plain_layout = {.pad = 4, .align = 64};

static int try_grid(const ScheduleCase *which, guint32 number, const char *grid, int *bound) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  if (!bind(test, which->entry, grid) || (which->on_device && is_passed_over((*bound)++))) return 0;
  test->options.collective = (TgCollective)(number % TG_COLLECTIVES);
  for (guint32 kind = 0; kind < (which->on_device ? 4 : 2); kind++) {
    if (which->on_device && is_kind_passed_over(number, kind)) continue;
    step(test, size_at(sizes, G_N_ELEMENTS(sizes), number + kind), kind % 2 || !which->on_device ? TG_F64 : TG_F32,
         number);
    const guint32 pulls = which->on_device ? kind / 2 : (kind + number + 1) % 2;
    const TgTransport transport = pulls ? TG_TRANSPORT_PULL : TG_TRANSPORT_COPY;
    which->on_device ? check_device(test, transport) : check_plan(test, transport, number);
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

static void every_collective(const TgLibraryEntry *entry, bool on_device) {
  static const char *const grid[] = {"5", "6", "8"};
  for (int collective = 0; collective < TG_COLLECTIVES * 3; collective++) {
    g_autofree StepCase *test = g_new0(StepCase, 1);
    if ((on_device && is_passed_over(collective)) || !bind(test, entry, grid[collective % 3])) continue;
    test->options.collective = (TgCollective)(collective / 3);
    step(test, (const int64_t[]){41, 23, 37}, TG_F64, 3);
    for (int transport = TG_TRANSPORT_COPY; transport <= TG_TRANSPORT_PULL; transport++)
      on_device ? check_device(test, (TgTransport)transport) : check_plan(test, (TgTransport)transport, 5);
    step_case_clear(test);
  }
}

static void test_every_collective(gconstpointer data) {
  const bool on_device = data != NULL;
  if (on_device && !gpu_or_skip(&(TgDevice){0})) return;
  for (size_t s = 0; s < G_N_ELEMENTS(own_schedules); s++) every_collective(&own_schedules[s], on_device);
  for (size_t s = 0; s < G_N_ELEMENTS(more_schedules); s++) every_collective(&more_schedules[s], on_device);
}

/** Products are computed where the schedule places them, also when the sum lies elsewhere. */
static void test_who_multiplies(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  g_assert_true(bind(test, &more_schedules[0], "5"));
  const TgExecutorOptions options = {.m = 5, .n = 5, .k = 5, .transport = TG_TRANSPORT_PULL};
  g_autoptr(TgBlocksPlan) plan = tg_blocks_plan_new(&test->schedule, &test->names, &options, &plain_layout, &error);
  g_assert_no_error(error);
  for (int64_t p = 0; p < 5; p++) {
    for (int64_t i = plan->first[p]; i < plan->first[p + 1]; i++) {
      g_assert_cmpint(plan->instruction[i].processor, ==, p);
      if (plan->instruction[i].operation == TG_BLOCKS_MULTIPLY)
        g_assert_cmpint(column_of(plan, plan->instruction[i].left), ==, p);
    }
  }
}

static void test_sizes(void) {
  static const char *const names[][2] = {
      {"cannon", "4x4"}, {"summa", "3x3"}, {"mmt", "4"}, {"ring", "5"}, {"dns", "3x3x3"}};
  static const int64_t odd[][3] = {{1000, 37, 513}, {129, 127, 129}, {7, 700, 1}, {513, 1000, 37}};
  if (!gpu_or_skip(&(TgDevice){0})) return;
  for (size_t s = 0; s < G_N_ELEMENTS(names) * G_N_ELEMENTS(odd); s++) {
    if (is_left_out(odd[s % 4])) continue;
    g_autofree StepCase *test = g_new0(StepCase, 1);
    begin(test, names[s / 4][0], names[s / 4][1], odd[s % 4], s % 2 ? TG_F64 : TG_F32);
    check_device(test, TG_TRANSPORT_COPY);
    check_device(test, TG_TRANSPORT_PULL);
    step_case_clear(test);
  }
}

/** More processors than one tile size leaves room for: the smaller tiles are used. */
static void test_many_processors(void) {
  static const char *const cubes[] = {"6x6x6", "8x8x8", "10x10x10"};
  static const int64_t size[] = {300, 301, 302};
  if (!gpu_or_skip(&(TgDevice){0})) return;
  if (is_left_out(size)) return;
  for (size_t s = 0; s < 2 * G_N_ELEMENTS(cubes); s++) {
    g_autofree StepCase *test = g_new0(StepCase, 1);
    begin(test, "dns", cubes[s / 2], size, s % 2 ? TG_F64 : TG_F32);
    check_device(test, TG_TRANSPORT_COPY);
    step_case_clear(test);
  }
}

static void test_bad_input(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "2x2", sizes[2], TG_F32);
  TgExecutorOptions options = options_of(test);
  options.m = 0;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "m, n and k");
  options = options_of(test);
  options.element = TG_ELEMENTS;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "f32 or f64");
  options = options_of(test);
  options.deadline_s = NAN;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "deadline");
  test->schedule.bound = TG_BOUND_NO;
  options = options_of(test);
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "not bound");
  step_case_clear(test);
  g_assert_true(step_case_bind(test, step_case_library("mmt"), "3", ""));
  options.m++;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "itself");
}

static void test_no_device(void) {
  check_no_device(&tg_executor_blocks, sizes[2]);
}

static void test_wrong_schedule(void) {
  static const char text[] = "schedule wrong\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nC += A * B\n";
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  g_assert_true(step_case_bind(test, text, "2x2", ""));
  const TgExecutorOptions options = {.m = 4, .n = 4, .k = 4};
  g_assert_null(tg_blocks_plan_new(&test->schedule, &test->names, &options, &plain_layout, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE);
  g_clear_error(&error);
}

static void test_too_large(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "100x100", ""));
  TgExecutorOptions options = {.m = 100, .n = 100, .k = 100};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "grid 100x100 has 10000 processors, but at most ");
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "2x2", ""));
  options.memory_limit_bytes = 10000;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "the limit is 10000 bytes");
  options = (TgExecutorOptions){.m = INT32_MAX, .n = INT32_MAX, .k = INT32_MAX};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "more than any device can hold");
  options = (TgExecutorOptions){.m = 1 << 20, .n = 1 << 20, .k = 1 << 20};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "bytes of device memory");
}

static void test_order_of_calls(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  float c;
  begin(test, "cannon", "2x2", sizes[0], TG_F32);
  const TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor =
      tg_executor_open(&tg_executor_blocks, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_false(tg_executor_run(executor, NULL, &error));
  g_clear_error(&error);
  g_assert_false(tg_executor_gather(executor, &c, &error));
  g_clear_error(&error);
  g_assert_false(tg_executor_load(executor, test->data[TG_MATRIX_A], NULL, &error));
  g_clear_error(&error);
  step_case_clear(test);
}

static void test_deadline(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "3x3", sizes[2], TG_F32);
  check_deadline(&tg_executor_blocks, test, 5, "waited more than 0.05 s for processor ");
  step_case_clear(test);
}

static void test_times(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  double seconds, last = 0;
  begin(test, "cannon", "4x4", (const int64_t[]){512, 512, 512}, TG_F32);
  const TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor =
      tg_executor_open(&tg_executor_blocks, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_null(tg_executor_steps(executor));
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  g_assert_true(tg_executor_run(executor, &seconds, &error));
  const TgExecutorStep *steps = tg_executor_steps(executor);
  g_assert_cmpint(tg_executor_facts(executor)->steps, ==, 5);
  g_assert_cmpstr(steps[0].label, ==, "align");
  g_assert_cmpstr(steps[4].label, ==, "multiply and shift");
  for (int s = 0; s < 5; s++) {
    g_assert_cmpint(steps[s].index, ==, s + 1);
    g_assert_cmpfloat(steps[s].begin_s, >=, 0);
    g_assert_cmpfloat(steps[s].end_s, >, steps[s].begin_s);
    g_assert_cmpfloat(steps[s].busy_s + steps[s].waited_s, <=, steps[s].end_s - steps[s].begin_s + 1e-9);
    last = MAX(last, steps[s].end_s);
  }
  g_assert_cmpfloat(steps[0].begin_s, ==, 0);
  g_assert_cmpfloat(last, <=, seconds);
  step_case_clear(test);
}

/** The order of sums is the plan's, so every run must give the very same bits, however the processors are delayed. */
static void stress(const char *name, const char *grid, TgCollective collective, TgTransport transport) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, name, grid, (const int64_t[]){24, 20, 28}, TG_F32);
  TgExecutorOptions options = options_of(test);
  options.transport = transport;
  options.collective = collective;
  options.delay_ns = 3000;
  options.delay_seed = 11;
  check_stress(&tg_executor_blocks, test, &options);
  step_case_clear(test);
}

static void test_stress(void) {
  if (!gpu_or_skip(&(TgDevice){0})) return;
  stress("cannon", "4x4", TG_COLLECTIVE_WHOLE, TG_TRANSPORT_COPY);
  stress("dns", "3x3x3", TG_COLLECTIVE_AUTO, TG_TRANSPORT_COPY);
  stress("summa", "4x4", TG_COLLECTIVE_CHAIN, TG_TRANSPORT_COPY);
  stress("cannon25d", "4x4x2", TG_COLLECTIVE_AUTO, TG_TRANSPORT_PULL);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  const ScheduleTests tests = {"blocks", "plan", test_schedule, test_schedule};
  add_schedules(&tests);
  g_test_add_func("/blocks/plan/who-multiplies", test_who_multiplies);
  g_test_add_data_func("/blocks/plan/every-collective", NULL, test_every_collective);
  g_test_add_data_func("/blocks/device/every-collective", "", test_every_collective);
  g_test_add_func("/blocks/device/sizes", test_sizes);
  g_test_add_func("/blocks/device/many-processors", test_many_processors);
  g_test_add_func("/blocks/bad-input", test_bad_input);
  g_test_add_func("/blocks/no-device", test_no_device);
  g_test_add_func("/blocks/wrong-schedule", test_wrong_schedule);
  g_test_add_func("/blocks/device/too-large", test_too_large);
  g_test_add_func("/blocks/device/order-of-calls", test_order_of_calls);
  g_test_add_func("/blocks/device/deadline", test_deadline);
  g_test_add_func("/blocks/device/times", test_times);
  g_test_add_func("/blocks/device/stress", test_stress);
  return g_test_run();
}
