#include "raw.h"

#include "elements.h"

static bool request_complete(const char *name, const TgMatrixRequest *request, GError **error) {
  if (request->type != TG_TYPE_ANY && request->rows > 0 && request->columns > 0) return true;
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT,
              "%s: a raw file says neither its size nor its type: rows, columns and the type have to be given", name);
  return false;
}

static bool size_matches(const char *name, uint64_t size, const TgMatrixRequest *request, GError **error) {
  uint64_t bytes = 0;
  const uint64_t width = tg_type_bytes(request->type);
  const bool fits = g_uint64_checked_mul(&bytes, (uint64_t)request->rows, (uint64_t)request->columns) &&
                    g_uint64_checked_mul(&bytes, bytes, width);
  if (!fits)
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
                "%s: the size of a raw %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s matrix in bytes overflows", name,
                request->rows, request->columns, tg_type_name(request->type));
  else if (bytes != size)
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT,
                "%s: wrong size for a raw %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
                " %s matrix: expected %" G_GUINT64_FORMAT " bytes, found %" G_GUINT64_FORMAT,
                name, request->rows, request->columns, tg_type_name(request->type), bytes, size);
  return fits && bytes == size;
}

TgMatrix *tg_raw_parse(const char *name, const void *bytes, size_t size, const TgMatrixRequest *request,
                       GError **error) {
  if (!request_complete(name, request, error) || !size_matches(name, size, request, error)) return NULL;
  TgMatrix *matrix = tg_matrix_new(request->type, request->rows, request->columns, request->limit_bytes, error);
  if (!matrix) {
    g_prefix_error(error, "%s: ", name);
    return NULL;
  }
  const TgElementLayout layout = {.big_endian = G_BYTE_ORDER == G_BIG_ENDIAN};
  tg_elements_load(matrix, bytes, layout);
  return matrix;
}

bool tg_raw_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  return tg_elements_print(matrix, stream, error);
}
