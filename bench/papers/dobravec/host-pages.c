/* Processors, huge pages and where they lie: Linux. */
#define _GNU_SOURCE
#include "host-pages.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

struct TgHostPin {
  cpu_set_t before;
};

/* Bytes on huge pages of the mapping that begins at `memory`, as the kernel lists them: a line of addresses, then lines
 * of figures; -1 where it does not. The mapping may have grown together with its neighbours, so it begins at or before.
 */
static int64_t huge_bytes_at(const void *memory) {
  char line[256];
  unsigned long long begin, end, kilobytes;
  bool inside = false;
  int64_t bytes = -1;
  FILE *maps = fopen("/proc/self/smaps", "r");
  while (maps && bytes < 0 && fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%llx-%llx ", &begin, &end) == 2)
      inside = (uintptr_t)memory >= begin && (uintptr_t)memory < end;
    else if (inside && sscanf(line, "AnonHugePages: %llu kB", &kilobytes) == 1)
      bytes = (int64_t)kilobytes * 1024;
  }
  if (maps) fclose(maps);
  return bytes;
}

/* Cuts `bytes` that begin at a multiple of a huge page out of a mapping that is a huge page larger. */
static void *map_aligned(int64_t bytes) {
  char *all =
      mmap(NULL, (size_t)bytes + TG_HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return NULL;
  const size_t before = (TG_HUGE_PAGE_BYTES - (uintptr_t)all % TG_HUGE_PAGE_BYTES) % TG_HUGE_PAGE_BYTES;
  if (before) munmap(all, before);
  munmap(all + before + bytes, TG_HUGE_PAGE_BYTES - before);
  return all + before;
}

bool tg_host_pages_open(TgHostPages *pages, int64_t bytes, bool huge, TgError *error) {
  const int64_t wanted = (bytes + TG_HUGE_PAGE_BYTES - 1) / TG_HUGE_PAGE_BYTES * TG_HUGE_PAGE_BYTES;
  *pages = (TgHostPages){.memory = map_aligned(wanted), .bytes = wanted};
  if (!pages->memory) return tg_error_set(error, 0, 0, "no memory for %" PRId64 " bytes: %s", wanted, strerror(errno));
  const bool asked = madvise(pages->memory, (size_t)wanted, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
  memset(pages->memory, 0, (size_t)wanted);
  const int64_t got = huge_bytes_at(pages->memory);
  if (!huge || (asked && got >= wanted)) return true;
  tg_host_pages_close(pages);
  return tg_error_set(error, 0, 0,
                      "the system provides no huge pages (see /sys/kernel/mm/transparent_hugepage/enabled)");
}

void tg_host_pages_close(TgHostPages *pages) {
  if (pages->memory) munmap(pages->memory, (size_t)pages->bytes);
  *pages = (TgHostPages){0};
}

int64_t tg_host_faults(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : 0;
}

TgHostPin *tg_host_pin(int *number, TgError *error) {
  TgHostPin *pin = calloc(1, sizeof *pin);
  cpu_set_t one;
  if (!pin || sched_getaffinity(0, sizeof pin->before, &pin->before) != 0) {
    tg_error_set(error, 0, 0, "cannot read which processors may be used: %s", strerror(errno));
    free(pin);
    return NULL;
  }
  for (int processor = 0; processor < CPU_SETSIZE; processor++)
    if (CPU_ISSET(processor, &pin->before)) *number = processor;
  CPU_ZERO(&one);
  CPU_SET(*number, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) return pin;
  tg_error_set(error, 0, 0, "cannot pin the thread to processor %d: %s", *number, strerror(errno));
  free(pin);
  return NULL;
}

void tg_host_unpin(TgHostPin *pin) {
  if (pin) sched_setaffinity(0, sizeof pin->before, &pin->before);
  free(pin);
}
