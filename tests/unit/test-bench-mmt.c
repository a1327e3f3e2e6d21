/* bench mmt on figures made up: speeds by width, differences next to the paper's, its example; and what it measures
 * without a GPU. */
#include "bench-case.h"
#include "host-programs.h"
#include "mmt.h"

static void add(TgResults *results, const char *kernel, int32_t width, int64_t d, double seconds) {
  TgResult row = gpu_row(kernel, width, d, seconds);
  const TgHistoric *historic = tg_historic_find(kernel);
  TgHistoricRun run = {.width = width, .m = d, .n = d, .k = d};
  TgHistoricShape shape;
  g_assert_true(tg_historic_prepare(historic, &run, &shape, NULL));
  row.executed_flops = shape.flops;
  row.printed = historic->printed;
  row.right = !historic->printed;
  tg_results_add(results, &row);
}

static void add_sanity(TgMmt *mmt, const char *kernel, int64_t d, int64_t wrong, double l2) {
  const TgMmtSanity row = {.kernel = kernel,
                           .d = d,
                           .wrong = wrong,
                           .l2 = l2,
                           .l2_printed = (float)(l2 * l2),
                           .paper = tg_mmt_sanity_paper(kernel, d)};
  g_array_append_val(mmt->sanity, row);
}

static TgResults *some(void) {
  TgResults *results = results_on_card("mmt");
  TgMmt *mmt = tg_mmt_begin(results);
  memcpy(mmt->from_gpu, mmt->from_cpu, sizeof mmt->from_gpu);
  add(results, "mmt-v001", 4, 1000, 4e-3);
  add(results, "mmt-v001", 8, 1000, 2e-3);
  add(results, "mmt-v001", 16, 1000, 3e-3);
  add(results, "mmt-v005-as-printed", 8, 1000, 1e-3);
  add(results, "mmt-v005-corrected", 8, 1000, 1e-3);
  add(results, "mmt-cublas-corrected", 0, 1000, 1e-4);
  TgResult late = gpu_row("mmt-v004-corrected", 4, 20000, 1);
  g_strlcpy(late.left_out, "would take about 83 s a trial, over 20", sizeof late.left_out);
  tg_results_add(results, &late);
  late.width = 8;
  tg_results_add(results, &late);
  TgResult cpu = cpu_row("sequential", 1000, 1);
  tg_results_add(results, &cpu);
  add_sanity(mmt, "mmt-v001", 100, 0, 0.01);
  add_sanity(mmt, "mmt-v008-as-printed", 100, 0, 0.02);
  add_sanity(mmt, "mmt-v001", 64, 0, 0.01);
  add_sanity(mmt, "mmt-v008-as-printed", 64, 4096, 20);
  return results;
}

static void test_print(void) {
  static const char *const parts[] = {
      "the sequential program, d = 1000: 2.00 Gflop/s\n",
      "\nd = 1000: Gflop/s for 2d^3 operations, by block width\n",
      /* 2e9 operations in 2 ms, and in 2 + 4 + 8 times that with launch and transfers */
      " v001 500 1000 667 - 8 71.4 1000 0.050 ",
      /* 992 of 1000 columns of the half that is computed, with what the diagonal is more than half: 0.504 d^2 */
      " v005-as-printed - 2000 - - 8 143 1000 0.100 0.0e+00 not M * M'\n",
      " v005-corrected - 2000 - - 8 143 1008 0.100 ",
      " cublas-corrected 20000 - - - - 1429 20000 1.000 ",
      "\nIn blocks of 8, corrected, without transfers: Gflop/s for 2d^3 operations\n"
      " n v001 v004 cublas\n"
      " 1000 1000 - 2e+04\n",
      "\nThe same with transfers\n n v001 v004 cublas\n 1000 71.43 - 1429\n",
      " d 0 here 1 here 5 here 6 here 8 here 9 here\n 100 - - 0.000 0.0001 - - - - 3.495 0.0004 - -\n"
      " 64 - - - 0.0001 - - - - - 4e+02 - -\n",
      " v008-as-printed - - - - 0 - - 4096 - - -\n",
      " 973 3178 5383 7588 9793 11998 14203\n",
      " d = 20000, mmt-v004-corrected: would take about 83 s a trial, over 20 (and so 1 wider)\n",
  };
  g_autoptr(TgResults) results = some();
  g_autofree char *text = page_of(tg_experiment_mmt.print, results);
  expect_parts(text, parts, G_N_ELEMENTS(parts));
}

