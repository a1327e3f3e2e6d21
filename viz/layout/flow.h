/** @file flow.h
 * The messages of a frame as what is drawn between two processors: blocks of one matrix that go the same way are one
 * flow. Private to viz/. */
#ifndef TG_FLOW_H
#define TG_FLOW_H

#include "frame.h"

typedef struct TgFlow {
  int64_t from, to;
  int axis;                        /**< the coordinate along which it goes; -1 where several change */
  int32_t hops;                    /**< places along that axis, with sign; round the edge where that is shorter */
  bool round_edge;                 /**< goes round the edge of the grid */
  bool link_by_link;               /**< a stretch of longer ways, not one message */
  uint8_t matrix;                  /**< TgMatrixName */
  bool add;                        /**< the receiver adds it */
  int32_t first_round, last_round; /**< of collectives in rounds, from 0; else -1 */
  double blocks;                   /**< how many cross */
  int32_t message;                 /**< the first message in it: index in TgFrame::message */
  int32_t messages;                /**< messages drawn by it alone */
  int32_t lane, lanes; /**< its number among the flows between the same two processors, and how many these are */
} TgFlow;

/** How flows are made. */
typedef struct TgFlowRules {
  bool goes_round; /**< the grid's lines are rings */
  /** Where a block of the frame goes further, or round the edge and beyond its neighbour, all moves are drawn link by
   * link, the shortest way. INT32_MAX: never. */
  int32_t far_hops;
} TgFlowRules;

/** The flows of a frame, TgFlow each. A collective left whole goes along its line, from neighbour to neighbour and not
 * round the edge: a broadcast crosses each stretch once, a scatter once a receiver behind it. */
GArray *tg_flows_new(const TgFrame *frame, const TgFlowRules *rules);

/** The number on a flow: rounds ("2", "1–3") or several blocks ("×3"); "" where there is none. */
void tg_flow_label(const TgFlow *flow, GString *text);
/** "A₀₁: P(0,1) → P(0,0)", with several blocks their names. */
void tg_flow_title(const TgFrame *frame, const TgFlow *flow, GString *text);
/** "m-STEP-N" with the number of its first message; "f-STEP-N" link by link. */
void tg_flow_id(const TgFrame *frame, const TgFlow *flow, GString *text);
/** Width of its arrow in points: 1.2 + 1.6 log2(1 + blocks). */
double tg_flow_pen(const TgFlow *flow);

#endif
