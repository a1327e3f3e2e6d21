/** @file stream-deal.h
 * Private to cuda/kernels/: how stream.cu deals tiles of C, and their rounds along k, to blocks. Each takes `whole`
 * tiles as they are; the rounds of the last `tiles` tiles, placed end to end, are cut into as many runs as there are
 * blocks, equal but for one round. */
#ifndef TG_STREAM_DEAL_H
#define TG_STREAM_DEAL_H

#include "base.h"

TG_BEGIN_DECLS

typedef struct TgStreamDeal {
  int32_t slots; /**< blocks */
  int32_t whole; /**< tiles that each of them takes as a whole */
  int32_t all;   /**< rounds of a tile */
  int32_t tiles; /**< that are divided */
} TgStreamDeal;

/** What one block does, round by round. */
typedef struct TgStreamWork {
  TgStreamDeal deal;
  int32_t slot;
  int32_t before; /**< rounds of whole tiles, which come first */
  int32_t rounds; /**< with those of its run */
  int64_t first;  /**< of its run, in all that are divided */
} TgStreamWork;

/** Deals `tiles` tiles of `all` rounds to at most `slots` blocks, all at least 1. Of two waves, of which the last is
 * not full, both are divided, so that a run is no shorter than a tile. No block is without a round. */
TG_SHARED static inline TgStreamDeal tg_stream_deal(int64_t tiles, int32_t all, int32_t slots) {
  TgStreamDeal deal;
  if (tiles * all < slots) slots = (int32_t)(tiles * all);
  deal.slots = slots;
  deal.all = all;
  deal.whole = (int32_t)(tiles / slots);
  if (tiles % slots != 0 && deal.whole > 0) deal.whole--;
  deal.tiles = (int32_t)(tiles - (int64_t)deal.whole * slots);
  return deal;
}

/** First of the divided rounds of block `slot`; that of the next block is behind its last. */
TG_SHARED static inline int64_t tg_stream_first(const TgStreamDeal *deal, int32_t slot) {
  return (int64_t)deal->tiles * deal->all * slot / deal->slots;
}

/** The first block whose run begins inside of divided tile `number`, behind its first round; deal->slots where none
 * does. The others that do follow it. */
TG_SHARED static inline int32_t tg_stream_inside(const TgStreamDeal *deal, int64_t number) {
  const int64_t total = (int64_t)deal->tiles * deal->all, begin = number * deal->all;
  const int64_t slot = ((begin + 1) * deal->slots + total - 1) / total;
  if (slot >= deal->slots || tg_stream_first(deal, (int32_t)slot) >= begin + deal->all) return deal->slots;
  return (int32_t)slot;
}

TG_SHARED static inline TgStreamWork tg_stream_work(const TgStreamDeal *deal, int32_t slot) {
  TgStreamWork work;
  work.deal = *deal;
  work.slot = slot;
  work.first = tg_stream_first(deal, slot);
  work.before = deal->whole * deal->all;
  work.rounds = work.before + (int32_t)(tg_stream_first(deal, slot + 1) - work.first);
  return work;
}

/** The tile that a round is of, from 0: whole tiles are dealt wave by wave. */
TG_SHARED static inline int32_t tg_stream_tile(const TgStreamWork *work, int32_t round) {
  const TgStreamDeal *deal = &work->deal;
  if (round < work->before) return round / deal->all * deal->slots + work->slot;
  return deal->whole * deal->slots + (int32_t)((work->first + round - work->before) / deal->all);
}

/** Which of its tile's rounds it is. */
TG_SHARED static inline int32_t tg_stream_within(const TgStreamWork *work, int32_t round) {
  const TgStreamDeal *deal = &work->deal;
  return round < work->before ? round % deal->all : (int32_t)((work->first + round - work->before) % deal->all);
}

/** Whether the sums that this round ends began inside of a tile: they are added to C later. */
TG_SHARED static inline bool tg_stream_is_partial(const TgStreamWork *work, int32_t round) {
  const int32_t inside = (int32_t)(work->first % work->deal.all);
  return inside != 0 && round >= work->before && round - work->before < work->deal.all - inside;
}

TG_END_DECLS

#endif
