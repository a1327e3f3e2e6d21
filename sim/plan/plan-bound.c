/* Lower bounds of predicted time, without a run. What every model makes a processor do one after another, it cannot do
 * in less; the processor that ends last ends no earlier than the mean of what they all do. Latency and bandwidth are
 * those of the best link, one link a message. docs/internals/planner.md has the derivation. */
#include "plan-private.h"

#include "collective.h"
#include "outlook.h"
#include "phase.h"

#include <math.h>
#include <string.h>

/* LogGP's sender goes on at once, to a product, too, and only G for each byte but the first comes before its next
 * message, with all ports not even that. So what counts beside products is what is received. */
static bool goes_on(const TgPlanSearch *search) {
  return search->request->model == TG_COST_LOGGP;
}

static bool has_all_ports(const TgPlanSearch *search) {
  return search->request->machine->port.ports == TG_PORTS_ALL;
}

/* Only who receives a block is busy with it. */
static bool is_fetched(const TgPlanSearch *search) {
  return search->request->machine->port.ports == TG_PORTS_FETCH;
}

/* With all ports, bytes of messages that are received on arrival keep nobody busy, so a bound may not count them. */
static bool bytes_cost_nothing(const TgPlanSearch *search) {
  return has_all_ports(search) && tg_cost_receives_on_arrival(search->request->model, search->request->machine);
}

static double message_s(const TgPlanSearch *search, double elements) {
  if (bytes_cost_nothing(search)) return 0;
  double bytes = elements * (double)search->request->element_bytes;
  if (goes_on(search)) return fmax(bytes - 1, 0) * search->seconds_per_byte;
  return search->latency_s + bytes * search->seconds_per_byte;
}

/* Least seconds of a collective along one line, with any algorithm. */
typedef struct TgLineBound {
  double mean_s;       /* per processor on average */
  double root_s;       /* of the root, or of position 0 */
  double root_sends_s; /* of what it sends, where it goes on to something else meanwhile */
} TgLineBound;

/* With one port and rendezvous: the least average time, over all algorithms, that a position is busy. Where all
 * positions contribute, that is as many rounds as doubling takes from one position to all, and the blocks of all
 * others. Otherwise there are at least L-1 messages, each of which makes its sender and its receiver busy. Only a
 * position that passes pieces on does both at once, but then all but the ends have at least two messages. */
static double mean_by_one_port(const TgPlanSearch *search, int32_t length, bool all, bool several, double elements) {
  const double each_way = 2.0 * (length - 1) / length;
  const double bytes_s = elements * (double)search->request->element_bytes * search->seconds_per_byte;
  if (all) return ceil(log2(length)) * search->latency_s + (length - 1) * bytes_s;
  return each_way * search->latency_s + (several ? each_way : 1) * bytes_s;
}

/* Everybody but the root sends or receives one block at least, and where each brings one, those of all others; in a
 * round it sends and receives but one message, whatever the ports. */
static TgLineBound line_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgStatement *statement,
                              double elements) {
  const int32_t length = schedule->extent[statement->axis];
  const double others = length - 1;
  const TgOpTraits *traits = tg_op_traits(statement->op);
  const bool all = !traits->from_root && !traits->to_root;
  const bool several = !all && (traits->splits || traits->fills);
  double block_s = message_s(search, elements), several_s = message_s(search, others * elements);
  TgLineBound line = {0, 0, 0};
  if (length < 2) return line;
  if (goes_on(search)) { /* at most as many messages as there are pieces: each has a byte that costs nothing */
    const int32_t pieces = MAX(length, TG_COST_MOST_PIECES);
    block_s = pieces * message_s(search, elements / pieces);
    several_s = others * block_s;
  }
  line.mean_s = all ? several_s : block_s * others / length;
  if (!goes_on(search) && !has_all_ports(search) && !is_fetched(search))
    line.mean_s = mean_by_one_port(search, length, all, several, elements);
  line.root_s = all || several ? several_s : block_s;
  if (goes_on(search)) {
    if ((all || traits->from_root) && !has_all_ports(search)) line.root_sends_s = line.root_s;
  }
  if (traits->from_root && (goes_on(search) || is_fetched(search))) line.root_s = 0;
  return line;
}

/* --- statements --------------------------------------------------------------------------------------------------- */

