#include "raw.h"

#include "elements.h"
#include "byte-source.h"

static bool request_complete(const char *name, const TgMatrixRequest *request, GError **error) {
  if (request->typed && request->rows > 0 && request->columns > 0) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s: a raw file stores neither its shape nor its type; give both (--size and --type)", name);
}

static bool size_in_bytes(const char *name, const TgMatrixRequest *request, uint64_t *bytes, GError **error) {
  if (g_uint64_checked_mul(bytes, (uint64_t)request->rows, (uint64_t)request->columns) &&
      g_uint64_checked_mul(bytes, *bytes, (uint64_t)tg_element_bytes(request->type)))
    return true;
  return TG_IO_FAIL(error, TOO_LARGE,
                    "%s: the size of a raw %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s matrix in bytes overflows",
                    name, request->rows, request->columns, tg_element_name(request->type));
}

static bool check_size(const char *name, const TgElementFile *file, uint64_t found, bool more, GError **error) {
  if (file->bytes == found && !more) return true;
  g_autofree char *count = more ? g_strdup("more") : g_strdup_printf("%" G_GUINT64_FORMAT, found);
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s: wrong size for a raw %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
                    " %s matrix: expected %" G_GUINT64_FORMAT " bytes, found %s",
                    name, file->rows, file->columns, tg_element_name(file->layout.type), file->bytes, count);
}

bool tg_raw_describe(TgByteSource *source, const TgMatrixRequest *request, TgElementFile *file, GError **error) {
  uint64_t bytes = 0;
  if (!request_complete(source->name, request, error) || !size_in_bytes(source->name, request, &bytes, error))
    return false;
  *file = (TgElementFile){.layout = {.type = request->type, .big_endian = G_BYTE_ORDER == G_BIG_ENDIAN},
                          .rows = request->rows,
                          .columns = request->columns,
                          .bytes = bytes,
                          .check = check_size};
  return true;
}

TgMatrix *tg_raw_read(TgByteSource *source, const TgMatrixRequest *request, GError **error) {
  TgElementFile file;
  return tg_raw_describe(source, request, &file, error)
             ? tg_elements_read(source, &file, request->type, request->limit_bytes, error)
             : NULL;
}

TgMatrix *tg_raw_parse(const char *name, const void *bytes, size_t size, const TgMatrixRequest *request,
                       GError **error) {
  TgByteSource source = tg_byte_source_of_memory(name, bytes, size);
  return tg_raw_read(&source, request, error);
}

bool tg_raw_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  return tg_elements_print(matrix, stream, error);
}
