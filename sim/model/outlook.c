#include "outlook.h"

#include "phase.h"

#include <math.h>

const TgOutlookPace tg_outlook_pace[TG_COST_MODELS] = {[TG_COST_HOCKNEY] = {.message_s = 12e-9},
                                                       [TG_COST_FORWARD] = {60e-9, 170e-9, 1},
                                                       [TG_COST_FLOW] = {280e-9, 500e-9, 3},
                                                       [TG_COST_LOGGP] = {.message_s = 20e-9}};
const double tg_outlook_node_s[TG_COST_MODELS] = {1e-9, 40e-9, 40e-9, 1e-9};

bool tg_outlook_init(TgOutlook *outlook, const TgCostRun *run, const TgSchedule *schedule) {
  *outlook = (TgOutlook){.schedule = schedule,
                         .network = run->network,
                         .machine = run->machine,
                         .model = run->options->model,
                         .element_bytes = run->options->element_bytes};
  return tg_embedding_init(&outlook->embedding, run->embedding, schedule->dims, schedule->extent, run->network, NULL);
}

/* --- a message ---------------------------------------------------------------------------------------------------- */

typedef struct Message {
  double alone_s;  /* with the links to itself … */
  double shared_s; /* … and where every processor sends one as far at once */
  double after_s;  /* … and how long after another one to the same receiver it can begin */
  double hops;
} Message;

/* Messages that cross one link where each node sends one along the stretch. */
static double messages_on_a_link(const TgTopology *network, const TgStretch *stretch) {
  const TgLevel *level = &network->level[stretch->level];
  const bool passes =
      level->kind == TG_TORUS || level->kind == TG_MESH || level->kind == TG_RING || level->kind == TG_LINE;
  const int32_t ways = level->planes * (level->switches > 1 ? level->switches : 1);
  return (double)level->span / ways * (passes ? stretch->hops : 1);
}

static Message message_of(const TgOutlook *outlook, int64_t from, int64_t to, double bytes) {
  const bool forwards = outlook->model == TG_COST_FORWARD, queues = forwards || outlook->model == TG_COST_FLOW;
  const bool loggp = outlook->model == TG_COST_LOGGP; /* has no hops */
  double latency_s = 0, later_hops_s = 0, narrowest_s = 0, forwarded_s = 0, queue_s = 0, hops = 0;
  TgRoute route;
  TgStretch stretch;
  tg_route_begin(&route, outlook->network, from, to);
  while (tg_route_next_stretch(&route, &stretch)) {
    const TgMachineLink link = tg_machine_link(outlook->machine, outlook->network, stretch.level, stretch.axis);
    const TgMachineProtocol protocol = tg_link_protocol(&link, bytes);
    const double bytes_s = bytes / protocol.bandwidth_bytes_per_s;
    const double hop_s = forwards ? protocol.latency_s + bytes_s : bytes_s;
    const double per_hop_s = loggp ? 0 : link.per_hop_s;
    latency_s = fmax(latency_s, protocol.latency_s);
    later_hops_s += (stretch.hops - (hops == 0)) * per_hop_s;
    narrowest_s = fmax(narrowest_s, bytes_s);
    forwarded_s += stretch.hops * hop_s;
    hops += stretch.hops;
    if (queues || stretch.level > 0) queue_s = fmax(queue_s, messages_on_a_link(outlook->network, &stretch) * hop_s);
  }
  latency_s += later_hops_s;
  if (loggp) latency_s = fmax(latency_s + 2 * outlook->machine->port.overhead_s, outlook->machine->port.gap_s);
  const double alone_s = forwards ? forwarded_s : latency_s + narrowest_s;
  const double shared_s = forwards ? queue_s : latency_s + fmax(queue_s, narrowest_s);
  const double busy_s = fmax(2 * outlook->machine->port.overhead_s, /* of one that arrives and is sent on */
                             outlook->machine->port.gap_s + fmax(queue_s, narrowest_s));
  return (Message){alone_s, fmax(alone_s, shared_s), loggp ? busy_s : fmax(alone_s, shared_s), hops};
}

/* --- a collective, along the line through processor 0 ------------------------------------------------------------- */

static int64_t node_at(const TgOutlook *outlook, int axis, int32_t position) {
  int64_t processor = position;
  for (int c = axis + 1; c < outlook->schedule->dims; c++) processor *= outlook->schedule->extent[c];
  return tg_embedding_node(&outlook->embedding, processor);
}

/* Round after round, all of a round as the first. Of many rounds those that begin are looked at, and then some that
 * stand for the others. */
static double rounds_s(const TgOutlook *outlook, int axis, const TgRounds *rounds, double block_bytes,
                       TgOutlookCollective *found) {
  enum { BEGINNING = 20, OTHERS = 16 };
  const int32_t count = tg_rounds_count(rounds), every = MAX((count - BEGINNING) / OTHERS, 1);
  double seconds = 0, messages = 0, hops = 0;
  for (int32_t r = 0, step; r < count; r += step) {
    step = r < BEGINNING ? 1 : MIN(every, count - r);
    const TgRound round = tg_rounds_at(rounds, r);
    const Message message = message_of(outlook, node_at(outlook, axis, round.from), node_at(outlook, axis, round.to),
                                       round.blocks * block_bytes);
    seconds += step * (2 * round.messages >= rounds->length ? message.shared_s : message.alone_s);
    messages += step * (double)round.messages;
    hops += step * (double)round.messages * message.hops;
  }
  found->transfers = messages;
  found->hops = messages > 0 ? hops / messages : 0;
  return seconds;
}

