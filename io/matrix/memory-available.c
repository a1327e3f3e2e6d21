#include "matrix.h"

#include <string.h>
#include <sys/resource.h>
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

/** What is not known counts as not used. */
static uint64_t left_of(uint64_t limit_bytes, uint64_t used_bytes) {
  if (limit_bytes == UINT64_MAX || used_bytes == UINT64_MAX) return limit_bytes;
  return limit_bytes > used_bytes ? limit_bytes - used_bytes : 0;
}

/* --- control groups ----------------------------------------------------------------------------------------------- */

/** One row a version: the line of /proc/self/cgroup, where groups are mounted, and the files of one. */
typedef struct Groups {
  const char *line, *folder, *limit, *used, *cache;
} Groups;

static const Groups versions[] = {
    {"\n0::", "/sys/fs/cgroup", "memory.max", "memory.current", "\ninactive_file "},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_inactive_file "},
};

/** Pages of files that nobody uses are given up when memory is asked for. */
static uint64_t left_in_group(const Groups *groups, const char *group) {
  g_autofree char *limit = g_strconcat(groups->folder, group, "/", groups->limit, NULL);
  g_autofree char *used = g_strconcat(groups->folder, group, "/", groups->used, NULL);
  g_autofree char *stat = g_strconcat(groups->folder, group, "/memory.stat", NULL);
  const uint64_t used_bytes = number_in_file(used, "", 1), cache_bytes = number_in_file(stat, groups->cache, 1);
  return left_of(number_in_file(limit, "", 1), left_of(used_bytes, cache_bytes));
}

/** In the group of the process and in all around it, up to the one that is mounted: in a container, the container's. */
static uint64_t left_in_groups(const Groups *groups, const char *text) {
  const char *line = strstr(text, groups->line);
  g_autofree char *group = NULL;
  uint64_t bytes = left_in_group(groups, "");
  if (!line) return bytes;
  line += strlen(groups->line);
  group = g_strndup(line, strcspn(line, "\n"));
  for (char *slash; *group && (slash = strrchr(group, '/')); *slash = '\0')
    bytes = MIN(bytes, left_in_group(groups, group));
  return bytes;
}

static uint64_t left_in_all_groups(void) {
  g_autofree char *read = NULL;
  uint64_t bytes = UINT64_MAX;
  const bool known = g_file_get_contents("/proc/self/cgroup", &read, NULL, NULL);
  g_autofree char *text = g_strconcat("\n", known ? read : "", NULL);
  for (size_t v = 0; v < G_N_ELEMENTS(versions); v++) bytes = MIN(bytes, left_in_groups(&versions[v], text));
  return bytes;
}

/* --- limits of the process ---------------------------------------------------------------------------------------- */

static uint64_t used_bytes(const char *label) {
  return number_in_file("/proc/self/status", label, 1024);
}

static uint64_t left_below(int resource, const char *label) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return left_of((uint64_t)limit.rlim_cur, used_bytes(label));
}

uint64_t tg_memory_available_bytes(void) {
  uint64_t bytes = MIN(number_in_file("/proc/meminfo", "MemAvailable:", 1024), physical_bytes());
  bytes = MIN(bytes, left_in_all_groups());
  return MIN(bytes, MIN(left_below(RLIMIT_AS, "VmSize:"), left_below(RLIMIT_DATA, "VmData:")));
}

static uint64_t known(uint64_t bytes) {
  return bytes == UINT64_MAX ? 0 : bytes;
}

uint64_t tg_memory_used_bytes(void) {
  return known(used_bytes("VmRSS:"));
}

uint64_t tg_memory_peak_bytes(void) {
  return known(used_bytes("VmHWM:"));
}

uint64_t tg_memory_left_bytes(uint64_t limit_bytes) {
  const uint64_t left = limit_bytes ? left_of(limit_bytes, used_bytes("VmRSS:")) : tg_memory_available_bytes();
  return MAX(left, 1);
}
