#include "huge.h"

#include "counter-random.h"
#include "sim-error.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LANES = 4 }; /* random vectors: the estimate is rarely far below the true error */

/* Vectors of signs, which are made as they are needed, and what the factors make of them: [row * lanes + vector]. */
typedef struct Check {
  TgTiledFile *a, *b, *c;
  uint64_t seed;
  int lanes;
  double *between;          /* k: B · signs */
  double *product, *result; /* A · between and C · signs, of a row of tiles of A */
  double *signs;            /* of a tile's columns */
  void *tile;
  double wrong, all; /* sums of squares of their difference, and of the product */
  const TgWatch *watch;
  int64_t done;
} Check;

/* A vector, or a part of it: element 0 of `value` is the vector's `first`. */
typedef struct Lanes {
  double *value;
  int64_t first;
} Lanes;

static void apply_row(const Check *check, TgElement type, const TgTile *tile, int64_t row, const Lanes *from,
                      const Lanes *to) {
  const int lanes = check->lanes;
  const double *factor = from->value + (tile->column - from->first) * lanes;
  double sum[MOST_LANES] = {0};
  for (int64_t j = 0; j < tile->columns; j++) {
    const int64_t i = row * tile->columns + j;
    const double value = type == TG_F64 ? ((const double *)check->tile)[i] : (double)((const float *)check->tile)[i];
    for (int v = 0; v < lanes; v++) sum[v] += value * factor[j * lanes + v];
  }
  for (int v = 0; v < lanes; v++) to->value[(tile->row + row - to->first) * lanes + v] += sum[v];
}

static void make_signs(const Check *check, const TgTile *tile) {
  for (int64_t j = 0; j < tile->columns; j++) {
    const uint64_t bits = tg_random_bits(check->seed, (uint64_t)(tile->column + j));
    for (int v = 0; v < check->lanes; v++) check->signs[j * check->lanes + v] = bits >> v & 1 ? 1 : -1;
  }
}

/* to += a row of tiles · from; the signs where `from` is NULL. */
static bool apply(Check *check, const TgTiledFile *file, int64_t down, const Lanes *from, const Lanes *to,
                  GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  for (int64_t across = 0; across < tg_tiling_across(tiling); across++) {
    const TgTile tile = tg_tiling_tile(tiling, down, across);
    const Lanes signs = {check->signs, tile.column};
    if (!tg_tiled_file_read(file, &tile, check->tile, error)) return false;
    if (!from) make_signs(check, &tile);
    for (int64_t row = 0; row < tile.rows; row++) apply_row(check, tiling->type, &tile, row, from ? from : &signs, to);
    if (!tg_watch_go_on(check->watch, ++check->done)) return TG_SIM_FAIL(error, STOPPED, "stopped");
  }
  return true;
}

static void compare(Check *check, int64_t rows) {
  for (int64_t i = 0; i < rows * check->lanes; i++) {
    const double difference = check->result[i] - check->product[i];
    check->wrong += difference * difference;
    check->all += check->product[i] * check->product[i];
    check->result[i] = check->product[i] = 0;
  }
}

/* Rows of A and of C at a time: of tiles, where both have the same. */
static int64_t band_rows(const Check *check) {
  const TgTiling *a = tg_tiled_file_tiling(check->a), *c = tg_tiled_file_tiling(check->c);
  return a->tile_rows == c->tile_rows ? a->tile_rows : a->rows;
}

static bool apply_band(Check *check, const TgTiledFile *file, int64_t row, const Lanes *from, const Lanes *to,
                       GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  const int64_t end = MIN(row + band_rows(check), tiling->rows);
  for (int64_t down = row / tiling->tile_rows; down * tiling->tile_rows < end; down++)
    if (!apply(check, file, down, from, to, error)) return false;
  return true;
}

