#include "result-check.h"

#include "product-error.h"

#include <math.h>
#include <stdio.h>

enum { VECTORS = 8 };

static const double usual_products = (double)(INT64_C(1) << 33); /* n = 2048: about a second on two cores */
static const uint64_t vectors_seed = 20;                         /* not that of the matrices */

double tg_result_tolerance(const TgComputes *computes, TgElement element, int64_t k) {
  if (computes->right == TG_MATRICES) return 0;
  return (element == TG_F64 ? 1e-15 : 5e-7) * sqrt((double)k);
}

static TgProductFactor factor(int matrix, bool transposed, const TgShape *shape, const void *const *data) {
  return (TgProductFactor){data[matrix], shape->rows[matrix], shape->columns[matrix], transposed};
}

static double estimate(const TgComputes *computes, const TgShape *shape, TgElement element, const void *const *data) {
  const TgProductFactor left = factor(computes->left, computes->left_transposed, shape, data);
  const TgProductFactor right = factor(computes->right, computes->right_transposed, shape, data);
  return tg_product_error_of(element, &left, &right, data[TG_MATRIX_C], VECTORS, vectors_seed);
}

static bool compare(TgResultCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                    const void *const *data, GError **error) {
  TgCheck whole;
  if (!tg_check_product(&whole, computes, shape, element, data[TG_MATRIX_A], data[TG_MATRIX_B], data[TG_MATRIX_C], 0,
                        error))
    return false;
  check->relative_error = whole.relative_error;
  if (!whole.finite) snprintf(check->text, sizeof check->text, "%s", whole.text);
  return true;
}

bool tg_result_check(TgResultCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                     const void *a, const void *b, const void *c, double most_products, GError **error) {
  const void *const data[TG_MATRICES] = {a, b, c};
  const double products = (double)shape->m * (double)shape->n * (double)shape->k;
  const bool product = computes->right != TG_MATRICES;
  *check = (TgResultCheck){.estimated = product && products > (most_products > 0 ? most_products : usual_products),
                           .tolerance = tg_result_tolerance(computes, element, shape->k)};
  if (check->estimated)
    check->relative_error = estimate(computes, shape, element, data);
  else if (!compare(check, computes, shape, element, data, error))
    return false;
  check->ok = check->relative_error <= check->tolerance;
  if (!*check->text)
    snprintf(check->text, sizeof check->text, "C has %srelative error %.3g, %s the tolerance %.2g",
             check->estimated ? "an estimated " : "", check->relative_error, check->ok ? "within" : "beyond",
             check->tolerance);
  return true;
}
