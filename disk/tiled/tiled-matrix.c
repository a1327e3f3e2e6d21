#include "tiled-matrix.h"

#include "atomic-file.h"
#include "counter-random.h"
#include "matrix-file.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static bool stopped(const char *path, GError **error) {
  return TG_IO_FAIL(error, CANNOT_WRITE, "%s: stopped", path);
}

/* --- a new tiled file --------------------------------------------------------------------------------------------- */

/* Fills a tile, of elements without gaps. */
typedef bool FillTile(void *user, const TgTile *tile, void *data, GError **error);

static void *room_for_tile(const char *path, const TgTiling *tiling, GError **error) {
  const uint64_t bytes = tg_tiling_tile(tiling, 0, 0).bytes;
  void *room = g_try_malloc(bytes);
  if (room) return room;
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
              "%s: no memory for a tile of %" G_GUINT64_FORMAT " bytes; use smaller tiles", path, bytes);
  return NULL;
}

/* Memory that is needed at a time, of `limit_bytes`, or of what is available where that is 0. */
static bool check_memory(const char *path, double need_bytes, uint64_t limit_bytes, GError **error) {
  const double mega = 1e6, program_bytes = 64e6;
  const uint64_t limit = limit_bytes ? limit_bytes : tg_memory_available_bytes();
  if (need_bytes <= (double)limit) return true;
  return TG_IO_FAIL(
      error, TOO_LARGE,
      "%s: a band of tiles needs %.0f MB of memory, but only %.0f MB are available; use smaller tiles or set "
      "--memory-limit %.0fM",
      path, ceil(need_bytes / mega), floor((double)limit / mega), ceil((need_bytes + program_bytes) / mega));
}

/* What becomes a file, in which order. */
typedef struct Contents {
  FillTile *fill;
  void *user;
  bool by_columns; /* tiles column by column, else row by row */
} Contents;

static bool write_tiles(TgTiledFile *file, const Contents *contents, const TgWatch *watch, GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  const int64_t down = tg_tiling_down(tiling), across = tg_tiling_across(tiling), tiles = down * across;
  g_autofree void *data = room_for_tile(tg_tiled_file_path(file), tiling, error);
  for (int64_t t = 0; t < tiles && data; t++) {
    const TgTile tile = contents->by_columns ? tg_tiling_tile(tiling, t % down, t / down)
                                             : tg_tiling_tile(tiling, t / across, t % across);
    if (!contents->fill(contents->user, &tile, data, error) || !tg_tiled_file_write(file, &tile, data, error))
      return false;
    if (!tg_watch_go_on(watch, t + 1)) return stopped(tg_tiled_file_path(file), error);
  }
  return data && tg_tiled_file_finish(file, error);
}

/* Tiles are written in their places, which no pipe has. */
static bool make_file(const char *path, const TgTiling *tiling, const Contents *contents, const TgWatch *watch,
                      GError **error) {
  struct stat old;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
    return TG_IO_FAIL(error, CANNOT_WRITE, "%s: cannot write: not a regular file", path);
  g_autoptr(TgAtomicFile) atomic = tg_atomic_file_begin(path, error);
  if (!atomic) return false;
  const int descriptor = fileno(tg_atomic_file_stream(atomic));
  g_autoptr(TgTiledFile) file = tg_tiled_file_begin(descriptor, path, tiling, NULL, error);
  return file && write_tiles(file, contents, watch, error) && tg_atomic_file_commit(atomic, error);
}

typedef struct Random {
  const TgTiling *tiling;
  uint64_t seed;
  int32_t integers;
} Random;

static double random_at(const Random *random, uint64_t index) {
  if (random->integers) return tg_random_integer(random->seed, index, -random->integers, random->integers);
  return random->tiling->type == TG_F64 ? tg_random_uniform_f64(random->seed, index)
                                        : (double)tg_random_uniform_f32(random->seed, index);
}

static bool fill_random(void *user, const TgTile *tile, void *data, GError **error) {
  const Random *random = user;
  (void)error;
  for (int64_t row = 0, i = 0; row < tile->rows; row++) {
    const int64_t first = (tile->row + row) * random->tiling->columns + tile->column;
    for (int64_t column = 0; column < tile->columns; column++, i++) {
      const double value = random_at(random, (uint64_t)(first + column));
      if (random->tiling->type == TG_F64)
        ((double *)data)[i] = value;
      else
        ((float *)data)[i] = (float)value;
    }
  }
  return true;
}