/* As printed a kernel may be wrong; nothing else may. */
static void test_right(void) {
  GError *error = NULL;
  g_autoptr(TgResults) results = some();
  TgMmt *mmt = results->own;
  g_assert_true(tg_experiment_right(&tg_experiment_mmt, results, NULL));
  g_array_index(mmt->sanity, TgMmtSanity, 2).wrong = 1;
  g_assert_false(tg_experiment_right(&tg_experiment_mmt, results, &error));
  g_assert_cmpstr(error->message, ==, "bench mmt: mmt-v001 at 64: 1 elements are wrong with integers");
  g_clear_error(&error);
  g_array_index(mmt->sanity, TgMmtSanity, 2).wrong = 0;
  mmt->from_gpu[48]++;
  g_assert_false(tg_experiment_right(&tg_experiment_mmt, results, &error));
  g_assert_cmpstr(error->message, ==, "bench mmt: the example of 7 rows is wrong");
  g_clear_error(&error);
  mmt->from_gpu[48]--;
  g_array_index(results->rows, TgResult, 4).right = false;
  g_assert_false(tg_experiment_right(&tg_experiment_mmt, results, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG);
  g_clear_error(&error);
}

static void test_files(void) {
  static const char *const parts[] = {
      "\"method\": \"mmt-v005-as-printed\"",
      "\"as_printed\": true",
      ("\"kernel\": \"mmt-v008-as-printed\", \"d\": 64, \"width\": 8, \"wrong_elements\": 4096, \"l2_difference\": 20, "
       "\"l2_difference_as_printed\": 400}"),
      "\"paper\": 3.495}",
      "\"gpu\": [91, 238,",
  };
  static const char *const curves[] = {"title 'width 16'", "title 'cublas'", " 1000 1e+12\n"};
  g_autoptr(TgResults) results = some();
  g_autoptr(TgJson) json = tg_experiment_document(&tg_experiment_mmt, results);
  expect_parts(tg_json_text(json, NULL), parts, G_N_ELEMENTS(parts));
  g_autofree char *script = tg_experiment_mmt.plot(results, tg_plot_format("x.gp"));
  expect_parts(script, curves, G_N_ELEMENTS(curves));
}

/* The paper's table is of its kernels as printed, where they have a defect. */
static void test_paper(void) {
  g_assert_cmpfloat(tg_mmt_sanity_paper("mmt-v008-as-printed", 500), ==, 44.268);
  g_assert_cmpfloat(tg_mmt_sanity_paper("mmt-v009-as-printed", 30), ==, 0.015);
  g_assert_cmpfloat(tg_mmt_sanity_paper("mmt-v001", 10), ==, 0);
  g_assert_true(isnan(tg_mmt_sanity_paper("mmt-v008-corrected", 500)));
  g_assert_true(isnan(tg_mmt_sanity_paper("mmt-v004-as-printed", 500)));
  g_assert_true(isnan(tg_mmt_sanity_paper("mmt-v008-as-printed", 64)));
}

static void test_cpu_only(void) {
  static const int64_t sizes[] = {20};
  const TgBenchOptions options = {.quick = true, .cpu_only = true, .seed = 1, .sizes = sizes, .size_count = 1};
  GError *error = NULL;
  g_autoptr(TgResults) results = tg_experiment_mmt.measure(&options, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(results->rows->len, ==, 1);
  g_assert_cmpstr(tg_results_at(results, 0)->method, ==, "sequential");
  g_assert_true(tg_experiment_right(&tg_experiment_mmt, results, NULL));
  g_assert_cmpfloat(((const TgMmt *)results->own)->from_cpu[48], ==, 14203);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/mmt/print", test_print);
  g_test_add_func("/bench/mmt/right", test_right);
  g_test_add_func("/bench/mmt/files", test_files);
  g_test_add_func("/bench/mmt/paper", test_paper);
  g_test_add_func("/bench/mmt/cpu-only", test_cpu_only);
  return g_test_run();
}
