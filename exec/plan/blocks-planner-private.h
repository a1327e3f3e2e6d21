/** @file blocks-planner-private.h
 * Inside of the planner: blocks with their references and hazards, and the making of instructions. */
#ifndef TG_BLOCKS_PLANNER_PRIVATE_H
#define TG_BLOCKS_PLANNER_PRIVATE_H

#include "blocks-planner.h"
#include "executor-kind.h"
#include "walk.h"

enum {
  TG_BLOCK_NONE, /**< an empty slot, no summand */
  TG_BLOCK_ZERO, /**< what `zero X` leaves: has no memory */
  TG_BLOCK_FIRST /**< the first that has */
};

/** A block with memory on its owner. Where nothing names it any more, it waits in a free list to be another one. */
typedef struct TgPlanBlock {
  int32_t owner;
  int32_t references;
  int32_t rows, columns; /**< padded, as it lies */
  bool transposed;       /**< what it means is the transpose of what lies there */
  int32_t written;       /**< the owner's instructions up to its last writer; 0: placed before the run */
  int32_t next_free;
  int64_t freed_step;
  int64_t elements;
  GArray *readers; /**< TgBlocksWait: since the last write, one for each processor; NULL while none */
} TgPlanBlock;

/** The free blocks of one size on a processor: those freed last are used first, or, to reuse late, last. */
typedef struct TgPlanFree {
  int32_t first, last; /**< TG_BLOCK_NONE where there is none */
  int32_t count;
} TgPlanFree;

/** Elements of a block and the free blocks of that size, by owner. */
typedef struct TgPlanSize {
  int64_t elements;
  TgPlanFree *free;
} TgPlanSize;

typedef struct TgPlanner {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  const TgExecutorOptions *options;
  TgBlocksPlan *plan;
  int32_t processors;
  TgWalk walk;
  GArray *blocks;                /**< TgPlanBlock */
  GArray *slots[TG_MAX_BUFFERS]; /**< int32_t: slot (processor, index) at index * processors + processor */
  GArray *instructions;          /**< TgBlocksInstruction, blocks still by number */
  GArray *waits;                 /**< TgBlocksWait */
  GArray *placed;                /**< TgBlocksPlaced */
  int32_t *count;                /**< instructions of each processor so far */
  int32_t *known;                /**< [p * processors + q]: p has waited until q had finished so many */
  TgPlanSize size[TG_MATRICES];
  GError *error;
} TgPlanner;

static inline TgPlanBlock *tg_plan_block(const TgPlanner *planner, int32_t block) {
  return &g_array_index(planner->blocks, TgPlanBlock, block);
}
static inline bool tg_plan_has_memory(int32_t block) {
  return block >= TG_BLOCK_FIRST;
}

/** A block on `owner` with one reference, of so many rows and columns as it lies; its elements are not defined. */
int32_t tg_plan_block_new(TgPlanner *planner, int32_t owner, int64_t rows, int64_t columns, bool transposed);
int32_t tg_plan_hold(TgPlanner *planner, int32_t block);
void tg_plan_release(TgPlanner *planner, int32_t block);
/** True where `processor` may write it and nobody else sees the change. */
bool tg_plan_is_own(const TgPlanner *planner, int32_t processor, int32_t block);

/** What the slot holds, TG_BLOCK_NONE where it is empty. */
int32_t tg_plan_slot(const TgPlanner *planner, int32_t processor, int buffer, int32_t index);
/** The same, and empties the slot: its reference goes to the caller. */
int32_t tg_plan_take(TgPlanner *planner, int32_t processor, int buffer, int32_t index);
/** Puts `block`, whose reference it takes, into the slot. */
bool tg_plan_set(TgPlanner *planner, int32_t processor, int buffer, int32_t index, int32_t block);

/** Makes an instruction of `target`'s owner; blocks are those of the fields by number, 0 for none. */
bool tg_plan_emit(TgPlanner *planner, TgBlocksInstruction instruction);

/** One statement on all processors. */
bool tg_plan_statement(TgPlanner *planner);

#endif
