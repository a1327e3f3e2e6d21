/** @file lane.h
 * Private to sim/: a phase mapped onto a network. What is the same at every execution of the phase is found once. */
#ifndef TG_LANE_H
#define TG_LANE_H

#include "embedding.h"
#include "load.h"
#include "machine.h"
#include "phase.h"

enum { TG_LANE_AXES = 24 }; /**< of one level: a hypercube has one a bit */

typedef struct TgLane {
  TgPhase *phase;
  int64_t transfers;  /**< between different nodes */
  int32_t *from, *to; /**< nodes */
  int64_t *sizes;     /**< bytes of each transfer; NULL where all have phase->uniform_bytes */
  int32_t hops_max;   /**< of its longest route */
  double *cost_s;     /**< of each transfer in the hockney model; NULL where all are uniform_cost_s */
  double uniform_cost_s;
  double *byte_s; /**< if TgLanes::shares: of each transfer the seconds that a byte takes on its slowest link, which on
                     one of an outer level are those of all messages that cross it at once; otherwise NULL */
  int64_t bytes, hop_bytes;
  TgLoadEntry *load; /**< if `keep`: `loads` links and the bytes over them; otherwise they went into TgLanes::load */
  int64_t loads;
  bool permutation;           /**< no node sends twice or receives twice */
  bool complete;              /**< … and every node sends and receives, all at one cost */
  int32_t *receiver, *sender; /**< if complete and keep: to whom and from whom, by node; otherwise NULL */
  double *product_s;          /**< by node; NULL where all nodes take uniform_product_s */
  double uniform_product_s;
  double flops;
  bool keep;       /**< the phase comes again */
  bool lent;       /**< from, to and sizes are the phase's */
  int64_t repeats; /**< in steps that only repeat the one before them */
  int references;
} TgLane;

/** Bytes of a transfer. */
static inline int64_t tg_lane_bytes(const TgLane *lane, int64_t transfer) {
  return lane->sizes ? lane->sizes[transfer] : lane->phase->uniform_bytes;
}

/** Lays phases on a network and remembers those that come again. */
typedef struct TgLanes {
  const TgTopology *network;
  const TgMachine *machine;
  TgEmbedding embedding;
  int64_t processors;
  bool one_link;                                   /**< all links have the same numbers … */
  TgMachineLink common;                            /**< … these */
  bool shares;                                     /**< messages share the links of outer levels: see share.h */
  bool half;                                       /**< some cable is half duplex */
  TgMachineLink link[TG_MAX_LEVELS][TG_LANE_AXES]; /**< by level and axis */
  const TgMachineLink **by_link;                   /**< by link; NULL unless tg_lanes_list_links() made it */
  int32_t *node;                                   /**< by processor; NULL where each is on the node of its number */
  uint8_t *idle;              /**< by node: 1 where no processor is; NULL where each node has one */
  int64_t *crossing;          /**< if `shares`: of each link of an outer level a number of share.c, -1 meanwhile */
  uint32_t *sends, *receives; /**< by node: number of the last lane, or link of one, in which it sends, and receives */
  uint32_t laid;              /**< lanes, and links of them, so far */
  TgLoad load;                /**< of phases that do not come again, for the caller to empty */
  TgLoad scratch;
  int64_t bytes;     /**< of all lanes so far, as tg_sum(): once they are full, lanes are of no use */
  GHashTable *known; /**< TgPhase -> TgLane */
} TgLanes;

/** True where the machine's file gives no level and no axis numbers of its own. */
bool tg_links_alike(const TgMachine *machine);

/** `links_apart`: the model does not simulate links itself, so that share.h applies on networks of several levels. */
bool tg_lanes_init(TgLanes *lanes, const TgSchedule *schedule, const TgTopology *network, TgEmbeddingKind embedding,
                   const TgMachine *machine, bool links_apart, GError **error);
void tg_lanes_clear(TgLanes *lanes);
/** Before tg_lanes_link(): lists the numbers of each link where they differ. */
void tg_lanes_list_links(TgLanes *lanes);
static inline const TgMachineLink *tg_lanes_link(const TgLanes *lanes, int64_t link) {
  return lanes->by_link ? lanes->by_link[link] : &lanes->common;
}
/** The phase on the network. If `keep` is set it lives as long as `lanes`; otherwise the caller has its only
 * reference. */
TgLane *tg_lanes_find(TgLanes *lanes, TgPhase *phase);
/** What a message takes on its way where nobody else sends. */
typedef struct TgWay {
  double latency_s, bytes_s;
} TgWay;

/** Of so many bytes between two nodes: latency and hops of its route and the narrowest link's time, as in hockney; with
 * `each_hop` the latency and the time of every link. */
TgWay tg_lanes_way(const TgLanes *lanes, int64_t from, int64_t to, int64_t bytes, bool each_hop);

/** Sets the cost of one transfer; call it in order from 0. */
void tg_lane_set_cost(TgLane *lane, int64_t transfer, double cost_s);

TgLane *tg_lane_hold(TgLane *lane);
void tg_lane_release(TgLane *lane);

#endif
