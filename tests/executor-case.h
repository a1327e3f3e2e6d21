/* Executors on the CPU against the product: sizes that divide nothing, both types, C written as a whole. */
#ifndef TG_TESTS_EXECUTOR_CASE_H
#define TG_TESTS_EXECUTOR_CASE_H

#include "executor.h"

#include "../step-case.h"

static const int64_t executor_sizes[][3] = {{1, 1, 1}, {7, 9, 5}, {127, 129, 67}, {100, 37, 53}};

static inline TgExecutorOptions executor_options(const StepCase *test) {
  return (TgExecutorOptions){.m = test->shape.m,
                             .n = test->shape.n,
                             .k = test->shape.k,
                             .element = test->options.element,
                             .collective = test->options.collective,
                             .poison = true};
}

static inline void executor_fill(StepCase *test, const int64_t *size, TgElement element) {
  const TgComputes *computes = &test->schedule.computes;
  step_case_fill(test, size[0], computes->left == computes->right ? size[0] : size[1], size[2], element, false, 5);
}

static inline TgExecutor *executor_open(const TgExecutorKind *kind, const StepCase *test,
                                        const TgExecutorOptions *options) {
  GError *error = NULL;
  TgExecutor *executor = tg_executor_open(kind, &test->schedule, &test->names, options, &error);
  g_assert_no_error(error);
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  return executor;
}

/* C begins as NaN, and so does what the executor keeps of A and B. */
static inline void executor_check(const TgExecutorKind *kind, StepCase *test, const TgExecutorOptions *options) {
  GError *error = NULL;
  const gsize bytes = (gsize)(test->shape.m * test->shape.n * tg_element_bytes(test->options.element));
  g_autoptr(TgExecutor) executor = executor_open(kind, test, options);
  for (int again = 0; again < 2; again++) {
    memset(test->data[TG_MATRIX_C], 0xff, bytes);
    g_assert_true(tg_executor_run(executor, NULL, &error) &&
                  tg_executor_gather(executor, test->data[TG_MATRIX_C], &error));
    const TgCheck outcome = step_case_check(test);
    if (!outcome.ok) g_error("%s: %s", tg_name(&test->names, test->names.title), outcome.text);
  }
}

/* On every grid that it binds to, in all expansions of collectives. */
static inline void executor_check_schedule(const TgExecutorKind *kind, const TgLibraryEntry *entry,
                                           const TgExecutorOptions *how) {
  static const char *const grids[] = {"5", "3x3", "4x4", "2x3", "2x2x2", "4x4x2"};
  int ran = 0;
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++) {
    g_autofree StepCase *test = g_new0(StepCase, 1);
    TgError error;
    TgBindings bindings = {0};
    g_assert_true(tg_schedule_parse(&test->schedule, &test->names, entry->text, entry->length, &error));
    g_assert_true(tg_bindings_grid(&bindings, grids[g], &error));
    if (!tg_schedule_bind(&test->schedule, &test->names, &bindings, &error)) continue;
    for (size_t s = 0; s < 2 * G_N_ELEMENTS(executor_sizes); s++) {
      test->options.collective = (TgCollective)(s % TG_COLLECTIVES);
      executor_fill(test, executor_sizes[s / 2], s % 2 ? TG_F64 : TG_F32);
      TgExecutorOptions options = executor_options(test);
      options.transport = how->transport;
      options.delay_ns = how->delay_ns;
      options.delay_seed = how->delay_seed;
      executor_check(kind, test, &options);
    }
    step_case_clear(test);
    ran++;
  }
  g_assert_cmpint(ran, >, 0);
}

#endif
