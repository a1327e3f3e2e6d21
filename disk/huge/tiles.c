#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "tiles.h"

#include "queue-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* From the system, and straight back to it: memory that one product frees may remain in the C library's heap without
 * being of use to the next product. The first page holds the size. */
void *tg_tiles_room(double bytes) {
  const size_t whole = ((size_t)bytes / TG_TILED_ALIGNMENT + 2) * TG_TILED_ALIGNMENT;
  void *mapped = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return NULL;
  *(size_t *)mapped = whole;
  return (char *)mapped + TG_TILED_ALIGNMENT;
}

void tg_tiles_leave(void *room) {
  void *mapped = room ? (char *)room - TG_TILED_ALIGNMENT : NULL;
  if (room) munmap(mapped, *(size_t *)mapped);
}

static TgTile tile_at(const TgStreamFile *file, const TgTileRow *row, int64_t number) {
  return tg_tiling_tile(&file->tiling, row->down, row->across + number);
}

size_t tg_tiles_bytes(const TgStreamFile *file, const TgTileRow *row) {
  const TgTile first = tile_at(file, row, 0), last = tile_at(file, row, row->count - 1);
  return (size_t)(last.offset + last.stored_bytes - first.offset);
}

bool tg_tiles_failed(const TgStreamFile *file, bool writes, int problem, GError **error) {
  g_set_error(error, TG_IO_ERROR, writes ? TG_IO_ERROR_CANNOT_WRITE : TG_IO_ERROR_CANNOT_READ, "%s: cannot %s: %s",
              tg_tiled_file_path(file->file), writes ? "write" : "read",
              problem == ENODATA ? "unexpected end of file" : g_strerror(problem));
  return false;
}

static bool transfer(const TgStreamFile *file, const TgTileRow *row, char *data, bool writes, GError **error) {
  const TgDiskTransfer what = {file->descriptor, writes, data, tg_tiles_bytes(file, row), tile_at(file, row, 0).offset};
  const int problem = tg_disk_transfer_rest(&what, 0);
  return problem == 0 || tg_tiles_failed(file, writes, problem, error);
}

bool tg_tiles_read(const TgStreamFile *file, const TgTileRow *row, char *data, GError **error) {
  if (!transfer(file, row, data, false, error)) return false;
  for (int64_t i = 0; i < row->count; i++) {
    const TgTile tile = tile_at(file, row, i);
    if (!tg_tiled_file_verify(file->file, &tile, data, error)) return false;
    data += tile.stored_bytes;
  }
  return true;
}

bool tg_tiles_write(const TgStreamFile *file, const TgTileRow *row, char *data, GError **error) {
  char *at = data;
  for (int64_t i = 0; i < row->count; i++) {
    const TgTile tile = tile_at(file, row, i);
    memset(at + tile.bytes, 0, (size_t)(tile.stored_bytes - tile.bytes));
    tg_tiled_file_note(file->file, &tile, at);
    at += tile.stored_bytes;
  }
  return transfer(file, row, data, true, error);
}

void tg_tiles_add(const TgStreamFile *file, const TgTileRow *row, char *to, const char *from) {
  const TgElement type = file->tiling.type;
  const size_t count = tg_tiles_bytes(file, row) / (size_t)tg_element_bytes(type);
  for (size_t i = 0; i < count; i++)
    if (type == TG_F64)
      ((double *)to)[i] += ((const double *)from)[i];
    else
      ((float *)to)[i] += ((const float *)from)[i];
}

bool tg_tiles_next(const TgStreamFile *file, size_t most_bytes, TgTileRow *row) {
  const TgTiling *tiling = &file->tiling;
  const int64_t first = file->column / tiling->tile_columns;
  if (row->count == 0) *row = (TgTileRow){file->row / tiling->tile_rows, first, 0};
  row->across += row->count;
  if (row->across * tiling->tile_columns >= file->column + file->columns) {
    row->across = first;
    row->down++;
  }
  if (row->down * tiling->tile_rows >= file->row + file->rows) return false;
  row->count = 1;
  while ((row->across + row->count) * tiling->tile_columns < file->column + file->columns) {
    const TgTileRow longer = {row->down, row->across, row->count + 1};
    if (tg_tiles_bytes(file, &longer) > most_bytes) break;
    row->count++;
  }
  return true;
}

double tg_tiles_all_bytes(const TgStreamFile *part) {
  TgTileRow tiles = {0};
  double bytes = 0;
  while (tg_tiles_next(part, SIZE_MAX, &tiles)) bytes += (double)tg_tiles_bytes(part, &tiles);
  return bytes;
}

bool tg_tiles_are_complete(const TgStreamFile *part, char *room, double *verified_bytes) {
  TgTileRow tiles = {0};
  while (tg_tiles_next(part, 1, &tiles)) {
    const TgTile tile = tile_at(part, &tiles, 0);
    if (!tg_tiled_file_has(part->file, &tile)) return false;
    *verified_bytes += (double)tile.bytes;
    if (!tg_tiles_read(part, &tiles, room, NULL)) return false;
  }
  return true;
}
