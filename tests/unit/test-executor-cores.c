/* The executor cores: its results (executor-case.h) with blocks copied and read in place, at any speed of its
 * processors; how it deals them out; times of steps; one that never comes; what stops a run; and what it refuses. */
#include "executors-cpu.h"

#include "../executor-case.h"
#include "../property/own-schedules.h"

static void copied(gconstpointer data) {
  executor_check_schedule(&tg_executor_cores, data, &(TgExecutorOptions){0});
}

static void read_in_place(gconstpointer data) {
  executor_check_schedule(&tg_executor_cores, data, &(TgExecutorOptions){.transport = TG_TRANSPORT_PULL});
}

/* Bound, with matrices; the caller clears it. */
static StepCase *case_of(const char *name, const char *grid, int64_t n) {
  StepCase *test = g_new0(StepCase, 1);
  g_assert_true(step_case_bind(test, step_case_library(name), grid, ""));
  executor_fill(test, (const int64_t[]){n, n, n}, TG_F64);
  return test;
}

static void end(StepCase *test) {
  step_case_clear(test);
  g_free(test);
}

static void at_any_speed(void) {
  static const char *const names[] = {"cannon", "summa", "fox", "dns", "cannon25d"};
  static const char *const grids[] = {"4x4", "3x3", "4x4", "3x3x3", "4x4x2"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    StepCase *test = case_of(names[i], grids[i], 50);
    for (int seed = 0; seed < 30; seed++) {
      test->options.collective = (TgCollective)(seed % TG_COLLECTIVES);
      TgExecutorOptions options = executor_options(test);
      options.transport = seed % 2 ? TG_TRANSPORT_COPY : TG_TRANSPORT_PULL;
      options.delay_ns = 100000;
      options.delay_seed = (uint32_t)seed;
      executor_check(&tg_executor_cores, test, &options);
    }
    end(test);
  }
}

static void processors_are_dealt_out(void) {
  StepCase *test = case_of("cannon", "3x3", 9);
  const TgExecutorOptions options = executor_options(test);
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_cores, test, &options);
  const TgExecutorFacts *facts = tg_executor_facts(executor);
  g_assert_cmpint(facts->processors, ==, 9);
  g_assert_cmpint(facts->at_once, >=, 1);
  g_assert_cmpint(facts->at_once, <=, 9);
  g_assert_cmpint(tg_executor_first_in_place(facts, 0), ==, 0);
  g_assert_cmpint(tg_executor_first_in_place(facts, facts->at_once), ==, 9);
  g_assert_cmpint(tg_executor_turns(facts), ==, tg_divide_up(9, facts->at_once));
  end(test);
}

/* Means of threads: together they are no longer than the run, and the first step begins it. */
static void steps_have_times(void) {
  StepCase *test = case_of("cannon", "4x4", 200);
  TgExecutorOptions options = executor_options(test);
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_cores, test, &options);
  double seconds, sum_s = 0;
  g_assert_null(tg_executor_steps(executor));
  g_assert_true(tg_executor_run(executor, &seconds, NULL));
  const TgExecutorStep *steps = tg_executor_steps(executor);
  g_assert_cmpint(tg_executor_facts(executor)->steps, ==, 5);
  for (int s = 0; s < 5; s++) {
    g_assert_cmpint(steps[s].index, ==, s + 1);
    g_assert_cmpstr(steps[s].label, ==, s ? "multiply and shift" : "align");
    g_assert_cmpint(steps[s].runs, ==, 1);
    g_assert_cmpfloat(steps[s].busy_s, >, 0);
    g_assert_cmpfloat(steps[s].waited_s, >=, 0);
    g_assert_cmpfloat(steps[s].begin_s, >=, 0);
    g_assert_cmpfloat(steps[s].end_s, >, steps[s].begin_s);
    sum_s += steps[s].busy_s + steps[s].waited_s;
  }
  g_assert_cmpfloat(steps[0].begin_s, ==, 0);
  g_assert_cmpfloat(sum_s, <=, steps[4].end_s * (1 + 1e-9));
  g_assert_cmpfloat(sum_s, <=, seconds);
  options.no_times = true;
  g_autoptr(TgExecutor) silent = executor_open(&tg_executor_cores, test, &options);
  g_assert_true(tg_executor_run(silent, NULL, NULL));
  g_assert_null(tg_executor_steps(silent));
  end(test);
}

/* The last of all, so that another thread, where there is one, waits for it; its own thread's others need no waiting.
 */
