/** @file matrix-file.h
 * Matrices from and to files, the format chosen by the suffix: .npy (NumPy), .mtx (Matrix Market), .raw and .bin (bare
 * elements). */
#ifndef TG_MATRIX_FILE_H
#define TG_MATRIX_FILE_H

#include "matrix.h"

#include <stdio.h>

TG_BEGIN_DECLS

/** Reads the file at `path`. `request` may be NULL. Where it names a type, the elements are converted to it; where it
 * names rows or columns, the file must have them. .raw needs all three. Without a type, .npy gives its own and .mtx
 * f64. What is read at a time is small compared with the matrix, which is the only one in memory (.mtx: f64, and then
 * the one it is converted to). Every message begins with the path (.mtx: path:line). Errors: BAD_INPUT (unknown suffix,
 * damaged file, other extents), CANNOT_READ, TOO_LARGE. */
TgMatrix *tg_matrix_read(const char *path, const TgMatrixRequest *request, GError **error);

/** Writes the file at `path`, complete or not at all (atomic-file.h).
 * Errors: BAD_INPUT (unknown suffix), CANNOT_WRITE. */
bool tg_matrix_write(const TgMatrix *matrix, const char *path, GError **error);

/** Writes the same to `stream`, in the format of a file named `path`. Errors: as tg_matrix_write(). */
bool tg_matrix_print(const TgMatrix *matrix, const char *path, FILE *stream, GError **error);

/** Whether the suffix of `path` is known; else BAD_INPUT, naming the suffixes there are. For refusing early. */
bool tg_matrix_path_known(const char *path, GError **error);

TG_END_DECLS

#endif
