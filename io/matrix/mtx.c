#include "mtx.h"
#include "byte-source.h"
#include "elements.h"

#include <math.h>
#include <string.h>

enum {
  TG_LONGEST_LINE = (1 << 16) - 1, /**< bytes, without the newline */
  TG_MOST_COMMENTS = 1 << 20,      /**< bytes of comments and blank lines in a row */
  BUFFER_BYTES = TG_LONGEST_LINE + 1
};

/** A word of a line; not terminated. Until the next line is read. */
typedef struct TgWord {
  const char *at;
  size_t length;
} TgWord;

typedef struct TgTextLines {
  TgByteSource *source; /**< its name begins each error message */
  char *buffer;         /**< BUFFER_BYTES */
  size_t begin;         /**< of what is in the buffer and not yet read … */
  size_t end;           /**< … and its end */
  bool drained;         /**< nothing comes after the buffer */
  bool failed;          /**< `error` is set; later errors are not */
  int64_t number;       /**< of the current line, from 1 */
  TgWord rest;          /**< of the current line */
  GError **error;
} TgTextLines;

/** Bytes after the current line, or TG_BYTES_UNKNOWN. */
static uint64_t text_lines_left(const TgTextLines *lines) {
  const uint64_t left = tg_byte_source_left(lines->source);
  return left == TG_BYTES_UNKNOWN ? left : left + (lines->end - lines->begin);
}

/** Sets TG_IO_ERROR_BAD_INPUT as "name:line: ...". Always false. */
static bool TG_PRINTF(2, 3) text_lines_fail(TgTextLines *lines, const char *format, ...) {
  if (lines->failed) return false;
  lines->failed = true;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return TG_IO_FAIL(lines->error, BAD_INPUT, "%s:%" G_GINT64_FORMAT ": %s", lines->source->name,
                    MAX(lines->number, (int64_t)1), message);
}

/** "name:line: expected EXPECTED, found WORD" (an empty word: the end of the line). Always false. */
static bool text_lines_expected(TgTextLines *lines, const char *expected, TgWord found) {
  if (found.length == 0) return text_lines_fail(lines, "expected %s, found the end of the line", expected);
  g_autofree char *quoted = tg_io_quote(found.at, found.length);
  return text_lines_fail(lines, "expected %s, found \"%s\"", expected, quoted);
}

/** Moves the beginning of a line to the front of the buffer and reads what follows it. */
static bool fill(TgTextLines *lines) {
  uint64_t got = 0;
  lines->end -= lines->begin;
  memmove(lines->buffer, lines->buffer + lines->begin, lines->end);
  lines->begin = 0;
  const uint64_t wanted = BUFFER_BYTES - lines->end;
  lines->failed = !tg_byte_source_take(lines->source, lines->buffer + lines->end, wanted, &got, lines->error);
  lines->end += got;
  lines->drained = got < wanted;
  return !lines->failed;
}

/** The end of the line that begins the unread text; NULL where it has no newline. */
static const char *find_newline(const TgTextLines *lines) {
  return memchr(lines->buffer + lines->begin, '\n', lines->end - lines->begin);
}

/** Goes to the next line. False at the end of the text, without an error, and where `failed` is set. */
static bool text_lines_next(TgTextLines *lines) {
  if (lines->failed || (!find_newline(lines) && !lines->drained && !fill(lines))) return false;
  const char *stop = find_newline(lines);
  const size_t left = lines->end - lines->begin;
  if (left == 0) return false;
  lines->number++;
  if (!stop && !lines->drained)
    return text_lines_fail(lines, "a line of more than %d bytes, the limit", (int)TG_LONGEST_LINE);
  lines->rest.at = lines->buffer + lines->begin;
  lines->rest.length = stop ? (size_t)(stop - lines->rest.at) : left;
  lines->begin += lines->rest.length + (stop ? 1 : 0);
  return true;
}

static void skip_space(TgTextLines *lines) {
  TgWord *rest = &lines->rest;
  while (rest->length && g_ascii_isspace(*rest->at)) {
    rest->at++;
    rest->length--;
  }
}

/** Goes to the next line that is neither blank nor a comment, which begins with `mark`. False as above. */
static bool text_lines_next_content(TgTextLines *lines, char mark) {
  for (size_t skipped = 0; skipped <= TG_MOST_COMMENTS;) {
    if (!text_lines_next(lines)) return false;
    skipped += lines->rest.length + 1;
    skip_space(lines);
    if (lines->rest.length && *lines->rest.at != mark) return true;
  }
  return text_lines_fail(lines, "more than %d consecutive bytes of comments and blank lines, the limit",
                         (int)TG_MOST_COMMENTS);
}

