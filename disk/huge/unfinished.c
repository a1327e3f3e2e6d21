#define _GNU_SOURCE /* realpath, flock */

#include "unfinished.h"

#include "atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_write(const char *path, const char *why, GError **error) {
  return TG_IO_FAIL(error, CANNOT_WRITE, "%s: cannot write: %s", path, why);
}

/* Where the name leads, and what is there. Asked before hours of work. */
static bool look_at_target(TgUnfinished *part, const char *c, struct stat *old, GError **error) {
  char *real = realpath(c, NULL);
  part->target = g_strdup(real ? real : c);
  part->path = g_strconcat(part->target, ".part", NULL);
  free(real);
  *old = (struct stat){0};
  if (stat(c, old) == 0 && !S_ISREG(old->st_mode))
    return cannot_write(c, "not a regular file; choose another name for C", error);
  return tg_atomic_file_check(c, error);
}

/* Opens it, or creates it with the permissions of what it replaces. A link is not followed: what it leads to is not
 * ours. */
static bool open_part(TgUnfinished *part, const struct stat *old, bool *created, GError **error) {
  const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const mode_t permissions = old->st_mode & 0777;
  part->descriptor = open(part->path, flags | O_CREAT | O_EXCL, permissions ? permissions : 0666);
  *created = part->descriptor >= 0;
  if (*created && permissions && fchmod(part->descriptor, permissions) != 0)
    return cannot_write(part->path, g_strerror(errno), error);
  if (!*created && errno == EEXIST) part->descriptor = open(part->path, flags);
  return part->descriptor >= 0 || errno == ENOENT ||
         cannot_write(part->path, errno == ELOOP ? "it is a symbolic link; remove it" : g_strerror(errno), error);
}

/* Whether the name is still that of the file that is locked: another run may have finished it in between. */
static bool is_same(const TgUnfinished *part) {
  struct stat named, locked;
  return lstat(part->path, &named) == 0 && fstat(part->descriptor, &locked) == 0 && named.st_dev == locked.st_dev &&
         named.st_ino == locked.st_ino;
}

static bool lock_part(TgUnfinished *part, const struct stat *old, bool *created, GError **error) {
  do {
    if (part->descriptor >= 0) close(part->descriptor);
    if (!open_part(part, old, created, error)) return false;
    if (part->descriptor < 0) continue; /* it got its name just now */
    if (flock(part->descriptor, LOCK_EX | LOCK_NB) == 0) continue;
    return cannot_write(part->target,
                        errno == EWOULDBLOCK
                            ? "another run is writing it: wait for it, or choose another name for C; under "
                              "mpirun, add --on ranks"
                            : g_strerror(errno),
                        error);
  } while (part->descriptor < 0 || !is_same(part));
  return true;
}

/* A file that was created, and no more: nothing, or zeros at its full size. */
static bool is_blank(const TgUnfinished *part, const TgTiling *tiling, const struct stat *status) {
  return status->st_size == 0 ||
         ((uint64_t)status->st_size == tg_tiling_file_bytes(tiling) && !tg_tiled_file_is_begun(part->descriptor));
}

static bool same_tiling(const TgTiling *one, const TgTiling *other) {
  return one->type == other->type && one->rows == other->rows && one->columns == other->columns &&
         one->tile_rows == other->tile_rows && one->tile_columns == other->tile_columns;
}

static bool resume(TgUnfinished *part, const TgTiling *tiling, TgTiledJob *job, GError **error) {
  const uint64_t product = job->product;
  GError *problem = NULL;
  part->file = tg_tiled_file_resume(part->descriptor, part->path, job, &problem);
  if (!part->file) {
    g_propagate_prefixed_error(error, problem, "cannot resume an earlier run (remove %s to start again): ", part->path);
    return false;
  }
  if (job->product == product && same_tiling(tiling, tg_tiled_file_tiling(part->file))) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s belongs to a run with other matrices or another schedule: remove it to start again, or "
                    "choose another name",
                    part->path);
}

/* The names in a folder, too, are to survive a power failure. Not every folder can be asked for that. */
static void sync_folder(const char *path) {
  g_autofree char *folder = g_path_get_dirname(path);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

static bool begin(TgUnfinished *part, const TgTiling *tiling, const TgTiledJob *job, bool created, GError **error) {
  part->file = tg_tiled_file_begin(part->descriptor, part->path, tiling, job, error);
  if (part->file) sync_folder(part->path);
  if (!part->file && created) unlink(part->path);
  return part->file != NULL;
}

bool tg_unfinished_open(TgUnfinished *part, const char *c, const TgTiling *tiling, TgTiledJob *job, GError **error) {
  struct stat old, status;
  bool created = false;
  part->descriptor = -1;
  if (!look_at_target(part, c, &old, error) || !lock_part(part, &old, &created, error)) return false;
  if (fstat(part->descriptor, &status) != 0) return cannot_write(part->path, g_strerror(errno), error);
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1)
    return cannot_write(part->path, "not left by an earlier run; move it away, or remove it", error);
  return is_blank(part, tiling, &status) ? begin(part, tiling, job, created, error) : resume(part, tiling, job, error);
}

bool tg_unfinished_join(TgUnfinished *part, const char *c, TgTiledJob *job, GError **error) {
  struct stat old;
  if (!look_at_target(part, c, &old, error)) return false;
  part->descriptor = open(part->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (part->descriptor < 0) return cannot_write(part->path, g_strerror(errno), error);
  part->file = tg_tiled_file_resume(part->descriptor, part->path, job, error);
  return part->file != NULL;
}

bool tg_unfinished_refresh(TgUnfinished *part, GError **error) {
  TgTiledJob job;
  tg_tiled_file_free(part->file);
  part->file = tg_tiled_file_resume(part->descriptor, part->path, &job, error);
  if (!part->file) return false;
  const TgTiling *tiling = tg_tiled_file_tiling(part->file);
  for (int64_t down = 0; down < tg_tiling_down(tiling); down++)
    for (int64_t across = 0; across < tg_tiling_across(tiling); across++) {
      const TgTile tile = tg_tiling_tile(tiling, down, across);
      if (!tg_tiled_file_has(part->file, &tile))
        return TG_IO_FAIL(error, BAD_INPUT, "%s: the tile at row %" PRId64 ", column %" PRId64 " was not written",
                          part->path, tile.row, tile.column);
    }
  return true;
}

bool tg_unfinished_finish(TgUnfinished *part, GError **error) {
  if (!tg_tiled_file_finish(part->file, error)) return false;
  if (rename(part->path, part->target) != 0) return cannot_write(part->target, g_strerror(errno), error);
  sync_folder(part->target);
  return true;
}

void tg_unfinished_clear(TgUnfinished *part) {
  tg_tiled_file_free(part->file);
  if (part->descriptor >= 0) close(part->descriptor);
  g_free(part->path);
  g_free(part->target);
}
