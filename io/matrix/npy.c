#include "npy.h"
#include "elements.h"
#include "byte-source.h"

#include <string.h>

enum { PREAMBLE_BYTES = 8, LONGEST_WORD = 63, LONGEST_HEADER = 1 << 16 /* bytes; NumPy itself reads 10,000 */ };

/** The text of a header that is still unread. */
typedef struct Cursor {
  const char *name;
  const char *at;
  const char *end;
  GError **error;
} Cursor;

static bool fail(Cursor *cursor, const char *expected) {
  const size_t left = (size_t)(cursor->end - cursor->at);
  g_autofree char *found = tg_io_quote(cursor->at, left);
  return TG_IO_FAIL(cursor->error, BAD_INPUT, "%s: bad .npy header: expected %s, found %s%s%s", cursor->name, expected,
                    left ? "\"" : "", left ? found : "its end", left ? "\"" : "");
}

static void skip_space(Cursor *cursor) {
  while (cursor->at < cursor->end && g_ascii_isspace(*cursor->at)) cursor->at++;
}

static bool skip_if(Cursor *cursor, char wanted) {
  skip_space(cursor);
  const bool found = cursor->at < cursor->end && *cursor->at == wanted;
  if (found) cursor->at++;
  return found;
}

static bool expect(Cursor *cursor, char wanted) {
  const char expected[] = {'"', wanted, '"', '\0'};
  return skip_if(cursor, wanted) || fail(cursor, expected);
}

/** A Python string without escapes: what numpy.lib.format writes for the keys and for descr. */
static bool read_string(Cursor *cursor, char word[LONGEST_WORD + 1], const char *expected) {
  skip_space(cursor);
  if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"')) return fail(cursor, expected);
  const char *first = cursor->at + 1;
  const char *last = memchr(first, *cursor->at, (size_t)(cursor->end - first));
  if (!last || last - first > LONGEST_WORD || memchr(first, '\0', (size_t)(last - first)))
    return fail(cursor, expected);
  memcpy(word, first, (size_t)(last - first));
  word[last - first] = '\0';
  cursor->at = last + 1;
  return true;
}

typedef struct DtypeRow {
  const char *descr;
  TgElement type;
  bool big_endian;
} DtypeRow;

static const DtypeRow dtypes[] = {
    {"<f4", TG_F32, false}, {"<f8", TG_F64, false}, {">f4", TG_F32, true}, {">f8", TG_F64, true}};

static const char accepted_dtypes[] = "expected <f4, <f8, >f4 or >f8 (float32 or float64)";

static bool unknown_dtype(Cursor *cursor, const char *descr) {
  const size_t length = strlen(descr);
  g_autofree char *quoted = tg_io_quote(descr, length);
  const bool object = length && descr[length - 1] == 'O';
  return TG_IO_FAIL(cursor->error, BAD_INPUT, "%s: dtype %s%s is not supported: %s", cursor->name, quoted,
                    object ? " (an array of Python objects)" : "", accepted_dtypes);
}

static bool read_descr(Cursor *cursor, TgNpyHeader *header) {
  char descr[LONGEST_WORD + 1];
  skip_space(cursor);
  if (cursor->at < cursor->end && (*cursor->at == '[' || *cursor->at == '('))
    return unknown_dtype(cursor, "of records or sub-arrays");
  if (!read_string(cursor, descr, "a dtype in quotes")) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(dtypes); i++) {
    if (strcmp(descr, dtypes[i].descr) != 0) continue;
    header->type = dtypes[i].type;
    header->big_endian = dtypes[i].big_endian;
    return true;
  }
  return unknown_dtype(cursor, descr);
}

static bool skip_word(Cursor *cursor, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0) return false;
  cursor->at += length;
  return true;
}

static bool read_fortran_order(Cursor *cursor, TgNpyHeader *header) {
  skip_space(cursor);
  header->fortran_order = skip_word(cursor, "True");
  return header->fortran_order || skip_word(cursor, "False") || fail(cursor, "True or False for fortran_order");
}

static bool read_extent(Cursor *cursor, int64_t *extent) {
  const char *first = cursor->at;
  uint64_t value = 0;
  for (; cursor->at < cursor->end && g_ascii_isdigit(*cursor->at); cursor->at++) {
    const bool fits = g_uint64_checked_mul(&value, value, 10) &&
                      g_uint64_checked_add(&value, value, (uint64_t)(*cursor->at - '0')) && value <= INT64_MAX;
    if (fits) continue;
    cursor->at = first;
    return fail(cursor, "an extent below 2^63");
  }
  if (cursor->at == first || value == 0) {
    cursor->at = first;
    return fail(cursor, "an extent of at least 1");
  }
  skip_word(cursor, "L"); /* a long integer of Python 2 */
  *extent = (int64_t)value;
  return true;
}

