/* bench oneil on figures made up: the paper's tables next to ours, their continuation, and a plot. */
#include "bench-case.h"
#include "suite.h"

static TgResults *some(void) {
  static const struct {
    const char *method;
    int32_t width;
    int64_t n;
    double us;
  } rows[] = {{"oneil-nothing", 0, 8, 5},
              {"oneil-cannon", 0, 8, 6},
              {"oneil-dns-cube-as-printed", 0, 8, 7},
              {"oneil-dns-cube-corrected", 8, 8, 7.5},
              {"oneil-dns-planes", 8, 8, 8},
              {"oneil-dns-planes", 4, 8, 9},
              {"oneil-dns-planes", 2, 8, 10},
              {"oneil-cannon-tiles", 8, 8, 11},
              {"oneil-cannon-tiles", 8, 16, 12},
              {"oneil-dns-cube-tiles", 8, 16, 13},
              {"oneil-dns-planes-tiles", 8, 16, 14},
              {"oneil-cannon-tiles", 8, 1024, 2000}};
  TgResults *results = results_on_card("oneil");
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgResult row = gpu_row(rows[r].method, rows[r].width, rows[r].n, rows[r].us * 1e-6);
    if (r == 0) row.bytes = row.flops = 0, row.in = row.out = (TgMeasurement){0};
    row.printed = r == 2;
    row.right = r != 2;
    tg_suite_paper_figures(&tg_historic_oneil, &row);
    tg_results_add(results, &row);
  }
  TgResult cpu = cpu_row("cpu", 8, 1e-6);
  tg_results_add(results, &cpu);
  cpu = cpu_row("cpu", 1024, 1);
  g_strlcpy(cpu.left_out, "would take about 83 s a trial, over 60", sizeof cpu.left_out);
  tg_results_add(results, &cpu);
  return results;
}

static void test_paper(void) {
  TgResult row = gpu_row("oneil-dns-planes", 4, 8, 1);
  tg_suite_paper_figures(&tg_historic_oneil, &row);
  g_assert_true(row.has_paper);
  g_assert_cmpint(row.paper.trials, ==, 23);
  g_assert_cmpfloat_with_epsilon(row.paper.mean_s, 282.3e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon(row.paper.min_s, 278.7e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon(row.paper.max_s, 290.1e-6, 1e-12);
  row = gpu_row("oneil-dns-planes", 4, 16, 1);
  tg_suite_paper_figures(&tg_historic_oneil, &row);
  g_assert_false(row.has_paper);
  row = gpu_row("oneil-cannon-tiles", 8, 8, 1);
  tg_suite_paper_figures(&tg_historic_oneil, &row);
  g_assert_false(row.has_paper); /* Table 2 is of 16 x 16 */
}

static void test_print(void) {
  static const char *const parts[] = {
      "a card, compute capability 9.0, 132 multiprocessors, clock 1980 MHz before and 1950 MHz after\n"
      "host: a processor, 16 cores\n",
      "\nTable 1: 8x8\n",
      "  algorithm                    times in us         trials    min    max    avg   std  median\n"
      "  oneil-nothing                kernel                   5    2.5   10.0    5.0  0.62     5.0\n"
      "                               call to end              5    5.0   20.0   10.0  1.25    10.0\n"
      "  Cannon                       paper, Tesla C2070      15  277.5  287.7  281.6  3.20       -\n"
      "                               kernel                   5    3.0   12.0    6.0  0.75     6.0\n"
      "                               call to end              5    6.0   24.0   12.0  1.50    12.0\n"
      "                               operands in              5   12.0   48.0   24.0  3.00    24.0\n"
      "                               result out               5   24.0   96.0   48.0  6.00    48.0\n"
      "                               with transfers                                           84.0\n"
      "  DNS, 8x8x8 block, as printed paper, Tesla C2070 24 ",
      "  DNS, 16 4x8 blocks           paper, Tesla C2070      23 ",
      "\nTable 2: 16x16\n",
      "  DNS, 8 8x8 blocks  paper, Tesla C2070      16  282.7  300.8  288.2  4.60       -\n",
      "     n   cpu    cannon-tiles  dns-cube-tiles  dns-planes-tiles\n"
      "     8  1 us     11 us          -        -\n"
      "    16     -     12 us      13 us    14 us\n"
      "  1024     -      2 ms          -        -\n",
      "\nGflop/s\n",
      "  1024      -    1074          -        -\n",
      "  cpu at 1024x1024x1024: would take about 83 s a trial, over 60\n",
      "  oneil-dns-cube-as-printed at 8x8x8: its result was wrong here\n",
  };
  g_autoptr(TgResults) results = some();
  g_autofree char *text = page_of(tg_experiment_oneil.print, results);
  expect_parts(text, parts, G_N_ELEMENTS(parts));
}

/* A kernel kept as printed may be wrong; another may not. */
static void test_right(void) {
  g_autoptr(TgResults) results = some();
  g_assert_true(tg_experiment_right(&tg_experiment_oneil, results, NULL));
  g_array_index(results->rows, TgResult, 1).right = false;
  g_assert_false(tg_experiment_right(&tg_experiment_oneil, results, NULL));
}

static void test_plot(void) {
  static const char *const parts[] = {"title 'cannon-tiles'", "title 'cpu'", " 1024 0.002\n", " 1024 0.028\n"};
  g_autoptr(TgResults) results = some();
  g_autofree char *script = tg_experiment_oneil.plot(results, tg_plot_format("x.gp"));
  expect_parts(script, parts, G_N_ELEMENTS(parts));
}

/* A size that the host has no memory for is left out with the bytes; what was measured before it stays. */
static void test_no_room(void) {
  static const int64_t sizes[] = {16, INT64_C(1) << 23};
  const TgBenchOptions options = {.quick = true, .cpu_only = true, .seed = 1, .sizes = sizes, .size_count = 2};
  GError *error = NULL;
  g_autoptr(TgResults) results = tg_experiment_oneil.measure(&options, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(results->rows->len, ==, 2);
  g_assert_true(tg_results_at(results, 0)->right);
  const char *left_out = tg_results_at(results, 1)->left_out;
  if (!g_str_has_prefix(left_out, "needs 844424930131968 bytes of the host's memory, ")) g_error("%s", left_out);
  g_assert_true(tg_experiment_right(&tg_experiment_oneil, results, &error));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/oneil/paper", test_paper);
  g_test_add_func("/bench/oneil/print", test_print);
  g_test_add_func("/bench/oneil/right", test_right);
  g_test_add_func("/bench/oneil/plot", test_plot);
  g_test_add_func("/bench/oneil/no-room", test_no_room);
  return g_test_run();
}