static void one_that_never_comes_is_named(void) {
  StepCase *test = case_of("cannon", "4x4", 16);
  TgExecutorOptions options = executor_options(test);
  options.stalled = 16;
  options.deadline_s = 0.1;
  GError *error = NULL;
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_cores, test, &options);
  if (tg_executor_facts(executor)->at_once == 1) {
    g_test_skip("there is one CPU: a thread alone waits for nobody");
  } else {
    g_assert_false(tg_executor_run(executor, NULL, &error));
    g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED);
    /* The last one itself, or one that waits for it on the same core. */
    if (!g_str_has_prefix(error->message, "step ") || !strstr(error->message, "`: processor (") ||
        !strstr(error->message, "waited more than 0.1 s for processor ("))
      g_error("%s", error->message);
    g_clear_error(&error);
    g_assert_false(tg_executor_run(executor, NULL, &error));
    g_clear_error(&error);
  }
  end(test);
}

static bool until_told(void *user, int64_t done) {
  int *left = user;
  g_assert_cmpint(done, >=, 0);
  return (*left)-- > 0;
}

/* The proof tells the watch, too: from the run on nothing is left. */
static void the_watch_stops_it(void) {
  StepCase *test = case_of("cannon", "4x4", 64);
  int left = INT_MAX;
  const TgWatch watch = {.go_on = until_told, .user = &left};
  TgExecutorOptions options = executor_options(test);
  options.watch = &watch;
  options.delay_ns = 999999999; /* half a minute of naps */
  GError *error = NULL;
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_cores, test, &options);
  left = 2; /* the beginning, and one look */
  const gint64 begun = g_get_monotonic_time();
  g_assert_false(tg_executor_run(executor, NULL, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED);
  g_assert_cmpstr(error->message, ==, "stopped");
  g_assert_cmpint(g_get_monotonic_time() - begun, <, 10 * G_USEC_PER_SEC);
  g_clear_error(&error);
  end(test);
}

static void expect_refused(const StepCase *test, const TgExecutorOptions *options, TgExecutorError code,
                           const char *words) {
  GError *error = NULL;
  g_assert_null(tg_executor_open(&tg_executor_cores, &test->schedule, &test->names, options, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, (int)code);
  if (!strstr(error->message, words)) g_error("`%s` lacks `%s`", error->message, words);
  g_clear_error(&error);
}

static void refusals(void) {
  static const char wrong[] = "schedule wrong\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nC += A * B\n";
  StepCase *test = case_of("cannon", "4x4", 64);
  TgExecutorOptions options = executor_options(test);
  options.transport = TG_TRANSPORT_LOAD;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "transport");
  options = executor_options(test);
  options.memory_limit_bytes = 1000;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "the plan of the run");
  options.memory_limit_bytes = 100000;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "of them for blocks; the limit is 100000 bytes");
  options = executor_options(test);
  options.variant = 2;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "has no variant 2");
  step_case_clear(test);
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "65x65", ""));
  options = (TgExecutorOptions){.m = 65, .n = 65, .k = 65};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "65x65 has 4225 processors; cores has room for at most");
  step_case_clear(test);
  g_assert_true(step_case_bind(test, wrong, "2x2", ""));
  options = (TgExecutorOptions){.m = 4, .n = 4, .k = 4};
  expect_refused(test, &options, TG_EXECUTOR_ERROR_SCHEDULE, "inner indices");
  end(test);
}

static void add_schedules(const char *path, GTestDataFunc run) {
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  for (size_t i = 0; i < count + G_N_ELEMENTS(own_schedules); i++) {
    const TgLibraryEntry *one = i < count ? &entry[i] : &own_schedules[i - count];
    g_autofree char *name = g_strdup_printf("/executor-cores/%s/%s", path, one->name);
    g_test_add_data_func(name, one, run);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_schedules("copied", copied);
  add_schedules("read-in-place", read_in_place);
  g_test_add_func("/executor-cores/at-any-speed", at_any_speed);
  g_test_add_func("/executor-cores/dealt-out", processors_are_dealt_out);
  g_test_add_func("/executor-cores/steps", steps_have_times);
  g_test_add_func("/executor-cores/never-comes", one_that_never_comes_is_named);
  g_test_add_func("/executor-cores/watch", the_watch_stops_it);
  g_test_add_func("/executor-cores/refusals", refusals);
  return g_test_run();
}
