#include "clusters-jobs.h"

#include <stdlib.h>

static int64_t parts_of(int64_t size, int64_t part) {
  return size / part + (size % part != 0);
}

/* The quickest division of the last instances; the fewest parts of equal ones. */
static void choose(TgClusterJobs *jobs, int64_t instances, int64_t panels, int64_t resident, int64_t most,
                   TgClusterJobCost cost) {
  const int64_t whole = instances / resident, tail = instances - whole * resident;
  jobs->divided = instances;
  jobs->parts = 1;
  jobs->rounds = parts_of(instances, resident);
  jobs->passes = jobs->rounds * panels;
  if (tail == 0) return;
  double best = (double)panels + cost.job_panels;
  for (int64_t parts = 2; parts <= panels && parts <= 2 * resident && instances - tail + tail * parts <= most;
       parts++) {
    const int64_t turns = parts_of(tail * parts, resident), each = parts_of(panels, parts);
    const double time = (double)turns * ((double)each + cost.job_panels) + cost.addition_panels;
    if (!(time < best)) continue; /* where the last parts would have nothing to do, fewer cost less */
    best = time;
    jobs->divided = instances - tail;
    jobs->parts = (int32_t)parts;
    jobs->rounds = whole + turns;
    jobs->passes = whole * panels + turns * each;
  }
}

static void add_instance(TgClusterJobs *jobs, int64_t instance, int64_t panels, int64_t parts) {
  const int64_t each = parts_of(panels, parts);
  for (int64_t part = 0; part < parts; part++) {
    const int64_t left = panels - part * each;
    jobs->job[jobs->count++] = (TgClusterJob){.instance = (int32_t)instance,
                                              .first_panel = (int32_t)(part * each),
                                              .panels = (int32_t)(left < each ? left : each),
                                              .partial = part ? (int32_t)jobs->partials++ : -1};
  }
}

bool tg_cluster_jobs_init(TgClusterJobs *jobs, int64_t instances, int64_t panels, int64_t resident, int64_t most,
                          TgClusterJobCost cost) {
  *jobs = (TgClusterJobs){0};
  choose(jobs, instances, panels, resident, most, cost);
  jobs->job = calloc((size_t)(jobs->divided + (instances - jobs->divided) * jobs->parts), sizeof *jobs->job);
  if (!jobs->job) return false;
  for (int64_t i = 0; i < instances; i++) add_instance(jobs, i, panels, i < jobs->divided ? 1 : jobs->parts);
  return true;
}

void tg_cluster_jobs_clear(TgClusterJobs *jobs) {
  free(jobs->job);
  jobs->job = NULL;
}
