/** @file clusters-plan.h
 * A bound schedule as streams for thread-block clusters. A processor is a block of a cluster; a slot is a tile of
 * shared memory with two mbarriers. A processor executes products one after another, by most of its warps; three more
 * threads have the copy engine fill slots, send, and confirm what has come. Their operations belong to products, so
 * that panels count for them too; they need not wait for these products, only for what an operation waits for.
 *
 * A problem larger than the schedule is tiled around it. An instance of the schedule, on a cluster of its own, computes
 * a tile of C of (block rows of C) x (block columns of C) tiles; along k it runs once for every panel of `inner` tiles,
 * and the products of all panels are summed up where they are made. What the schedule does with sums (moves, adds,
 * reduces them) is linear, so it is done once, at the end: then every block of C is the sum of certain processors'
 * sums. Folded into the loads is a move of a block that was used nowhere before: it is loaded where it goes.
 *
 *                       slot s of processor p, filling after filling
 *
 *    filler of p      wait free -> arm full (bytes); to receive: invite the sender, arrive at its ready
 *    copy engine                               fill from memory (LOAD) or from another block's slot (SEND) -> full
 *    warps of p                                                          wait full -> multiply -> arrive at free
 *    sender of p                                                         wait full, wait ready -> SEND to q
 *    confirmer of q   wait full of the slot that it came to -> arrive at p's free, and at its own
 *
 * A filling ends when all its readers have arrived at `free`: every warp for every product, every receiver for the
 * block sent to it, and for a block received who confirms it. `free` has one number of arrivals per slot; fillings with
 * fewer readers get the rest (`spare`) when they are armed.
 *
 * No schedule deadlocks. Everything has an order, that of the schedule as a single processor would execute it, panel
 * after panel; what fills a slot has the order of the last thing that it waits for. Warps, filler, sender and confirmer
 * of each processor execute in that order, and every wait is for something of a lower one, so the lowest unfinished
 * thing can always go on.
 *
 * A barrier tells a phase from the one before it, no more. The filler sees every phase of `free`, the warps see every
 * phase of `full` in the slots that they read; sender and confirmer do not, so the filler writes down which filling of
 * a slot it has armed, and they wait for that first.
 *
 * The plan holds `unit` panels, so that fillings go round all slots; parities of later units follow from `odd`. */
#ifndef TG_CLUSTERS_PLAN_H
#define TG_CLUSTERS_PLAN_H

#include "base.h"

TG_BEGIN_DECLS

enum {
  TG_CLUSTER_MOST = 16,       /**< processors; more than 8 are not portable */
  TG_CLUSTER_SLOTS = 30,      /**< of a processor, at most */
  TG_CLUSTER_CHANNELS = 64,   /**< pairs of a receiver and its slot that a processor sends to, at most */
  TG_CLUSTER_UNIT = 6,        /**< panels of a plan, at most */
  TG_CLUSTER_WORDS = 1600,    /**< products of a plan, at most, over all processors */
  TG_CLUSTER_FILLINGS = 4096, /**< of a slot in a unit, at most */
  TG_CLUSTER_STEPS = 16383    /**< of the schedule, at most */
};

typedef enum TgStreamOperation {
  TG_STREAM_LOAD,    /**< fill the slot from the device's memory */
  TG_STREAM_RECEIVE, /**< have the slot filled by `peer` */
  TG_STREAM_SEND,    /**< fill `peer_slot` of `peer` from the slot */
  TG_STREAM_CONFIRM  /**< tell `peer` that its block has come: its slot `peer_slot` has one reader less */
} TgStreamOperation;

typedef enum TgStreamRole { TG_ROLE_LEFT, TG_ROLE_RIGHT, TG_ROLES } TgStreamRole;

/** One operation. */
typedef struct TgStreamOp {
  uint8_t operation; /**< TgStreamOperation */
  uint8_t slot;
  uint8_t parity; /**< of the filling, in units of an even number … */
  uint8_t odd;    /**< … 1: the other one in units of an odd number */
  uint8_t role;   /**< load: TgStreamRole */
  uint8_t peer, peer_slot;
  uint8_t channel; /**< send: of this processor; receive: of the peer */
  uint8_t channel_parity, channel_odd;
  uint8_t ahead;    /**< panels from that of the product, at which it is executed, to its own */
  uint8_t wraps;    /**< 1: its own is in the next unit */
  uint16_t spare;   /**< load, receive: arrivals at `free` beyond those of its readers */
  uint16_t filling; /**< number of the slot's filling among those of a unit */
  int16_t across;   /**< load: block along m (left) or n (right) within the instance */
  int16_t inner;    /**< load: block along k within the panel */
  int32_t step;     /**< of the schedule, from 1 */
} TgStreamOp;

enum {
  TG_PRODUCT_FETCH = 1, /**< its sum is another one than the product's before it: fetch it … */
  TG_PRODUCT_FIRST = 2, /**< … but begin with zero in the first panel: it is the sum's first product */
  TG_PRODUCT_STORE = 4, /**< the next product's sum is another one: store it */
  TG_PRODUCT_NONE = 8   /**< no product: a processor without any has its operations at one in every panel */
};

/** One product. */
typedef struct TgStreamProduct {
  uint8_t slot[TG_ROLES], parity[TG_ROLES], odd[TG_ROLES];
  uint8_t flags; /**< TG_PRODUCT_… */
  uint8_t ops;   /**< operations that belong to it: the next ones of the stream */
  uint8_t unused[2];
  int32_t sum; /**< number of the processor's sum */
  int32_t step;
} TgStreamProduct;

/** A processor's sum that is a term of a block of C. */
typedef struct TgStreamTerm {
  int32_t processor, sum;
} TgStreamTerm;

/** A block of C: its terms are term[first] to term[first + terms - 1]. */
typedef struct TgStreamOutput {
  int32_t processor; /**< on which C is placed */
  int32_t row, column;
  int32_t first, terms;
  int32_t unused;
} TgStreamOutput;

/** What a processor is told in addition to its streams. */
typedef struct TgStreamProcessor {
  int32_t op_first, begin_ops, ops; /**< operations before the first product of all, and then those of a unit */
  int32_t product_first, products;  /**< of a panel; those of a unit follow one another */
  int32_t output_first, outputs;    /**< blocks of C placed on it */
  int32_t share, shares;            /**< where all have one sum: which part of its output it adds up, of how many … */
  int32_t shared_output;            /**< … and of which output; -1 where its sum is none's term */
  int32_t sums;                     /**< that it has */
  int32_t channels;                 /**< that it sends to */
  uint16_t arrivals[TG_CLUSTER_SLOTS]; /**< at `free` of each slot; 0: the slot is not used */
} TgStreamProcessor;

/** All of it. Free with tg_cluster_plan_free(). */
typedef struct TgClusterPlan {
  int32_t processors, unit, slots, channels;
  int32_t warps;         /**< that multiply on a processor: each arrives once for each tile that it has read */
  int32_t inner;         /**< tiles of a panel along k */
  int32_t rows, columns; /**< blocks of C in an instance */
  int32_t sums;          /**< of the processor that has most */
  int32_t steps;
  int32_t live;         /**< slots that are needed at least */
  int32_t sends, loads; /**< in a panel, over all processors */
  int64_t ops, products, outputs, terms;
  TgStreamProcessor *processor;
  TgStreamOp *op;
  TgStreamProduct *product;
  TgStreamOutput *output;
  TgStreamTerm *term;
} TgClusterPlan;

TG_END_DECLS

#endif
