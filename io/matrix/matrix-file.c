#include "matrix-file.h"

#include "atomic-file.h"
#include "byte-source.h"
#include "elements.h"
#include "mtx.h"
#include "npy.h"
#include "raw.h"

typedef struct FormatRow {
  const char *suffix;
  TgMatrix *(*read)(TgByteSource *source, const TgMatrixRequest *request, GError **error);
  bool (*print)(const TgMatrix *matrix, FILE *stream, GError **error);
  /* Of a format whose elements lie as they do in memory: */
  bool (*describe)(TgByteSource *source, const TgMatrixRequest *request, TgElementFile *file, GError **error);
  bool (*print_header)(const TgMatrix *matrix, FILE *stream, GError **error);
} FormatRow;

static bool no_header(const TgMatrix *matrix, FILE *stream, GError **error) {
  (void)matrix, (void)stream, (void)error;
  return true;
}

static const FormatRow formats[] = {
    {".npy", tg_npy_read, tg_npy_print, tg_npy_describe, tg_npy_print_header},
    {".mtx", tg_mtx_read, tg_mtx_print, NULL, NULL},
    {".raw", tg_raw_read, tg_raw_print, tg_raw_describe, no_header},
    {".bin", tg_raw_read, tg_raw_print, tg_raw_describe, no_header},
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

/* ---- parts ---- */

struct TgMatrixFile {
  char *path;
  TgByteSource source;
  TgElementFile elements;
  uint64_t begin; /**< of the elements, in bytes */
  TgMatrix shape;
};

static bool has_parts(const TgMatrixFile *file) {
  return file->source.size != TG_BYTES_UNKNOWN;
}

static bool describe(TgMatrixFile *file, const FormatRow *format, const TgMatrixRequest *request, GError **error) {
  TgByteSource *source = &file->source;
  TgElementFile *elements = &file->elements;
  if (!tg_byte_source_open(source, file->path, error) || !format->describe(source, request, elements, error))
    return false;
  file->begin = source->taken;
  file->shape = (TgMatrix){.type = request->typed ? request->type : elements->layout.type,
                           .rows = elements->rows,
                           .columns = elements->columns};
  return !has_parts(file) || (elements->check(source->name, elements, tg_byte_source_left(source), false, error) &&
                              shape_matches(file->path, &file->shape, request, error));
}

bool tg_matrix_file_open(const char *path, const TgMatrixRequest *request, TgMatrixFile **file, GError **error) {
  const FormatRow *format = format_of(path, error);
  *file = NULL;
  if (!format) return false;
  if (!format->describe || !g_file_test(path, G_FILE_TEST_IS_REGULAR)) return true;
  g_autoptr(TgMatrixFile) made = g_new0(TgMatrixFile, 1);
  made->path = g_strdup(path);
  made->source.descriptor = -1;
  if (!describe(made, format, request, error)) return false;
  if (has_parts(made)) *file = g_steal_pointer(&made);
  return true;
}

const TgMatrix *tg_matrix_file_shape(const TgMatrixFile *file) {
  return &file->shape;
}

bool tg_matrix_file_by_columns(const TgMatrixFile *file) {
  return file->elements.layout.columns_first;
}

bool tg_matrix_file_read(TgMatrixFile *file, const TgMatrixPart *part, TgMatrix *matrix, GError **error) {
  return tg_elements_read_part(&file->source, &file->elements, file->begin, part, matrix, error);
}

void tg_matrix_file_free(TgMatrixFile *file) {
  if (!file) return;
  tg_byte_source_close(&file->source);
  g_free(file->path);
  g_free(file);
}

bool tg_matrix_path_has_rows(const char *path) {
  const FormatRow *format = format_of(path, NULL);
  return format && format->print_header;
}

bool tg_matrix_print_rows(const TgMatrix *shape, TgMatrixRows *rows, void *data, int64_t piece_bytes, const char *path,
                          FILE *stream, GError **error) {
  const int64_t row_bytes = shape->columns * tg_element_bytes(shape->type);
  const int64_t at_once = CLAMP(piece_bytes / row_bytes, 1, shape->rows);
  g_autofree void *piece = stream ? g_malloc((gsize)(at_once * row_bytes)) : NULL;
  bool fine = !stream || format_of(path, NULL)->print_header(shape, stream, error);
  for (int64_t row = 0; row < shape->rows && fine; row += at_once) {
    const int64_t count = MIN(at_once, shape->rows - row);
    const size_t bytes = (size_t)(count * row_bytes);
    rows(data, row, count, piece);
    fine = !stream || tg_stream_accepted(fwrite(piece, 1, bytes, stream) == bytes, error);
  }
  if (!fine) g_prefix_error(error, "%s: ", path);
  return fine;
}
