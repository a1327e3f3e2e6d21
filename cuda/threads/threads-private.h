/** @file threads-private.h
 * Inside of the executor `threads`, shared by threads.c and threads-data.c only. */
#ifndef TG_THREADS_PRIVATE_H
#define TG_THREADS_PRIVATE_H

#include "device.h"
#include "executor-kind.h"
#include "executors-cuda.h"
#include "threads-compiler.h"
#include "threads-launch.h"

/** What is on the device, each at its own address. */
typedef enum TgThreadsPart {
  TG_THREADS_A,
  TG_THREADS_B,
  TG_THREADS_C,
  TG_THREADS_STEPS,
  TG_THREADS_ROWS,
  TG_THREADS_INSTRUCTIONS,
  TG_THREADS_INPUTS,
  TG_THREADS_RESULTS,
  TG_THREADS_TIMES,
  TG_THREADS_CLOCKS,
  TG_THREADS_PARTS
} TgThreadsPart;

typedef struct TgThreads {
  TgExecutor base;
  TgThreadsProgram *program;
  TgThreadsTiling tiling;
  TgDevice device;
  int64_t shared_bytes; /**< of a block */
  void *part[TG_THREADS_PARTS];
  int64_t part_bytes[TG_THREADS_PARTS];
  TgThreadsTime *times; /**< host's copy, or NULL */
  uint64_t ns;          /**< of all runs so far, by one clock of the device … */
  int64_t cycles;       /**< … and by the other */
} TgThreads;

static inline int64_t tg_threads_element_bytes(const TgThreads *threads) {
  return tg_element_bytes(threads->base.options.element);
}

bool tg_threads_load(TgExecutor *executor, const void *a, const void *b, GError **error);
bool tg_threads_gather(TgExecutor *executor, void *c, GError **error);
/** Copies the program to the device. */
bool tg_threads_send_program(TgThreads *threads, TgError *reason);
/** Takes the times of the last run from the device and sums them up in base.steps. */
bool tg_threads_take_times(TgThreads *threads, TgError *reason);

#endif
