/* Lower bounds of predicted time, without a run. What every model makes a processor do one after another, it cannot do
 * in less; the processor that ends last ends no earlier than the mean of what they all do. Latency and bandwidth are
 * those of the best link, one link a message. docs/internals/planner.md has the derivation. */
#include "plan-private.h"

#include "collective.h"
#include "phase.h"

#include <math.h>
#include <string.h>

enum { LONG_LINE = 256 }; /* beyond it a collective's bound is what every receiver must receive */

/* Seconds of an expanded collective along one line, per processor on average. */
typedef struct TgLineCost {
  uint8_t op, collective;
  int32_t length;
  double elements;
  double mean_s;
  double root_s;       /* of the root, or of position 0 */
  double root_sends_s; /* of what it sends, where it goes on to something else meanwhile */
  double transfers;    /* of single blocks or pieces */
  double rounds;
} TgLineCost;

static guint line_hash(gconstpointer key) {
  const TgLineCost *line = key;
  guint64 number = (guint64)line->elements * 8191 + (guint64)line->length * 64 + line->op * 16u + line->collective;
  return g_int64_hash(&number);
}

static gboolean line_equal(gconstpointer a, gconstpointer b) {
  const TgLineCost *x = a, *y = b;
  return x->op == y->op && x->collective == y->collective && x->length == y->length && x->elements == y->elements;
}

/* LogGP's sender goes on at once, to a product, too, and only G for each byte but the first comes before its next
 * message, with all ports not even that. So what counts beside products is what is received. */
static bool goes_on(const TgPlanSearch *search) {
  return search->request->model == TG_COST_LOGGP;
}

static bool has_all_ports(const TgPlanSearch *search) {
  return search->request->machine->port.ports == TG_PORTS_ALL;
}

static double message_s(const TgPlanSearch *search, double elements) {
  double bytes = elements * (double)search->request->element_bytes;
  if (goes_on(search)) return fmax(bytes - 1, 0) * search->seconds_per_byte;
  return search->latency_s + bytes * search->seconds_per_byte;
}

/* What one position does in one round: its sends one after another, its receives likewise, both at once; with all ports
 * all of them at once. */
typedef struct TgPortUse {
  double send_s, receive_s;
} TgPortUse;

typedef struct TgLineRun {
  const TgPlanSearch *search;
  TgPortUse *use;
  int32_t length, round, from, to; /* of the message under way; from -1 where there is none */
  double elements;
} TgLineRun;

static void use_port(double *port, double time_s, bool all_ports) {
  *port = all_ports ? fmax(*port, time_s) : *port + time_s;
}

static void close_message(TgLineRun *run) {
  if (run->from < 0) return;
  double time_s = message_s(run->search, run->elements);
  use_port(&run->use[run->from].send_s, time_s, has_all_ports(run->search));
  use_port(&run->use[run->to].receive_s, time_s, has_all_ports(run->search));
  run->from = -1;
}

static double held_up_s(const TgLineRun *run, int32_t position) {
  const TgPortUse *use = &run->use[position];
  return goes_on(run->search) ? use->receive_s : fmax(use->send_s, use->receive_s);
}

static double close_round(TgLineRun *run, TgLineCost *line) {
  double sum = 0;
  close_message(run);
  line->root_s += held_up_s(run, 0);
  if (goes_on(run->search) && !has_all_ports(run->search)) line->root_sends_s += run->use[0].send_s;
  for (int32_t i = 0; i < run->length; i++) sum += held_up_s(run, i);
  memset(run->use, 0, (size_t)run->length * sizeof *run->use);
  return sum;
}

static void expand_line(const TgPlanSearch *search, TgLineCost *line) {
  TgRounds rounds;
  TgTransfer transfer;
  double sum = 0;
  int64_t elements = (int64_t)line->elements;
  TgLineRun run = {.search = search, .length = line->length, .from = -1, .use = g_new0(TgPortUse, line->length)};
  tg_rounds_init(&rounds, (TgOp)line->op, (TgCollective)line->collective, line->length, 0, 0);
  while (tg_rounds_next(&rounds, &transfer)) {
    if (transfer.round != run.round) sum += close_round(&run, line);
    if (transfer.from != run.from || transfer.to != run.to || transfer.round != run.round) {
      close_message(&run);
      run.elements = 0;
    }
    line->transfers++;
    run.round = transfer.round;
    run.from = transfer.from;
    run.to = transfer.to;
    /* Rounded down: the blocks that travel may be larger by a row or a column, and be cut elsewhere. */
    run.elements += (double)(elements / transfer.pieces);
  }
  sum += close_round(&run, line);
  line->mean_s = sum / line->length;
  g_free(run.use);
}

/* Everybody but the root sends or receives one block at least, and where each brings one, those of all others; in a
 * round it sends and receives but one message, whatever the ports. */