/* Where one chain follows another, its first piece sets out when the last one of that before has passed. */
static double chain_s(const TgOutlook *outlook, int axis, int32_t length, int32_t pieces, double bytes,
                      double executions) {
  const Message piece = message_of(outlook, node_at(outlook, axis, 0), node_at(outlook, axis, 1), bytes / pieces);
  return (length - 1) * piece.shared_s + (pieces - 1 + (executions - 1) * (pieces + 1)) * piece.after_s;
}

static double neighbour_hops(const TgOutlook *outlook, int axis) {
  return message_of(outlook, node_at(outlook, axis, 0), node_at(outlook, axis, 1), 0).hops;
}

int32_t tg_outlook_most_pieces(double bytes, int32_t element_bytes) {
  return (int32_t)fmax(fmin(floor(bytes / element_bytes), TG_COST_MOST_PIECES), 2);
}

static double best_chain_s(const TgOutlook *outlook, int axis, int32_t length, double bytes, double executions,
                           int32_t *pieces) {
  const int32_t most = tg_outlook_most_pieces(bytes, outlook->element_bytes);
  double best_s = INFINITY;
  for (int32_t tried = 2; tried <= most; tried *= 2) {
    const double seconds = chain_s(outlook, axis, length, tried, bytes, executions);
    if (seconds >= best_s) continue; /* with protocols more pieces may be better again */
    best_s = seconds;
    *pieces = tried;
  }
  return best_s;
}

static bool has_root(int op) {
  const TgOpTraits *traits = tg_op_traits(op);
  return traits->from_root || traits->to_root;
}

static bool goes_whole(int op) {
  const TgOpTraits *traits = tg_op_traits(op);
  return has_root(op) && !traits->splits && !traits->fills;
}

double tg_outlook_different(const TgRounds *rounds, double transfers) {
  if (rounds->collective == TG_COLLECTIVE_CHAIN) return fmin(transfers, (double)rounds->length * (rounds->length - 1));
  if (rounds->collective == TG_COLLECTIVE_RING && !has_root(rounds->op)) return transfers / tg_rounds_count(rounds);
  return transfers;
}

bool tg_outlook_is_alike(const TgStatement *statement) {
  return tg_op_traits(statement->op)->is_collective && !has_root(statement->op) && !statement->where;
}

TgOutlookCollective tg_outlook_collective(const TgOutlook *outlook, const TgStatement *statement,
                                          TgCollective algorithm, double bytes, double executions) {
  const int32_t length = outlook->schedule->extent[statement->axis];
  const double lines = (double)tg_schedule_processors(outlook->schedule) / length;
  TgOutlookCollective found = {.rounds = 1, .hops = 1};
  TgRounds rounds;
  if (length < 2) return found;
  tg_rounds_init(&rounds, (TgOp)statement->op, algorithm, length, 0, 0);
  found.rounds = tg_rounds_count(&rounds);
  if (rounds.collective == TG_COLLECTIVE_CHAIN) {
    found.seconds = best_chain_s(outlook, statement->axis, length, bytes, executions, &found.pieces);
    found.transfers = (length - 1) * found.pieces;
    found.rounds = length - 2 + found.pieces;
    found.hops = neighbour_hops(outlook, statement->axis);
  } else if (rounds.collective == TG_COLLECTIVE_RING && goes_whole(statement->op)) { /* a chain of one piece */
    found.seconds = chain_s(outlook, statement->axis, length, 1, bytes, executions);
    found.transfers = length - 1;
    found.hops = neighbour_hops(outlook, statement->axis);
  } else {
    found.seconds = executions * rounds_s(outlook, statement->axis, &rounds, bytes, &found);
  }
  found.different = tg_outlook_different(&rounds, found.transfers);
  found.transfers *= lines;
  found.different *= lines;
  return found;
}

TgOutlookCollective tg_outlook_any(const TgOutlook *outlook, const TgStatement *statement, double bytes,
                                   double executions) {
  TgOutlookCollective best = {.seconds = INFINITY};
  uint32_t seen = 0; /* several names may mean one algorithm */
  for (int name = TG_COLLECTIVE_BINOMIAL; name < TG_COLLECTIVES; name++) {
    TgRounds rounds;
    tg_rounds_init(&rounds, (TgOp)statement->op, (TgCollective)name, outlook->schedule->extent[statement->axis], 0, 0);
    if (seen >> rounds.collective & 1) continue;
    seen |= 1u << rounds.collective;
    const TgOutlookCollective found =
        tg_outlook_collective(outlook, statement, (TgCollective)rounds.collective, bytes, executions);
    if (found.seconds < best.seconds) best = found;
  }
  return best;
}

/* --- a move ------------------------------------------------------------------------------------------------------- */

TgOutlookMove tg_outlook_direct(const TgOutlook *outlook, const TgStatement *statement, double bytes) {
  enum { ASKED = 64 };
  const TgSchedule *schedule = outlook->schedule;
  const int64_t processors = tg_schedule_processors(schedule), every = MAX(processors / ASKED, 1) | 1;
  double seconds = 0, hops = 0, asked = 0, moving = 0;
  for (int64_t p = 0; p < processors; p += every, asked++) {
    const int64_t receiver = tg_statement_receiver(schedule, statement, p);
    if (receiver < 0) continue;
    const int64_t from = tg_embedding_node(&outlook->embedding, p),
                  to = tg_embedding_node(&outlook->embedding, receiver);
    if (from == to) continue;
    const Message message = message_of(outlook, from, to, bytes);
    seconds += message.shared_s;
    hops += message.hops;
    moving++;
  }
  return (TgOutlookMove){seconds / fmax(asked, 1), hops / fmax(moving, 1), moving / fmax(asked, 1)};
}
