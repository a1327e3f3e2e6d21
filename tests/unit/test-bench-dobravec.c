/* bench dobravec on figures made up: Tables 1 and 2 next to ours; and what it measures without a GPU. */
#include "bench-case.h"
#include "suite.h"

static void add(TgResults *results, TgResult row) {
  tg_suite_paper_figures(&tg_historic_dobravec, &row);
  tg_results_add(results, &row);
}

static TgResult wrong_row(const char *method, int32_t width, int64_t n) {
  TgResult row = gpu_row(method, width, n, 1e-3);
  row.printed = true;
  row.right = n % width == 0;
  row.error = row.right ? 1e-7 : NAN;
  return row;
}

static TgResults *some(void) {
  TgResults *results = results_on_card("dobravec");
  add(results, cpu_row("matrixMulH", 800, 1));
  add(results, gpu_row("dobravec-global-corrected", 8, 800, 4e-4));
  add(results, gpu_row("dobravec-shared-corrected", 8, 800, 2e-4));
  add(results, gpu_row("dobravec-global-corrected", 16, 800, 3e-4));
  add(results, gpu_row("dobravec-shared-corrected", 16, 800, 1e-4));
  add(results, wrong_row("dobravec-shared-as-printed", 16, 800));
  add(results, wrong_row("dobravec-shared-as-printed", 16, 792));
  add(results, wrong_row("dobravec-shared-as-printed", 16, 720));
  add(results, cpu_row("matrixMulH", 512, 0.2));
  for (int32_t width = 1; width <= 16; width *= 2)
    add(results, gpu_row("dobravec-shared-run-time", width, 512, 1e-2 / (width * width)));
  return results;
}

static void test_paper(void) {
  static const struct {
    const char *method;
    int32_t width;
    int64_t n;
    double ms;
  } rows[] = {{"matrixMulH", 0, 800, 2169},
              {"matrixMulH", 0, 512, 357},
              {"dobravec-global-as-printed", 8, 480, 127},
              {"dobravec-shared-as-printed", 8, 720, 201},
              {"dobravec-shared-run-time", 1, 512, 11149},
              {"dobravec-shared-run-time", 16, 512, 83}};
  static const struct {
    const char *method;
    int32_t width;
    int64_t n;
  } none[] = {{"dobravec-shared-corrected", 16, 720},
              {"dobravec-shared-corrected", 8, 512},
              {"dobravec-shared-run-time", 8, 480},
              {"matrixMulH", 0, 88},
              {"cublas", 0, 800}};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgResult row = gpu_row(rows[r].method, rows[r].width, rows[r].n, 1);
    tg_suite_paper_figures(&tg_historic_dobravec, &row);
    g_assert_true(row.has_paper);
    g_assert_cmpfloat_with_epsilon(row.paper.mean_s, rows[r].ms * 1e-3, 1e-9);
  }
  for (gsize r = 0; r < G_N_ELEMENTS(none); r++) {
    TgResult row = gpu_row(none[r].method, none[r].width, none[r].n, 1);
    tg_suite_paper_figures(&tg_historic_dobravec, &row);
    g_assert_false(row.has_paper);
  }
}

static void test_print(void) {
  static const char *const parts[] = {
      "host: a processor, 16 cores\n",
      " n size MulH here MulDG here MulDS here MulDG 16x16 MulDS 16x16 cublas\n",
      " 64 512 - 200 - - - - - - -\n",
      " 100 800 2169 1000 598 0.4 275 0.2 0.3 0.1 -\n",
      /* host over kernel: 1 s over 0.4 and 0.2 ms; with transfers 14 times that */
      " 800 3.63 2500.00 7.89 5000.00 357.14 2.17 2.00 3.00\n",
      ("\nTable 2: MulDS with shared memory sized at run time, 512\n"
       " threads paper, ms here, ms times 256 threads, paper here\n 1 1.115e+04 10 134.33 256.00\n"),
      " 256 83 0.03906 1.00 1.00\n",
      " MulH: paper 357 ms, here 200 ms. ",
      " dobravec-shared-as-printed 16 3 1 1 1.0e-07\n",
  };
  g_autoptr(TgResults) results = some();
  g_autofree char *text = page_of(tg_experiment_dobravec.print, results);
  expect_parts(text, parts, G_N_ELEMENTS(parts));
}

/* Only what has a width is said to have one. */
static void test_left_out(void) {
  static const char *const parts[] = {" matrixMulH at 20000: too long\n",
                                      " dobravec-global-corrected, width 8, at 20000: too long\n"};
  g_autoptr(TgResults) results = some();
  TgResult rows[] = {cpu_row("matrixMulH", 20000, NAN), gpu_row("dobravec-global-corrected", 8, 20000, NAN)};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    g_strlcpy(rows[r].left_out, "too long", sizeof rows[r].left_out);
    add(results, rows[r]);
  }
  g_autofree char *text = page_of(tg_experiment_dobravec.print, results);
  expect_parts(text, parts, G_N_ELEMENTS(parts));
}

static void test_right(void) {
  g_autoptr(TgResults) results = some();
  g_assert_true(tg_experiment_right(&tg_experiment_dobravec, results, NULL));
  g_array_index(results->rows, TgResult, 1).right = false;
  g_assert_false(tg_experiment_right(&tg_experiment_dobravec, results, NULL));
}

static void test_plot(void) {
  static const char *const curves[] = {"title 'MulH, paper'", "title 'MulDS 16x16'", " 800 2.169\n", " 256 0.083\n"};
  g_autoptr(TgResults) results = some();
  g_autofree char *script = tg_experiment_dobravec.plot(results, tg_plot_format("x.gp"));
  expect_parts(script, curves, G_N_ELEMENTS(curves));
}

static void test_cpu_only(void) {
  const TgBenchOptions options = {.quick = true, .cpu_only = true, .seed = 1, .budget_s = 1e-3};
  GError *error = NULL;
  g_autoptr(TgResults) results = tg_experiment_dobravec.measure(&options, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(results->rows->len, ==, 16); /* 8 to 128 */
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    g_assert_cmpstr(row->method, ==, "matrixMulH");
    g_assert_cmpint(row->n, ==, 8 * (r + 1));
    g_assert_true(row->right && row->error < 1e-7); /* sums in double precision, rounded once */
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/dobravec/paper", test_paper);
  g_test_add_func("/bench/dobravec/print", test_print);
  g_test_add_func("/bench/dobravec/left-out", test_left_out);
  g_test_add_func("/bench/dobravec/right", test_right);
  g_test_add_func("/bench/dobravec/plot", test_plot);
  g_test_add_func("/bench/dobravec/cpu-only", test_cpu_only);
  return g_test_run();
}
