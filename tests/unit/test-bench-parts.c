/* What the experiments share, on synthetic figures: trials, pages, charts, results and their document. */
#include "bench-case.h"
#include "chart.h"
#include "suite.h"
#include "trial.h"

/* --- trials ------------------------------------------------------------------------------------------------------- */

static void test_trial_count(void) {
  const TgTrialLimits limits = {.budget_s = 20, .least = 3, .most = 1000};
  g_assert_cmpint(tg_trial_count(&limits, 0.1), ==, 200);
  g_assert_cmpint(tg_trial_count(&limits, 15), ==, 3);
  g_assert_cmpint(tg_trial_count(&limits, 1e-6), ==, 1000);
  g_assert_cmpint(tg_trial_count(&limits, 0), ==, 1000);
  g_assert_cmpint(tg_trial_count(&limits, 1e-300), ==, 1000);
}

/* A small budget does not cut off what was asked for; of what takes longer there are as many as fit. */
static void test_wanted_trials(void) {
  TgTrialLimits limits = {.budget_s = 0.5, .least = 3, .most = 101, .wanted = 20, .wanted_s = 20};
  g_assert_cmpint(tg_trial_count(&limits, 1e-3), ==, 101);
  g_assert_cmpint(tg_trial_count(&limits, 0.1), ==, 20);
  g_assert_cmpint(tg_trial_count(&limits, 1), ==, 20);
  g_assert_cmpint(tg_trial_count(&limits, 1.01), ==, 19);
  g_assert_cmpint(tg_trial_count(&limits, 3), ==, 6);
  g_assert_cmpint(tg_trial_count(&limits, 8), ==, 3);
  g_assert_cmpint(tg_trial_count(&limits, 1e300), ==, 3);
  limits.wanted = 200;
  g_assert_cmpint(tg_trial_count(&limits, 1e-3), ==, 200);
}

static void test_left_out(void) {
  const TgBenchLimits limits = {.longest_s = 60};
  char why[80] = "before";
  g_assert_false(tg_trial_is_left_out(&limits, 60, why, sizeof why));
  g_assert_false(tg_trial_is_left_out(&limits, NAN, why, sizeof why));
  g_assert_cmpstr(why, ==, "before");
  g_assert_true(tg_trial_is_left_out(&limits, 83.4, why, sizeof why));
  g_assert_cmpstr(why, ==, "would take about 83 s a trial, over 60");
  char small[6];
  g_assert_true(tg_trial_is_left_out(&limits, 61, small, sizeof small));
  g_assert_cmpstr(small, ==, "would");
  g_assert_false(tg_trial_is_left_out(&(TgBenchLimits){0}, 1e9, why, sizeof why));
}

static void test_longest(void) {
  g_assert_cmpfloat(tg_suite_longest_s(&(TgBenchOptions){0}, 60), ==, 60);
  g_assert_cmpfloat(tg_suite_longest_s(&(TgBenchOptions){.budget_s = 20}, 60), ==, 60);
  g_assert_cmpfloat(tg_suite_longest_s(&(TgBenchOptions){.budget_s = 0.05}, 60), ==, 2);
  g_assert_cmpfloat(tg_suite_longest_s(&(TgBenchOptions){.budget_s = 0.001}, 60), ==, 1);
}

typedef struct Slow {
  int runs, fails_at;
  double seconds;
} Slow;

static bool be_slow(const void *what, TgError *error) {
  Slow *slow = (Slow *)(gpointer)what;
  const double begun = tg_now_s();
  while (tg_now_s() - begun < slow->seconds) continue;
  slow->runs++;
  return slow->runs != slow->fails_at || tg_error_set(error, 0, 0, "stopped at run %d", slow->runs);
}

