/** @file buffer-times.h
 * Private to sim/: by node and buffer, when its block is there, when what was sent of it is gone, and when there is
 * room for another one. Where products and transfers overlap, they wait for these times and for nothing else.
 *
 * A buffer that transfers refill after products have read it has several places for a block: while one is read, the
 * next are filled. When all are taken, the next transfer waits for the products that read the oldest block. A buffer
 * that products write anew after sending has several places, too: the products wait until the oldest block was sent. */
#ifndef TG_BUFFER_TIMES_H
#define TG_BUFFER_TIMES_H

#include "buffer-uses.h"

/** What is kept of a buffer that is sent: when its last product ended; 1 where it was sent since, otherwise 0; and for
 * each place when the last transfer of the block in it was complete, the latest block first. */
enum { TG_BUFFER_WRITTEN, TG_BUFFER_TAKEN, TG_BUFFER_GONE };
/** Of one that arrives: when it did. */
enum { TG_BUFFER_ARRIVED, TG_BUFFER_ARRIVES_TIMES };
/** Of one that is refilled: 1 where it holds what no product has read yet, otherwise 0; and for each place when the
 * last product ended that read the block in it, the latest block first. */
enum { TG_BUFFER_FILLED, TG_BUFFER_READ };

typedef struct TgBufferTimes {
  int places; /**< of a buffer that is refilled or renewed; 0: there is no overlap, and nothing is kept */
  uint32_t uses_sent, uses_renewed, uses_arrives, uses_refilled; /**< buffers, a bit each, as in TgBufferUses */
  int16_t sent[TG_MAX_BUFFERS]; /**< by buffer: where in a node's times its own begin, -1 none */
  int16_t arrives[TG_MAX_BUFFERS];
  int16_t refilled[TG_MAX_BUFFERS];
  int stride;    /**< times of a node */
  double *times; /**< of all nodes, a node's together */
} TgBufferTimes;

/** `places` is 0 without overlap. */
void tg_buffer_times_init(TgBufferTimes *buffers, const TgBufferUses *uses, int places, int64_t nodes);
void tg_buffer_times_clear(TgBufferTimes *buffers);
/** There are `nodes` nodes now: each begins with the times of the old number `from[new]`, or all with those of entry 0
 * where `from` is NULL. */
void tg_buffer_times_widen(TgBufferTimes *buffers, const int32_t *from, int64_t nodes);
void tg_buffer_times_copy(TgBufferTimes *buffers, int64_t from, int64_t to);
/** Whether all nodes have the same times. */
bool tg_buffer_times_flat(const TgBufferTimes *buffers, int64_t nodes);

/** Whether a phase of transfers has any of these times to wait for or to set. */
static inline bool tg_buffer_times_matter(const TgBufferTimes *buffers, const TgPhase *phase) {
  return (phase->needs & buffers->uses_sent) || (phase->writes & buffers->uses_arrives) ||
         (phase->fills & buffers->uses_refilled);
}

/** fmax() without its care for NaN, which costs a call. */
static inline double tg_later(double a, double b) {
  return a > b ? a : b;
}

static inline double *tg_buffer_times_of(const TgBufferTimes *buffers, int64_t node) {
  return &buffers->times[node * buffers->stride];
}

/** Places of a buffer that is sent: what is not written anew has one. */
static inline int tg_buffer_places(const TgBufferTimes *buffers, int buffer) {
  return buffers->uses_renewed >> buffer & 1 ? buffers->places : 1;
}

/* The latest block's time makes room for another one's. */
static inline void tg_buffer_turn(double *places, int count) {
  for (int p = count - 1; p > 0; p--) places[p] = places[p - 1];
}

/** When products have written what the phase's transfers send from the node. */
static inline double tg_buffer_times_written(const TgBufferTimes *buffers, const TgPhase *phase, int64_t node) {
  double at_s = 0;
  for (uint32_t set = phase->needs & buffers->uses_sent; set; set &= set - 1)
    at_s = tg_later(at_s, tg_buffer_times_of(buffers, node)[buffers->sent[__builtin_ctz(set)] + TG_BUFFER_WRITTEN]);
  return at_s;
}

