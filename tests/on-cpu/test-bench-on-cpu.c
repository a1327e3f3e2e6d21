/* The experiments from end to end, on kernels that run on the CPU: every method is there, checked, right and timed, and
 * what is printed and written has them. How long anything takes means nothing here. */
#include "../unit/bench-case.h"
#include "../unit/cache-folder.h"

#include "division.h"
#include "mmt.h"
#include "suite.h"

typedef struct Wanted {
  const char *method;
  int32_t width;
  int64_t n;
} Wanted;

static void check_row(const TgResult *row, const Wanted *wanted) {
  if (!row) g_error("there is no row of %s, width %d, n = %d", wanted->method, wanted->width, (int)wanted->n);
  g_assert_cmpstr(row->left_out, ==, "");
  g_assert_cmpint(row->place == TG_ON_GPU ? row->kernel.trials : row->call.trials, >=, 3);
  if (row->bytes > 0) g_assert_true(row->checked && (row->right || row->printed));
  if (row->place == TG_ON_GPU && row->bytes > 0)
    g_assert_true(row->in.trials && row->out.trials && row->asked_bytes > 0);
  const bool is_short = row->kernel.median_s <= TG_SUITE_LONG_S; /* beside other work under sanitizers it may not be */
  if (row->place == TG_ON_GPU && row->repeats == 1) g_assert_cmpint(row->call.trials, >=, is_short ? 3 : 0);
}

static void run(const TgExperiment *experiment, const int64_t *sizes, gsize size_count, const char *kernels,
                const Wanted *wanted, gsize count) {
  g_auto(GStrv) names = g_strsplit(kernels, ",", -1);
  const TgBenchOptions options = {
      .quick = true, .sizes = sizes, .size_count = size_count, .kernels = names, .seed = 3, .budget_s = 1e-3};
  GError *error = NULL;
  g_autoptr(TgResults) results = experiment->measure(&options, &error);
  g_assert_no_error(error);
  for (gsize w = 0; w < count; w++)
    check_row(tg_results_square(results, wanted[w].method, wanted[w].width, wanted[w].n), &wanted[w]);
  g_assert_true(tg_experiment_right(experiment, results, &error));
  g_autofree char *text = page_of(experiment->print, results);
  g_assert_nonnull(strstr(text, "the CPU, threads as coroutines, compute capability 9.0"));
  g_autoptr(TgJson) json = tg_experiment_document(experiment, results);
  for (gsize w = 0; w < count; w++) g_assert_nonnull(strstr(tg_json_text(json, NULL), wanted[w].method));
}

static void test_oneil(void) {
  static const int64_t sizes[] = {8, 16, 40};
  static const Wanted wanted[] = {
      {"cpu", 0, 8},
      {"oneil-nothing", 0, 8},
      {"oneil-cannon", 0, 8},
      {"oneil-dns-cube-as-printed", 0, 8},
      {"oneil-dns-cube-corrected", 8, 8},
      {"oneil-dns-planes", 8, 8},
      {"oneil-dns-planes", 4, 8},
      {"oneil-dns-planes", 2, 8},
      {"oneil-cannon-tiles", 8, 16},
      {"oneil-dns-cube-tiles", 8, 16},
      {"oneil-dns-cube-tiles-banks", 8, 16},
      {"oneil-dns-planes-tiles", 8, 16},
      {"oneil-cannon-tiles", 8, 40},
      {"chosen", 0, 40},
  };
  run(&tg_experiment_oneil, sizes, G_N_ELEMENTS(sizes),
      "cpu,oneil-nothing,oneil-cannon,oneil-dns-cube-as-printed,oneil-dns-cube-corrected,oneil-dns-planes,"
      "oneil-cannon-tiles,oneil-dns-cube-tiles,oneil-dns-cube-tiles-banks,oneil-dns-planes-tiles,chosen",
      wanted, G_N_ELEMENTS(wanted));
}

