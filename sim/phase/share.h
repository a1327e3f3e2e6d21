/** @file share.h
 * Private to sim/: links between groups, such as a host's adapter. The messages of a statement share them even in
 * models in which no other links are shared (W. Gropp, L. Olson, P. Samfass, Modeling MPI communication performance on
 * SMP nodes, EuroMPI 2016: the max-rate model). */
#ifndef TG_SHARE_H
#define TG_SHARE_H

#include "lane.h"

/** Call before the first lane is laid. */
void tg_lanes_share_begin(TgLanes *lanes);

/** Sets `byte_s` and the costs of a lane on a network of several levels. It must have at least one transfer, and its
 * `from` and `to` must be set. */
void tg_lane_share(TgLanes *lanes, TgLane *lane);

#endif
