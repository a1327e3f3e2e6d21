/** @file mmt-sequential.h
 * What D. Zhao, COMP 633, 2013, section 4, checks M·M' with: the same product by one thread of the processor, and the
 * difference of two results. M and R are d x d, row-major, f32. */
#ifndef TG_MMT_SEQUENTIAL_H
#define TG_MMT_SEQUENTIAL_H

#include "base.h"

TG_BEGIN_DECLS

/** r = m·m', each element summed in f32, its products in order. */
void tg_mmt_sequential(float *r, const float *m, int64_t d);

/** The paper's "L2 difference" as printed: the sum of squares, in f32, without the root. */
float tg_l2_difference_printed(const float *x, const float *y, int64_t count);
/** The Euclidean norm of x - y, in f64. NaN where one of them has one. */
double tg_l2_difference(const float *x, const float *y, int64_t count);

/** Fills m with 0, 1, 2, …, row by row: the matrix of the paper's printed example. */
void tg_mmt_count_up(float *m, int64_t d);

TG_END_DECLS

#endif
