/** @file host-programs.h
 * The papers' own programs for the processor. */
#ifndef TG_HOST_PROGRAMS_H
#define TG_HOST_PROGRAMS_H

#include "base.h"

TG_BEGIN_DECLS

/** What D. Zhao, COMP 633, 2013, section 4, checks M·M' with. M and R are d x d, row-major, f32: r = m·m', each element
 * summed in f32, its products in order. */
void tg_mmt_sequential(float *r, const float *m, int64_t d);

/** The paper's "L2 difference" as printed: the sum of squares, in f32, without the root. */
float tg_l2_difference_printed(const float *x, const float *y, int64_t count);
/** The Euclidean norm of x - y, in f64. NaN where one of them has one. */
double tg_l2_difference(const float *x, const float *y, int64_t count);

/** Fills m with 0, 1, 2, …, row by row: the matrix of the paper's printed example. */
void tg_mmt_count_up(float *m, int64_t d);

/** C (m x n) = A (m x k) · B (k x n), f32, row-major; rows begin `row` elements apart in all three. An element of C is
 * summed in double precision, its products in order, and rounded once: matrixMulH of T. Dobravec, P. Bulić, 2017,
 * listing 1, whose matrices have no gaps. B is walked down its columns. */
void tg_double_sum_product(float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k, int64_t row);

TG_END_DECLS

#endif
