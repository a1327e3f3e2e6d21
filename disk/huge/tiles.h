/** @file tiles.h
 * Private to disk/: reads and writes rows of tiles while the caller waits. `data` is aligned for direct I/O. */
#ifndef TG_TILES_H
#define TG_TILES_H

#include "stream.h"

/** Tiles next to each other in a row of tiles; they are contiguous in the file. */
typedef struct TgTileRow {
  int64_t down, across, count;
} TgTileRow;

/** Allocates memory for tiles; NULL if there is none. */
void *tg_tiles_room(double bytes);
/** Frees it. NULL is allowed. */
void tg_tiles_leave(void *room);
/** Bytes in the file of a row's tiles. */
size_t tg_tiles_bytes(const TgStreamFile *file, const TgTileRow *row);
/** Bytes in the file of all tiles of the part. */
double tg_tiles_all_bytes(const TgStreamFile *part);
/** Reads and verifies them. Errors: CANNOT_READ; BAD_INPUT. */
bool tg_tiles_read(const TgStreamFile *file, const TgTileRow *row, char *data, GError **error);
/** Pads them with zeros, notes their checksums and writes them. Errors: CANNOT_WRITE. */
bool tg_tiles_write(const TgStreamFile *file, const TgTileRow *row, char *data, GError **error);
/** to += from, for all elements of the row's tiles. */
void tg_tiles_add(const TgStreamFile *file, const TgTileRow *row, char *to, const char *from);

/** Advances `row` to the next tiles of the part: as many as have at most `most_bytes`, but at least one. A row of zeros
 * advances to the first tiles. False at the end of the part. */
bool tg_tiles_next(const TgStreamFile *file, size_t most_bytes, TgTileRow *row);

/** Whether each tile of the part has been written, and matches its checksum. `room` is for one tile. Adds the bytes
 * that it reads to `*verified_bytes`. */
bool tg_tiles_are_complete(const TgStreamFile *part, char *room, double *verified_bytes);

/** Sets the error of a transfer, CANNOT_READ or CANNOT_WRITE, with the file and `problem`: errno, or ENODATA if the
 * file ends too early. Returns false. */
bool tg_tiles_failed(const TgStreamFile *file, bool writes, int problem, GError **error);

#endif
