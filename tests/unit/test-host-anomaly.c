/* bench host-anomaly on small matrices: what is run, what is compared with what, and what comes out. */
#include "host-anomaly.h"

#include <math.h>
#include <string.h>

static TgResults *measure_small(void) {
  static const int64_t sizes[] = {20, 36, 52};
  const TgBenchOptions options = {.quick = true, .seed = 1, .sizes = sizes, .size_count = G_N_ELEMENTS(sizes)};
  GError *error = NULL;
  TgResults *results = tg_experiment_host_anomaly.measure(&options, &error);
  g_assert_no_error(error);
  return results;
}

static void test_runs(void) {
  g_autoptr(TgResults) results = measure_small();
  const TgAnomaly *anomaly = results->own;
  g_assert_cmpuint(anomaly->runs->len, ==, 9);
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    g_assert_cmpint(run->series, ==, r % 3);
    g_assert_cmpint(run->row, ==, run->n + (run->series == TG_ANOMALY_PADDED ? 16 : 0));
    g_assert_cmpint(run->computed, ==, 16);
    g_assert_true(isnan(run->paper_s));
    if (*run->left_out) {
      g_assert_cmpint(run->series, ==, TG_ANOMALY_HUGE); /* which a system may not give */
      continue;
    }
    g_assert_cmpint(run->time.trials, ==, 3);
    g_assert_true(run->right && run->error > 0);
    g_assert_cmpfloat_with_epsilon(run->step_s * (double)(16 * run->n * run->n), run->time.median_s, 1e-12);
    g_assert_true(tg_anomaly_against(anomaly, run) > 0);
  }
  g_assert_true(tg_experiment_right(&tg_experiment_host_anomaly, results, NULL));
  g_array_index(anomaly->runs, TgAnomalyRun, 4).right = false;
  GError *error = NULL;
  g_assert_false(tg_experiment_right(&tg_experiment_host_anomaly, results, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG);
  g_error_free(error);
}

static void add(TgAnomaly *anomaly, TgAnomalySeries series, int64_t n, double step_s, double paper_s) {
  const TgAnomalyRun run = {.series = series, .n = n, .row = n, .step_s = step_s, .paper_s = paper_s};
  g_array_append_val(anomaly->runs, run);
}

static TgResults *made_up(void) {
  TgResults *results = tg_results_new("host-anomaly", NULL);
  TgAnomaly *anomaly = tg_anomaly_begin(results);
  add(anomaly, TG_ANOMALY_SIZES, 992, 1e-9, 992e-9 * 992 * 992 * 2);
  add(anomaly, TG_ANOMALY_SIZES, 1024, 6e-9, 1024e-9 * 1024 * 1024 * 8);
  add(anomaly, TG_ANOMALY_SIZES, 1040, 3e-9, 1040e-9 * 1040 * 1040 * 2);
  add(anomaly, TG_ANOMALY_SIZES, 1056, 2e-9, 1056e-9 * 1056 * 1056 * 2);
  add(anomaly, TG_ANOMALY_SIZES, 1536, 5e-9, NAN);
  add(anomaly, TG_ANOMALY_PADDED, 1024, 1e-9, NAN);
  return results;
}

/* A size against the others of its group: no other series, nothing far away, not itself. */
static void test_against(void) {
  g_autoptr(TgResults) results = made_up();
  const TgAnomaly *anomaly = results->own;
  g_assert_cmpfloat_with_epsilon(tg_anomaly_against(anomaly, tg_anomaly_run(anomaly, 1)), 3, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_anomaly_against(anomaly, tg_anomaly_run(anomaly, 0)), 1.0 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_anomaly_paper_against(anomaly, tg_anomaly_run(anomaly, 1)), 4, 1e-12);
  g_assert_true(isnan(tg_anomaly_against(anomaly, tg_anomaly_run(anomaly, 4))));
  g_assert_true(isnan(tg_anomaly_against(anomaly, tg_anomaly_run(anomaly, 5))));
  g_assert_true(tg_anomaly_find(anomaly, TG_ANOMALY_PADDED, 1024) == tg_anomaly_run(anomaly, 5));
  g_assert_null(tg_anomaly_find(anomaly, TG_ANOMALY_HUGE, 1024));
  g_strlcpy(g_array_index(anomaly->runs, TgAnomalyRun, 3).left_out, "why", 4);
  g_assert_cmpfloat_with_epsilon(tg_anomaly_against(anomaly, tg_anomaly_run(anomaly, 1)), 3, 1e-12);
  g_assert_true(isnan(tg_anomaly_against(anomaly, tg_anomaly_run(anomaly, 3))));
}

