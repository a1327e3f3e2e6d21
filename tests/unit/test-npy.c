/* .npy: what is read, what is refused and in which words, and that writing gives the same back. */
#include "byte-source.h"
#include "npy.h"

#include <stdlib.h>
#include <string.h>

/* A .npy file of the given version and dictionary; the data are `count` numbers 1, 2, 3, ... of `descr`. */
static GByteArray *npy_file(int version, const char *descr, const char *dictionary, int count) {
  GByteArray *file = g_byte_array_new();
  const size_t length = strlen(dictionary);
  const guint8 preamble[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (guint8)version, 0, (guint8)length, (guint8)(length >> 8),
                             0,    0};
  g_byte_array_append(file, preamble, version == 1 ? 10 : 12);
  g_byte_array_append(file, (const guint8 *)dictionary, (guint)length);
  for (int i = 1; i <= count; i++) {
    const double f64 = i;
    const float f32 = (float)i;
    guint64 wide = 0;
    guint32 narrow = 0;
    memcpy(&wide, &f64, 8);
    memcpy(&narrow, &f32, 4);
    wide = descr[0] == '>' ? GUINT64_TO_BE(wide) : GUINT64_TO_LE(wide);
    narrow = descr[0] == '>' ? GUINT32_TO_BE(narrow) : GUINT32_TO_LE(narrow);
    if (descr[2] == '8')
      g_byte_array_append(file, (const guint8 *)&wide, 8);
    else
      g_byte_array_append(file, (const guint8 *)&narrow, 4);
  }
  return file;
}

static TgMatrix *parse(const GByteArray *file, GError **error) {
  guint8 *exact = g_memdup2(file->data, file->len); /* so that a sanitizer sees a byte too many */
  TgMatrix *matrix = tg_npy_parse("x.npy", exact, file->len, 0, error);
  g_free(exact);
  return matrix;
}

static void check_read(int version, const char *descr, bool fortran) {
  g_autoptr(GError) error = NULL;
  g_autofree char *dictionary =
      g_strdup_printf("{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }  \n", descr, fortran ? "True" : "False");
  g_autoptr(GByteArray) file = npy_file(version, descr, dictionary, 6);
  g_autoptr(TgMatrix) matrix = parse(file, &error);
  g_assert_no_error(error);
  g_assert_cmpint(matrix->type, ==, descr[2] == '8' ? TG_F64 : TG_F32);
  g_assert_cmpint(matrix->rows, ==, 2);
  g_assert_cmpint(matrix->columns, ==, 3);
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 3; c++)
      g_assert_cmpfloat(tg_matrix_get(matrix, r, c), ==, fortran ? 2 * c + r + 1 : 3 * r + c + 1);
}

static void test_reads(void) {
  static const char *const descrs[] = {"<f4", "<f8", ">f4", ">f8"};
  for (int version = 1; version <= 3; version++)
    for (size_t i = 0; i < G_N_ELEMENTS(descrs); i++)
      for (int fortran = 0; fortran < 2; fortran++) check_read(version, descrs[i], fortran);
}

/* Fortran order beyond one tile of the transposition, and not a multiple of it. */
static void test_fortran_large(void) {
  enum { ROWS = 131, COLUMNS = 197 };
  g_autoptr(GError) error = NULL;
  g_autoptr(GByteArray) file =
      npy_file(1, "<f4", "{'descr':'<f4','fortran_order':True,'shape':(131,197)}", ROWS * COLUMNS);
  g_autoptr(TgMatrix) matrix = parse(file, &error);
  g_assert_no_error(error);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) g_assert_cmpfloat(tg_matrix_get(matrix, r, c), ==, c * ROWS + r + 1);
}

typedef struct Pieces {
  const char *descr;
  bool fortran;
  int rows, columns;
  TgElement type;
} Pieces;

