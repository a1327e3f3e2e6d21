/* The size that holds an efficiency. */
#include "sweep.h"

#include "prove.h"

#include <math.h>

static const int64_t most_n = INT64_C(1) << 28; /* nobody's matrices; 2^59 elements are the limit of a shape */

typedef struct TgSearch {
  const TgSimRun *run;
  double efficiency;
  int64_t unit; /* sizes are multiples of it, so that blocks are alike */
  int64_t workers;
  GError *error;
  TgError failure; /* … of the schedule, where it is that */
} TgSearch;

/* Whether `units` suffice; false with `error` set where a prediction fails. */
static bool suffices(TgSearch *search, int64_t units) {
  TgShape shape;
  TgCost cost = {0};
  const int64_t n = units * search->unit;
  if (!tg_shape_init(&shape, &search->run->problem.schedule.computes, n, n, n, &search->error) ||
      !tg_sim_cost(search->run, &shape, &search->run->options, &cost, &search->error)) {
    search->failure = cost.failure;
    return false;
  }
  const double serial_s = tg_sim_serial_s(search->run, &shape);
  const bool enough = serial_s >= search->efficiency * (double)search->workers * cost.time_s;
  tg_cost_clear(&cost);
  return enough;
}

TgExit tg_sweep_find_size(const TgCli *cli, const TgSimRun *run, double efficiency, int64_t *n, char **reason) {
  TgSearch search = {.run = run, .efficiency = efficiency};
  TgShape shape;
  TgError endless = {0};
  const int64_t processors = tg_schedule_processors(&run->problem.schedule);
  search.workers = MIN(processors, run->network.nodes);
  tg_proof_sizes(&run->problem.schedule, &shape.m, &search.unit, &shape.k);
  if (!tg_walk_ends(&run->problem.schedule, &run->problem.names, &endless))
    return tg_problem_report(cli, &run->problem, &endless);
  shape.m = shape.n = shape.k = 1;
  if (isnan(tg_sim_serial_s(run, &shape))) {
    *reason = g_strdup_printf("%s has no efficiency: its products take no time on %s", tg_problem_name(&run->problem),
                              run->machine.name);
    return TG_EXIT_DONE;
  }
  int64_t enough = 1, less = 0;
  while (enough * search.unit <= most_n && !suffices(&search, enough) && !search.error) {
    less = enough;
    enough *= 2;
  }
  if (search.error) return tg_sim_failed(cli, run, &search.failure, search.error);
  if (enough * search.unit > most_n) {
    *reason = g_strdup_printf("%s on %" PRId64 " processors stays below an efficiency of %g up to n = %" PRId64,
                              tg_problem_name(&run->problem), processors, efficiency, less * search.unit);
    return TG_EXIT_DONE;
  }
  while (!search.error && enough - less > 1) {
    const int64_t middle = less + (enough - less) / 2;
    *(suffices(&search, middle) ? &enough : &less) = middle;
  }
  *n = enough * search.unit;
  if (search.error) return tg_sim_failed(cli, run, &search.failure, search.error);
  return TG_EXIT_DONE;
}
