/* Matrix Market files: every kind that is read, and each refusal in its words and with its line. */
#include "mtx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BANNER "%%MatrixMarket matrix "

static TgMatrix *parse(const char *text, GError **error) {
  const size_t size = strlen(text);
  char *exact = g_memdup2(text, size); /* so that a sanitizer sees a byte too many */
  TgMatrix *matrix = tg_mtx_parse("x.mtx", exact, size, 1 << 20, error);
  g_free(exact);
  return matrix;
}

typedef struct Reading {
  const char *text;
  int rows, columns;
  double elements[9]; /* row by row */
} Reading;

static const Reading readings[] = {
    {BANNER "array real general\n% note\n\n2 3\n1\n2.5\n-3e2\n4\n\n% more\n5\n6", 2, 3, {1, -300, 5, 2.5, 4, 6}},
    {"%%matrixmarket MATRIX Array Integer GENERAL\r\n1 2\r\n7\r\n-8\r\n", 1, 2, {7, -8}},
    {BANNER "array real symmetric\n2 2\n1\n2\n3\n", 2, 2, {1, 2, 2, 3}},
    {BANNER "array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, {0, -1, -2, 1, 0, -3, 2, 3, 0}},
    {BANNER "array real skew-symmetric\n1 1\n", 1, 1, {0}},
    {BANNER "coordinate real general\n2 3 2\n2 3 0.5\n1 1 1\n", 2, 3, {1, 0, 0, 0, 0, 0.5}},
    {BANNER "coordinate real general\n2 2 0\n", 2, 2, {0}},
    {BANNER "coordinate real general\n1 2 3\n1 2 1\n1 2 10\n1 1 5\n", 1, 2, {5, 11}},
    {BANNER "coordinate pattern general\n2 2 2\n1 2\n2 1\n", 2, 2, {0, 1, 1, 0}},
    {BANNER "coordinate pattern symmetric\n2 2 2\n1 1\n2 1", 2, 2, {1, 1, 1, 0}},
    {BANNER "coordinate integer skew-symmetric\n2 2 1\n2 1 +4\n", 2, 2, {0, -4, 4, 0}},
    {BANNER "coordinate integer general\n1 1 1\n1 1 9007199254740992\n", 1, 1, {9007199254740992.0}},
    {BANNER "array integer general\n1 2\n-0009007199254740994\n+000\n", 1, 2, {-9007199254740994.0, 0}},
    {BANNER "array integer general\n1 1\n10000000000000000000000\n", 1, 1, {1e22}},
    {BANNER "coordinate integer general\n1 1 2\n1 1 9007199254740992\n1 1 2\n", 1, 1, {9007199254740994.0}},
};

static void test_reads(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(readings); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(TgMatrix) matrix = parse(readings[i].text, &error);
    g_assert_no_error(error);
    g_assert_cmpint(matrix->type, ==, TG_F64);
    g_assert_cmpint(matrix->rows, ==, readings[i].rows);
    g_assert_cmpint(matrix->columns, ==, readings[i].columns);
    for (int64_t k = 0; k < tg_matrix_elements(matrix); k++)
      g_assert_cmpfloat(matrix->f64[k], ==, readings[i].elements[k]);
  }
}

static void test_reads_nan_and_inf(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = parse(BANNER "array real general\n1 3\nnan\n-inf\nInfinity\n", &error);
  g_assert_no_error(error);
  g_assert_true(isnan(matrix->f64[0]) && matrix->f64[1] < 0 && isinf(matrix->f64[1]) && isinf(matrix->f64[2]));
}

typedef struct Refusal {
  const char *text;
  const char *message; /* after "x.mtx:" */
} Refusal;

