/* bench essay and bench transpose on figures made up: tables, with the claims of the essay, and plots. */
#include "bench-case.h"

static void add(TgResults *results, const char *method, int32_t width, int64_t n, double us) {
  TgResult row = gpu_row(method, width, n, us * 1e-6);
  row.asked_bytes = 2 * row.flops;
  tg_results_add(results, &row);
}

/* --- products ----------------------------------------------------------------------------------------------------- */

static TgResults *products(void) {
  TgResults *results = results_on_card("essay");
  TgResult row;
  for (int64_t n = 16; n <= 1024; n *= 64) {
    const double us = (double)n;
    row = cpu_row("cpu", n, us * 100e-6);
    tg_results_add(results, &row);
    add(results, "essay-naive", 16, n, 16 * us);
    add(results, "essay-tiled", 8, n, 12 * us);
    add(results, "essay-tiled", 16, n, 8 * us);
    row = gpu_row("essay-coalesced", 16, n, 4 * us * 1e-6);
    row.prepare = measured(60 * us * 1e-6);
    tg_results_add(results, &row);
    add(results, "essay-no-conflicts", 16, n, 2 * us);
    add(results, "essay-outer", 16, n, us);
    add(results, "essay-prefetch", 16, n, us / 2);
    add(results, "cublas", 0, n, us / 4);
  }
  row = gpu_row("cublas", 0, 37, 3e-6);
  row.m = 1000, row.k = 513;
  row.flops = 2.0 * 1000 * 37 * 513;
  tg_results_add(results, &row);
  return results;
}

static void test_products(void) {
  static const char *const parts[] = {
      "     n       cpu     naive     tiled  coalesced  no conflicts     outer  prefetch  cublas\n"
      "    16    1.6 ms    256 us    128 us      64 us         32 us     16 us      8 us    4 us\n",
      "\nWith launch, transfers and the CPU's preparation\n",
      /* 14 times the kernel, and 960 us of B' */
      "    16    1.6 ms  3.584 ms  1.792 ms   1.856 ms ",
      "\nSpeedup of the kernel over the CPU\n"
      "     n  naive  tiled  coalesced  no conflicts  outer  prefetch  cublas\n"
      "    16   6.25   12.5         25            50    100       200     400\n",
      "\nBlocks, at n = 1024: Gflop/s of the kernel\n  kernel        4x4    8x8   16x16  32x32\n",
      "  tiled           -  174.8   262.1      -\n",
      "  claim of the essay                            16   1024\n"
      "  the GPU is faster than the CPU              6.25   6.25\n"
      "  …, except for small matrices (transfers)   0.446  0.446\n"
      "  tiled is faster than naive                     2      2\n"
      "  coalesced is faster than tiled                 2      2\n"
      "  …, counting the CPU's transposition of B   0.966  0.966\n",
      "  cuBLAS is better than all of these             2      2\n",
      "operations per byte requested from memory: naive 0.5 (the essay: 1/4), tiled 0.5;",
      "  m x n x k    cpu  naive  prefetch  cublas  cublas, Gflop/s\n"
      "  1000x37x513    -      -         -    3 us        1.265e+04\n",
  };
  g_autoptr(TgResults) results = products();
  g_autofree char *text = page_of(tg_experiment_essay.print, results);
  expect_parts(text, parts, G_N_ELEMENTS(parts));
}

static void test_products_plot(void) {
  static const char *const parts[] = {"'naive and tiled'", "'tiled and coalesced'", "'cuBLAS, rectangular'",
                                      "title '8x8'", " 1024 0.008192\n"};
  g_autoptr(TgResults) results = products();
  g_autofree char *script = tg_experiment_essay.plot(results, tg_plot_format("x.gp"));
  expect_parts(script, parts, G_N_ELEMENTS(parts));
}

/* --- transposes --------------------------------------------------------------------------------------------------- */

static void add_moved(TgResults *results, const char *method, int32_t width, double us) {
  TgResult row = gpu_row(method, width, 1024, us * 1e-6);
  row.k = 1;
  row.flops = 0;
  row.bytes = 8.0 * 1024 * 1024;
  row.cold = measured(2 * us * 1e-6);
  tg_results_add(results, &row);
}

static TgResults *moved(void) {
  TgResults *results = results_on_card("transpose");
  add_moved(results, "essay-transpose-naive", 16, 40);
  add_moved(results, "essay-transpose-naive/100", 16, 20);
  add_moved(results, "essay-transpose-shared", 16, 8);
  add_moved(results, "essay-transpose-shared/100", 16, 5);
  add_moved(results, "essay-transpose-unpadded/100", 32, 12);
  add_moved(results, "essay-transpose-shared/100", 32, 3);
  add_moved(results, "essay-copy", 16, 6);
  add_moved(results, "memcpy", 0, 4);
  return results;
}

static void test_transposes(void) {
  static const char *const parts[] = {
      "     n  naive  shared  copy  memcpy\n  1024  40 us    8 us  6 us    4 us\n",
      "\nGB/s, read and written\n     n  naive  shared  copy  memcpy\n  1024  209.7    1049  1398    2097\n",
      "     n  naive  shared  unpadded 32x32  shared 32x32\n  1024  419.4    1678           699.1          2796\n",
      "\nGB/s, once per launch, with the L2 cache emptied before\n"
      "     n  naive  shared  copy  memcpy\n"
      "  1024  104.9   524.3 ",
      "     n  naive/shared  a hundred times  shared/memcpy  shared/copy  padding\n"
      "  1024             5                4            0.5         0.75        4\n",
  };
  g_autoptr(TgResults) results = moved();
  g_autofree char *text = page_of(tg_experiment_transpose.print, results);
  expect_parts(text, parts, G_N_ELEMENTS(parts));
}

static void test_transposes_plot(void) {
  static const char *const parts[] = {"'a hundred times within a launch'", "title 'memcpy'", " 1024 4e-05\n"};
  g_autoptr(TgResults) results = moved();
  g_autofree char *script = tg_experiment_transpose.plot(results, tg_plot_format("x.gp"));
  expect_parts(script, parts, G_N_ELEMENTS(parts));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/essay/print", test_products);
  g_test_add_func("/bench/essay/plot", test_products_plot);
  g_test_add_func("/bench/transpose/print", test_transposes);
  g_test_add_func("/bench/transpose/plot", test_transposes_plot);
  return g_test_run();
}
