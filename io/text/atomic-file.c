#define _GNU_SOURCE /* realpath, O_TMPFILE */

#include "atomic-file.h"
#include "temporary-names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- names of temporary files, for signals ----------------------------------------------------------------------- */

enum { PLACES = 8 }; /* a command writes one file at a time, or two together */

enum { FREE, FILLING, NOTED };

static struct {
  atomic_int state;
  char path[PATH_MAX];
} places[PLACES];

/* Notes a copy of `path`. Returns its place, for dropping it; -1 where there is no room for it. */
static int note_name(const char *path) {
  if (strlen(path) >= PATH_MAX) return -1;
  for (int p = 0; p < PLACES; p++) {
    int state = FREE;
    if (!atomic_compare_exchange_strong(&places[p].state, &state, FILLING)) continue;
    strcpy(places[p].path, path);
    atomic_store(&places[p].state, NOTED);
    return p;
  }
  return -1;
}

static void drop_name(int place) {
  if (place >= 0) atomic_store(&places[place].state, FREE);
}

void tg_temporary_names_unlink(void) {
  const int number = errno;
  for (int p = 0; p < PLACES; p++)
    if (atomic_load(&places[p].state) == NOTED) unlink(places[p].path);
  errno = number;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

struct TgAtomicFile {
  FILE *stream;
  char *path;      /**< as the caller named it, for messages */
  char *target;    /**< with symbolic links followed; NULL where the writing is direct */
  char *temporary; /**< a name beside the target, which exists exactly while this is not NULL */
  int noted;       /**< that name's place in temporary-names.h */
  char *kept;      /**< another name of the target that is replaced, from which it can be brought back; else NULL */
  bool replaces;   /**< the target is there */
  struct stat old; /**< of that target */
};

static bool cannot_write(const TgAtomicFile *file, const char *reason, GError **error) {
  return TG_IO_FAIL(error, CANNOT_WRITE, "%s: cannot write: %s", file->path, reason);
}

/** The descriptor that a path of the /dev/fd kind stands for, else -1. Opening such a path again would start at the
 * beginning of a file that the shell opened for appending, and renaming over it would miss the reader. */
static int named_descriptor(const char *path) {
  static const struct {
    const char *prefix;
    int descriptor; /* -1: the number follows the prefix */
  } rows[] = {{"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}, {"/dev/fd/", -1}, {"/proc/self/fd/", -1}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (!g_str_has_prefix(path, rows[i].prefix)) continue;
    const char *rest = path + strlen(rows[i].prefix);
    guint64 number = 0;
    if (rows[i].descriptor >= 0 && *rest == '\0') return rows[i].descriptor;
    if (rows[i].descriptor < 0 && g_ascii_string_to_unsigned(rest, 10, 0, G_MAXINT, &number, NULL)) return (int)number;
  }
  return -1;
}

static bool open_stream(TgAtomicFile *file, int descriptor, GError **error) {
  if (descriptor < 0) return cannot_write(file, g_strerror(errno), error);
  file->stream = fdopen(descriptor, "wb");
  if (file->stream) return true;
  cannot_write(file, g_strerror(errno), error);
  close(descriptor);
  return false;
}

/** A file without a name, of which nothing remains even after a power failure or SIGKILL. Not every file system has
 * them; and its name, once it is to have one, is given to it through /proc. */
static int open_unnamed(const char *folder) {
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) == 0) return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
  (void)folder;
#endif
  return -1;
}

/** A name beside the target that nothing has: no other process takes it, and this one has 32 random bits. */
static char *name_beside(const TgAtomicFile *file) {
  g_autofree char *folder = g_path_get_dirname(file->target);
  return g_strdup_printf("%s/.topogemm-%d-%08x", folder, (int)getpid(), g_random_int());
}

/** Noted before there is such a file, so that no signal finds one that is not noted. */
static void take_name(TgAtomicFile *file) {
  file->temporary = name_beside(file);
  file->noted = note_name(file->temporary);
}

static void forget_name(TgAtomicFile *file) {
  const int number = errno;
  if (file->temporary) drop_name(file->noted);
  g_clear_pointer(&file->temporary, g_free);
  errno = number;
}

