/* Transfers by io_uring, whose buffers the kernel knows beforehand (J. Axboe, Efficient IO with io_uring, 2019). */
#include "queue-private.h"

#include <errno.h>
#include <liburing.h>
#include <sys/uio.h>

typedef struct Uring {
  struct io_uring ring;
  bool registered;
} Uring;

static void *uring_open(int depth, void *area, size_t area_bytes, char **reason) {
  Uring *uring = g_new0(Uring, 1);
  const struct iovec whole = {area, area_bytes};
  const int result = io_uring_queue_init((unsigned)depth, &uring->ring, 0);
  if (result < 0) {
    *reason = g_strdup(g_strerror(-result));
    g_free(uring);
    return NULL;
  }
  /* Refused where locked memory is limited (ulimit -l): then every transfer looks its pages up. */
  uring->registered = io_uring_register_buffers(&uring->ring, &whole, 1) == 0;
  return uring;
}

static void uring_close(void *data) {
  Uring *uring = data;
  io_uring_queue_exit(&uring->ring);
  g_free(uring);
}

static void prepare(struct io_uring_sqe *entry, bool fixed, const TgDiskTransfer *transfer) {
  const unsigned bytes = (unsigned)transfer->bytes;
  if (fixed && transfer->writes)
    io_uring_prep_write_fixed(entry, transfer->descriptor, transfer->data, bytes, transfer->offset, 0);
  else if (fixed)
    io_uring_prep_read_fixed(entry, transfer->descriptor, transfer->data, bytes, transfer->offset, 0);
  else if (transfer->writes)
    io_uring_prep_write(entry, transfer->descriptor, transfer->data, bytes, transfer->offset);
  else
    io_uring_prep_read(entry, transfer->descriptor, transfer->data, bytes, transfer->offset);
}

static void uring_begin(void *data, int number, const TgDiskTransfer *transfer) {
  Uring *uring = data;
  struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring); /* at most `depth` are under way: there is one */
  g_assert(entry);
  prepare(entry, uring->registered, transfer);
  io_uring_sqe_set_data(entry, GINT_TO_POINTER(number));
  int result;
  do result = io_uring_submit(&uring->ring);
  while (result == -EINTR || result == -EAGAIN || result == -EBUSY);
  if (result < 0) g_error("io_uring: %s", g_strerror(-result));
}

static int uring_wait(void *data, int64_t *done) {
  Uring *uring = data;
  struct io_uring_cqe *entry;
  int result;
  do result = io_uring_wait_cqe(&uring->ring, &entry);
  while (result == -EINTR || result == -EAGAIN);
  if (result < 0) g_error("io_uring: %s", g_strerror(-result)); /* with transfers under way in our memory */
  const int number = GPOINTER_TO_INT(io_uring_cqe_get_data(entry));
  *done = entry->res;
  io_uring_cqe_seen(&uring->ring, entry);
  return number;
}

const TgDiskBackend tg_disk_uring = {uring_open, uring_close, uring_begin, uring_wait};
