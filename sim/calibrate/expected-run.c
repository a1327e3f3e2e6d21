#include "expected-run.h"
#include "expected-plan.h"
#include "sim-error.h"

#include <math.h>
#include <string.h>

/* --- what costs nothing in a pass, and steps that have no time of their own --------------------------------------- */

/** Buffers, a bit each. */
typedef struct TgHolding {
  uint32_t read; /**< holds a block that something has read, or that was sent */
  uint32_t sums; /**< holds sums of products */
} TgHolding;

static void pass_on(uint32_t *bits, uint32_t target, bool set) {
  *bits = set ? *bits | target : *bits & ~target;
}

/* Follows one statement; returns whether it costs something. */
static bool follow(TgHolding *holding, const TgStatement *statement, const TgExecutorTraits *traits,
                   TgTransport transport) {
  const uint32_t source = 1u << statement->source.buffer, target = 1u << statement->target.buffer;
  const bool sum = holding->sums & source, load = transport == TG_TRANSPORT_LOAD;
  if (statement->op == TG_OP_MULTIPLY) {
    holding->read |= source | 1u << statement->other.buffer;
    holding->sums |= target;
    return false;
  }
  const bool travels = tg_op_travels(statement->op);
  const bool fresh = statement->op == TG_OP_MOVE && !(holding->read & source);
  const bool costs = travels && !(sum ? traits->folds : load || (traits->folds && fresh));
  if (costs) holding->read |= source;
  pass_on(&holding->read, target, holding->read & source);
  pass_on(&holding->sums, target, sum);
  return costs;
}

void tg_expected_fold(TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorTraits *traits,
                      TgTransport transport) {
  TgHolding holding = {0};
  TgWalk walk;
  TgError unused;
  bool costs[TG_MAX_STATEMENTS] = {false};
  if (!traits->folds && transport != TG_TRANSPORT_LOAD) return;
  tg_walk_init(&walk, schedule, names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE)
    costs[walk.statement] |= follow(&holding, &schedule->statement[walk.statement], traits, transport);
  for (int s = 0; s < schedule->statements; s++) {
    uint8_t *op = &schedule->statement[s].op;
    if (!costs[s] && tg_op_travels(*op)) *op = TG_OP_COPY;
  }
}

void tg_expected_fold_steps(const int64_t *runs, int64_t steps, double *step_s) {
  int64_t last = -1;
  double left_s = 0;
  for (int64_t s = 0; s < steps; s++)
    if (runs[s] > 0) last = s;
  for (int64_t s = 0; s < steps && last >= 0; s++) {
    left_s += step_s[s];
    step_s[s] = 0;
    if (runs[s] == 0 && s < last) continue;
    step_s[s > last ? last : s] += left_s;
    left_s = 0;
  }
}

void tg_expected_clear(TgExpectedRun *expected) {
  tg_cost_clear(&expected->cost);
  g_clear_pointer(&expected->step_s, g_free);
}

/* Hosts, where the machine has them and a node for each processor. */
static bool make_network(const TgSchedule *schedule, const TgMachine *machine, TgTopology *network, GError **error) {
  char text[TG_TOPOLOGY_TEXT_BYTES];
  TgError reason;
  const long long processors = (long long)tg_schedule_processors(schedule);
  if (tg_topology_parse(network, machine->network, NULL) && network->nodes == processors) return true;
  g_snprintf(text, sizeof text, processors > 1 ? "full:%lld" : "line:%lld", processors);
  if (tg_topology_parse(network, text, &reason)) return true;
  return TG_SIM_FAIL(error, BAD_INPUT, "%s", reason.message);
}

/* Collectives use the executor's algorithms. */
static bool predict(const TgSchedule *schedule, const TgScheduleNames *names, const TgExpectedRun *expected,
                    const TgMachine *machine, TgCost *cost, GError **error) {
  TgCostOptions options = expected->options;
  options.as_executed = true;
  return tg_cost_predict(schedule, names, &expected->shape, &expected->network, TG_ROWMAJOR, machine, &options, cost,
                         error);
}

/* By step of the schedule: the cost has no entry for steps without messages and products. */
static double *spread(const TgCost *cost, int64_t steps, double (*value)(const TgCost *cost, int64_t entry)) {
  double *step_s = g_new0(double, (gsize)MAX(steps, 1));
  for (int64_t e = 0; e < cost->trace.steps; e++) {
    const int64_t s = cost->trace.step[e].index - 1;
    if (s >= 0 && s < steps) step_s[s] += value(cost, e);
  }
  return step_s;
}

static double sum_of_times(const TgCost *cost, int64_t entry) {
  const TgNodeStep *at = &cost->node_step[entry * cost->nodes];
  double sum_s = 0;
  for (int64_t n = 0; n < cost->nodes; n++) sum_s += at[n].end_s - at[n].start_s;
  return sum_s;
}

/* Mean over the nodes that take part, as executors measure it. */
static double time_in_step(const TgCost *cost, int64_t entry) {
  const TgNodeStep *at = &cost->node_step[entry * cost->nodes];
  int64_t took_part = 0;
  for (int64_t n = 0; n < cost->nodes; n++) took_part += at[n].end_s > at[n].start_s;
  return took_part ? sum_of_times(cost, entry) / (double)took_part : 0;
}

