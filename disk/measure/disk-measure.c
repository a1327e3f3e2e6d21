#define _GNU_SOURCE /* O_DIRECT */

#include "disk-measure.h"

#include "counter-random.h"
#include "disk-queue.h"
#include "measurement.h"
#include "sim-error.h"
#include "trials.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  REQUESTS = 16, /* in flight, each of … */
  REQUEST_BYTES = 1 << 20,
  SMALL_BYTES = 4096,
  SMALL_READS = 101,
  PASSES = TG_DISK_PASSES / 4,  /* writes and reads, past the cache and through it */
  LEAST_REQUESTS = 2 * REQUESTS /* in a file, however slow the disk */
};

static const double most_pass_s = 2;

typedef struct Measuring {
  const char *folder;
  const TgWatch *watch;
  int64_t passes;     /* so far */
  int direct, cached; /* the file, opened twice */
  char *area;         /* of the requests */
  TgDiskQueue *queue;
  int64_t requests; /* that fit into the file; after the first pass, that the file consists of */
} Measuring;

static bool failed(const Measuring *measuring, bool writes, int problem, GError **error) {
  return writes ? TG_IO_FAIL(error, CANNOT_WRITE, "%s: cannot write a temporary file: %s", measuring->folder,
                             g_strerror(problem))
                : TG_IO_FAIL(error, CANNOT_READ, "%s: cannot read a temporary file: %s", measuring->folder,
                             problem == ENODATA ? "unexpected end of file" : g_strerror(problem));
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* The file has no name while it is measured, so that nothing remains of it, however the program ends. */
static bool open_file(Measuring *measuring, GError **error) {
  g_autofree char *path = g_build_filename(measuring->folder, ".topogemm-XXXXXX", NULL);
  measuring->cached = mkostemp(path, O_CLOEXEC);
  if (measuring->cached < 0) return failed(measuring, true, errno, error);
#ifdef O_DIRECT
  measuring->direct = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
#endif
  unlink(path);
  return measuring->direct >= 0 ||
         TG_IO_FAIL(error, BAD_INPUT,
                    "%s: this file system cannot read and write past its cache in memory; choose a folder on a disk",
                    measuring->folder);
}

static bool find_room(Measuring *measuring, double bytes, GError **error) {
  struct statvfs facts;
  if (statvfs(measuring->folder, &facts) != 0) return failed(measuring, true, errno, error);
  const double free_bytes = (double)facts.f_bavail * (double)facts.f_frsize;
  measuring->requests = (int64_t)(fmin(bytes, free_bytes / 4) / REQUEST_BYTES);
  return measuring->requests >= LEAST_REQUESTS ||
         TG_IO_FAIL(error, CANNOT_WRITE, "%s: too little free space to measure the disk: %.0f bytes; %.0f are needed",
                    measuring->folder, free_bytes, 4.0 * LEAST_REQUESTS * REQUEST_BYTES);
}

static bool begin(Measuring *measuring, double bytes, GError **error) {
  if (!open_file(measuring, error) || !find_room(measuring, bytes, error)) return false;
  const size_t area_bytes = (size_t)REQUESTS * REQUEST_BYTES;
  measuring->area = aligned_alloc(SMALL_BYTES, area_bytes);
  if (!measuring->area) return failed(measuring, true, ENOMEM, error);
  uint64_t *words = (uint64_t *)(void *)measuring->area;
  for (size_t i = 0; i < area_bytes / sizeof *words; i++) words[i] = tg_random_bits(1, i); /* no disk compresses that */
  measuring->queue = tg_disk_queue_new(REQUESTS, measuring->area, area_bytes, false, error);
  return measuring->queue != NULL;
}

static void end(Measuring *measuring) {
  tg_disk_queue_free(measuring->queue);
  free(measuring->area);
  if (measuring->direct >= 0) close(measuring->direct);
  if (measuring->cached >= 0) close(measuring->cached);
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static bool wait_for_one(Measuring *measuring, bool writes, int *number, GError **error) {
  int problem;
  *number = tg_disk_queue_wait(measuring->queue, &problem);
  return problem == 0 || failed(measuring, writes, problem, error);
}

/* From the beginning of the file to its end, or until a pass has taken its time. Returns the requests done, or -1. */
static int64_t transfer_all(Measuring *measuring, int descriptor, bool writes, GError **error) {
  const double begin_s = tg_now_s();
  int64_t begun = 0;
  int number;
  for (; begun < measuring->requests && (begun < LEAST_REQUESTS || tg_now_s() - begin_s < most_pass_s); begun++) {
    number = (int)begun;
    if (begun >= REQUESTS && !wait_for_one(measuring, writes, &number, error)) return -1;
    const TgDiskTransfer transfer = {.descriptor = descriptor,
                                     .writes = writes,
                                     .data = measuring->area + (size_t)number * REQUEST_BYTES,
                                     .bytes = REQUEST_BYTES,
                                     .offset = (uint64_t)begun * REQUEST_BYTES};
    tg_disk_queue_begin(measuring->queue, number, &transfer);
  }
  while (tg_disk_queue_active(measuring->queue) > 0)
    if (!wait_for_one(measuring, writes, &number, error)) return -1;
  return begun;
}

/* `synced`: the pass ends when all that was written is on the disk. */
static bool measure_pass(Measuring *measuring, int descriptor, bool writes, bool synced, double *bytes_per_s,
                         GError **error) {
  const double begin_s = tg_now_s();
  const int64_t done = transfer_all(measuring, descriptor, writes, error);
  if (done < 0) return false;
  if (synced && fdatasync(descriptor) != 0) return failed(measuring, true, errno, error);
  *bytes_per_s = (double)done * REQUEST_BYTES / (tg_now_s() - begin_s);
  if (writes) measuring->requests = done; /* later passes use a file of this size */
  return tg_watch_go_on(measuring->watch, ++measuring->passes) || TG_SIM_FAIL(error, STOPPED, "stopped");
}

/* The median, and half of what lies between the passes. */
static double rate_of(double rates[PASSES], double *spread) {
  const TgMeasurement measured = tg_measurement_of(rates, PASSES, 0);
  *spread = fmax(*spread, (measured.max_s - measured.min_s) / 2 / measured.median_s);
  return measured.median_s;
}

/* What was just written through the cache is read from there. `synced`: as above. */
static bool measure_rates(Measuring *measuring, int descriptor, bool synced, TgDiskRates *rates, GError **error) {
  double reads[PASSES], writes[PASSES];
  for (int pass = 0; pass < PASSES; pass++)
    if (!measure_pass(measuring, descriptor, true, synced, &writes[pass], error) ||
        !measure_pass(measuring, descriptor, false, false, &reads[pass], error))
      return false;
  rates->write_bytes_per_s = rate_of(writes, &rates->spread);
  rates->read_bytes_per_s = rate_of(reads, &rates->spread);
  return true;
}

static bool measure_latency(Measuring *measuring, double *latency_s, GError **error) {
  double seconds[SMALL_READS];
  const int32_t last = (int32_t)(measuring->requests - 1);
  for (int i = 0; i < SMALL_READS; i++) {
    const TgDiskTransfer transfer = {.descriptor = measuring->direct,
                                     .data = measuring->area,
                                     .bytes = SMALL_BYTES,
                                     .offset = (uint64_t)tg_random_integer(2, (uint64_t)i, 0, last) * REQUEST_BYTES};
    const double begin_s = tg_now_s();
    int number;
    tg_disk_queue_begin(measuring->queue, 0, &transfer);
    if (!wait_for_one(measuring, false, &number, error)) return false;
    seconds[i] = tg_now_s() - begin_s;
  }
  *latency_s = tg_measurement_of(seconds, SMALL_READS, 0).median_s;
  return true;
}

bool tg_disk_measure(const char *folder, double bytes, const TgWatch *watch, TgDiskMeasurement *measurement,
                     GError **error) {
  Measuring measuring = {.folder = folder, .watch = watch, .direct = -1, .cached = -1};
  *measurement = (TgDiskMeasurement){0};
  const bool fine = begin(&measuring, bytes, error) &&
                    measure_rates(&measuring, measuring.direct, true, &measurement->disk, error) &&
                    measure_latency(&measuring, &measurement->disk.latency_s, error) &&
                    measure_rates(&measuring, measuring.cached, false, &measurement->cache, error);
  measurement->file_bytes = (double)measuring.requests * REQUEST_BYTES;
  if (measuring.queue) g_strlcpy(measurement->io, tg_disk_queue_name(measuring.queue), sizeof measurement->io);
  end(&measuring);
  return fine;
}
