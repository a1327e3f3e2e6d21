#include "disk-queue.h"

#include "queue-private.h"

#include <errno.h>
#include <unistd.h>

struct TgDiskQueue {
  const TgDiskBackend *backend;
  void *data;
  char *name;
  TgDiskTransfer *transfers;
  int active;
};

int tg_disk_transfer_rest(const TgDiskTransfer *transfer, size_t done) {
  while (done < transfer->bytes) {
    char *data = (char *)transfer->data + done;
    const off_t offset = (off_t)(transfer->offset + done);
    const ssize_t piece = transfer->writes ? pwrite(transfer->descriptor, data, transfer->bytes - done, offset)
                                           : pread(transfer->descriptor, data, transfer->bytes - done, offset);
    if (piece < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (piece < 0) return errno;
    if (piece == 0) return transfer->writes ? ENOSPC : ENODATA;
    done += (size_t)piece;
  }
  return 0;
}

TgDiskQueue *tg_disk_queue_new(int depth, void *area, size_t area_bytes, bool threads, GError **error) {
  g_autofree char *reason = threads ? g_strdup("turned off") : NULL, *second = NULL;
  g_autoptr(TgDiskQueue) queue = g_new0(TgDiskQueue, 1);
  queue->transfers = g_new0(TgDiskTransfer, depth);
  queue->backend = &tg_disk_uring;
  if (!threads) queue->data = queue->backend->open(depth, area, area_bytes, &reason);
  if (queue->data) {
    queue->name = g_strdup("io_uring");
    return g_steal_pointer(&queue);
  }
  queue->backend = &tg_disk_threads;
  queue->data = queue->backend->open(depth, area, area_bytes, &second);
  queue->name = g_strdup_printf("%d threads (no io_uring: %s)", tg_disk_threads_count(depth), reason);
  if (queue->data) return g_steal_pointer(&queue);
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_READ, "cannot start disk transfers: %s", second);
  return NULL;
}

void tg_disk_queue_free(TgDiskQueue *queue) {
  int problem;
  if (!queue) return;
  while (queue->active) tg_disk_queue_wait(queue, &problem); /* the area is the caller's again only then */
  if (queue->data) queue->backend->close(queue->data);
  g_free(queue->transfers);
  g_free(queue->name);
  g_free(queue);
}

const char *tg_disk_queue_name(const TgDiskQueue *queue) {
  return queue->name;
}

void tg_disk_queue_begin(TgDiskQueue *queue, int number, const TgDiskTransfer *transfer) {
  queue->transfers[number] = *transfer;
  queue->active++;
  queue->backend->begin(queue->data, number, &queue->transfers[number]);
}

int tg_disk_queue_wait(TgDiskQueue *queue, int *problem) {
  int64_t done;
  const int number = queue->backend->wait(queue->data, &done);
  const bool again = done == -EINTR || done == -EAGAIN || done == -ECANCELED; /* the last: no thread for it */
  queue->active--;
  *problem =
      done >= 0 || again ? tg_disk_transfer_rest(&queue->transfers[number], again ? 0 : (size_t)done) : (int)-done;
  return number;
}

int tg_disk_queue_active(const TgDiskQueue *queue) {
  return queue->active;
}
