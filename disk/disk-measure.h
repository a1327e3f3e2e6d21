/** @file disk-measure.h
 * How fast a disk reads and writes: past the operating system's cache, and through it. */
#ifndef TG_DISK_MEASURE_H
#define TG_DISK_MEASURE_H

#include "io-error.h"
#include "watch.h"

TG_BEGIN_DECLS

/** Medians of several passes over one file, with many requests under way. */
typedef struct TgDiskRates {
  double read_bytes_per_s;
  double write_bytes_per_s; /**< of the disk: until the bytes are there */
  double latency_s;         /**< of a read of 4 KiB by itself */
  double spread;            /**< half of what lies between the passes, relative to their median; the larger of both */
} TgDiskRates;

typedef struct TgDiskMeasurement {
  TgDiskRates disk, cache;
  double file_bytes;
  char io[64]; /**< as tg_disk_queue_name() */
} TgDiskMeasurement;

/** Measures the disk that holds `folder` with a temporary file there, of at most so many bytes and a quarter of what is
 * free. A pass takes about 2 s at most, so that the file is smaller on a slow disk. `watch` is told passes done.
 * Errors: of TG_IO_ERROR (CANNOT_WRITE, CANNOT_READ; BAD_INPUT if the file system has no disk, or is read and written
 * only through the cache), TG_SIM_ERROR (STOPPED by the watch). */
bool tg_disk_measure(const char *folder, double bytes, const TgWatch *watch, TgDiskMeasurement *measurement,
                     GError **error);

TG_END_DECLS

#endif
