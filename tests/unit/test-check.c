/* The check of a product, and the extents it checks. */
#include "check.h"

#include <glib.h>
#include <math.h>

static const TgComputes product = {TG_MATRIX_A, 0, TG_MATRIX_B, 0};
static const TgComputes square = {TG_MATRIX_A, 0, TG_MATRIX_A, 1};
static const TgComputes both_turned = {TG_MATRIX_A, 1, TG_MATRIX_B, 1};
static const TgComputes turned = {TG_MATRIX_A, 1, TG_MATRICES, 0};

static TgShape shape_of(const TgComputes *computes, int64_t m, int64_t n, int64_t k) {
  TgShape shape;
  GError *error = NULL;
  g_assert_true(tg_shape_init(&shape, computes, m, n, k, &error));
  g_assert_no_error(error);
  return shape;
}

static TgCheck check_f64(const TgComputes *computes, int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                         const double *c) {
  const TgShape shape = shape_of(computes, m, n, k);
  TgCheck check;
  g_assert_true(tg_check_product(&check, computes, &shape, TG_F64, a, b, c, 0, NULL, NULL));
  return check;
}

static void test_by_hand(void) {
  const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
  double c[4] = {4, 5, 10, 11};
  TgCheck check = check_f64(&product, 2, 2, 3, a, b, c);
  g_assert_true(check.ok && check.finite);
  g_assert_cmpfloat(check.relative_error, ==, 0);
  c[3] += 3; /* norm of C: sqrt(16 + 25 + 100 + 121) */
  check = check_f64(&product, 2, 2, 3, a, b, c);
  g_assert_false(check.ok);
  g_assert_cmpfloat_with_epsilon(check.relative_error, 3 / sqrt(262), 1e-15);
  g_assert_nonnull(strstr(check.text, "beyond the tolerance 1e-14"));
}

static void test_formulas(void) {
  const double a[2] = {1, 2}, b[2] = {3, 4};
  const double outer[4] = {1, 2, 2, 4}, turned_product[4] = {3, 4, 6, 8}, row[2] = {1, 2};
  g_assert_true(check_f64(&square, 2, 2, 1, a, NULL, outer).ok);
  g_assert_true(check_f64(&both_turned, 2, 2, 1, a, b, turned_product).ok);
  g_assert_true(check_f64(&turned, 1, 2, 2, a, NULL, row).ok); /* A is a column */
  const double wrong[2] = {1, 2 + 1e-13};
  g_assert_false(check_f64(&turned, 1, 2, 2, a, NULL, wrong).ok);
}

/** Where the norm of the product is 0 the error is absolute. */
static void test_zero_product(void) {
  const double a[1] = {0}, b[1] = {5}, good[1] = {0}, bad[1] = {2};
  g_assert_cmpfloat(check_f64(&product, 1, 1, 1, a, b, good).relative_error, ==, 0);
  g_assert_cmpfloat(check_f64(&product, 1, 1, 1, a, b, bad).relative_error, ==, 2);
}

static void test_not_finite(void) {
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    double data[3][6] = {{0}};
    data[matrix][3] = matrix == 1 ? -INFINITY : NAN;
    const TgCheck check = check_f64(&product, 2, 2, 3, data[0], data[1], data[2]);
    g_assert_false(check.ok);
    g_assert_false(check.finite);
    g_assert_true(isnan(check.relative_error));
    g_assert_cmpint(check.matrix, ==, matrix);
    g_assert_cmpint(check.row, ==, 1);
    g_assert_cmpint(check.column, ==, matrix == 0 ? 0 : 1);
    g_assert_nonnull(strstr(check.text, matrix == 1 ? "B has -Inf at row 1, column 1" : " has NaN at row 1, column"));
  }
}

/** Squares of these entries overflow or vanish; the error must not. */
static void test_extremes(void) {
  static const double scales[] = {1e-250, 1, 1e250};
  for (gsize s = 0; s < G_N_ELEMENTS(scales); s++) {
    const double a[2] = {scales[s], scales[s]}, b[2] = {1, 1}, good[1] = {2 * scales[s]}, bad[1] = {3 * scales[s]};
    g_assert_cmpfloat(check_f64(&product, 1, 1, 2, a, b, good).relative_error, <=, 1e-15);
    g_assert_cmpfloat_with_epsilon(check_f64(&product, 1, 1, 2, a, b, bad).relative_error, 0.5, 1e-12);
  }
  const double a[1] = {1e200}, c[1] = {1}; /* the reference overflows, C does not: no number to report, and no pass */
  g_assert_false(check_f64(&product, 1, 1, 1, a, a, c).ok);
}

/** Notes how far the check is, and stops it at the second panel. */
static bool stop_later(void *user, int64_t rows) {
  *(int64_t *)user = rows;
  return rows == 0;
}

