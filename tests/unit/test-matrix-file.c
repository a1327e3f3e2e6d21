/* Reading and writing by suffix, the raw format, and what is asked of a file. */
#include "matrix-file.h"

#include "input-bytes.h"
#include "byte-source.h"
#include "test-folder.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static TgMatrix *random_matrix(TgElement type) {
  TgMatrix *matrix = tg_matrix_new(type, 5, 3, 0, NULL);
  tg_matrix_fill_uniform(matrix, 11);
  return matrix;
}

static void check_round_trip(const Folder *folder, const char *name, TgElement type) {
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, name, NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(type);
  g_assert_true(tg_matrix_write(matrix, path, &error));
  g_assert_no_error(error);
  const TgMatrixRequest request = {.typed = true, .type = type, .rows = 5, .columns = 3};
  g_autoptr(TgMatrix) back = tg_matrix_read(path, &request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(back->type, ==, type);
  g_assert_cmpint(back->rows, ==, 5);
  g_assert_cmpmem(back->data, tg_matrix_bytes(back), matrix->data, tg_matrix_bytes(matrix));
}

static void test_round_trips(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const char *const names[] = {"a.npy", "a.mtx", "a.raw", "a.bin"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    check_round_trip(folder, names[i], TG_F32);
    check_round_trip(folder, names[i], TG_F64);
  }
}

static void test_own_type(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, "a.npy", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F32);
  g_assert_true(tg_matrix_write(matrix, path, &error));
  g_autoptr(TgMatrix) own = tg_matrix_read(path, NULL, &error);
  g_assert_cmpint(own->type, ==, TG_F32);
  const TgMatrixRequest request = {.typed = true, .type = TG_F64};
  g_autoptr(TgMatrix) wide = tg_matrix_read(path, &request, &error);
  g_assert_cmpint(wide->type, ==, TG_F64);
  for (int i = 0; i < 15; i++) g_assert_cmpfloat(wide->f64[i], ==, (double)matrix->f32[i]);
}

/* Of `back`, which was zeros, this part is as in `matrix`, and nothing else was touched. */
static void check_part(const TgMatrix *back, const TgMatrix *matrix, const TgMatrixPart *part) {
  for (int64_t r = 0; r < matrix->rows; r++)
    for (int64_t c = 0; c < matrix->columns; c++) {
      const bool inside =
          r >= part->row && r < part->row + part->rows && c >= part->column && c < part->column + part->columns;
      g_assert_cmpfloat(tg_matrix_get(back, r, c), ==, inside ? tg_matrix_get(matrix, r, c) : 0);
    }
}

/* A file in f32 is read in f64, too. */
static void check_parts(const Folder *folder, const char *name, TgElement type) {
  static const TgMatrixPart parts[] = {
      {1, 1, 3, 2, false}, {4, 0, 1, 3, false}, {0, 0, 5, 3, false}, {2, 1, 0, 1, false}, {0, 1, 1, 0, false}};
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, name, NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F32);
  const bool typed = g_str_has_suffix(name, ".npy");
  const TgMatrixRequest request = {.typed = true, .type = typed ? type : TG_F32, .rows = 5, .columns = 3};
  g_assert_true(tg_matrix_write(matrix, path, &error));
  for (size_t p = 0; p < G_N_ELEMENTS(parts); p++) {
    g_autoptr(TgMatrixFile) file = NULL;
    g_autoptr(TgMatrix) back = tg_matrix_new_for_parts(request.type, 5, 3, &error);
    g_assert_true(tg_matrix_file_open(path, &request, &file, &error));
    g_assert_cmpint(tg_matrix_file_shape(file)->type, ==, request.type);
    g_assert_true(tg_matrix_file_read(file, &parts[p], back, &error));
    check_part(back, matrix, &parts[p]);
  }
}

