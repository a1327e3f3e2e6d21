/** @file clock.h
 * Private to sim/: the nodes' clocks. While all nodes are at the same time, one number stands for all of them: a
 * million processors that cannot differ cost no more than one. */
#ifndef TG_CLOCK_H
#define TG_CLOCK_H

#include "account.h"
#include "buffer-times.h"
#include "cost.h"
#include "lane.h"
#include "phase.h"

typedef struct TgClocks {
  int64_t nodes;
  const uint8_t *idle; /**< by node: 1 where it has nothing to do, and so no part in the run's times; or NULL */
  bool overlap, all_ports;
  bool fetch; /**< a receiver fetches: its sender is not held up */
  double jitter, straggler_factor;
  int64_t straggler;
  uint64_t seed, draws;
  bool level;                    /**< all nodes alike: entry 0 of each array stands for all */
  double *port;                  /**< when the node's last transfer is complete */
  double *enter;                 /**< when it could begin the transfers of the current group */
  double *cpu;                   /**< when its last product is done; without overlap always equal to port */
  double *compute;               /**< time spent in products */
  double *begun;                 /**< when its last product began */
  double *send, *receive;        /**< when its port is free again, within a phase */
  TgBufferTimes buffers;
  uint32_t group_reads, group_writes;
  TgAccount *account;      /**< of the node whose time is accounted for, NULL: not wanted */
  const TgLanes *lanes;    /**< … and the network that its messages take */
  int32_t group_statement; /**< of the current group of transfers; -1 where none is open */
} TgClocks;

/** A phase's transfers under way. */
typedef struct TgTransferRun {
  TgClocks *clocks;
  const TgLane *lane;
  bool buffers; /**< it may have to wait for products, or products for it */
} TgTransferRun;

/** When the node is done with what it has begun. */
static inline double tg_clocks_at(const TgClocks *clocks, int64_t node) {
  const int64_t entry = clocks->level ? 0 : node;
  return tg_later(clocks->port[entry], clocks->cpu[entry]);
}

/** Of a bound schedule. */
void tg_clocks_init(TgClocks *clocks, int64_t nodes, const TgSchedule *schedule, const TgMachine *machine,
                    const TgCostOptions *options);
void tg_clocks_clear(TgClocks *clocks);
/** An array by node, of which entry 0 stands for all where they are `level`: begins anew with those of `from[new]`. */
void tg_clocks_widen_array(double **array, const int32_t *from, int64_t nodes, bool level);
/** There are more nodes, `nodes` of them, and new numbers: each begins with the times of the old number `from[new]`. */
void tg_clocks_widen(TgClocks *clocks, const int32_t *from, int64_t nodes);
void tg_clocks_transfer(TgClocks *clocks, const TgLane *lane, int32_t statement);
/** When the sender of a transfer could begin it, and its receiver. */
static inline double tg_clocks_can_send(const TgTransferRun *run, int64_t node) {
  const double at_s = run->clocks->enter[node];
  return run->buffers ? tg_later(at_s, tg_buffer_times_written(&run->clocks->buffers, run->lane->phase, node)) : at_s;
}
static inline double tg_clocks_can_receive(const TgTransferRun *run, int64_t node) {
  const double at_s = run->clocks->enter[node];
  return run->buffers ? tg_later(at_s, tg_buffer_times_room(&run->clocks->buffers, run->lane->phase, node)) : at_s;
}
/** The two ends of tg_clocks_transfer(), for models with a way of their own to set `port` in between. `alike`: nodes
 * that are level before the phase are level after it. */
void tg_clocks_open(TgTransferRun *run, TgClocks *clocks, const TgLane *lane, int32_t statement, bool alike);
void tg_clocks_close(TgTransferRun *run, bool alike);
/** 1 + a random number in [0, jitter), the next one; 1 without jitter. */
double tg_clocks_jitter(TgClocks *clocks);
/** When the node's products of the phase can begin. */
static inline double tg_clocks_can_multiply(const TgClocks *clocks, const TgPhase *phase, int64_t node) {
  return tg_later(clocks->cpu[node],
                  clocks->overlap ? tg_buffer_times_there(&clocks->buffers, phase, node) : clocks->port[node]);
}
/** Returns the longest time that a node spends in these products. */
double tg_clocks_multiply(TgClocks *clocks, const TgLane *lane);
/** A number in [0, 1) that depends on seed and count alone. */
double tg_random_unit(uint64_t seed, uint64_t count);
/** Sets the cost's times of the run and of the nodes. */
void tg_clocks_take(const TgClocks *clocks, TgCost *cost);
/** The first and the last node's time. */
void tg_clocks_range(const TgClocks *clocks, double *first, double *last);

#endif