/** Above the size where the reference is summed in long double it comes from dgemm, in panels. */
static void test_large(void) {
  const int64_t m = 2500, n = 40, k = 700;
  const TgShape shape = shape_of(&product, m, n, k);
  g_autofree float *a = g_new(float, (gsize)(m * k)), *b = g_new(float, (gsize)(k * n)),
                   *c = g_new0(float, (gsize)(m * n));
  for (int64_t i = 0; i < m * k; i++) a[i] = (float)(i / k % 5 + i % 7 - 5); /* no two panels alike */
  for (int64_t i = 0; i < k * n; i++) b[i] = (float)(i % 11 - 5);
  for (int64_t i = 0; i < m; i++) {
    for (int64_t x = 0; x < k; x++) {
      for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * k + x] * b[x * n + j];
    }
  }
  TgCheck check;
  GError *error = NULL;
  g_assert_true(tg_check_product(&check, &product, &shape, TG_F32, a, b, c, 0, NULL, NULL));
  g_assert_cmpfloat(check.relative_error, ==, 0);
  c[m * n - 1] += 1000;
  g_assert_true(tg_check_product(&check, &product, &shape, TG_F32, a, b, c, 0, NULL, NULL));
  g_assert_false(check.ok);
  g_assert_false(tg_check_product(&check, &product, &shape, TG_F32, a, b, c, 1000, NULL, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE);
  g_assert_nonnull(strstr(error->message, "the limit is 1000 bytes"));
  g_clear_error(&error);
  int64_t rows = -1;
  const TgWatch watch = {stop_later, &rows};
  g_assert_false(tg_check_product(&check, &product, &shape, TG_F32, a, b, c, 0, &watch, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_STOPPED);
  g_assert_cmpint(rows, >, 0);
  g_assert_cmpint(rows, <, m);
  g_clear_error(&error);
}

/** A reference that dgemm cannot hold is Inf, or NaN where Inf meets -Inf; no C passes against it. */
static void test_reference_overflows(void) {
  const int64_t n = 50, k = 2000;
  g_autofree double *a = g_new(double, n *k), *b = g_new(double, k *n), *c = g_new0(double, n *n);
  for (int64_t i = 0; i < n * k; i++) {
    a[i] = 1e200;
    b[i] = i / n < k / 2 ? 1e200 : -1e200;
  }
  const TgCheck check = check_f64(&product, n, n, k, a, b, c);
  g_assert_false(check.ok);
  g_assert_true(check.finite);
  g_assert_true(isnan(check.relative_error));
}

static void test_tolerance(void) {
  const float a[1] = {1}, b[1] = {1}, near[1] = {1.0000009f}, far[1] = {1.000002f};
  const TgShape shape = shape_of(&product, 1, 1, 1);
  TgCheck check;
  g_assert_true(tg_check_product(&check, &product, &shape, TG_F32, a, b, near, 0, NULL, NULL));
  g_assert_true(check.ok);
  g_assert_true(tg_check_product(&check, &product, &shape, TG_F32, a, b, far, 0, NULL, NULL));
  g_assert_false(check.ok);
}

static void test_shapes(void) {
  TgShape shape;
  GError *error = NULL;
  shape = shape_of(&both_turned, 2, 3, 4);
  g_assert_cmpint(shape.rows[TG_MATRIX_A], ==, 4);
  g_assert_cmpint(shape.columns[TG_MATRIX_A], ==, 2);
  g_assert_cmpint(shape.rows[TG_MATRIX_B], ==, 3);
  g_assert_cmpint(shape.columns[TG_MATRIX_B], ==, 4);
  shape = shape_of(&turned, 2, 3, 99);
  g_assert_cmpint(shape.rows[TG_MATRIX_A], ==, 3);
  g_assert_cmpint(shape.columns[TG_MATRIX_A], ==, 2);
  g_assert_cmpint(shape.k, ==, 3);
  g_assert_cmpint(shape.rows[TG_MATRIX_B], ==, 0);
  g_assert_cmpstr(tg_computes_text(&both_turned).s, ==, "C = A' * B'");
  g_assert_cmpstr(tg_computes_text(&turned).s, ==, "C = A'");
  g_assert_true(tg_shape_from_matrices(&shape, &both_turned, 4, 2, 3, 4, &error));
  g_assert_cmpint(shape.m * 100 + shape.n * 10 + shape.k, ==, 234);
  g_assert_true(tg_shape_from_matrices(&shape, &turned, 3, 2, 0, 0, &error));
  g_assert_cmpint(shape.m * 10 + shape.n, ==, 23);
  g_assert_true(tg_shape_from_matrices(&shape, &square, 3, 2, 0, 0, &error));
  g_assert_cmpint(shape.m * 100 + shape.n * 10 + shape.k, ==, 332);
  g_assert_false(tg_shape_from_matrices(&shape, &product, 3, 5, 4, 6, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT);
  g_assert_nonnull(strstr(error->message, "A is 3x5, B is 4x6, so 5 meets 4"));
  g_clear_error(&error);
}

static void test_elements(void) {
  TgElement element = TG_F32;
  g_assert_true(tg_element_parse("f64", &element));
  g_assert_cmpint(element, ==, TG_F64);
  g_assert_cmpint(tg_element_bytes(element), ==, 8);
  g_assert_cmpstr(tg_element_name(element), ==, "f64");
  g_assert_false(tg_element_parse("f641", &element));
  g_assert_false(tg_element_parse("", &element));
  g_assert_true(tg_element_parse("f32", &element));
  g_assert_cmpint(tg_element_bytes(element), ==, 4);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/check/by-hand", test_by_hand);
  g_test_add_func("/check/formulas", test_formulas);
  g_test_add_func("/check/zero-product", test_zero_product);
  g_test_add_func("/check/not-finite", test_not_finite);
  g_test_add_func("/check/extremes", test_extremes);
  g_test_add_func("/check/large", test_large);
  g_test_add_func("/check/reference-overflows", test_reference_overflows);
  g_test_add_func("/check/tolerance", test_tolerance);
  g_test_add_func("/check/shapes", test_shapes);
  g_test_add_func("/check/elements", test_elements);
  return g_test_run();
}
