/** @file mtx.h
 * Matrix Market, dense as `array` and sparse as `coordinate`, which is expanded. Format: Boisvert, Pozo, Remington,
 * "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996.
 *
 * Read: real, integer, and (coordinate only) pattern, whose entries are 1; general, symmetric and skew-symmetric.
 * complex and hermitian are refused. Entries of a coordinate file that name the same place are added, as SciPy does.
 * A symmetric or skew-symmetric file holds the lower triangle alone; an entry above it is refused. nan and inf are
 * numbers. Values of a real file are rounded to the nearest f64. Those of an integer file are read exactly: one that no
 * f64 has, from 2^53 + 1 on, is refused, and so is a sum of entries that none has.
 *
 * A line has at most 65,535 bytes, a number at most 511, and comments and blank lines in a row at most 1 MiB, so that
 * an endless stream ends early. */
#ifndef TG_MTX_H
#define TG_MTX_H

#include "matrix.h"

#include <stdio.h>

TG_BEGIN_DECLS

/** The f64 matrix in a whole .mtx file held in memory; `name` begins each error message, as name:line. `limit_bytes` as
 * in tg_matrix_new(). Errors: BAD_INPUT (what was found and what was expected), TOO_LARGE. */
TgMatrix *tg_mtx_parse(const char *name, const void *bytes, size_t size, uint64_t limit_bytes, GError **error);

/** Writes `array real general` with the digits that give each element back: 17 for f64, 9 for f32.
 * Errors: CANNOT_WRITE. */
bool tg_mtx_print(const TgMatrix *matrix, FILE *stream, GError **error);

TG_END_DECLS

#endif
