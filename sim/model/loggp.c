/* LogGP (A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, SPAA 1995) by the rules of T. Hoefler, T. Schneider,
 * A. Lumsdaine, LogGOPSim, HPDC 2010, with O = 0 and all messages eager; docs/reference/models.md has the equations.
 *
 * Sends and receives of a node follow the program: all sends of a phase, then its receives, each in order of the
 * sender. So no message waits for one of a later phase, and every time is a maximum of sums of o, g, G and L. */
#include "in-order.h"
#include "loggp-message.h"
#include "models.h"

#include <math.h>

typedef struct TgLogGp {
  const TgLanes *lanes;
  double gap_s;
  double *send_s, *receive_s; /* by node: when its network interface can send and receive again */
  bool level;                 /* entry 0 of them stands for all nodes */
  TgLogGpMessage *message;    /* by transfer of a phase */
  int64_t room;
} TgLogGp;

/* The processor works o for the message; products that come later wait for it. */
static inline void occupy(TgClocks *clocks, int32_t node, double begin_s, double overhead_s) {
  clocks->cpu[node] = tg_later(clocks->cpu[node], begin_s) + overhead_s;
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

static void run_messages(TgLogGp *model, const TgTransferRun *run) {
  TgClocks *clocks = run->clocks;
  const TgLane *lane = run->lane;
  const int64_t transfers = clocks->level ? 1 : lane->transfers;
  const bool alike = tg_loggp_is_plain(model->lanes) && !lane->sizes;
  TgLogGpCost cost = tg_loggp_cost(model->lanes, lane, 0);
  for (int64_t t = 0; t < transfers; t++) {
    if (!alike) cost = tg_loggp_cost(model->lanes, lane, t);
    const double jitter = clocks->jitter > 0 ? tg_clocks_jitter(clocks) : 1;
    send(model, run, &cost, jitter, &model->message[t], clocks->level ? 0 : lane->from[t]);
    if (is_asked_for(clocks, lane->from[t]))
      tg_loggp_note_send(clocks->account, &model->message[t], model->gap_s,
                         tg_clocks_at(clocks, clocks->account->node));
  }
  for (int64_t t = 0; t < transfers; t++) {
    const double end_s = receive(model, run, &model->message[t], clocks->level ? 0 : lane->to[t]);
    if (is_asked_for(clocks, lane->to[t]))
      tg_loggp_note_receive(clocks->account, &model->message[t], model->gap_s, end_s,
                            tg_clocks_at(clocks, clocks->account->node));
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
  bool alike = tg_loggp_is_plain(model->lanes) && lane->permutation && lane->transfers == clocks->nodes && !lane->sizes;
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
  const int64_t nodes = prediction->lanes.network->nodes;
  TgLogGp model = {.lanes = &prediction->lanes,
                   .gap_s = prediction->machine->port.gap_s,
                   .send_s = g_new0(double, nodes),
                   .receive_s = g_new0(double, nodes),
                   .level = true};
  bool fine = tg_in_order_run(prediction, &(TgInOrderRules){.transfer = transfer, .widen = widen}, &model, error);
  g_free(model.send_s);
  g_free(model.receive_s);
  g_free(model.message);
  return fine;
}
