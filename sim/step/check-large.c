/* Products that are too large to compute again: their error is estimated. */
#include "check.h"

#include "product-error.h"

#include <stdio.h>

enum { VECTORS = 8 };

static const double usual_products = (double)(INT64_C(1) << 33); /* n = 2048: about a second on two cores */
static const uint64_t vectors_seed = 20;                         /* not that of the matrices */

static TgProductFactor factor(int matrix, bool transposed, const TgShape *shape, const void *const *data) {
  return (TgProductFactor){data[matrix], shape->rows[matrix], shape->columns[matrix], transposed};
}

static double estimate(const TgComputes *computes, const TgShape *shape, TgElement element, const void *const *data) {
  const TgProductFactor left = factor(computes->left, computes->left_transposed, shape, data);
  const TgProductFactor right = factor(computes->right, computes->right_transposed, shape, data);
  return tg_product_error_of(element, &left, &right, data[TG_MATRIX_C], VECTORS, vectors_seed);
}

bool tg_check_large_product(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                            const void *a, const void *b, const void *c, double most_products, GError **error) {
  const void *const data[TG_MATRICES] = {a, b, c};
  const double products = (double)shape->m * (double)shape->n * (double)shape->k;
  if (computes->right == TG_MATRICES || products <= (most_products > 0 ? most_products : usual_products))
    return tg_check_product(check, computes, shape, element, a, b, c, 0, error);
  *check = (TgCheck){.estimated = true,
                     .finite = true,
                     .relative_error = estimate(computes, shape, element, data),
                     .tolerance = tg_check_tolerance(computes, element, shape->k)};
  check->ok = check->relative_error <= check->tolerance;
  snprintf(check->text, sizeof check->text, "C has an estimated relative error %.3g, %s the tolerance %.2g",
           check->relative_error, check->ok ? "within" : "beyond", check->tolerance);
  return true;
}