bool tg_tiled_generate(const char *path, const TgTiling *tiling, uint64_t seed, int32_t integers, const TgWatch *watch,
                       GError **error) {
  Random random = {tiling, seed, integers};
  const Contents contents = {fill_random, &random, false};
  return make_file(path, tiling, &contents, watch, error);
}

/* --- from other formats ------------------------------------------------------------------------------------------- */

enum { BAND_BYTES = 32 << 20 };

/* A matrix of which a band of tiles is in memory, side by side or above each other, or all. */
typedef struct Source {
  TgMatrixFile *file; /* NULL: all */
  TgMatrix *matrix;
  int64_t tile_rows, tile_columns;
  TgMatrixPart band; /* empty before the first one */
} Source;

/* Tiles that are read together: the part of the matrix, by tiles of its source, from `tile` on. */
static int64_t band_tiles(const Source *source) {
  const int64_t tile_bytes = source->tile_rows * source->tile_columns * tg_element_bytes(source->matrix->type);
  return MAX(BAND_BYTES / tile_bytes, 1);
}

/* A band's rows lie in the place of the whole matrix, each in pages of its own. */
static double band_bytes(const Source *source) {
  const TgMatrix *matrix = source->matrix;
  const bool down = tg_matrix_file_by_columns(source->file);
  const double e = (double)tg_element_bytes(matrix->type), tiles = (double)band_tiles(source), page = 4096;
  const double rows = fmin((down ? tiles : 1) * (double)source->tile_rows, (double)matrix->rows);
  const double columns = fmin((down ? 1 : tiles) * (double)source->tile_columns, (double)matrix->columns);
  return rows * fmin(columns * e + 2 * page, (double)matrix->columns * e + page);
}

static bool take_band(Source *source, const TgTile *tile, GError **error) {
  const TgMatrix *matrix = source->matrix;
  const int64_t tiles = band_tiles(source);
  TgMatrixPart *band = &source->band;
  *band = (TgMatrixPart){tile->row, tile->column, tile->rows, tile->columns, true};
  if (tg_matrix_file_by_columns(source->file))
    band->rows = MIN(tiles * source->tile_rows, matrix->rows - band->row);
  else
    band->columns = MIN(tiles * source->tile_columns, matrix->columns - band->column);
  tg_matrix_drop_parts(source->matrix);
  return tg_matrix_file_read(source->file, band, source->matrix, error);
}

static bool is_in(const TgMatrixPart *band, const TgTile *tile) {
  return tile->row >= band->row && tile->row < band->row + band->rows && tile->column >= band->column &&
         tile->column < band->column + band->columns;
}

static bool fill_from(void *user, const TgTile *tile, void *data, GError **error) {
  Source *source = user;
  const TgMatrix *matrix = source->matrix;
  const size_t e = (size_t)tg_element_bytes(matrix->type), bytes = (size_t)tile->columns * e;
  if (source->file && !is_in(&source->band, tile) && !take_band(source, tile, error)) return false;
  for (int64_t row = 0; row < tile->rows; row++) {
    const int64_t at = (tile->row + row) * matrix->columns + tile->column;
    memcpy((char *)data + (size_t)row * bytes, (const char *)matrix->data + (size_t)at * e, bytes);
  }
  return true;
}

static TgTiling tiling_of(const TgMatrix *matrix, TgTileSize size) {
  TgTiling tiling = tg_tiling_default(matrix->type, matrix->rows, matrix->columns);
  if (size.rows) tiling.tile_rows = MIN(size.rows, matrix->rows);
  if (size.columns) tiling.tile_columns = MIN(size.columns, matrix->columns);
  return tiling;
}