static void test_trial_on_host(void) {
  const TgBenchLimits limits = {.trials = {.budget_s = 0.02, .least = 3, .most = 50, .warmup = 2}};
  TgMeasurement time = {0};
  TgError error;
  Slow slow = {.seconds = 2e-3};
  g_assert_true(tg_trial_on_host(be_slow, &slow, false, &limits, &time, &error));
  g_assert_cmpint(time.warmup, ==, 2);
  g_assert_cmpint(time.trials, >=, 3);
  g_assert_cmpint(time.trials, <=, 10);
  g_assert_cmpint(slow.runs, ==, time.warmup + time.trials);
  g_assert_cmpfloat(time.min_s, >=, 2e-3);
  g_assert_cmpfloat(time.min_s, <=, time.median_s);
  slow = (Slow){.seconds = 1.01};
  const TgBenchLimits once = {.trials = {.budget_s = 0.1, .least = 1, .most = 1, .warmup = 5}};
  g_assert_true(tg_trial_on_host(be_slow, &slow, false, &once, &time, &error));
  g_assert_cmpint(time.warmup, ==, 1); /* it took over a second */
  slow = (Slow){.seconds = 2e-3};
  const TgBenchLimits warm = {.trials = {.budget_s = 0.02, .least = 3, .most = 50}};
  g_assert_true(tg_trial_on_host(be_slow, &slow, false, &warm, &time, &error));
  g_assert_cmpint(time.warmup, ==, 0);
  g_assert_cmpint(time.trials, <=, 10); /* the first of them told how many fit */
  g_assert_cmpint(slow.runs, ==, time.trials);
  slow = (Slow){.fails_at = 4};
  g_assert_false(tg_trial_on_host(be_slow, &slow, false, &limits, &time, &error));
  g_assert_cmpstr(error.message, ==, "stopped at run 4");
}

/* --- pages and charts --------------------------------------------------------------------------------------------- */

static void test_page(void) {
  static const char *const heads[] = {"kernel", "us"};
  g_autoptr(TgPage) page = tg_page_new();
  tg_page_add(page, "Table %d\n", 1);
  TgTable *table = tg_page_table(page, "lr", 2, heads);
  tg_page_paragraph(page, 4, "%s",
                    "aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh "
                    "iiiiiiiii jjjjjjjjj kkkkkkkkk");
  tg_table_add(table, "naive");
  tg_table_add(table, "%.1f", 12.5);
  g_autofree char *text = tg_page_text(page);
  g_assert_cmpstr(text, ==,
                  "Table 1\n"
                  "  kernel    us\n"
                  "  naive   12.5\n"
                  "    aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh iiiiiiiii\n"
                  "    jjjjjjjjj kkkkkkkkk\n");
  guint count;
  const TgPagePart *parts = tg_page_parts(page, &count);
  g_assert_cmpuint(count, ==, 3);
  g_assert_true(parts[1].table == table && !parts[1].text);
}

static char *chart_of(const void *data, const TgPlotFormat *format) {
  return tg_chart_script(data, format);
}

/* On axes of numbers 0 is one of them, and less is not. */
static void test_linear(void) {
  g_autoptr(TgChart) chart = tg_chart_new("Steps", "on a card");
  TgPanel *panel = tg_chart_panel(chart, "f32", "step", "time, s");
  tg_panel_linear(panel);
  tg_panel_point(panel, "predicted", 1, 0);
  tg_panel_point(panel, "predicted", 2, -1);
  tg_panel_point(panel, "predicted", 3, 5);
  g_autofree char *script = tg_chart_script(chart, tg_plot_format("x.gp"));
  g_assert_nonnull(strstr(script, "$data_0_0 << EOD\n 1 0\n 3 5\nEOD\n"));
}

