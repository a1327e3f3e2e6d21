#define _GNU_SOURCE /* memfd_create, sched_getaffinity */
#include "ranks-module.h"

#include "executor.h"
#include "trials.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static TgRanksJob the_job;
static int stderr_kept = STDERR_FILENO, said = -1;
static const double begin_deadline_s = 60, end_deadline_s = 1.5;
static const double last_deadline_s = 600; /* for rank 0 to write what it prints and plots */

/* Only the first rank prints. What others say of errors is kept: it matters where the first knows of none. */
static void be_silent(void) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  said = memfd_create("said", MFD_CLOEXEC);
  stderr_kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  if (said >= 0 || nowhere >= 0) dup2(said >= 0 ? said : nowhere, STDERR_FILENO);
  if (nowhere >= 0) close(nowhere);
}

/* Its first line names the rank. */
static void say_it(void) {
  static const char name[] = "topogemm: ";
  char text[4096];
  const ssize_t got = said >= 0 ? pread(said, text, sizeof text, 0) : 0;
  if (got <= 0) return;
  const int skip = got > (ssize_t)sizeof name && memcmp(text, name, sizeof name - 1) == 0 ? sizeof name - 1 : 0;
  dprintf(stderr_kept, "topogemm: rank %d of %d on %s: %.*s", the_job.rank, the_job.ranks,
          tg_ranks_host(&the_job, the_job.rank), (int)got - skip, text + skip);
}

/* --- while MPI begins and ends, it waits for the other ranks by itself ------------------------------------------- */

static char waited[160];

static void give_up(int number) {
  (void)number;
  if (write(stderr_kept, waited, strlen(waited)) < 0) _exit(2);
  _exit(1);
}

/* This process's rank according to the launcher, known before MPI starts. */
static int rank_said(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++) {
    const char *rank = g_getenv(names[n]);
    if (rank) return atoi(rank);
  }
  return 0;
}

/* The first rank whose time is up ends the job; each higher rank waits one second longer per rank below it, so that
 * only one prints. */
static void begin_waiting(const char *what) {
  enum { SPREAD = 30 };
  struct sigaction action = {.sa_handler = give_up};
  g_snprintf(waited, sizeof waited,
             "topogemm: rank %d waited %.0f s for another rank, which does not respond, while MPI was %s\n",
             rank_said(), begin_deadline_s, what);
  sigaction(SIGALRM, &action, NULL);
  alarm((unsigned)begin_deadline_s + (unsigned)MIN(rank_said(), SPREAD));
}

static void end_waiting(void) {
  alarm(0);
}

/* --- the module --------------------------------------------------------------------------------------------------- */

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

/* A program that is linked with the module has it already. */
extern const TgRanksLibrary *tg_ranks_library(void) __attribute__((weak));

bool tg_ranks_built(void) {
  if (tg_ranks_library) return true;
  g_autofree char *path = find_module();
  return path != NULL;
}

static void *load_module(char **reason) {
  g_autofree char *path = find_module();
  void *module = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL; /* Open MPI's own modules need its names */
  if (path && !module) *reason = g_strdup(dlerror());
  return module;
}

static bool same_file(const TgRanksJob *job, const char *path, bool without_name) {
  g_autofree char *bytes = NULL;
  gsize length = 0;
  if (!g_file_get_contents(path, &bytes, &length, NULL)) length = 0;
  const gsize begin = without_name && length ? MIN(strlen(bytes), length) : 0;
  return tg_ranks_same(job, bytes ? bytes + begin : "", length - begin, begin_deadline_s);
}

/* Ranks on other hosts may have another program, whose name may differ, too; and what differs in arguments would be
 * waited for in vain. */
static bool same_command(const TgRanksJob *job, GError **error) {
  GError *reason = NULL;
  const bool program = same_file(job, "/proc/self/exe", false), arguments = same_file(job, "/proc/self/cmdline", true);
  if (!program)
    g_set_error(&reason, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_DEVICE, "it runs another topogemm than rank 0");
  else if (!arguments)
    g_set_error(&reason, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT, "it was given other arguments than rank 0");
  return tg_ranks_agree(job, reason, error, begin_deadline_s);
}

/* --- CPUs --------------------------------------------------------------------------------------------------------- */

/* Number of the core's first hardware thread, which identifies the core. */
static int core_of(int cpu) {
  g_autofree char *path = g_strdup_printf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  g_autofree char *text = NULL;
  return g_file_get_contents(path, &text, NULL, NULL) ? atoi(text) : cpu;
}

