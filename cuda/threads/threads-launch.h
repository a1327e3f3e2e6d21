/** @file threads-launch.h
 * Private to cuda/: what threads.c hands to threads.cu. Pointers are to device memory. */
#ifndef TG_THREADS_LAUNCH_H
#define TG_THREADS_LAUNCH_H

#include "threads-program.h"

TG_BEGIN_DECLS

/** One warp of the first thread block in one step, by the multiprocessor's clock. Zero before a run. */
typedef struct TgThreadsTime {
  int64_t begin, end;    /**< of its first run */
  uint64_t busy, waited; /**< of all runs; waited: at the barriers */
} TgThreadsTime;

/** Both clocks at two moments of the first thread block, each where the nanoseconds have just gone on. */
typedef struct TgThreadsClocks {
  uint64_t ns[2];
  int64_t cycles[2];
} TgThreadsClocks;

typedef struct TgThreadsRun {
  TgThreadsTiling tiling;
  int64_t instances, inputs;
  int64_t elements; /**< of shared memory before the sums */
  int32_t steps, levels, warps;
  int32_t processors;
  int32_t blocks; /**< thread blocks: block b takes instances b, b + blocks, b + 2 * blocks … */
  const void *factor[2];
  void *c;
  const int32_t *step_level, *level_row;
  const TgThreadsInstruction *instruction;
  const TgThreadsInput *input;
  const uint16_t *result;
  TgThreadsTime *time;     /**< [step * warps + warp]; NULL: none are taken */
  TgThreadsClocks *clocks; /**< likewise */
} TgThreadsRun;

/** What the kernel can have on the current device. */
typedef struct TgThreadsVariant {
  int32_t threads_max;  /**< of a block */
  int32_t shared_bytes; /**< of a block, at most */
  int32_t resident;     /**< blocks that run at once; 0 unless `threads` and `bytes` are within those limits */
} TgThreadsVariant;

/** Finds the limits, and how many blocks of so many threads with so much shared memory run at once. */
bool tg_threads_variant(int32_t element, int32_t threads, int64_t bytes, TgThreadsVariant *variant, TgError *error);
/** Starts the run. `bytes` of shared memory as tg_threads_variant() was asked for. */
bool tg_threads_start(int32_t element, const TgThreadsRun *run, int64_t bytes, TgError *error);

TG_END_DECLS

#endif