static void test_essay(void) {
  static const int64_t sizes[] = {33};
  static const Wanted wanted[] = {{"cpu", 0, 33},
                                  {"essay-naive", 4, 33},
                                  {"essay-tiled", 8, 33},
                                  {"essay-coalesced", 16, 33},
                                  {"essay-no-conflicts", 32, 33},
                                  {"essay-outer", 16, 33},
                                  {"essay-prefetch", 32, 33}};
  run(&tg_experiment_essay, sizes, 1,
      "cpu,essay-naive,essay-tiled,essay-coalesced,essay-no-conflicts,essay-outer,essay-prefetch", wanted,
      G_N_ELEMENTS(wanted));
}

static void test_transpose(void) {
  static const int64_t sizes[] = {37};
  static const Wanted wanted[] = {{"cpu", 0, 37},
                                  {"essay-copy", 16, 37},
                                  {"essay-copy/100", 32, 37},
                                  {"essay-transpose-naive", 16, 37},
                                  {"essay-transpose-unpadded/100", 16, 37},
                                  {"essay-transpose-shared", 32, 37}};
  run(&tg_experiment_transpose, sizes, 1,
      "cpu,essay-copy,essay-copy/100,essay-transpose-naive,essay-transpose-unpadded/100,essay-transpose-shared", wanted,
      G_N_ELEMENTS(wanted));
}

static void test_dobravec(void) {
  static const int64_t sizes[] = {8, 24};
  static const Wanted wanted[] = {{"matrixMulH", 0, 8},
                                  {"dobravec-global-as-printed", 8, 8},
                                  {"dobravec-global-corrected", 16, 8},
                                  {"dobravec-shared-as-printed", 16, 24},
                                  {"dobravec-shared-corrected", 8, 24}};
  run(&tg_experiment_dobravec, sizes, G_N_ELEMENTS(sizes),
      "matrixMulH,dobravec-global-as-printed,dobravec-global-corrected,dobravec-shared-as-printed,"
      "dobravec-shared-corrected",
      wanted, G_N_ELEMENTS(wanted));
}

/* Speeds, differences from the sequential program and the paper's example are of the same kernels. */
static void test_mmt(void) {
  static const int64_t sizes[] = {16};
  static const Wanted wanted[] = {{"sequential", 0, 16},
                                  {"mmt-v001", 32, 16},
                                  {"mmt-v002", 8, 16},
                                  {"mmt-v004-as-printed", 4, 16},
                                  {"mmt-v006-coalesced", 16, 16},
                                  {"mmt-v008-corrected", 16, 16},
                                  {"mmt-cublas-as-printed", 0, 16},
                                  {"mmt-cublas-corrected", 0, 16}};
  const TgBenchOptions options = {.quick = true, .sizes = sizes, .size_count = 1, .seed = 3, .budget_s = 1e-4};
  GError *error = NULL;
  g_autoptr(TgResults) results = tg_experiment_mmt.measure(&options, &error);
  g_assert_no_error(error);
  for (gsize w = 0; w < G_N_ELEMENTS(wanted); w++)
    check_row(tg_results_square(results, wanted[w].method, wanted[w].width, 16), &wanted[w]);
  g_assert_false(tg_results_square(results, "mmt-v004-as-printed", 8, 16)->right);
  g_assert_true(tg_results_square(results, "mmt-v004-as-printed", 8, 16)->executed_flops == 2.0 * 16 * 16 * 8);
  g_assert_cmpuint(((const TgMmt *)results->own)->sanity->len, >, 5 * tg_historic_mmt.count);
  g_assert_true(tg_experiment_right(&tg_experiment_mmt, results, &error));
  g_autofree char *text = page_of(tg_experiment_mmt.print, results);
  g_assert_nonnull(strstr(text, "not M * M'"));
}

