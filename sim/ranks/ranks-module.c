#include "ranks-module.h"

#include "executor.h"
#include "trials.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static TgRanksJob the_job;
static int stderr_kept = STDERR_FILENO;

/* Ranks beyond the first say nothing but what ends the job. */
static void be_silent(void) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  stderr_kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

/* Beside the program, as it is built or installed, or where it was to be installed. Free with g_free(); NULL where
 * there is none. */
static char *find_module(void) {
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname(program ? program : "");
  g_autofree char *built = g_build_filename(folder, "..", "mpi", NULL);
  g_autofree char *moved = g_build_filename(folder, "..", TG_RANKS_LIBRARIES, NULL);
  const char *const folders[] = {built, moved, TG_RANKS_INSTALLED};
  for (size_t f = 0; f < G_N_ELEMENTS(folders); f++) {
    g_autofree char *path = g_build_filename(folders[f], "topogemm-ranks.so", NULL);
    if (access(path, R_OK) == 0) return g_steal_pointer(&path);
  }
  return NULL;
}

bool tg_ranks_built(void) {
  g_autofree char *path = find_module();
  return path != NULL;
}

static void *load_module(char **reason) {
  g_autofree char *path = find_module();
  void *module = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL; /* Open MPI's own modules need its names */
  if (path && !module) *reason = g_strdup(dlerror());
  return module;
}

static void end(void) {
  the_job.mpi->end();
}

static bool begin(const TgRanksLibrary *mpi, GError **error) {
  char text[128] = "";
  if (mpi->version != TG_RANKS_LIBRARY_VERSION)
    return TG_EXECUTOR_FAIL(error, DEVICE, "the module for MPI is of another version of topogemm");
  if (!mpi->begin(&the_job.rank, &the_job.ranks, text, sizeof text))
    return TG_EXECUTOR_FAIL(error, DEVICE, "MPI does not start: %s", text);
  mpi->describe(the_job.library, the_job.host, sizeof the_job.host);
  the_job.mpi = mpi;
  if (the_job.rank > 0) be_silent();
  atexit(end);
  return true;
}

const TgRanksJob *tg_ranks_job(GError **error) {
  if (the_job.mpi) return &the_job;
  g_autofree char *reason = NULL;
  void *module = load_module(&reason);
  const TgRanksLibrary *(*table)(void) = NULL;
  if (module) *(void **)&table = dlsym(module, TG_RANKS_LIBRARY_SYMBOL);
  if (!table) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_DEVICE,
                "%s%s; package libopenmpi-dev when topogemm is built",
                reason ? "MPI cannot be loaded: " : "built without MPI", reason ? reason : "");
    return NULL;
  }
  return begin(table(), error) ? &the_job : NULL;
}

bool tg_ranks_wait(const TgRanksJob *job, int64_t request, double deadline_s) {
  enum { SPINS = 1000 }; /* looks before the CPU is offered to others, and the clock is read */
  double begun_s = NAN;
  for (int spins = 1; request == TG_RANKS_TOGETHER ? !job->mpi->together() : !job->mpi->test(request); spins++) {
    if (spins % SPINS) continue;
    const double now_s = tg_now_s();
    if (isnan(begun_s)) begun_s = now_s;
    if (now_s - begun_s > deadline_s) return false;
    sched_yield();
  }
  return true;
}

static void finish(const TgRanksJob *job, double deadline_s) {
  if (tg_ranks_wait(job, TG_RANKS_TOGETHER, deadline_s)) return;
  g_autofree char *words = g_strdup_printf("waited over %g s for the other ranks", deadline_s);
  tg_ranks_abort(job, words);
}

void tg_ranks_barrier(const TgRanksJob *job, double deadline_s) {
  job->mpi->barrier();
  finish(job, deadline_s);
}

void tg_ranks_broadcast(const TgRanksJob *job, void *data, int64_t bytes, int root, double deadline_s) {
  enum { PIECE = 1 << 30 };
  for (int64_t at = 0; at < bytes; at += PIECE) {
    job->mpi->broadcast((char *)data + at, (int)MIN(bytes - at, PIECE), root);
    finish(job, deadline_s);
  }
}

void tg_ranks_reduce(const TgRanksJob *job, double *values, int count, int operation, double deadline_s) {
  job->mpi->reduce(values, count, operation);
  finish(job, deadline_s);
}

void tg_ranks_abort(const TgRanksJob *job, const char *message) {
  dprintf(stderr_kept, "topogemm: rank %d of %d on %s: %s\n", job->rank, job->ranks, job->host, message);
  job->mpi->abort(1);
  _exit(1);
}
