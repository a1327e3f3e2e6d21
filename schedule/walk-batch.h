/** @file walk-batch.h
 * The current statement of a walk at many processors at once: each operation of an expression runs over all of them
 * before the next one, so that a map costs about a nanosecond an operation instead of a walk through its program. */
#ifndef TG_WALK_BATCH_H
#define TG_WALK_BATCH_H

#include "walk.h"

TG_BEGIN_DECLS

enum { TG_WALK_BATCH_PROCESSORS = 128 }; /**< the most at once */

/** What tg_walk_local() returns for processors first..first+count-1, but for the slots. */
typedef struct TgWalkBatch {
  int32_t to[TG_WALK_BATCH_PROCESSORS]; /**< move, add: the receiver; otherwise the processor itself */
  bool takes_part[TG_WALK_BATCH_PROCESSORS];
} TgWalkBatch;

/** Evaluates the current statement (move, add, product, copy, zero, transpose) at `count` processors, at most
 * TG_WALK_BATCH_PROCESSORS, from `first` on. Slots are checked, too. False where an expression fails at one of them, be
 * it one that does not take part: then tg_walk_local() tells, processor by processor. */
bool tg_walk_batch(const TgWalk *walk, int64_t first, int count, TgWalkBatch *batch);

TG_END_DECLS

#endif
