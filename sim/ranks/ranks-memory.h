/** @file ranks-memory.h
 * Private to sim/ranks: where a rank finds blocks. Those of its host's ranks lie in memory that all of these share,
 * each written by its owner alone; those of other hosts in memory of its own, where messages bring them. Both have room
 * for all blocks of the plan at the plan's offsets: pages that nobody touches take no memory. */
#ifndef TG_RANKS_MEMORY_H
#define TG_RANKS_MEMORY_H

#include "ranks-module.h"

#include <stdatomic.h>

/** Instructions that a processor has finished in this run, in a cache line of its own. */
typedef struct TgRanksFinished {
  _Alignas(64) atomic_int count;
} TgRanksFinished;

typedef struct TgRanksMemory {
  char *blocks;              /**< of this host's ranks */
  int64_t far_bytes;         /**< from there to the blocks of other hosts' ranks */
  TgRanksFinished *finished; /**< by processor, shared */
  bool shared;               /**< else this rank is its own host: `blocks` are its own */
  void *mapped;
  size_t mapped_bytes;
} TgRanksMemory;

/** All ranks together. With `share` a host's ranks share memory, unless the system does not let some of them: then none
 * does, on any host. Errors: TOO_LARGE. */
bool tg_ranks_memory_init(TgRanksMemory *memory, const TgRanksJob *job, int64_t bytes, int64_t processors, bool share,
                          double deadline_s, GError **error);
void tg_ranks_memory_clear(TgRanksMemory *memory);

#endif
