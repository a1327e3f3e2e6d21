/** @file result-check.h
 * Whether what an executor left in C is what the schedule computes. */
#ifndef TG_RESULT_CHECK_H
#define TG_RESULT_CHECK_H

#include "check.h"

TG_BEGIN_DECLS

typedef struct TgResultCheck {
  bool ok;               /**< relative_error is at most the tolerance */
  bool estimated;        /**< from the action on random vectors; otherwise every element was compared */
  double relative_error; /**< norm(C - reference) / norm(reference), Frobenius; NaN where C, A or B has NaN or Inf */
  double tolerance;
  char text[TG_CHECK_TEXT_BYTES]; /**< the outcome in one sentence */
} TgResultCheck;

/** The most a correct product of random matrices differs: 5e-7 · sqrt(k) for f32 and 1e-15 · sqrt(k) for f64, since
 * rounding errors of k sums add up like a random walk. 0 where C is a matrix alone: its elements are only moved. */
double tg_result_tolerance(const TgComputes *computes, TgElement element, int64_t k);

/** Fills `check`. Products of up to `most_products` multiply-adds are computed again (check.h), larger ones estimated
 * (product-error.h); 0 stands for about a second's worth. A, B and C as in tg_check_product().
 * Returns false only where the check cannot be done: TOO_LARGE, MISSING. */
bool tg_result_check(TgResultCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                     const void *a, const void *b, const void *c, double most_products, GError **error);

TG_END_DECLS

#endif
