/* Variants, the kernels that an executor has to choose from: each is right, says which it is, and what does not exist
 * or does not suit is refused in words. */
#include "executor-case.h"
#include "executors-cuda.h"
#include "gpu-case.h"

/* How many there are, from an executor that chooses itself; 0 where it refuses. */
static int32_t count_variants(const TgExecutorKind *kind, const StepCase *test, int32_t *chosen) {
  const TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor = tg_executor_open(kind, &test->schedule, &test->names, &options, NULL);
  if (!executor) return 0;
  *chosen = tg_executor_facts(executor)->variant;
  return tg_executor_facts(executor)->variants;
}

/* Of blocks, the first one is for other cards, or for f32 alone. */
static void try_variants(const StepCase *test, guint32 number) {
  int32_t chosen = 0, ran = 0;
  const int32_t variants = count_variants(&tg_executor_blocks, test, &chosen);
  g_assert_cmpint(variants, ==, 5);
  g_assert_cmpint(chosen, >=, 1);
  for (int32_t variant = 1; variant <= variants; variant++) {
    TgExecutorOptions options = options_of(test);
    options.variant = variant;
    options.transport = ((guint32)variant + number) % 2 ? TG_TRANSPORT_PULL : TG_TRANSPORT_COPY;
    options.no_times = ((guint32)variant + number) % 3 == 0;
    ran += check_executor(&tg_executor_blocks, test, &options, variant == 1);
  }
  g_assert_cmpint(ran, >=, variants - 1);
}

static void test_blocks(void) {
  static const char *const runs[][2] = {{"cannon", "3x3"}, {"dns", "2x2x2"}, {"ring", "5"}, {"mmt", "4"}};
  static const int64_t odd[][3] = {{65, 40, 33}, {129, 129, 67}, {300, 201, 133}};
  if (!gpu_or_skip(&(TgDevice){0})) return;
  for (guint32 r = 0; r < G_N_ELEMENTS(runs) * G_N_ELEMENTS(odd) * 2; r++) {
    if (is_left_out(odd[r / 2 % 3])) continue;
    g_autofree StepCase *test = g_new0(StepCase, 1);
    begin(test, runs[r / 6][0], runs[r / 6][1], odd[r / 2 % 3], r % 2 ? TG_F64 : TG_F32);
    try_variants(test, r);
    step_case_clear(test);
  }
}

static void test_refused(void) {
  const TgExecutorKind *const kinds[] = {&tg_executor_threads, &tg_executor_clusters, &tg_executor_blocks};
  static const int64_t size[] = {16, 16, 16};
  TgDevice device = {0};
  if (!gpu_or_skip(&device)) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "2x2", size, TG_F32);
  for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
    int32_t chosen;
    TgExecutorOptions options = options_of(test);
    if (kinds[k] == &tg_executor_clusters && device.capability < 90) continue;
    options.variant = count_variants(kinds[k], test, &chosen) + 1;
    g_assert_cmpint(options.variant, >=, kinds[k] == &tg_executor_threads ? 2 : 3);
    g_autofree char *words =
        g_strdup_printf("has no variant %d of f32: it has %d", options.variant, options.variant - 1);
    expect_refused_by(kinds[k], test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, words);
    options.variant = -1;
    expect_refused_by(kinds[k], test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "has no variant -1");
  }
  step_case_clear(test);
}

/** What transposes has no factors to keep in panels, and the variant that does is not taken by itself. */
static void test_unsuited(void) {
  static const int64_t size[] = {16, 16, 16};
  TgDevice device = {0};
  if (!gpu_or_skip(&device)) return;
  if (device.capability < 90) {
    g_test_skip("the variant that keeps factors in panels needs compute capability 9.0");
    return;
  }
  g_autofree StepCase *test = g_new0(StepCase, 1);
  int32_t chosen = 0;
  begin(test, "transpose", "2x2", size, TG_F32);
  TgExecutorOptions options = options_of(test);
  options.variant = 1;
  expect_refused(test, &options, TG_EXECUTOR_ERROR_BAD_INPUT,
                 "variant 1 of the executor blocks keeps factors in panels");
  g_assert_cmpint(count_variants(&tg_executor_blocks, test, &chosen), ==, 5);
  g_assert_cmpint(chosen, ==, 2);
  step_case_clear(test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/variants/blocks", test_blocks);
  g_test_add_func("/variants/refused", test_refused);
  g_test_add_func("/variants/unsuited", test_unsuited);
  return g_test_run();
}
