#include "event-queue.h"

void tg_event_queue_init(TgEventQueue *queue, double window_s) {
  *queue = (TgEventQueue){.windows_per_s = window_s > 0 ? 1 / window_s : 0};
}

void tg_event_queue_clear(TgEventQueue *queue) {
  for (int b = 0; b < TG_EVENT_BUCKETS; b++) g_free(queue->bucket[b].event);
  g_free(queue->batch.event);
}

void tg_event_bucket_grow(TgEventBucket *bucket) {
  bucket->size = MAX(bucket->size * 2, 32);
  bucket->event = g_renew(TgEvent, bucket->event, bucket->size);
}

/* Deals the first bucket that holds something over those below it, so that the earliest window comes to bucket 0. */
static void deal_first(TgEventQueue *queue) {
  int first = 1;
  while (queue->bucket[first].count == 0) first++;
  TgEventBucket *bucket = &queue->bucket[first];
  queue->last = bucket->earliest;
  for (gsize i = 0; i < bucket->count; i++) tg_event_queue_deal(queue, bucket->event[i]);
  bucket->count = 0;
}

const TgEvent *tg_event_queue_next(TgEventQueue *queue, gsize *count) {
  if (queue->count == 0) return NULL;
  if (queue->bucket[0].count == 0) deal_first(queue);
  TgEventBucket batch = queue->batch;
  queue->batch = queue->bucket[0];
  queue->bucket[0] = batch;
  queue->bucket[0].count = 0;
  *count = queue->batch.count;
  queue->count -= *count;
  return queue->batch.event;
}
