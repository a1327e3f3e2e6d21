/** @file shard.h
 * From a sharding to schedules: A[I:x,K] * B[K,J:y] -> C[I:x,J:y] on a mesh x=4,y=2. Each plan says which mesh axes
 * share the rows, the columns and the inner dimension of the products, and by which collectives blocks get from where
 * they are given to where they are needed; its schedule is a text as any other. docs/guide/shard.md explains them. */
#ifndef TG_SHARD_H
#define TG_SHARD_H

#include "cost.h"
#include "machine.h"
#include "prove.h"
#include "schedule.h"

#include <glib.h>

TG_BEGIN_DECLS

/** The dimensions of a product: C is I x J, with inner dimension K. */
typedef enum TgShardDim { TG_SHARD_I, TG_SHARD_J, TG_SHARD_K, TG_SHARD_DIMS } TgShardDim;

/** Mesh axes that share one dimension of a matrix, from the major one to the minor one. */
typedef struct TgShardAxes {
  int8_t count;
  int8_t axis[TG_MAX_DIMS]; /**< 0 beyond `count` */
} TgShardAxes;

/** How a matrix is shared out: its rows and its columns. It is replicated over all other axes, but that over those of
 * `partial` (a bit each) every processor has one term of a sum. */
typedef struct TgSharding {
  TgShardAxes dim[2];
  uint8_t partial;
} TgSharding;

typedef struct TgShardProblem {
  int32_t axes;
  char axis[TG_MAX_DIMS][TG_NAME_LENGTH];
  int32_t extent[TG_MAX_DIMS];
  char dim[TG_SHARD_DIMS][TG_NAME_LENGTH]; /**< as the expression names them */
  TgSharding matrix[TG_MATRICES];
} TgShardProblem;

/** Reads "x=4,y=2". Errors: BAD_INPUT. */
bool tg_shard_mesh_parse(TgShardProblem *problem, const char *text, GError **error);
/** Reads "A[I:x,K] * B[K,J:y] -> C[I:x,J:y]", in which an axis may also follow an underscore (I_x, I_{xy}), or
 * "A(Shard(0), Replicate()) * B(…) -> C(…)", with a placement for each mesh axis. The mesh must have been read.
 * Errors: BAD_INPUT, also where no schedule can compute what is asked for; the message says why. */
bool tg_shard_parse(TgShardProblem *problem, const char *text, GError **error);
/** "A[I:x,K] * B[K,J:y] -> C[I:x,J:y]". Free with g_free(). */
char *tg_shard_text(const TgShardProblem *problem);

/** A way to do it. */
typedef struct TgShardPlan {
  char *split;         /**< "I over x, J over y" */
  char *collectives;   /**< "allgather A along y, reducescatter C along x"; "none" */
  char *text;          /**< the schedule */
  TgSchedule schedule; /**< bound */
  TgScheduleNames names;
  TgProof proof; /**< with whole collectives */
  TgCost cost;   /**< predicted */
} TgShardPlan;

typedef struct TgShardRequest {
  int64_t m, n, k;
  int64_t element_bytes;
  const TgMachine *machine;
  const TgTopology *network;
  TgCostOptions options;
  double limit_bytes;   /**< memory that a proof or a prediction may take; 0: no limit */
  double budget_s;      /**< for all proofs and predictions together */
  const TgWatch *watch; /**< told the plans that are done; NULL: nobody */
} TgShardRequest;

typedef struct TgShardPlans {
  GPtrArray *plan;    /**< TgShardPlan, the fastest first */
  int32_t considered; /**< plans that were written */
  int32_t too_long;   /**< of them, those whose text is beyond the limits of the language … */
  TgError refused;    /**< … as the parser says of the last of them … */
  int32_t too_slow;   /**< … those that were not predicted within budget_s … */
  int32_t too_large;  /**< … and those beyond limit_bytes */
} TgShardPlans;

void tg_shard_plans_clear(TgShardPlans *plans);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgShardPlans, tg_shard_plans_clear)

/** Finds plans, proves and predicts them. Errors: BAD_INPUT where the network does not fit; STOPPED by the watch;
 * SCHEDULE where a proof fails, which would be a mistake here. */
bool tg_shard_plan(const TgShardProblem *problem, const TgShardRequest *request, TgShardPlans *plans, GError **error);

TG_END_DECLS

#endif
