/** @file share.h
 * Private to sim/: the links between groups, an adapter of a host for instance, which the messages of one statement
 * share even in the models that share no others (W. Gropp, L. Olson, P. Samfass, Modeling MPI communication performance
 * on SMP nodes, EuroMPI 2016: the max-rate model). */
#ifndef TG_SHARE_H
#define TG_SHARE_H

#include "lane.h"

/** Before the first lane is laid. */
void tg_lanes_share_begin(TgLanes *lanes);

/** Sets `byte_s` and the costs of a lane on a network of several levels, whose transfers, at least one, are laid. */
void tg_lane_share(TgLanes *lanes, TgLane *lane);

#endif