/* The best is kept, and measured beside what the next run finds; not with a part of the kernels. */
static void test_division(void) {
  static const int64_t sizes[] = {16};
  TgBenchOptions options = {.sizes = sizes, .size_count = 1, .seed = 1, .budget_s = 1e-6};
  GError *error = NULL;
  for (int run = 0; run < 2; run++) {
    g_autoptr(TgResults) results = tg_experiment_division.measure(&options, &error);
    g_assert_no_error(error);
    const TgDivisionChoice *choice = tg_division_choice(results, 0);
    g_autoptr(GArray) all = tg_division_all(TG_HISTORIC_F32, 16, 16, 16);
    g_assert_cmpuint(results->rows->len, ==, all->len);
    g_assert_cmpuint(choice->candidates, >, 1); /* some may be too slow here */
    g_assert_cmpfloat(choice->best_s, <=, choice->rule_s);
    g_assert_false(choice->paper_s < choice->best_s);
    g_assert_cmpint(choice->cached.kernel != NULL, ==, run);
    g_assert_false(choice->cached_s < choice->best_s);
    g_assert_true(tg_experiment_right(&tg_experiment_division, results, &error));
  }
  options.no_cache = true;
  g_autoptr(TgResults) results = tg_experiment_division.measure(&options, &error);
  g_assert_null(tg_division_choice(results, 0)->cached.kernel);
}

/* B' is brought and its making timed, apart from the kernel. */
static void test_prepared(void) {
  static const int64_t sizes[] = {33};
  char *names[] = {"essay-coalesced", "essay-tiled", NULL};
  const TgBenchOptions options = {
      .quick = true, .sizes = sizes, .size_count = 1, .kernels = names, .seed = 1, .budget_s = 1e-3};
  GError *error = NULL;
  TgResults *results = tg_experiment_essay.measure(&options, &error);
  g_assert_no_error(error);
  g_assert_cmpint(tg_results_square(results, "essay-coalesced", 16, 33)->prepare.trials, >=, 3);
  g_assert_cmpint(tg_results_square(results, "essay-tiled", 16, 33)->prepare.trials, ==, 0);
  tg_results_free(results);
}

static const TgSuitePlan test_plan = {.experiment = "test", .budget_s = 1e-3};

/* A trial that took longer than allowed leaves larger sizes out, in words. */
static void test_left_out(void) {
  TgSuite suite;
  GError *error = NULL;
  static const TgMethod methods[] = {{.name = "cannon", .historic = "oneil-cannon-tiles"},
                                     {.name = "one", .historic = "oneil-cannon"}};
  const TgBenchOptions options = {.seed = 1};
  TgSuiteSize size = {TG_HISTORIC_PRODUCT, TG_NUMBER_I32, 40, 40, 40};
  g_assert_true(tg_suite_begin(&suite, &test_plan, &options, methods, 2, &error));
  g_assert_true(tg_suite_measure(&suite, &size, &error));
  g_assert_cmpstr(tg_results_at(suite.results, 1)->left_out, ==, "kernel oneil-cannon takes m up to 32, not 40");
  TgResult *row = &g_array_index(suite.results->rows, TgResult, 0);
  g_assert_cmpstr(row->left_out, ==, "");
  g_assert_cmpstr(row->type, ==, "i32");
  g_assert_true(row->right);
  row->kernel.median_s = 10;
  size.m = size.n = size.k = 80;
  g_assert_true(tg_suite_measure(&suite, &size, &error));
  g_assert_cmpstr(tg_results_at(suite.results, 2)->left_out, ==, "would take about 80 s a trial, over 60");
  suite.limits.longest_s = 1e-9;
  g_array_set_size(suite.results->rows, 0);
  g_assert_true(tg_suite_measure(&suite, &size, &error));
  g_assert_true(g_str_has_suffix(tg_results_at(suite.results, 0)->left_out, "s, over 1e-09: not measured again"));
  g_assert_null(tg_suite_finish(&suite, false));
}

