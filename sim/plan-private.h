/** @file plan-private.h
 * Private to sim/plan*.c: candidates, their bounds, and the search under way. */
#ifndef TG_PLAN_PRIVATE_H
#define TG_PLAN_PRIVATE_H

#include "plan.h"

#include "expression.h"

enum { TG_PLAN_COORDINATES = (1 << TG_MAX_DIMS) - 1, TG_PLAN_LOOPS = ((1 << TG_MAX_NESTING) - 1) << TG_VARIABLE_LOOP };

/** What an expression can come to; infinite where nothing is known. */
typedef struct TgInterval {
  double low, high;
} TgInterval;

TgInterval tg_interval_evaluate(const TgSchedule *schedule, TgExpression expression,
                                const TgInterval variable[TG_LOCAL_VARIABLES]);

/** What the values of a schedule's parameters say without a run. */
typedef struct TgPlanFacts {
  int64_t processors;
  double executions[TG_MAX_STATEMENTS]; /**< of a leaf statement: how often it runs, repetitions counted … */
  double moving[TG_MAX_STATEMENTS];     /**< … and the part of the processors that send in it, at least, on average */
  bool constant[TG_MAX_STATEMENTS];     /**< the same at every repetition */
  double read_low[TG_MAX_STATEMENTS];   /**< elements of the block that the statement reads, at least */
  double elements_low[TG_MAX_BUFFERS];  /**< of a block in the buffer, at least … */
  double elements_high[TG_MAX_BUFFERS]; /**< … and at most */
  double compute_s;                     /**< of the products, at least, on average over the processors */
  double memory_low_bytes;              /**< no processor needs less … */
  double memory_high_bytes;             /**< … and none more */
  bool by_name;                         /**< blocks of several sizes: a prediction has to follow them by name */
  bool unclear;                         /**< … because a statement may read blocks of several matrices */
  bool endless;                         /**< too many statements to count */
  double proof_s;                       /**< about how long a proof takes */
} TgPlanFacts;

typedef struct TgPlanCandidate {
  int source;
  guint grid; /**< index in TgPlanSearch.grids */
  TgBindings bindings;
  TgCollective collective;
  bool has_collectives;
  double bound_s;
  double work_s; /**< about how long its prediction takes */
  double memory_low_bytes, memory_high_bytes, proof_s;
  bool rounded; /**< predicted at sizes rounded up to whole blocks */
  int64_t processors;
  guint number; /**< in the order in which they were found */
  bool tried;
} TgPlanCandidate;

/** One schedule on one grid: what the ranking ranks. */
typedef struct TgPlanGrid {
  int source;
  char text[48];
  double bound_s; /**< least of its candidates */
  bool placed;
  TgPlanPlace place;   /**< best so far */
  TgPlanReject reject; /**< last reason against one of its candidates */
  double proved_bytes; /**< the prover's figure for memory, 0 until asked; of one set of parameters: */
  char *proved_for;
} TgPlanGrid;

typedef struct TgPlanSearch {
  const TgPlanRequest *request;
  const TgPlanSource *sources;
  TgPlan *plan;
  GArray *candidates; /**< TgPlanCandidate */
  GArray *grids;      /**< TgPlanGrid */
  GHashTable *lines;  /**< costs of collectives along a line, by what they depend on */
  double latency_s;   /**< the least of all links … */
  double seconds_per_byte;
  double limit_s; /**< predicted time of the last place; INFINITY while there are fewer */
  double spent_s; /**< of request->work_s */
  bool thin;      /**< a grid was refused because blocks outnumber rows or columns */
  bool exact;     /**< the schedule under way takes a grid of as many processors as asked for */
} TgPlanSearch;

/** The parameters that a grid's extents are, and how many extents each of them is. */
typedef struct TgPlanExtents {
  int count;
  int parameter[TG_MAX_DIMS], power[TG_MAX_DIMS];
  int64_t value[TG_MAX_DIMS];
} TgPlanExtents;

void tg_plan_extents(const TgSchedule *schedule, TgPlanExtents *extents);
/** Finds the grids and candidates of one schedule. */
void tg_plan_find_grids(TgPlanSearch *search, int source);
/** True where the schedule takes the grid of these extents and the sizes; its candidates are then added. */
bool tg_plan_try_grid(TgPlanSearch *search, int source, const TgPlanExtents *extents);
/** Adds the reason against a grid, which is not a candidate. Takes `reason`. */
void tg_plan_reject(TgPlanSearch *search, int source, TgPlanCause cause, const char *grid, char *reason);

/** Counts blocks as tg_schedule_bind() does, without looking at each where the placements are affine. False where the
 * schedule does not bind. `schedule` has its values. */
bool tg_plan_count_blocks(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings);
void tg_plan_find_facts(const TgPlanSearch *search, const TgSchedule *schedule, const TgScheduleNames *names,
                        TgPlanFacts *facts);
/** An empty memory of collectives along lines. */
GHashTable *tg_plan_lines_new(void);
/** No prediction with this collective is below it. */
double tg_plan_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts,
                     TgCollective collective);
/** Tries one candidate: its grid gets a place, or a reason against it. */
void tg_plan_try(TgPlanSearch *search, const TgPlanCandidate *candidate);
/** A reason against one candidate of a grid, which counts unless another one is placed. Takes `reason`; "" is filled in
 * at the end. */
void tg_plan_against(TgPlanGrid *grid, TgPlanCause cause, double time_s, double least_bytes, char *reason);
/** Puts the prover's figures for memory in place of bounds where that is quick. */
void tg_plan_prove(TgPlanSearch *search);

/** About how long the prediction takes, in seconds. */
double tg_plan_work(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts,
                    TgCollective collective);

/** Writes "b=4, h=1" for the parameters that are not extents. Free with g_free(). */
char *tg_plan_parameters_text(const TgSchedule *schedule, const TgScheduleNames *names);

/** Says of each place why it was won. */
void tg_plan_explain(const TgPlanRequest *request, GArray *ranked);

#endif
