/** @file double-sum.h
 * The product of the papers on the processor itself. */
#ifndef TG_DOUBLE_SUM_H
#define TG_DOUBLE_SUM_H

#include "base.h"

TG_BEGIN_DECLS

/** C (m x n) = A (m x k) · B (k x n), f32, row-major; rows begin `row` elements apart in all three. An element of C is
 * summed in double precision, its products in order, and rounded once: matrixMulH of T. Dobravec, P. Bulić, 2017,
 * listing 1, whose matrices have no gaps. B is walked down its columns. */
void tg_double_sum_product(float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k, int64_t row);

TG_END_DECLS

#endif