static int count_cores(const cpu_set_t *cpus) {
  g_autoptr(GHashTable) cores = g_hash_table_new(NULL, NULL);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, cpus)) g_hash_table_add(cores, GINT_TO_POINTER(core_of(cpu) + 1));
  return (int)MAX(g_hash_table_size(cores), 1);
}

/* "0-3,8", cut where there is no room for more; empty if the system does not tell. */
static void find_cpus(char text[TG_RANKS_CPUS]) {
  cpu_set_t cpus;
  g_autoptr(GString) list = g_string_new(NULL);
  if (sched_getaffinity(0, sizeof cpus, &cpus)) CPU_ZERO(&cpus);
  for (int begin = 0; begin < CPU_SETSIZE; begin++) {
    int end = begin;
    while (end < CPU_SETSIZE && CPU_ISSET(end, &cpus)) end++;
    if (end == begin) continue;
    g_string_append_printf(list, "%s%d", list->len ? "," : "", begin);
    if (end > begin + 1) g_string_append_printf(list, "-%d", end - 1);
    begin = end;
  }
  if (list->len >= TG_RANKS_CPUS) {
    g_string_truncate(list, TG_RANKS_CPUS - 4);
    g_string_append(list, "…");
  }
  strcpy(text, list->str);
}

/* Ranks that are bound to the same CPUs share them; those that are bound to others do not. */
static void find_threads(TgRanksJob *job) {
  cpu_set_t cpus;
  int sharing = 0;
  for (int r = 0; r < job->ranks; r++)
    sharing +=
        job->leader[r] == job->leader[job->rank] && strcmp(job->mpi->cpus_of(r), job->mpi->cpus_of(job->rank)) == 0;
  job->threads = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? MAX(count_cores(&cpus) / sharing, 1) : 1;
  const char *asked = g_getenv("OPENBLAS_NUM_THREADS");
  if (!asked) asked = g_getenv("OMP_NUM_THREADS");
  if (asked && atoi(asked) > 0) job->threads = MIN(job->threads, atoi(asked));
  g_autofree char *threads = g_strdup_printf("%d", job->threads);
  g_setenv("OPENBLAS_NUM_THREADS", threads, TRUE); /* those that start when it is loaded */
  g_autofree double *all = g_new0(double, (gsize)job->ranks);
  all[job->rank] = job->threads;
  tg_ranks_reduce(job, all, job->ranks, 2, begin_deadline_s);
  job->threads_of = g_new(int32_t, (gsize)job->ranks);
  job->threads_least = job->threads_most = job->threads;
  for (int r = 0; r < job->ranks; r++) {
    job->threads_of[r] = (int32_t)all[r];
    job->threads_least = MIN(job->threads_least, job->threads_of[r]);
    job->threads_most = MAX(job->threads_most, job->threads_of[r]);
  }
}

static bool begin(const TgRanksLibrary *mpi, GError **error) {
  char text[128] = "";
  if (mpi->version != TG_RANKS_LIBRARY_VERSION)
    return TG_EXECUTOR_FAIL(error, DEVICE, "the module for MPI is of another version of topogemm");
  begin_waiting("starting");
  const bool begun = mpi->begin(&the_job.rank, &the_job.ranks, find_cpus, text, sizeof text);
  end_waiting();
  if (!begun) return TG_EXECUTOR_FAIL(error, DEVICE, "MPI does not start: %s", text);
  mpi->describe(the_job.library, sizeof the_job.library);
  the_job.mpi = mpi;
  the_job.leader = g_new(int32_t, (gsize)the_job.ranks);
  for (int r = 0; r < the_job.ranks; r++) {
    the_job.leader[r] = mpi->leader_of(r);
    the_job.hosts += the_job.leader[r] == r;
  }
  if (the_job.rank > 0) be_silent();
  if (!same_command(&the_job, error)) return false;
  find_threads(&the_job);
  return true;
}

/* Ends the job. Other ranks may be about to do so for the same reason; only the lowest of them prints. The others sleep
 * until its abort() ends them: mpirun kills them within about a second. */
static void end_job(const TgRanksLibrary *mpi, int status) {
  const double announced_s = tg_now_s(), heard_s = 0.3;
  const struct timespec pause = {0, 1000000}, long_pause = {5, 0};
  mpi->announce(the_job.rank, the_job.ranks);
  while (tg_now_s() - announced_s < heard_s && !mpi->lower_announced()) nanosleep(&pause, NULL);
  if (mpi->lower_announced())
    nanosleep(&long_pause, NULL);
  else if (the_job.rank > 0)
    say_it();
  mpi->abort(status);
}

