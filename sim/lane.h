/** @file lane.h
 * Private to sim/: a phase laid on a network. What is the same at every execution of the phase is found once. */
#ifndef TG_LANE_H
#define TG_LANE_H

#include "embedding.h"
#include "machine.h"
#include "phase.h"

typedef struct TgLane {
  TgPhase *phase;
  int64_t transfers;  /**< between different nodes */
  int32_t *from, *to; /**< nodes */
  double *cost_s;     /**< of each transfer in the hockney model; NULL where all are uniform_cost_s */
  double uniform_cost_s;
  int64_t bytes, hop_bytes;
  int64_t *link_bytes; /**< by link */
  bool permutation;    /**< no node sends twice or receives twice */
  bool complete;       /**< … and every node sends and receives, all at one cost */
  double *product_s;   /**< by node; NULL where all nodes take uniform_product_s */
  double uniform_product_s;
  double flops;
  bool keep; /**< the phase comes again */
  int64_t executions;
} TgLane;

/** Lays phases on a network and remembers those that come again. */
typedef struct TgLanes {
  const TgTopology *network;
  const TgMachine *machine;
  TgEmbedding embedding;
  int64_t processors;
  bool one_link;        /**< all links have the same numbers … */
  TgMachineLink common; /**< … these */
  GHashTable *known;    /**< TgPhase -> TgLane */
} TgLanes;

bool tg_lanes_init(TgLanes *lanes, const TgSchedule *schedule, const TgTopology *network, TgEmbeddingKind embedding,
                   const TgMachine *machine, GError **error);
void tg_lanes_clear(TgLanes *lanes);
/** The phase on the network; owned by `lanes` until tg_lanes_done(). */
TgLane *tg_lanes_find(TgLanes *lanes, TgPhase *phase);
/** Frees the lane if its phase will not come again. */
void tg_lane_done(TgLane *lane);

#endif
