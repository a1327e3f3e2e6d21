/* Reading and writing by suffix, the raw format, and what is asked of a file. */
#include "matrix-file.h"

#include "input-bytes.h"
#include "test-folder.h"

#include <sys/stat.h>
#include <unistd.h>

static TgMatrix *random_matrix(TgType type) {
  TgMatrix *matrix = tg_matrix_new(type, 5, 3, 0, NULL);
  tg_matrix_fill_uniform(matrix, 11);
  return matrix;
}

static void check_round_trip(const Folder *folder, const char *name, TgType type) {
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, name, NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(type);
  g_assert_true(tg_matrix_write(matrix, path, &error));
  g_assert_no_error(error);
  const TgMatrixRequest request = {.type = type, .rows = 5, .columns = 3};
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
    check_round_trip(folder, names[i], TG_TYPE_F32);
    check_round_trip(folder, names[i], TG_TYPE_F64);
  }
}

static void test_own_type(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, "a.npy", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_TYPE_F32);
  g_assert_true(tg_matrix_write(matrix, path, &error));
  g_autoptr(TgMatrix) own = tg_matrix_read(path, NULL, &error);
  g_assert_cmpint(own->type, ==, TG_TYPE_F32);
  const TgMatrixRequest request = {.type = TG_TYPE_F64};
  g_autoptr(TgMatrix) wide = tg_matrix_read(path, &request, &error);
  g_assert_cmpint(wide->type, ==, TG_TYPE_F64);
  for (int i = 0; i < 15; i++) g_assert_cmpfloat(wide->f64[i], ==, (double)matrix->f32[i]);
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
  g_autoptr(TgMatrix) matrix = random_matrix(TG_TYPE_F64);
  g_assert_true(tg_matrix_write(matrix, path, NULL) && tg_matrix_write(matrix, npy, NULL));
  check_refused(folder, "none.npy", any, TG_IO_ERROR_CANNOT_READ, ": cannot read: No such file or directory");
  check_refused(folder, "a.csv", any, TG_IO_ERROR_BAD_INPUT,
                ": the suffix says no matrix format: expected one of .npy, .mtx, .raw, .bin");
  check_refused(folder, "a.raw", any, TG_IO_ERROR_BAD_INPUT,
                ": a raw file says neither its size nor its type: rows, columns and the type have to be given");
  check_refused(folder, "a.raw", (TgMatrixRequest){.type = TG_TYPE_F32, .rows = 5, .columns = 3}, TG_IO_ERROR_BAD_INPUT,
                ": wrong size for a raw 5x3 f32 matrix: expected 60 bytes, found 120");
  check_refused(folder, "a.raw", (TgMatrixRequest){.type = TG_TYPE_F32, .rows = INT64_MAX, .columns = 3},
                TG_IO_ERROR_TOO_LARGE, ": the size of a raw 9223372036854775807x3 f32 matrix in bytes overflows");
  check_refused(folder, "a.raw",
                (TgMatrixRequest){.type = TG_TYPE_F64, .rows = INT64_C(1) << 33, .columns = INT64_C(1) << 33},
                TG_IO_ERROR_TOO_LARGE, ": the size of a raw 8589934592x8589934592 f64 matrix in bytes overflows");
  check_refused(folder, "a.raw", (TgMatrixRequest){.type = TG_TYPE_F64, .rows = 5, .columns = 3, .limit_bytes = 119},
                TG_IO_ERROR_TOO_LARGE,
                ": a matrix of 5x3 f64 needs 120 bytes; the limit is 119 bytes (set by the caller)");
  check_refused(folder, "a.npy", (TgMatrixRequest){.rows = 5, .columns = 4}, TG_IO_ERROR_BAD_INPUT,
                ": the matrix is 5x3, expected 5x4");
}

static void test_overflowing_conversion(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autofree char *path = g_build_filename(folder->path, "a.npy", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_TYPE_F64);
  tg_matrix_set(matrix, 2, 1, -0x1p200);
  g_assert_true(tg_matrix_write(matrix, path, NULL));
  check_refused(folder, "a.npy", (TgMatrixRequest){.type = TG_TYPE_F32}, TG_IO_ERROR_BAD_INPUT,
                ": element (2, 1), counted from 0, is -1.6069380442589903e+60 and does not fit f32");
}

static void test_unknown_suffix_leaves_nothing(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(folder->path, "a.txt", NULL);
  g_autoptr(TgMatrix) matrix = random_matrix(TG_TYPE_F64);
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
    const TgMatrixRequest request = {.type = TG_TYPE_F64, .rows = 1, .columns = 1};
    g_assert_null(tg_matrix_read(path, &request, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  }
}

static gpointer feed(gpointer path) {
  g_autoptr(TgMatrix) matrix = random_matrix(TG_TYPE_F64);
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
  g_autoptr(TgMatrix) matrix = random_matrix(TG_TYPE_F64);
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
  g_clear_error(&error);
  g_assert_null(tg_input_bytes_read("/", 0, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_READ);
  g_assert_cmpstr(error->message, ==, "/: cannot read: it is a folder");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD_WITH_FOLDER("/matrix-file/round-trips", test_round_trips);
  ADD_WITH_FOLDER("/matrix-file/own-type", test_own_type);
  ADD_WITH_FOLDER("/matrix-file/refusals", test_refusals);
  ADD_WITH_FOLDER("/matrix-file/overflowing-conversion", test_overflowing_conversion);
  ADD_WITH_FOLDER("/matrix-file/unknown-suffix-leaves-nothing", test_unknown_suffix_leaves_nothing);
  ADD_WITH_FOLDER("/matrix-file/empty-files", test_empty_files);
  ADD_WITH_FOLDER("/matrix-file/named-pipe", test_named_pipe);
  g_test_add_func("/matrix-file/limited-input", test_limited_input);
  g_test_add_func("/matrix-file/endless-input", test_endless_input);
  return g_test_run();
}