/** Takes the next word of the line; its length is 0 at the end of the line. */
static TgWord text_lines_word(TgTextLines *lines) {
  skip_space(lines);
  TgWord word = {.at = lines->rest.at};
  while (word.length < lines->rest.length && !g_ascii_isspace(word.at[word.length])) word.length++;
  lines->rest.at += word.length;
  lines->rest.length -= word.length;
  return word;
}

/** The rest of the line is blank; else an error. */
static bool text_lines_finish(TgTextLines *lines, const char *expected) {
  const TgWord word = text_lines_word(lines);
  return word.length == 0 || text_lines_expected(lines, expected, word);
}

/** `word` is `text`, upper and lower case alike. */
static bool word_is(TgWord word, const char *text) {
  return strlen(text) == word.length && g_ascii_strncasecmp(word.at, text, word.length) == 0;
}

enum { LONGEST_NUMBER = 511 };

typedef enum Format { ARRAY, COORDINATE } Format;
typedef enum Field { REAL, INTEGER, PATTERN } Field;
typedef enum Symmetry { GENERAL, SYMMETRIC, SKEW } Symmetry;

typedef struct Reader {
  TgTextLines lines;
  int format;
  int field;
  int symmetry;
  int64_t rows;
  int64_t columns;
  int64_t entries; /**< lines that follow the sizes */
  TgMatrix *matrix;
} Reader;

typedef struct HeaderWord {
  const char *expected;
  const char *names[4]; /**< the value is the index */
  size_t offset;        /**< of the value in Reader */
} HeaderWord;

static const HeaderWord header_words[] = {
    {"array or coordinate", {"array", "coordinate"}, offsetof(Reader, format)},
    {"real, integer or pattern (complex is not supported)", {"real", "integer", "pattern"}, offsetof(Reader, field)},
    {"general, symmetric or skew-symmetric (hermitian is not supported)",
     {"general", "symmetric", "skew-symmetric"},
     offsetof(Reader, symmetry)},
};

static bool read_header_word(Reader *reader, const HeaderWord *row) {
  const TgWord word = text_lines_word(&reader->lines);
  for (int i = 0; i < (int)G_N_ELEMENTS(row->names) && row->names[i]; i++) {
    if (!word_is(word, row->names[i])) continue;
    memcpy((char *)reader + row->offset, &i, sizeof i);
    return true;
  }
  return text_lines_expected(&reader->lines, row->expected, word);
}

static bool read_banner(Reader *reader) {
  static const char expected[] = "\"%%MatrixMarket matrix ...\"";
  if (!text_lines_next(&reader->lines)) return text_lines_fail(&reader->lines, "the file is empty");
  TgWord word = text_lines_word(&reader->lines);
  if (!word_is(word, "%%MatrixMarket")) return text_lines_expected(&reader->lines, expected, word);
  word = text_lines_word(&reader->lines);
  if (!word_is(word, "matrix")) return text_lines_expected(&reader->lines, "\"matrix\"", word);
  for (size_t i = 0; i < G_N_ELEMENTS(header_words); i++)
    if (!read_header_word(reader, &header_words[i])) return false;
  if (reader->format == ARRAY && reader->field == PATTERN)
    return text_lines_fail(&reader->lines, "an array has values: expected real or integer, found \"pattern\"");
  return text_lines_finish(&reader->lines, "nothing after the symmetry");
}

/** Leaves `text` empty, which is no number, where the word is too long or has a zero byte. */
static void copy_word(TgWord word, char *text, size_t size) {
  if (word.length < size && !memchr(word.at, '\0', word.length)) memcpy(text, word.at, word.length);
}