/* Mean time of one execution. Statements whose `where` asks for coordinates may concern few: they count as nothing. */
static double statement_s(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts, int s) {
  const TgStatement *statement = &schedule->statement[s];
  double elements = facts->read_low[s];
  if (facts->executions[s] == 0) return 0;
  if (tg_op_traits(statement->op)->is_direct) {
    const bool receivers = is_fetched(search) || (goes_on(search) && has_all_ports(search));
    return (receivers ? facts->receiving[s] : facts->moving[s]) * message_s(search, elements);
  }
  if (!tg_op_traits(statement->op)->is_collective) return 0;
  if (statement->where && (tg_expression_variables(schedule, statement->where) & TG_VARIABLES_COORDINATES)) return 0;
  return line_bound(search, schedule, statement, floor(elements)).mean_s;
}

typedef struct TgRootBound {
  double held_up_s; /* which products wait for */
  double sends_s;   /* see TgLineBound.root_sends_s */
} TgRootBound;

/* A root that is the same at every execution does its part each time. */
static TgRootBound root_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts) {
  TgRootBound most = {0, 0};
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (!tg_op_traits(statement->op)->is_collective || statement->where || !statement->value ||
        facts->executions[s] == 0)
      continue;
    if (tg_expression_variables(schedule, statement->value) & TG_VARIABLES_LOOPS) continue;
    const TgLineBound line = line_bound(search, schedule, statement, floor(facts->read_low[s]));
    most.held_up_s = fmax(most.held_up_s, facts->executions[s] * line.root_s);
    most.sends_s = fmax(most.sends_s, facts->executions[s] * line.root_sends_s);
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

/* --- the processor that is last ----------------------------------------------------------------------------------- */

/* The latest time of any processor, at least, as statements follow one another. */
typedef struct TgLast {
  double travels_s;                 /* of transfers … */
  double products_s;                /* … and of products … */
  double written_s[TG_MAX_BUFFERS]; /* … and when the products that write a buffer end, where that is so everywhere … */
  double arrived_s[TG_MAX_BUFFERS]; /* … and when what transfers bring to it is there */
} TgLast;

/* So many messages, each sent on receipt of the one before, with so many elements together. */
static double relay_s(const TgPlanSearch *search, double messages, double elements) {
  const double bytes = elements * (double)search->request->element_bytes;
  if (!goes_on(search)) return messages * search->latency_s + bytes * search->seconds_per_byte;
  return messages * (2 * search->request->machine->port.overhead_s + search->latency_s) +
         fmax(bytes - messages, 0) * search->seconds_per_byte;
}

/* How much later the last one is after an execution in which everybody takes part. In a move it sends to somebody. In
 * an allgather or the like what it sends in the first round is waited for by whoever sends in the second, and so on:
 * rounds of any algorithm follow one another, as many as doubling takes at least, with the blocks of all others. */
static double last_s(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts, int s) {
  const TgStatement *statement = &schedule->statement[s];
  const TgOpTraits *traits = tg_op_traits(statement->op);
  const double block = floor(facts->read_low[s]);
  if (has_all_ports(search)) return 0;
  if (traits->is_direct) return facts->moving[s] == 1 ? relay_s(search, 1, block) : 0;
  const int32_t length = traits->is_collective ? schedule->extent[statement->axis] : 1;
  if (length < 2 || traits->from_root || traits->to_root) return 0;
  if (statement->where && (tg_expression_variables(schedule, statement->where) & TG_VARIABLES_COORDINATES)) return 0;
  return relay_s(search, ceil(log2(length)), (length - 1) * block);
}

/* When the last processor has what the product reads, or adds to. Without overlap it waits for all transfers. */
static double product_begin_s(const TgLast *last, const TgPlanSearch *search, const TgStatement *statement) {
  double begin_s = last->products_s;
  if (!search->request->overlap) return fmax(begin_s, last->travels_s);
  begin_s = fmax(begin_s, last->arrived_s[statement->source.buffer]);
  begin_s = fmax(begin_s, last->arrived_s[statement->other.buffer]);
  return fmax(begin_s, last->arrived_s[statement->target.buffer]);
}

/* A statement: a product waits for what it needs, and what it writes can be sent once it has ended. */
static void follow(TgLast *last, const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts,
                   int s) {
  const TgStatement *statement = &schedule->statement[s];
  const double executions = facts->executions[s];
  if (statement->op == TG_OP_MULTIPLY && !statement->where) {
    last->products_s = product_begin_s(last, search, statement) + executions * facts->product_s;
    last->written_s[statement->target.buffer] = last->products_s;
    return;
  }
  const double seconds = last_s(search, schedule, facts, s);
  if (seconds == 0) return;
  last->travels_s = fmax(last->travels_s, last->written_s[statement->source.buffer]) + executions * seconds;
  last->arrived_s[statement->target.buffer] = last->travels_s;
}

/* Of a repeat all transfers come first and then all products, as if they overlapped entirely. */
static void follow_repeat(TgLast *last, const TgPlanSearch *search, const TgSchedule *schedule,
                          const TgPlanFacts *facts, int repeat) {
  TgLast within = *last;
  memset(within.written_s, 0, sizeof within.written_s);
  for (int s = repeat + 1; s < schedule->statement[repeat].end; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (statement->op == TG_OP_MULTIPLY && !statement->where)
      within.products_s =
          fmax(within.products_s, product_begin_s(last, search, statement)) + facts->executions[s] * facts->product_s;
    else
      within.travels_s += facts->executions[s] * last_s(search, schedule, facts, s);
  }
  last->travels_s = within.travels_s;
  last->products_s = within.products_s;
}

/* Nothing ends before the last processor does. Without overlap products and transfers are one time. */
static double last_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts) {
  TgLast last = {0};
  for (int s = 0; s < schedule->statements; s++) {
    if (schedule->statement[s].op == TG_OP_REPEAT) {
      follow_repeat(&last, search, schedule, facts, s);
      s = schedule->statement[s].end - 1;
    } else if (facts->executions[s] > 0 && !tg_op_traits(schedule->statement[s].op)->is_block) {
      follow(&last, search, schedule, facts, s);
    }
  }
  return fmax(last.travels_s, last.products_s);
}

