#include "disk-pulse.h"

#include "io-error.h"
#include "trials.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

enum { ENDS = -1 }; /* instead of a number: this rank ends the job, or knows that another one does */

struct TgDiskPulse {
  const TgRanksJob *job;
  char *own, *other; /* files */
  int32_t other_rank;
  double deadline_s;
  GThread *thread;
  GMutex mutex;
  GCond changed;
  bool ends; /* protected by the mutex */
};

static char *path_of(const char *folder, int32_t rank) {
  return g_strdup_printf("%s/rank-%" G_GINT32_FORMAT ".pulse", folder, rank);
}

/* Opened each time: then ranks on other hosts, too, see what is in the file. */
static bool write_number(const char *path, int64_t number) {
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool fine = pwrite(descriptor, &number, sizeof number, 0) == (ssize_t)sizeof number;
  return close(descriptor) == 0 && fine;
}

static int64_t read_number(const char *path) {
  int64_t number = 0;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  if (pread(descriptor, &number, sizeof number, 0) != (ssize_t)sizeof number) number = 0;
  close(descriptor);
  return number;
}

/* Whether to go on after so many seconds. */
static bool pause_for(TgDiskPulse *pulse, double seconds) {
  const gint64 until = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
  g_mutex_lock(&pulse->mutex);
  while (!pulse->ends && g_cond_wait_until(&pulse->changed, &pulse->mutex, until)) {
  }
  const bool goes_on = !pulse->ends;
  g_mutex_unlock(&pulse->mutex);
  return goes_on;
}

static void end_job(const TgDiskPulse *pulse) {
  write_number(pulse->own, ENDS);
  g_autofree char *words = g_strdup_printf(
      "rank %" G_GINT32_FORMAT " on %s has not responded for %g s (--deadline); run the same command again to resume",
      pulse->other_rank, tg_ranks_host(pulse->job, pulse->other_rank), pulse->deadline_s);
  tg_ranks_abort(pulse->job, words);
}

static gpointer run_pulse(gpointer data) {
  TgDiskPulse *pulse = data;
  const double interval_s = fmin(1, pulse->deadline_s / 4);
  int64_t own = 1, other = read_number(pulse->other); /* perhaps left by an earlier run */
  double here_s = tg_now_s(), seen_s = here_s;
  do {
    const double now_s = tg_now_s();
    const bool was_stopped = now_s - here_s > pulse->deadline_s / 2; /* this rank, and perhaps the other one, too */
    write_number(pulse->own, ++own);                                 /* if it cannot, the next one may */
    const int64_t number = read_number(pulse->other);
    if (number != other || was_stopped) seen_s = now_s;
    if (now_s - seen_s > pulse->deadline_s) end_job(pulse);
    other = number;
    here_s = now_s;
  } while (other != ENDS && pause_for(pulse, interval_s));
  if (other == ENDS) write_number(pulse->own, ENDS);
  return NULL;
}

TgDiskPulse *tg_disk_pulse_begin(const char *folder, const TgRanksJob *job, double deadline_s, GError **error) {
  g_autofree char *own = path_of(folder, job->rank);
  if (!write_number(own, 1)) {
    g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE, "%s: cannot write: %s", own, g_strerror(errno));
    return NULL;
  }
  TgDiskPulse *pulse = g_new0(TgDiskPulse, 1);
  pulse->job = job;
  pulse->deadline_s = deadline_s;
  pulse->other_rank = (job->rank + job->ranks - 1) % job->ranks;
  pulse->own = g_steal_pointer(&own);
  pulse->other = path_of(folder, pulse->other_rank);
  g_mutex_init(&pulse->mutex);
  g_cond_init(&pulse->changed);
  pulse->thread = g_thread_new("pulse", run_pulse, pulse);
  return pulse;
}

void tg_disk_pulse_end(TgDiskPulse *pulse) {
  if (!pulse) return;
  g_mutex_lock(&pulse->mutex);
  pulse->ends = true;
  g_cond_signal(&pulse->changed);
  g_mutex_unlock(&pulse->mutex);
  g_thread_join(pulse->thread);
  unlink(pulse->own);
  g_mutex_clear(&pulse->mutex);
  g_cond_clear(&pulse->changed);
  g_free(pulse->own);
  g_free(pulse->other);
  g_free(pulse);
}
