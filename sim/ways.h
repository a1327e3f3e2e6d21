/** @file ways.h
 * How an executor goes about a schedule, as far as a prediction must know. */
#ifndef TG_WAYS_H
#define TG_WAYS_H

#include "executor.h"

TG_BEGIN_DECLS

typedef struct TgWays {
  bool takes_turns; /**< its processors do their part of a step one after another */
  bool overlaps;    /**< moves run beside products */
  bool fetches;     /**< who receives a block does the work, one block after another, and its sender is not held up */
  bool folds;       /**< a block that moves before it is used is loaded where it goes, and sums of products are added up
                         once at the end: neither costs anything in a pass */
} TgWays;

TG_END_DECLS

#endif
