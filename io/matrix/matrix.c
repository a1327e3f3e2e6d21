#include "matrix.h"

#include "counter-random.h"
#include "elements.h"

#include <stdlib.h>

static bool matrix_bytes(TgElement type, int64_t rows, int64_t columns, uint64_t *bytes, GError **error) {
  if (rows < 1 || columns < 1)
    return TG_IO_FAIL(error, BAD_INPUT,
                      "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ": both extents must be at least 1", rows,
                      columns);
  uint64_t elements = 0;
  const bool fits = g_uint64_checked_mul(&elements, (uint64_t)rows, (uint64_t)columns) &&
                    g_uint64_checked_mul(bytes, elements, (uint64_t)tg_element_bytes(type)) && *bytes <= PTRDIFF_MAX;
  if (!fits)
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
                "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s: its size in bytes overflows", rows, columns,
                tg_element_name(type));
  return fits;
}

static bool within_limit(const TgMatrix *shape, uint64_t bytes, uint64_t limit_bytes, GError **error) {
  const uint64_t limit = limit_bytes ? limit_bytes : tg_memory_available_bytes();
  if (bytes <= limit) return true;
  return TG_IO_FAIL(error, TOO_LARGE,
                    "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s needs %" G_GUINT64_FORMAT
                    " bytes; the limit is %" G_GUINT64_FORMAT " bytes (%s)",
                    shape->rows, shape->columns, tg_element_name(shape->type), bytes, limit,
                    limit_bytes ? "set by the caller" : "the memory available");
}

TgMatrix *tg_matrix_new(TgElement type, int64_t rows, int64_t columns, uint64_t limit_bytes, GError **error) {
  g_assert(type == TG_F32 || type == TG_F64);
  uint64_t bytes = 0;
  const TgMatrix shape = {.type = type, .rows = rows, .columns = columns};
  if (!matrix_bytes(type, rows, columns, &bytes, error) || !within_limit(&shape, bytes, limit_bytes, error))
    return NULL;
  void *data = calloc(1, (size_t)bytes); /* pages of zeros that cost nothing until they are touched */
  if (!data) {
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
                "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s: the system refused its %" G_GUINT64_FORMAT
                " bytes",
                rows, columns, tg_element_name(type), bytes);
    return NULL;
  }
  TgMatrix *matrix = g_new(TgMatrix, 1);
  *matrix = shape;
  matrix->data = data;
  return matrix;
}

void tg_matrix_free(TgMatrix *matrix) {
  if (!matrix) return;
  free(matrix->data);
  g_free(matrix);
}

TgMatrix *tg_matrix_convert(const TgMatrix *matrix, TgElement type, uint64_t limit_bytes, GError **error) {
  g_autoptr(TgMatrix) copy = tg_matrix_new(type, matrix->rows, matrix->columns, limit_bytes, error);
  if (!copy) return NULL;
  const int64_t bad = tg_elements_convert(copy->data, type, matrix->data, matrix->type, tg_matrix_elements(matrix));
  if (bad < 0) return g_steal_pointer(&copy);
  tg_element_unfit(bad / matrix->columns, bad % matrix->columns, matrix->f64[bad], type, error);
  return NULL;
}

void tg_matrix_fill_uniform(TgMatrix *matrix, uint64_t seed) {
  const int64_t elements = tg_matrix_elements(matrix);
  if (matrix->type == TG_F32) {
    for (int64_t i = 0; i < elements; i++) matrix->f32[i] = tg_random_uniform_f32(seed, (uint64_t)i);
  } else {
    for (int64_t i = 0; i < elements; i++) matrix->f64[i] = tg_random_uniform_f64(seed, (uint64_t)i);
  }
}

void tg_matrix_fill_integers(TgMatrix *matrix, uint64_t seed, int32_t low, int32_t high) {
  g_assert(low <= high);
  const int64_t elements = tg_matrix_elements(matrix);
  if (matrix->type == TG_F32) {
    for (int64_t i = 0; i < elements; i++) matrix->f32[i] = (float)tg_random_integer(seed, (uint64_t)i, low, high);
  } else {
    for (int64_t i = 0; i < elements; i++) matrix->f64[i] = tg_random_integer(seed, (uint64_t)i, low, high);
  }
}
