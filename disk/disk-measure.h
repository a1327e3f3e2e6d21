/** @file disk-measure.h
 * How fast a disk reads and writes, bypassing the operating system's cache and through it. */
#ifndef TG_DISK_MEASURE_H
#define TG_DISK_MEASURE_H

#include "io-error.h"
#include "watch.h"

TG_BEGIN_DECLS

/** Medians of several passes over one file, with many requests in flight. */
typedef struct TgDiskRates {
  double read_bytes_per_s;
  double write_bytes_per_s; /**< for the disk: until the bytes have reached it */
  double latency_s;         /**< of a single 4 KiB read */
  double spread;            /**< half the range of the passes, over their median; the larger of reads and writes */
} TgDiskRates;

typedef struct TgDiskMeasurement {
  TgDiskRates disk, cache;
  double file_bytes;
  char io[64]; /**< as tg_disk_queue_name() */
} TgDiskMeasurement;

enum { TG_DISK_PASSES = 12 }; /**< over the file, in all */

/** Measures the disk that holds `folder` with a temporary file there, of at most `bytes` and at most a quarter of the
 * free space. A pass takes about 2 s at most, so the file is smaller on a slow disk. `watch` gets the passes done.
 * Errors: of TG_IO_ERROR (CANNOT_WRITE, CANNOT_READ; BAD_INPUT if the file system has no disk, or is read and written
 * only through the cache), TG_SIM_ERROR (STOPPED by the watch). */
bool tg_disk_measure(const char *folder, double bytes, const TgWatch *watch, TgDiskMeasurement *measurement,
                     GError **error);

TG_END_DECLS

#endif
