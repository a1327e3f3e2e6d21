#include "input-bytes.h"

#include "matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static GBytes *cannot_read(const char *path, const char *reason, GError **error) {
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_READ, "%s: cannot read: %s", path, reason);
  return NULL;
}

static GBytes *read_mapped(const char *path, int descriptor, GError **error) {
  g_autoptr(GError) reason = NULL;
  g_autoptr(GMappedFile) file = g_mapped_file_new_from_fd(descriptor, FALSE, &reason);
  return file ? g_mapped_file_get_bytes(file) : cannot_read(path, reason->message, error);
}

/** The next piece of a stream onto `bytes`; how many came, 0 at the end, -1 with errno. */
static ssize_t read_piece(int descriptor, GByteArray *bytes) {
  uint8_t piece[1 << 16];
  ssize_t count = 0;
  do count = read(descriptor, piece, sizeof piece);
  while (count < 0 && errno == EINTR);
  if (count > 0) g_byte_array_append(bytes, piece, (guint)count);
  return count;
}

static GBytes *read_stream(const char *path, int descriptor, uint64_t limit_bytes, GError **error) {
  const uint64_t available = limit_bytes ? limit_bytes : tg_memory_available_bytes();
  const uint64_t limit = MIN(available, (uint64_t)G_MAXUINT / 2); /* a GByteArray counts in 32 bits */
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  for (ssize_t count = 1; count > 0;) {
    count = read_piece(descriptor, bytes);
    if (count < 0) return cannot_read(path, g_strerror(errno), error);
    if (bytes->len <= limit) continue;
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE,
                "%s: more than %" G_GUINT64_FORMAT " bytes come from it, the most that is read from what is no file",
                path, limit);
    return NULL;
  }
  return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

GBytes *tg_input_bytes_read(const char *path, uint64_t limit_bytes, GError **error) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read(path, g_strerror(errno), error);
  struct stat status;
  GBytes *bytes = NULL;
  if (fstat(descriptor, &status) != 0)
    cannot_read(path, g_strerror(errno), error);
  else if (S_ISDIR(status.st_mode))
    cannot_read(path, "it is a folder", error);
  else if (S_ISREG(status.st_mode))
    bytes = read_mapped(path, descriptor, error);
  else
    bytes = read_stream(path, descriptor, limit_bytes, error);
  close(descriptor);
  return bytes;
}
