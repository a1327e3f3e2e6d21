/* The papers' products by one thread of the processor, and the differences they check with. */
#define _GNU_SOURCE
#include "host-pages.h"
#include "host-programs.h"

#include <glib.h>
#include <math.h>
#include <sched.h>
#include <string.h>

static float *drawn(GRand *random, gint64 count) {
  float *x = g_new(float, count);
  for (gint64 i = 0; i < count; i++) x[i] = (float)g_rand_double_range(random, -1, 1);
  return x;
}

static void check_product(gint64 m, gint64 n, gint64 k, gint64 row) {
  GRand *random = g_rand_new_with_seed((guint32)(m + 7 * n + 49 * k));
  g_autofree float *a = drawn(random, m * row), *b = drawn(random, k * row), *c = g_new(float, m *row);
  for (gint64 i = 0; i < m * row; i++) c[i] = -77;
  tg_double_sum_product(c, a, b, m, n, k, row);
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < row; j++) {
      double sum = 0;
      for (gint64 l = 0; j < n && l < k; l++) sum += (double)a[i * row + l] * b[l * row + j];
      g_assert_cmpfloat(c[i * row + j], ==, j < n ? (float)sum : -77);
    }
  g_rand_free(random);
}

static void test_sizes(void) {
  check_product(1, 1, 1, 1);
  check_product(7, 7, 7, 7);
  check_product(31, 31, 31, 48);
  check_product(5, 9, 7, 9);
  check_product(5, 7, 9, 25);
}

/* 1e8 + 1 is 1e8 in f32. */
static void test_double_sum(void) {
  const float a[] = {1e8F, 1, -1e8F, 0.5F}, b[] = {1, 1, 1, 1};
  const float rows[4][4] = {{1e8F, 1, -1e8F, 0}, {1, 1, 1, 0}};
  float c[16] = {0}, r[16];
  g_autofree float *column = g_new0(float, 16);
  for (int l = 0; l < 4; l++) column[l * 4] = b[l];
  tg_double_sum_product(c, a, column, 1, 1, 4, 4);
  g_assert_cmpfloat(c[0], ==, 1.5F);
  tg_mmt_sequential(r, &rows[0][0], 4);
  g_assert_cmpfloat(r[1], ==, 0); /* the same sum in f32 */
}

/* Section 4's printed matrix: R of 0 to 48. */
static void test_printed_matrix(void) {
  static const float printed[7][7] = {
      {91, 238, 385, 532, 679, 826, 973},          {238, 728, 1218, 1708, 2198, 2688, 3178},
      {385, 1218, 2051, 2884, 3717, 4550, 5383},   {532, 1708, 2884, 4060, 5236, 6412, 7588},
      {679, 2198, 3717, 5236, 6755, 8274, 9793},   {826, 2688, 4550, 6412, 8274, 10136, 11998},
      {973, 3178, 5383, 7588, 9793, 11998, 14203},
  };
  float m[49], r[49];
  tg_mmt_count_up(m, 7);
  g_assert_cmpfloat(m[48], ==, 48);
  tg_mmt_sequential(r, m, 7);
  g_assert_cmpmem(r, sizeof r, printed, sizeof printed);
}

static void test_differences(void) {
  const float x[] = {3, 0, 1, 7}, y[] = {0, 4, 1, 7};
  g_assert_cmpfloat(tg_l2_difference_printed(x, y, 4), ==, 25);
  g_assert_cmpfloat(tg_l2_difference(x, y, 4), ==, 5);
  const float bad[] = {3, NAN};
  g_assert_true(isnan(tg_l2_difference(bad, x, 2)));
  g_assert_true(isnan(tg_l2_difference_printed(bad, x, 2)));
}

static void test_pages(void) {
  TgHostPages pages;
  TgError error;
  g_assert_true(tg_host_pages_open(&pages, 3 * TG_HUGE_PAGE_BYTES - 1, false, &error));
  g_assert_cmpint(pages.bytes, ==, 3 * TG_HUGE_PAGE_BYTES);
  g_assert_cmpint((gint64)((guintptr)pages.memory % TG_HUGE_PAGE_BYTES), ==, 0);
  const gint64 before = tg_host_faults();
  memset(pages.memory, 1, (gsize)pages.bytes);
  g_assert_cmpint(tg_host_faults() - before, <, pages.bytes / 4096 / 8); /* it is all there already */
  tg_host_pages_close(&pages);
  g_assert_null(pages.memory);
  tg_host_pages_close(&pages);
  if (tg_host_pages_open(&pages, 1, true, &error)) {
    g_assert_cmpint(pages.bytes, ==, TG_HUGE_PAGE_BYTES);
    tg_host_pages_close(&pages);
  } else {
    g_assert_true(g_str_has_prefix(error.message, "the system provides no huge pages"));
  }
}

static void test_pin(void) {
  TgError error;
  cpu_set_t before, during, after;
  g_assert_cmpint(sched_getaffinity(0, sizeof before, &before), ==, 0);
  int number;
  TgHostPin *pin = tg_host_pin(&number, &error);
  g_assert_nonnull(pin);
  sched_getaffinity(0, sizeof during, &during);
  g_assert_cmpint(CPU_COUNT(&during), ==, 1);
  g_assert_true(CPU_ISSET(number, &during));
  for (int processor = number + 1; processor < CPU_SETSIZE; processor++) g_assert_false(CPU_ISSET(processor, &before));
  tg_host_unpin(pin);
  sched_getaffinity(0, sizeof after, &after);
  g_assert_true(CPU_EQUAL(&before, &after));
  tg_host_unpin(NULL);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/host-programs/sizes", test_sizes);
  g_test_add_func("/host-programs/double-sum", test_double_sum);
  g_test_add_func("/host-programs/printed-matrix", test_printed_matrix);
  g_test_add_func("/host-programs/differences", test_differences);
  g_test_add_func("/host-programs/pages", test_pages);
  g_test_add_func("/host-programs/pin", test_pin);
  return g_test_run();
}