static void check_pieces(const Pieces *row) {
  g_autoptr(GError) error = NULL;
  g_autofree char *dictionary = g_strdup_printf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", row->descr,
                                                row->fortran ? "True" : "False", row->rows, row->columns);
  g_autoptr(GByteArray) file = npy_file(1, row->descr, dictionary, row->rows * row->columns);
  TgByteSource source = tg_byte_source_of_memory("x.npy", file->data, file->len);
  g_autoptr(TgMatrix) matrix = tg_npy_read(&source, &(TgMatrixRequest){.typed = true, .type = row->type}, &error);
  g_assert_no_error(error);
  g_assert_cmpint(matrix->type, ==, row->type);
  int wrong = 0;
  for (int r = 0; r < row->rows; r++)
    for (int c = 0; c < row->columns; c++)
      wrong += tg_matrix_get(matrix, r, c) != (row->fortran ? c * row->rows + r : r * row->columns + c) + 1;
  g_assert_cmpint(wrong, ==, 0);
}

/* More than is read at a time: whole columns, parts of a column, and types that differ. */
static void test_pieces(void) {
  static const Pieces rows[] = {
      {"<f4", true, 1000003, 5, TG_F32},  {"<f4", true, 2500001, 2, TG_F32},  {">f8", true, 1000003, 5, TG_F32},
      {"<f4", true, 5000001, 1, TG_F64},  {"<f8", true, 2500001, 2, TG_F32},  {">f4", false, 3, 1000003, TG_F64},
      {"<f8", false, 3, 1000003, TG_F32}, {"<f8", false, 3, 1000003, TG_F64}, {"<f8", true, 131, 197, TG_F32},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_pieces(&rows[i]);
}

static void check_unfit(const char *order, const char *place) {
  g_autoptr(GError) error = NULL;
  g_autofree char *dictionary = g_strdup_printf("{'descr': '<f8', 'fortran_order': %s, 'shape': (3, 4), }", order);
  g_autoptr(GByteArray) file = npy_file(1, "<f8", dictionary, 12);
  const double large = 1e300;
  memcpy(file->data + file->len - 5 * sizeof large, &large, sizeof large); /* element 7 */
  TgByteSource source = tg_byte_source_of_memory("x.npy", file->data, file->len);
  g_assert_null(tg_npy_read(&source, &(TgMatrixRequest){.typed = true, .type = TG_F32}, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  g_autofree char *message =
      g_strdup_printf("x.npy: element %s, counted from 0, is 1.0000000000000001e+300 and does not fit f32", place);
  g_assert_cmpstr(error->message, ==, message);
}

static void test_unfit(void) {
  check_unfit("False", "(1, 3)");
  check_unfit("True", "(1, 2)");
}

typedef struct Shape {
  const char *dictionary;
  int count, rows, columns;
} Shape;

static void test_shapes(void) {
  static const Shape rows[] = {
      {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 1, 1, 1},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", 5, 1, 5},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5)}", 5, 1, 5},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (5, 1), }", 5, 5, 1},
      {"{\"shape\":(3L,2L),\"descr\":\"<f8\",\"fortran_order\":False}\n", 6, 3, 2},
      {" { 'fortran_order' : False ,\n 'shape' : ( 1 , 1 , ) , 'descr' : '<f8' , } ", 1, 1, 1},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) file = npy_file(1, "<f8", rows[i].dictionary, rows[i].count);
    g_autoptr(TgMatrix) matrix = parse(file, &error);
    g_assert_no_error(error);
    g_assert_cmpint(matrix->rows, ==, rows[i].rows);
    g_assert_cmpint(matrix->columns, ==, rows[i].columns);
    for (int k = 0; k < rows[i].count; k++) g_assert_cmpfloat(matrix->f64[k], ==, k + 1);
  }
}

typedef struct Refusal {
  const char *dictionary;
  const char *message;
} Refusal;

#define DICTIONARY(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"

