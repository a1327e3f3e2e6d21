/* What is left where the system refuses the writing, or the program ends in the middle of it. */
#define _GNU_SOURCE /* unshare */

#include "atomic-file.h"
#include "temporary-names.h"
#include "test-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_TEST = 77 };

/* Runs `body` in a child process, where limits and rights can be given up; false where it ends with CANNOT_TEST. */
static bool in_child(void (*body)(const Folder *folder), const Folder *folder) {
  fflush(NULL);
  const pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    body(folder);
    _exit(0);
  }
  int status = -1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_true(WIFEXITED(status));
  g_assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CANNOT_TEST);
  return WEXITSTATUS(status) == 0;
}

static void refused_as_nobody(const Folder *folder) {
  enum { NOBODY = 65534 };
  g_autoptr(GError) error = NULL;
  g_autofree char *expected = g_strdup_printf("%s: cannot write: %s", folder->target, g_strerror(EACCES));
  if (geteuid() == 0) g_assert_cmpint(setuid(NOBODY), ==, 0);
  g_assert_null(tg_atomic_file_begin(folder->target, &error));
  g_assert_cmpstr(error->message, ==, expected);
}

static void test_folder_without_permission(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_assert_cmpint(chmod(folder->path, 0555), ==, 0);
  g_assert_true(in_child(refused_as_nobody, folder));
  g_assert_cmpint(chmod(folder->path, 0700), ==, 0);
  g_assert_cmpint(folder_count_files(folder), ==, 0);
}

