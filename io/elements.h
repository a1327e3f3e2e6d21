/** @file elements.h
 * Private to io/: elements between a file's bytes and a matrix. */
#ifndef TG_ELEMENTS_H
#define TG_ELEMENTS_H

#include "matrix.h"

#include <stdio.h>

/** How the elements of a file lie. */
typedef struct TgElementLayout {
  bool big_endian;
  bool columns_first; /**< Fortran order: the elements of a column are neighbours */
} TgElementLayout;

/** Fills `matrix` from tg_matrix_bytes(matrix) bytes of its own type, at any alignment. */
void tg_elements_load(TgMatrix *matrix, const void *bytes, TgElementLayout layout);

/** Writes the elements as they lie in memory. Errors: CANNOT_WRITE. */
bool tg_elements_print(const TgMatrix *matrix, FILE *stream, GError **error);

/** Whether everything given to `stream` so far was accepted, else CANNOT_WRITE with the reason in errno. */
bool tg_stream_accepted(bool accepted, GError **error);

#endif