double tg_plan_bound(const TgPlanSearch *search, const TgSchedule *schedule, const TgPlanFacts *facts) {
  double seconds[TG_MAX_STATEMENTS] = {0}, communication_s = 0;
  for (int s = 0; s < schedule->statements; s++) {
    seconds[s] = statement_s(search, schedule, facts, s);
    communication_s += facts->executions[s] * seconds[s];
  }
  if (has_all_ports(search)) communication_s = all_ports_bound(schedule, facts, seconds);
  const TgRootBound root = root_bound(search, schedule, facts);
  communication_s = fmax(communication_s, root.held_up_s);
  double bound =
      search->request->overlap ? fmax(communication_s, facts->compute_s) : communication_s + facts->compute_s;
  bound = fmax(bound, last_bound(search, schedule, facts));
  return fmax(bound, root.sends_s) * (1 - 1e-9); /* sums in another order than the models' */
}

/* --- how long a prediction takes ---------------------------------------------------------------------------------- */

/* Measured on one core: seconds per line of a collective, and per processor of a repeated product. */
static const double line_s = 300e-9, product_s = 3e-9;
/* … and of a node without a processor, which has a place in all tables. */
static const double idle_node_s = 0.5e-6;

/* Transfers of a collective along one line, and its rounds, with a usual algorithm. */
static double line_transfers(int op, double length) {
  const TgOpTraits *traits = tg_op_traits(op);
  return (length - 1) * (traits->from_root || traits->to_root ? 1 : length);
}

static double line_rounds(int op, double length) {
  const TgOpTraits *traits = tg_op_traits(op);
  return traits->from_root || traits->to_root ? ceil(log2(length)) : length - 1;
}

static TgPlanTravel usual_travel(const TgSchedule *schedule, const TgPlanFacts *facts, const TgStatement *statement) {
  const double processors = (double)facts->processors;
  if (!tg_op_traits(statement->op)->is_collective) return (TgPlanTravel){processors, 1, 0, processors, 0};
  const double length = schedule->extent[statement->axis], lines = processors / length;
  const double transfers = line_transfers(statement->op, length) * lines;
  return (TgPlanTravel){transfers, fmax(line_rounds(statement->op, length), 1), lines, transfers, 0};
}

/* After the last message of several hops no link is shared any more, and a model of events takes as long as hockney.
 * Returns the last statement before that: where it is repeated, the last one that is repeated with it. */
static int last_shared(const TgSchedule *schedule, const TgPlanTravel *travel) {
  int last = -1;
  for (int s = 0; s < schedule->statements; s++)
    if (tg_outlook_goes_far(travel[s].hops)) last = s;
  for (int r = 0; r < schedule->statements && last >= 0; r++)
    if (schedule->statement[r].op == TG_OP_REPEAT && r < last && schedule->statement[r].end > last)
      last = schedule->statement[r].end - 1;
  return last;
}

