/** @file uniform-blocks.h
 * Private to sim/: what blocks and products cost where every block of a matrix has the same size. */
#ifndef TG_UNIFORM_BLOCKS_H
#define TG_UNIFORM_BLOCKS_H

#include "phase.h"

typedef struct TgUniformBlocks {
  int64_t bytes[TG_MAX_STATEMENTS]; /**< of the block that the statement reads; 0 where it never reads one */
  TgProductSize product;
} TgUniformBlocks;

/** False where sizes are not divided evenly, or where a statement reads blocks of several matrices. */
bool tg_uniform_blocks(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                       int64_t element_bytes, TgUniformBlocks *blocks);

#endif
