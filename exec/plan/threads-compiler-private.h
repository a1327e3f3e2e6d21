/** @file threads-compiler-private.h
 * Inside of the compiler of programs for threads. */
#ifndef TG_THREADS_COMPILER_PRIVATE_H
#define TG_THREADS_COMPILER_PRIVATE_H

#include "blocks-planner.h"
#include "threads-compiler.h"

/** Versions of a block: bit 0 for plane 0, bit 1 for plane 1. */
enum { TG_THREADS_STRAIGHT = 1, TG_THREADS_CROSSED = 2, TG_THREADS_PLANES_MOST = 2 };

typedef struct TgThreadsCompiler {
  const TgSchedule *schedule;
  const TgBlocksPlan *plan;
  TgThreadsProgram *program;
  int64_t *in_order; /**< the plan's instructions in the order of a single processor, by number */
  int32_t *level;    /**< of each of the plan's instructions */
  uint8_t *versions; /**< of what each of them makes */
  bool *crosses;     /**< it makes a version from the other one: sums that are transposed */
  uint8_t *needed;   /**< by element: versions of what was placed there */
} TgThreadsCompiler;

/** Which versions each instruction makes, and which of the placed blocks are read. */
void tg_threads_find_versions(TgThreadsCompiler *compiler);
/** Levels and rows. Errors: TOO_LARGE. */
bool tg_threads_lay_levels(TgThreadsCompiler *compiler, GError **error);

#endif
