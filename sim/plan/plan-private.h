/** @file plan-private.h
 * Private to sim/plan*.c: candidates, their bounds, and the search under way. */
#ifndef TG_PLAN_PRIVATE_H
#define TG_PLAN_PRIVATE_H

#include "plan.h"

#include "interval.h"
#include "slice.h"

/** Of one proof, about; what takes longer is bounded instead. */
enum { TG_PLAN_PROOF_MS = 300 };

/** What follows from the values of a schedule's parameters without a run. */
typedef struct TgPlanFacts {
  bool on_arrival; /* messages are received on arrival: each is an event */
  int64_t processors;
  double idle_nodes;                    /**< of the network */
  double executions[TG_MAX_STATEMENTS]; /**< of a leaf statement: how often it runs, repetitions counted … */
  double moving[TG_MAX_STATEMENTS];     /**< … and the part of the processors that send in it, at least, on average */
  double receiving[TG_MAX_STATEMENTS];  /**< … and that receive in it */
  bool constant[TG_MAX_STATEMENTS];     /**< the same at every repetition */
  double read_low[TG_MAX_STATEMENTS];   /**< elements of the block that the statement reads, at least */
  double elements_low[TG_MAX_BUFFERS];  /**< of a block in the buffer, at least … */
  double elements_high[TG_MAX_BUFFERS]; /**< … and at most */
  double compute_s;                     /**< of the products of the last processor to finish, at least */
  double product_s;                     /**< of one product of the smallest blocks, at least */
  double memory_low_bytes;              /**< no processor needs less … */
  double memory_high_bytes;             /**< … and none more */
  double places_bytes;                  /**< extra memory for overlap, at most; in both figures above */
  bool by_name;                         /**< blocks of several sizes: a prediction has to follow them by name */
  bool unclear;                         /**< … because a statement may read blocks of several matrices */
  bool endless;                         /**< too many statements to count */
  double room_s;                        /**< about how long it takes to allocate the state of a run on names … */
  double proof_s;                       /**< … and how long a whole proof takes */
} TgPlanFacts;

typedef struct TgPlanCandidate {
  int source;
  guint grid; /**< index in TgPlanSearch.grids */
  TgBindings bindings;
  bool has_choice; /**< between algorithms for its collectives */
  double rough_s;  /**< predicted, but some choices were left out, for which there was so much time; or 0 */
  double bound_s;
  double outlook_s; /**< about how long it takes, see plan-outlook.c; INFINITY until that is asked for … */
  double promise_s; /**< … as the estimate had it */
  double work_s;    /**< about how long its prediction takes with one choice, the most promising … */
  double usual_s;   /**< … with the usual algorithms … */
  double screen_s;  /**< … and that of a quicker model, which bounds it; INFINITY where none does */
  double memory_low_bytes, memory_high_bytes, places_bytes, proof_s;
  bool rounded;         /**< its sizes are rounded up to whole blocks for the prediction … */
  double exact_bound_s; /**< … and its bound at the exact ones */
  int64_t processors;
  bool whole;     /**< its product is one product of whole matrices */
  guint number;   /**< in the order in which they were found */
  bool tried;     /**< predicted, or rejected for good */
  bool too_large; /**< its prediction needs more memory than the request allows */
  int embeddings; /**< with which it was predicted, … */
  bool partly;    /**< … which are not all */
  bool screened;  /**< `bound_s` is that of the quicker model */
  double cut_s;   /**< with the embeddings so far it takes more, or a place has its time; 0: neither */
  bool placed;    /**< with one of them it took less than was asked about */
} TgPlanCandidate;

/** One schedule on one grid: what the ranking ranks. */
typedef struct TgPlanGrid {
  int source;
  char text[48];
  bool between; /**< of a number of processors that is tried only because it may be the fastest */
  bool placed;
  bool dropped;        /**< placed, and out of the ranking again */
  TgPlanPlace place;   /**< best so far … */
  guint number;        /**< … and of which candidate */
  TgPlanReject reject; /**< last reason against one of its candidates */
  double proved_bytes; /**< the prover's figure for memory, 0 until asked; of one set of parameters: */
  char *proved_for;
  double bound_s;      /**< after the search: least of the candidates that were not tried */
  bool left;           /**< one of them may have come in, but would have taken too long … */
  guint open;          /**< … so many of them may be quicker than place 1 … */
  double open_bound_s; /**< … with this bound at least */
} TgPlanGrid;

