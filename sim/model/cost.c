#include "choice.h"
#include "models.h"
#include "phase-store.h"
#include "sim-error.h"
#include "sum.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/** The models, by TgCostModel, and the bytes that each takes for a node, for a link, and for a node and each hop that a
 * message may have to go, as measured for large grids and rounded up. */
typedef struct TgModelRow {
  const char *name;
  TgModelRun run;
  double node, link, hop;
  bool looks_ahead;
} TgModelRow;

static const TgModelRow models[TG_COST_MODELS] = {
    {"hockney", tg_hockney_run, 120, 40, 0, false},
    {"store-and-forward", tg_forward_run, 400, 70, 0, true},
    {"flow", tg_flow_run, 500, 140, 10, true},
    {"loggp", tg_loggp_run, 160, 40, 0, false},
};

static const TgModelRow on_arrival = {"loggp", tg_loggp_arrival_run, 500, 40, 0, true};

static const TgModelRow *row_of(const TgCostOptions *options, const TgMachine *machine) {
  return tg_cost_receives_on_arrival(options->model, machine) ? &on_arrival : &models[options->model];
}

const char *tg_cost_model_name(TgCostModel model) {
  return models[model].name;
}

bool tg_cost_model_parse(const char *text, TgCostModel *model, TgError *error) {
  for (int m = 0; m < TG_COST_MODELS; m++)
    if (strcmp(text, models[m].name) == 0) {
      *model = (TgCostModel)m;
      return true;
    }
  return tg_error_set(error, 0, 0, "model `%.40s`, expected hockney, store-and-forward, flow or loggp", text);
}

static bool run_model(TgPrediction *prediction, TgModelRun model, GError **error) {
  const TgCostOptions *options = prediction->options;
  const bool sends = prediction->lanes.processors > 1;
  if (prediction->machine->port.ports == TG_PORTS_FETCH &&
      ((options->tiers.used && sends) || options->model != TG_COST_HOCKNEY))
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "the machine file has ports = fetch, as topogemm calibrate writes it, which needs the model "
                       "hockney without memory tiers: choose that, or write ports = one or all in a copy");
  if (!options->tiers.used) return model(prediction, error);
  if (options->model == TG_COST_HOCKNEY) return tg_tiers_run(prediction, error);
  return TG_SIM_FAIL(error, BAD_INPUT, "model %s does not support memory tiers: choose hockney, or leave them out",
                     models[options->model].name);
}

/* A prediction beyond the range of a double is none. */
static bool is_number(const TgCost *cost, GError **error) {
  if (isfinite(cost->time_s)) return true;
  return TG_SIM_FAIL(error, BAD_INPUT,
                     "the predicted time overflows: the machine's latencies, bandwidths and rates give no finite time");
}

/* False without an error where tg_apart_run() does not apply. */
static bool run_with(const TgCostRun *run, const TgSchedule *schedule, TgModelRun model, TgCost *cost, GError **error) {
  const TgCostOptions *options = run->options;
  TgPrediction prediction = {.options = options, .machine = run->machine};
  *cost = (TgCost){0};
  tg_prediction_init(&prediction, cost, run->network->links);
  if (run->explain) prediction.account = tg_account_new(run->node, options->model == TG_COST_FORWARD);
  const TgPhasesOf of = {.schedule = schedule,
                         .names = run->names,
                         .shape = run->shape,
                         .element_bytes = options->element_bytes,
                         .collective = options->collective,
                         .whole = options->whole,
                         .sums = run->machine->processor.additions_per_s > 0,
                         .together = run->machine->port.ports == TG_PORTS_ALL && !options->tiers.used,
                         .watch = options->watch};
  prediction.phases = tg_phases_new(&of, error);
  bool fine = prediction.phases &&
              tg_lanes_init(&prediction.lanes, schedule, run->network, run->embedding, run->machine,
                            options->model == TG_COST_HOCKNEY || options->model == TG_COST_LOGGP, error) &&
              run_model(&prediction, model, error) && is_number(cost, error);
  const TgError failure = prediction.phases ? *tg_phases_failure(prediction.phases) : (TgError){0};
  const int64_t messages = cost->messages;
  if (fine) tg_prediction_take(&prediction);
  tg_prediction_clear(&prediction);
  if (!fine) tg_cost_clear(cost);
  cost->messages = messages;
  cost->failure = failure;
  return fine;
}

