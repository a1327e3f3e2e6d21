#include "matrix.h"

#include <string.h>
#include <unistd.h>

/** The number after `label` in a small text file, times `unit_bytes`; UINT64_MAX where there is none. */
static uint64_t number_in_file(const char *path, const char *label, uint64_t unit_bytes) {
  g_autofree char *text = NULL;
  uint64_t bytes = UINT64_MAX;
  if (!g_file_get_contents(path, &text, NULL, NULL)) return bytes;
  const char *at = strstr(text, label);
  if (!at) return bytes;
  char *end = NULL;
  at += strlen(label);
  const uint64_t number = g_ascii_strtoull(at, &end, 10);
  return end == at || !g_uint64_checked_mul(&bytes, number, unit_bytes) ? UINT64_MAX : bytes;
}

static uint64_t physical_bytes(void) {
#ifdef _SC_PHYS_PAGES
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) return (uint64_t)pages * (uint64_t)page_bytes;
#endif
  return UINT64_MAX;
}

uint64_t tg_memory_available_bytes(void) {
  uint64_t bytes = number_in_file("/proc/meminfo", "MemAvailable:", 1024);
  bytes = MIN(bytes, number_in_file("/sys/fs/cgroup/memory.max", "", 1)); /* control groups, version 2 */
  return MIN(bytes, physical_bytes());
}
