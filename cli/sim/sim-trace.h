/** @file sim-trace.h
 * A prediction as a trace, under way: what the parts of `sim --trace` and `trace` share. A place is a processor; where
 * several processors share a node, a node. A track is a place, or so many rows of them. */
#ifndef TG_SIM_TRACE_H
#define TG_SIM_TRACE_H

#include "run-command.h"
#include "sim.h"
#include "trace-file.h"

enum {
  TG_SIM_TRACE_EVENTS = 200000, /**< of a file, at most */
  TG_SIM_TRACE_LINKS = 64,      /**< of a network whose links have a counter each, at most */
  TG_SIM_TRACE_TRACKS = 1024    /**< of rows, at most: flows are summed over pairs of them */
};

typedef struct TgSimTrace {
  const TgEstimate *run;
  const TgAlgo *algo;
  const TgRunCommand *measured; /**< or NULL */
  bool alone;                   /**< as in TgTraceFile */
  TgTraceFile file;
  int64_t most; /**< events of the prediction, names and all */
  int64_t places;
  int64_t row;         /**< places in a row of the grid, or of the network */
  int64_t kept;        /**< places that the prediction's times are kept by: 1, or so many rows */
  int64_t each;        /**< places of a track: 1, or a multiple of both */
  int64_t tracks;      /**< the last may have fewer */
  int64_t steps;       /**< that are written */
  int64_t flows;       /**< so far */
  int32_t *node;       /**< by processor */
  int64_t *link_bytes; /**< of the step, by link; NULL where there are too many links */
  int64_t *link_shown; /**< the value that its counter has */
} TgSimTrace;

/** Where the processor is. */
static inline int64_t tg_sim_trace_place(const TgSimTrace *trace, int64_t processor) {
  return trace->run->rank ? processor : trace->node[processor];
}
static inline int64_t tg_sim_trace_node(const TgSimTrace *trace, int64_t place) {
  return trace->run->rank ? trace->node[place] : place;
}
/** The name of a step in a slice. */
static inline const char *tg_sim_trace_label(const TgTraceStep *step) {
  return *step->label ? step->label : "step";
}
/** False once there are too many events. */
static inline bool tg_sim_trace_fits(const TgSimTrace *trace) {
  return trace->file.events <= trace->most;
}

/** Every place, product and message of all steps; stops where there are too many events. */
TgExit tg_sim_trace_whole(const TgCli *cli, TgSimTrace *trace);

/** A message of the step loads the links on its way. */
void tg_sim_trace_links_add(TgSimTrace *trace, int64_t from, int64_t to, int64_t bytes);
/** Writes the loads of step `s`. */
void tg_sim_trace_links_step(TgSimTrace *trace, int64_t s);

#endif
