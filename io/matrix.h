/** @file matrix.h
 * A dense matrix in memory: row-major, contiguous, f32 or f64. */
#ifndef TG_MATRIX_H
#define TG_MATRIX_H

#include "element.h"
#include "matrix-part.h"
#include "io-error.h"

TG_BEGIN_DECLS

/** rows x columns elements; element (r, c) is number r * columns + c. Both extents are at least 1. */
typedef struct TgMatrix {
  TgElement type;
  int64_t rows;
  int64_t columns;
  union {
    void *data; /**< owned by the matrix */
    float *f32;
    double *f64;
  };
  size_t mapped_bytes; /**< of tg_matrix_new_for_parts(); else 0 */
} TgMatrix;

/** What is wanted of a file. Zeros mean: as in the file, within the memory now available. */
typedef struct TgMatrixRequest {
  bool typed;     /**< elements of `type` are wanted; a raw file must be told */
  TgElement type; /**< read only if `typed` */
  int64_t rows;
  int64_t columns;
  uint64_t limit_bytes; /**< the most the elements may take */
} TgMatrixRequest;

/** A matrix of zeros. `limit_bytes` is the most the elements may take; 0 means the memory now available.
 * Errors: BAD_INPUT for an extent below 1; TOO_LARGE where the size overflows, exceeds the limit (the message gives the
 * need and the limit in bytes) or the allocation fails. */
TgMatrix *tg_matrix_new(TgElement type, int64_t rows, int64_t columns, uint64_t limit_bytes, GError **error);

/** The same for parts of it: address space, of which only the pages that are written take memory, even where the whole
 * would be more than the machine has. Errors: as above, but of no limit. */
TgMatrix *tg_matrix_new_for_parts(TgElement type, int64_t rows, int64_t columns, GError **error);
/** Its elements are zeros again, and take no memory. */
void tg_matrix_drop_parts(TgMatrix *matrix);

void tg_matrix_free(TgMatrix *matrix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgMatrix, tg_matrix_free)

/** A copy with elements of `type`, rounded to nearest.
 * Errors: BAD_INPUT where a finite element has no finite value in `type`; TOO_LARGE as tg_matrix_new(). */
TgMatrix *tg_matrix_convert(const TgMatrix *matrix, TgElement type, uint64_t limit_bytes, GError **error);

/** rows * columns. */
static inline int64_t tg_matrix_elements(const TgMatrix *matrix) {
  return matrix->rows * matrix->columns;
}

/** Bytes of all elements. */
static inline size_t tg_matrix_bytes(const TgMatrix *matrix) {
  return (size_t)(tg_matrix_elements(matrix) * tg_element_bytes(matrix->type));
}

/** Element (row, column), counted from 0, as a double. */
static inline double tg_matrix_get(const TgMatrix *matrix, int64_t row, int64_t column) {
  const int64_t i = row * matrix->columns + column;
  return matrix->type == TG_F32 ? (double)matrix->f32[i] : matrix->f64[i];
}

/** Sets element (row, column), counted from 0, rounding to the matrix's type. */
static inline void tg_matrix_set(TgMatrix *matrix, int64_t row, int64_t column, double value) {
  const int64_t i = row * matrix->columns + column;
  if (matrix->type == TG_F32)
    matrix->f32[i] = (float)value;
  else
    matrix->f64[i] = value;
}

/** Element number i becomes tg_random_uniform_f32/f64(seed, i): uniform in [-1, 1). See counter-random.h. */
void tg_matrix_fill_uniform(TgMatrix *matrix, uint64_t seed);

/** Element number i becomes tg_random_integer(seed, i, low, high): whole numbers whose products and sums stay exact
 * while inner extent * max(|low|, |high|)^2 < 2^24 (f32) or 2^53 (f64). */
void tg_matrix_fill_integers(TgMatrix *matrix, uint64_t seed, int32_t low, int32_t high);

/** The same elements of a part alone. */
void tg_matrix_fill_part_uniform(TgMatrix *matrix, const TgMatrixPart *part, uint64_t seed);
void tg_matrix_fill_part_integers(TgMatrix *matrix, const TgMatrixPart *part, uint64_t seed, int32_t low, int32_t high);

/** Memory that can be had now without swapping, in bytes: what the kernel calls available, no more than what is left of
 * the machine's, of the control group's (a container's), and of the process's limits (ulimit -v, ulimit -d); UINT64_MAX
 * where the system does not tell. */
uint64_t tg_memory_available_bytes(void);
/** What the process takes now, and the most that it took so far, in bytes; 0 where the system does not tell. */
uint64_t tg_memory_used_bytes(void);
uint64_t tg_memory_peak_bytes(void);
/** What the process may still take if it may have `limit_bytes` in all; 0: whatever is available.
 * At least 1, since 0 means no limit elsewhere. */
uint64_t tg_memory_left_bytes(uint64_t limit_bytes);

TG_END_DECLS

#endif
