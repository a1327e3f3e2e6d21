/** @file npy.h
 * NumPy's .npy: versions 1.0, 2.0 and 3.0 are read, 1.0 is written. Format: numpy.lib.format, NEP 1.
 *
 * Read: f4 and f8 of either byte order, C and Fortran order. Zero dimensions become 1x1, one dimension of n becomes the
 * row 1xn, two stay; more are refused. Bytes after the data are refused (NumPy leaves them unread). */
#ifndef TG_NPY_H
#define TG_NPY_H

#include "matrix.h"

#include <stdio.h>

TG_BEGIN_DECLS

/** The contents of the header of a .npy file. */
typedef struct TgNpyHeader {
  TgElement type;
  bool big_endian;
  bool fortran_order;
  int32_t dimensions;   /**< 0, 1 or 2 */
  int64_t rows;         /**< at least 1 */
  int64_t columns;      /**< at least 1 */
  uint64_t data_offset; /**< bytes before the first element */
  uint64_t data_bytes;  /**< bytes of all elements */
} TgNpyHeader;

/** Reads the header of the .npy file that begins with these `size` bytes; `name` begins each error message.
 * Errors: BAD_INPUT, TOO_LARGE where the size in bytes overflows. */
bool tg_npy_parse_header(const char *name, const void *bytes, size_t size, TgNpyHeader *header, GError **error);

/** The matrix in a whole .npy file held in memory. Nothing is allocated before the file is known to hold the data.
 * `limit_bytes` as in tg_matrix_new(). Errors: BAD_INPUT, TOO_LARGE. */
TgMatrix *tg_npy_parse(const char *name, const void *bytes, size_t size, uint64_t limit_bytes, GError **error);

/** Writes version 1.0 in C order and the machine's byte order, its data at a multiple of 64 bytes, as NumPy does.
 * Errors: CANNOT_WRITE. */
bool tg_npy_print(const TgMatrix *matrix, FILE *stream, GError **error);

TG_END_DECLS

#endif
