/** @file trace.h
 * What a run leaves behind, step by step: filled by the stepper, the cost models and the executors, read by the
 * pictures and the command. Plain: the producer owns the arrays. */
#ifndef TG_TRACE_H
#define TG_TRACE_H

#include "base.h"

TG_BEGIN_DECLS

typedef struct TgTraceStep {
  const char *label; /**< of the schedule's step, "" where it has none */
  int64_t index;     /**< step number, from 1 */
  int64_t messages;  /**< between different processors */
  int64_t bytes;     /**< payload of those messages */
  int64_t hop_bytes; /**< bytes times links crossed, on the network it was mapped onto */
  int64_t products;
  double start_s, end_s; /**< modelled or measured time; NaN where there is none */
} TgTraceStep;

typedef struct TgTrace {
  TgTraceStep *step;
  int64_t steps;
  int64_t *link_bytes; /**< steps × links, row-major; NULL where loads were not asked for */
  int64_t links;
} TgTrace;

TG_END_DECLS

#endif
