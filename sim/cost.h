/** @file cost.h
 * Predicted time of a schedule on a machine: every node has a clock of its own, a receive waits for its message, and
 * nothing waits for a step. docs/reference/models.md has the models' equations. */
#ifndef TG_COST_H
#define TG_COST_H

#include "collective.h"
#include "embedding.h"
#include "machine.h"
#include "pipeline.h"
#include "shape.h"
#include "state.h"
#include "trace.h"
#include "watch.h"

TG_BEGIN_DECLS

enum {
  TG_COST_MOST_PIECES = 512, /**< the most that are tried for a pipelined chain */
  TG_COST_CHOICE_MS = 3000,
  TG_COST_FIRST_PART = 5, /**< the first, most promising trial may take this many times the time for a choice */
  TG_COST_BUFFERS = 2,    /**< default of --buffers */
  TG_COST_MOST_BUFFERS = 64,
  TG_COST_MOST_TRANSFERS = 1 << 20 /**< the most of a statement in a choice; their memory is counted beforehand */
};

typedef enum TgCostModel {
  TG_COST_HOCKNEY, /**< latency, hops and bandwidth of a message; links are never shared */
  TG_COST_FORWARD, /**< store and forward: each hop latency and bytes, links serve in order of arrival */
  TG_COST_FLOW,    /**< bytes drain at the max-min fair rate over the links */
  TG_COST_LOGGP,   /**< overhead, gap, latency and gap per byte; no links */
  TG_COST_MODELS
} TgCostModel;

const char *tg_cost_model_name(TgCostModel model);
/** Whether processors receive messages on arrival, by this model on this machine. */
static inline bool tg_cost_receives_on_arrival(TgCostModel model, const TgMachine *machine) {
  return model == TG_COST_LOGGP && machine->port.receives == TG_RECEIVES_ARRIVAL;
}
bool tg_cost_model_parse(const char *text, TgCostModel *model, TgError *error);

/** Memory tiers: what is not in the memory that multiplies. docs/reference/models.md tells what is charged. */
typedef struct TgTierOptions {
  bool used;              /**< false: everything is in that memory, and a product costs its flops alone */
  TgPlace from;           /**< where the blocks of A, B and C are … */
  uint32_t in_memory;     /**< … but for those of these buffers, a bit each: in the processors' memory */
  uint32_t by_rows;       /**< buffers whose blocks lie on the disk row by row; see TgPipelineJob */
  TgProductBlocks blocks; /**< of each local product; all 0: planned … */
  TgProductBlocks unit;   /**< … as in TgPipelineJob */
  bool pipelined;         /**< the stages overlap; otherwise their times add up */
  bool double_c;          /**< as in TgPipelineJob */
} TgTierOptions;

typedef struct TgCostOptions {
  TgCostModel model;
  TgCollective collective; /**< whole is expanded as auto … */
  bool whole;              /**< … unless it stays so: one round, each receiver straight from the owner */
  double choice_s;         /**< about how long the choice may take; 0: TG_COST_CHOICE_MS */
  bool as_executed;        /**< auto means what executors use; otherwise, what makes the run fastest */
  bool overlap;            /**< products overlap with transfers that are independent of them */
  int32_t buffers;         /**< with overlap: places for blocks in a buffer that is refilled; 0: TG_COST_BUFFERS */
  double skew_s;           /**< every node starts at a random time in [0, skew_s) */
  double jitter;           /**< every cost times 1 + a random number in [0, jitter) */
  int64_t straggler;       /**< node whose products take straggler_factor times as long; -1 none */
  double straggler_factor;
  uint64_t seed;
  int64_t element_bytes;
  bool fair_equal;           /**< flow: equal shares of a link, otherwise weighted by 1 / latency of the path */
  TgTierOptions tiers;       /**< with the hockney model alone */
  bool explain;              /**< fill TgCost.parts; not with memory tiers. Takes a second prediction */
  bool keep_node_steps;      /**< fill TgCost.node_step, which takes 56 bytes a node and step … */
  const int32_t *node_group; /**< … or a group of nodes and step: the group of each node, -1 for none; NULL: by node */
  int64_t node_groups;       /**< how many these are */
  double most_s;             /**< a prediction above it is of no interest: it ends with SLOWER; 0: all are */
  const TgWatch *watch;      /**< told the statements begun, and can stop the prediction; NULL: nobody */
} TgCostOptions;

/** Blocks that a refilled buffer can hold at once; 0 where nothing overlaps. */
static inline int32_t tg_cost_places(bool overlap, int32_t buffers) {
  if (!overlap) return 0;
  return buffers ? buffers : TG_COST_BUFFERS;
}

/** Where the time of one node goes: the parts add up to it. What runs behind something else counts as nothing. */
typedef struct TgTimeParts {
  double products_s;
  double additions_s;  /**< of what arrives to what is there */
  double latency_s;    /**< of messages: latencies and hops, and what processors take for them */
  double bytes_s;      /**< … and their bytes over the narrowest link; in store and forward over each link */
  double contention_s; /**< … and what they take longer, because others use the same links or the same receiver */
  double waiting_s;    /**< until the partner is there */
  double skew_s;       /**< before it begins */
} TgTimeParts;

/** A stretch of time in which a node waits. */
typedef struct TgWait {
  double from_s, to_s;
} TgWait;

/** One node in one step. Its products are one after another and end at products_end_s; the rest of the step is
 * communication: transfers that no product hides, and waiting. A product may begin before the node comes to its step:
 * it then runs in that step, too. */