/** A whole number from `low` to `high`. */
static bool read_whole(Reader *reader, int64_t low, int64_t high, const char *what, int64_t *value) {
  const TgWord word = text_lines_word(&reader->lines);
  char text[24] = "";
  guint64 number = 0;
  copy_word(word, text, sizeof text);
  const bool good = g_ascii_string_to_unsigned(text, 10, (guint64)low, (guint64)high, &number, NULL);
  *value = (int64_t)number;
  if (good) return true;
  g_autofree char *expected = g_strdup_printf("%s, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, what, low, high);
  return text_lines_expected(&reader->lines, expected, word);
}

/** How many entries an array file lists: all, the lower triangle, or the triangle below the diagonal. */
static bool count_array_entries(Reader *reader) {
  const int64_t n = reader->rows;
  int64_t all = 0;
  if (__builtin_mul_overflow(n, reader->columns, &all))
    return text_lines_fail(&reader->lines, "%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " elements are more than 2^63", n,
                           reader->columns);
  const int64_t below = (all - n) / 2;
  const int64_t counts[] = {[GENERAL] = all, [SYMMETRIC] = below + n, [SKEW] = below};
  reader->entries = counts[reader->symmetry];
  return true;
}

static bool read_sizes(Reader *reader) {
  TgTextLines *lines = &reader->lines;
  if (!text_lines_next_content(lines, '%'))
    return text_lines_fail(lines, "expected a line with the sizes, found the end of the file");
  if (!read_whole(reader, 1, INT64_MAX, "the number of rows", &reader->rows)) return false;
  if (!read_whole(reader, 1, INT64_MAX, "the number of columns", &reader->columns)) return false;
  if (reader->format == COORDINATE && !read_whole(reader, 0, INT64_MAX, "the number of entries", &reader->entries))
    return false;
  if (reader->symmetry != GENERAL && reader->rows != reader->columns)
    return text_lines_fail(
        lines, "expected a square matrix because of its symmetry, found %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
        reader->rows, reader->columns);
  if (!text_lines_finish(lines, "nothing after the sizes")) return false;
  return reader->format == COORDINATE || count_array_entries(reader);
}

/** The shortest entries are "0\n" and "1 1\n": a file that cannot hold what it announces is refused before memory is.
 */
static bool entries_can_follow(Reader *reader) {
  const int64_t shortest_bytes = reader->format == ARRAY ? 2 : 4;
  const uint64_t left = text_lines_left(&reader->lines);
  if (left == TG_BYTES_UNKNOWN || (uint64_t)reader->entries <= (left + 1) / (uint64_t)shortest_bytes) return true;
  return text_lines_fail(&reader->lines,
                         "truncated: expected %" G_GINT64_FORMAT " entries, and %" G_GUINT64_FORMAT
                         " bytes that follow cannot hold so many",
                         reader->entries, left);
}

static bool is_whole(const char *text) {
  const char *digits = text + (*text == '-' || *text == '+');
  return *digits && strspn(digits, "0123456789") == strlen(digits);
}

/** Whether the digits of a whole number are those of `value` to the last one: from 2^53 on not every number has its
 * own f64. */
static bool is_exact(const char *text, double value) {
  char exact[LONGEST_NUMBER + 1];
  const char *digits = text + (*text == '-' || *text == '+');
  digits += MIN(strspn(digits, "0"), strlen(digits) - 1);
  g_snprintf(exact, sizeof exact, "%.0f", fabs(value));
  return strcmp(digits, exact) == 0;
}

static bool read_value(Reader *reader, double *value) {
  static const char *const expected[] = {[REAL] = "a number", [INTEGER] = "a whole number"};
  const TgWord word = text_lines_word(&reader->lines);
  char text[LONGEST_NUMBER + 1] = "";
  char *end = text;
  if (word.length > LONGEST_NUMBER)
    return text_lines_fail(&reader->lines, "a number of more than %d characters, the limit", (int)LONGEST_NUMBER);
  copy_word(word, text, sizeof text);
  if (!strpbrk(text, "xX(")) *value = g_ascii_strtod(text, &end); /* neither 0x1p3 nor nan(1) */
  if (end == text || *end || (reader->field == INTEGER && !is_whole(text)))
    return text_lines_expected(&reader->lines, expected[reader->field], word);
  if (isinf(*value) && strpbrk(text, "0123456789"))
    return text_lines_expected(&reader->lines, "a number within the range of f64", word);
  if (reader->field == INTEGER && !is_exact(text, *value))
    return text_lines_expected(&reader->lines, "a whole number that is exact in f64", word);
  return true;
}

static void put_entry(Reader *reader, int64_t row, int64_t column, double value) {
  reader->matrix->f64[row * reader->columns + column] = value;
  if (reader->symmetry == GENERAL || row == column) return;
  reader->matrix->f64[column * reader->columns + row] = reader->symmetry == SKEW ? -value : value;
}

static bool next_entry(Reader *reader, int64_t found) {
  if (text_lines_next_content(&reader->lines, '%')) return true;
  return text_lines_fail(&reader->lines, "truncated: expected %" G_GINT64_FORMAT " entries, found %" G_GINT64_FORMAT,
                         reader->entries, found);
}

/** Values column by column, each column from the first row that its symmetry stores. */
static bool read_array(Reader *reader) {
  int64_t found = 0;
  for (int64_t column = 0; column < reader->columns; column++) {
    const int64_t firsts[] = {[GENERAL] = 0, [SYMMETRIC] = column, [SKEW] = column + 1};
    for (int64_t row = firsts[reader->symmetry]; row < reader->rows; row++) {
      double value = 0;
      if (!next_entry(reader, found++) || !read_value(reader, &value)) return false;
      if (!text_lines_finish(&reader->lines, "one value per line")) return false;
      put_entry(reader, row, column, value);
    }
  }
  return true;
}

/** Adds to what the place has from earlier entries. Whole numbers stay exact: what is lost in the sum of two is known
 * (Knuth, TAOCP 2, 4.2.2, theorem B). */
static bool add_entry(Reader *reader, int64_t row, int64_t column, double value) {
  const double before = tg_matrix_get(reader->matrix, row, column), sum = before + value, added = sum - before;
  const double lost = (before - (sum - added)) + (value - added);
  if (reader->field == INTEGER && lost != 0)
    return text_lines_fail(&reader->lines, "the entries at this place add up to a number that is not exact in f64");
  put_entry(reader, row, column, sum);
  return true;
}

static bool read_coordinate(Reader *reader) {
  TgTextLines *lines = &reader->lines;
  for (int64_t found = 0; found < reader->entries; found++) {
    int64_t row = 0, column = 0;
    double value = 1;
    if (!next_entry(reader, found)) return false;
    if (!read_whole(reader, 1, reader->rows, "a row", &row)) return false;
    if (!read_whole(reader, 1, reader->columns, "a column", &column)) return false;
    if (reader->field != PATTERN && !read_value(reader, &value)) return false;
    if (!text_lines_finish(lines,
                           reader->field == PATTERN ? "only a row and a column" : "only a row, a column and a value"))
      return false;
    if (reader->symmetry != GENERAL && column > row)
      return text_lines_fail(lines, "expected an entry of the lower triangle, found one above the diagonal");
    if (reader->symmetry == SKEW && column == row)
      return text_lines_fail(lines, "expected an entry below the diagonal, which is zero, found one on it");
    if (!add_entry(reader, row - 1, column - 1, value)) return false;
  }
  return true;
}

static bool read_entries(Reader *reader) {
  if (!(reader->format == ARRAY ? read_array(reader) : read_coordinate(reader))) return false;
  if (!text_lines_next_content(&reader->lines, '%')) return !reader->lines.failed;
  return text_lines_fail(&reader->lines, "expected the end of the file after %" G_GINT64_FORMAT " entries",
                         reader->entries);
}

static TgMatrix *read_matrix(Reader *reader, uint64_t limit_bytes) {
  if (!read_banner(reader) || !read_sizes(reader) || !entries_can_follow(reader)) return NULL;
  g_autoptr(TgMatrix) matrix = tg_matrix_new(TG_F64, reader->rows, reader->columns, limit_bytes, reader->lines.error);
  if (!matrix) {
    g_prefix_error(reader->lines.error, "%s:%" G_GINT64_FORMAT ": ", reader->lines.source->name, reader->lines.number);
    return NULL;
  }
  reader->matrix = matrix;
  return read_entries(reader) ? g_steal_pointer(&matrix) : NULL;
}

TgMatrix *tg_mtx_read(TgByteSource *source, const TgMatrixRequest *request, GError **error) {
  g_autofree char *buffer = g_malloc(BUFFER_BYTES);
  Reader reader = {.lines = {.source = source, .error = error, .buffer = buffer}};
  return read_matrix(&reader, request->limit_bytes);
}

TgMatrix *tg_mtx_parse(const char *name, const void *bytes, size_t size, uint64_t limit_bytes, GError **error) {
  TgByteSource source = tg_byte_source_of_memory(name, bytes, size);
  return tg_mtx_read(&source, &(TgMatrixRequest){.limit_bytes = limit_bytes}, error);
}

bool tg_mtx_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  /* Nine digits give every f32 back, seventeen every f64 (Steele, White 1990). */
  const char *format = matrix->type == TG_F32 ? "%.9g" : "%.17g";
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  bool good = fprintf(stream, "%%%%MatrixMarket matrix array real general\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
                      matrix->rows, matrix->columns) > 0;
  for (int64_t column = 0; good && column < matrix->columns; column++)
    for (int64_t row = 0; good && row < matrix->rows; row++)
      good = fputs(g_ascii_formatd(text, sizeof text, format, tg_matrix_get(matrix, row, column)), stream) >= 0 &&
             fputc('\n', stream) != EOF;
  return tg_stream_accepted(good, error);
}
