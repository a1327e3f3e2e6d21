/* Numbers from made-up samples: found again, none of them negative, large and small samples alike. */
#include "least-squares.h"

#include <glib.h>
#include <math.h>

static void a_line_is_found_again(void) {
  const double bytes[] = {1e3, 1e4, 1e5, 1e6, 1e7};
  double term[10], y[5], weight[5], value[2];
  for (int r = 0; r < 5; r++) {
    term[2 * r] = 1;
    term[2 * r + 1] = bytes[r];
    y[r] = 2e-6 + bytes[r] * 1e-10;
    weight[r] = 1 / y[r];
  }
  g_assert_cmpfloat(tg_least_squares(term, y, weight, 5, 2, value), <, 1e-9);
  g_assert_cmpfloat_with_epsilon(value[0], 2e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon(value[1], 1e-10, 1e-16);
  /* A large sample that is 1% off must not cost the latency its meaning. */
  y[4] *= 1.01;
  g_assert_cmpfloat(tg_least_squares(term, y, weight, 5, 2, value), <, 0.01);
  g_assert_cmpfloat_with_epsilon(value[0], 2e-6, 0.02e-6);
}

/* By hand: of x = 1, 2 and y = 1, 3 the mean of y/x with weights x^2 is 7/5; the squares are 0.16 and 0.04. */
static void what_cannot_be_met_is_met_best(void) {
  double value[1];
  const double residual = tg_least_squares((const double[]){1, 2}, (const double[]){1, 3}, NULL, 2, 1, value);
  g_assert_cmpfloat_with_epsilon(value[0], 1.4, 1e-12);
  g_assert_cmpfloat_with_epsilon(residual, sqrt((0.16 + 0.04) / 2), 1e-12);
}

/* The best line has y = -1 at 0; the best one without negative numbers goes through 0. */
static void nothing_is_negative(void) {
  double value[2];
  tg_least_squares((const double[]){1, 1, 1, 2, 1, 3}, (const double[]){1, 3, 5}, NULL, 3, 2, value);
  g_assert_true(value[0] == 0);
  g_assert_cmpfloat_with_epsilon(value[1], (1 + 6 + 15) / 14.0, 1e-12);
  tg_least_squares((const double[]){1, 1}, (const double[]){-1, -2}, NULL, 2, 1, value);
  g_assert_true(value[0] == 0);
}

/* One run of everything: rounds and passes are 1, and cannot be told from the launch. */
static void the_first_of_equals_takes_all(void) {
  double value[3];
  const double ones[] = {1, 1, 1, 1, 1, 1};
  tg_least_squares(ones, (const double[]){4, 6}, NULL, 2, 3, value);
  g_assert_cmpfloat_with_epsilon(value[0], 5, 1e-12);
  g_assert_true(value[1] == 0 && value[2] == 0);
}

static void three_unknowns_are_found(void) {
  double term[18], y[6], value[3];
  for (int r = 0; r < 6; r++) {
    const double rounds = 1 + r / 3, passes = rounds * (10 << 2 * (r % 3));
    const double terms[] = {1, rounds, passes};
    y[r] = 5e-6 + 3e-6 * rounds + 0.2e-6 * passes;
    for (int t = 0; t < 3; t++) term[3 * r + t] = terms[t];
  }
  tg_least_squares(term, y, NULL, 6, 3, value);
  g_assert_cmpfloat_with_epsilon(value[0], 5e-6, 1e-10);
  g_assert_cmpfloat_with_epsilon(value[1], 3e-6, 1e-10);
  g_assert_cmpfloat_with_epsilon(value[2], 0.2e-6, 1e-12);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/least-squares/line", a_line_is_found_again);
  g_test_add_func("/least-squares/best", what_cannot_be_met_is_met_best);
  g_test_add_func("/least-squares/not-negative", nothing_is_negative);
  g_test_add_func("/least-squares/equals", the_first_of_equals_takes_all);
  g_test_add_func("/least-squares/three", three_unknowns_are_found);
  return g_test_run();
}