static bool apply_all(Check *check, GError **error) {
  const TgTiling *b = tg_tiled_file_tiling(check->b), *c = tg_tiled_file_tiling(check->c);
  const Lanes between = {check->between, 0};
  for (int64_t down = 0; down < tg_tiling_down(b); down++)
    if (!apply(check, check->b, down, NULL, &between, error)) return false;
  for (int64_t row = 0; row < c->rows; row += band_rows(check)) {
    const Lanes product = {check->product, row}, result = {check->result, row};
    if (!apply_band(check, check->a, row, &between, &product, error) ||
        !apply_band(check, check->c, row, NULL, &result, error))
      return false;
    compare(check, MIN(band_rows(check), c->rows - row));
  }
  return true;
}

static bool check_shapes(const Check *check, GError **error) {
  const TgTiling *a = tg_tiled_file_tiling(check->a), *b = tg_tiled_file_tiling(check->b),
                 *c = tg_tiled_file_tiling(check->c);
  if (a->columns == b->rows && a->rows == c->rows && b->columns == c->columns) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "A of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " times B of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
                    " is not C of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
                    a->rows, a->columns, b->rows, b->columns, c->rows, c->columns);
}

double tg_huge_check_least_bytes(int64_t k, int64_t tile_rows) {
  return (double)sizeof(double) * ((double)k + 2 * (double)tile_rows);
}

static double *lanes_new(const Check *check, int64_t rows) {
  return rows <= INT64_MAX / 64 ? calloc((size_t)(rows * check->lanes), sizeof(double)) : NULL;
}

static bool open_check(Check *check, const char *a, const char *b, const char *c, double memory_bytes, GError **error) {
  if (!(check->a = tg_tiled_file_open(a, error)) || !(check->b = tg_tiled_file_open(b, error)) ||
      !(check->c = tg_tiled_file_open(c, error)) || !check_shapes(check, error))
    return false;
  const TgTiledFile *files[] = {check->a, check->b, check->c};
  const int64_t k = tg_tiled_file_tiling(check->a)->columns, band = band_rows(check);
  int64_t bytes = 0, columns = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    const TgTile first = tg_tiling_tile(tg_tiled_file_tiling(files[i]), 0, 0);
    bytes = MAX(bytes, (int64_t)first.bytes);
    columns = MAX(columns, first.columns);
  }
  check->lanes = MOST_LANES;
  if (memory_bytes > 0) check->lanes = (int)CLAMP(memory_bytes / tg_huge_check_least_bytes(k, band), 1, MOST_LANES);
  check->between = lanes_new(check, k);
  check->product = lanes_new(check, band);
  check->result = lanes_new(check, band);
  check->signs = lanes_new(check, columns);
  check->tile = g_try_malloc((gsize)bytes);
  if (check->between && check->product && check->result && check->signs && check->tile) return true;
  return TG_IO_FAIL(error, TOO_LARGE,
                    "no memory for a tile of %" G_GINT64_FORMAT " bytes and vectors of %" G_GINT64_FORMAT " elements",
                    bytes, k);
}

static void check_clear(Check *check) {
  tg_tiled_file_free(check->a);
  tg_tiled_file_free(check->b);
  tg_tiled_file_free(check->c);
  free(check->between);
  free(check->product);
  free(check->result);
  free(check->signs);
  g_free(check->tile);
}

/* ||C s - A B s|| / ||A B s||; absolute where that is 0. */
static double relative_error(const Check *check) {
  if (!isfinite(check->wrong) || !isfinite(check->all)) return NAN;
  return sqrt(check->wrong) / (check->all > 0 ? sqrt(check->all) : 1);
}

bool tg_huge_check(const char *a, const char *b, const char *c, uint64_t seed, double memory_bytes,
                   const TgWatch *watch, double *error_of, GError **error) {
  Check check = {.watch = watch, .seed = seed};
  const bool fine = open_check(&check, a, b, c, memory_bytes, error) && apply_all(&check, error);
  if (fine) *error_of = relative_error(&check);
  check_clear(&check);
  return fine;
}