static void bound_line(const TgPlanSearch *search, int32_t pieces, TgLineCost *line) {
  double others = line->length - 1;
  const TgOpTraits *traits = tg_op_traits(line->op);
  bool all = !traits->from_root && !traits->to_root;
  bool several = !all && (traits->splits || traits->fills);
  double block_s = message_s(search, line->elements), several_s = message_s(search, others * line->elements);
  if (goes_on(search)) { /* at most as many messages as there are pieces: each has a byte that costs nothing */
    block_s = pieces * message_s(search, line->elements / pieces);
    several_s = others * block_s;
  }
  line->mean_s = all ? several_s : block_s * others / line->length;
  line->root_s = all || several ? several_s : block_s;
  if (goes_on(search)) {
    if ((all || traits->from_root) && !has_all_ports(search)) line->root_sends_s = line->root_s;
    if (traits->from_root) line->root_s = 0;
  }
  bool many = all || line->collective == TG_COLLECTIVE_CHAIN || line->collective == TG_COLLECTIVE_SCATTER_ALLGATHER ||
              (several && line->collective == TG_COLLECTIVE_RING);
  line->transfers = others * (many ? line->length : several ? log2(line->length) : 1);
}

static const TgLineCost *line_cost(const TgPlanSearch *search, const TgSchedule *schedule, const TgStatement *statement,
                                   double elements, TgCollective collective) {
  TgLineCost key = {.op = statement->op, .elements = floor(elements)};
  TgRounds rounds;
  key.length = schedule->extent[statement->axis];
  tg_rounds_init(&rounds, (TgOp)statement->op, collective, key.length, 0, 0);
  key.collective = rounds.collective;
  key.rounds = tg_rounds_count(&rounds);
  TgLineCost *known = g_hash_table_lookup(search->lines, &key);
  if (known) return known;
  known = g_memdup2(&key, sizeof key);
  if (key.length > LONG_LINE)
    bound_line(search, rounds.pieces, known);
  else if (key.length > 1)
    expand_line(search, known);
  g_hash_table_add(search->lines, known);
  return known;
}

GHashTable *tg_plan_lines_new(void) {
  return g_hash_table_new_full(line_hash, line_equal, g_free, NULL);
}

/* --- statements --------------------------------------------------------------------------------------------------- */

/* Mean time of one execution. Statements whose `where` asks for coordinates may concern few: they count as nothing. */
static double statement_s(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts, int s,
                          TgCollective collective, bool quick) {
  const TgStatement *statement = &schedule->statement[s];
  double elements = facts->read_low[s];
  if (facts->executions[s] == 0) return 0;
  if (tg_op_traits(statement->op)->is_direct) {
    bool at_once = goes_on(search) && has_all_ports(search); /* what one processor receives */
    return (at_once ? facts->receiving[s] : facts->moving[s]) * message_s(search, elements);
  }
  if (!tg_op_traits(statement->op)->is_collective) return 0;
  if (statement->where && (tg_expression_variables(schedule, statement->where) & TG_VARIABLES_COORDINATES)) return 0;
  if (!quick) return line_cost(search, schedule, statement, elements, collective)->mean_s;
  TgLineCost line = {.op = statement->op, .elements = floor(elements), .length = schedule->extent[statement->axis]};
  if (line.length > 1) bound_line(search, 1, &line);
  return line.mean_s;
}

typedef struct TgRootBound {
  double held_up_s; /* which products wait for */
  double sends_s;   /* see TgLineCost.root_sends_s */
} TgRootBound;

/* A root that is the same at every execution does its part each time. */
static TgRootBound root_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts,
                              TgCollective collective) {
  TgRootBound most = {0, 0};
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (!tg_op_traits(statement->op)->is_collective || statement->where || !statement->value ||
        facts->executions[s] == 0)
      continue;
    if (tg_expression_variables(schedule, statement->value) & TG_VARIABLES_LOOPS) continue;
    const TgLineCost *line = line_cost(search, schedule, statement, facts->read_low[s], collective);
    most.held_up_s = fmax(most.held_up_s, facts->executions[s] * line->root_s);
    most.sends_s = fmax(most.sends_s, facts->executions[s] * line->root_sends_s);
  }
  return most;
}

/* The repeat directly around the statement; -1 outside any. */
static int parent_of(const TgSchedule *schedule, int statement) {
  int parent = -1;
  for (int r = 0; r < statement; r++)
    if (schedule->statement[r].op == TG_OP_REPEAT && schedule->statement[r].end > statement) parent = r;
  return parent;
}

/* True where an execution of the repeat's body cannot begin its transfers with those of the one before: a product lies
 * between them, or there is but one statement, which never runs beside itself. */
static bool repeats_in_turn(const TgSchedule *schedule, int parent, const double *seconds) {
  int travelling = 0;
  for (int s = parent + 1; parent >= 0 && s < schedule->statement[parent].end; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (parent_of(schedule, s) != parent) continue;
    if (statement->op == TG_OP_MULTIPLY && !statement->where) return true;
    travelling += seconds[s] > 0;
  }
  return travelling == 1;
}

