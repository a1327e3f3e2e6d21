/** @file tiles.h
 * Private to disk/: tiles that are read and written at once, while the caller waits. `data` is
 * aligned as direct I/O wants it. */
#ifndef TG_TILES_H
#define TG_TILES_H

#include "stream.h"

/** Tiles next to each other, which lie in the file one behind the other. */
typedef struct TgTileRow {
  int64_t down, across, count;
} TgTileRow;

/** Memory for them; NULL where there is none. */
void *tg_tiles_room(double bytes);
/** Gives it back. NULL is allowed. */
void tg_tiles_leave(void *room);
/** In the file, of all of them. */
size_t tg_tiles_bytes(const TgStreamFile *file, const TgTileRow *row);
/** In the file, of the part's tiles. */
double tg_tiles_all_bytes(const TgStreamFile *part);
/** Reads and verifies them. Errors: CANNOT_READ; BAD_INPUT. */
bool tg_tiles_read(const TgStreamFile *file, const TgTileRow *row, char *data, GError **error);
/** Fills them up with zeros, writes and notes them. Errors: CANNOT_WRITE. */
bool tg_tiles_write(const TgStreamFile *file, const TgTileRow *row, char *data, GError **error);
/** to += from, of the row's tiles. */
void tg_tiles_add(const TgStreamFile *file, const TgTileRow *row, char *to, const char *from);

/** From the row on, as many tiles of the part as have at most so many bytes, at least one. False at the part's end. A
 * row of zeros begins. */
bool tg_tiles_next(const TgStreamFile *file, size_t most_bytes, TgTileRow *row);

/** Errors of a transfer: CANNOT_READ, CANNOT_WRITE, with the file and errno, or ENODATA where it ends too early. */
bool tg_tiles_failed(const TgStreamFile *file, bool writes, int problem, GError **error);

#endif