bool tg_cost_may_run_apart(const TgCostRun *run) {
  const TgCostOptions *options = run->options;
  const bool by_link = options->model == TG_COST_FORWARD || options->model == TG_COST_FLOW;
  return by_link && !options->tiers.used && options->jitter == 0 && run->machine->port.ports == TG_PORTS_ONE &&
         !tg_machine_has_half_duplex(run->machine, run->network);
}

bool tg_cost_run(const TgCostRun *run, const TgSchedule *schedule, TgCost *cost, GError **error) {
  GError *failure = NULL;
  const TgModelRun model = row_of(run->options, run->machine)->run;
  if (!tg_cost_may_run_apart(run)) return run_with(run, schedule, model, cost, error);
  if (run_with(run, schedule, tg_apart_run, cost, &failure)) return true;
  if (!failure) return run_with(run, schedule, model, cost, error);
  g_propagate_error(error, failure);
  return false;
}

/** The caller's watch, and what it was told last. */
typedef struct Told {
  const TgWatch *watch;
  int64_t done;
} Told;

static bool tell(void *user, int64_t done) {
  Told *told = user;
  told->done = MAX(told->done, done);
  return tg_watch_go_on(told->watch, told->done);
}

/* Of a second run nothing is told: it has as far to go as the first one. */
static bool goes_on(void *user, int64_t done) {
  const Told *told = user;
  (void)done;
  return tg_watch_go_on(told->watch, told->done);
}

static bool explain(const TgCostRun *run, int64_t node, TgCost *cost, GError **error) {
  TgCostOptions options = *run->options;
  TgCostRun again = *run;
  TgCost second;
  options.keep_node_steps = false;
  options.collective = (TgCollective)cost->collective;
  options.most_s = 0;
  again.options = &options;
  again.explain = true;
  again.node = node;
  if (!tg_cost_run(&again, cost->schedule, &second, error)) {
    cost->failure = second.failure;
    return false;
  }
  g_free(cost->parts);
  g_clear_pointer(&cost->waits, g_array_unref);
  cost->parts = g_steal_pointer(&second.parts);
  cost->waits = g_steal_pointer(&second.waits);
  cost->messages_timed = tg_sum(cost->messages_timed, second.messages);
  tg_cost_clear(&second);
  return true;
}

bool tg_cost_explain(const TgScheduleNames *names, const TgShape *shape, const TgTopology *network,
                     TgEmbeddingKind embedding, const TgMachine *machine, const TgCostOptions *options, int64_t node,
                     TgCost *cost, GError **error) {
  return explain(&(TgCostRun){names, shape, network, embedding, machine, options, false, 0}, node, cost, error);
}

/* Which node ends last is known only after the run: it is done again to see where that node's time goes. */
static bool explain_last(const TgCostRun *run, const Told *told, TgCost *cost, GError **error) {
  TgCostOptions options = *run->options;
  const TgWatch watch = {goes_on, (void *)told};
  TgCostRun again = *run;
  options.watch = &watch;
  again.options = &options;
  return explain(&again, cost->last_node, cost, error);
}