static const Refusal refusals[] = {
    {"", "1: the file is empty"},
    {"\n", "1: expected \"%%MatrixMarket matrix ...\", found the end of the line"},
    {"1 2\n", "1: expected \"%%MatrixMarket matrix ...\", found \"1\""},
    {"%%MatrixMarket tensor array real general\n", "1: expected \"matrix\", found \"tensor\""},
    {BANNER "dense real general\n", "1: expected array or coordinate, found \"dense\""},
    {BANNER "array complex general\n1 1\n1 2\n",
     "1: expected real, integer or pattern (complex is not supported), found \"complex\""},
    {BANNER "array real hermitian\n1 1\n1\n",
     "1: expected general, symmetric or skew-symmetric (hermitian is not supported), found \"hermitian\""},
    {BANNER "array real\n",
     "1: expected general, symmetric or skew-symmetric (hermitian is not supported), found the end of the line"},
    {BANNER "array pattern general\n1 1\n", "1: an array has values: expected real or integer, found \"pattern\""},
    {BANNER "array real general x\n", "1: expected nothing after the symmetry, found \"x\""},
    {BANNER "array real general\n% only\n", "2: expected a line with the sizes, found the end of the file"},
    {BANNER "array real general\n0 2\n", "2: expected the number of rows, 1 to 9223372036854775807, found \"0\""},
    {BANNER "array real general\n2 -2\n", "2: expected the number of columns, 1 to 9223372036854775807, found \"-2\""},
    {BANNER "array real general\n2\n",
     "2: expected the number of columns, 1 to 9223372036854775807, found the end of the line"},
    {BANNER "array real general\n9223372036854775807 9223372036854775807\n1\n",
     "2: 9223372036854775807x9223372036854775807 elements are more than 2^63"},
    {BANNER "array real general\n99999999999999999999 1\n1\n",
     "2: expected the number of rows, 1 to 9223372036854775807, found \"99999999999999999999\""},
    {BANNER "array real general\n1000000000 1000000000\n1\n",
     "2: truncated: expected 1000000000000000000 entries, and 2 bytes that follow cannot hold so many"},
    {BANNER "array real symmetric\n2 3\n", "2: expected a square matrix because of its symmetry, found 2x3"},
    {BANNER "array real general\n1 1 1\n1\n", "2: expected nothing after the sizes, found \"1\""},
    {BANNER "array real general\n1 2\n1.5\n", "3: truncated: expected 2 entries, found 1"},
    {BANNER "array real general\n1 2\n1\n2\n3\n", "5: expected the end of the file after 2 entries"},
    {BANNER "array real general\n1 2\n1 2\n3\n", "3: expected one value per line, found \"2\""},
    {BANNER "array real general\n1 1\n1,5\n", "3: expected a number, found \"1,5\""},
    {BANNER "array real general\n1 1\n0x10\n", "3: expected a number, found \"0x10\""},
    {BANNER "array real general\n1 1\n1e999\n", "3: expected a number within the range of f64, found \"1e999\""},
    {BANNER "array integer general\n1 1\n1.5\n", "3: expected a whole number, found \"1.5\""},
    {BANNER "array integer general\n1 1\nnan\n", "3: expected a whole number, found \"nan\""},
    {BANNER "array integer general\n1 1\n9007199254740993\n",
     "3: expected a whole number that is exact in f64, found \"9007199254740993\""},
    {BANNER "array integer general\n1 2\n1\n-100000000000000000000001\n",
     "4: expected a whole number that is exact in f64, found \"-100000000000000000000001\""},
    {BANNER "coordinate integer general\n1 1 2\n1 1 9007199254740992\n1 1 1\n",
     "4: the entries at this place add up to a number that is not exact in f64"},
    {BANNER "coordinate real general\n2 2 1\n3 1 5\n", "3: expected a row, 1 to 2, found \"3\""},
    {BANNER "coordinate real general\n2 2 1\n1 0 5\n", "3: expected a column, 1 to 2, found \"0\""},
    {BANNER "coordinate real general\n2 2 1\n1 1\n", "3: expected a number, found the end of the line"},
    {BANNER "coordinate pattern general\n2 2 1\n1 1 1\n", "3: expected only a row and a column, found \"1\""},
    {BANNER "coordinate real general\n2 2 1\n1 1 1 0\n", "3: expected only a row, a column and a value, found \"0\""},
    {BANNER "coordinate real general\n2 2 4\n1 1 1\n",
     "2: truncated: expected 4 entries, and 6 bytes that follow cannot hold so many"},
    {BANNER "coordinate real general\n9223372036854775807 9223372036854775807 9223372036854775807\n1 1 1\n",
     "2: truncated: expected 9223372036854775807 entries, and 6 bytes that follow cannot hold so many"},
    {BANNER "coordinate real symmetric\n2 2 1\n1 2 1\n",
     "3: expected an entry of the lower triangle, found one above the diagonal"},
    {BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 0\n",
     "3: expected an entry below the diagonal, which is zero, found one on it"},
};

static void test_refusals(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(parse(refusals[i].text, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
    g_autofree char *message = g_strconcat("x.mtx:", refusals[i].message, NULL);
    g_assert_cmpstr(error->message, ==, message);
  }
}

static void test_binary_junk(void) {
  static const char junk[] = BANNER "array real general\n1 1\n1\0002\n";
  g_autoptr(GError) error = NULL;
  g_assert_null(tg_mtx_parse("x.mtx", junk, sizeof junk - 1, 0, &error));
  g_assert_cmpstr(error->message, ==, "x.mtx:3: expected a number, found \"1\\x002\"");
}

static void test_line_of_10_megabytes(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) text = g_string_new(BANNER "array real general\n1 1\n");
  g_autofree char *digits = g_strnfill(10 << 20, '7');
  g_string_append(text, digits);
  g_assert_null(parse(text->str, &error));
  g_assert_cmpstr(error->message, ==, "x.mtx:3: a line of more than 65535 bytes, the limit");
}

