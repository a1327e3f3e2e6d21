/* What a prediction takes, before it begins. */
#include "cost.h"

#include <math.h>

enum {
  TRANSFER = 48,        /* bytes of a transfer: its ends, size and time, in arrays that grow by doubling */
  LOOKED_AT = 1 << 22,  /* transfers of a line that are counted one by one; beyond, everyone sends to everyone */
  AHEAD = 256 * 1 << 20 /* bytes of stages that forward and flow know ahead; see program-stages.c */
};

/* By TgCostModel: bytes of a node, of a link, and of a node for each hop that a message may have to go, as measured for
 * large grids and rounded up. */
static const struct {
  double node, link, hop;
  bool looks_ahead;
} models[TG_COST_MODELS] = {
    [TG_COST_HOCKNEY] = {120, 40, 0, false},
    [TG_COST_FORWARD] = {400, 70, 0, true},
    [TG_COST_FLOW] = {500, 140, 10, true},
    [TG_COST_LOGGP] = {160, 40, 0, false},
};

/* Of one execution of a statement, on all processors: transfers, and rounds. */
typedef struct Work {
  double transfers, rounds;
} Work;

static Work work_of_line(int op, TgCollective collective, int32_t length) {
  TgRounds rounds;
  TgTransfer transfer, last = {.round = -1};
  tg_rounds_init(&rounds, (TgOp)op, collective, length, 0, 0);
  Work work = {.rounds = tg_rounds_count(&rounds)};
  for (int64_t looked = 0; tg_rounds_next(&rounds, &transfer); looked++) {
    if (looked == LOOKED_AT) return (Work){(double)length * length, work.rounds};
    work.transfers += transfer.round != last.round || transfer.from != last.from || transfer.to != last.to;
    last = transfer;
  }
  return work;
}

static Work work_of(const TgSchedule *schedule, const TgStatement *statement, const TgCostOptions *options) {
  const double processors = (double)tg_schedule_processors(schedule);
  if (!tg_op_is_collective(statement->op)) return (Work){processors, 1};
  const bool expanded = !options->whole && options->collective == TG_COLLECTIVE_WHOLE;
  const TgCollective collective = expanded ? TG_COLLECTIVE_AUTO : options->collective;
  const int32_t length = schedule->extent[statement->axis];
  const Work line = work_of_line(statement->op, collective, length);
  return (Work){line.transfers * processors / length, fmax(line.rounds, 1)};
}

/* The run, statement by statement. */
typedef struct Run {
  double stage[TG_MAX_STATEMENTS];    /**< bytes of a stage of it that is known ahead */
  double transfer[TG_MAX_STATEMENTS]; /**< bytes of its transfers, which are kept until the step ends */
  double stages, step, most;          /**< of all stages; of the step, and of the fullest one */
  double steps;
} Run;

static void find_work(Run *run, const TgSchedule *schedule, const TgTopology *network, const TgCostOptions *options) {
  for (int s = 0; s < schedule->statements; s++) {
    const int op = schedule->statement[s].op;
    if (op != TG_OP_MOVE && op != TG_OP_ADD && !tg_op_is_collective(op)) continue;
    const Work work = work_of(schedule, &schedule->statement[s], options);
    run->transfer[s] = work.transfers * TRANSFER;
    run->stage[s] = run->transfer[s] + work.rounds * (network->nodes + (double)network->links) * sizeof(double);
  }
}

static void follow(Run *run, const TgSchedule *schedule, const TgScheduleNames *names) {
  TgWalk walk;
  TgError unused;
  int64_t step = 0;
  tg_walk_init(&walk, schedule, names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE) {
    if (walk.step != step) run->step = 0;
    step = walk.step;
    run->step += run->transfer[walk.statement];
    run->stages += run->stage[walk.statement];
    run->most = fmax(run->most, run->step);
  }
  run->steps = fmax((double)step, 1);
}

double tg_cost_need_bytes(const TgSchedule *schedule, const TgScheduleNames *names, const TgTopology *network,
                          const TgCostOptions *options) {
  const double nodes = network->nodes, links = (double)network->links;
  Run run = {0};
  TgTopologyFacts facts;
  tg_topology_facts(network, &facts);
  find_work(&run, schedule, network, options);
  follow(&run, schedule, names);
  double bytes = nodes * (models[options->model].node + models[options->model].hop * (double)facts.diameter_hops) +
                 links * models[options->model].link + run.most;
  if (models[options->model].looks_ahead) bytes += fmin(AHEAD, run.stages);
  if (options->keep_node_steps)
    bytes += 2 * run.steps * (options->node_group ? (double)options->node_groups : nodes) * sizeof(TgNodeStep);
  return bytes;
}
