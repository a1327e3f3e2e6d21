/** @file ranks-private.h
 * Private to sim/ranks: one rank's part of a run, and what its files do with it. */
#ifndef TG_RANKS_PRIVATE_H
#define TG_RANKS_PRIVATE_H

#include "executor-kind.h"
#include "phase.h"
#include "rank-messages.h"
#include "ranks-memory.h"

/** Numbers of messages by the instruction that they go with. */
typedef struct TgRankIndex {
  int64_t *first; /* by place, and one more */
  int64_t *number;
} TgRankIndex;

/** What a rank did in a step; begin_s is INFINITY where it had nothing to do. */
typedef struct TgRankTime {
  double begin_s, end_s, busy_s, waited_s;
} TgRankTime;

typedef struct TgRanks {
  TgExecutor base;
  const TgRanksJob *job;
  TgBlocksPlan *plan;
  TgRankMessages *messages;
  int32_t *rank_of;          /* by processor */
  int32_t *home;             /* by block placed: the rank in whose memory it lies */
  TgBlocksInstruction *turn; /* this rank's instructions, in order; far blocks lie behind all others */
  int64_t turns;             /* … and how many */
  GArray *own;               /* int64_t: messages that this rank sends or receives; a request is the place here */
  TgRankIndex sends;         /* after an instruction: [place + 1] */
  TgRankIndex receives;      /* … whose memory is free then: [place + 1] */
  TgRankIndex needs;         /* to be received before it */
  TgRankIndex guards;        /* to be sent before it */
  TgRanksMemory memory;
  TgProductSize largest; /* of a product */
  TgRankTime *times;     /* by step - 1, or NULL */
  double zero_s;         /* from when they count, by this rank's clock */
  uint8_t *arrives;      /* TgExecutorFacts */
} TgRanks;

static inline int64_t element_bytes(const TgRanks *ranks) {
  return tg_element_bytes(ranks->base.options.element);
}

static inline const TgRankMessage *message_at(const TgRanks *ranks, int64_t request) {
  return &g_array_index(ranks->messages->message, TgRankMessage, g_array_index(ranks->own, int64_t, request));
}

static inline double deadline_of(const TgRanks *ranks) {
  const double usual_s = 20;
  return ranks->base.options.deadline_s > 0 ? ranks->base.options.deadline_s : usual_s;
}

/** TgExecutorKind.run. */
bool tg_ranks_run(TgExecutor *executor, double *seconds, GError **error);

/** TgExecutorKind.places. */
GArray *tg_ranks_places(const TgExecutor *executor, double *clock_error_s);

/** Finds this rank's instructions, its messages, and what predictions must know. */
void tg_ranks_find_turns(TgRanks *ranks);
void tg_ranks_clear_turns(TgRanks *ranks);
/** Bytes of the blocks that this rank writes, or gets in messages. */
double tg_ranks_touched_bytes(const TgRanks *ranks);
/** Fills with NaN what this rank writes, and what messages bring. */
void tg_ranks_poison(const TgRanks *ranks);

#endif