static void test_chart(void) {
  g_autoptr(TgChart) chart = tg_chart_new("It's a title", "on a card");
  TgPanel *first = tg_chart_panel(chart, "f32", "n", "time, s");
  TgPanel *second = tg_chart_panel(chart, "i32", "n", "time, s");
  tg_chart_panel(chart, "f64", "n", "time, s");
  tg_panel_point(first, "naive", 8, 2e-6);
  tg_panel_point(first, "naive", 16, NAN);
  tg_panel_point(first, "naive", 32, 0);
  tg_panel_point(first, "tiled", 8, 1e-6);
  tg_panel_point(second, "tiled", 8, 3e-6);
  g_autofree char *script = tg_chart_script(chart, tg_plot_format("x.gp"));
  g_assert_nonnull(strstr(script, "'It''s a title'"));
  g_assert_nonnull(strstr(script, "$data_0_0 << EOD\n 8 2e-06\nEOD\n"));
  g_assert_nonnull(strstr(script, "$data_1_0 using 1:2 with linespoints linetype 2 title 'tiled'")); /* as in panel 0 */
  g_assert_nonnull(strstr(script, "not measured"));
  g_autofree char *bytes = NULL;
  gsize length;
  GError *error = NULL;
  if (!tg_plot_possible(tg_plot_format("x.svg"))) {
    g_test_skip("gnuplot is not here: the chart was not drawn");
    return;
  }
  g_assert_true(tg_plot_make(tg_plot_format("x.svg"), chart_of, chart, &bytes, &length, &error));
  g_assert_no_error(error);
  g_assert_nonnull(strstr(bytes, "naive"));
  g_assert_nonnull(strstr(bytes, "on a card"));
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static TgResults *some_results(void) {
  TgResults *results = tg_results_new("test", NULL);
  TgResult row = {.method = "tiled",
                  .type = "f32",
                  .width = 8,
                  .split = 2,
                  .blocks = 8,
                  .threads = 64,
                  .m = 16,
                  .n = 16,
                  .k = 16,
                  .kernel = measured(0.25),
                  .call = measured(0.5),
                  .prepare = measured(1),
                  .in = measured(2),
                  .out = measured(4),
                  .flops = 8192,
                  .bytes = 3072,
                  .checked = true,
                  .error = 0.125,
                  .limit = 0.25,
                  .right = true};
  tg_results_add(results, &row);
  row.width = 16;
  g_strlcpy(row.left_out, "would take about 83 s a trial, over 60", sizeof row.left_out);
  tg_results_add(results, &row);
  row = (TgResult){.method = "cpu", .type = "i32", .place = TG_ON_CPU, .m = 8, .n = 8, .k = 8, .call = measured(8)};
  row.has_paper = true;
  row.paper = (TgMeasurement){.trials = 15, .min_s = 1, .mean_s = 2, .max_s = 4, .stddev_s = NAN, .median_s = NAN};
  tg_results_add(results, &row);
  tg_results_note(results, "not run: %s", "a kernel");
  return results;
}

static void test_results_find(void) {
  g_autoptr(TgResults) results = some_results();
  const TgResult *tiled = tg_results_square(results, "tiled", 8, 16);
  g_assert_true(tiled == tg_results_at(results, 0));
  g_assert_true(tg_results_square(results, "tiled", 0, 16) == tiled);
  g_assert_null(tg_results_square(results, "tiled", 16, 16)); /* left out */
  g_assert_null(tg_results_square(results, "tiled", 8, 8));
  g_assert_cmpfloat(tg_result_time_s(tiled), ==, 0.25);
  g_assert_cmpfloat(tg_result_whole_s(tiled), ==, 7.5);
  TgResult kernel_alone = *tiled;
  kernel_alone.call = (TgMeasurement){0};
  g_assert_cmpfloat(tg_result_whole_s(&kernel_alone), ==, 7.5 - tiled->call.median_s + tiled->kernel.median_s);
  kernel_alone.repeats = 100;
  g_assert_true(isnan(tg_result_whole_s(&kernel_alone)));
  const TgResult *cpu = tg_results_square(results, "cpu", 0, 8);
  g_assert_cmpfloat(tg_result_time_s(cpu), ==, 8);
  g_assert_cmpfloat(tg_result_whole_s(cpu), ==, 8);
  g_assert_true(isnan(tg_result_time_s(tg_results_at(results, 1))));
  g_assert_true(isnan(tg_result_time_s(NULL)) && isnan(tg_result_whole_s(NULL)));
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  g_assert_cmpuint(sizes->len, ==, 2);
  g_assert_cmpint(g_array_index(sizes, int64_t, 0), ==, 8);
  g_assert_cmpint(g_array_index(sizes, int64_t, 1), ==, 16);
}

static void test_results_document(void) {
  static const char *const parts[] = {
      "{\n  \"format\": \"topogemm-bench\",\n  \"version\": 1,\n  \"experiment\": \"test\",\n  \"ok\": true,\n",
      "\"device\": null",
      "{\"method\": \"tiled\", \"place\": \"gpu\", \"type\": \"f32\", \"m\": 16, \"n\": 16, \"k\": 16, \"width\": 8, "
      "\"split\": 2, \"blocks\": 8, \"threads_per_block\": 64, \"time_s\": 0.25, \"kernel_times\": {\"trials\": 5, "
      "\"warmup\": 2, "
      "\"min\": 0.125, \"median\": 0.25, \"mean\": 0.25, \"max\": 0.5, \"stddev\": 0.03125}, \"call_times\": "
      "{",
      "\"flops\": 8192, \"bytes\": 3072, \"gflops\": 3.2768e-05, \"bytes_per_s\": 12288, \"relative_error\": 0.125, "
      "\"tolerance\": 0.25, \"estimated\": false, \"ok\": true}",
      "\"width\": 16, \"split\": 2, \"blocks\": 8, \"threads_per_block\": 64, \"left_out\": \"would take about 83 s a "
      "trial, over 60\"}",
      "\"place\": \"cpu\"",
      "\"paper_times\": {\"trials\": 15, \"warmup\": 0, \"min\": 1, \"median\": null, \"mean\": 2, \"max\": 4, "
      "\"stddev\": null}}",
      "\"notes\": [\n    \"not run: a kernel\"\n  ]",
  };
  g_autoptr(TgResults) results = some_results();
  const TgExperiment experiment = {.name = "test"};
  g_autoptr(TgJson) json = tg_experiment_document(&experiment, results);
  const char *text = tg_json_text(json, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
    if (!strstr(text, parts[i])) g_error("the document lacks `%s`:\n%s", parts[i], text);
  g_assert_null(strstr(text, "kernel_cold_times")); /* it was not measured */
  g_array_index(results->rows, TgResult, 0).right = false;
  g_autoptr(TgJson) wrong = tg_experiment_document(&experiment, results);
  g_assert_nonnull(strstr(tg_json_text(wrong, NULL), "\n  \"ok\": false,\n"));
}

static void test_results_right(void) {
  g_autoptr(TgResults) results = some_results();
  GError *error = NULL;
  g_assert_true(tg_results_right(results, &error));
  TgResult *row = &g_array_index(results->rows, TgResult, 0);
  row->error = NAN;
  row->right = false;
  g_assert_false(tg_results_right(results, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG);
  g_assert_cmpstr(error->message, ==, "bench test: tiled at 16x16x16: relative error nan, at most 2.50e-01 is right");
  g_clear_error(&error);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void test_experiments(void) {
  size_t count;
  const TgExperiment *const *all = tg_experiment_list(&count);
  g_assert_cmpuint(count, >=, 1);
  for (size_t e = 0; e < count; e++) {
    g_assert_true(tg_experiment_find(all[e]->name) == all[e]); /* no name stands twice */
    g_assert_true(all[e]->measure && all[e]->print && (!all[e]->format || all[e]->write));
    g_assert_cmpuint(strlen(all[e]->summary), >, 10);
    g_assert_cmpuint(strlen(all[e]->details), >, 20);
  }
  g_assert_null(tg_experiment_find("Ladder"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/trial/count", test_trial_count);
  g_test_add_func("/bench/trial/wanted", test_wanted_trials);
  g_test_add_func("/bench/trial/left-out", test_left_out);
  g_test_add_func("/bench/trial/longest", test_longest);
  g_test_add_func("/bench/trial/on-host", test_trial_on_host);
  g_test_add_func("/bench/page", test_page);
  g_test_add_func("/bench/chart", test_chart);
  g_test_add_func("/bench/chart/linear", test_linear);
  g_test_add_func("/bench/results/find", test_results_find);
  g_test_add_func("/bench/results/document", test_results_document);
  g_test_add_func("/bench/results/right", test_results_right);
  g_test_add_func("/bench/experiments", test_experiments);
  return g_test_run();
}
