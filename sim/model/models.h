/** @file models.h
 * Private to sim/model/: the cost models; cost.c has a row for each. */
#ifndef TG_MODELS_H
#define TG_MODELS_H

#include "prediction.h"

/** A model's run over all phases. Sets each step's times, the cost's time_s and compute_s, node_time_s and
 * node_compute_s. */
typedef bool (*TgModelRun)(TgPrediction *prediction, GError **error);

bool tg_hockney_run(TgPrediction *prediction, GError **error);
bool tg_forward_run(TgPrediction *prediction, GError **error);
bool tg_flow_run(TgPrediction *prediction, GError **error);
bool tg_loggp_run(TgPrediction *prediction, GError **error);
/** loggp where the machine receives messages on arrival. */
bool tg_loggp_arrival_run(TgPrediction *prediction, GError **error);
/** For models that simulate links: if every message crosses one link, no two share it, and hockney's times hold without
 * an event queue. Otherwise false without an error. */
bool tg_apart_run(TgPrediction *prediction, GError **error);
/** The hockney model with disks. */
bool tg_tiers_run(TgPrediction *prediction, GError **error);

#endif
