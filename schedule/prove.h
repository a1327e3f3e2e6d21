/** @file prove.h
 * The proof: runs a bound schedule on block names and checks the result, at one size. What it accepts, every executor
 * computes. */
#ifndef TG_PROVE_H
#define TG_PROVE_H

#include "state.h"

TG_BEGIN_DECLS

typedef struct TgProof {
  bool ok;
  TgError failure; /**< where not ok */
  TgStateCounts counts;
  int64_t processors;
  int64_t steps;
  int64_t m, n, k;            /**< the sizes that words are counted at */
  int64_t words_received_max; /**< elements received by the processor that receives most … */
  int64_t busiest;            /**< … and its rank, -1 where nothing is received */
  int64_t words_received;     /**< by all together, as tg_sum() */
  int unread_count;
  TgUnread unread[TG_MAX_STATEMENTS];
} TgProof;

/** The smallest sizes at which every block has the same number of elements, at least 1. They are so at multiples, too.
 */
void tg_proof_sizes(const TgSchedule *schedule, int64_t *m, int64_t *n, int64_t *k);

/** Runs the proof with collectives whole or expanded, counting words for C m×n with inner dimension k. Returns
 * proof->ok. */
bool tg_prove(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective, int64_t m, int64_t n,
              int64_t k, TgProof *proof);
/** The same, telling `watch` the statements executed, of tg_walk_count_statements(); where it stops the proof, that
 * fails with TG_CAUSE_STOPPED. */
bool tg_prove_watched(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective, int64_t m,
                      int64_t n, int64_t k, const TgWatch *watch, TgProof *proof);

TG_END_DECLS

#endif
