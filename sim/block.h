/** @file block.h
 * A block of a matrix: a view of elements that someone else owns, and what the stepper computes on views. */
#ifndef TG_BLOCK_H
#define TG_BLOCK_H

#include "element.h"
#include "shape.h"

TG_BEGIN_DECLS

/** The view of a contiguous row-major matrix. */
static inline TgBlock tg_block_of(const void *data, int64_t rows, int64_t columns) {
  const TgBlock block = {data, rows, columns, columns, 1};
  return block;
}

/** The same elements with rows and columns exchanged. */
static inline TgBlock tg_block_transposed(TgBlock block) {
  const TgBlock result = {block.data, block.columns, block.rows, block.column_stride, block.row_stride};
  return result;
}

/** Rows [row, row + rows) and columns [column, column + columns) of a block. */
TgBlock tg_block_part(TgElement element, const TgBlock *block, int64_t row, int64_t column, int64_t rows,
                      int64_t columns);

/** Element (row, column) as a double. */
double tg_block_at(TgElement element, const TgBlock *block, int64_t row, int64_t column);

/** A product of at most so many elements may cancel as a whole, and then plain sums have no bounded error relative to
 * it. Its sums carry what rounding took from them along, in a second array of the same extents (`low`). */
enum { TG_FEW_ELEMENTS = 64 };

/** c += left * right, for a contiguous row-major c of left->rows x right->columns, and `low` likewise or NULL. NaN and
 * Inf spread as they should: nothing is skipped where a factor is zero. Larger products are OpenBLAS's; where
 * tg_blas_load() fails they are slow loops. */
void tg_block_multiply_add(TgElement element, void *c, void *low, const TgBlock *left, const TgBlock *right);

/** Elements [begin, end), counted row by row, of contiguous `c` += those of contiguous `b`; with `low` and `b_low`, or
 * NULL for both. */
void tg_block_add(TgElement element, void *c, void *low, const void *b, const void *b_low, int64_t begin, int64_t end);

/** Copies a block's elements to `to`, whose rows lie `to_stride` elements apart. */
void tg_block_copy(TgElement element, void *to, int64_t to_stride, const TgBlock *from);

TG_END_DECLS

#endif
