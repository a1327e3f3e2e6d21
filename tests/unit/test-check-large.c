/* The check of results: what is right passes and what is wrong in one element does not, in full and estimated, with
 * transposed factors and without. */
#include "check.h"

#include "product-error.h"

#include "../step-case.h"

static const char *const formulas[] = {"A * B", "A' * B", "A * B'", "A' * B'", "A * A'", "A' * A"};

typedef struct Product {
  TgComputes computes;
  TgShape shape;
  TgElement element;
  void *data[TG_MATRICES];
} Product;

static double get(const Product *of, int matrix, int64_t i) {
  return of->element == TG_F64 ? ((double *)of->data[matrix])[i] : (double)((float *)of->data[matrix])[i];
}

static double factor_at(const Product *of, int matrix, bool transposed, int64_t i, int64_t j) {
  return get(of, matrix, transposed ? j * of->shape.columns[matrix] + i : i * of->shape.columns[matrix] + j);
}

static void multiply(Product *of) {
  for (int64_t i = 0; i < of->shape.m; i++) {
    for (int64_t j = 0; j < of->shape.n; j++) {
      long double sum = 0;
      for (int64_t x = 0; x < of->shape.k; x++)
        sum += (long double)factor_at(of, of->computes.left, of->computes.left_transposed, i, x) *
               factor_at(of, of->computes.right, of->computes.right_transposed, x, j);
      step_case_set(of->data[TG_MATRIX_C], of->element, i * of->shape.n + j, (double)sum);
    }
  }
}

static Product product_new(const char *formula, TgElement element) {
  Product made = {.element = element};
  const char *star = strchr(formula, '*'), *right = star + 2;
  GError *error = NULL;
  made.computes = (TgComputes){.left = (uint8_t)(*formula - 'A'),
                               .left_transposed = formula[1] == '\'',
                               .right = (uint8_t)(*right - 'A'),
                               .right_transposed = right[1] == '\''};
  const bool same = made.computes.left == made.computes.right;
  g_assert_true(tg_shape_init(&made.shape, &made.computes, 40, same ? 40 : 30, 50, &error));
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    const int64_t elements = made.shape.rows[matrix] * made.shape.columns[matrix];
    if (elements) made.data[matrix] = g_malloc((gsize)(elements * tg_element_bytes(element)));
    for (int64_t i = 0; i < elements; i++)
      step_case_set(made.data[matrix], element, i, g_rand_double_range(random, -1, 1));
  }
  multiply(&made);
  return made;
}

static void product_clear(Product *of) {
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) g_free(of->data[matrix]);
}

static TgCheck check(const Product *of, double most_products) {
  TgCheck outcome;
  GError *error = NULL;
  g_assert_true(tg_check_large_product(&outcome, &of->computes, &of->shape, of->element, of->data[0], of->data[1], of->data[2],
                                most_products, &error));
  g_assert_cmpint(outcome.estimated, ==, most_products > 0);
  g_assert_cmpint(outcome.ok, ==, outcome.relative_error <= outcome.tolerance);
  return outcome;
}

static void test_products(void) {
  for (size_t f = 0; f < 2 * G_N_ELEMENTS(formulas); f++) {
    const TgElement element = f % 2 ? TG_F64 : TG_F32;
    Product of = product_new(formulas[f / 2], element);
    const int64_t at = of.shape.m * of.shape.n / 2 + 3;
    const double kept = get(&of, TG_MATRIX_C, at);
    for (int estimated = 0; estimated < 2; estimated++) {
      const double most = estimated ? 1 : 0;
      TgCheck outcome = check(&of, most);
      g_assert_true(outcome.ok);
      g_assert_nonnull(strstr(outcome.text, estimated ? "an estimated relative error" : "C has relative error"));
      step_case_set(of.data[TG_MATRIX_C], element, at, kept + 1);
      outcome = check(&of, most);
      g_assert_false(outcome.ok);
      g_assert_cmpfloat(outcome.relative_error, >, 1e-3);
      g_assert_cmpfloat(outcome.relative_error, <, 0.1);
      g_assert_nonnull(strstr(outcome.text, "beyond the tolerance"));
      step_case_set(of.data[TG_MATRIX_C], element, at, NAN);
      outcome = check(&of, most);
      g_assert_true(!outcome.ok && isnan(outcome.relative_error));
      step_case_set(of.data[TG_MATRIX_C], element, at, kept);
    }
    product_clear(&of);
  }
}

static void sum_of_one(const void *data, double *values, int64_t count) {
  g_assert_true(data && values && count > 0);
}