/* Parts of files are read where they lie in memory's order, and there only. */
static void test_parts(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const char *const names[] = {"a.npy", "a.raw", "a.bin"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    check_parts(folder, names[i], TG_F32);
    check_parts(folder, names[i], TG_F64);
  }
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  g_autoptr(TgMatrixFile) file = NULL;
  g_autofree char *text = g_build_filename(folder->path, "a.mtx", NULL);
  g_autofree char *cut = g_build_filename(folder->path, "a.npy", NULL);
  const TgMatrixRequest request = {.typed = true, .type = TG_F32};
  g_assert_true(tg_matrix_write(matrix, text, &error) && tg_matrix_file_open(text, &request, &file, &error) && !file);
  g_assert_true(tg_matrix_file_open("/dev/null", &request, &file, NULL) == false); /* no suffix */
  matrix->f64[7] = 1e300;
  g_assert_true(tg_matrix_write(matrix, cut, &error) && tg_matrix_file_open(cut, &request, &file, &error));
  g_autoptr(TgMatrix) back = tg_matrix_new_for_parts(TG_F32, 5, 3, &error);
  g_assert_true(tg_matrix_file_read(file, &(TgMatrixPart){.rows = 2, .columns = 3}, back, &error));
  g_assert_false(tg_matrix_file_read(file, &(TgMatrixPart){.row = 2, .rows = 2, .columns = 3}, back, &error));
  g_assert_nonnull(strstr(error->message, "element (2, 1), counted from 0, is 1.0000000000000001e+300"));
  g_clear_error(&error);
  g_assert_cmpint(truncate(cut, 200), ==, 0);
  g_assert_false(tg_matrix_file_read(file, &(TgMatrixPart){.row = 4, .rows = 1, .columns = 3}, back, &error));
  g_assert_nonnull(strstr(error->message, "the file became shorter"));
  g_clear_pointer(&file, tg_matrix_file_free);
  g_clear_error(&error);
  g_assert_false(tg_matrix_file_open(cut, &request, &file, &error));
  g_assert_nonnull(strstr(error->message, "truncated .npy data: expected 120 bytes, found 72"));
}

static void make_rows(void *data, int64_t row, int64_t rows, void *to) {
  const TgMatrix *matrix = data;
  memcpy(to, matrix->f64 + row * matrix->columns, (size_t)(rows * matrix->columns) * sizeof(double));
}

/* Rows that are made as they are written give the same file as the whole matrix, however many at a time. */
static void test_rows(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const char *const names[] = {"a.npy", "a.raw"};
  static const int64_t pieces[] = {1, 48, 1000};
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  for (size_t i = 0; i < G_N_ELEMENTS(names) * G_N_ELEMENTS(pieces); i++) {
    g_autoptr(GError) error = NULL;
    const char *name = names[i % G_N_ELEMENTS(names)];
    g_autofree char *path = g_build_filename(folder->path, name, NULL), *bytes = NULL, *whole = NULL;
    gsize length, whole_length;
    FILE *stream = fopen(path, "wb");
    g_assert_true(tg_matrix_path_has_rows(path));
    g_assert_true(
        tg_matrix_print_rows(matrix, make_rows, matrix, pieces[i / G_N_ELEMENTS(names)], path, stream, &error));
    fclose(stream);
    g_assert_true(g_file_get_contents(path, &bytes, &length, &error) && tg_matrix_write(matrix, path, &error) &&
                  g_file_get_contents(path, &whole, &whole_length, &error));
    g_assert_cmpmem(bytes, length, whole, whole_length);
  }
  g_assert_false(tg_matrix_path_has_rows("a.mtx") || tg_matrix_path_has_rows("a"));
}

static void check_refused(const Folder *folder, const char *name, TgMatrixRequest request, int code,
                          const char *message) {
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, name, NULL);
  g_autofree char *expected = g_strconcat(path, message, NULL);
  g_assert_null(tg_matrix_read(path, &request, &error));
  g_assert_error(error, TG_IO_ERROR, code);
  g_assert_cmpstr(error->message, ==, expected);
}

