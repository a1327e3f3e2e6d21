/** @file time-heap.h
 * Private to sim/: what happens next, by time. A heap of four children a parent, in place. */
#ifndef TG_TIME_HEAP_H
#define TG_TIME_HEAP_H

#include <glib.h>
#include <stdint.h>

/** `number` and `stamp` are the user's. */
typedef struct TgTimed {
  double time_s;
  int32_t number;
  uint32_t stamp;
} TgTimed;

typedef struct TgTimeHeap {
  TgTimed *entry; /**< entry[0] is the earliest */
  gsize count, room;
} TgTimeHeap;

static inline void tg_time_heap_clear(TgTimeHeap *heap) {
  g_free(heap->entry);
  *heap = (TgTimeHeap){0};
}

static inline void tg_time_heap_push(TgTimeHeap *heap, TgTimed entry) {
  if (heap->count == heap->room) {
    heap->room = MAX(2 * heap->room, 64);
    heap->entry = g_renew(TgTimed, heap->entry, heap->room);
  }
  gsize at = heap->count++;
  while (at > 0 && entry.time_s < heap->entry[(at - 1) / 4].time_s) {
    heap->entry[at] = heap->entry[(at - 1) / 4];
    at = (at - 1) / 4;
  }
  heap->entry[at] = entry;
}

static inline gsize tg_time_heap_earliest_child(const TgTimeHeap *heap, gsize at) {
  gsize first = 4 * at + 1, end = MIN(first + 4, heap->count), best = first;
  for (gsize child = first + 1; child < end; child++)
    if (heap->entry[child].time_s < heap->entry[best].time_s) best = child;
  return best;
}

/** Takes entry[0] out; there must be one. */
static inline TgTimed tg_time_heap_pop(TgTimeHeap *heap) {
  TgTimed first = heap->entry[0], last = heap->entry[--heap->count];
  gsize at = 0;
  while (4 * at + 1 < heap->count) {
    gsize child = tg_time_heap_earliest_child(heap, at);
    if (heap->entry[child].time_s >= last.time_s) break;
    heap->entry[at] = heap->entry[child];
    at = child;
  }
  heap->entry[at] = last;
  return first;
}

#endif
