/** @file matrix-part.h
 * Rectangles of a matrix, where several programs run a job together and none of them has all of it. */
#ifndef TG_MATRIX_PART_H
#define TG_MATRIX_PART_H

#include "base.h"

TG_BEGIN_DECLS

/** A rectangle that this program has; each lies at its place in room for the whole matrix. */
typedef struct TgMatrixPart {
  int64_t row, column, rows, columns;
  bool counts; /**< true for exactly one of the programs that have it */
} TgMatrixPart;

static inline TgMatrixPart tg_matrix_part_whole(int64_t rows, int64_t columns) {
  const TgMatrixPart whole = {0, 0, rows, columns, true};
  return whole;
}

/** What the programs of a job do together. */
typedef struct TgMatrixJob {
  void (*sum)(const void *data, double *values, int64_t count); /**< replaces each value by the sum over all programs */
  const void *data;
} TgMatrixJob;

TG_END_DECLS

#endif
