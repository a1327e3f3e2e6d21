/** @file shape.h
 * The extents of A, B and C. C is always m x n. With a product, op(left) is m x k and op(right) is k x n, where op
 * transposes as in the schedule's `computes`; a matrix on both sides must fit both. Where C is a matrix
 * alone (`computes C = A'`), op(left) is m x n, and k plays no part. */
#ifndef TG_SHAPE_H
#define TG_SHAPE_H

#include "schedule.h"
#include "sim-error.h"

TG_BEGIN_DECLS

typedef struct TgShape {
  int64_t m, n, k;                                 /**< k is n where there is no product */
  int64_t rows[TG_MATRICES], columns[TG_MATRICES]; /**< by TgMatrixName; 0 where the schedule does not use it */
} TgShape;

/** A block of a matrix, a view of elements that someone else owns: rows x columns, element (i, j) is number i *
 * row_stride + j * column_stride of `data`. At least one stride is 1. A block that `zero X` left has no data and no
 * extents: it represents zeros of whatever extents are needed. */
typedef struct TgBlock {
  const void *data;
  int64_t rows, columns;
  int64_t row_stride, column_stride; /**< in elements */
} TgBlock;

/** "C = A * B", "C = A * A'", "C = A'". */
TgText tg_computes_text(const TgComputes *computes);

/** Extents for m, n, k, each from 1 to 2^31-1.
 * Errors: BAD_INPUT where they do not fit `computes`; TOO_LARGE where a matrix has more than 2^59 elements. */
bool tg_shape_init(TgShape *shape, const TgComputes *computes, int64_t m, int64_t n, int64_t k, GError **error);

/** The same from the extents of the matrices at hand; those of B are 0 where B is not used.
 * Errors: as tg_shape_init(), and BAD_INPUT where inner dimensions differ. */
bool tg_shape_from_matrices(TgShape *shape, const TgComputes *computes, int64_t a_rows, int64_t a_columns,
                            int64_t b_rows, int64_t b_columns, GError **error);

/** True where the schedule reads this matrix. */
bool tg_computes_uses(const TgComputes *computes, TgMatrixName matrix);

TG_END_DECLS

#endif
