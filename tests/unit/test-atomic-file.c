/* Files that appear complete or not at all. */
#include "atomic-file.h"
#include "test-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned permissions(const char *path) {
  struct stat status;
  g_assert_cmpint(stat(path, &status), ==, 0);
  return status.st_mode & 07777;
}

static void test_appears_at_commit(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(folder->target, &error);
  g_assert_no_error(error);
  fputs("whole", tg_atomic_file_stream(file));
  g_assert_false(g_file_test(folder->target, G_FILE_TEST_EXISTS));
  g_assert_true(tg_atomic_file_commit(file, &error));
  g_assert_no_error(error);
  assert_content(folder->target, "whole");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

static void test_abort_leaves_nothing(Folder *folder, gconstpointer unused) {
  (void)unused;
  TgAtomicFile *file = tg_atomic_file_begin(folder->target, NULL);
  fputs("half", tg_atomic_file_stream(file));
  tg_atomic_file_abort(file);
  g_assert_cmpint(folder_count_files(folder), ==, 0);
  tg_atomic_file_abort(NULL);
}

static void test_replaces(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_assert_true(tg_atomic_file_write(folder->target, "old and longer", 14, &error));
  g_assert_cmpint(chmod(folder->target, 0640), ==, 0);
  TgAtomicFile *file = tg_atomic_file_begin(folder->target, &error);
  fputs("new", tg_atomic_file_stream(file));
  fflush(tg_atomic_file_stream(file));
  assert_content(folder->target, "old and longer");
  tg_atomic_file_abort(file);
  assert_content(folder->target, "old and longer");
  g_assert_true(tg_atomic_file_write(folder->target, "new", 3, &error));
  assert_content(folder->target, "new");
  g_assert_cmphex(permissions(folder->target), ==, 0640);
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

static void test_umask(Folder *folder, gconstpointer unused) {
  (void)unused;
  const mode_t before = umask(027);
  g_assert_true(tg_atomic_file_write(folder->target, "x", 1, NULL));
  umask(before);
  g_assert_cmphex(permissions(folder->target), ==, 0640);
}

static void test_symbolic_link(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *link = g_build_filename(folder->path, "link", NULL);
  g_assert_cmpint(symlink("target", link), ==, 0);
  g_assert_null(tg_atomic_file_begin(link, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE);
  g_assert_true(g_str_has_suffix(error->message, "/link: cannot write: the symbolic link leads nowhere"));
  g_assert_true(tg_atomic_file_write(folder->target, "old", 3, NULL));
  g_assert_true(tg_atomic_file_write(link, "new", 3, NULL));
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
  assert_content(folder->target, "new");
}

static void check_refused(const char *path, const char *reason) {
  g_autoptr(GError) error = NULL;
  g_autofree char *expected = g_strdup_printf("%s: cannot write: %s", path, reason);
  g_assert_false(tg_atomic_file_check(path, &error));
  g_assert_cmpstr(error->message, ==, expected);
  g_clear_error(&error);
  g_assert_null(tg_atomic_file_begin(path, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE);
  g_assert_cmpstr(error->message, ==, expected);
}

static void test_impossible_targets(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autofree char *nowhere = g_build_filename(folder->path, "none", "target", NULL);
  g_autofree char *slash = g_strconcat(folder->target, "/", NULL);
  g_autofree char *beneath = g_build_filename(folder->target, "x", NULL);
  check_refused(nowhere, g_strerror(ENOENT));
  check_refused(slash, "it names no file");
  check_refused("", "it names no file");
  check_refused(folder->path, g_strerror(EISDIR));
  g_assert_true(tg_atomic_file_write(folder->target, "x", 1, NULL));
  check_refused(beneath, g_strerror(ENOTDIR));
  check_refused("/dev/fd/987", g_strerror(EBADF));
}

/* Descriptors and devices are written through. */
static void test_devices(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_assert_true(tg_atomic_file_check("/dev/full", &error));
  g_assert_true(tg_atomic_file_check("/dev/stdout", &error));
  g_assert_true(tg_atomic_file_check(folder->target, &error));
  g_assert_no_error(error);
  g_assert_cmpint(folder_count_files(folder), ==, 0);
  g_assert_true(tg_atomic_file_write("/dev/null", "x", 1, &error));
  g_assert_no_error(error);
  g_assert_false(tg_atomic_file_write("/dev/full", "x", 1, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE);
  g_assert_cmpstr(error->message, ==, "/dev/full: cannot write: No space left on device");
  const int descriptor = open(folder->target, O_RDWR | O_CREAT | O_APPEND, 0600);
  g_autofree char *path = g_strdup_printf("/dev/fd/%d", descriptor);
  g_assert_cmpint(write(descriptor, "before ", 7), ==, 7);
  g_assert_true(tg_atomic_file_write(path, "through", 7, NULL));
  g_assert_cmpint(write(descriptor, " after", 6), ==, 6);
  close(descriptor);
  assert_content(folder->target, "before through after");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD_WITH_FOLDER("/atomic-file/appears-at-commit", test_appears_at_commit);
  ADD_WITH_FOLDER("/atomic-file/abort-leaves-nothing", test_abort_leaves_nothing);
  ADD_WITH_FOLDER("/atomic-file/replaces", test_replaces);
  ADD_WITH_FOLDER("/atomic-file/umask", test_umask);
  ADD_WITH_FOLDER("/atomic-file/symbolic-link", test_symbolic_link);
  ADD_WITH_FOLDER("/atomic-file/impossible-targets", test_impossible_targets);
  ADD_WITH_FOLDER("/atomic-file/devices", test_devices);
  return g_test_run();
}