static bool read_shape(Cursor *cursor, TgNpyHeader *header) {
  int64_t extents[2] = {1, 1};
  header->dimensions = 0;
  if (!expect(cursor, '(')) return false;
  while (!skip_if(cursor, ')')) {
    if (header->dimensions == 2) return fail(cursor, "no more than two dimensions");
    if (!read_extent(cursor, &extents[header->dimensions++])) return false;
    if (skip_if(cursor, ',')) continue;
    if (!expect(cursor, ')')) return false;
    break;
  }
  header->rows = header->dimensions == 2 ? extents[0] : 1;
  header->columns = header->dimensions == 2 ? extents[1] : extents[0];
  return true;
}

typedef struct KeyRow {
  const char *key;
  bool (*read)(Cursor *cursor, TgNpyHeader *header);
} KeyRow;

static const KeyRow keys[] = {{"descr", read_descr}, {"fortran_order", read_fortran_order}, {"shape", read_shape}};

static bool read_member(Cursor *cursor, TgNpyHeader *header, bool seen[G_N_ELEMENTS(keys)]) {
  static const char expected[] = "one each of the keys 'descr', 'fortran_order' and 'shape'";
  char key[LONGEST_WORD + 1];
  const char *start = cursor->at;
  if (!read_string(cursor, key, expected)) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (seen[i] || strcmp(key, keys[i].key) != 0) continue;
    seen[i] = true;
    return expect(cursor, ':') && keys[i].read(cursor, header);
  }
  cursor->at = start;
  return fail(cursor, expected);
}

static bool read_dictionary(Cursor *cursor, TgNpyHeader *header) {
  bool seen[G_N_ELEMENTS(keys)] = {false};
  if (!expect(cursor, '{')) return false;
  for (size_t members = 0; members < G_N_ELEMENTS(keys); members++) {
    if (!read_member(cursor, header, seen)) return false;
    if (!skip_if(cursor, ',') && members + 1 < G_N_ELEMENTS(keys)) return fail(cursor, "\",\"");
  }
  if (!expect(cursor, '}')) return false;
  skip_space(cursor);
  return cursor->at == cursor->end || fail(cursor, "spaces after \"}\"");
}

static bool truncated(const char *name, const char *part, uint64_t expected, uint64_t found, GError **error) {
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s: truncated .npy %s: expected %" G_GUINT64_FORMAT " bytes, found %" G_GUINT64_FORMAT, name, part,
                    expected, found);
}

/** Sets cursor to the header's text. Its length is 2 bytes in version 1.0, 4 bytes afterwards, little endian. */
static bool find_text(Cursor *cursor, const uint8_t *bytes, size_t size) {
  if (size == 0 || memcmp(bytes, "\x93NUMPY", MIN(size, (size_t)6)) != 0)
    return TG_IO_FAIL(cursor->error, BAD_INPUT, "%s: %s: a .npy file begins with the bytes \\x93NUMPY", cursor->name,
                      size == 0 ? "the file is empty" : "not a .npy file");
  if (size < PREAMBLE_BYTES) return truncated(cursor->name, "preamble", PREAMBLE_BYTES, size, cursor->error);
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
    return TG_IO_FAIL(cursor->error, BAD_INPUT, "%s: .npy version %d.%d is not supported: expected 1.0, 2.0 or 3.0",
                      cursor->name, bytes[6], bytes[7]);
  const size_t start = PREAMBLE_BYTES + (bytes[6] == 1 ? 2 : 4);
  if (size < start) return truncated(cursor->name, "preamble", start, size, cursor->error);
  uint64_t length = 0;
  for (size_t i = start; i > PREAMBLE_BYTES; i--) length = length << 8 | bytes[i - 1];
  if (length > size - start) return truncated(cursor->name, "header", length, size - start, cursor->error);
  cursor->at = (const char *)bytes + start;
  cursor->end = cursor->at + length;
  return true;
}

bool tg_npy_parse_header(const char *name, const void *bytes, size_t size, TgNpyHeader *header, GError **error) {
  Cursor cursor = {.name = name, .error = error};
  *header = (TgNpyHeader){0};
  if (!find_text(&cursor, bytes, size)) return false;
  header->data_offset = (uint64_t)(cursor.end - (const char *)bytes);
  if (!read_dictionary(&cursor, header)) return false;
  uint64_t elements = 0;
  const bool fits = g_uint64_checked_mul(&elements, (uint64_t)header->rows, (uint64_t)header->columns) &&
                    g_uint64_checked_mul(&header->data_bytes, elements, (uint64_t)tg_element_bytes(header->type));
  if (!fits)
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
                "%s: the size of a %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " %s array in bytes overflows", name,
                header->rows, header->columns, tg_element_name(header->type));
  return fits;
}

/** Up to `count` more bytes of the header. */
static bool fetch(TgByteSource *source, GByteArray *bytes, uint64_t count, GError **error) {
  const guint length = bytes->len;
  uint64_t got = 0;
  g_byte_array_set_size(bytes, length + (guint)count);
  const bool good = tg_byte_source_take(source, bytes->data + length, count, &got, error);
  g_byte_array_set_size(bytes, length + (guint)got);
  return good;
}

