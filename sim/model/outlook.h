/** @file outlook.h
 * Private to sim/: about how long the transfers of a statement take, in microseconds and without a run. It says what to
 * predict first, and is neither a prediction nor a bound: contention is that of one line, whose positions all go from
 * round to round together. */
#ifndef TG_OUTLOOK_H
#define TG_OUTLOOK_H

#include "choice.h"

typedef struct TgOutlook {
  const TgSchedule *schedule;
  const TgTopology *network;
  const TgMachine *machine;
  TgCostModel model;
  int32_t element_bytes;
  TgEmbedding embedding;
} TgOutlook;

/** False where the grid does not fit the network. What it is given must outlive it. */
bool tg_outlook_init(TgOutlook *outlook, const TgCostRun *run, const TgSchedule *schedule);

/** Whether messages of so many hops, on average, go further than to a neighbour. */
static inline bool tg_outlook_goes_far(double hops) {
  return hops > 1 + 1e-9;
}

/** How long predictions take, measured on one core, in seconds. */
typedef struct TgOutlookPace {
  double message_s; /**< timing a message to a neighbour, or one that shares no link … */
  double hop_s;     /**< … and one that goes further, by hops; 0: as the others … */
  double crowd;     /**< … so many times as long in collectives, which meet many others */
} TgOutlookPace;

extern const TgOutlookPace tg_outlook_pace[TG_COST_MODELS];
/** … of each node in a round, by model, … */
extern const double tg_outlook_node_s[TG_COST_MODELS];

/** … of timing one message that is received on arrival, … */
static const double tg_outlook_arrival_s = 1.2e-6;
/** … of a round, finding a transfer, and following its block by name. */
static const double tg_outlook_round_s = 3e-6, tg_outlook_find_s = 50e-9, tg_outlook_name_s = 1e-6;

typedef struct TgOutlookCollective {
  double seconds;   /**< of all executions */
  double transfers; /**< of one, on all lines, … */
  double rounds;    /**< … and its rounds */
  double different; /**< transfers of the rounds that are not as the one before */
  double hops;      /**< of a message */
  int32_t pieces;   /**< of a chain: how many are best; of other algorithms 0 */
} TgOutlookCollective;

/** The most pieces that a chain cuts a block of so many bytes into: none is without an element. At least 2. */
int32_t tg_outlook_most_pieces(double bytes, int32_t element_bytes);

/** So many executions of the statement's collective, with blocks of so many bytes. */
TgOutlookCollective tg_outlook_collective(const TgOutlook *outlook, const TgStatement *statement,
                                          TgCollective algorithm, double bytes, double executions);
/** … with whichever algorithm is best. */
TgOutlookCollective tg_outlook_any(const TgOutlook *outlook, const TgStatement *statement, double bytes,
                                   double executions);
/** Transfers of the rounds that are not as the one before, of all `transfers` along a line: a ring's are alike, unless
 * it has a root; a chain's are as it fills, and as it empties. */
double tg_outlook_different(const TgRounds *rounds, double transfers);
/** Whether the statement is a collective in which all processors send and receive the same. */
bool tg_outlook_is_alike(const TgStatement *statement);

typedef struct TgOutlookMove {
  double seconds; /**< of one execution, on average over all processors */
  double hops;    /**< of a message; 0 where there is none */
  double part;    /**< of the processors, that send one */
} TgOutlookMove;

/** A statement that sends a block to one processor. */
TgOutlookMove tg_outlook_direct(const TgOutlook *outlook, const TgStatement *statement, double bytes);

#endif
