/* Blocks for a product that streams: reads are m k ceil(n/z) + k n ceil(m/x), so x and z should be large and y, which
 * does not appear, as thin as requests and the rate of thin products allow. */
#include "pipeline.h"

#include "sim-error.h"

#include <math.h>

enum { THINNEST = 256 }; /* thinner products lose rate on any machine, whatever its file says */

typedef struct TgPlan {
  const TgMachine *machine;
  TgPipelineJob job;
  TgPipeline best;
  bool found;
} TgPlan;

static bool is_better(const TgPipeline *one, const TgPipeline *other) {
  if (fabs(one->time_s - other->time_s) > 1e-9 * other->time_s) return one->time_s < other->time_s;
  if (one->read_bytes != other->read_bytes) return one->read_bytes < other->read_bytes;
  return one->block_bytes < other->block_bytes;
}

static bool try_blocks(TgPlan *plan, int64_t x, int64_t y, int64_t z) {
  TgPipeline pipeline;
  plan->job.blocks = (TgProductBlocks){x, y, z};
  if (!tg_pipeline_predict(&pipeline, plan->machine, &plan->job, NULL)) return false;
  if (!plan->found || is_better(&pipeline, &plan->best)) plan->best = pipeline;
  plan->found = true;
  return true;
}

static int64_t part_of(int64_t whole, int64_t parts) {
  return (whole + parts - 1) / parts;
}

/* The next number of parts that makes the part smaller: all of them while they are few, then by an eighth. */
static int64_t next_parts(int64_t parts) {
  return parts + MAX(parts / 8, 1);
}

/* The widest z that fits beside x and y. */
static void try_widths(TgPlan *plan, int64_t x, int64_t y) {
  int64_t n = plan->job.n;
  for (int64_t parts = 1; parts <= n; parts = next_parts(parts))
    if (try_blocks(plan, x, y, part_of(n, parts)) || plan->job.c_stays) return;
}

bool tg_pipeline_plan(TgProductBlocks *blocks, const TgMachine *machine, const TgPipelineJob *job, GError **error) {
  TgPlan plan = {.machine = machine, .job = *job};
  for (int64_t rows = 1; rows <= job->m && rows <= 4096; rows = next_parts(rows)) {
    int64_t x = part_of(job->m, rows);
    for (int64_t y = 1; y < job->k; y *= 2)
      if (y >= THINNEST || job->k < THINNEST) try_widths(&plan, x, y);
    try_widths(&plan, x, job->k);
    if (job->c_stays) break;
  }
  plan.job.blocks = (TgProductBlocks){1, 1, 1};
  if (!plan.found && !tg_pipeline_predict(&plan.best, machine, &plan.job, error)) return false;
  *blocks = plan.best.blocks;
  return true;
}
