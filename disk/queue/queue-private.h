/** @file queue-private.h
 * Private to disk/queue: what carries out transfers. */
#ifndef TG_QUEUE_PRIVATE_H
#define TG_QUEUE_PRIVATE_H

#include "disk-queue.h"

/** A way to do so. */
typedef struct TgDiskBackend {
  /** NULL with a reason, for g_free(). */
  void *(*open)(int depth, void *area, size_t area_bytes, char **reason);
  void (*close)(void *data);
  /** `transfer` stays where it is until it is complete. */
  void (*begin)(void *data, int number, const TgDiskTransfer *transfer);
  /** The number of a transfer of which `*done` bytes are through, or that failed with errno -*done. */
  int (*wait)(void *data, int64_t *done);
} TgDiskBackend;

extern const TgDiskBackend tg_disk_uring, tg_disk_threads;
/** Threads of the second one. */
int tg_disk_threads_count(int depth);

/** Does the rest of a transfer, from byte `done` on, and waits for it: 0, or a problem. */
int tg_disk_transfer_rest(const TgDiskTransfer *transfer, size_t done);

#endif
