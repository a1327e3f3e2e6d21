/* How well predictions tell runs apart: rank correlation, regret, ties. */
#include "compare.h"

#include <math.h>

static TgRanking rank(const double *predicted_s, const double *median_s, double stddev_s, int count) {
  TgMeasurement measured[8] = {0};
  for (int r = 0; r < count; r++) {
    measured[r].median_s = median_s[r];
    measured[r].stddev_s = stddev_s;
  }
  return tg_ranking(predicted_s, measured, count);
}

/* One of six pairs is the other way round: (5 - 1) / 6. */
static void test_one_pair(void) {
  const TgRanking ranking = rank((double[]){1, 2, 3, 4}, (double[]){1, 3, 2, 4}, 0, 4);
  g_assert_cmpint(ranking.pairs, ==, 6);
  g_assert_cmpint(ranking.agree, ==, 5);
  g_assert_cmpint(ranking.disagree, ==, 1);
  g_assert_cmpint(ranking.predicted_ties + ranking.measured_ties, ==, 0);
  g_assert_cmpfloat_with_epsilon(ranking.tau, 4.0 / 6, 1e-15);
  g_assert_cmpfloat(ranking.regret, ==, 0);
  g_assert_cmpfloat_with_epsilon(ranking.median_abs_error, (0 + 1.0 / 3) / 2, 1e-15);
}

/* The order reversed: the predicted winner is the slowest. */
static void test_reversed(void) {
  const TgRanking ranking = rank((double[]){3, 2, 1}, (double[]){10, 20, 40}, 0, 3);
  g_assert_cmpfloat(ranking.tau, ==, -1);
  g_assert_cmpfloat(ranking.regret, ==, 3);
}

/* One prediction for all: no correlation, and whoever takes any of them may take the slowest. Two of three with one
 * prediction: the third is a winner that is right, of the pairs that are told apart two of two agree. */
static void test_ties(void) {
  TgRanking ranking = rank((double[]){3.3206, 3.3206, 3.3206}, (double[]){3.36, 3.65, 3.50}, 0, 3);
  g_assert_true(isnan(ranking.tau));
  g_assert_cmpint(ranking.predicted_ties, ==, 3);
  g_assert_cmpfloat_with_epsilon(ranking.regret, 3.65 / 3.36 - 1, 1e-12);
  ranking = rank((double[]){1, 2, 2.001}, (double[]){5, 6, 8}, 0, 3);
  g_assert_cmpint(ranking.predicted_ties, ==, 1);
  g_assert_cmpfloat_with_epsilon(ranking.tau, 2 / sqrt(2 * 3), 1e-12);
  g_assert_cmpfloat(ranking.regret, ==, 0);
}

/* Medians that differ by less than their standard deviations. */
static void test_noisy(void) {
  const TgRanking ranking = rank((double[]){1, 2}, (double[]){11, 10}, 0.6, 2);
  g_assert_cmpint(ranking.measured_ties, ==, 1);
  g_assert_cmpint(ranking.disagree, ==, 0);
  g_assert_true(isnan(ranking.tau));
  g_assert_cmpfloat_with_epsilon(ranking.regret, 0.1, 1e-12);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ranking/one-pair", test_one_pair);
  g_test_add_func("/ranking/reversed", test_reversed);
  g_test_add_func("/ranking/ties", test_ties);
  g_test_add_func("/ranking/noisy", test_noisy);
  return g_test_run();
}