/* What is so many times slower than the best of its size is named and not measured; the first has no better one. */
static void test_hopeless(void) {
  TgSuite suite;
  GError *error = NULL;
  static const TgMethod methods[] = {{.name = "first", .historic = "oneil-cannon-tiles"},
                                     {.name = "second", .historic = "oneil-cannon-tiles", .width = 4}};
  const TgBenchOptions options = {.seed = 1};
  const TgSuiteSize size = {TG_HISTORIC_PRODUCT, TG_NUMBER_F32, 72, 72, 72};
  g_assert_true(tg_suite_begin(&suite, &test_plan, &options, methods, 2, &error));
  suite.hopeless = 1e-3;
  suite.kernel_only = true;
  g_assert_true(tg_suite_measure(&suite, &size, &error));
  g_assert_cmpstr(tg_results_at(suite.results, 0)->left_out, ==, "");
  g_assert_cmpint(tg_results_at(suite.results, 0)->call.trials, ==, 0);
  const char *why = tg_results_at(suite.results, 1)->left_out;
  g_assert_true(g_str_has_prefix(why, "took ") && g_str_has_suffix(why, " s, over 0.001 times the best so far"));
  g_assert_true(tg_suite_measure(&suite, &size, &error)); /* now both are known before they are run */
  why = tg_results_at(suite.results, 3)->left_out;
  g_assert_true(g_str_has_prefix(why, "would take ") && g_str_has_suffix(why, " times the best so far"));
  /* Another split tells, where the same has not been measured. */
  static const TgMethod split[] = {{.name = "second", .historic = "oneil-cannon-tiles", .width = 4, .split = 3}};
  suite.methods = split;
  suite.method_count = 1;
  suite.same_split = true;
  g_assert_true(tg_suite_measure(&suite, &size, &error));
  g_assert_true(g_str_has_prefix(tg_results_at(suite.results, 4)->left_out, "would take "));
  g_assert_null(tg_suite_finish(&suite, false));
}

/* A method that computes something else is not right, and the experiment reports it. */
static bool leave_zeros(const TgOperands *operands, TgError *error) {
  return tg_device_fill(operands->device[2], 0, operands->bytes[2], error);
}

static void test_wrong(void) {
  TgSuite suite;
  GError *error = NULL;
  static const TgMethod methods[] = {{.name = "zeros", .device = leave_zeros}};
  const TgBenchOptions options = {.seed = 1, .quick = true};
  const TgSuiteSize size = {TG_HISTORIC_PRODUCT, TG_NUMBER_F32, 8, 8, 8};
  g_assert_true(tg_suite_begin(&suite, &test_plan, &options, methods, 1, &error));
  g_assert_true(tg_suite_measure(&suite, &size, &error));
  g_assert_false(tg_results_at(suite.results, 0)->right);
  g_assert_false(tg_results_right(suite.results, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG);
  g_clear_error(&error);
  g_assert_null(tg_suite_finish(&suite, false));
}

static void test_usage(void) {
  char *names[] = {"oneil-cannons", NULL};
  GError *error = NULL;
  TgBenchOptions options = {.kernels = names};
  g_assert_null(tg_experiment_transpose.measure(&options, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE);
  g_assert_true(g_str_has_prefix(error->message, "--kernels oneil-cannons: bench transpose has no such kernel; it has: "
                                                 "essay-copy, essay-copy/100, memcpy, cpu, "));
  g_clear_error(&error);
  options = (TgBenchOptions){.type = "f64"};
  g_assert_null(tg_experiment_oneil.measure(&options, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE);
  g_assert_cmpstr(error->message, ==, "--type f64: expected f32 or i32");
  g_clear_error(&error);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  char *folder = cache_folder_begin();
  g_test_add_func("/bench-on-cpu/oneil", test_oneil);
  g_test_add_func("/bench-on-cpu/essay", test_essay);
  g_test_add_func("/bench-on-cpu/transpose", test_transpose);
  g_test_add_func("/bench-on-cpu/dobravec", test_dobravec);
  g_test_add_func("/bench-on-cpu/mmt", test_mmt);
  g_test_add_func("/bench-on-cpu/division", test_division);
  g_test_add_func("/bench-on-cpu/prepared", test_prepared);
  g_test_add_func("/bench-on-cpu/left-out", test_left_out);
  g_test_add_func("/bench-on-cpu/hopeless", test_hopeless);
  g_test_add_func("/bench-on-cpu/wrong", test_wrong);
  g_test_add_func("/bench-on-cpu/usage", test_usage);
  int status = g_test_run();
  cache_folder_end(folder);
  return status;
}
