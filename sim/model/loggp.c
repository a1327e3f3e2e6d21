/* LogGP (A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, SPAA 1995) by the rules of T. Hoefler, T. Schneider,
 * A. Lumsdaine, LogGOPSim, HPDC 2010, with O = 0 and all messages eager; docs/reference/models.md has the equations.
 *
 * Sends and receives of a node follow the program: all sends of a phase, then its receives, each in order of the
 * sender. So no message waits for one of a later phase, and every time is a maximum of sums of o, g, G and L. */
#include "in-order.h"
#include "models.h"

#include <math.h>

/** What a transfer's send leaves for its receive. */
typedef struct TgLogGpMessage {
  double begin_s;    /* when its sender begins to send it */
  double arrival_s;  /* of its first byte */
  double rest_s;     /* from its first byte to its last … */
  double alone_s;    /* … and with all links to itself */
  double overhead_s; /* at either end */
  double room_s;     /* when its receiver has room for it */
} TgLogGpMessage;

typedef struct TgLogGp {
  const TgLanes *lanes;
  double overhead_s, gap_s;
  double *send_s, *receive_s; /* by node: when its network interface can send and receive again */
  bool level;                 /* entry 0 of them stands for all nodes */
  TgLogGpMessage *message;    /* by transfer of a phase */
  int64_t room;
} TgLogGp;

/* Whether all messages have the same L and G. */
static bool is_plain(const TgLanes *lanes) {
  return lanes->one_link && !lanes->shares;
}

/* L and G of a transfer. Where the links differ, the latency is the first's and the bandwidth the narrowest's, or what
 * is its share of it. */
typedef struct TgWire {
  double latency_s, byte_s, alone_byte_s;
} TgWire;

static TgWire wire_of(const TgLanes *lanes, const TgLane *lane, int64_t transfer, int64_t bytes) {
  const TgMachineProtocol common = tg_link_protocol(&lanes->common, (double)bytes);
  const double common_byte_s = 1 / common.bandwidth_bytes_per_s;
  if (is_plain(lanes)) return (TgWire){common.latency_s, common_byte_s, common_byte_s};
  TgWire wire = {-1, 0, 0};
  TgRoute route;
  TgHop hop;
  tg_route_begin(&route, lanes->network, lane->from[transfer], lane->to[transfer]);
  while (tg_route_next(&route, &hop)) {
    TgLink link;
    tg_topology_link(lanes->network, hop.link, &link);
    const TgMachineProtocol protocol = tg_link_protocol(&lanes->link[link.level][link.axis], (double)bytes);
    if (wire.latency_s < 0) wire.latency_s = protocol.latency_s;
    wire.alone_byte_s = fmax(wire.alone_byte_s, 1 / protocol.bandwidth_bytes_per_s);
  }
  wire.byte_s = lane->byte_s ? lane->byte_s[transfer] : wire.alone_byte_s;
  return wire;
}

/* The processor works o for the message; products that come later wait for it. */
static inline void occupy(TgClocks *clocks, int32_t node, double begin_s, double overhead_s) {
  clocks->cpu[node] = tg_later(clocks->cpu[node], begin_s) + overhead_s;
}

/* What a message costs besides waiting, without jitter. */
typedef struct TgLogGpCost {
  double overhead_s, latency_s, rest_s, alone_s;
} TgLogGpCost;

static TgLogGpCost cost_of(const TgLogGp *model, const TgLane *lane, int64_t transfer) {
  const int64_t bytes = tg_lane_bytes(lane, transfer);
  const TgWire wire = wire_of(model->lanes, lane, transfer, bytes);
  const double rest = (double)MAX(bytes - 1, 0);
  return (TgLogGpCost){model->overhead_s, wire.latency_s, rest * wire.byte_s, rest * wire.alone_byte_s};
}

static inline void send(TgLogGp *model, const TgTransferRun *run, const TgLogGpCost *cost, double jitter,
                        TgLogGpMessage *message, int32_t from) {
  TgClocks *clocks = run->clocks;
  message->overhead_s = cost->overhead_s * jitter;
  message->rest_s = cost->rest_s * jitter;
  message->alone_s = cost->alone_s * jitter;
  double begin = clocks->all_ports ? clocks->enter[from] : tg_later(clocks->port[from], model->send_s[from]);
  if (run->buffers) begin = tg_later(begin, tg_buffer_times_written(&clocks->buffers, run->lane->phase, from));
  message->begin_s = begin;
  message->arrival_s = begin + message->overhead_s + cost->latency_s * jitter;
  model->send_s[from] = begin + model->gap_s + message->rest_s;
  clocks->port[from] = tg_later(clocks->port[from], begin + message->overhead_s);
  occupy(clocks, from, begin, message->overhead_s);
}

/* Returns when it is complete. */
static inline double receive(TgLogGp *model, const TgTransferRun *run, TgLogGpMessage *message, int32_t to) {
  TgClocks *clocks = run->clocks;
  double begin = clocks->all_ports ? clocks->enter[to] : tg_later(clocks->port[to], model->receive_s[to]);
  message->room_s = run->buffers ? tg_buffer_times_room(&clocks->buffers, run->lane->phase, to) : 0;
  begin = tg_later(begin, tg_later(message->arrival_s, message->room_s));
  const double end = begin + message->rest_s + message->overhead_s;
  model->receive_s[to] = begin + model->gap_s + message->rest_s;
  clocks->port[to] = tg_later(clocks->port[to], end);
  if (run->buffers) tg_buffer_times_arrive(&clocks->buffers, run->lane->phase, to, end);
  occupy(clocks, to, begin + message->rest_s, message->overhead_s);
  return end;
}