static bool is_known(const uint8_t preamble[PREAMBLE_BYTES]) {
  return memcmp(preamble, "\x93NUMPY", 6) == 0 && preamble[6] >= 1 && preamble[6] <= 3 && preamble[7] == 0;
}

/** The bytes before the first element, or as many as are there. */
static bool fetch_header(TgByteSource *source, GByteArray *bytes, GError **error) {
  uint64_t length = 0;
  if (!fetch(source, bytes, PREAMBLE_BYTES, error)) return false;
  if (bytes->len < PREAMBLE_BYTES || !is_known(bytes->data)) return true;
  if (!fetch(source, bytes, bytes->data[6] == 1 ? 2 : 4, error)) return false;
  for (guint i = bytes->len; i > PREAMBLE_BYTES; i--) length = length << 8 | bytes->data[i - 1];
  if (!fetch(source, bytes, MIN(length, (uint64_t)LONGEST_HEADER), error)) return false;
  if (length <= LONGEST_HEADER || bytes->len < LONGEST_HEADER) return true;
  return TG_IO_FAIL(error, TOO_LARGE,
                    "%s: a .npy header of %" G_GUINT64_FORMAT " bytes is larger than the limit of %d bytes",
                    source->name, length, LONGEST_HEADER);
}

static bool read_header(TgByteSource *source, TgNpyHeader *header, GError **error) {
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  return fetch_header(source, bytes, error) &&
         tg_npy_parse_header(source->name, bytes->data, bytes->len, header, error);
}

static bool check_size(const char *name, const TgElementFile *file, uint64_t found, bool more, GError **error) {
  if (found < file->bytes) return truncated(name, "data", file->bytes, found, error);
  if (found == file->bytes && !more) return true;
  g_autofree char *count = more ? g_strdup("more") : g_strdup_printf("%" G_GUINT64_FORMAT, found - file->bytes);
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s: %s bytes follow the %" G_GUINT64_FORMAT " bytes of data that the header announces", name,
                    count, file->bytes);
}

bool tg_npy_describe(TgByteSource *source, const TgMatrixRequest *request, TgElementFile *file, GError **error) {
  TgNpyHeader header;
  (void)request;
  if (!read_header(source, &header, error)) return false;
  *file = (TgElementFile){.layout = {header.type, header.big_endian, header.fortran_order},
                          .rows = header.rows,
                          .columns = header.columns,
                          .bytes = header.data_bytes,
                          .check = check_size};
  return true;
}

TgMatrix *tg_npy_read(TgByteSource *source, const TgMatrixRequest *request, GError **error) {
  TgElementFile file;
  if (!tg_npy_describe(source, request, &file, error)) return NULL;
  return tg_elements_read(source, &file, request->typed ? request->type : file.layout.type, request->limit_bytes,
                          error);
}

TgMatrix *tg_npy_parse(const char *name, const void *bytes, size_t size, uint64_t limit_bytes, GError **error) {
  TgByteSource source = tg_byte_source_of_memory(name, bytes, size);
  return tg_npy_read(&source, &(TgMatrixRequest){.limit_bytes = limit_bytes}, error);
}

/** The preamble, the dictionary, and spaces up to a line end that makes the whole a multiple of 64 bytes. NumPy since
 * 1.23 also leaves room for the first extent to grow to 21 digits; so the bytes are the same as NumPy's. */
static GString *header_text(const TgMatrix *matrix) {
  enum { ALIGNMENT = 64, START_BYTES = 10, GROWTH_DIGITS = 21 };
  GString *text = g_string_new_len("\x93NUMPY\x01\0\0\0", START_BYTES);
  g_string_append_printf(text, "{'descr': '%cf%d', 'fortran_order': False, 'shape': (%" G_GINT64_FORMAT,
                         G_BYTE_ORDER == G_BIG_ENDIAN ? '>' : '<', (int)tg_element_bytes(matrix->type), matrix->rows);
  const size_t digits = text->len - (size_t)(strrchr(text->str + START_BYTES, '(') + 1 - text->str);
  g_string_append_printf(text, ", %" G_GINT64_FORMAT "), }", matrix->columns);
  for (size_t i = digits; i < GROWTH_DIGITS; i++) g_string_append_c(text, ' ');
  while ((text->len + 1) % ALIGNMENT != 0) g_string_append_c(text, ' ');
  g_string_append_c(text, '\n');
  const size_t length = text->len - START_BYTES;
  text->str[8] = (char)(length & 0xff);
  text->str[9] = (char)(length >> 8);
  return text;
}

bool tg_npy_print_header(const TgMatrix *matrix, FILE *stream, GError **error) {
  g_autoptr(GString) header = header_text(matrix);
  return tg_stream_accepted(fwrite(header->str, 1, header->len, stream) == header->len, error);
}

bool tg_npy_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  return tg_npy_print_header(matrix, stream, error) && tg_elements_print(matrix, stream, error);
}
