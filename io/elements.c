#include "elements.h"

#include <errno.h>
#include <string.h>

/** Extent of the square tiles of a transposition: 64x64 f64 read and written fit in a first-level cache. */
enum { TILE = 64 };

static void swap_bytes(TgMatrix *matrix) {
  const int64_t elements = tg_matrix_elements(matrix);
  if (matrix->type == TG_TYPE_F32) {
    uint32_t *words = matrix->data;
    for (int64_t i = 0; i < elements; i++) words[i] = GUINT32_SWAP_LE_BE(words[i]);
  } else {
    uint64_t *words = matrix->data;
    for (int64_t i = 0; i < elements; i++) words[i] = GUINT64_SWAP_LE_BE(words[i]);
  }
}

static void transpose_tile(TgMatrix *matrix, const uint8_t *from, int64_t row, int64_t column) {
  const size_t width = tg_type_bytes(matrix->type);
  const int64_t last_row = MIN(row + TILE, matrix->rows), last_column = MIN(column + TILE, matrix->columns);
  uint8_t *to = matrix->data;
  for (int64_t r = row; r < last_row; r++)
    for (int64_t c = column; c < last_column; c++)
      memcpy(to + (size_t)(r * matrix->columns + c) * width, from + (size_t)(c * matrix->rows + r) * width, width);
}

void tg_elements_load(TgMatrix *matrix, const void *bytes, TgElementLayout layout) {
  if (!layout.columns_first)
    memcpy(matrix->data, bytes, tg_matrix_bytes(matrix));
  else
    for (int64_t row = 0; row < matrix->rows; row += TILE)
      for (int64_t column = 0; column < matrix->columns; column += TILE) transpose_tile(matrix, bytes, row, column);
  if (layout.big_endian != (G_BYTE_ORDER == G_BIG_ENDIAN)) swap_bytes(matrix);
}

bool tg_stream_accepted(bool accepted, GError **error) {
  if (!accepted) g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE, "cannot write: %s", g_strerror(errno));
  return accepted;
}

bool tg_elements_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  const size_t bytes = tg_matrix_bytes(matrix);
  return tg_stream_accepted(fwrite(matrix->data, 1, bytes, stream) == bytes, error);
}
