/* Transfers by threads that wait for them. */
#include "queue-private.h"

#include <errno.h>

enum { MOST_THREADS = 16 };

typedef struct Done {
  int number, problem;
  size_t bytes;
} Done;

typedef struct Threads {
  GThreadPool *pool;
  GAsyncQueue *done;
  Done *results;
  const TgDiskTransfer **transfers;
} Threads;

int tg_disk_threads_count(int depth) {
  return MIN(depth, MOST_THREADS);
}

static void transfer(void *data, void *user) {
  Threads *threads = user;
  Done *done = data;
  const TgDiskTransfer *what = threads->transfers[done->number];
  done->problem = tg_disk_transfer_rest(what, 0);
  done->bytes = what->bytes;
  g_async_queue_push(threads->done, done);
}

static void threads_close(void *data) {
  Threads *threads = data;
  if (threads->pool) g_thread_pool_free(threads->pool, FALSE, TRUE);
  g_async_queue_unref(threads->done);
  g_free(threads->results);
  g_free(threads->transfers);
  g_free(threads);
}

static void *threads_open(int depth, void *area, size_t area_bytes, char **reason) {
  GError *error = NULL;
  Threads *threads = g_new0(Threads, 1);
  (void)area, (void)area_bytes;
  threads->done = g_async_queue_new();
  threads->results = g_new0(Done, depth);
  threads->transfers = g_new0(const TgDiskTransfer *, depth);
  for (int i = 0; i < depth; i++) threads->results[i].number = i;
  threads->pool = g_thread_pool_new(transfer, threads, tg_disk_threads_count(depth), TRUE, &error);
  if (!error) return threads;
  *reason = g_strdup(error->message);
  g_error_free(error);
  threads_close(threads);
  return NULL;
}

static void threads_begin(void *data, int number, const TgDiskTransfer *what) {
  Threads *threads = data;
  threads->transfers[number] = what;
  g_thread_pool_push(threads->pool, &threads->results[number], NULL); /* all threads are there: it cannot fail */
}

static int threads_wait(void *data, int64_t *bytes) {
  const Threads *threads = data;
  const Done *done = g_async_queue_pop(threads->done);
  *bytes = done->problem ? -done->problem : (int64_t)done->bytes;
  return done->number;
}

const TgDiskBackend tg_disk_threads = {threads_open, threads_close, threads_begin, threads_wait};
