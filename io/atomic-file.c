#define _GNU_SOURCE /* realpath, O_TMPFILE */

#include "atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct TgAtomicFile {
  FILE *stream;
  char *path;      /**< as the caller named it, for messages */
  char *target;    /**< with symbolic links followed; NULL where the writing is direct */
  char *temporary; /**< a name beside the target, which exists exactly while this is not NULL */
  mode_t mode;     /**< permissions of the target to be replaced; 0 where there is none */
};

static bool cannot_write(const TgAtomicFile *file, const char *reason, GError **error) {
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE, "%s: cannot write: %s", file->path, reason);
  return false;
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

static bool open_temporary(TgAtomicFile *file, GError **error) {
  g_autofree char *folder = g_path_get_dirname(file->target);
  int descriptor = open_unnamed(folder);
  if (descriptor >= 0) return open_stream(file, descriptor, error);
  file->temporary = g_build_filename(folder, ".topogemm-XXXXXX", NULL);
  descriptor = g_mkstemp_full(file->temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) g_clear_pointer(&file->temporary, g_free);
  return open_stream(file, descriptor, error);
}

/** Gives a file without a name one beside the target, from which it can be renamed. */
static bool name_temporary(TgAtomicFile *file) {
  enum { ATTEMPTS = 100 };
  g_autofree char *folder = g_path_get_dirname(file->target);
  g_autofree char *unnamed = g_strdup_printf("/proc/self/fd/%d", fileno(file->stream));
  for (int attempt = 0; !file->temporary && attempt < ATTEMPTS; attempt++) {
    g_autofree char *path = g_strdup_printf("%s/.topogemm-%08x", folder, g_random_int());
    if (linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
      file->temporary = g_steal_pointer(&path);
    else if (errno != EEXIST)
      return false;
  }
  return file->temporary != NULL;
}

/** Opens the temporary file beside a target that exists and is a regular file. */
static bool open_beside(TgAtomicFile *file, mode_t mode, GError **error) {
  char *resolved = realpath(file->path, NULL);
  if (!resolved || access(resolved, W_OK) != 0) {
    free(resolved);
    return cannot_write(file, g_strerror(errno), error);
  }
  file->target = g_strdup(resolved);
  free(resolved);
  file->mode = mode & 07777;
  return open_temporary(file, error);
}

static bool open_new(TgAtomicFile *file, GError **error) {
  struct stat status;
  if (lstat(file->path, &status) == 0) return cannot_write(file, "the symbolic link leads nowhere", error);
  if (*file->path == '\0' || g_str_has_suffix(file->path, "/")) return cannot_write(file, "it names no file", error);
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
  if (S_ISREG(status.st_mode)) return open_beside(file, status.st_mode, error);
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

/** Everything on the disk, with its permissions and a temporary name. */
static bool settle(TgAtomicFile *file) {
  const int descriptor = fileno(file->stream);
  return (!file->mode || fchmod(descriptor, file->mode) == 0) && fsync(descriptor) == 0 && name_temporary(file);
}

/** Makes the new name itself last over a power failure; some file systems cannot, which loses nothing else. */
static void sync_folder(const char *target) {
  g_autofree char *folder = g_path_get_dirname(target);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

bool tg_atomic_file_commit(TgAtomicFile *file, GError **error) {
  g_assert(file->stream);
  if (ferror(file->stream)) return cannot_write(file, reason_of_failure(file), error);
  const bool settled = fflush(file->stream) == 0 && (!file->target || settle(file));
  if (!settled) return cannot_write(file, g_strerror(errno), error);
  if (fclose(g_steal_pointer(&file->stream)) != 0) return cannot_write(file, g_strerror(errno), error);
  if (!file->target) return true;
  if (rename(file->temporary, file->target) != 0) return cannot_write(file, g_strerror(errno), error);
  g_clear_pointer(&file->temporary, g_free);
  sync_folder(file->target);
  return true;
}

void tg_atomic_file_abort(TgAtomicFile *file) {
  if (!file) return;
  if (file->stream) fclose(file->stream);
  if (file->temporary) unlink(file->temporary);
  g_free(file->temporary);
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

bool tg_atomic_file_write(const char *path, const void *bytes, size_t size, GError **error) {
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  if (!file) return false;
  if (fwrite(bytes, 1, size, file->stream) != size) return cannot_write(file, g_strerror(errno), error);
  return tg_atomic_file_commit(file, error);
}
