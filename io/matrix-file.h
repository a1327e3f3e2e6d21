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

/** A file from which parts of a matrix are read: .npy, .raw and .bin. */
typedef struct TgMatrixFile TgMatrixFile;

/** Opens it. `*file` is NULL, without an error, where it has another format or is no regular file: read it whole.
 * Errors: as tg_matrix_read(). */
bool tg_matrix_file_open(const char *path, const TgMatrixRequest *request, TgMatrixFile **file, GError **error);
/** What its matrix is, in the type that was asked for, or its own; without data. */
const TgMatrix *tg_matrix_file_shape(const TgMatrixFile *file);
/** Whether its elements lie column by column (Fortran order), so that tall parts are read in fewer pieces. */
bool tg_matrix_file_by_columns(const TgMatrixFile *file);
/** Reads a part to its place in `matrix`, which has that shape. Errors: as tg_matrix_read(). */
bool tg_matrix_file_read(TgMatrixFile *file, const TgMatrixPart *part, TgMatrix *matrix, GError **error);
void tg_matrix_file_free(TgMatrixFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgMatrixFile, tg_matrix_file_free)

/** Makes rows of a matrix, into `to` unless that is NULL. */
typedef void TgMatrixRows(void *data, int64_t row, int64_t rows, void *to);
/** Whether tg_matrix_print_rows() can write a file of this name. */
bool tg_matrix_path_has_rows(const char *path);
/** As tg_matrix_print(), of a matrix without data, whose rows are made in their order as they are written, about
 * `piece_bytes` of them at a time. `stream` NULL: they are made only, with nowhere to go. Errors: CANNOT_WRITE. */
bool tg_matrix_print_rows(const TgMatrix *shape, TgMatrixRows *rows, void *data, int64_t piece_bytes, const char *path,
                          FILE *stream, GError **error);

/** Whether the suffix of `path` is known; else BAD_INPUT, naming the suffixes there are. For refusing early. */
bool tg_matrix_path_known(const char *path, GError **error);

TG_END_DECLS

#endif