/* The longest line is read, and one byte more is not. */
static void test_longest_line(void) {
  for (int more = 0; more < 2; more++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) text = g_string_new(BANNER "array real general\n%");
    g_autofree char *comment = g_strnfill((gsize)(65534 + more), '-');
    g_string_append_printf(text, "%s\n1 1\n7\n", comment);
    g_autoptr(TgMatrix) matrix = parse(text->str, &error);
    g_assert_true((matrix == NULL) == (more == 1));
    if (matrix) g_assert_cmpfloat(matrix->f64[0], ==, 7);
    if (error) g_assert_cmpstr(error->message, ==, "x.mtx:2: a line of more than 65535 bytes, the limit");
  }
}

/* Comments of a megabyte are read, and no more in a row; between entries they begin anew. */
static void test_comments(void) {
  g_autofree char *blank = g_strnfill((1 << 20) - 3, '\n');
  g_autofree char *good = g_strconcat(BANNER "array real general\n1 2\n", blank, "% \n1\n", blank, "2\n", blank, NULL);
  g_autofree char *bad = g_strconcat(BANNER "array real general\n1 2\n1\n", blank, "% \n\n2\n", NULL);
  g_autofree char *after = g_strconcat(BANNER "array real general\n1 1\n1\n", blank, blank, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = parse(good, &error);
  g_assert_no_error(error);
  g_assert_true(matrix->f64[0] == 1 && matrix->f64[1] == 2);
  g_assert_null(parse(bad, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  g_assert_cmpstr(error->message, ==,
                  "x.mtx:1048578: more than 1048576 consecutive bytes of comments and blank lines, the limit");
  g_clear_error(&error);
  g_assert_null(parse(after, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
}

static void test_too_large(void) {
  g_autoptr(GError) error = NULL;
  g_assert_null(parse(BANNER "coordinate real general\n1000 1000 1\n1 1 1\n", &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE);
  g_assert_cmpstr(
      error->message, ==,
      "x.mtx:2: a matrix of 1000x1000 f64 needs 8000000 bytes; the limit is 1048576 bytes (set by the caller)");
}

static void check_written(TgElement type) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = tg_matrix_new(type, 9, 4, 0, NULL);
  tg_matrix_fill_uniform(matrix, 3);
  for (int row = 0; row < 9; row++) tg_matrix_set(matrix, row, 1, 1000 + 9 * tg_matrix_get(matrix, row, 1));
  tg_matrix_set(matrix, 8, 3, 1e-30 / 3);
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  g_assert_true(tg_mtx_print(matrix, stream, &error));
  fclose(stream);
  g_autoptr(TgMatrix) wide = tg_mtx_parse("x.mtx", text, size, 0, &error);
  g_assert_no_error(error);
  g_autoptr(TgMatrix) back = tg_matrix_convert(wide, type, 0, &error);
  g_assert_cmpint(back->columns, ==, 4);
  g_assert_cmpmem(back->data, tg_matrix_bytes(back), matrix->data, tg_matrix_bytes(matrix));
  free(text);
}

static void test_writes(void) {
  check_written(TG_F32);
  check_written(TG_F64);
}

static void test_written_text(void) {
  g_autoptr(TgMatrix) matrix = tg_matrix_new(TG_F64, 2, 2, 0, NULL);
  const double values[] = {0.1, 2, -3.5, 1e300};
  memcpy(matrix->f64, values, sizeof values);
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  g_assert_true(tg_mtx_print(matrix, stream, NULL));
  fclose(stream);
  g_assert_cmpstr(text, ==, BANNER "array real general\n2 2\n0.10000000000000001\n-3.5\n2\n1.0000000000000001e+300\n");
  free(text);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mtx/reads", test_reads);
  g_test_add_func("/mtx/reads-nan-and-inf", test_reads_nan_and_inf);
  g_test_add_func("/mtx/refusals", test_refusals);
  g_test_add_func("/mtx/binary-junk", test_binary_junk);
  g_test_add_func("/mtx/line-of-10-megabytes", test_line_of_10_megabytes);
  g_test_add_func("/mtx/longest-line", test_longest_line);
  g_test_add_func("/mtx/comments", test_comments);
  g_test_add_func("/mtx/too-large", test_too_large);
  g_test_add_func("/mtx/writes", test_writes);
  g_test_add_func("/mtx/written-text", test_written_text);
  return g_test_run();
}