bool tg_tiled_from_file(const char *from, const TgMatrixRequest *request, const char *to, TgTileSize size,
                        const TgWatch *watch, GError **error) {
  static const TgMatrixRequest anything = {0};
  const TgMatrixRequest *wanted = request ? request : &anything;
  g_autoptr(TgMatrixFile) file = NULL;
  if (!tg_matrix_file_open(from, wanted, &file, error)) return false;
  const TgMatrix *shape = file ? tg_matrix_file_shape(file) : NULL;
  g_autoptr(TgMatrix) matrix = shape ? tg_matrix_new_for_parts(shape->type, shape->rows, shape->columns, error)
                                     : tg_matrix_read(from, wanted, error);
  if (!matrix) return false;
  const TgTiling tiling = tiling_of(matrix, size);
  Source source = {file, matrix, tiling.tile_rows, tiling.tile_columns, {0}};
  const Contents contents = {fill_from, &source, file && tg_matrix_file_by_columns(file)};
  const double tile_bytes = (double)tg_tiling_tile(&tiling, 0, 0).bytes;
  if (file && !check_memory(to, tile_bytes + band_bytes(&source), wanted->limit_bytes, error)) return false;
  return make_file(to, &tiling, &contents, watch, error);
}

/* --- to other formats --------------------------------------------------------------------------------------------- */

typedef struct Reader {
  TgTiledFile *file;
  void *data; /* a tile */
  const TgWatch *watch;
  int64_t done;
  GError *error;
} Reader;

static bool read_tile(Reader *reader, const TgTile *tile, int64_t row, char *to) {
  const TgTiling *tiling = tg_tiled_file_tiling(reader->file);
  const size_t e = (size_t)tg_element_bytes(tiling->type), bytes = (size_t)tile->columns * e;
  if (!tg_tiled_file_read(reader->file, tile, reader->data, &reader->error)) return false;
  for (int64_t r = 0; r < tile->rows; r++) {
    const int64_t at = (tile->row - row + r) * tiling->columns + tile->column;
    memcpy(to + (size_t)at * e, (const char *)reader->data + (size_t)r * bytes, bytes);
  }
  return tg_watch_go_on(reader->watch, ++reader->done) || stopped(tg_tiled_file_path(reader->file), &reader->error);
}

/* Rows of whole tiles. */
static void read_rows(void *user, int64_t row, int64_t rows, void *to) {
  Reader *reader = user;
  const TgTiling *tiling = tg_tiled_file_tiling(reader->file);
  for (int64_t i = row / tiling->tile_rows; i * tiling->tile_rows < row + rows; i++)
    for (int64_t j = 0; j < tg_tiling_across(tiling) && !reader->error; j++) {
      const TgTile tile = tg_tiling_tile(tiling, i, j);
      read_tile(reader, &tile, row, to);
    }
}

static bool write_whole(Reader *reader, const char *to, uint64_t limit_bytes, GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(reader->file);
  g_autoptr(TgMatrix) matrix = tg_matrix_new(tiling->type, tiling->rows, tiling->columns, limit_bytes, error);
  if (!matrix) return false;
  read_rows(reader, 0, tiling->rows, matrix->data);
  return reader->error || tg_matrix_write(matrix, to, error);
}

static bool write_rows(Reader *reader, const char *to, GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(reader->file);
  const TgMatrix shape = {.type = tiling->type, .rows = tiling->rows, .columns = tiling->columns};
  const int64_t band = tiling->tile_rows * tiling->columns * tg_element_bytes(tiling->type);
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(to, error);
  if (!file || !tg_matrix_print_rows(&shape, read_rows, reader, band, to, tg_atomic_file_stream(file), error))
    return false;
  return reader->error || tg_atomic_file_commit(file, error);
}

bool tg_tiled_to_file(const char *from, const char *to, uint64_t limit_bytes, const TgWatch *watch, GError **error) {
  if (!tg_matrix_path_known(to, error)) return false;
  g_autoptr(TgTiledFile) file = tg_tiled_file_open(from, error);
  if (!file) return false;
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  const bool by_rows = tg_matrix_path_has_rows(to);
  const double tile_bytes = (double)tg_tiling_tile(tiling, 0, 0).bytes;
  const double row_bytes = (double)tiling->columns * (double)tg_element_bytes(tiling->type);
  if (by_rows && !check_memory(from, tile_bytes + (double)tiling->tile_rows * row_bytes, limit_bytes, error))
    return false;
  g_autofree void *tile = room_for_tile(from, tiling, error);
  if (!tile) return false;
  Reader reader = {.file = file, .data = tile, .watch = watch};
  const bool written = by_rows ? write_rows(&reader, to, error) : write_whole(&reader, to, limit_bytes, error);
  if (!reader.error) return written;
  g_clear_error(error);
  g_propagate_error(error, reader.error);
  return false;
}