/* Where the node's time goes. While all are alike any message is like its own. */
static inline bool is_asked_for(const TgClocks *clocks, int32_t node) {
  return clocks->account && (clocks->level || clocks->account->node == node);
}

/* Overhead that is charged after a product. */
static void note_overhead(const TgClocks *clocks, TgTimeParts *parts) {
  tg_account_to(clocks->account, &parts->latency_s, tg_clocks_at(clocks, clocks->account->node));
}

/* Before it was sent, the bytes of the node's last message went out; then came the gap. */
static void note_send(const TgClocks *clocks, const TgLogGpMessage *message, double gap_s) {
  TgTimeParts *parts = tg_account_now(clocks->account);
  tg_account_to(clocks->account, &parts->bytes_s, message->begin_s - gap_s);
  tg_account_to(clocks->account, &parts->latency_s, message->begin_s);
  note_overhead(clocks, parts);
}

static void note_receive(const TgClocks *clocks, const TgLogGpMessage *message, double gap_s, double end_s) {
  TgAccount *account = clocks->account;
  TgTimeParts *parts = tg_account_now(account);
  tg_account_to(account, &parts->waiting_s, message->begin_s);
  tg_account_to(account, &parts->latency_s, message->arrival_s);
  tg_account_to(account, &parts->waiting_s, message->room_s);
  tg_account_to(account, &parts->contention_s, end_s - message->overhead_s - message->rest_s - gap_s);
  tg_account_to(account, &parts->latency_s, end_s - message->overhead_s - message->rest_s);
  tg_account_to(account, &parts->bytes_s, end_s - message->overhead_s - (message->rest_s - message->alone_s));
  tg_account_to(account, &parts->contention_s, end_s - message->overhead_s);
  note_overhead(clocks, parts);
}

static void run_messages(TgLogGp *model, const TgTransferRun *run) {
  TgClocks *clocks = run->clocks;
  const TgLane *lane = run->lane;
  const int64_t transfers = clocks->level ? 1 : lane->transfers;
  const bool alike = is_plain(model->lanes) && !lane->sizes;
  TgLogGpCost cost = cost_of(model, lane, 0);
  for (int64_t t = 0; t < transfers; t++) {
    if (!alike) cost = cost_of(model, lane, t);
    const double jitter = clocks->jitter > 0 ? tg_clocks_jitter(clocks) : 1;
    send(model, run, &cost, jitter, &model->message[t], clocks->level ? 0 : lane->from[t]);
    if (is_asked_for(clocks, lane->from[t])) note_send(clocks, &model->message[t], model->gap_s);
  }
  for (int64_t t = 0; t < transfers; t++) {
    const double end_s = receive(model, run, &model->message[t], clocks->level ? 0 : lane->to[t]);
    if (is_asked_for(clocks, lane->to[t])) note_receive(clocks, &model->message[t], model->gap_s, end_s);
  }
}

/* The gaps follow the clocks from one number for all nodes to one each. */
static void spread_gaps(TgLogGp *model, int64_t nodes) {
  for (int64_t n = 1; model->level && n < nodes; n++) {
    model->send_s[n] = model->send_s[0];
    model->receive_s[n] = model->receive_s[0];
  }
  model->level = false;
}

static bool flat_gaps(const TgLogGp *model, int64_t nodes) {
  for (int64_t n = 1; !model->level && n < nodes; n++)
    if (model->send_s[n] != model->send_s[0] || model->receive_s[n] != model->receive_s[0]) return false;
  return true;
}

static void transfer(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement) {
  TgLogGp *model = user;
  TgTransferRun run;
  if (lane->transfers == 0) {
    tg_clocks_transfer(clocks, lane, statement);
    return;
  }
  bool alike = is_plain(model->lanes) && lane->permutation && lane->transfers == clocks->nodes && !lane->sizes;
  if (lane->transfers > model->room)
    model->message = g_renew(TgLogGpMessage, model->message, model->room = lane->transfers);
  tg_clocks_open(&run, clocks, lane, statement, alike);
  if (!clocks->level) spread_gaps(model, clocks->nodes);
  const int64_t nodes = clocks->level ? 1 : clocks->nodes;
  run_messages(model, &run);
  for (int64_t n = 0; !clocks->overlap && n < nodes; n++) clocks->port[n] = tg_later(clocks->port[n], clocks->cpu[n]);
  tg_clocks_close(&run, alike && flat_gaps(model, clocks->nodes));
  model->level = clocks->level;
}

static void widen(void *user, const int32_t *from, int64_t nodes) {
  TgLogGp *model = user;
  tg_clocks_widen_array(&model->send_s, from, nodes, model->level);
  tg_clocks_widen_array(&model->receive_s, from, nodes, model->level);
}

bool tg_loggp_run(TgPrediction *prediction, GError **error) {
  const TgMachinePort *port = &prediction->machine->port;
  int64_t nodes = prediction->lanes.network->nodes;
  TgLogGp model = {.lanes = &prediction->lanes,
                   .overhead_s = port->overhead_s,
                   .gap_s = port->gap_s,
                   .send_s = g_new0(double, nodes),
                   .receive_s = g_new0(double, nodes),
                   .level = true};
  bool fine = tg_in_order_run(prediction, &(TgInOrderRules){.transfer = transfer, .widen = widen}, &model, error);
  g_free(model.send_s);
  g_free(model.receive_s);
  g_free(model.message);
  return fine;
}
