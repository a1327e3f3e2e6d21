/** @file in-order.h
 * Private to sim/: the run of a model in which no message waits for one of a later phase. Phases then go in program
 * order, each on the clocks that the one before it left, without a queue of events. */
#ifndef TG_IN_ORDER_H
#define TG_IN_ORDER_H

#include "prediction.h"

/** What a model does. All may be NULL. */
typedef struct TgInOrderRules {
  bool apart; /**< the run fails, without an error, at the first message that crosses several links */
  void (*before)(void *user, TgClocks *clocks); /**< the next phase is about to begin */
  /** Moves the clocks over a phase's transfers; a lane may have none. NULL: tg_clocks_transfer() */
  void (*transfer)(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement);
  double (*multiply)(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement); /**< tg_clocks_multiply() */
  void (*after)(void *user, TgClocks *clocks);                                             /**< all phases are done */
  /** Nodes have new numbers up to `nodes`: what is kept by node is that of the old number `from[new]`. */
  void (*widen)(void *user, const int32_t *from, int64_t nodes);
} TgInOrderRules;

/** A TgModelRun by the rules. */
bool tg_in_order_run(TgPrediction *prediction, const TgInOrderRules *rules, void *user, GError **error);

#endif
