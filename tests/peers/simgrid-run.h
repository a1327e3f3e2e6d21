/** @file simgrid-run.h
 * For tests: the same transfers as a prediction, run by SimGrid. */
#ifndef SIMGRID_RUN_H
#define SIMGRID_RUN_H

#include "phase.h"
#include "topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Links of the platform; the latency is paid at every hop. Which there are, and the routes, are those of topo/, or of
 * SimGrid's own fat tree with these parameters: levels; children; parents; cables between them, as in its manual. */
typedef struct PeerLinks {
  const char *fat_tree;
  double latency_s;
  double bandwidth_bytes_per_s;
  double large_bytes; /**< a message of at least so many bytes has at most … */
  double large_part;  /**< … this part of the bandwidth; 0: all of it */
} PeerLinks;

/** Time until the last processor is done. Each is an actor with one port: from its start on it goes through the phases
 * in order, sends and receives at once, one of each at a time, and waits for both. Model CM02 without the bound of
 * TCP's window (TCP-gamma 0) and without cross-traffic. A process can call it once. */
double simgrid_time_s(const TgTopology *network, const PeerLinks *links, const double *start_s, TgPhase *const *phase,
                      gsize phases);

#ifdef __cplusplus
}
#endif

#endif
