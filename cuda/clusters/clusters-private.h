/** @file clusters-private.h
 * Inside of the executor `clusters`, shared by clusters.c and clusters-data.c only. */
#ifndef TG_CLUSTERS_PRIVATE_H
#define TG_CLUSTERS_PRIVATE_H

#include "clusters-launch.h"
#include "clusters-planner.h"
#include "device.h"
#include "executor-kind.h"
#include "executors-cuda.h"

/** What is on the device, each at its own address. */
typedef enum TgClustersPart {
  TG_CLUSTERS_PROCESSORS,
  TG_CLUSTERS_OPS,
  TG_CLUSTERS_OPS_OF,
  TG_CLUSTERS_PRODUCTS,
  TG_CLUSTERS_OUTPUTS,
  TG_CLUSTERS_TERMS,
  TG_CLUSTERS_JOBS,
  TG_CLUSTERS_LEFT,
  TG_CLUSTERS_RIGHT, /**< of no bytes where it is the same as the left one */
  TG_CLUSTERS_C,
  TG_CLUSTERS_PARTIALS,
  TG_CLUSTERS_SCRATCH,
  TG_CLUSTERS_TIMES,
  TG_CLUSTERS_STATUS,
  TG_CLUSTERS_PARTS
} TgClustersPart;

typedef struct TgClusters {
  TgExecutor base;
  TgClusterPlan *plan;
  TgDevice device;
  TgClusterVariant variant;
  int32_t variant_number;
  int64_t left_row, right_row; /**< elements from one row to the next */
  int64_t instances_down, instances_across;
  TgClusterJobs jobs;
  void *part[TG_CLUSTERS_PARTS];
  int64_t part_bytes[TG_CLUSTERS_PARTS];
  uint32_t runs;
} TgClusters;

static inline int64_t tg_clusters_element_bytes(const TgClusters *clusters) {
  return tg_element_bytes(clusters->base.options.element);
}

/** Whether op(A)' and op(B) are one and the same. */
bool tg_clusters_shares_operand(const TgSchedule *schedule);
bool tg_clusters_load(TgExecutor *executor, const void *a, const void *b, GError **error);
bool tg_clusters_gather(TgExecutor *executor, void *c, GError **error);
/** Takes the times of the last run from the device and puts them into base.steps. */
bool tg_clusters_take_times(TgClusters *clusters, const TgClusterStatus *status, TgError *reason);

#endif
