/* The executor cpu: its results (executor-case.h), times of steps, and what it refuses. */
#include "executors-cpu.h"

#include "../executor-case.h"
#include "../property/own-schedules.h"

static void test_schedule(gconstpointer data) {
  executor_check_schedule(&tg_executor_cpu, data, &(TgExecutorOptions){0});
}

static void test_steps(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  double seconds;
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "4x4", ""));
  executor_fill(test, (const int64_t[]){200, 200, 200}, TG_F32);
  TgExecutorOptions options = executor_options(test);
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_cpu, test, &options);
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
  g_autoptr(TgExecutor) silent = executor_open(&tg_executor_cpu, test, &options);
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
  executor_fill(test, executor_sizes[1], TG_F32);
  TgExecutorOptions options = executor_options(test);
  options.transport = TG_TRANSPORT_PULL;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "transport");
  options = executor_options(test);
  options.delay_ns = 1;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "neither delayed nor stalled");
  options = executor_options(test);
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