/* Mean over all nodes: all have the product that the moves lie beside, and those of several steps add up. */
static double moves_beside(const TgCost *cost, int64_t entry) {
  return sum_of_times(cost, entry) / (double)cost->nodes;
}

/* All nodes' products, one after another. */
static double products_in_turn(const TgCost *cost, int64_t entry) {
  const TgNodeStep *at = &cost->node_step[entry * cost->nodes];
  double sum_s = 0;
  for (int64_t n = 0; n < cost->nodes; n++) sum_s += at[n].products_s;
  return sum_s;
}

static double products_at_most(const TgCost *cost, int64_t entry) {
  return cost->step_compute_s[entry];
}

static double *steps_in_turn(const TgExpectedRun *expected, const TgMachine *machine) {
  double *step_s = spread(&expected->cost, expected->steps, products_in_turn);
  for (int64_t e = 0; e < expected->cost.trace.steps; e++) {
    const TgTraceStep *step = &expected->cost.trace.step[e];
    const double messages = (double)step->messages, bytes = (double)step->bytes;
    if (messages > 0) step_s[step->index - 1] += messages * tg_link_s(&machine->link, bytes / messages);
  }
  return step_s;
}

/* Moves by themselves, as if products took no time, beside the products that come next: the longer of both. */
static double *steps_beside(const TgSchedule *schedule, const TgScheduleNames *names, const TgExpectedRun *expected,
                            const TgMachine *machine, GError **error) {
  TgMachine idle = *machine;
  TgCost cost;
  idle.processor.rate.rows = 0;
  idle.processor.flops_per_s = INFINITY;
  if (!predict(schedule, names, expected, &idle, &cost, error)) return NULL;
  double *step_s = spread(&expected->cost, expected->steps, products_at_most);
  g_autofree double *moves_s = spread(&cost, expected->steps, moves_beside);
  g_autofree int64_t *multiplies = g_new(int64_t, (gsize)MAX(expected->steps, 1));
  for (int64_t s = 0; s < expected->steps; s++) multiplies[s] = step_s[s] > 0;
  tg_expected_fold_steps(multiplies, expected->steps, moves_s);
  for (int64_t s = 0; s < expected->steps; s++) step_s[s] = fmax(step_s[s], moves_s[s]);
  tg_cost_clear(&cost);
  return step_s;
}

static bool find_steps(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorFacts *facts,
                       const TgExecutorTraits *traits, TgTransport transport, const TgMachine *machine,
                       TgExpectedRun *expected, GError **error) {
  if (facts->plan)
    expected->step_s = tg_expected_plan(facts, machine, transport, expected->options.element_bytes, &expected->pass_s);
  else if (traits->overlaps)
    expected->step_s = steps_beside(schedule, names, expected, machine, error);
  else if (facts->at_once)
    expected->step_s = steps_in_turn(expected, machine);
  else
    expected->step_s = spread(&expected->cost, expected->steps, time_in_step);
  return expected->step_s;
}

static void sum_up(const TgExecutorFacts *facts, const TgExecutorTraits *traits, const TgMachine *machine,
                   TgExpectedRun *expected) {
  const TgMachineExecutor *costs = &machine->executor;
  double sum_s = 0;
  for (int64_t s = 0; s < expected->steps; s++) sum_s += expected->step_s[s];
  if (!facts->plan) expected->pass_s = traits->overlaps || facts->at_once ? sum_s : expected->cost.time_s;
  expected->rounds = facts->rounds;
  expected->passes = facts->passes;
  expected->overhead_s =
      costs->launch_s + (double)expected->rounds * costs->round_s + (double)expected->passes * costs->pass_s;
  expected->time_s = expected->overhead_s + (double)expected->passes * expected->pass_s;
}

bool tg_expected_run(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorFacts *facts,
                     const TgExecutorOptions *options, const TgExecutorTraits *traits, const TgMachine *machine,
                     TgExpectedRun *expected, GError **error) {
  g_autofree TgSchedule *folded = g_memdup2(schedule, sizeof *schedule);
  TgMachine at_work = *machine;
  const int64_t *sizes = facts->instance;
  *expected = (TgExpectedRun){.steps = facts->steps,
                              .options = {.model = TG_COST_HOCKNEY,
                                          .collective = options->collective,
                                          .whole = options->collective == TG_COLLECTIVE_WHOLE,
                                          .overlap = traits->overlaps,
                                          .straggler = -1,
                                          .element_bytes = tg_element_bytes(options->element),
                                          .keep_node_steps = true}};
  tg_expected_fold(folded, names, traits, options->transport);
  if (!tg_shape_init(&expected->shape, &schedule->computes, sizes[0], sizes[1], sizes[2], error) ||
      !make_network(schedule, machine, &expected->network, error))
    return false;
  if (facts->at_once) tg_machine_set_at_once(&at_work, (double)facts->at_once);
  TgMachine own = at_work;
  if (expected->network.levels == 1) memset(own.level, 0, sizeof own.level);
  if (!predict(folded, names, expected, &own, &expected->cost, error) ||
      !find_steps(folded, names, facts, traits, options->transport, &at_work, expected, error))
    return false;
  sum_up(facts, traits, &at_work, expected);
  return true;
}
