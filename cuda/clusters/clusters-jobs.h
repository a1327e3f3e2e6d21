/** @file clusters-jobs.h
 * Which cluster does what: a job is an instance of the schedule in some of the panels of K. As many clusters run at
 * once as are resident; the instances of a last round that would not fill them are divided over K, so that all have
 * something to do, and the parts' sums are added up afterwards, in order. C standard library alone. */
#ifndef TG_CLUSTERS_JOBS_H
#define TG_CLUSTERS_JOBS_H

#include "base.h"

TG_BEGIN_DECLS

typedef struct TgClusterJob {
  int32_t instance;
  int32_t first_panel, panels;
  int32_t partial; /**< which of the partial blocks of C it computes; -1: C itself */
} TgClusterJob;

/** Jobs in the order in which they are started. */
typedef struct TgClusterJobs {
  TgClusterJob *job;
  int64_t count;
  int64_t divided; /**< the instances from this on are divided … */
  int32_t parts;   /**< … into so many; 1: none is */
  int64_t partials;
  int64_t rounds; /**< jobs that follow one another … */
  int64_t passes; /**< … and their panels */
} TgClusterJobs;

/** What a division costs, in panels: each job for its beginning and end, and the last addition once. */
typedef struct TgClusterJobCost {
  double job_panels, addition_panels;
} TgClusterJobCost;

/** Divides instances x panels, `resident` at once: all at least 1. The number of jobs is at most `most`, which is at
 * least the number of instances. False where there is no memory. Job 0 of each instance has the first panels and
 * computes C; the partial blocks of an instance follow each other. */
bool tg_cluster_jobs_init(TgClusterJobs *jobs, int64_t instances, int64_t panels, int64_t resident, int64_t most,
                          TgClusterJobCost cost);
void tg_cluster_jobs_clear(TgClusterJobs *jobs);

TG_END_DECLS

#endif
