/** @file matrix-readers.h
 * Private to io/: one matrix from a source of bytes, which must hold it and nothing else. Each reads in pieces,
 * allocates no more than the matrix and those pieces, and stops at an endless source. A message begins with the
 * source's name. Errors: BAD_INPUT, CANNOT_READ, TOO_LARGE. */
#ifndef TG_MATRIX_READERS_H
#define TG_MATRIX_READERS_H

#include "byte-source.h"
#include "matrix.h"

/** In the type of the request, or the file's where it names none. The request's extents are not looked at. */
TgMatrix *tg_npy_read(TgByteSource *source, const TgMatrixRequest *request, GError **error);
/** In f64. */
TgMatrix *tg_mtx_read(TgByteSource *source, const TgMatrixRequest *request, GError **error);
/** As requested. */
TgMatrix *tg_raw_read(TgByteSource *source, const TgMatrixRequest *request, GError **error);

#endif
