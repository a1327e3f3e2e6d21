#include "matrix-file.h"

#include "atomic-file.h"
#include "byte-source.h"
#include "mtx.h"
#include "npy.h"
#include "raw.h"

typedef struct FormatRow {
  const char *suffix;
  TgMatrix *(*read)(TgByteSource *source, const TgMatrixRequest *request, GError **error);
  bool (*print)(const TgMatrix *matrix, FILE *stream, GError **error);
} FormatRow;

static const FormatRow formats[] = {
    {".npy", tg_npy_read, tg_npy_print},
    {".mtx", tg_mtx_read, tg_mtx_print},
    {".raw", tg_raw_read, tg_raw_print},
    {".bin", tg_raw_read, tg_raw_print},
};

static const FormatRow *format_of(const char *path, GError **error) {
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_str_has_suffix(path, formats[i].suffix)) return &formats[i];
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
    g_string_append_printf(known, "%s%s", i ? ", " : "", formats[i].suffix);
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "%s: the suffix is not a matrix format; expected one of %s",
              path, known->str);
  return NULL;
}

bool tg_matrix_path_known(const char *path, GError **error) {
  return format_of(path, error) != NULL;
}

static bool shape_matches(const char *path, const TgMatrix *matrix, const TgMatrixRequest *request, GError **error) {
  const int64_t rows = request->rows ? request->rows : matrix->rows;
  const int64_t columns = request->columns ? request->columns : matrix->columns;
  if (rows == matrix->rows && columns == matrix->columns) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s: the matrix is %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT
                    "x%" G_GINT64_FORMAT,
                    path, matrix->rows, matrix->columns, rows, columns);
}

static TgMatrix *to_type(const char *path, TgMatrix *matrix, const TgMatrixRequest *request, GError **error) {
  if (!request->typed || request->type == matrix->type) return matrix;
  TgMatrix *converted = tg_matrix_convert(matrix, request->type, request->limit_bytes, error);
  if (!converted) g_prefix_error(error, "%s: ", path);
  tg_matrix_free(matrix);
  return converted;
}

TgMatrix *tg_matrix_read(const char *path, const TgMatrixRequest *request, GError **error) {
  static const TgMatrixRequest anything = {0};
  const TgMatrixRequest *wanted = request ? request : &anything;
  const FormatRow *format = format_of(path, error);
  if (!format) return NULL;
  g_auto(TgByteSource) source = {.descriptor = -1};
  if (!tg_byte_source_open(&source, path, error)) return NULL;
  g_autoptr(TgMatrix) matrix = format->read(&source, wanted, error);
  if (!matrix || !shape_matches(path, matrix, wanted, error)) return NULL;
  return to_type(path, g_steal_pointer(&matrix), wanted, error);
}

bool tg_matrix_print(const TgMatrix *matrix, const char *path, FILE *stream, GError **error) {
  const FormatRow *format = format_of(path, error);
  if (!format) return false;
  if (format->print(matrix, stream, error)) return true;
  g_prefix_error(error, "%s: ", path);
  return false;
}

bool tg_matrix_write(const TgMatrix *matrix, const char *path, GError **error) {
  if (!tg_matrix_path_known(path, error)) return false;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  return file && tg_matrix_print(matrix, path, tg_atomic_file_stream(file), error) &&
         tg_atomic_file_commit(file, error);
}
