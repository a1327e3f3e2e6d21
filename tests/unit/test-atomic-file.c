/* Files that appear complete or not at all. */
#include "atomic-file.h"
#include "test-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

/* What was granted to another content is not granted to this one. */
static void test_special_bits(Folder *folder, gconstpointer unused) {
  static const struct {
    mode_t before;
    unsigned after;
  } rows[] = {{04755, 0755}, {02755, 0755}, {07777, 0777}, {01666, 0666}, {06600, 0600}};
  (void)unused;
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++) {
    g_assert_true(tg_atomic_file_write(folder->target, "old", 3, NULL));
    g_assert_cmpint(chmod(folder->target, rows[r].before), ==, 0);
    g_assert_true(tg_atomic_file_write(folder->target, "new", 3, NULL));
    g_assert_cmphex(permissions(folder->target), ==, rows[r].after);
  }
}

static void test_owner(Folder *folder, gconstpointer unused) {
  (void)unused;
  enum { USER = 1234, GROUP = 4321 };
  struct stat status;
  g_assert_true(tg_atomic_file_write(folder->target, "old", 3, NULL));
  if (chown(folder->target, USER, GROUP) != 0) {
    g_test_skip("only root gives files to others");
    return;
  }
  g_assert_cmpint(chmod(folder->target, 0), ==, 0); /* no permissions are permissions, too */
  g_assert_true(tg_atomic_file_write(folder->target, "new", 3, NULL));
  g_assert_cmpint(stat(folder->target, &status), ==, 0);
  g_assert_cmpint(status.st_uid, ==, USER);
  g_assert_cmpint(status.st_gid, ==, GROUP);
  g_assert_cmphex(permissions(folder->target), ==, 0);
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
  g_assert_true(g_str_has_suffix(error->message, "/link: cannot write: it is a broken symbolic link"));
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
  check_refused(slash, "it does not name a file");
  check_refused("", "it does not name a file");
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

typedef struct Pair {
  char *path[2];
  TgAtomicFile *file[2];
} Pair;

static void pair_begin(Pair *pair, const Folder *folder) {
  for (int i = 0; i < 2; i++) {
    pair->path[i] = g_strdup_printf("%s/%d", folder->path, i);
    pair->file[i] = tg_atomic_file_begin(pair->path[i], NULL);
    fprintf(tg_atomic_file_stream(pair->file[i]), "new %d", i);
  }
}

static void pair_clear(Pair *pair) {
  for (int i = 0; i < 2; i++) {
    tg_atomic_file_abort(pair->file[i]);
    g_free(pair->path[i]);
  }
}

static void test_together(Folder *folder, gconstpointer unused) {
  (void)unused;
  for (int time = 0; time < 2; time++) { /* new ones, then those that are there */
    g_autoptr(GError) error = NULL;
    Pair pair;
    pair_begin(&pair, folder);
    g_assert_true(tg_atomic_files_commit(pair.file, 2, &error));
    g_assert_no_error(error);
    assert_content(pair.path[0], "new 0");
    assert_content(pair.path[1], "new 1");
    g_assert_cmpint(folder_count_files(folder), ==, 2);
    pair_clear(&pair);
    g_assert_cmpint(folder_count_files(folder), ==, 2);
  }
}

/* The second name is taken by a folder meanwhile: the first file is as it was before, or is not there. */
static void check_second_refused(const Folder *folder, const char *before) {
  g_autoptr(GError) error = NULL;
  g_autofree char *first = g_build_filename(folder->path, "0", NULL);
  struct stat old, now;
  Pair pair;
  if (before) g_assert_true(tg_atomic_file_write(first, before, strlen(before), NULL));
  if (before) g_assert_cmpint(stat(first, &old), ==, 0);
  pair_begin(&pair, folder);
  g_assert_cmpint(mkdir(pair.path[1], 0700), ==, 0);
  g_autofree char *expected = g_strdup_printf("%s: cannot write: %s", pair.path[1], g_strerror(EISDIR));
  g_assert_false(tg_atomic_files_commit(pair.file, 2, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE);
  g_assert_cmpstr(error->message, ==, expected);
  g_assert_cmpint(rmdir(pair.path[1]), ==, 0);
  pair_clear(&pair);
  g_assert_cmpint(folder_count_files(folder), ==, before ? 1 : 0);
  if (!before) return;
  assert_content(first, before);
  g_assert_cmpint(stat(first, &now), ==, 0);
  g_assert_cmpint(now.st_ino, ==, old.st_ino);
  g_assert_cmpint(now.st_nlink, ==, 1);
}

static void test_both_or_neither(Folder *folder, gconstpointer unused) {
  (void)unused;
  check_second_refused(folder, NULL);
  check_second_refused(folder, "as it was");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD_WITH_FOLDER("/atomic-file/appears-at-commit", test_appears_at_commit);
  ADD_WITH_FOLDER("/atomic-file/abort-leaves-nothing", test_abort_leaves_nothing);
  ADD_WITH_FOLDER("/atomic-file/replaces", test_replaces);
  ADD_WITH_FOLDER("/atomic-file/special-bits", test_special_bits);
  ADD_WITH_FOLDER("/atomic-file/owner", test_owner);
  ADD_WITH_FOLDER("/atomic-file/umask", test_umask);
  ADD_WITH_FOLDER("/atomic-file/symbolic-link", test_symbolic_link);
  ADD_WITH_FOLDER("/atomic-file/impossible-targets", test_impossible_targets);
  ADD_WITH_FOLDER("/atomic-file/devices", test_devices);
  ADD_WITH_FOLDER("/atomic-file/together", test_together);
  ADD_WITH_FOLDER("/atomic-file/both-or-neither", test_both_or_neither);
  return g_test_run();
}
