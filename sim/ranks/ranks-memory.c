#define _GNU_SOURCE /* memfd_create, MAP_NORESERVE */
#include "ranks-memory.h"

#include "executor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t whole_pages(int64_t bytes) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/* --- a host's memory, a file without a name: it is gone when its last process is ---------------------------------- */

enum { PROCESS, DESCRIPTOR, DEVICE, NUMBER, FIELDS };

/* The first rank of each host makes it. -1 where the system does not let it. */
static int make_file(const TgRanksJob *job, int64_t bytes) {
  if (job->leader[job->rank] != job->rank) return -1;
  const int file = memfd_create("topogemm", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, bytes) == 0) return file;
  close(file);
  return -1;
}

/* The others find it at that rank's descriptor; whether it is that file, its device and number tell. */
static int find_file(const double *fields) {
  char path[64];
  struct stat stat;
  snprintf(path, sizeof path, "/proc/%.0f/fd/%.0f", fields[PROCESS], fields[DESCRIPTOR]);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  if (fstat(file, &stat) == 0 && (double)stat.st_dev == fields[DEVICE] && (double)stat.st_ino == fields[NUMBER])
    return file;
  close(file);
  return -1;
}

/* -1, on all ranks, where some rank does not get it. */
static int open_file(const TgRanksJob *job, int64_t bytes, double deadline_s) {
  g_autofree double *all = g_new0(double, (gsize)job->ranks *FIELDS);
  double *own = &all[(size_t)job->rank * FIELDS];
  struct stat stat;
  int file = make_file(job, bytes);
  if (file >= 0 && fstat(file, &stat) == 0) {
    own[PROCESS] = getpid();
    own[DESCRIPTOR] = file;
    own[DEVICE] = (double)stat.st_dev;
    own[NUMBER] = (double)stat.st_ino;
  }
  tg_ranks_reduce(job, all, job->ranks * FIELDS, 2, deadline_s);
  if (file < 0) file = find_file(&all[(size_t)job->leader[job->rank] * FIELDS]);
  double all_have_it = file >= 0;
  tg_ranks_reduce(job, &all_have_it, 1, 0, deadline_s);
  if (all_have_it > 0) return file;
  if (file >= 0) close(file);
  return -1;
}

/* --- mapping ------------------------------------------------------------------------------------------------------ */

static bool map_own(void *at, int64_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(at, (size_t)bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}

static bool map_shared(void *at, int64_t bytes, int file) {
  const int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
  return mmap(at, (size_t)bytes, PROT_READ | PROT_WRITE, flags, file, 0) != MAP_FAILED;
}

bool tg_ranks_memory_init(TgRanksMemory *memory, const TgRanksJob *job, int64_t bytes, int64_t processors, bool share,
                          double deadline_s, GError **error) {
  const int64_t counters = whole_pages(processors * (int64_t)sizeof *memory->finished), blocks = whole_pages(bytes);
  const int64_t near_bytes = counters + blocks;
  const int file = share ? open_file(job, near_bytes, deadline_s) : -1;
  *memory = (TgRanksMemory){.shared = file >= 0, .mapped_bytes = (size_t)(near_bytes + blocks)};
  memory->mapped = mmap(NULL, memory->mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *at = memory->mapped;
  const bool fine = memory->mapped != MAP_FAILED &&
                    (file >= 0 ? map_shared(at, near_bytes, file) : map_own(at, near_bytes)) &&
                    map_own(at + near_bytes, blocks);
  if (memory->mapped == MAP_FAILED) memory->mapped = NULL;
  if (file >= 0) close(file);
  if (!fine)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "no room for %" PRId64 " bytes of blocks in the address space", bytes);
  memory->finished = memory->mapped;
  memory->blocks = at + counters;
  memory->far_bytes = blocks;
  return true;
}

void tg_ranks_memory_clear(TgRanksMemory *memory) {
  if (memory->mapped) munmap(memory->mapped, memory->mapped_bytes);
  *memory = (TgRanksMemory){0};
}
