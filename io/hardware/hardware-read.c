/* Which reader a file is for. */
#include "hardware-pairs.h"

#include "input-bytes.h"

#include <string.h>

typedef TgHardware *(*Parse)(const char *name, const char *text, size_t size, GError **error);

static Parse find_parse(const char *text) {
  if (strstr(text, "<topology")) return tg_hardware_parse_hwloc;
  if (strstr(text, "<system")) return tg_hardware_parse_nccl;
  return strstr(text, "GPU0") ? tg_hardware_parse_nvidia_smi : NULL;
}

TgHardware *tg_hardware_parse(const char *name, const char *text, size_t size, GError **error) {
  const Parse parse = find_parse(text);
  if (!parse) {
    (void)TG_IO_FAIL(error, BAD_INPUT,
                     "%s: unknown format; expected XML from `lstopo FILE.xml`, XML from NCCL (set "
                     "NCCL_TOPO_DUMP_FILE=FILE.xml), or the "
                     "output of `nvidia-smi topo -m`",
                     name);
    return NULL;
  }
  return parse(name, text, size, error);
}

TgHardware *tg_hardware_read(const char *path, GError **error) {
  const uint64_t most_bytes = 64 << 20;
  gsize size;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(path, most_bytes, error);
  if (!bytes) return NULL;
  const char *begin = g_bytes_get_data(bytes, &size);
  g_autofree char *text = g_strndup(begin ? begin : "", size);
  return tg_hardware_parse(path, text, size, error);
}
