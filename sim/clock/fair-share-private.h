/** @file fair-share-private.h
 * What the files of the fair shares have in common. */
#ifndef TG_FAIR_SHARE_PRIVATE_H
#define TG_FAIR_SHARE_PRIVATE_H

#include "fair-share.h"
#include "numbers.h"
#include "time-heap.h"

typedef struct TgFairFlow {
  int32_t *crossing; /**< the links it crosses */
  int32_t crossings, room;
  uint32_t serial; /**< changes when the flow is taken */
  uint64_t round;  /**< last round that met it; odd once the round has fixed its rate */
  double weight;
  double level; /**< rate / weight; INFINITY before the first update */
  double rate;
  double amount, since_s; /**< what is left at that time */
  double end_s, queued_s; /**< its event is no later than its end */
} TgFairFlow;

typedef struct TgFairLink {
  int32_t *member; /**< the flows that cross it, in no order */
  int32_t members, room;
  double capacity;
  double weights; /**< of all members, but for rounding */
  double cut;     /**< if changed: no member below this level is affected */
  bool changed;   /**< has got or lost members since the last update */
  uint64_t round; /**< last round that met it; the rest belongs to that round */
  int32_t open;   /**< members without a rate … */
  double weight;  /**< … their weights together … */
  double left;    /**< … and what the others leave to them */
} TgFairLink;

struct TgFairShare {
  TgFairLink *link;
  int64_t links;
  TgFairFlow *flow;
  int32_t flows, flow_room;
  TgNumbers unused;          /**< flows whose numbers may be given out again */
  TgNumbers come;            /**< flows, since the last update */
  TgNumbers changed;         /**< links, since the last update */
  TgNumbers reached, joined; /**< links and flows of the round */
  TgTimeHeap levels;         /**< of the round: levels at which links are full, as times */
  TgTimeHeap ends;           /**< stamped with the flow's serial */
  uint64_t round;            /**< even */
};

/** The flow drains at this level from now on. */
void tg_fair_flow_set(TgFairShare *fair, int32_t flow, double level, double now_s);
/** New rates for all that the change of this link, or the new flow, affects; what the change of another link affects
 * together with it is done, too. */
void tg_fair_share_refill(TgFairShare *fair, int32_t link, double now_s);

#endif
