#include "tiled-file.h"

#define MOST_FILE_BYTES (INT64_C(1) << 62)
#define MOST_TILES (INT64_C(1) << 28)

static uint64_t round_up(uint64_t bytes) {
  const uint64_t unit = TG_TILED_ALIGNMENT;
  return (bytes + unit - 1) / unit * unit;
}

TgTiling tg_tiling_default(TgElement type, int64_t rows, int64_t columns) {
  enum { LEAST = 128 };
  const int64_t most_tiles = INT64_C(1) << 20, least_elements = TG_TILED_ALIGNMENT / tg_element_bytes(type);
  int64_t down = LEAST, across = LEAST;
  while (MAX(down, across) < INT64_MAX / 4 && tg_divide_up(rows, down) > most_tiles / tg_divide_up(columns, across))
    down *= 2, across *= 2;
  /* Thin matrices: a tile of less than TG_TILED_ALIGNMENT bytes would take as much all the same. */
  while (down < rows && down * MIN(across, columns) < least_elements) down *= 2;
  while (across < columns && across * MIN(down, rows) < least_elements) across *= 2;
  return (TgTiling){type, rows, columns, MIN(down, rows), MIN(across, columns)};
}

int64_t tg_tiling_down(const TgTiling *tiling) {
  return tg_divide_up(tiling->rows, tiling->tile_rows);
}

int64_t tg_tiling_across(const TgTiling *tiling) {
  return tg_divide_up(tiling->columns, tiling->tile_columns);
}

int64_t tg_tiling_count(const TgTiling *tiling) {
  return tg_tiling_down(tiling) * tg_tiling_across(tiling);
}

static uint64_t stored(const TgTiling *tiling, int64_t rows, int64_t columns) {
  return round_up((uint64_t)(rows * columns * tg_element_bytes(tiling->type)));
}

/* Of a row of tiles that are `rows` high. */
static uint64_t row_bytes(const TgTiling *tiling, int64_t rows) {
  const int64_t whole = tiling->columns / tiling->tile_columns;
  const int64_t rest = tiling->columns - whole * tiling->tile_columns;
  return (uint64_t)whole * stored(tiling, rows, tiling->tile_columns) + stored(tiling, rows, rest);
}

TgTile tg_tiling_tile(const TgTiling *tiling, int64_t down, int64_t across) {
  TgTile tile = {.number = down * tg_tiling_across(tiling) + across,
                 .row = down * tiling->tile_rows,
                 .column = across * tiling->tile_columns};
  tile.rows = MIN(tiling->tile_rows, tiling->rows - tile.row);
  tile.columns = MIN(tiling->tile_columns, tiling->columns - tile.column);
  tile.bytes = (uint64_t)(tile.rows * tile.columns * tg_element_bytes(tiling->type));
  tile.stored_bytes = round_up(tile.bytes);
  tile.offset = tg_tiling_header_bytes(tiling) + (uint64_t)down * row_bytes(tiling, tiling->tile_rows) +
                (uint64_t)across * stored(tiling, tile.rows, tiling->tile_columns);
  return tile;
}

uint64_t tg_tiling_header_bytes(const TgTiling *tiling) {
  return TG_TILED_ALIGNMENT + round_up((uint64_t)tg_tiling_count(tiling) * sizeof(uint64_t));
}

uint64_t tg_tiling_file_bytes(const TgTiling *tiling) {
  const int64_t whole = tiling->rows / tiling->tile_rows;
  const int64_t rest = tiling->rows - whole * tiling->tile_rows;
  return tg_tiling_header_bytes(tiling) + (uint64_t)whole * row_bytes(tiling, tiling->tile_rows) +
         (rest ? row_bytes(tiling, rest) : 0);
}

static bool check_size(const TgTiling *tiling, GError **error) {
  const double elements = (double)tiling->rows * (double)tiling->columns;
  const double tiles = (double)tg_tiling_down(tiling) * (double)tg_tiling_across(tiling);
  /* A tile takes at most TG_TILED_ALIGNMENT more than its elements. */
  const double bytes = elements * (double)tg_element_bytes(tiling->type) + (tiles + 2) * TG_TILED_ALIGNMENT;
  if (bytes >= (double)MOST_FILE_BYTES)
    return TG_IO_FAIL(error, TOO_LARGE, "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " is too large for a file",
                      tiling->rows, tiling->columns);
  if (tiles > (double)MOST_TILES)
    return TG_IO_FAIL(error, TOO_LARGE,
                      "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " has %.0f tiles of %" G_GINT64_FORMAT
                      "x%" G_GINT64_FORMAT ", and at most %" G_GINT64_FORMAT " are possible: use larger tiles",
                      tiling->rows, tiling->columns, tiles, tiling->tile_rows, tiling->tile_columns, MOST_TILES);
  return true;
}

bool tg_tiling_check(const TgTiling *tiling, GError **error) {
  if (tiling->rows < 1 || tiling->columns < 1)
    return TG_IO_FAIL(error, BAD_INPUT,
                      "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " elements: each extent must be at least 1",
                      tiling->rows, tiling->columns);
  if (tiling->tile_rows < 1 || tiling->tile_columns < 1 || tiling->tile_rows > tiling->rows ||
      tiling->tile_columns > tiling->columns)
    return TG_IO_FAIL(error, BAD_INPUT,
                      "tiles of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " in a matrix of %" G_GINT64_FORMAT
                      "x%" G_GINT64_FORMAT ": each extent must be from 1 to the matrix's",
                      tiling->tile_rows, tiling->tile_columns, tiling->rows, tiling->columns);
  return check_size(tiling, error);
}
