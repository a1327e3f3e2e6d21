/** @file tally.h
 * Private to sim/: what a run counts, step by step, so that a step can be uncounted. */
#ifndef TG_TALLY_H
#define TG_TALLY_H

#include "stepper.h"

typedef struct TgTally {
  const TgTopology *network; /**< NULL where hops are not counted */
  TgEmbedding embedding;
  TgTrace trace;       /**< `steps` counts those executed; room for all */
  int64_t *hops;       /**< by step */
  int64_t *link_bytes; /**< by link, all steps together; NULL unless asked for */
  TgStepperCounts total;
} TgTally;

/** Lays the grid on the network and makes room for `steps` steps. Errors: BAD_INPUT, TOO_LARGE. */
bool tg_tally_init(TgTally *tally, const TgSchedule *schedule, const TgStepperOptions *options, int64_t steps,
                   GError **error);
void tg_tally_clear(TgTally *tally);

/** Begins step trace.steps + 1. */
void tg_tally_begin(TgTally *tally);
void tg_tally_message(TgTally *tally, int64_t from, int64_t to, int64_t bytes, int64_t *hops);
void tg_tally_product(TgTally *tally);
/** Takes the counts of the last step back. */
void tg_tally_undo(TgTally *tally);

#endif
