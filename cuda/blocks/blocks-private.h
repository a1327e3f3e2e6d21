/** @file blocks-private.h
 * Inside of the executor `blocks`, shared by blocks.c and blocks-data.c only. */
#ifndef TG_BLOCKS_PRIVATE_H
#define TG_BLOCKS_PRIVATE_H

#include "blocks-launch.h"
#include "blocks-planner.h"
#include "device.h"
#include "executor-kind.h"
#include "executors-cuda.h"

/** What is on the device, each at its own address. */
typedef enum TgBlocksPart {
  TG_PART_INSTRUCTIONS,
  TG_PART_FIRST,
  TG_PART_WAITS,
  TG_PART_MEMORY,
  TG_PART_DONE,
  TG_PART_TIMES,
  TG_PART_STATUS,
  TG_PARTS
} TgBlocksPart;

typedef struct TgBlocks {
  TgExecutor base;
  TgBlocksPlan *plan;
  TgDevice device;
  int32_t variant;      /**< of the kernel */
  int32_t panel, inner; /**< of the layout that it needs */
  void *part[TG_PARTS];
  int64_t part_bytes[TG_PARTS];
  TgBlocksTime *times; /**< host's copy, or NULL */
  char *staging;       /**< host: the input blocks, or a block of C */
  uint32_t runs;
} TgBlocks;

static inline int64_t tg_blocks_element_bytes(const TgBlocks *blocks) {
  return tg_element_bytes(blocks->base.options.element);
}

bool tg_blocks_load(TgExecutor *executor, const void *a, const void *b, GError **error);
bool tg_blocks_gather(TgExecutor *executor, void *c, GError **error);
/** Takes the times of the last run from the device and sums them up in base.steps. */
bool tg_blocks_take_times(TgBlocks *blocks, TgError *reason);

#endif