static void test_target_without_permission(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_assert_true(tg_atomic_file_write(folder->target, "kept", 4, NULL));
  g_assert_cmpint(chmod(folder->target, 0444), ==, 0);
  g_assert_cmpint(chmod(folder->path, 0777), ==, 0);
  g_assert_true(in_child(refused_as_nobody, folder));
  assert_content(folder->target, "kept");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

#define CLOSED "a folder above that of temporary files is closed to others"

/* The group of a file that is replaced stays with the file only for a member of it; others get nothing by that. */
static void replace_as_nobody(const Folder *folder) {
  enum { NOBODY = 65534 };
  const gid_t none = NOBODY;
  struct stat status;
  g_assert_cmpint(setgroups(1, &none), ==, 0);
  g_assert_cmpint(setgid(NOBODY), ==, 0);
  g_assert_cmpint(setuid(NOBODY), ==, 0);
  if (access(folder->path, W_OK) != 0) _exit(CANNOT_TEST);
  g_assert_true(tg_atomic_file_write(folder->target, "new", 3, NULL));
  g_assert_cmpint(stat(folder->target, &status), ==, 0);
  g_assert_cmpint(status.st_gid, ==, NOBODY);
  g_assert_cmphex(status.st_mode & 07777, ==, 0644);
}

static void test_group_that_cannot_be_kept(Folder *folder, gconstpointer unused) {
  (void)unused;
  enum { NOBODY = 65534, GROUP = 4321 };
  g_assert_true(tg_atomic_file_write(folder->target, "old", 3, NULL));
  if (chown(folder->target, NOBODY, GROUP) != 0) {
    g_test_skip("only root gives files to others");
    return;
  }
  g_assert_cmpint(chmod(folder->target, 0664), ==, 0);
  g_assert_cmpint(chmod(folder->path, 0777), ==, 0);
  if (in_child(replace_as_nobody, folder))
    assert_content(folder->target, "new");
  else
    g_test_skip(CLOSED);
}

enum { LIMIT_BYTES = 65536 };

/* The nearest to a full disk that needs no privilege: the system refuses to let a file grow beyond a limit. */
static void write_beyond_limit(const Folder *folder) {
  const struct rlimit limit = {LIMIT_BYTES, LIMIT_BYTES};
  signal(SIGXFSZ, SIG_IGN);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
  g_autoptr(GError) error = NULL;
  g_autofree char *bytes = g_strnfill(2 * LIMIT_BYTES, 'x');
  g_autofree char *expected = g_strdup_printf("%s: cannot write: %s", folder->target, g_strerror(EFBIG));
  g_assert_false(tg_atomic_file_write(folder->target, bytes, 2 * LIMIT_BYTES, &error));
  g_assert_cmpstr(error->message, ==, expected);
  g_clear_error(&error);
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(folder->target, &error);
  for (int i = 0; i < 2 * LIMIT_BYTES; i++) fputc('x', tg_atomic_file_stream(file)); /* failures go unseen here */
  g_assert_false(tg_atomic_file_commit(file, &error));
  g_assert_cmpstr(error->message, ==, expected);
}

static void test_limit_keeps_target(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_assert_true(tg_atomic_file_write(folder->target, "kept", 4, NULL));
  g_assert_true(in_child(write_beyond_limit, folder));
  assert_content(folder->target, "kept");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

/* Of two files that belong together, neither appears where one of them does not fit. */
static void write_two_beyond_limit(const Folder *folder) {
  const struct rlimit limit = {LIMIT_BYTES, LIMIT_BYTES};
  signal(SIGXFSZ, SIG_IGN);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
  g_autoptr(GError) error = NULL;
  g_autofree char *small = g_build_filename(folder->path, "small", NULL);
  g_autoptr(TgAtomicFile) first = tg_atomic_file_begin(small, &error);
  g_autoptr(TgAtomicFile) second = tg_atomic_file_begin(folder->target, &error);
  fputs("small", tg_atomic_file_stream(first));
  for (int i = 0; i < LIMIT_BYTES + 1; i++) fputc('x', tg_atomic_file_stream(second));
  g_autofree char *expected = g_strdup_printf("%s: cannot write: %s", folder->target, g_strerror(EFBIG));
  g_assert_false(tg_atomic_files_commit((TgAtomicFile *const[]){first, second}, 2, &error));
  g_assert_cmpstr(error->message, ==, expected);
}

static void test_limit_keeps_both(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_assert_true(tg_atomic_file_write(folder->target, "kept", 4, NULL));
  g_assert_true(in_child(write_two_beyond_limit, folder));
  assert_content(folder->target, "kept");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

/* Who may write a file and not read it may not always give it a second name, and brings it back all the same. */
static void fail_at_the_second(const Folder *folder) {
  enum { NOBODY = 65534 };
  g_autoptr(GError) error = NULL;
  g_autofree char *taken = g_build_filename(folder->path, "taken", NULL);
  if (geteuid() == 0) g_assert_cmpint(setuid(NOBODY), ==, 0);
  if (access(folder->path, W_OK) != 0) _exit(CANNOT_TEST);
  g_autoptr(TgAtomicFile) first = tg_atomic_file_begin(folder->target, &error);
  g_autoptr(TgAtomicFile) second = tg_atomic_file_begin(taken, &error);
  g_assert_no_error(error);
  g_assert_cmpint(mkdir(taken, 0700), ==, 0);
  g_assert_false(tg_atomic_files_commit((TgAtomicFile *const[]){first, second}, 2, &error));
  g_assert_cmpint(rmdir(taken), ==, 0);
}

static void test_brought_back(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_assert_true(tg_atomic_file_write(folder->target, "kept", 4, NULL));
  g_assert_cmpint(chmod(folder->target, 0622), ==, 0);
  g_assert_cmpint(chmod(folder->path, 0777), ==, 0);
  if (!in_child(fail_at_the_second, folder)) g_test_skip(CLOSED);
  assert_content(folder->target, "kept");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

/* A write that failed is not forgotten because there is room again at the commit. */
static void write_beyond_passing_limit(const Folder *folder) {
  const struct rlimit low = {LIMIT_BYTES, RLIM_INFINITY}, high = {RLIM_INFINITY, RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &low) != 0) _exit(CANNOT_TEST);
  g_autoptr(GError) error = NULL;
  TgAtomicFile *file = tg_atomic_file_begin(folder->target, &error);
  for (int i = 0; i < 2 * LIMIT_BYTES; i++) fputc('x', tg_atomic_file_stream(file));
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &high), ==, 0);
  g_assert_false(tg_atomic_file_commit(file, &error));
  g_assert_true(g_str_has_suffix(error->message, "/target: cannot write: an earlier write failed"));
  tg_atomic_file_abort(file);
}

static void test_passing_limit(Folder *folder, gconstpointer unused) {
  (void)unused;
  if (!in_child(write_beyond_passing_limit, folder)) g_test_skip("the size of files is limited from outside");
  g_assert_cmpint(folder_count_files(folder), ==, 0);
}

static void write_text(const char *path, const char *text) {
  const int descriptor = open(path, O_WRONLY);
  if (descriptor < 0 || write(descriptor, text, strlen(text)) < 0) _exit(CANNOT_TEST);
  close(descriptor);
}

/* Mounts an empty file system of 64 KiB, seen by this process alone; CANNOT_TEST where the system forbids it. */
static void mount_small_disk(const char *path) {
  const bool root = geteuid() == 0;
  g_autofree char *user = g_strdup_printf("0 %d 1", (int)geteuid());
  g_autofree char *group = g_strdup_printf("0 %d 1", (int)getegid());
  if (unshare(CLONE_NEWNS | (root ? 0 : CLONE_NEWUSER)) != 0) _exit(CANNOT_TEST);
  if (!root) {
    write_text("/proc/self/uid_map", user);
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/gid_map", group);
  }
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) _exit(CANNOT_TEST);
  if (mount("tmpfs", path, "tmpfs", 0, "size=64k") != 0) _exit(CANNOT_TEST);
}

