/** @file mmt-count.h
 * What the kernels of M·M' do, counted (D. Zhao, 2013, see mmt.c). M is d x d. A tile is `width` columns of M, the last
 * of tg_mmt_tiles() what is left. For CUDA, too, so that a kernel and its count cannot differ. */
#ifndef TG_MMT_COUNT_H
#define TG_MMT_COUNT_H

#include "base.h"

TG_BEGIN_DECLS

enum {
  TG_MMT_MOST = 46340,      /**< rows that an index of the paper's type, int, can count the elements of */
  TG_MMT_STRIPE_ROWS = 1024 /**< that the stripes of v008 and v009 have room for */
};

TG_SHARED static inline int64_t tg_mmt_tiles(int64_t d, int64_t width) {
  return (d + width - 1) / width;
}

/** Columns of the last tile, counted as the paper prints it, d % width: none at all where the width divides d. */
TG_SHARED static inline int64_t tg_mmt_last_printed(int64_t d, int64_t width) {
  return d % width;
}

/** Columns of the last tile that there are: 1 to width. */
TG_SHARED static inline int64_t tg_mmt_last(int64_t d, int64_t width) {
  return d - (tg_mmt_tiles(d, width) - 1) * width;
}

/** Columns of M that a kernel with the printed, or the right, last tile sums over: d, or d - width. */
static inline int64_t tg_mmt_depth(int64_t d, int64_t width, bool printed) {
  const int64_t last = printed ? tg_mmt_last_printed(d, width) : tg_mmt_last(d, width);
  return (tg_mmt_tiles(d, width) - 1) * width + last;
}

/** Elements of the result whose tile lies on the diagonal or on one side of it, the ones that v005 to v007 compute:
 * half of the square of the sum of all tiles' widths, and half of the sum of their squares. */
static inline int64_t tg_mmt_triangle(int64_t d, int64_t width) {
  const int64_t last = tg_mmt_last(d, width);
  return (d * d + (tg_mmt_tiles(d, width) - 1) * width * width + last * last) / 2;
}

TG_END_DECLS

#endif