bool tg_cost_predict(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                     const TgTopology *network, TgEmbeddingKind embedding, const TgMachine *machine,
                     const TgCostOptions *options, TgCost *cost, GError **error) {
  TgCostOptions chosen = *options;
  const TgCostRun run = {names, shape, network, embedding, machine, &chosen, false, 0};
  const int64_t begin_us = g_get_monotonic_time();
  Told told = {options->watch, 0};
  const TgWatch watch = {tell, &told};
  chosen.watch = &watch;
  TgSchedule *own = g_memdup2(schedule, sizeof *schedule);
  bool predicted;
  *cost = (TgCost){0};
  bool fine = tg_choose_collectives(&run, own, cost, &predicted, error);
  const int tried = cost->collectives_tried, left = cost->collectives_left;
  const int64_t timed = cost->messages_timed;
  if (tried > 0 || (options->collective == TG_COLLECTIVE_WHOLE && !options->whole))
    chosen.collective = TG_COLLECTIVE_AUTO;
  if (fine && !predicted) fine = tg_cost_run(&run, own, cost, error);
  if (fine) {
    cost->schedule = g_steal_pointer(&own);
    cost->collective = (int)chosen.collective;
    cost->messages_timed = predicted ? timed : tg_sum(timed, cost->messages);
  }
  g_free(own);
  if (fine && options->explain && !options->tiers.used && !explain_last(&run, &told, cost, error)) {
    tg_cost_clear(cost);
    fine = false;
  }
  cost->collectives_tried = tried;
  cost->collectives_left = left;
  cost->wall_s = (double)(g_get_monotonic_time() - begin_us) * 1e-6;
  return fine;
}

void tg_cost_clear(TgCost *cost) {
  g_free(cost->schedule);
  g_free(cost->trace.step);
  g_free(cost->trace.link_bytes);
  g_free(cost->step_max_link_bytes);
  g_free(cost->step_compute_s);
  if (cost->waits) g_array_unref(cost->waits);
  g_free(cost->node_time_s);
  g_free(cost->node_compute_s);
  g_free(cost->node_step);
  g_free(cost->parts);
  g_free(cost->tiers.node_read_bytes);
  g_free(cost->tiers.node_write_bytes);
  g_free(cost->tiers.node_disk_s);
  *cost = (TgCost){0};
}

TgTimeParts tg_cost_parts(const TgCost *cost) {
  TgTimeParts sum = {0};
  for (int64_t s = 0; s < MAX(cost->trace.steps, 1); s++) {
    const TgTimeParts *step = &cost->parts[s];
    sum.products_s += step->products_s;
    sum.additions_s += step->additions_s;
    sum.latency_s += step->latency_s;
    sum.bytes_s += step->bytes_s;
    sum.contention_s += step->contention_s;
    sum.waiting_s += step->waiting_s;
    sum.skew_s += step->skew_s;
  }
  return sum;
}

int tg_cost_collectives(const TgCost *cost, const TgScheduleNames *names,
                        TgCostCollective collectives[TG_MAX_STATEMENTS]) {
  const TgSchedule *schedule = cost->schedule;
  int count = 0;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    TgRounds rounds;
    if (!tg_op_traits(statement->op)->is_collective) continue;
    tg_rounds_of_statement(&rounds, statement, (TgCollective)cost->collective, schedule->extent[statement->axis], 0);
    if (rounds.length < 2) continue;
    collectives[count++] = (TgCostCollective){.op = tg_op_traits(statement->op)->word,
                                              .buffer = tg_name(names, names->buffer[statement->source.buffer]),
                                              .line = statement->line,
                                              .algorithm = (TgCollective)rounds.collective,
                                              .pieces = rounds.pieces};
  }
  return count;
}

static void add_algorithm(GString *text, const TgCostCollective *collective) {
  g_string_append(text, tg_collective_name(collective->algorithm));
  if (collective->algorithm == TG_COLLECTIVE_CHAIN)
    g_string_append_printf(text, " in %" PRId64 " pieces", collective->pieces);
}

char *tg_cost_collectives_text(const TgCost *cost, const TgScheduleNames *names) {
  TgCostCollective all[TG_MAX_STATEMENTS];
  const int count = tg_cost_collectives(cost, names, all);
  bool alike = true;
  if (count == 0) return NULL;
  GString *text = g_string_new(NULL);
  for (int i = 1; i < count && alike; i++)
    alike = all[i].algorithm == all[0].algorithm && all[i].pieces == all[0].pieces;
  for (int i = 0; i < (alike ? 1 : count); i++) {
    if (!alike) g_string_append_printf(text, "%s%s by ", i ? ", " : "", all[i].buffer);
    add_algorithm(text, &all[i]);
  }
  return g_string_free(text, FALSE);
}

/* --- the memory that a prediction takes, before it begins -------------------------------------------------------- */

