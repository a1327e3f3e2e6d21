/** @file disk-queue.h
 * Reads and writes of files that are under way at the same time, through io_uring or threads. One thread owns a queue.
 */
#ifndef TG_DISK_QUEUE_H
#define TG_DISK_QUEUE_H

#include "io-error.h"

TG_BEGIN_DECLS

/** One complete transfer: short reads and writes are continued. */
typedef struct TgDiskTransfer {
  int descriptor;
  bool writes;
  void *data; /**< within the queue's area */
  size_t bytes;
  uint64_t offset;
} TgDiskTransfer;

typedef struct TgDiskQueue TgDiskQueue;

/** For at most `depth` transfers at a time, numbered from 0 by the caller; all are within `area`. `threads`: even if
 * io_uring is available. Errors: CANNOT_READ if neither is. */
TgDiskQueue *tg_disk_queue_new(int depth, void *area, size_t area_bytes, bool threads, GError **error);
void tg_disk_queue_free(TgDiskQueue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgDiskQueue, tg_disk_queue_free)

/** "io_uring", or "8 threads (no io_uring: Operation not permitted)". */
const char *tg_disk_queue_name(const TgDiskQueue *queue);

/** Begins transfer `number`, which is not under way. */
void tg_disk_queue_begin(TgDiskQueue *queue, int number, const TgDiskTransfer *transfer);
/** Waits until one of those under way is complete, and returns its number. `*problem` is 0, an errno, or ENODATA where
 * the file ends too early. */
int tg_disk_queue_wait(TgDiskQueue *queue, int *problem);
/** How many are under way. */
int tg_disk_queue_active(const TgDiskQueue *queue);

TG_END_DECLS

#endif
