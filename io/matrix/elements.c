#include "elements.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Tiles of a transposition are square: 64x64 f64 fit in a first-level cache. The pieces of a file, whose columns are
 * transposed, are so large because each of them writes to all pages of the matrix. */
enum { TILE = 64, LEAST_PIECE_BYTES = 16 << 20, LEAST_PIECES = 8 };

static void to_native(void *elements, TgElementLayout layout, int64_t count) {
  if (layout.big_endian == (G_BYTE_ORDER == G_BIG_ENDIAN)) return;
  if (layout.type == TG_F32) {
    uint32_t *words = elements;
    for (int64_t i = 0; i < count; i++) words[i] = GUINT32_SWAP_LE_BE(words[i]);
  } else {
    uint64_t *words = elements;
    for (int64_t i = 0; i < count; i++) words[i] = GUINT64_SWAP_LE_BE(words[i]);
  }
}

/* ---- types ---- */

static int64_t narrow(float *to, const double *from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    to[i] = (float)from[i];
    if (isinf(to[i]) && !isinf(from[i])) return i;
  }
  return -1;
}

int64_t tg_elements_convert(void *to, TgElement to_type, const void *from, TgElement from_type, int64_t count) {
  if (to_type == from_type) {
    memcpy(to, from, (size_t)(count * tg_element_bytes(to_type)));
    return -1;
  }
  if (to_type == TG_F32) return narrow(to, from, count);
  double *wide = to;
  for (int64_t i = 0; i < count; i++) wide[i] = (double)((const float *)from)[i];
  return -1;
}

bool tg_element_unfit(int64_t row, int64_t column, double value, TgElement type, GError **error) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  return TG_IO_FAIL(error, BAD_INPUT,
                    "element (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "), counted from 0, is %s and does not fit %s",
                    row, column, g_ascii_dtostr(number, sizeof number, value), tg_element_name(type));
}

/* ---- pieces of a file ---- */

typedef struct Reading {
  TgByteSource *source;
  TgMatrix *matrix;
  TgElementLayout layout;
  int64_t run;      /* elements that are neighbours in the file and in a column of the matrix, or in all of it */
  int64_t capacity; /* elements of a piece */
  uint8_t *piece;
} Reading;

/** Elements of the piece that begins with number `first`: whole runs, as many as a piece takes, or a part of one. */
static int64_t piece_elements(const Reading *reading, int64_t first) {
  const int64_t left = tg_matrix_elements(reading->matrix) - first, run = reading->run;
  if (reading->capacity < run) return MIN(reading->capacity, run - first % run);
  return MIN(reading->capacity / run * run, left);
}

static bool unfit(const Reading *reading, int64_t row, int64_t column, const void *element, GError **error) {
  tg_element_unfit(row, column, *(const double *)element, reading->matrix->type, error);
  g_prefix_error(error, "%s: ", reading->source->name);
  return false;
}

static bool place_rows(const Reading *reading, int64_t first, int64_t count, GError **error) {
  TgMatrix *matrix = reading->matrix;
  const size_t width = (size_t)tg_element_bytes(reading->layout.type);
  uint8_t *to = (uint8_t *)matrix->data + first * tg_element_bytes(matrix->type);
  const int64_t bad = tg_elements_convert(to, matrix->type, reading->piece, reading->layout.type, count),
                at = first + bad;
  if (bad < 0) return true;
  return unfit(reading, at / matrix->columns, at % matrix->columns, reading->piece + (size_t)bad * width, error);
}

/** The piece as columns of the matrix, from element (row, column) on. */
typedef struct Columns {
  int64_t row, column, height, width;
} Columns;

/** A part of them, from their row and column on. */
typedef struct Tile {
  int64_t row, column, height, width;
  union {
    float f32[TILE * TILE];
    double f64[TILE * TILE];
  }; /**< column by column, TILE places each, in the matrix's type */
} Tile;

static bool load_tile(const Reading *reading, const Columns *all, Tile *tile, GError **error) {
  const TgElement type = reading->layout.type, to = reading->matrix->type;
  const size_t width = (size_t)tg_element_bytes(type), column_bytes = (size_t)(TILE * tg_element_bytes(to));
  for (int64_t c = 0; c < tile->width; c++) {
    const uint8_t *from = reading->piece + (size_t)((tile->column + c) * all->height + tile->row) * width;
    uint8_t *column = (uint8_t *)tile->f64 + (size_t)c * column_bytes;
    const int64_t bad = tg_elements_convert(column, to, from, type, tile->height);
    if (bad < 0) continue;
    return unfit(reading, all->row + tile->row + bad, all->column + tile->column + c, from + (size_t)bad * width,
                 error);
  }
  return true;
}