static double message_timing_s(const TgPlanFacts *facts, const TgPlanTravel *travel, TgCostModel model, bool shared) {
  static const double unknown = 1.5; /* times as long where it is not known how far messages go */
  const bool events = model == TG_COST_FORWARD || model == TG_COST_FLOW;
  const TgOutlookPace *pace = &tg_outlook_pace[events && !shared && travel->hops > 0 ? TG_COST_HOCKNEY : model];
  if (facts->on_arrival && model == TG_COST_LOGGP) return tg_outlook_arrival_s;
  if (travel->hops == 0) return unknown * pace->message_s;
  if (!tg_outlook_goes_far(travel->hops) || pace->hop_s == 0) return pace->message_s;
  return travel->hops * pace->hop_s * (travel->lines > 0 ? pace->crowd : 1);
}

/* All processors send and receive the same, so that those at one time stay at one time. */
static bool is_alike(const TgSchedule *schedule, const TgPlanFacts *facts, int s) {
  const TgStatement *statement = &schedule->statement[s];
  return tg_op_traits(statement->op)->is_collective ? tg_outlook_is_alike(statement) : facts->moving[s] == 1;
}

/* Of one execution, timed for a part of the processors, when it comes for the first time and when it comes again. */
static void statement_work(const TgSchedule *schedule, const TgPlanFacts *facts, int s, TgCostModel model,
                           const TgPlanTravel *travel, bool shared, double part, double *first_s, double *again) {
  const TgStatement *statement = &schedule->statement[s];
  const double processors = (double)facts->processors;
  double timing_s = travel->transfers * message_timing_s(facts, travel, model, shared);
  if (statement->op == TG_OP_MULTIPLY) timing_s = model == TG_COST_HOCKNEY ? 0 : product_s * processors;
  if (model == TG_COST_HOCKNEY && facts->moving[s] == 1) timing_s = 0;
  timing_s += travel->rounds * processors * tg_outlook_node_s[model];
  *again = travel->rounds * tg_outlook_round_s + part * timing_s;
  *first_s = *again + travel->different * tg_outlook_find_s + travel->lines * line_s;
}

double tg_plan_work(const TgSchedule *schedule, const TgPlanFacts *facts, TgCostModel model,
                    const TgPlanTravel travel[TG_MAX_STATEMENTS], const TgSlices *slices) {
  const int last = travel ? last_shared(schedule, travel) : schedule->statements;
  const bool events =
      model == TG_COST_FORWARD || model == TG_COST_FLOW || (model == TG_COST_LOGGP && facts->on_arrival);
  double work_s = facts->idle_nodes * idle_node_s;
  bool level = true; /* all processors are at one time, and stay there */
  if (facts->endless) return INFINITY;
  if (facts->by_name) work_s += facts->room_s;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    double executions = facts->executions[s], first_s, again;
    bool travels = tg_op_travels(statement->op);
    if (executions == 0) continue;
    if (facts->by_name) work_s += executions * (double)facts->processors * tg_outlook_name_s;
    if (!travels && statement->op != TG_OP_MULTIPLY) continue;
    const TgPlanTravel own = travel && travels ? travel[s] : usual_travel(schedule, facts, statement);
    if (facts->by_name && travels) work_s += executions * own.transfers * tg_outlook_name_s;
    level = level && (!travels || is_alike(schedule, facts, s));
    const bool at_once = level && !(events && s <= last); /* one number stands for all */
    const double part = at_once ? 0 : slices ? tg_slices_part(slices, schedule, s) : 1;
    statement_work(schedule, facts, s, model, &own, s <= last, part, &first_s, &again);
    bool known = facts->constant[s] && !facts->by_name;
    work_s += known ? first_s + (executions - 1) * again : executions * first_s;
  }
  return work_s;
}

bool tg_plan_has_choice(const TgSchedule *schedule, const TgPlanFacts *facts) {
  for (int s = 0; s < schedule->statements; s++)
    if (tg_op_traits(schedule->statement[s].op)->is_collective && facts->executions[s] > 0 &&
        schedule->extent[schedule->statement[s].axis] > 1)
      return true;
  return false;
}

/* About how many predictions a choice among algorithms takes. */
static const double choices = 12;

double tg_plan_once_s(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  const double most_s = TG_COST_FIRST_PART * search->choice_s;
  return candidate->has_choice ? fmin(candidate->work_s, fmax(candidate->usual_s, most_s)) : candidate->work_s;
}

/* What short predictions took tells little of long ones: as if one of `prior_s` had taken as long as was thought. */
double tg_plan_work_now(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  static const double quickest = 0.4, slowest = 4, prior_s = 0.02;
  const TgPlanPace *pace = &search->pace[candidate->source];
  const double factor = fmin(fmax((pace->took_s + prior_s) / (pace->thought_s + prior_s), quickest), slowest);
  const double work_s = factor * tg_plan_once_s(search, candidate);
  return candidate->has_choice ? work_s + fmin(choices * work_s, search->choice_s) : work_s;
}
