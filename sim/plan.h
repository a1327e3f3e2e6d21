/** @file plan.h
 * The planner: which schedule, on which grid, with which parameters, collectives and embedding, is predicted to be the
 * quickest for C (m×n) = A·B with inner dimension k on a machine.
 *
 * Candidates are found from the schedules themselves: every grid that their `require` accepts, every value of a free
 * parameter that divides the number of processors. Each gets a lower bound of its time that costs microseconds
 * (plan-bound.c). First those are predicted by tg_cost_predict() that may be the fastest, whatever `top` is, then those
 * that may still come in among the first. The others are rejected, with the reason. docs/guide/plan.md tells it in
 * full. */
#ifndef TG_PLAN_H
#define TG_PLAN_H

#include "cost.h"

TG_BEGIN_DECLS

/** A schedule to choose from. What it points to must outlive the plan. */
typedef struct TgPlanSource {
  const TgSchedule *schedule; /**< parsed, not bound */
  const TgScheduleNames *names;
  const char *name;
  bool proved; /**< its proof is a matter of other tests; otherwise the planner proves it where that is quick */
} TgPlanSource;

typedef struct TgPlanRequest {
  int64_t m, n, k;
  int64_t element_bytes;
  int64_t processors; /**< at most so many */
  const TgMachine *machine;
  const TgTopology *network;  /**< with at least `processors` nodes; NULL: a network for each grid … */
  TgNetworkKind network_kind; /**< … of this kind: torus and mesh of its extents, others of its processors */
  double memory_bytes;        /**< of a processor; INFINITY without limit */
  TgCostModel model;
  bool overlap;
  int32_t buffers;      /**< as in TgCostOptions */
  bool fair_equal;      /**< as in TgCostOptions */
  int top;              /**< places of the ranking, from 1 */
  double budget_s;      /**< how long the search may take; what is not predicted by then is rejected with that reason */
  const TgWatch *watch; /**< told the seconds of the budget that have gone, and can end it early; NULL: nobody */
  double limit_bytes;   /**< the most memory that a proof or a prediction may take; 0: no limit */
} TgPlanRequest;

/** A place of the ranking: the best of what was tried with one schedule on one grid. */
typedef struct TgPlanPlace {
  const TgPlanSource *source;
  TgBindings bindings;
  char grid[48];
  char topology[TG_TOPOLOGY_TEXT_BYTES];
  char *parameters;  /**< "b=4", "" where there are none to choose */
  char *collectives; /**< their algorithms, as tg_cost_collectives_text() writes them; NULL: none sends anything */
  TgEmbeddingKind embedding;
  int64_t processors;
  double predicted_s, compute_s, communication_s;
  double bound_s;          /**< the lower bound before it was predicted */
  double proof_s;          /**< about how long its proof takes */
  int64_t messages, bytes; /**< of all processors together, between different nodes */
  int64_t max_link_bytes;
  double balance;             /**< time in products, mean over maximum of the nodes that have a processor */
  double efficiency;          /**< time of the product on one processor over processors times time; NaN where it is 0 */
  double bytes_per_processor; /**< memory of the fullest processor */
  double memory_bound_bytes;  /**< never below it */
  double places_bytes;        /**< extra memory for overlap, at most; in both figures above */
  bool memory_proved;         /**< the prover's figure; else a bound that is never below it */
  bool proved;                /**< that it computes C = A·B on this grid; false only for sources that are not */
  bool rounded;               /**< predicted at sizes rounded up to whole blocks */
  bool tie;                   /**< tg_machine_is_tie() with the best */
  bool certain;               /**< not rounded, and nothing was left whose lower bound is below this time */
  char *why;                  /**< one sentence */
} TgPlanPlace;

typedef enum TgPlanCause {
  TG_PLAN_COMPUTES, /**< something else than C = A·B */
  TG_PLAN_REQUIRE,  /**< the schedule is not made for the grid, or for any grid of so many processors */
  TG_PLAN_NETWORK,  /**< no network of the kind asked for has a node for each processor */
  TG_PLAN_MEMORY,
  TG_PLAN_SAME,   /**< on one processor every schedule is the same product: one is tried, unless parts are faster */
  TG_PLAN_BOUND,  /**< its lower bound is above the last place */
  TG_PLAN_BEHIND, /**< predicted, and behind the last place */
  TG_PLAN_WORK,   /**< its prediction would take too long */
  TG_PLAN_WRONG,  /**< its proof or its run failed */
  TG_PLAN_CAUSES
} TgPlanCause;

typedef struct TgPlanReject {
  const TgPlanSource *source;
  TgPlanCause cause;
  char grid[48];      /**< or the number of processors, where no grid has so many */
  double least_bytes; /**< memory: what would be needed at least; else 0 */
  double time_s;      /**< predicted, or its lower bound; 0 where there is neither */
  bool open;          /**< not predicted, and its lower bound is below place 1 */
  char *reason;
} TgPlanReject;

typedef struct TgPlan {
  GArray *ranked;     /**< TgPlanPlace, best first */
  GArray *rejected;   /**< TgPlanReject: the open ones, then by cause, then by schedule */
  int64_t considered; /**< combinations of schedule, grid, parameters and collective */
  int64_t predicted;  /**< of them, with all embeddings that differ */
  int64_t pruned;     /**< by their lower bound */
  int64_t too_long;   /**< left out for the time that it would take, at least with some embeddings, … */
  int64_t too_large;  /**< … or for the memory that its prediction would take … */
  int64_t open;       /**< … of both, those whose lower bound is below place 1 */
  int64_t rounded;    /**< predicted at sizes rounded up to whole blocks, with a lower bound below place 1 */
  bool full;          /**< not all grids were looked at, because their list takes all the memory that there is */
  int64_t unseen;     /**< grids of up to so many processors were not all looked at, and may be faster; 0: all were */
  double least_s;     /**< a lower bound on the fastest: place 1 itself, unless something is open, rounded or unseen */
  double least_bytes; /**< the least memory that one of those rejected for it needs; 0 where none was */
  double wall_s;
} TgPlan;

/** "memory", "require", … */
const char *tg_plan_cause_name(TgPlanCause cause);

/** Plans. An empty ranking is no error. Errors: BAD_INPUT where sizes, machine and network do not fit. */
bool tg_plan(const TgPlanRequest *request, const TgPlanSource *sources, int count, TgPlan *plan, GError **error);
void tg_plan_clear(TgPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgPlan, tg_plan_clear)

TG_END_DECLS

#endif