enum {
  TRANSFER = 48, /* bytes of a transfer: its ends, size and time, in arrays that grow by doubling */
  KEPT = 6,
  KEPT_AHEAD = 16,      /* a phase with its lane, and with its pattern, for each byte of the phase's own */
  AHEAD = 256 * 1 << 20 /* bytes of stages that forward and flow know ahead; see program.c */
};

/* Of one execution of a statement, on all processors: transfers, and rounds. */
typedef struct Work {
  double transfers, rounds;
} Work;

static Work work_of(const TgSchedule *schedule, const TgStatement *statement, const TgCostOptions *options) {
  const double processors = (double)tg_schedule_processors(schedule);
  if (!tg_op_traits(statement->op)->is_collective) return (Work){processors, 1};
  const bool expanded = !options->whole && options->collective == TG_COLLECTIVE_WHOLE;
  const TgCollective collective = expanded ? TG_COLLECTIVE_AUTO : options->collective;
  const int32_t length = schedule->extent[statement->axis];
  TgRounds rounds;
  tg_rounds_of_statement(&rounds, statement, collective, length, 0);
  double transfers = tg_line_transfers(&rounds) * processors / length;
  if (rounds.length > 1 && !options->as_executed && !options->whole)
    transfers = fmax(transfers, fmin(TG_COST_MOST_TRANSFERS, transfers * TG_COST_MOST_PIECES));
  return (Work){transfers, fmax(tg_rounds_count(&rounds), 1)};
}

/* The run, statement by statement. */
typedef struct Run {
  double stage[TG_MAX_STATEMENTS];    /**< bytes of a stage of it that is known ahead */
  double transfer[TG_MAX_STATEMENTS]; /**< bytes of its transfers */
  double stages, held, most;          /**< of all stages; of what may run together, now and at most */
  double kept;                        /**< transfers of statements whose rounds may come again */
  double steps;
} Run;

static void find_work(Run *run, const TgSchedule *schedule, const TgTopology *network, const TgCostOptions *options) {
  for (int s = 0; s < schedule->statements; s++) {
    if (!tg_op_travels(schedule->statement[s].op)) continue;
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
    if (walk.step != step || !tg_op_travels(schedule->statement[walk.statement].op)) run->held = 0;
    step = walk.step;
    run->held += run->transfer[walk.statement];
    run->stages += run->stage[walk.statement];
    if (tg_statement_may_come_again(schedule, &schedule->statement[walk.statement]))
      run->kept += run->transfer[walk.statement] / TRANSFER;
    run->most = fmax(run->most, run->held);
  }
  run->steps = fmax((double)step, 1);
}

/* What is kept of a node's buffers where products and transfers overlap. */
static double buffer_bytes(const TgSchedule *schedule, const TgCostOptions *options) {
  TgBufferUses uses;
  TgBufferTimes buffers;
  tg_buffer_uses(schedule, NULL, &uses);
  tg_buffer_times_init(&buffers, &uses, tg_cost_places(options->overlap, options->buffers), 0);
  return (double)buffers.stride * sizeof(double);
}

double tg_cost_need_bytes(const TgSchedule *schedule, const TgScheduleNames *names, const TgTopology *network,
                          const TgMachine *machine, const TgCostOptions *options) {
  const TgModelRow *row = row_of(options, machine);
  const double nodes = network->nodes, links = (double)network->links;
  Run run = {0};
  TgTopologyFacts facts;
  tg_topology_facts(network, &facts);
  find_work(&run, schedule, network, options);
  follow(&run, schedule, names);
  double bytes = nodes * (row->node + row->hop * (double)facts.diameter_hops) + links * row->link + run.most;
  const bool ahead = row->looks_ahead;
  bytes += fmin(run.kept * sizeof(int64_t), TG_PHASE_STORE_BYTES) * (ahead ? KEPT_AHEAD : KEPT);
  if (ahead) bytes += fmin(AHEAD, run.stages);
  bytes += nodes * buffer_bytes(schedule, options);
  if (options->keep_node_steps)
    bytes += 2 * run.steps * (options->node_group ? (double)options->node_groups : nodes) * sizeof(TgNodeStep);
  return bytes;
}
