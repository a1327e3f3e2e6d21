/** @file event-queue.h
 * Private to sim/: a queue of events whose time never goes back: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, Journal
 * of the ACM 37(2), 1990). Events come out in batches: all that fall into one window of time, in no order. An event may
 * be added while its batch is worked on, if it falls into that window or a later one. */
#ifndef TG_EVENT_QUEUE_H
#define TG_EVENT_QUEUE_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

typedef struct TgEvent {
  double time_s;
  uint32_t item; /**< the owner's */
  uint32_t link;
} TgEvent;

enum { TG_EVENT_BUCKETS = 65 };

typedef struct TgEventBucket {
  TgEvent *event;
  gsize count, size;
  uint64_t earliest; /* window */
} TgEventBucket;

typedef struct TgEventQueue {
  double windows_per_s; /**< 0: a window is what a double holds apart, less 12 bits: equal to about 1e-12 */
  uint64_t last;        /**< the window that came out last */
  gsize count;
  TgEventBucket bucket[TG_EVENT_BUCKETS]; /**< by the highest bit in which a window differs from the last one */
  TgEventBucket batch;
} TgEventQueue;

/** @param window_s length of a window; 0 puts only equal instants into one */
void tg_event_queue_init(TgEventQueue *queue, double window_s);
void tg_event_queue_clear(TgEventQueue *queue);
/** @param time_s at least 0, and not before the window that came out last */
static inline void tg_event_queue_add(TgEventQueue *queue, TgEvent event);
/** The next batch, valid until the next call; NULL where the queue is empty. */
const TgEvent *tg_event_queue_next(TgEventQueue *queue, gsize *count);

/** Private: makes room for one more. */
void tg_event_bucket_grow(TgEventBucket *bucket);

/* The borders lie off the multiples of a window, where sums of equal times fall. */
static inline uint64_t tg_event_window(const TgEventQueue *queue, double time_s) {
  uint64_t bits;
  if (queue->windows_per_s > 0) return (uint64_t)(int64_t)(time_s * queue->windows_per_s + 0.381966011);
  memcpy(&bits, &time_s, sizeof bits);
  return (bits + (1 << 11)) >> 12;
}

static inline void tg_event_queue_deal(TgEventQueue *queue, TgEvent event) {
  uint64_t window = tg_event_window(queue, event.time_s), different = window ^ queue->last;
  TgEventBucket *bucket = &queue->bucket[different ? 64 - __builtin_clzll(different) : 0];
  if (bucket->count == bucket->size) tg_event_bucket_grow(bucket);
  if (bucket->count == 0 || window < bucket->earliest) bucket->earliest = window;
  bucket->event[bucket->count++] = event;
}

static inline void tg_event_queue_add(TgEventQueue *queue, TgEvent event) {
  queue->count++;
  tg_event_queue_deal(queue, event);
}

#endif
