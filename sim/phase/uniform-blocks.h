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

/** Follows the run of a bound schedule on one processor that stands for all: what is written everywhere replaces what a
 * slot held, what is written somewhere is added to it. So a buffer may hold blocks of several matrices one after
 * another. `matrix[s]` is that of what statement s reads, -1 where it reads nothing. False where a statement may read
 * blocks of several matrices, or the run is too long to follow. */
bool tg_held_matrices(const TgSchedule *schedule, const TgScheduleNames *names, int matrix[TG_MAX_STATEMENTS]);

#endif