/* All ports: statements of one body may go at once, so only its longest counts; and the last execution of one body may
 * go with the first of the next, so one execution of all bodies but the longest is left out. */
static double all_ports_bound(const TgSchedule *schedule, const TgPlanFacts *facts, const double *seconds) {
  double sum = 0, once = 0;
  for (int parent = -1; parent < schedule->statements; parent++) {
    double longest = 0, executions = 1;
    if (parent >= 0 && schedule->statement[parent].op != TG_OP_REPEAT) continue;
    for (int s = parent + 1; s < schedule->statements; s++) {
      if (seconds[s] <= longest || parent_of(schedule, s) != parent) continue;
      longest = seconds[s];
      executions = facts->executions[s];
    }
    if (!repeats_in_turn(schedule, parent, seconds)) executions = 1;
    sum += (executions - 1) * longest;
    once = fmax(once, longest);
  }
  return sum + once;
}

static double bound_of(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts,
                       TgCollective collective, bool quick) {
  double seconds[TG_MAX_STATEMENTS] = {0}, communication_s = 0;
  for (int s = 0; s < schedule->statements; s++) {
    seconds[s] = statement_s(search, schedule, facts, s, collective, quick);
    communication_s += facts->executions[s] * seconds[s];
  }
  if (has_all_ports(search)) communication_s = all_ports_bound(schedule, facts, seconds);
  const TgRootBound root = quick ? (TgRootBound){0, 0} : root_bound(search, schedule, facts, collective);
  communication_s = fmax(communication_s, root.held_up_s);
  double bound =
      search->request->overlap ? fmax(communication_s, facts->compute_s) : communication_s + facts->compute_s;
  return fmax(bound, root.sends_s) * (1 - 1e-9); /* sums in another order than the models' */
}

double tg_plan_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts,
                     TgCollective collective) {
  return bound_of(search, schedule, facts, collective, false);
}

double tg_plan_quick_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts) {
  return goes_on(search) ? 0 : bound_of(search, schedule, facts, TG_COLLECTIVE_AUTO, true);
}

/* --- how long a prediction takes ---------------------------------------------------------------------------------- */

/* Measured on one core, rounded up: seconds of finding a transfer and of timing it again where the phase comes again,
 * of a line of a collective, of a phase and its share of each processor, and of following a block by name. */
static const double find_s = 200e-9, again_s = 12e-9, line_s = 300e-9, phase_s = 3e-6, node_s = 12e-9, name_s = 700e-9;

/* Of timing, beside hockney; messages to a neighbour share no link. */
static const double model_factor[] = {1, 6, 40, 2}, neighbour_factor[] = {1, 6, 10, 2};
G_STATIC_ASSERT(G_N_ELEMENTS(model_factor) == TG_COST_MODELS && G_N_ELEMENTS(neighbour_factor) == TG_COST_MODELS);
static const double product_s = 3e-9; /* of a product that comes again, a processor */

/* Of one execution, when it comes for the first time and when it comes again. */
static void statement_work(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts, int s,
                           TgCostModel model, TgCollective collective, double *first_s, double *again) {
  const TgStatement *statement = &schedule->statement[s];
  double processors = (double)facts->processors, transfers = processors, rounds = 1, lines = 0;
  double factor = facts->moving[s] == 1 ? neighbour_factor[model] : model_factor[model];
  if (tg_op_traits(statement->op)->is_collective) {
    const TgLineCost *line = line_cost(search, schedule, statement, facts->read_low[s], collective);
    lines = processors / schedule->extent[statement->axis];
    transfers = line->transfers * lines;
    rounds = line->rounds;
    if (line->collective == TG_COLLECTIVE_RING || line->collective == TG_COLLECTIVE_CHAIN)
      factor = neighbour_factor[model];
  }
  double timing_s = factor * again_s * transfers;
  if (statement->op == TG_OP_MULTIPLY) timing_s = model == TG_COST_HOCKNEY ? 0 : product_s * processors;
  if (model == TG_COST_HOCKNEY && facts->moving[s] == 1) timing_s = 0;
  *again = rounds * phase_s + timing_s;
  *first_s = *again + transfers * find_s + lines * line_s + rounds * processors * node_s;
}

double tg_plan_work(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts, TgCostModel model,
                    TgCollective collective) {
  double work_s = 0;
  if (facts->endless) return INFINITY;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    double executions = facts->executions[s], first_s, again;
    bool travels = tg_op_travels(statement->op);
    if (executions == 0) continue;
    if (facts->by_name) work_s += executions * (double)facts->processors * name_s;
    if (!travels && statement->op != TG_OP_MULTIPLY) continue;
    statement_work(search, schedule, facts, s, model, collective, &first_s, &again);
    bool known = facts->constant[s] && !facts->by_name;
    work_s += known ? first_s + (executions - 1) * again : executions * first_s;
  }
  return work_s;
}
