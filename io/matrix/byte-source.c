#include "byte-source.h"

#include "input-bytes.h"
#include "matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 1 << 30 }; /* read() takes less than 2 GiB */

static bool cannot_read(const char *name, const char *reason, GError **error) {
  return TG_IO_FAIL(error, CANNOT_READ, "%s: cannot read: %s", name, reason);
}

/** Files of /proc are regular files of size 0 that have contents all the same. */
static uint64_t size_of(const struct stat *status) {
  return S_ISREG(status->st_mode) && status->st_size > 0 ? (uint64_t)status->st_size : TG_BYTES_UNKNOWN;
}

bool tg_byte_source_open(TgByteSource *source, const char *path, GError **error) {
  struct stat status;
  *source = (TgByteSource){.name = path, .descriptor = open(path, O_RDONLY | O_CLOEXEC)};
  if (source->descriptor < 0) return cannot_read(path, g_strerror(errno), error);
  const char *reason = fstat(source->descriptor, &status) != 0 ? g_strerror(errno)
                       : S_ISDIR(status.st_mode)               ? "it is a folder"
                                                               : NULL;
  if (!reason) {
    source->size = size_of(&status);
    return true;
  }
  tg_byte_source_close(source);
  return cannot_read(path, reason, error);
}

TgByteSource tg_byte_source_of_memory(const char *name, const void *bytes, size_t size) {
  return (TgByteSource){.name = name, .descriptor = -1, .memory = bytes, .size = size};
}

void tg_byte_source_close(TgByteSource *source) {
  if (source->descriptor >= 0) close(source->descriptor);
  source->descriptor = -1;
}

static uint64_t take_memory(TgByteSource *source, void *to, uint64_t count) {
  const uint64_t got = MIN(count, tg_byte_source_left(source));
  if (got) memcpy(to, source->memory, got);
  if (got) source->memory += got;
  return got;
}

/** False with errno. */
static bool take_file(const TgByteSource *source, uint8_t *to, uint64_t count, uint64_t *got) {
  while (*got < count) {
    const ssize_t piece = read(source->descriptor, to + *got, MIN(count - *got, (uint64_t)MOST_AT_ONCE));
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return false;
    if (piece == 0) return true;
    *got += (uint64_t)piece;
  }
  return true;
}

static bool became_shorter(const TgByteSource *source, GError **error) {
  return TG_IO_FAIL(error, CANNOT_READ,
                    "%s: the file became shorter while it was read: expected %" G_GUINT64_FORMAT
                    " bytes, found %" G_GUINT64_FORMAT,
                    source->name, source->size, source->taken);
}

bool tg_byte_source_take(TgByteSource *source, void *to, uint64_t count, uint64_t *got, GError **error) {
  *got = 0;
  if (source->descriptor < 0)
    *got = take_memory(source, to, count);
  else if (!take_file(source, to, count, got))
    return cannot_read(source->name, g_strerror(errno), error);
  source->taken += *got;
  const bool cut = source->descriptor >= 0 && *got < count && source->size != TG_BYTES_UNKNOWN;
  return !cut || source->taken >= source->size || became_shorter(source, error);
}

bool tg_byte_source_seek(TgByteSource *source, uint64_t at, GError **error) {
  if (lseek(source->descriptor, (off_t)at, SEEK_SET) < 0) return cannot_read(source->name, g_strerror(errno), error);
  source->taken = at;
  return true;
}

static GBytes *too_large(const char *path, uint64_t limit, GError **error) {
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE, "%s: larger than the limit of %" G_GUINT64_FORMAT " bytes",
              path, limit);
  return NULL;
}

GBytes *tg_input_bytes_read(const char *path, uint64_t limit_bytes, GError **error) {
  const uint64_t available = limit_bytes ? limit_bytes : tg_memory_available_bytes();
  const uint64_t limit = MIN(available, (uint64_t)G_MAXUINT / 2); /* a GByteArray counts in 32 bits */
  uint8_t piece[1 << 16];
  g_auto(TgByteSource) source = {.descriptor = -1};
  if (!tg_byte_source_open(&source, path, error)) return NULL;
  if (source.size != TG_BYTES_UNKNOWN && source.size > limit) return too_large(path, limit, error);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  for (uint64_t got = 1; got > 0;) {
    if (!tg_byte_source_take(&source, piece, sizeof piece, &got, error)) return NULL;
    g_byte_array_append(bytes, piece, (guint)got);
    if (bytes->len > limit) return too_large(path, limit, error);
  }
  return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}