/** What earlier predictions say of a schedule's others. */
typedef struct TgPlanPace {
  double took_s, thought_s; /**< time of predictions, measured and estimated, each with one choice of collectives */
  double beyond;            /**< predicted time of the last over what it promised … */
  double counted;           /**< … and what of it the outlooks have already, see tg_plan_count_beyond() */
} TgPlanPace;

typedef struct TgPlanSearch {
  const TgPlanRequest *request;
  const TgPlanSource *sources;
  int source_count;
  double *fastest_s; /**< by schedule: its quickest place so far */
  TgPlanPace *pace;  /**< by schedule */
  TgPlan *plan;
  GArray *candidates; /**< TgPlanCandidate */
  GArray *grids;      /**< TgPlanGrid */
  double latency_s;   /**< the least of all links … */
  double seconds_per_byte;
  double limit_s;  /**< predicted time of the last place, of the second at least; INFINITY while there are fewer */
  double best_s;   /**< … and of the first */
  double left_s;   /**< after the search: least bound of what was left for the time that it would take */
  double unseen_s; /**< lower bound on the grids that were not looked at */
  int64_t begin_us, until_us; /**< of the search, and of its present part, … */
  double part;                /**< … which ends when this fraction of the budget has gone */
  bool ended;                 /**< by the watch of the request */
  TgWatch watch;              /**< ends what is under way where the part's time is up */
  bool for_first;             /**< looks for place 1: what cannot be faster than the best is not predicted */
  bool between;               /**< grids of all numbers of processors are being looked for, see TgPlanGrid … */
  GHashTable *seen;           /**< … but for these */
  bool first_only;            /**< with the first embedding, and not much longer than thought, for the time being */
  bool patient;               /**< … but as long as there is time */
  double choice_s;            /**< that choosing the collectives of a candidate may take now */
  bool exact;                 /**< the schedule under way takes a grid of as many processors as asked for */
} TgPlanSearch;

/** The parameters that a grid's extents are, and how many extents each of them is. */
typedef struct TgPlanExtents {
  int count;
  int parameter[TG_MAX_DIMS], power[TG_MAX_DIMS];
  int64_t value[TG_MAX_DIMS];
  int64_t promising[TG_MAX_DIMS]; /**< values of the schedule's most promising grid, while others like it are sought */
} TgPlanExtents;

/** Whether the request makes sense. Errors: BAD_INPUT, with what is wrong. */
bool tg_plan_check_request(const TgPlanRequest *request, GError **error);

/** A prediction that is ended for lack of time is lost, and how long it takes is known but roughly. */
static const double tg_plan_cautious = 1.25;

static inline TgPlanCandidate *candidate_at(const TgPlanSearch *search, guint number) {
  return &g_array_index(search->candidates, TgPlanCandidate, number);
}

/** Sets the times of the places, which other candidates have to beat. */
void tg_plan_find_limits(TgPlanSearch *search);
/** Puts the most promising candidates first. */
void tg_plan_sort_promising(TgPlanSearch *search);
/** Predicts at the exact sizes what was rounded: the places first, then what may be faster than place 1. */
void tg_plan_search_exactly(TgPlanSearch *search);
/** After the search: counts the candidate if it was predicted only at rounded sizes, and may be faster than place 1 or
 * is place 1. Those that are open count there. */
void tg_plan_note_rounded(TgPlanSearch *search, const TgPlanCandidate *candidate);
/** Begins a part that ends when the fraction `part` of the budget has gone, or later where earlier ones took too long.
 */
void tg_plan_begin_part(TgPlanSearch *search, double part);
/** Whether it is A * B. */
bool tg_plan_is_product(const TgComputes *computes);
/** Finds the least latency and the largest bandwidth of a link. */
void tg_plan_find_best_link(TgPlanSearch *search);
/** Finds the candidates of all `count` schedules. */
void tg_plan_find_candidates(TgPlanSearch *search, int count);
/** How many extents of the grid can be chosen. */
int tg_plan_free_extents(const TgSchedule *schedule);
/** Finds the grids and candidates of one schedule: of as many processors as asked for, half as many and so on. */
void tg_plan_find_grids(TgPlanSearch *search, int source);
/** Finds those of `count` schedules and all other numbers of processors that may be faster than the best. */
void tg_plan_find_between(TgPlanSearch *search, const int *source, int count);
/** The set of grids that have been looked at, for TgPlanSearch.seen. */
GHashTable *tg_plan_seen_new(void);
/** Seconds left of the present part of the search. */
double tg_plan_left_s(const TgPlanSearch *search);
/** No product on so many processors takes less. */
double tg_plan_least_s(const TgPlanRequest *request, int64_t processors);
/** Adds the reason against a grid, which is not a candidate. Takes `reason`. */
void tg_plan_reject(TgPlanSearch *search, int source, TgPlanCause cause, const char *grid, char *reason);

