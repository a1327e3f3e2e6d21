/** @file blocks-launch.h
 * Private to cuda/: what blocks.c hands to blocks.cu. Pointers are to device memory. */
#ifndef TG_BLOCKS_LAUNCH_H
#define TG_BLOCKS_LAUNCH_H

#include "blocks-plan.h"

TG_BEGIN_DECLS

enum { TG_BLOCKS_STRIDE = 32 }; /**< counters are 128 bytes apart, so that each has a cache line to itself */

/** A processor's times in one step, by the device's nanosecond clock; all 0 where it had nothing to do. */
typedef struct TgBlocksTime {
  uint64_t begin_ns, end_ns;
  uint64_t waited_ns;
} TgBlocksTime;

/** The first wait that passed its deadline. */
typedef struct TgBlocksStatus {
  int32_t failed;
  int32_t processor, statement, step;
  int32_t other, count; /**< waited for `other` to finish so many instructions … */
  int32_t reached;      /**< … when it had finished so many */
  int32_t unused;
} TgBlocksStatus;

typedef struct TgBlocksRun {
  const TgBlocksInstruction *instruction;
  const int64_t *first;
  const TgBlocksWait *wait;
  void *memory;           /**< of all blocks */
  uint32_t *done;         /**< instructions finished: of processor p at p * TG_BLOCKS_STRIDE; 0 before a run */
  TgBlocksTime *time;     /**< [processor * steps + step - 1], 0 before a run; NULL: none are taken */
  TgBlocksStatus *status; /**< 0 before a run */
  int64_t steps;
  uint64_t deadline_ns;
  uint32_t delay_ns, delay_seed;
  float zero;      /**< 0: what the compiler cannot know */
  int32_t stalled; /**< 1 + rank of a processor that does nothing; 0: none */
  int32_t processors;
} TgBlocksRun;

/** A kernel for all of it: the same interpreter, with products in larger or smaller tiles. */
typedef struct TgBlocksVariant {
  int32_t threads;
  int32_t rows, columns; /**< of C that a processor multiplies at a time */
  int32_t resident;      /**< blocks that run at once on the device; 0 where the card lacks what the kernel needs */
  int32_t panel, inner;  /**< of the layout that it needs; 0: none */
} TgBlocksVariant;

/** Variant `number` (largest tiles first) for this element on the current device. False after the last variant, and
 * with an error where the device fails. `*error->message` is empty after the last. */
bool tg_blocks_variant(int32_t number, int32_t element, TgBlocksVariant *variant, TgError *error);
/** Starts the run as a cooperative grid, a block for each processor. */
bool tg_blocks_start(int32_t number, int32_t element, const TgBlocksRun *run, TgError *error);

TG_END_DECLS

#endif