static const Refusal refusals[] = {
    {DICTIONARY("'<i4'", "(1, 1)"), "x.npy: dtype <i4 is not supported: expected <f4, <f8, >f4 or >f8 *"},
    {DICTIONARY("'<f2'", "(1, 1)"), "x.npy: dtype <f2 is not supported*"},
    {DICTIONARY("'<c16'", "(1, 1)"), "x.npy: dtype <c16 is not supported*"},
    {DICTIONARY("'|O'", "(1, 1)"), "x.npy: dtype |O (an array of Python objects) is not supported*"},
    {DICTIONARY("[('a', '<f8')]", "(1, 1)"), "x.npy: dtype of records or sub-arrays is not supported*"},
    {DICTIONARY("''", "(1, 1)"), "x.npy: dtype  is not supported*"},
    {DICTIONARY("'<f8'", "(1, 1, 1)"), "*expected no more than two dimensions, found \"1), }\""},
    {DICTIONARY("'<f8'", "(-1, 1)"), "*expected an extent of at least 1, found \"-1, 1), }\""},
    {DICTIONARY("'<f8'", "(0, 4)"), "*expected an extent of at least 1, found \"0, 4), }\""},
    {DICTIONARY("'<f8'", "(9223372036854775808, 1)"), "*expected an extent below 2^63*"},
    {DICTIONARY("'<f8'", "(99999999999999999999999, 1)"), "*expected an extent below 2^63*"},
    {DICTIONARY("'<f8'", "(1.5, 1)"), "*expected \")\", found \".5, 1), }\""},
    {DICTIONARY("'<f8'", "[1, 1]"), "*expected \"(\", found \"[1, 1], }\""},
    {DICTIONARY("'<f8'", "(1 1)"), "*expected \")\", found \"1), }\""},
    {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 1), }", "*expected True or False for fortran_order*"},
    {"{'descr': '<f8', 'shape': (1, 1), }", "*expected one each of the keys*"},
    {"{'descr': '<f8', 'descr': '<f8', 'shape': (1, 1), }", "*expected one each of the keys*, found \" 'descr*"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'more': 1}", "*expected \"}\", found \"'more': 1}\""},
    {"{'descr': '<f8' 'fortran_order': False, 'shape': (1, 1)}", "*expected \",\", found*"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} x", "*expected spaces after \"}\"*"},
    {"{'descr': '<f8", "*expected a dtype in quotes*"},
    {"{", "*expected one each of the keys 'descr', 'fortran_order' and 'shape', found its end"},
    {"", "*expected \"{\", found its end"},
};

static void test_bad_headers(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) file = npy_file(1, "<f8", refusals[i].dictionary, 1);
    g_assert_null(parse(file, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
    if (!g_pattern_match_simple(refusals[i].message, error->message)) g_error("row %zu: %s", i, error->message);
  }
}

