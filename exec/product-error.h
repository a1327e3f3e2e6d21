/** @file product-error.h
 * How far a result is from the product, where computing the product again would take too long. */
#ifndef TG_PRODUCT_ERROR_H
#define TG_PRODUCT_ERROR_H

#include "base.h"
#include "element.h"
#include "matrix-part.h"

TG_BEGIN_DECLS

enum { TG_PRODUCT_VECTORS = 8 /* at most */ };

/** Estimates the relative error of c = a·b in the Frobenius norm, ||c - ab|| / ||ab||, all in host memory, row-major,
 * without gaps or transposes. Both norms are estimated from their action on `vectors` random vectors of signs, in
 * double precision: the expected value of ||E x||^2 is ||E||^2 (R. Freivalds, Probabilistic machines can use less
 * running time, IFIP 1977, for the idea; M. Hutchinson, Commun. Stat. Simul. Comput. 18, 1989, for the estimate). NaN
 * where c has one, or where memory is short. `vectors` is from 1 to TG_PRODUCT_VECTORS; all of them go along in one
 * pass over each matrix. */
double tg_product_error(TgElement element, const void *a, const void *b, const void *c, int64_t m, int64_t n, int64_t k,
                        int vectors, uint64_t seed);

/** A factor or a result, row-major and without gaps. */
typedef struct TgProductFactor {
  const void *data;
  int64_t rows, columns;    /**< as it is stored */
  bool transposed;          /**< the factor is the transpose of what is stored */
  const TgMatrixPart *part; /**< with a job, the rectangles that are there … */
  int64_t parts;            /**< … and their number */
} TgProductFactor;

/** The same for factors that may be transposed. With a `job`, whose programs all call this together, each may have
 * parts of the matrices alone; all get the same error. */
double tg_product_error_of(TgElement element, const TgProductFactor *left, const TgProductFactor *right,
                           const TgProductFactor *c, int vectors, uint64_t seed, const TgMatrixJob *job);

/** What a product does to the vectors: found once, it serves for any number of results. */
typedef struct TgProductAction TgProductAction;

/** NULL where memory is short. The factors are not needed afterwards. */
TgProductAction *tg_product_action_new(TgElement element, const TgProductFactor *left, const TgProductFactor *right,
                                       int vectors, uint64_t seed);
void tg_product_action_free(TgProductAction *action);
/** Estimates the relative error of c, as above. */
double tg_product_action_error(const TgProductAction *action, const void *c);

TG_END_DECLS

#endif