/* One write that does not fit, then many small ones whose failures go unseen until the commit. */
static void fill_small_disk(const Folder *folder) {
  mount_small_disk(folder->path);
  g_autoptr(GError) error = NULL;
  g_assert_true(tg_atomic_file_write(folder->target, "kept", 4, &error));
  g_autofree char *bytes = g_strnfill(2 * LIMIT_BYTES, 'x');
  g_autofree char *expected = g_strdup_printf("%s: cannot write: %s", folder->target, g_strerror(ENOSPC));
  g_assert_false(tg_atomic_file_write(folder->target, bytes, 2 * LIMIT_BYTES, &error));
  g_assert_cmpstr(error->message, ==, expected);
  g_clear_error(&error);
  TgAtomicFile *file = tg_atomic_file_begin(folder->target, &error);
  for (int i = 0; i < 2 * LIMIT_BYTES; i++) fputc('x', tg_atomic_file_stream(file));
  g_assert_false(tg_atomic_file_commit(file, &error));
  g_assert_cmpstr(error->message, ==, expected);
  tg_atomic_file_abort(file);
  assert_content(folder->target, "kept");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

static void test_full_disk(Folder *folder, gconstpointer unused) {
  (void)unused;
  if (!in_child(fill_small_disk, folder)) g_test_skip("the system allows no file system of one's own here");
}

static void leave_while_writing(const Folder *folder) {
  TgAtomicFile *file = tg_atomic_file_begin(folder->target, NULL);
  fputs("half", tg_atomic_file_stream(file));
  fflush(tg_atomic_file_stream(file));
  _exit(0); /* as SIGKILL: nothing is cleaned up */
}

static void test_killed(Folder *folder, gconstpointer unused) {
  (void)unused;
  const int probe = open(folder->path, O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) {
    g_test_skip("this file system has no files without a name");
    return;
  }
  close(probe);
  g_assert_true(in_child(leave_while_writing, folder));
  g_assert_cmpint(folder_count_files(folder), ==, 0);
}

static void end(int number) {
  (void)number;
  tg_temporary_names_unlink();
  _exit(0);
}

/* A file that has a name while it is written is removed by the signal's handler, whichever of several it is. */
static void end_while_writing(const Folder *folder) {
  mount_small_disk("/proc");
  g_autofree char *other = g_build_filename(folder->path, "other", NULL);
  for (int i = 0; i < 20; i++) tg_atomic_file_abort(tg_atomic_file_begin(other, NULL)); /* places are given back */
  g_assert_true(tg_atomic_file_write(folder->target, "kept", 4, NULL));
  g_assert_nonnull(tg_atomic_file_begin(other, NULL));
  g_assert_nonnull(tg_atomic_file_begin(folder->target, NULL));
  g_assert_cmpint(folder_count_files(folder), ==, 3);
  signal(SIGTERM, end);
  raise(SIGTERM);
  _exit(1);
}

static void test_ended_by_a_signal(Folder *folder, gconstpointer unused) {
  (void)unused;
  if (!in_child(end_while_writing, folder)) {
    g_test_skip("the system allows no file system of one's own here");
    return;
  }
  assert_content(folder->target, "kept");
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

/* Without /proc a file cannot be named later, so that it has a name from the beginning. */
static void write_without_proc(const Folder *folder) {
  mount_small_disk("/proc");
  g_autoptr(GError) error = NULL;
  TgAtomicFile *file = tg_atomic_file_begin(folder->target, &error);
  g_assert_no_error(error);
  g_assert_cmpint(folder_count_files(folder), ==, 1);
  tg_atomic_file_abort(file);
  g_assert_cmpint(folder_count_files(folder), ==, 0);
  umask(022);
  g_assert_true(tg_atomic_file_write(folder->target, "named", 5, &error));
  assert_content(folder->target, "named");
  struct stat status;
  g_assert_cmpint(stat(folder->target, &status), ==, 0);
  g_assert_cmphex(status.st_mode & 07777, ==, 0644);
  g_assert_cmpint(folder_count_files(folder), ==, 1);
}

static void test_named_from_the_beginning(Folder *folder, gconstpointer unused) {
  (void)unused;
  if (!in_child(write_without_proc, folder)) g_test_skip("the system allows no file system of one's own here");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD_WITH_FOLDER("/write-failures/folder-without-permission", test_folder_without_permission);
  ADD_WITH_FOLDER("/write-failures/target-without-permission", test_target_without_permission);
  ADD_WITH_FOLDER("/write-failures/group-that-cannot-be-kept", test_group_that_cannot_be_kept);
  ADD_WITH_FOLDER("/write-failures/limit-keeps-target", test_limit_keeps_target);
  ADD_WITH_FOLDER("/write-failures/limit-keeps-both", test_limit_keeps_both);
  ADD_WITH_FOLDER("/write-failures/brought-back", test_brought_back);
  ADD_WITH_FOLDER("/write-failures/passing-limit", test_passing_limit);
  ADD_WITH_FOLDER("/write-failures/full-disk", test_full_disk);
  ADD_WITH_FOLDER("/write-failures/killed", test_killed);
  ADD_WITH_FOLDER("/write-failures/ended-by-a-signal", test_ended_by_a_signal);
  ADD_WITH_FOLDER("/write-failures/named-from-the-beginning", test_named_from_the_beginning);
  return g_test_run();
}
