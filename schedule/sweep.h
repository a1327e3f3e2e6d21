/** @file sweep.h
 * The current statement of a walk at many processors at once: each operation of an expression runs over all of them
 * before the next one, so that a map costs about a nanosecond an operation instead of a walk through its program. */
#ifndef TG_SWEEP_H
#define TG_SWEEP_H

#include "walk.h"

TG_BEGIN_DECLS

enum { TG_SWEEP_PROCESSORS = 128 }; /**< the most at once */

/** What tg_walk_local() returns for processors first..first+count-1, but for the slots. */
typedef struct TgSweep {
  int32_t to[TG_SWEEP_PROCESSORS]; /**< move, add: the receiver; otherwise the processor itself */
  bool takes_part[TG_SWEEP_PROCESSORS];
} TgSweep;

/** Evaluates the current statement (move, add, product, copy, zero, transpose) at `count` processors, at most
 * TG_SWEEP_PROCESSORS, from `first` on. Slots are checked, too. False where an expression fails at one of them, be it
 * one that does not take part: then tg_walk_local() tells, processor by processor. */
bool tg_walk_sweep(const TgWalk *walk, int64_t first, int count, TgSweep *sweep);

TG_END_DECLS

#endif