/* Four parts of each matrix, and the first once more, which does not count. */
static TgCheck check_parts(const Product *of, int64_t missing) {
  enum { PARTS = 5 };
  TgMatrixPart part[TG_MATRICES][PARTS];
  TgCheckParts parts = {.job = {sum_of_one, of}};
  const void *const data[] = {of->data[0], of->data[1], of->data[2]};
  TgCheck outcome;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    const int64_t rows = of->shape.rows[matrix], columns = of->shape.columns[matrix], r = rows / 3, c = columns / 3;
    for (int p = 0; p < PARTS; p++) {
      const bool low = p / 2 % 2, right = p % 2;
      part[matrix][p] = (TgMatrixPart){.row = low ? r : 0,
                                       .column = right ? c : 0,
                                       .rows = low ? rows - r : r,
                                       .columns = right ? columns - c : c,
                                       .counts = p < 4};
    }
    parts.part[matrix] = part[matrix];
    parts.parts[matrix] = PARTS;
  }
  parts.part[TG_MATRIX_C] += missing;
  parts.parts[TG_MATRIX_C] -= missing;
  tg_check_estimate(&outcome, &of->computes, &of->shape, of->element, data, &parts);
  return outcome;
}

/* An estimate from parts is that from the whole; what no program has is not taken for right. */
static void test_parts(void) {
  for (size_t f = 0; f < G_N_ELEMENTS(formulas); f++) {
    Product of = product_new(formulas[f], f % 2 ? TG_F64 : TG_F32);
    const int64_t at = of.shape.m * of.shape.n / 2 + 3;
    g_assert_true(check_parts(&of, 0).ok);
    g_assert_true(isnan(check_parts(&of, 1).relative_error));
    g_assert_false(check_parts(&of, 1).ok);
    step_case_set(of.data[TG_MATRIX_C], of.element, at, get(&of, TG_MATRIX_C, at) + 1);
    const double whole = check(&of, 1).relative_error, parts = check_parts(&of, 0).relative_error;
    g_assert_cmpfloat(fabs(parts - whole), <, 1e-12 * whole);
    product_clear(&of);
  }
}

/* An error of a known size in every element: the estimate is near it. */
static void test_estimate(void) {
  Product of = product_new("A' * B'", TG_F64);
  double squares = 0;
  for (int64_t i = 0; i < of.shape.m * of.shape.n; i++) squares += get(&of, TG_MATRIX_C, i) * get(&of, TG_MATRIX_C, i);
  g_autoptr(GRand) random = g_rand_new_with_seed(8);
  double errors = 0;
  for (int64_t i = 0; i < of.shape.m * of.shape.n; i++) {
    const double error = g_rand_double_range(random, -1e-6, 1e-6);
    errors += error * error;
    ((double *)of.data[TG_MATRIX_C])[i] += error;
  }
  const double estimate = check(&of, 1).relative_error, whole = check(&of, 0).relative_error;
  g_assert_cmpfloat(fabs(whole - sqrt(errors / squares)), <, 1e-3 * whole);
  g_assert_cmpfloat(estimate, >, 0.7 * whole);
  g_assert_cmpfloat(estimate, <, 1.4 * whole);
  product_clear(&of);
}

/* Moved elements are the very same: an error that a product would be forgiven is none here. */
static void test_transpose(void) {
  const TgComputes computes = {.left = TG_MATRIX_A, .left_transposed = 1, .right = TG_MATRICES};
  float a[6] = {1, 2, 3, 4, 5, 6}, c[6] = {1, 4, 2, 5, 3, 6};
  TgShape shape;
  TgCheck outcome;
  GError *error = NULL;
  g_assert_true(tg_shape_init(&shape, &computes, 3, 2, 1, &error));
  g_assert_true(tg_check_large_product(&outcome, &computes, &shape, TG_F32, a, NULL, c, 1, &error));
  g_assert_true(outcome.ok && !outcome.estimated && outcome.relative_error == 0 && outcome.tolerance == 0);
  c[2] = nextafterf(c[2], 3);
  g_assert_true(tg_check_large_product(&outcome, &computes, &shape, TG_F32, a, NULL, c, 1, &error));
  g_assert_false(outcome.ok);
}

static void test_tolerance(void) {
  const TgComputes computes = {.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  g_assert_cmpfloat(tg_check_tolerance(&computes, TG_F32, 400), ==, 5e-7 * 20);
  g_assert_cmpfloat(tg_check_tolerance(&computes, TG_F64, 400), ==, 1e-15 * 20);
  g_assert_cmpfloat(tg_check_tolerance(&computes, TG_F32, 1), ==, 1e-6);
  g_assert_cmpfloat(tg_check_tolerance(&computes, TG_F64, 1), ==, 1e-14);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/check-large/products", test_products);
  g_test_add_func("/check-large/estimate", test_estimate);
  g_test_add_func("/check-large/parts", test_parts);
  g_test_add_func("/check-large/transpose", test_transpose);
  g_test_add_func("/check-large/tolerance", test_tolerance);
  return g_test_run();
}
