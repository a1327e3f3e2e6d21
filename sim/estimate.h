/** @file estimate.h
 * What a bound schedule costs at given sizes on a machine: its proof where that is quick, the memory of the fullest
 * node, the predicted time, the efficiency, and the value of the literature's closed form. */
#ifndef TG_ESTIMATE_H
#define TG_ESTIMATE_H

#include "cost.h"
#include "element.h"
#include "formula.h"
#include "measurement.h"

TG_BEGIN_DECLS

enum { TG_ESTIMATE_PROOF_LIMIT = 1 << 18 }; /**< processors times statements that are proved first; about 0.1 s */

/** What a processor holds at most. */
typedef struct TgEstimateMemory {
  int64_t blocks;     /**< of the schedule, at once on the fullest processor */
  int64_t places;     /**< additional blocks for overlap */
  int64_t words;      /**< the elements in both */
  int64_t processors; /**< that share the fullest node */
  double node_bytes;  /**< what these hold together at most */
  bool at_least;      /**< not proved: counted are the blocks before the first step and after the last alone */
  bool fits;          /**< in the machine's memory_bytes; true with memory tiers */
} TgEstimateMemory;

/** What failed, beyond the sentence of the GError. */
typedef struct TgEstimateFault {
  const char *field; /**< what is at fault: "network", "embedding", "straggler"; or NULL */
  TgError failure;   /**< of the schedule's text or its run; its message is "" where the schedule is not at fault */
  char need_of[256]; /**< what needs more memory than the limit … */
  double need_bytes; /**< … and how much it needs; 0 where memory is not what is missing */
} TgEstimateFault;

/** Zero it before use. Schedule, names and formula are the caller's and must outlive it. Free with
 * tg_estimate_clear(). */
typedef struct TgEstimate {
  const TgSchedule *schedule; /**< bound */
  const TgScheduleNames *names;
  const TgFormula *formula; /**< its closed form; NULL where the literature has none */
  TgMachine machine;
  TgShape shape;
  TgElement element;
  TgCostOptions options;     /**< element_bytes is that of `element` */
  double memory_limit_bytes; /**< of the proof and the prediction; 0: no limit */
  double more_bytes;         /**< that the caller takes for the prediction beside these */

  TgTopology network; /**< these by tg_estimate_place() */
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  bool own_network; /**< it is the machine's own */
  TgEmbedding embedding;

  bool proved;        /**< these by tg_estimate_prove(); false: the proof would take too long */
  int64_t statements; /**< executed, repetitions counted */
  TgEstimateMemory memory;
  int32_t *rank;     /**< by node: its processor, -1 none; NULL where a node has several */
  int64_t counted_n; /**< n of the square matrices that `memory` was counted at; 0: of others, or not yet */

  const TgCost *cost; /**< these by tg_estimate_predict(); the caller's */
  double serial_s;    /**< of the products on one processor; NaN where there are none */
  double efficiency;  /**< serial_s over processors times time_s; NaN likewise */
  int64_t workers;    /**< nodes that have a processor */

  TgMeasurement seeds; /**< by tg_estimate_seeds(): times with so many seeds; 0 trials: not asked for */

  double closed_form_communication_s; /**< these by tg_estimate_closed_form(); NaN where there is none, or it … */
  double closed_form_compute_s;
  double closed_form_s;
  char *closed_form_why; /**< … does not apply, and this is why; or NULL */

  TgEstimateFault fault; /**< of what failed last */
} TgEstimate;

void tg_estimate_clear(TgEstimate *estimate);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgEstimate, tg_estimate_clear)

/** Places the grid on a network: "torus:4x4"; a kind alone ("mesh", "hypercube") with a node for each processor; NULL:
 * the machine's own where that has a node for each processor, else a torus of the grid's extents.
 * Errors: BAD_INPUT where there is no such network, the grid does not go on it, or it has no node `straggler`. */
bool tg_estimate_place(TgEstimate *estimate, const char *network, TgEmbeddingKind embedding, GError **error);

/** Proves the schedule where that is quick, and finds what a processor holds. It is done again after each change of
 * `shape`; blocks of one size need no new proof.
 * Errors: BAD_INPUT where too many statements are executed; TOO_LARGE where memory is short, or a processor holds more
 * than 2^63 bytes; SCHEDULE where the proof fails. */
bool tg_estimate_prove(TgEstimate *estimate, GError **error);

/** Predicts. `cost` is the estimate's from here on. Errors: as tg_cost_predict(). */
bool tg_estimate_predict(TgEstimate *estimate, TgCost *cost, GError **error);
/** The same at another size and with other options; the cost is the caller's alone. */
bool tg_estimate_cost(const TgEstimate *estimate, const TgShape *shape, const TgCostOptions *options, TgCost *cost,
                      GError **error);
/** Finds serial_s, workers and efficiency of a cost that was predicted elsewhere. */
void tg_estimate_take_cost(TgEstimate *estimate, const TgCost *cost);

/** Predicts with `count` > 0 seeds from that of the options on, of which tg_estimate_predict() has done the first.
 * `watch` is told how many are done, also during the next one. Errors: as tg_cost_predict(). */
bool tg_estimate_seeds(TgEstimate *estimate, int32_t count, const TgWatch *watch, GError **error);

/** Finds the value of the closed form. */
void tg_estimate_closed_form(TgEstimate *estimate);

/** Time of the products of this shape on one processor of the machine; NaN where there are none. */
double tg_estimate_serial_s(const TgEstimate *estimate, const TgShape *shape);

/** The bound schedule's parameters but those that follow from others; its extents have their names there, too. */
void tg_parameters_of(const TgSchedule *schedule, const TgScheduleNames *names, TgBindings *parameters);

TG_END_DECLS

#endif
