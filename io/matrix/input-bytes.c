#include "input-bytes.h"

#include "byte-source.h"
#include "matrix.h"

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
