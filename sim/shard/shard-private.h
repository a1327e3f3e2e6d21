/** @file shard-private.h
 * Shared by the files of this room. */
#ifndef TG_SHARD_PRIVATE_H
#define TG_SHARD_PRIVATE_H

#include "shard.h"

/** What takes a matrix from one sharding to the next. */
typedef enum TgShardMove {
  TG_SHARD_NONE,
  TG_SHARD_SLICE,     /**< each processor goes on with its part of what it has: nothing is sent */
  TG_SHARD_GATHER,    /**< allgather: the minor axis of a dimension goes away */
  TG_SHARD_EXCHANGE,  /**< alltoall: it goes over to the other dimension */
  TG_SHARD_SCATTER,   /**< reducescatter: a sum becomes complete, and its axis shares a dimension */
  TG_SHARD_BROADCAST, /**< another axis of the same extent takes its place */
  TG_SHARD_PERMUTE    /**< the same blocks on other processors */
} TgShardMove;

typedef struct TgShardStep {
  TgShardMove move;
  int dim, axis, other; /**< GATHER, EXCHANGE: the axis leaves `dim`; SLICE, SCATTER: it comes to it; BROADCAST: `other`
                             takes its place */
  TgSharding before, after;
} TgShardStep;

enum { TG_SHARD_MOST_STEPS = 16 };

typedef struct TgShardPath {
  int count;
  TgShardStep step[TG_SHARD_MOST_STEPS];
  double share; /**< of the matrix, received by a processor */
} TgShardPath;

/** Which matrix goes from processor to processor beside the products, in place of the last gather of A or B or the
 * first scatter of C. TG_MATRICES: none. */
typedef struct TgShardCandidate {
  TgShardAxes products[TG_SHARD_DIMS];
  TgShardPath path[TG_MATRICES];
  int ring;
  double estimate_s;
} TgShardCandidate;

/** What dimension 0 or 1 of a matrix is. */
TgShardDim tg_shard_dim_of(TgMatrixName matrix, int dim);
/** Processors along these axes together. */
int64_t tg_shard_extent(const TgShardProblem *problem, const TgShardAxes *axes);
/** Bit for each axis that shares a dimension. */
unsigned tg_shard_used(const TgSharding *sharding);

/** All ways that receive least from `from` to every other sharding, or from every other to `from`. */
typedef struct TgShardPaths TgShardPaths;
TgShardPaths *tg_shard_paths_new(const TgShardProblem *problem, const TgSharding *from, bool backwards);
void tg_shard_paths_free(TgShardPaths *paths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgShardPaths, tg_shard_paths_free)
void tg_shard_paths_to(const TgShardPaths *paths, const TgSharding *to, TgShardPath *path);

/** "I over x, J over y", and "allgather A along y", in order. Free with g_free(). */
char *tg_shard_split(const TgShardProblem *problem, const TgShardCandidate *candidate);
char *tg_shard_words(const TgShardProblem *problem, const TgShardCandidate *candidate);
/** The schedule's text, named `name`. Free with g_free(). */
char *tg_shard_schedule(const TgShardProblem *problem, const TgShardCandidate *candidate, const char *name);

#endif