/* Every prefix of a good file is refused as bad input, and so is a byte too many. */
static void test_truncations(void) {
  g_autoptr(GByteArray) file = npy_file(1, "<f8", DICTIONARY("'<f8'", "(2, 2)"), 4);
  const guint whole = file->len;
  for (guint length = 0; length < whole; length++) {
    g_autoptr(GError) error = NULL;
    g_byte_array_set_size(file, length);
    g_assert_null(parse(file, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
    g_byte_array_unref(file);
    file = npy_file(1, "<f8", DICTIONARY("'<f8'", "(2, 2)"), 4);
  }
  g_autoptr(GError) error = NULL;
  g_byte_array_append(file, (const guint8 *)"x", 1);
  g_assert_null(parse(file, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  g_assert_cmpstr(error->message, ==, "x.npy: 1 bytes follow the 32 bytes of data that the header announces");
}

typedef struct Piece {
  const char *bytes;
  size_t size;
  const char *message;
} Piece;

static void test_damaged(void) {
  static const Piece rows[] = {
      {"", 0, "x.npy: the file is empty: a .npy file begins with the bytes \\x93NUMPY"},
      {"PK\3\4", 4, "x.npy: not a .npy file: a .npy file begins with the bytes \\x93NUMPY"},
      {"\x93NUMP", 5, "x.npy: truncated .npy preamble: expected 8 bytes, found 5"},
      {"\x93NUMPY\4\0\2\0{}", 12, "x.npy: .npy version 4.0 is not supported: expected 1.0, 2.0 or 3.0"},
      {"\x93NUMPY\2\0\2\0", 10, "x.npy: truncated .npy preamble: expected 12 bytes, found 10"},
      {"\x93NUMPY\1\0\x76\0{}", 12, "x.npy: truncated .npy header: expected 118 bytes, found 2"},
      {"\x93NUMPY\1\0\5\0{}", 12, "x.npy: truncated .npy header: expected 5 bytes, found 2"},
      {"\x93NUMPY\2\0\xff\xff\xff\xff{}", 14, "x.npy: truncated .npy header: expected 4294967295 bytes, found 2"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(tg_npy_parse("x.npy", rows[i].bytes, rows[i].size, 0, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
    g_assert_cmpstr(error->message, ==, rows[i].message);
  }
}

/* Version 2.0 can announce 4 GiB of header. */
static void test_long_header(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GByteArray) file = g_byte_array_new();
  g_byte_array_append(file, (const guint8 *)"\x93NUMPY\2\0\1\0\1\0", 12);
  g_autofree char *spaces = g_strnfill(65537, ' ');
  g_byte_array_append(file, (const guint8 *)spaces, 65537);
  g_assert_null(parse(file, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE);
  g_assert_cmpstr(error->message, ==, "x.npy: a .npy header of 65537 bytes is larger than the limit of 65536 bytes");
}

static void check_forged(const char *dictionary, uint64_t limit_bytes, int code, const char *message) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GByteArray) file = npy_file(1, "<f8", dictionary, 4);
  g_assert_null(tg_npy_parse("x.npy", file->data, file->len, limit_bytes, &error));
  g_assert_error(error, TG_IO_ERROR, code);
  g_assert_cmpstr(error->message, ==, message);
}

static void test_forged_sizes(void) {
  check_forged(DICTIONARY("'<f8'", "(1000000000, 1000000000)"), 0, TG_IO_ERROR_BAD_INPUT,
               "x.npy: truncated .npy data: expected 8000000000000000000 bytes, found 32");
  check_forged(DICTIONARY("'<f8'", "(4611686018427387904, 1)"), 0, TG_IO_ERROR_TOO_LARGE,
               "x.npy: the size of a 4611686018427387904x1 f64 array in bytes overflows");
  check_forged(DICTIONARY("'<f8'", "(8589934592, 8589934592)"), 0, TG_IO_ERROR_TOO_LARGE,
               "x.npy: the size of a 8589934592x8589934592 f64 array in bytes overflows");
  check_forged(DICTIONARY("'<f8'", "(2, 2)"), 31, TG_IO_ERROR_TOO_LARGE,
               "x.npy: a matrix of 2x2 f64 needs 32 bytes; the limit is 31 bytes (set by the caller)");
}

static void check_written(TgElement type, int64_t rows, int64_t columns) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = tg_matrix_new(type, rows, columns, 0, NULL);
  tg_matrix_fill_uniform(matrix, 5);
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  g_assert_true(tg_npy_print(matrix, stream, &error));
  g_assert_cmpint(fclose(stream), ==, 0);
  g_assert_cmpuint(size, ==, 128 + tg_matrix_bytes(matrix));
  g_assert_cmpint(bytes[127], ==, '\n');
  TgNpyHeader header;
  g_assert_true(tg_npy_parse_header("x.npy", bytes, size, &header, &error));
  g_assert_cmpint(header.dimensions, ==, 2);
  g_assert_cmpuint(header.data_offset, ==, 128);
  g_autoptr(TgMatrix) back = tg_npy_parse("x.npy", bytes, size, 0, &error);
  g_assert_no_error(error);
  g_assert_cmpint(back->rows, ==, rows);
  g_assert_cmpmem(back->data, tg_matrix_bytes(back), matrix->data, tg_matrix_bytes(matrix));
  free(bytes);
}

static void test_writes(void) {
  check_written(TG_F32, 1, 1);
  check_written(TG_F64, 7, 13);
  check_written(TG_F64, 1, 100000);
  check_written(TG_F32, 100000, 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/npy/reads", test_reads);
  g_test_add_func("/npy/fortran-large", test_fortran_large);
  g_test_add_func("/npy/pieces", test_pieces);
  g_test_add_func("/npy/unfit", test_unfit);
  g_test_add_func("/npy/long-header", test_long_header);
  g_test_add_func("/npy/shapes", test_shapes);
  g_test_add_func("/npy/bad-headers", test_bad_headers);
  g_test_add_func("/npy/truncations", test_truncations);
  g_test_add_func("/npy/damaged", test_damaged);
  g_test_add_func("/npy/forged-sizes", test_forged_sizes);
  g_test_add_func("/npy/writes", test_writes);
  return g_test_run();
}
