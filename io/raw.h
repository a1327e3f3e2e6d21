/** @file raw.h
 * Elements alone, row by row, in the machine's byte order, no header: the caller knows the type and the shape. */
#ifndef TG_RAW_H
#define TG_RAW_H

#include "matrix.h"

#include <stdio.h>

TG_BEGIN_DECLS

/** The matrix in a raw file held in memory: type, rows and columns as in `request`, all of them necessary; `name`
 * begins each error message. Errors: BAD_INPUT where the request is incomplete or the file has another size (the
 * message gives the bytes expected and found); TOO_LARGE. */
TgMatrix *tg_raw_parse(const char *name, const void *bytes, size_t size, const TgMatrixRequest *request,
                       GError **error);

/** Errors: CANNOT_WRITE. */
bool tg_raw_print(const TgMatrix *matrix, FILE *stream, GError **error);

TG_END_DECLS

#endif