static void test_outputs(void) {
  g_autoptr(TgResults) results = made_up();
  const TgAnomaly *anomaly = results->own;
  g_autoptr(TgPage) page = tg_page_new();
  g_strlcpy(g_array_index(anomaly->runs, TgAnomalyRun, 3).left_out, "the reason", 16);
  tg_experiment_host_anomaly.print(results, page);
  g_autofree char *text = tg_page_text(page);
  g_assert_nonnull(strstr(text, "  1024       8590           8.00       4.00"));
  g_assert_nonnull(strstr(text, "the reason"));
  g_autoptr(TgJson) json = tg_experiment_document(&tg_experiment_host_anomaly, results);
  const char *document = tg_json_text(json, NULL);
  g_assert_nonnull(strstr(document, "\"series\": \"padded\", \"n\": 1024, \"row_elements\": 1024"));
  g_assert_nonnull(strstr(document, "\"paper_to_neighbours\": 4"));
  g_assert_nonnull(strstr(document, "\"left_out\": \"the reason\""));
  g_autofree char *script = tg_experiment_host_anomaly.plot(results, tg_plot_format("x.gp"));
  g_assert_nonnull(strstr(script, "\n 1024 4\n"));
  g_assert_nonnull(strstr(script, "unset logscale"));
}

/* What was not measured has neither times nor trials. */
static void test_left_out(void) {
  g_autoptr(TgResults) results = made_up();
  const TgAnomaly *anomaly = results->own;
  g_autoptr(TgPage) page = tg_page_new(), later = tg_page_new();
  for (guint r = 0; r < anomaly->runs->len; r++)
    g_strlcpy(g_array_index(anomaly->runs, TgAnomalyRun, r).left_out, "no memory", 10);
  tg_experiment_host_anomaly.print(results, page);
  g_autofree char *none = tg_page_text(page);
  g_assert_nonnull(strstr(none, "; nothing was measured\n"));
  g_assert_null(strstr(none, "trials"));
  g_assert_nonnull(strstr(none, "  1024       8590           8.00       4.00         -"));
  TgAnomalyRun *last = &g_array_index(anomaly->runs, TgAnomalyRun, 4);
  *last->left_out = '\0';
  last->time = (TgMeasurement){.trials = 7, .median_s = 18.1};
  tg_experiment_host_anomaly.print(results, later);
  g_autofree char *some = tg_page_text(later);
  g_assert_nonnull(strstr(some, "; medians of 7 trials, interleaved over all runs\n"));
  g_assert_nonnull(strstr(some, " 18100 "));
}

static void test_usage(void) {
  const TgBenchOptions wrong[] = {{.cold = true}, {.type = "f32"}, {.budget_s = 1}, {.trials = 5}};
  for (gsize w = 0; w < G_N_ELEMENTS(wrong); w++) {
    GError *error = NULL;
    g_assert_null(tg_experiment_host_anomaly.measure(&wrong[w], &error));
    g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE);
    g_error_free(error);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/host-anomaly/runs", test_runs);
  g_test_add_func("/host-anomaly/against", test_against);
  g_test_add_func("/host-anomaly/outputs", test_outputs);
  g_test_add_func("/host-anomaly/left-out", test_left_out);
  g_test_add_func("/host-anomaly/usage", test_usage);
  return g_test_run();
}