/** When there is room for what they bring to the node. */
static inline double tg_buffer_times_room(const TgBufferTimes *buffers, const TgPhase *phase, int64_t node) {
  double at_s = 0;
  for (uint32_t set = phase->fills & buffers->uses_refilled; set; set &= set - 1)
    at_s = tg_later(
        at_s, tg_buffer_times_of(buffers,
                                 node)[buffers->refilled[__builtin_ctz(set)] + TG_BUFFER_READ + buffers->places - 1]);
  return at_s;
}

/** What a transfer of the phase brings to the node is there at `at_s` … */
static inline void tg_buffer_times_arrive(TgBufferTimes *buffers, const TgPhase *phase, int64_t node, double at_s) {
  for (uint32_t set = phase->writes & buffers->uses_arrives; set; set &= set - 1) {
    double *arrived = &tg_buffer_times_of(buffers, node)[buffers->arrives[__builtin_ctz(set)] + TG_BUFFER_ARRIVED];
    *arrived = tg_later(*arrived, at_s);
  }
  for (uint32_t set = phase->fills & buffers->uses_refilled; set; set &= set - 1)
    tg_buffer_times_of(buffers, node)[buffers->refilled[__builtin_ctz(set)] + TG_BUFFER_FILLED] = 1;
}

/** … and what it sends is gone. */
static inline void tg_buffer_times_leave(TgBufferTimes *buffers, const TgPhase *phase, int64_t node, double at_s) {
  for (uint32_t set = phase->needs & buffers->uses_sent; set; set &= set - 1) {
    double *times = &tg_buffer_times_of(buffers, node)[buffers->sent[__builtin_ctz(set)]];
    times[TG_BUFFER_TAKEN] = 1;
    times[TG_BUFFER_GONE] = tg_later(times[TG_BUFFER_GONE], at_s);
  }
}

/** When the node's products of the phase, or its additions, have all that they need. */
static inline double tg_buffer_times_there(const TgBufferTimes *buffers, const TgPhase *phase, int64_t node) {
  double at_s = 0;
  for (uint32_t set = phase->needs & buffers->uses_arrives; set; set &= set - 1)
    at_s = tg_later(at_s, tg_buffer_times_of(buffers, node)[buffers->arrives[__builtin_ctz(set)] + TG_BUFFER_ARRIVED]);
  for (uint32_t set = phase->sums ? 0 : phase->writes & buffers->uses_sent; set; set &= set - 1) {
    const int b = __builtin_ctz(set);
    const double *times = &tg_buffer_times_of(buffers, node)[buffers->sent[b]];
    if (times[TG_BUFFER_TAKEN] > 0) at_s = tg_later(at_s, times[TG_BUFFER_GONE + tg_buffer_places(buffers, b) - 1]);
  }
  return at_s;
}

/* Additions write other parts than those that are on their way. */
static inline void tg_buffer_write_block(double *times, int places, bool sums, double at_s) {
  times[TG_BUFFER_WRITTEN] = at_s;
  if (sums || times[TG_BUFFER_TAKEN] == 0) return;
  tg_buffer_turn(&times[TG_BUFFER_GONE], places);
  times[TG_BUFFER_TAKEN] = times[TG_BUFFER_GONE] = 0;
}

/* The block that arrived last is read, for the first time or again. */
static inline void tg_buffer_read_block(double *times, int places, double at_s) {
  if (times[TG_BUFFER_FILLED] > 0) tg_buffer_turn(&times[TG_BUFFER_READ], places);
  times[TG_BUFFER_FILLED] = 0;
  times[TG_BUFFER_READ] = at_s;
}

/** They end at `at_s`. */
static inline void tg_buffer_times_multiply(TgBufferTimes *buffers, const TgPhase *phase, int64_t node, double at_s) {
  for (uint32_t set = phase->writes & buffers->uses_sent; set; set &= set - 1)
    tg_buffer_write_block(&tg_buffer_times_of(buffers, node)[buffers->sent[__builtin_ctz(set)]],
                          tg_buffer_places(buffers, __builtin_ctz(set)), phase->sums, at_s);
  if (phase->sums) return;
  for (uint32_t set = phase->reads & buffers->uses_refilled; set; set &= set - 1)
    tg_buffer_read_block(&tg_buffer_times_of(buffers, node)[buffers->refilled[__builtin_ctz(set)]], buffers->places,
                         at_s);
}

#endif