void tg_ranks_end(int status) {
  const TgRanksLibrary *mpi = the_job.mpi;
  double first_failed = status ? the_job.rank : the_job.ranks;
  const double begun_s = tg_now_s();
  const struct timespec pause = {0, 100000};
  if (!mpi) return;
  if (the_job.rank == 0)
    begin_waiting("shutting down"); /* the others have nothing left to do; it may still write files */
  mpi->leave(&first_failed);
  while (!mpi->left()) {
    if (the_job.rank > 0 && tg_now_s() - begun_s > last_deadline_s) {
      dprintf(stderr_kept, "topogemm: rank %d waited %.0f s for rank 0 on %s to end\n", the_job.rank, last_deadline_s,
              tg_ranks_host(&the_job, 0));
      mpi->abort(1);
    }
    if (status && tg_now_s() - begun_s > end_deadline_s) /* the others are at work, or wait for this rank */
      end_job(mpi, status);
    nanosleep(&pause, NULL);
  }
  if (first_failed > 0 && first_failed == the_job.rank) say_it();
  begin_waiting("shutting down");
  mpi->end();
  end_waiting();
  g_free(the_job.leader);
  g_free(the_job.threads_of);
  the_job = (TgRanksJob){0};
}

const TgRanksJob *tg_ranks_job(GError **error) {
  if (the_job.mpi) return &the_job;
  g_autofree char *reason = NULL;
  void *module = tg_ranks_library ? NULL : load_module(&reason);
  const TgRanksLibrary *(*table)(void) = tg_ranks_library;
  if (module) *(void **)&table = dlsym(module, TG_RANKS_LIBRARY_SYMBOL);
  if (!table) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_DEVICE,
                "%s%s; package libopenmpi-dev when topogemm is built",
                reason ? "MPI cannot be loaded: " : "built without MPI", reason ? reason : "");
    return NULL;
  }
  return begin(table(), error) ? &the_job : NULL;
}

const char *tg_ranks_host(const TgRanksJob *job, int rank) {
  return job->mpi->host_of(rank);
}

const char *tg_ranks_cpus(const TgRanksJob *job, int rank) {
  return job->mpi->cpus_of(rank);
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
  g_autofree char *words = g_strdup_printf("waited more than %g s for the other ranks", deadline_s);
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

bool tg_ranks_same(const TgRanksJob *job, const void *data, gsize bytes, double deadline_s) {
  g_autofree char *own = g_compute_checksum_for_data(G_CHECKSUM_MD5, data, bytes), *first = g_strdup(own);
  tg_ranks_broadcast(job, first, (int64_t)strlen(own), 0, deadline_s);
  return strcmp(first, own) == 0;
}

/** What a rank cannot do, as it tells the others. */
typedef struct Reason {
  char domain[64];
  int32_t code;
  char text[444];
} Reason;

bool tg_ranks_agree(const TgRanksJob *job, GError *own, GError **error, double deadline_s) {
  double fewest[] = {own ? job->rank : job->ranks, own ? 1 : 0}; /* the first that fails, and whether all do */
  tg_ranks_reduce(job, fewest, 2, 0, deadline_s);
  if (fewest[0] == job->ranks) return true;
  Reason reason = {.code = own ? own->code : 0};
  if (own) {
    g_strlcpy(reason.domain, g_quark_to_string(own->domain), sizeof reason.domain);
    g_strlcpy(reason.text, own->message, sizeof reason.text);
  }
  g_clear_error(&own);
  const int first = (int)fewest[0];
  tg_ranks_broadcast(job, &reason, sizeof reason, first, deadline_s);
  const GQuark domain = g_quark_from_string(reason.domain);
  if (fewest[1] > 0)
    g_set_error_literal(error, domain, reason.code, reason.text);
  else
    g_set_error(error, domain, reason.code, "rank %d of %d on %s: %s", first, job->ranks, tg_ranks_host(job, first),
                reason.text);
  return false;
}

void tg_ranks_abort(const TgRanksJob *job, const char *message) {
  /* Several ranks wait for the one that does not come: the first of them speaks and leaves, and the others are ended
   * while they sleep, which mpirun does within about a second. */
  enum { FEW = 4 };
  const double apart_s = 2, few_s = apart_s * MIN(job->rank, FEW);
  const double sleep_s = few_s + (job->rank < FEW ? 0 : apart_s * job->rank / job->ranks);
  const struct timespec pause = {(time_t)sleep_s, (long)(1e9 * (sleep_s - floor(sleep_s)))};
  nanosleep(&pause, NULL);
  dprintf(stderr_kept, "topogemm: rank %d of %d on %s: %s\n", job->rank, job->ranks, tg_ranks_host(job, job->rank),
          message);
  job->mpi->abort(1);
  _exit(1);
}
