/** @file tiled-matrix.h
 * Tiled files from random numbers, and from and to files of other formats, in little memory. */
#ifndef TG_TILED_MATRIX_H
#define TG_TILED_MATRIX_H

#include "matrix.h"
#include "tiled-file.h"
#include "watch.h"

TG_BEGIN_DECLS

/** Writes the file at `path`, complete or not at all (atomic-file.h), tile by tile: the elements of
 * tg_matrix_fill_uniform(), or with `integers` those of tg_matrix_fill_integers() from -integers to it. `watch` is told
 * tiles done. Errors: CANNOT_WRITE; those of tg_tiling_check(); stopped by the watch, CANNOT_WRITE, too. */
bool tg_tiled_generate(const char *path, const TgTiling *tiling, uint64_t seed, int32_t integers, const TgWatch *watch,
                       GError **error);

/** Tiles of this size in the file that tg_tiled_from_file() writes; 0: those of tg_tiling_default(). */
typedef struct TgTileSize {
  int64_t rows, columns;
} TgTileSize;

/** Writes the tiled file `to` from the matrix file `from` (matrix-file.h): a band of tiles at a time, but all of it at
 * once where its format cannot be read in parts (.mtx, pipes). `request` may be NULL. Errors: those of
 * both. */
bool tg_tiled_from_file(const char *from, const TgMatrixRequest *request, const char *to, TgTileSize size,
                        const TgWatch *watch, GError **error);
/** Writes the matrix file `to` from the tiled file `from`: a row of tiles at a time, but all of it at once (.mtx) where
 * its format cannot be written so; `limit_bytes` is the most that may take, 0 what is available. Errors: those of
 * both. */
bool tg_tiled_to_file(const char *from, const char *to, uint64_t limit_bytes, const TgWatch *watch, GError **error);

TG_END_DECLS

#endif