/** Counts blocks as tg_schedule_bind() does, without looking at each where the placements are affine. False where the
 * schedule does not bind. `schedule` has its values. */
bool tg_plan_count_blocks(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings);
/** `names` may be NULL: it is quicker, and bounds are lower where a buffer holds several matrices in turn. */
void tg_plan_find_facts(const TgPlanRequest *request, const TgSchedule *schedule, const TgScheduleNames *names,
                        TgPlanFacts *facts);
/** No prediction is below it, whatever algorithms its collectives take. */
double tg_plan_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts);
/** Tries one candidate: its grid gets a place, or a reason against it; or the bound that a quicker model gives rules it
 * out. */
void tg_plan_try(TgPlanSearch *search, TgPlanCandidate *candidate);
/** Finds whether predicting an untried candidate takes too much memory. */
void tg_plan_check_room(TgPlanSearch *search, TgPlanCandidate *candidate);
/** The request with its sizes rounded up by tg_whole_blocks(). */
TgPlanRequest tg_plan_whole_blocks(const TgPlanRequest *request, const TgSchedule *schedule);
/** Finds the candidate's outlook. What takes long to predict has to promise a little more. */
void tg_plan_look_out(const TgPlanSearch *search, TgPlanCandidate *candidate);
/** Lets outlooks know how far off those of their schedules were. True where that may change their order. */
bool tg_plan_count_beyond(TgPlanSearch *search);
/** True where a quicker model bounds the one that is asked for. */
bool tg_plan_has_screen(const TgPlanRequest *request);

/** The network for the bound schedule. False where no network of the kind asked for has so many nodes. */
bool tg_plan_network(const TgPlanRequest *request, const TgSchedule *schedule, TgTopology *network, TgError *error);
/** The network that is asked for, or one of the kind that has each axis that a grid's can have. */
TgTopology tg_plan_any_network(const TgPlanRequest *request);
/** Kinds that map the grid onto the network differently and make a difference; row-major is always the first. */
int tg_plan_embeddings(const TgPlanRequest *request, const TgSchedule *schedule, const TgTopology *network,
                       TgEmbeddingKind kinds[TG_EMBEDDING_KINDS]);
/** As many processors as asked for, or the most below that a network of the kind can have. */
int64_t tg_plan_processors(const TgPlanRequest *request);

/** A reason against one candidate of a grid, which counts unless another one is placed. Takes `reason`. */
void tg_plan_against(TgPlanGrid *grid, TgPlanCause cause, double least_bytes, char *reason);
/** Puts the prover's figures for memory in place of bounds where that is quick. */
void tg_plan_prove(TgPlanSearch *search);

/** What one execution of a statement takes to predict. */
typedef struct TgPlanTravel {
  double transfers, rounds, lines;
  double different; /**< transfers that are not those of the round before, at its first execution */
  double hops;      /**< of a message, on average; 0 not known */
} TgPlanTravel;

/** About how long the prediction of the model takes with one choice of collectives, in seconds. `travel`: of each
 * statement that sends; NULL: with usual algorithms, and it is not known how far. `slices`: of the nodes that run;
 * NULL: all of them. */
double tg_plan_work(const TgSchedule *schedule, const TgPlanFacts *facts, TgCostModel model,
                    const TgPlanTravel travel[TG_MAX_STATEMENTS], const TgSlices *slices);
/** Whether there is more than one such choice. */
bool tg_plan_has_choice(const TgSchedule *schedule, const TgPlanFacts *facts);
/** About how long a prediction takes with one choice; where there is little time, that is a quicker choice. */
double tg_plan_once_s(const TgPlanSearch *search, const TgPlanCandidate *candidate);
/** The candidate's work as corrected by earlier predictions of its schedule, and that of choosing its collectives. */
double tg_plan_work_now(const TgPlanSearch *search, const TgPlanCandidate *candidate);

/** Writes "b=4, h=1" for the parameters that are not extents. Free with g_free(). */
char *tg_plan_parameters_text(const TgSchedule *schedule, const TgScheduleNames *names);

/** After the search: fills the plan's ranking and its list of rejected grids. */
void tg_plan_rank(TgPlanSearch *search);
/** Frees what the place holds. */
void tg_plan_place_clear(TgPlanPlace *place);
/** Says of each of the first places why it was won. */
void tg_plan_explain(const TgPlanSearch *search, GArray *ranked);

#endif
