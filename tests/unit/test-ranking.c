/* How well predictions tell runs apart: rank correlation, regret, ties. */
#include "compare.h"

#include <math.h>

static TgRanking rank_on(const TgMachine *machine, const double *predicted_s, const double *median_s, double stddev_s,
                         int count) {
  TgMeasurement measured[8] = {0};
  for (int r = 0; r < count; r++) {
    measured[r].median_s = median_s[r];
    measured[r].stddev_s = stddev_s;
  }
  return tg_ranking(machine, predicted_s, measured, count);
}

static TgRanking rank(const double *predicted_s, const double *median_s, double stddev_s, int count) {
  const TgMachine exact = {0};
  return rank_on(&exact, predicted_s, median_s, stddev_s, count);
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

/* Predictions that may be off by 20 % either way: 100 and 130 differ by 30, the interval of their difference is
 * 0.2 * hypot(100, 130) = 32.8 either way. 100 and 140: 40 and 34.4. */
static void test_separated(void) {
  const TgMachine measured = {.residual = 0.08, .spread = 0.06, .executor.given = 1}, guessed = {.residual = 0.2};
  const TgMachine *const machines[] = {&measured, &guessed};
  for (size_t m = 0; m < G_N_ELEMENTS(machines); m++) {
    g_assert_cmpfloat_with_epsilon(tg_machine_error(machines[m]), 0.2, 1e-15);
    g_assert_true(tg_machine_is_tie(machines[m], 130, 100));
    g_assert_false(tg_machine_is_tie(machines[m], 100, 140));
    const TgRanking ranking = rank_on(machines[m], (double[]){100, 130, 140}, (double[]){110, 100, 105}, 0, 3);
    g_assert_cmpint(ranking.disagree, ==, 2);
    g_assert_cmpint(ranking.separated, ==, 1); /* 100 and 140 … */
    g_assert_cmpint(ranking.separated_wrong, ==, 1);
  }
  const TgRanking exact = rank((double[]){100, 130, 140}, (double[]){110, 100, 105}, 0, 3);
  g_assert_cmpint(exact.separated, ==, 3);
  g_assert_cmpint(exact.separated_wrong, ==, 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ranking/one-pair", test_one_pair);
  g_test_add_func("/ranking/reversed", test_reversed);
  g_test_add_func("/ranking/ties", test_ties);
  g_test_add_func("/ranking/noisy", test_noisy);
  g_test_add_func("/ranking/separated", test_separated);
  return g_test_run();
}
