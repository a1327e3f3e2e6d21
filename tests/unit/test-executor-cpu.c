/* The executor cpu against the product: sizes that divide nothing, both types, C written as a whole, times of steps,
 * and what it refuses. */
#include "executor-cpu.h"

#include "../property/own-schedules.h"
#include "../step-case.h"

static const int64_t sizes[][3] = {{1, 1, 1}, {7, 9, 5}, {127, 129, 67}, {100, 37, 53}};

static TgExecutorOptions options_of(const StepCase *test) {
  return (TgExecutorOptions){.m = test->shape.m,
                             .n = test->shape.n,
                             .k = test->shape.k,
                             .element = test->options.element,
                             .collective = test->options.collective,
                             .poison = true};
}

static void fill(StepCase *test, const int64_t *size, TgElement element) {
  const TgComputes *computes = &test->schedule.computes;
  step_case_fill(test, size[0], computes->left == computes->right ? size[0] : size[1], size[2], element, false, 5);
}

static TgExecutor *open_one(const StepCase *test, const TgExecutorOptions *options) {
  GError *error = NULL;
  TgExecutor *executor = tg_executor_open(&tg_executor_cpu, &test->schedule, &test->names, options, &error);
  g_assert_no_error(error);
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  return executor;
}

/* C begins as NaN, and so does what the executor keeps of A and B. */
static void check(StepCase *test) {
  GError *error = NULL;
  const TgExecutorOptions options = options_of(test);
  const gsize bytes = (gsize)(test->shape.m * test->shape.n * tg_element_bytes(test->options.element));
  g_autoptr(TgExecutor) executor = open_one(test, &options);
  for (int again = 0; again < 2; again++) {
    memset(test->data[TG_MATRIX_C], 0xff, bytes);
    g_assert_true(tg_executor_run(executor, NULL, &error) &&
                  tg_executor_gather(executor, test->data[TG_MATRIX_C], &error));
    const TgCheck outcome = step_case_check(test);
    if (!outcome.ok) g_error("%s: %s", tg_name(&test->names, test->names.title), outcome.text);
  }
}

static void test_schedule(gconstpointer data) {
  static const char *const grids[] = {"5", "3x3", "4x4", "2x3", "2x2x2", "4x4x2"};
  const TgLibraryEntry *entry = data;
  int ran = 0;
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++) {
    g_autofree StepCase *test = g_new0(StepCase, 1);
    TgError error;
    TgBindings bindings = {0};
    g_assert_true(tg_schedule_parse(&test->schedule, &test->names, entry->text, entry->length, &error));
    g_assert_true(tg_bindings_grid(&bindings, grids[g], &error));
    if (!tg_schedule_bind(&test->schedule, &test->names, &bindings, &error)) continue;
    for (size_t s = 0; s < 2 * G_N_ELEMENTS(sizes); s++) {
      test->options.collective = (TgCollective)(s % TG_COLLECTIVES);
      fill(test, sizes[s / 2], s % 2 ? TG_F64 : TG_F32);
      check(test);
    }
    step_case_clear(test);
    ran++;
  }
  g_assert_cmpint(ran, >, 0);
}

static void test_steps(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  double seconds;
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "4x4", ""));
  fill(test, (const int64_t[]){200, 200, 200}, TG_F32);
  TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor = open_one(test, &options);
  g_assert_null(tg_executor_steps(executor));
  g_assert_true(tg_executor_run(executor, &seconds, &error));
  const TgExecutorFacts *facts = tg_executor_facts(executor);
  const TgExecutorStep *steps = tg_executor_steps(executor);
  g_assert_cmpint(facts->processors, ==, 16);
  g_assert_cmpint(facts->steps, ==, 5);
  g_assert_cmpint(facts->instances * facts->panels * facts->resident, ==, 1);
  g_assert_cmpint(facts->memory_bytes, >=, 3 * 200 * 200 * 4);
  g_assert_cmpint(facts->memory_bytes, <, 4 * 200 * 200 * 4);
  for (int s = 0; s < 5; s++) {
    g_assert_cmpint(steps[s].index, ==, s + 1);
    g_assert_cmpstr(steps[s].label, ==, s ? "multiply and shift" : "align");
    g_assert_cmpint(steps[s].runs, ==, 1);
    g_assert_cmpfloat(steps[s].begin_s, ==, s ? steps[s - 1].end_s : 0);
    g_assert_cmpfloat(steps[s].busy_s, ==, steps[s].end_s - steps[s].begin_s);
    g_assert_cmpfloat(steps[s].waited_s, ==, 0);
  }
  g_assert_cmpfloat(steps[4].end_s, ==, seconds);
  g_assert_cmpfloat(steps[4].busy_s, >, 0);
  options.no_times = true;
  g_autoptr(TgExecutor) silent = open_one(test, &options);
  g_assert_true(tg_executor_run(silent, NULL, &error));
  g_assert_null(tg_executor_steps(silent));
  step_case_clear(test);
}

static void expect_refused(const StepCase *test, const TgExecutorOptions *options, TgExecutorError code,
                           const char *words) {
  GError *error = NULL;
  g_assert_null(tg_executor_open(&tg_executor_cpu, &test->schedule, &test->names, options, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, (int)code);
  if (!strstr(error->message, words)) g_error("`%s` lacks `%s`", error->message, words);
  g_clear_error(&error);
}

static void test_refusals(void) {
  static const char wrong[] = "schedule wrong\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nC += A * B\n";
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "2x2", ""));
  fill(test, sizes[1], TG_F32);
  TgExecutorOptions options = options_of(test);
  options.transport = TG_TRANSPORT_PULL;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "transport");
  options = options_of(test);
  options.delay_ns = 1;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "neither delayed nor stalled");
  options = options_of(test);
  options.memory_limit_bytes = 10;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "the limit is 10 bytes");
  options = (TgExecutorOptions){.m = INT32_MAX, .n = INT32_MAX, .k = INT32_MAX};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "");
  step_case_clear(test);
  g_assert_true(step_case_bind(test, wrong, "2x2", ""));
  options = (TgExecutorOptions){.m = 4, .n = 4, .k = 4};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_SCHEDULE, "inner indices");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  for (size_t i = 0; i < count + G_N_ELEMENTS(own_schedules); i++) {
    const TgLibraryEntry *one = i < count ? &entry[i] : &own_schedules[i - count];
    g_autofree char *path = g_strdup_printf("/executor-cpu/%s", one->name);
    g_test_add_data_func(path, one, test_schedule);
  }
  g_test_add_func("/executor-cpu/steps", test_steps);
  g_test_add_func("/executor-cpu/refusals", test_refusals);
  return g_test_run();
}
