/** @file check.h
 * Whether C is what the schedule computes: against a product in double precision, by the Frobenius norm. */
#ifndef TG_CHECK_H
#define TG_CHECK_H

#include "element.h"
#include "matrix-part.h"
#include "shape.h"
#include "watch.h"

TG_BEGIN_DECLS

enum { TG_CHECK_TEXT_BYTES = 200 };

typedef struct TgCheck {
  bool ok;               /**< all finite, and relative_error at most the tolerance */
  bool estimated;        /**< from the action on random vectors; otherwise every element was compared */
  double relative_error; /**< norm(C - reference) / norm(reference), norm(C) where that is 0; NaN unless `finite`, and
                               where the reference overflows */
  double tolerance;      /**< see tg_check_tolerance() */
  bool finite;           /**< no NaN and no Inf in A, B and C; not looked for where the error is estimated */
  TgMatrixName matrix;   /**< where not: the first matrix of A, B, C that has one … */
  int64_t row, column;   /**< … and its first one, row by row */
  char text[TG_CHECK_TEXT_BYTES]; /**< the outcome in one sentence */
} TgCheck;

/** Largest relative error of a correct product: 5e-7 * sqrt(k) for f32 but at least 1e-6, and 1e-15 * sqrt(k) for f64
 * but at least 1e-14, since rounding errors of k sums add up like a random walk. 0 where C is a matrix alone: its
 * elements are only moved. */
double tg_check_tolerance(const TgComputes *computes, TgElement element, int64_t k);

/** Bytes that tg_check_product() takes in addition to A, B and C. */
uint64_t tg_check_need_bytes(const TgComputes *computes, const TgShape *shape, TgElement element);

/** Fills `check`. A, B and C are row-major and contiguous, of the extents in `shape`; B is NULL where it is not used.
 * The reference is summed in long double where the product is small, so that it adds no error of its own to f64;
 * otherwise by dgemm, a panel of rows at a time. `limit_bytes` bounds the memory for that; 0 is no limit. `watch` is
 * told the rows of C that are done; it may be NULL. Returns false only where the check cannot be done: TOO_LARGE with
 * the need and the limit in bytes, MISSING, STOPPED.
 */
bool tg_check_product(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                      const void *a, const void *b, const void *c, uint64_t limit_bytes, const TgWatch *watch,
                      GError **error);

/** The same where the product has at most `most_products` multiply-adds; of a larger one the error is estimated
 * (product-error.h), and NaN or Inf in a matrix makes it NaN. 0 means about a second's worth of multiply-adds.
 * Without a limit of memory. */
bool tg_check_large_product(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                            const void *a, const void *b, const void *c, double most_products, GError **error);
/** Bytes that tg_check_large_product() takes in addition to A, B and C where most_products is 0. */
uint64_t tg_check_large_need_bytes(const TgComputes *computes, const TgShape *shape, TgElement element);

/** What one program of a job has of each matrix, where none has all. */
typedef struct TgCheckParts {
  const TgMatrixPart *part[TG_MATRICES];
  int64_t parts[TG_MATRICES];
  TgMatrixJob job;
} TgCheckParts;

/** Whether tg_check_large_product() estimates the error, where its most_products is 0. */
bool tg_check_is_estimated(const TgComputes *computes, const TgShape *shape);

/** Fills `check` by an estimate. `data` are A, B and C; `parts` says what of them is there, and all programs call this
 * together; NULL: all of them. */
void tg_check_estimate(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                       const void *const *data, const TgCheckParts *parts);

TG_END_DECLS

#endif
