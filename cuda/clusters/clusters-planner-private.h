/** @file clusters-planner-private.h
 * Inside of the planner of clusters: the schedule followed block by block, then placed in slots. */
#ifndef TG_CLUSTERS_PLANNER_PRIVATE_H
#define TG_CLUSTERS_PLANNER_PRIVATE_H

#include "blocks-planner.h"
#include "clusters-planner.h"
#include "executor-kind.h"

/** A block of A or B on a processor: placed there, or a copy of one elsewhere. */
typedef struct TgTile {
  int32_t owner;
  int32_t matrix, row, column;
  int32_t from; /**< the tile it is a copy of; -1: it was placed */
  int32_t statement, step;
  int64_t order;          /**< of the instruction that copies it */
  bool needed[TG_ROLES];  /**< for a product whose sum gets into C, or for a copy that is */
  bool loaded[TG_ROLES];  /**< comes from the device's memory */
  int32_t uses[TG_ROLES]; /**< products and needed copies */
} TgTile;

/** A sum that products of one processor are added to. */
typedef struct TgFollowedSum {
  int32_t processor;
  int32_t number; /**< of the processor's sums */
  bool frozen;    /**< other blocks hold it as it is now: further products need a new one */
  bool live;      /**< a term of C */
} TgFollowedSum;

typedef struct TgFollowedProduct {
  int32_t processor, tile[TG_ROLES], sum, step;
  int64_t order;
} TgFollowedProduct;

/** A block of C: the sums that it is made of are `sums[first]` on. */
typedef struct TgFollowedOutput {
  int32_t processor, row, column;
  GArray *sums; /**< int32_t */
} TgFollowedOutput;

/** What became of every block. */
typedef struct TgFollowed {
  const TgSchedule *schedule;
  const TgExecutorOptions *options;
  const TgBlocksPlan *plan;
  GArray *tiles;    /**< TgTile */
  GArray *sums;     /**< TgFollowedSum */
  GArray *products; /**< TgFollowedProduct */
  GArray *outputs;  /**< TgFollowedOutput */
} TgFollowed;

static inline TgTile *tg_followed_tile(const TgFollowed *followed, int32_t tile) {
  return &g_array_index(followed->tiles, TgTile, tile);
}

/** Lays the tiles into `slots` slots and writes the streams. */
TgClusterPlan *tg_cluster_streams_new(const TgFollowed *followed, int32_t slots, int32_t warps, GError **error);

#endif
