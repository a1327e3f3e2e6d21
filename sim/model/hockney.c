/* The model without sharing: a message costs its latency, its hops and its bytes. */
#include "in-order.h"

static void transfer(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement) {
  (void)user;
  tg_clocks_transfer(clocks, lane, statement);
}

bool tg_hockney_run(TgPrediction *prediction, GError **error) {
  return tg_in_order_run(prediction, &(TgInOrderRules){.transfer = transfer}, NULL, error);
}