static void test_refusals(Folder *folder, gconstpointer unused) {
  (void)unused;
  const TgMatrixRequest any = {0};
  g_autofree char *path = g_build_filename(folder->path, "a.raw", NULL);
  g_autofree char *npy = g_build_filename(folder->path, "a.npy", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  g_assert_true(tg_matrix_write(matrix, path, NULL) && tg_matrix_write(matrix, npy, NULL));
  check_refused(folder, "none.npy", any, TG_IO_ERROR_CANNOT_READ, ": cannot read: No such file or directory");
  check_refused(folder, "a.csv", any, TG_IO_ERROR_BAD_INPUT,
                ": the suffix is not a matrix format; expected one of .npy, .mtx, .raw, .bin");
  check_refused(folder, "a.raw", any, TG_IO_ERROR_BAD_INPUT,
                ": a raw file stores neither its shape nor its type; give both (--size and --type)");
  check_refused(folder, "a.raw", (TgMatrixRequest){.typed = true, .type = TG_F32, .rows = 5, .columns = 3},
                TG_IO_ERROR_BAD_INPUT, ": wrong size for a raw 5x3 f32 matrix: expected 60 bytes, found 120");
  check_refused(folder, "a.raw", (TgMatrixRequest){.typed = true, .type = TG_F32, .rows = INT64_MAX, .columns = 3},
                TG_IO_ERROR_TOO_LARGE, ": the size of a raw 9223372036854775807x3 f32 matrix in bytes overflows");
  check_refused(folder, "a.raw",
                (TgMatrixRequest){.typed = true, .type = TG_F64, .rows = INT64_C(1) << 33, .columns = INT64_C(1) << 33},
                TG_IO_ERROR_TOO_LARGE, ": the size of a raw 8589934592x8589934592 f64 matrix in bytes overflows");
  check_refused(
      folder, "a.raw", (TgMatrixRequest){.typed = true, .type = TG_F64, .rows = 5, .columns = 3, .limit_bytes = 119},
      TG_IO_ERROR_TOO_LARGE, ": a matrix of 5x3 f64 needs 120 bytes; the limit is 119 bytes (set by the caller)");
  check_refused(folder, "a.npy", (TgMatrixRequest){.rows = 5, .columns = 4}, TG_IO_ERROR_BAD_INPUT,
                ": the matrix is 5x3, expected 5x4");
}

static void test_overflowing_conversion(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autofree char *path = g_build_filename(folder->path, "a.npy", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  tg_matrix_set(matrix, 2, 1, -0x1p200);
  g_assert_true(tg_matrix_write(matrix, path, NULL));
  check_refused(folder, "a.npy", (TgMatrixRequest){.typed = true, .type = TG_F32}, TG_IO_ERROR_BAD_INPUT,
                ": element (2, 1), counted from 0, is -1.6069380442589903e+60 and does not fit f32");
}

static void test_unknown_suffix_leaves_nothing(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, "a.txt", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  g_assert_false(tg_matrix_write(matrix, path, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  g_assert_true(tg_matrix_path_known("/x/y.mtx", NULL));
  g_assert_false(tg_matrix_path_known("npy", NULL));
}

static void test_empty_files(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const char *const names[] = {"a.npy", "a.mtx", "a.raw"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder->path, names[i], NULL);
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    const TgMatrixRequest request = {.typed = true, .type = TG_F64, .rows = 1, .columns = 1};
    g_assert_null(tg_matrix_read(path, &request, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  }
}

static gpointer feed(gpointer path) {
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  g_autoptr(GError) error = NULL;
  g_assert_true(tg_matrix_write(matrix, path, &error));
  return NULL;
}

/* A pipe is written to directly and read to its end. */
static void test_named_pipe(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, "pipe.npy", NULL);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  GThread *writer = g_thread_new("writer", feed, path);
  g_autoptr(TgMatrix) back = tg_matrix_read(path, NULL, &error);
  g_thread_join(writer);
  g_assert_no_error(error);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_F64);
  g_assert_cmpmem(back->data, tg_matrix_bytes(back), matrix->data, tg_matrix_bytes(matrix));
}

/* The bytes that come from a pipe of 200, or NULL where they are too many. */
static GBytes *read_pipe(uint64_t limit_bytes, GError **error) {
  int ends[2];
  char bytes[200] = {0};
  g_assert_cmpint(pipe(ends), ==, 0);
  g_assert_cmpint(write(ends[1], bytes, sizeof bytes), ==, sizeof bytes);
  close(ends[1]);
  g_autofree char *path = g_strdup_printf("/dev/fd/%d", ends[0]);
  GBytes *read = tg_input_bytes_read(path, limit_bytes, error);
  close(ends[0]);
  return read;
}

static void test_limited_input(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) all = read_pipe(200, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(g_bytes_get_size(all), ==, 200);
  g_assert_null(read_pipe(199, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE);
}

static void test_endless_input(void) {
  g_autoptr(GError) error = NULL;
  g_assert_null(tg_input_bytes_read("/dev/zero", 1 << 20, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE);
  g_assert_cmpstr(error->message, ==, "/dev/zero: larger than the limit of 1048576 bytes");
  g_clear_error(&error);
  g_assert_null(tg_input_bytes_read("/", 0, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_READ);
  g_assert_cmpstr(error->message, ==, "/: cannot read: it is a folder");
}

/* A regular file has the limit of a stream; its size is known, so that it is not read. One of /proc has no size. */
static void test_limited_file(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, "sparse", NULL);
  g_assert_true(g_file_set_contents(path, "", 0, NULL));
  g_assert_cmpint(truncate(path, (off_t)1 << 40), ==, 0);
  g_assert_null(tg_input_bytes_read(path, 1 << 20, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE);
  g_assert_true(g_str_has_suffix(error->message, ": larger than the limit of 1048576 bytes"));
  g_clear_error(&error);
  g_autoptr(GBytes) status = tg_input_bytes_read("/proc/self/status", 1 << 20, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(g_bytes_get_size(status), >, 0);
}

/* What was read stays as it was, whatever becomes of the file. */
static void test_cut_after_reading(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autofree char *path = g_build_filename(folder->path, "a.sched", NULL);
  g_autofree char *text = g_strnfill(100000, 'x');
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_autoptr(GBytes) bytes = tg_input_bytes_read(path, 1 << 20, NULL);
  g_assert_cmpint(truncate(path, 0), ==, 0);
  g_assert_cmpmem(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), text, 100000);
}

typedef struct Cut {
  const char *name;
  TgMatrix *(*read)(TgByteSource *source, const TgMatrixRequest *request, GError **error);
  off_t bytes, left;
} Cut;

static void check_cut(const Folder *folder, const Cut *cut) {
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, cut->name, NULL);
  g_autoptr(TgMatrix) matrix = tg_matrix_new(TG_F64, 300, 300, 0, NULL);
  TgByteSource source;
  g_assert_true(tg_matrix_write(matrix, path, NULL));
  g_assert_true(tg_byte_source_open(&source, path, &error));
  g_assert_cmpint(truncate(path, cut->left), ==, 0);
  const TgMatrixRequest request = {.typed = true, .type = TG_F64, .rows = 300, .columns = 300};
  g_assert_null(cut->read(&source, &request, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_READ);
  g_autofree char *message =
      g_strdup_printf("%s: the file became shorter while it was read: expected %ld bytes, found %ld", path,
                      (long)cut->bytes, (long)cut->left);
  g_assert_cmpstr(error->message, ==, message);
  tg_byte_source_close(&source);
}

/* Others cut the file between its opening and the reading. */
static void test_cut_while_reading(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const Cut cuts[] = {
      {"a.npy", tg_npy_read, 720128, 0},      {"a.npy", tg_npy_read, 720128, 100},
      {"a.npy", tg_npy_read, 720128, 500000}, {"a.raw", tg_raw_read, 720000, 719999},
      {"a.mtx", tg_mtx_read, 180049, 0},      {"a.mtx", tg_mtx_read, 180049, 100000},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) check_cut(folder, &cuts[i]);
}

typedef struct Feed {
  const char *path;
  const void *bytes;
  size_t size;
  bool endless;
} Feed;

static gpointer feed_bytes(gpointer data) {
  const Feed *feed = data;
  const int descriptor = open(feed->path, O_WRONLY);
  bool more = true;
  while (more) more = write(descriptor, feed->bytes, feed->size) > 0 && feed->endless;
  close(descriptor);
  return NULL;
}

typedef struct Stream {
  const char *name;
  bool endless;
  const char *bytes;
  size_t size; /* 0: up to the terminating zero */
  const char *message;
} Stream;

#define HEADER "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}\n"
#define NPY "\x93NUMPY\1\0\x3a\0" HEADER
#define MTX "%%MatrixMarket matrix array real general\n"

static void check_stream(const Folder *folder, const Stream *stream) {
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, stream->name, NULL);
  g_autofree char *message = g_strconcat(path, stream->message, NULL);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  Feed feed = {path, stream->bytes, stream->size ? stream->size : strlen(stream->bytes), stream->endless};
  GThread *writer = g_thread_new("writer", feed_bytes, &feed);
  const TgMatrixRequest request = {.typed = true, .type = TG_F64, .rows = 1, .columns = 2};
  g_assert_null(tg_matrix_read(path, &request, &error));
  g_thread_join(writer);
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  g_assert_cmpstr(error->message, ==, message);
  g_assert_cmpint(unlink(path), ==, 0);
}

/* Pipes do not know their size: too few and too many bytes are found at the end, and an endless one ends soon. */
static void test_streams(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const Stream streams[] = {
      {"a.npy", false, NPY "12345678", 76, ": truncated .npy data: expected 16 bytes, found 8"},
      {"a.npy", false, NPY "1234567812345678x", 85,
       ": more bytes follow the 16 bytes of data that the header announces"},
      {"a.npy", true, NPY "1234567812345678", 84, ": more bytes follow the 16 bytes of data that the header announces"},
      {"a.raw", false, "12345678", 8, ": wrong size for a raw 1x2 f64 matrix: expected 16 bytes, found 8"},
      {"a.raw", true, "12345678", 8, ": wrong size for a raw 1x2 f64 matrix: expected 16 bytes, found more"},
      {"a.mtx", false, MTX "1 2\n1\n", 0, ":3: truncated: expected 2 entries, found 1"},
      {"a.mtx", true, "%%MatrixMarket ", 0, ":1: a line of more than 65535 bytes, the limit"},
      {"a.mtx", true, MTX, 0, ":25577: more than 1048576 consecutive bytes of comments and blank lines, the limit"},
  };
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < G_N_ELEMENTS(streams); i++) check_stream(folder, &streams[i]);
}

/* Zeros without an end, from a device and from a file of 1 TiB. */
static void test_endless_zeros(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const char *const names[] = {"a.mtx", "a.npy", "a.raw"};
  static const char *const messages[] = {":1: a line of more than 65535 bytes, the limit",
                                         ": not a .npy file: a .npy file begins with the bytes \\x93NUMPY",
                                         ": wrong size for a raw 1x2 f64 matrix: expected 16 bytes, found "};
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(names); i++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder->path, names[i / 2], NULL);
    const TgMatrixRequest request = {.typed = true, .type = TG_F64, .rows = 1, .columns = 2};
    unlink(path);
    if (i % 2)
      g_assert_cmpint(symlink("/dev/zero", path), ==, 0);
    else
      g_assert_true(g_file_set_contents(path, "", 0, NULL) && truncate(path, (off_t)1 << 40) == 0);
    g_assert_null(tg_matrix_read(path, &request, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
    g_assert_nonnull(strstr(error->message, messages[i / 2]));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD_WITH_FOLDER("/matrix-file/round-trips", test_round_trips);
  ADD_WITH_FOLDER("/matrix-file/own-type", test_own_type);
  ADD_WITH_FOLDER("/matrix-file/parts", test_parts);
  ADD_WITH_FOLDER("/matrix-file/rows", test_rows);
  ADD_WITH_FOLDER("/matrix-file/refusals", test_refusals);
  ADD_WITH_FOLDER("/matrix-file/overflowing-conversion", test_overflowing_conversion);
  ADD_WITH_FOLDER("/matrix-file/unknown-suffix-leaves-nothing", test_unknown_suffix_leaves_nothing);
  ADD_WITH_FOLDER("/matrix-file/empty-files", test_empty_files);
  ADD_WITH_FOLDER("/matrix-file/named-pipe", test_named_pipe);
  g_test_add_func("/matrix-file/limited-input", test_limited_input);
  g_test_add_func("/matrix-file/endless-input", test_endless_input);
  ADD_WITH_FOLDER("/matrix-file/limited-file", test_limited_file);
  ADD_WITH_FOLDER("/matrix-file/cut-after-reading", test_cut_after_reading);
  ADD_WITH_FOLDER("/matrix-file/cut-while-reading", test_cut_while_reading);
  ADD_WITH_FOLDER("/matrix-file/streams", test_streams);
  ADD_WITH_FOLDER("/matrix-file/endless-zeros", test_endless_zeros);
  return g_test_run();
}
