/* The model without sharing: a message costs its latency, its hops and its bytes. */
#include "in-order.h"
#include "models.h"

bool tg_apart_run(TgPrediction *prediction, GError **error) {
  return tg_in_order_run(prediction, &(TgInOrderRules){.apart = true}, NULL, error);
}

bool tg_hockney_run(TgPrediction *prediction, GError **error) {
  return tg_in_order_run(prediction, &(TgInOrderRules){0}, NULL, error);
}
