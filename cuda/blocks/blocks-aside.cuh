/** @file blocks-aside.cuh
 * Copies that are executed along with a product: those that follow it in a processor's list and do not depend on it, as
 * the shifts of a systolic algorithm. One thread has the copy engine pass them through shared memory, piece by piece,
 * while all multiply; they cost next to nothing, and are counted as done with the product. What they wait for may come
 * while the product runs: it is looked at, never waited for, and where it does not come in time the copies are executed
 * on their own. */
#ifndef TG_BLOCKS_ASIDE_CUH
#define TG_BLOCKS_ASIDE_CUH

#include "blocks-launch.h"

/** Copies of whole blocks, of neighbours of a product in a processor's list. In shared memory, written by one thread.
 */
struct TgAside {
  static constexpr int most = 2;
  int64_t source[most], target[most], elements[most];
  int64_t first_wait[most];
  int32_t waits[most];
  int32_t count; /* of copies */
  int32_t begun; /* 1: what they wait for has come, and they are on their way */
};

__device__ inline uint32_t tg_read_counter(const uint32_t *counter) {
  uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}

/** The copies that follow instruction `i`, where it is a product. */
__device__ inline void tg_find_aside(const TgBlocksRun &run, int64_t i, int64_t end, TgAside *aside) {
  const TgBlocksInstruction *product = run.instruction + i;
  aside->count = aside->begun = 0;
  if (product->operation != TG_BLOCKS_MULTIPLY) return;
  for (int64_t next = i + 1; next < end && aside->count < TgAside::most; next++) {
    const TgBlocksInstruction *copy = run.instruction + next;
    const int64_t target = copy->target;
    if (copy->operation != TG_BLOCKS_COPY || copy->begin != 0 || copy->left == product->target) return;
    if (target == product->left || target == product->right || target == product->addend || target == product->target)
      return;
    for (int before = 0; before < aside->count; before++) /* nor may they depend on one another */
      if (copy->left == aside->target[before] || target == aside->source[before] || target == aside->target[before])
        return;
    const int at = aside->count++;
    aside->source[at] = copy->left;
    aside->target[at] = target;
    aside->elements[at] = copy->end;
    aside->first_wait[at] = copy->first_wait;
    aside->waits[at] = copy->waits;
  }
}

/** Whether all that the copies wait for has come. */
__device__ inline bool tg_aside_is_ready(const TgBlocksRun &run, const TgAside *aside) {
  for (int at = 0; at < aside->count; at++)
    for (int w = 0; w < aside->waits[at]; w++) {
      const TgBlocksWait wait = run.wait[aside->first_wait[at] + w];
      if (tg_read_counter(run.done + (int64_t)wait.processor * TG_BLOCKS_STRIDE) < (uint32_t)wait.count) return false;
    }
  return true;
}

#endif