static void store_tile(TgMatrix *matrix, const Columns *all, const Tile *tile) {
  const size_t width = (size_t)tg_element_bytes(matrix->type);
  for (int64_t r = 0; r < tile->height; r++) {
    const int64_t place = (all->row + tile->row + r) * matrix->columns + all->column + tile->column;
    uint8_t *to = (uint8_t *)matrix->data + (size_t)place * width;
    const uint8_t *from = (const uint8_t *)tile->f64 + (size_t)r * width;
    for (int64_t c = 0; c < tile->width; c++) memcpy(to + (size_t)c * width, from + (size_t)(c * TILE) * width, width);
  }
}

/** Columns, or a part of one, from element number `first` of the file on. */
static bool place_columns(const Reading *reading, int64_t first, int64_t count, GError **error) {
  const int64_t rows = reading->matrix->rows, height = MIN(count, rows);
  const Columns all = {first % rows, first / rows, height, count / height};
  Tile tile;
  for (tile.row = 0; tile.row < all.height; tile.row += TILE)
    for (tile.column = 0; tile.column < all.width; tile.column += TILE) {
      tile.height = MIN(TILE, all.height - tile.row);
      tile.width = MIN(TILE, all.width - tile.column);
      if (!load_tile(reading, &all, &tile, error)) return false;
      store_tile(reading->matrix, &all, &tile);
    }
  return true;
}

static bool place_piece(const Reading *reading, int64_t first, int64_t count, GError **error) {
  to_native(reading->piece, reading->layout, count);
  return reading->layout.columns_first ? place_columns(reading, first, count, error)
                                       : place_rows(reading, first, count, error);
}

static bool read_pieces(const Reading *reading, uint64_t *got, GError **error) {
  const int64_t elements = tg_matrix_elements(reading->matrix);
  const uint64_t width = (uint64_t)tg_element_bytes(reading->layout.type);
  for (int64_t first = 0, count; first < elements; first += count) {
    uint64_t came = 0;
    count = piece_elements(reading, first);
    if (!tg_byte_source_take(reading->source, reading->piece, (uint64_t)count * width, &came, error)) return false;
    *got += came;
    if (came < (uint64_t)count * width) return true;
    if (!place_piece(reading, first, count, error)) return false;
  }
  return true;
}

/** As they lie in memory, but for the order of bytes. */
static bool read_straight(TgByteSource *source, TgMatrix *matrix, TgElementLayout layout, uint64_t *got,
                          GError **error) {
  if (!tg_byte_source_take(source, matrix->data, tg_matrix_bytes(matrix), got, error)) return false;
  to_native(matrix->data, layout, tg_matrix_elements(matrix));
  return true;
}

static bool no_memory(const char *name, int64_t bytes, GError **error) {
  return TG_IO_FAIL(error, TOO_LARGE, "%s: the system refused %" G_GINT64_FORMAT " bytes to read the file in pieces",
                    name, bytes);
}

/** `*got` is the number of bytes that came: fewer where the source ends. */
static bool fill(TgByteSource *source, TgMatrix *matrix, TgElementLayout layout, uint64_t *got, GError **error) {
  const int64_t elements = tg_matrix_elements(matrix), width = tg_element_bytes(layout.type);
  const int64_t capacity = MIN(elements, MAX(elements / LEAST_PIECES, LEAST_PIECE_BYTES / width));
  if (!layout.columns_first && layout.type == matrix->type) return read_straight(source, matrix, layout, got, error);
  const Reading reading = {.source = source,
                           .matrix = matrix,
                           .layout = layout,
                           .run = layout.columns_first ? matrix->rows : elements,
                           .capacity = capacity,
                           .piece = g_try_malloc((gsize)(capacity * width))};
  const bool good =
      reading.piece ? read_pieces(&reading, got, error) : no_memory(source->name, capacity * width, error);
  g_free(reading.piece);
  return good;
}