/** A file that replaces another one is for its owner alone until it has the other one's permissions. */
static bool open_temporary(TgAtomicFile *file, GError **error) {
  g_autofree char *folder = g_path_get_dirname(file->target);
  int descriptor = open_unnamed(folder);
  if (descriptor >= 0) return open_stream(file, descriptor, error);
  take_name(file);
  descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file->replaces ? 0600 : 0666);
  if (descriptor < 0) forget_name(file);
  return open_stream(file, descriptor, error);
}

/** Gives a file without a name one beside the target, from which it can be renamed. */
static bool name_temporary(TgAtomicFile *file) {
  g_autofree char *unnamed = g_strdup_printf("/proc/self/fd/%d", fileno(file->stream));
  if (file->temporary) return true;
  take_name(file);
  if (linkat(AT_FDCWD, unnamed, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0) return true;
  forget_name(file);
  return false;
}

/** Opens the temporary file beside a target that exists and is a regular file. */
static bool open_beside(TgAtomicFile *file, const struct stat *old, GError **error) {
  char *resolved = realpath(file->path, NULL);
  if (!resolved || access(resolved, W_OK) != 0) {
    free(resolved);
    return cannot_write(file, g_strerror(errno), error);
  }
  file->target = g_strdup(resolved);
  free(resolved);
  file->replaces = true;
  file->old = *old;
  return open_temporary(file, error);
}

static bool open_new(TgAtomicFile *file, GError **error) {
  struct stat status;
  if (lstat(file->path, &status) == 0) return cannot_write(file, "it is a broken symbolic link", error);
  if (*file->path == '\0' || g_str_has_suffix(file->path, "/"))
    return cannot_write(file, "it does not name a file", error);
  file->target = g_strdup(file->path);
  return open_temporary(file, error);
}

static bool open_any(TgAtomicFile *file, GError **error) {
  const int descriptor = named_descriptor(file->path);
  if (descriptor == STDOUT_FILENO) fflush(stdout); /* what was printed before comes before */
  if (descriptor >= 0) return open_stream(file, fcntl(descriptor, F_DUPFD_CLOEXEC, 0), error);
  struct stat status;
  if (stat(file->path, &status) != 0)
    return errno == ENOENT ? open_new(file, error) : cannot_write(file, g_strerror(errno), error);
  if (S_ISREG(status.st_mode)) return open_beside(file, &status, error);
  return open_stream(file, open(file->path, O_WRONLY | O_CLOEXEC), error);
}

TgAtomicFile *tg_atomic_file_begin(const char *path, GError **error) {
  g_autoptr(TgAtomicFile) file = g_new0(TgAtomicFile, 1);
  file->path = g_strdup(path);
  return open_any(file, error) ? g_steal_pointer(&file) : NULL;
}

FILE *tg_atomic_file_stream(TgAtomicFile *file) {
  return file->stream;
}

/** A stream remembers that a write failed, not why. The temporary file is lost then, so that one more byte may ask. */
static const char *reason_of_failure(TgAtomicFile *file) {
  if (file->target && write(fileno(file->stream), "", 1) < 0) return g_strerror(errno);
  return "an earlier write failed";
}

/** Gives the new file the owner, the group and the permissions of the one that it replaces. Set-user-ID, set-group-ID
 * and the sticky bit were granted to the old content, and go with it. Where the group cannot be kept, the group of the
 * new file gets what everybody has. */
static bool take_over(const TgAtomicFile *file, int descriptor) {
  const struct stat *old = &file->old;
  struct stat now;
  if (!file->replaces) return true;
  if (fstat(descriptor, &now) != 0) return false;
  const bool same_group = fchown(descriptor, old->st_uid, old->st_gid) == 0 ||
                          fchown(descriptor, (uid_t)-1, old->st_gid) == 0 || now.st_gid == old->st_gid;
  mode_t mode = old->st_mode & 0777;
  if (!same_group) mode = (mode & 0707) | (mode & 07) << 3;
  return fchmod(descriptor, mode) == 0;
}

/** Everything on the disk, with its permissions. */
static bool settle(TgAtomicFile *file) {
  const int descriptor = fileno(file->stream);
  return take_over(file, descriptor) && fsync(descriptor) == 0;
}

/** Makes the new name itself last over a power failure; some file systems cannot, which loses nothing else. */
static void sync_folder(const char *target) {
  g_autofree char *folder = g_path_get_dirname(target);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/** What takes time, while a file without a name still has none. */
static bool complete(TgAtomicFile *file, GError **error) {
  g_assert(file->stream);
  if (ferror(file->stream)) return cannot_write(file, reason_of_failure(file), error);
  const bool settled = fflush(file->stream) == 0 && (!file->target || settle(file));
  return settled || cannot_write(file, g_strerror(errno), error);
}

/** The last that can fail for want of room, before any target changes. */
static bool finish(TgAtomicFile *file, GError **error) {
  const bool named = !file->target || name_temporary(file);
  if (!named) return cannot_write(file, g_strerror(errno), error);
  return fclose(g_steal_pointer(&file->stream)) == 0 || cannot_write(file, g_strerror(errno), error);
}

/** Where there are no hard links, the target is gone for a moment. */
static bool keep_old(TgAtomicFile *file) {
  g_autofree char *path = name_beside(file);
  if (link(file->target, path) != 0 && rename(file->target, path) != 0) return false;
  file->kept = g_steal_pointer(&path);
  return true;
}

static bool place(TgAtomicFile *file, bool undoable, GError **error) {
  if (!file->target) return true;
  if (undoable && file->replaces && !keep_old(file)) return cannot_write(file, g_strerror(errno), error);
  if (rename(file->temporary, file->target) != 0) return cannot_write(file, g_strerror(errno), error);
  forget_name(file);
  return true;
}

/** What was there before comes back; should that fail, too, it stays under its other name. */
static void take_back(TgAtomicFile *file) {
  const bool placed = file->target && !file->temporary;
  if (placed && !file->kept) unlink(file->target);
  if (file->kept && rename(file->kept, file->target) != 0) g_clear_pointer(&file->kept, g_free);
}

/** Needed after a rename, too: one to another name of the same file does nothing. */
static void drop_kept(TgAtomicFile *file) {
  if (file->kept) unlink(file->kept);
  g_clear_pointer(&file->kept, g_free);
}

static bool place_all(TgAtomicFile *const *files, size_t count, GError **error) {
  size_t placed = 0;
  for (size_t f = 0; f < count; f++)
    if (!finish(files[f], error)) return false;
  while (placed < count && place(files[placed], placed + 1 < count, error)) placed++;
  for (size_t f = placed + 1; placed < count && f-- > 0;) take_back(files[f]);
  for (size_t f = 0; f < count; f++) drop_kept(files[f]);
  return placed == count;
}

bool tg_atomic_files_commit(TgAtomicFile *const *files, size_t count, GError **error) {
  sigset_t all, before;
  for (size_t f = 0; f < count; f++)
    if (!complete(files[f], error)) return false;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before); /* no signal ends the program between two names */
  const bool done = place_all(files, count, error);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  for (size_t f = 0; f < count && done; f++)
    if (files[f]->target) sync_folder(files[f]->target);
  return done;
}

bool tg_atomic_file_commit(TgAtomicFile *file, GError **error) {
  return tg_atomic_files_commit(&file, 1, error);
}

void tg_atomic_file_abort(TgAtomicFile *file) {
  if (!file) return;
  if (file->stream) fclose(file->stream);
  if (file->temporary) unlink(file->temporary);
  forget_name(file);
  g_free(file->target);
  g_free(file->path);
  g_free(file);
}

bool tg_atomic_file_check(const char *path, GError **error) {
  struct stat status;
  const bool exists = named_descriptor(path) < 0 && stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return true;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  return file != NULL;
}

TgAtomicFile *tg_atomic_file_begin_with(const char *path, const void *bytes, size_t size, GError **error) {
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  if (!file) return NULL;
  if (fwrite(bytes, 1, size, file->stream) == size) return g_steal_pointer(&file);
  cannot_write(file, g_strerror(errno), error);
  return NULL;
}

bool tg_atomic_file_write(const char *path, const void *bytes, size_t size, GError **error) {
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin_with(path, bytes, size, error);
  return file && tg_atomic_file_commit(file, error);
}