typedef struct TgNodeStep {
  double start_s, end_s; /**< when it enters the step, and when it leaves it */
  double products_end_s; /**< when its last product of the step is done; start_s where it has none */
  double products_s;     /**< time in the step's products */
  double before_s;       /**< of it, before the node came to the step */
  double ahead_s;        /**< time in which products of later steps run in this one … */
  double ahead_end_s;    /**< … and its end */
} TgNodeStep;

/** Time of the step's products while the node is in it. */
static inline double tg_node_step_own_s(const TgNodeStep *step) {
  const double own_s = step->products_s - step->before_s;
  return own_s > 1e-9 * step->products_s ? own_s : 0;
}

/** What the tiers add to a run. By node: NULL without tiers. */
typedef struct TgTierCost {
  TgPipeline product;       /**< one execution of the longest local product … */
  int64_t m, n, k;          /**< … of this size, in elements */
  bool c_stays;             /**< its C stays in memory until the end of the run */
  double *node_read_bytes;  /**< from the node's disk */
  double *node_write_bytes; /**< to it */
  double *node_disk_s;      /**< time that it serves */
} TgTierCost;

/** What a run costs. Free with tg_cost_clear(). */
typedef struct TgCost {
  double time_s;          /**< until the last node is done */
  double compute_s;       /**< of that time, the products of the node that ends last … */
  double communication_s; /**< … and the rest: transfers that no product hides, and waiting */
  int64_t nodes;          /**< of the network */
  int64_t messages;       /**< between different nodes */
  int64_t bytes;
  int64_t hop_bytes;
  int64_t max_link_bytes;       /**< over the busiest link, all steps together */
  double flops;                 /**< of all products together */
  TgTrace trace;                /**< one entry a step; link loads are the totals of all steps, in one row */
  int64_t *step_max_link_bytes; /**< by step: bytes over its busiest link */
  double *step_compute_s;       /**< by step: the most time that one node spends in its products */
  int64_t last_node;            /**< that ends last; of several the last one of those with the most products */
  TgTimeParts *parts;           /**< of the last node, by step (one where there is none); NULL unless `explain` asks */
  GArray *waits;          /**< TgWait: when that node waits for a partner, in order: waiting_s of the parts; or NULL */
  double *node_time_s;    /**< by node: when it is done … */
  double *node_compute_s; /**< … and its time in products */
  TgNodeStep *node_step;  /**< steps x entries, row-major by step; NULL unless kept, and where the model keeps none */
  int64_t node_entries;  /**< nodes; or groups, of which an entry has when the first enters and the last leaves, and
                              the most time that one node spends in products; not when the last of these ends */
  TgTierCost tiers;
  TgSchedule *schedule;   /**< as predicted; if `collective` is TG_COLLECTIVE_AUTO, statements name their algorithms */
  int collective;         /**< TgCollective with which the schedule was predicted */
  int collectives_tried;  /**< sets of algorithms that were predicted for the choice; 0: there was no choice */
  int collectives_left;   /**< sets that were not predicted, because that would take too long */
  int64_t messages_timed; /**< of all predictions, those of other choices included */
  double wall_s;          /**< that this prediction took */
  TgError failure;        /**< where the schedule fails; all that is left where tg_cost_predict() does */
} TgCost;

/** Predicts. The grid of the bound schedule is mapped onto `network` by `embedding`.
 * Errors: BAD_INPUT where the grid, the machine's file and the network do not fit; SCHEDULE where the run fails;
 * STOPPED by the watch; SLOWER where it takes longer than options->most_s with all collectives that were tried:
 * cost->collectives_left says how many were not. */
bool tg_cost_predict(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                     const TgTopology *network, TgEmbeddingKind embedding, const TgMachine *machine,
                     const TgCostOptions *options, TgCost *cost, GError **error);
void tg_cost_clear(TgCost *cost);
/** Predicts again, with the same arguments, where the time of a node other than the last goes: cost->parts and
 * cost->waits are that node's then. Not with memory tiers. Errors: as tg_cost_predict(); then only cost->failure is
 * new. */
bool tg_cost_explain(const TgScheduleNames *names, const TgShape *shape, const TgTopology *network,
                     TgEmbeddingKind embedding, const TgMachine *machine, const TgCostOptions *options, int64_t node,
                     TgCost *cost, GError **error);
/** The sum over all steps of what `explain` asked for. */
TgTimeParts tg_cost_parts(const TgCost *cost);
/** How one statement's collective was predicted. */
typedef struct TgCostCollective {
  const char *op, *buffer; /**< "broadcast", "A" */
  int64_t line;            /**< of the schedule's text, from 1 */
  TgCollective algorithm;
  int64_t pieces; /**< in which a block travels */
} TgCostCollective;

/** Writes the collectives in order of statements, without those along lines of one processor. Returns their number. */
int tg_cost_collectives(const TgCost *cost, const TgScheduleNames *names,
                        TgCostCollective collectives[TG_MAX_STATEMENTS]);
/** The same as text: "A by chain in 16 pieces, B by binomial", or, where all are alike, "chain in 16 pieces". NULL
 * where there are none. Free with g_free(). */
char *tg_cost_collectives_text(const TgCost *cost, const TgScheduleNames *names);

/** Bytes that a prediction takes, about, and on large grids and networks rather more than it will: what
 * tg_state_need_bytes() returns is added where blocks of different sizes are followed by name. */
double tg_cost_need_bytes(const TgSchedule *schedule, const TgScheduleNames *names, const TgTopology *network,
                          const TgMachine *machine, const TgCostOptions *options);

TG_END_DECLS

#endif
