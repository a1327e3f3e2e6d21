/** @file tiled-file.h
 * A matrix in a file, tile by tile (.tg), for matrices larger than memory: a tile is contiguous and begins at a
 * multiple of TG_TILED_ALIGNMENT bytes, as direct I/O wants it, and has a checksum. docs/reference/tiled-files.md has
 * the format. */
#ifndef TG_TILED_FILE_H
#define TG_TILED_FILE_H

#include "element.h"
#include "io-error.h"

TG_BEGIN_DECLS

enum { TG_TILED_ALIGNMENT = 4096 };

/** A matrix cut into tiles of tile_rows x tile_columns; those at the lower and right edge have what is left. */
typedef struct TgTiling {
  TgElement type;
  int64_t rows, columns;           /**< at least 1 */
  int64_t tile_rows, tile_columns; /**< from 1 to the matrix's */
} TgTiling;

/** One of them. */
typedef struct TgTile {
  int64_t number;        /**< row by row of tiles, from 0 */
  int64_t row, column;   /**< of the matrix: of its first element */
  int64_t rows, columns; /**< its elements are row-major, without gaps */
  uint64_t offset;       /**< in the file */
  uint64_t bytes;        /**< of its elements … */
  uint64_t stored_bytes; /**< … and with the zeros that fill it up to a multiple of TG_TILED_ALIGNMENT */
} TgTile;

/** Square tiles of 128, or the least power of 2 times that with which the matrix has at most 2^20 tiles; of thin
 * matrices longer ones, which fill TG_TILED_ALIGNMENT bytes. */
TgTiling tg_tiling_default(TgElement type, int64_t rows, int64_t columns);

/** Errors: BAD_INPUT for extents out of range; TOO_LARGE where the file would have 2^62 bytes or more, or more
 * than 2^28 tiles. */
bool tg_tiling_check(const TgTiling *tiling, GError **error);

/** Tiles from top to bottom, from left to right, and of all. */
int64_t tg_tiling_down(const TgTiling *tiling);
int64_t tg_tiling_across(const TgTiling *tiling);
int64_t tg_tiling_count(const TgTiling *tiling);
/** The tile in row `down` and column `across` of tiles. */
TgTile tg_tiling_tile(const TgTiling *tiling, int64_t down, int64_t across);
/** Bytes before the first tile: the header and the checksums; and of the whole file. */
uint64_t tg_tiling_header_bytes(const TgTiling *tiling);
uint64_t tg_tiling_file_bytes(const TgTiling *tiling);

/** A file that is read, or written. */
typedef struct TgTiledFile TgTiledFile;

/** Whether `path` ends in .tg. */
bool tg_tiled_path(const char *path);

/** Opens a finished file, and reads its header and checksums. Every message begins with the path. Errors: CANNOT_READ;
 * BAD_INPUT where it is no such file, is damaged, or was not finished. */
TgTiledFile *tg_tiled_file_open(const char *path, GError **error);

/** What an unfinished file is for; the caller chooses both numbers. */
typedef struct TgTiledJob {
  uint64_t product; /**< which matrices */
  uint64_t memory;  /**< bytes that the work was planned for */
} TgTiledJob;

/** Begins the file behind `descriptor`, which is written to and stays the caller's; `path` is for messages,
 * and `job` NULL for none. It gets its full size at once. Errors: CANNOT_WRITE, also where there is not enough room on
 * the disk; those of tg_tiling_check(). */
TgTiledFile *tg_tiled_file_begin(int descriptor, const char *path, const TgTiling *tiling, const TgTiledJob *job,
                                 GError **error);

/** Whether tg_tiled_file_begin() has written the file's header. */
bool tg_tiled_file_is_begun(int descriptor);
/** Goes on with a file that was: which tiles it has follows from its checksums, which are to be compared with what is
 * read. `*job` is what it was begun with. Errors: as tg_tiled_file_open(). */
TgTiledFile *tg_tiled_file_resume(int descriptor, const char *path, TgTiledJob *job, GError **error);

/** To be called if other processes write other tiles of this file at the same time: from now on, only those checksums
 * are written that have changed here. */
void tg_tiled_file_share(TgTiledFile *file);

void tg_tiled_file_free(TgTiledFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgTiledFile, tg_tiled_file_free)

const TgTiling *tg_tiled_file_tiling(const TgTiledFile *file);
const char *tg_tiled_file_path(const TgTiledFile *file);
int tg_tiled_file_descriptor(const TgTiledFile *file);

/** A number that differs for any other contents, but for one chance in 2^64: made of the header and the checksums. */
uint64_t tg_tiled_file_identity(const TgTiledFile *file);

/** Whether the tile was written; always, in a finished file. */
bool tg_tiled_file_has(const TgTiledFile *file, const TgTile *tile);
/** Whether `data`, its elements, are what was written. Errors: BAD_INPUT, naming tile and offset. */
bool tg_tiled_file_verify(const TgTiledFile *file, const TgTile *tile, const void *data, GError **error);
/** Reads a tile of `bytes` to `data`, and verifies it. Errors: CANNOT_READ, BAD_INPUT. */
bool tg_tiled_file_read(const TgTiledFile *file, const TgTile *tile, void *data, GError **error);

/** Notes what the tile's elements are: for those that write it themselves, at its offset. Not yet in the file: that is
 * done by tg_tiled_file_keep(). Several threads may do so for different tiles. */
void tg_tiled_file_note(TgTiledFile *file, const TgTile *tile, const void *data);
/** Writes a tile's elements, and notes them. Errors: CANNOT_WRITE. */
bool tg_tiled_file_write(TgTiledFile *file, const TgTile *tile, const void *data, GError **error);
/** Flushes all tiles to the disk, and then their checksums. After that they survive a power failure. Errors:
 * CANNOT_WRITE. */
bool tg_tiled_file_keep(TgTiledFile *file, GError **error);
/** The same when all tiles are written; it is a finished file then. Errors: CANNOT_WRITE. */
bool tg_tiled_file_finish(TgTiledFile *file, GError **error);

TG_END_DECLS

#endif