TgMatrix *tg_elements_read(TgByteSource *source, const TgElementFile *file, TgElement type, uint64_t limit_bytes,
                           GError **error) {
  const uint64_t left = tg_byte_source_left(source);
  if (left != TG_BYTES_UNKNOWN && !file->check(source->name, file, left, false, error)) return NULL;
  g_autoptr(TgMatrix) matrix = tg_matrix_new(type, file->rows, file->columns, limit_bytes, error);
  if (!matrix) {
    g_prefix_error(error, "%s: ", source->name);
    return NULL;
  }
  uint64_t found = 0, behind = 0;
  uint8_t byte;
  const bool good = fill(source, matrix, file->layout, &found, error) &&
                    tg_byte_source_take(source, &byte, 1, &behind, error) &&
                    file->check(source->name, file, found, behind > 0, error);
  return good ? g_steal_pointer(&matrix) : NULL;
}

/* ---- a part of a file ---- */

/** What is read at once: a row of the part, or a column where the file has those. */
typedef struct Run {
  void *piece, *converted; /**< `converted` is NULL where the elements go to their place at once */
  int64_t row, column, count;
} Run;

/** To their places in a column of the matrix. */
static void scatter(const Run *run, TgMatrix *matrix) {
  const size_t width = (size_t)tg_element_bytes(matrix->type);
  uint8_t *to = (uint8_t *)matrix->data + (size_t)(run->row * matrix->columns + run->column) * width;
  for (int64_t i = 0; i < run->count; i++)
    memcpy(to + (size_t)(i * matrix->columns) * width, (const uint8_t *)run->converted + (size_t)i * width, width);
}

/** From the run's first element on, to the same place of the matrix. */
static bool read_run(TgByteSource *source, const TgElementFile *file, uint64_t begin, const Run *run, TgMatrix *matrix,
                     GError **error) {
  const bool down = file->layout.columns_first;
  const int64_t width = tg_element_bytes(file->layout.type);
  const int64_t first = down ? run->column * file->rows + run->row : run->row * file->columns + run->column;
  uint8_t *place =
      (uint8_t *)matrix->data + (run->row * matrix->columns + run->column) * tg_element_bytes(matrix->type);
  uint64_t got;
  if (!tg_byte_source_seek(source, begin + (uint64_t)(first * width), error) ||
      !tg_byte_source_take(source, run->piece, (uint64_t)(run->count * width), &got, error))
    return false;
  to_native(run->piece, file->layout, run->count);
  const int64_t bad =
      tg_elements_convert(down ? run->converted : place, matrix->type, run->piece, file->layout.type, run->count);
  if (bad < 0 && down) scatter(run, matrix);
  if (bad < 0) return true;
  const Reading reading = {.source = source, .matrix = matrix};
  return unfit(&reading, run->row + (down ? bad : 0), run->column + (down ? 0 : bad),
               (const uint8_t *)run->piece + bad * width, error);
}

bool tg_elements_read_part(TgByteSource *source, const TgElementFile *file, uint64_t begin, const TgMatrixPart *part,
                           TgMatrix *matrix, GError **error) {
  const bool down = file->layout.columns_first;
  const int64_t count = down ? part->rows : part->columns, runs = down ? part->columns : part->rows;
  const int64_t bytes = count * tg_element_bytes(file->layout.type);
  if (count == 0 || runs == 0) return true;
  g_autofree void *piece = g_try_malloc((gsize)bytes);
  g_autofree void *converted = down ? g_try_malloc((gsize)(count * tg_element_bytes(matrix->type))) : NULL;
  if (!piece || (down && !converted)) return no_memory(source->name, bytes, error);
  for (int64_t r = 0; r < runs; r++) {
    const Run run = {piece, converted, part->row + (down ? 0 : r), part->column + (down ? r : 0), count};
    if (!read_run(source, file, begin, &run, matrix, error)) return false;
  }
  return true;
}

/* ---- writing ---- */

bool tg_stream_accepted(bool accepted, GError **error) {
  if (!accepted) g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE, "cannot write: %s", g_strerror(errno));
  return accepted;
}

bool tg_elements_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  const size_t bytes = tg_matrix_bytes(matrix);
  return tg_stream_accepted(fwrite(matrix->data, 1, bytes, stream) == bytes, error);
}
