#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "matrix.h"

#include "counter-random.h"
#include "elements.h"

#include <stdlib.h>
#include <sys/mman.h>

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

/* Takes the data; NULL: there are none. */
static TgMatrix *made(TgMatrix shape, void *data, uint64_t bytes, GError **error) {
  shape.data = data;
  if (data) return g_memdup2(&shape, sizeof shape);
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
              "a matrix of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s: the system refused its %" G_GUINT64_FORMAT
              " bytes",
              shape.rows, shape.columns, tg_element_name(shape.type), bytes);
  return NULL;
}

TgMatrix *tg_matrix_new(TgElement type, int64_t rows, int64_t columns, uint64_t limit_bytes, GError **error) {
  g_assert(type == TG_F32 || type == TG_F64);
  uint64_t bytes = 0;
  const TgMatrix shape = {.type = type, .rows = rows, .columns = columns};
  if (!matrix_bytes(type, rows, columns, &bytes, error) || !within_limit(&shape, bytes, limit_bytes, error))
    return NULL;
  return made(shape, calloc(1, (size_t)bytes) /* zeros that cost nothing until they are touched */, bytes, error);
}

TgMatrix *tg_matrix_new_for_parts(TgElement type, int64_t rows, int64_t columns, GError **error) {
  uint64_t bytes = 0;
  if (!matrix_bytes(type, rows, columns, &bytes, error)) return NULL;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *data = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (data != MAP_FAILED) madvise(data, (size_t)bytes, MADV_NOHUGEPAGE); /* they would take in what is beside a part */
  const TgMatrix shape = {.type = type, .rows = rows, .columns = columns, .mapped_bytes = (size_t)bytes};
  return made(shape, data == MAP_FAILED ? NULL : data, bytes, error);
}

void tg_matrix_drop_parts(TgMatrix *matrix) {
  if (matrix->mapped_bytes) madvise(matrix->data, matrix->mapped_bytes, MADV_DONTNEED);
}

void tg_matrix_free(TgMatrix *matrix) {
  if (!matrix) return;
  if (matrix->mapped_bytes)
    munmap(matrix->data, matrix->mapped_bytes);
  else
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

void tg_matrix_fill_part_uniform(TgMatrix *matrix, const TgMatrixPart *part, uint64_t seed) {
  for (int64_t row = part->row; row < part->row + part->rows; row++) {
    const int64_t begin = row * matrix->columns + part->column, end = begin + part->columns;
    if (matrix->type == TG_F32) {
      for (int64_t i = begin; i < end; i++) matrix->f32[i] = tg_random_uniform_f32(seed, (uint64_t)i);
    } else {
      for (int64_t i = begin; i < end; i++) matrix->f64[i] = tg_random_uniform_f64(seed, (uint64_t)i);
    }
  }
}

void tg_matrix_fill_uniform(TgMatrix *matrix, uint64_t seed) {
  const TgMatrixPart all = tg_matrix_part_whole(matrix->rows, matrix->columns);
  tg_matrix_fill_part_uniform(matrix, &all, seed);
}

void tg_matrix_fill_part_integers(TgMatrix *matrix, const TgMatrixPart *part, uint64_t seed, int32_t low,
                                  int32_t high) {
  g_assert(low <= high);
  for (int64_t row = part->row; row < part->row + part->rows; row++) {
    const int64_t begin = row * matrix->columns + part->column, end = begin + part->columns;
    if (matrix->type == TG_F32) {
      for (int64_t i = begin; i < end; i++) matrix->f32[i] = (float)tg_random_integer(seed, (uint64_t)i, low, high);
    } else {
      for (int64_t i = begin; i < end; i++) matrix->f64[i] = tg_random_integer(seed, (uint64_t)i, low, high);
    }
  }
}

void tg_matrix_fill_integers(TgMatrix *matrix, uint64_t seed, int32_t low, int32_t high) {
  const TgMatrixPart all = tg_matrix_part_whole(matrix->rows, matrix->columns);
  tg_matrix_fill_part_integers(matrix, &all, seed, low, high);
}
