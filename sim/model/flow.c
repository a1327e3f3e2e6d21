/* Fluid sharing of links: after the latency of its path a message's bytes drain at the max-min fair rate. */
#include "fair-share.h"
#include "models.h"
#include "numbers.h"
#include "program.h"
#include "time-heap.h"

#include <math.h>

/* Times that differ by less than this part of themselves are one instant. */
static const double instant = 1e-12;

/* A message that has departed. */
typedef struct TgMessageOut {
  TgStage *stage;
  int32_t transfer;
  TgPatternEnds ends;
  double latency_s; /* of its path, without jitter */
} TgMessageOut;

typedef struct TgFlow {
  TgPrediction *prediction;
  TgProgram *program;
  TgFairShare *fair;
  TgTimeHeap starts;  /* when the messages' bytes begin to drain; once the program is gated, in no order */
  GArray *messages;   /* TgMessageOut */
  TgNumbers spare;    /* messages that have gone */
  TgNumbers draining; /* by flow: its message */
  TgNumbers path;     /* scratch: the links of a route */
  double *capacity;   /* by link */
  bool equal;         /* all weights are 1 */
} TgFlow;

/* Both directions of a half-duplex cable are the lower of its two links. */
static int32_t shared_link(const TgFlow *flow, int64_t link) {
  const TgLanes *lanes = &flow->prediction->lanes;
  bool half = lanes->half && tg_lanes_link(lanes, link)->duplex == TG_DUPLEX_HALF;
  return (int32_t)(half ? link & ~INT64_C(1) : link);
}

static TgMessageOut *message_at(const TgFlow *flow, int32_t number) {
  return &g_array_index(flow->messages, TgMessageOut, number);
}

/* --- a message ---------------------------------------------------------------------------------------------------- */

/* Its latency and, in `path`, what it crosses. `*used`, if asked for: the fraction of its share of the links that the
 * message can use. */
static double find_path(TgFlow *flow, TgPatternEnds ends, double bytes, double *used) {
  TgRoute route;
  TgHop hop;
  double latency_s = 0, hops_s = 0, narrowest = INFINITY, least_used = INFINITY;
  flow->path.count = 0;
  tg_route_begin(&route, flow->prediction->lanes.network, ends.from, ends.to);
  while (tg_route_next(&route, &hop)) {
    const TgMachineLink *numbers = tg_lanes_link(&flow->prediction->lanes, hop.link);
    const TgMachineProtocol protocol = tg_link_protocol(numbers, bytes);
    int32_t link = shared_link(flow, hop.link);
    latency_s = fmax(latency_s, protocol.latency_s);
    if (flow->path.count > 0) hops_s += numbers->per_hop_s;
    narrowest = fmin(narrowest, flow->capacity[link]);
    least_used = fmin(least_used, protocol.bandwidth_bytes_per_s);
    tg_numbers_push(&flow->path, link);
  }
  if (used) *used = isinf(narrowest) ? 1 : least_used / narrowest;
  return latency_s + hops_s;
}

static int32_t take_message(TgFlow *flow) {
  if (flow->spare.count > 0) return flow->spare.number[--flow->spare.count];
  g_array_set_size(flow->messages, flow->messages->len + 1);
  return (int32_t)flow->messages->len - 1;
}

static double jitter(const TgFlow *flow, const TgMessageOut *message, uint32_t draw) {
  return tg_program_jitter(flow->program, message->stage, message->transfer, draw);
}

static double bytes_of(const TgFlow *flow, const TgMessageOut *message) {
  return (double)tg_stage_bytes(message->stage, message->transfer) * jitter(flow, message, 1);
}

static double latency_of(TgFlow *flow, const TgStage *stage, int32_t transfer, TgPatternEnds ends) {
  const TgMachineLink *common = &flow->prediction->lanes.common;
  const double bytes = (double)tg_stage_bytes(stage, transfer);
  if (!flow->prediction->lanes.one_link) return find_path(flow, ends, bytes, NULL);
  const double latency_s = tg_link_protocol(common, bytes).latency_s;
  if (stage->pattern->one_hop) return latency_s;
  int64_t hops = tg_topology_distance(flow->prediction->lanes.network, ends.from, ends.to);
  return latency_s + (double)(hops - 1) * common->per_hop_s;
}

static void depart(void *user, TgStage *stage, int32_t transfer, TgPatternEnds ends, double at_s) {
  TgFlow *flow = user;
  int32_t number = take_message(flow);
  TgMessageOut *message = message_at(flow, number);
  *message = (TgMessageOut){
      .stage = stage, .transfer = transfer, .ends = ends, .latency_s = latency_of(flow, stage, transfer, ends)};
  TgTimed start = {.time_s = at_s + message->latency_s * jitter(flow, message, 0), .number = number};
  tg_time_heap_push(&flow->starts, start);
}

static void deliver(TgFlow *flow, int32_t number, double end_s) {
  TgMessageOut message = *message_at(flow, number);
  tg_numbers_push(&flow->spare, number);
  tg_program_deliver(flow->program, message.stage, message.transfer, end_s);
}

static void start(TgFlow *flow, int32_t number, double now_s) {
  const TgMessageOut *message = message_at(flow, number);
  double weight = flow->equal ? 1 : 1 / message->latency_s, used;
  find_path(flow, message->ends, (double)tg_stage_bytes(message->stage, message->transfer), &used);
  int32_t drain = tg_fair_share_add(flow->fair, flow->path.number, (int32_t)flow->path.count, weight,
                                    bytes_of(flow, message) / used, now_s);
  while ((gsize)drain >= flow->draining.count) tg_numbers_push(&flow->draining, -1);
  flow->draining.number[drain] = number;
}

/* --- all of them, by time ----------------------------------------------------------------------------------------- */

static double next_start_s(const TgFlow *flow) {
  return flow->starts.count > 0 ? flow->starts.entry[0].time_s : INFINITY;
}

/* All that ends or starts at one instant, what starts because something ends at it included. */
static void run_instant(TgFlow *flow, double now_s) {
  double until_s = now_s * (1 + instant), end_s;
  int32_t drain;
  while (tg_fair_share_take(flow->fair, until_s, &drain, &end_s)) deliver(flow, flow->draining.number[drain], end_s);
  while (next_start_s(flow) <= until_s) {
    TgTimed first = tg_time_heap_pop(&flow->starts);
    start(flow, first.number, first.time_s);
  }
  tg_fair_share_update(flow->fair, now_s);
}

/* Nothing is shared any more: a message's end follows from its departure. */
static void run_calm(TgFlow *flow) {
  int32_t drain;
  double end_s;
  tg_program_gate(flow->program);
  for (;;) {
    while (tg_fair_share_take(flow->fair, INFINITY, &drain, &end_s)) deliver(flow, flow->draining.number[drain], end_s);
    if (flow->starts.count == 0) break;
    TgTimed last = flow->starts.entry[--flow->starts.count];
    const TgMessageOut *message = message_at(flow, last.number);
    double used;
    find_path(flow, message->ends, (double)tg_stage_bytes(message->stage, message->transfer), &used);
    const double capacity = flow->capacity[flow->path.number[0]];
    deliver(flow, last.number, last.time_s + bytes_of(flow, message) / used / capacity);
  }
  tg_program_run_rest(flow->program, NULL);
}

static void run_events(TgFlow *flow) {
  tg_program_begin(flow->program);
  for (;;) {
    if (tg_program_is_calm(flow->program)) {
      run_calm(flow);
      return;
    }
    double now_s = fmin(next_start_s(flow), tg_fair_share_next_s(flow->fair));
    if (tg_program_is_over(flow->program)) return;
    if (!isinf(now_s))
      run_instant(flow, now_s);
    else if (!tg_program_widen(flow->program))
      return;
  }
}

/* --- the model ---------------------------------------------------------------------------------------------------- */

static void find_numbers(TgFlow *flow) {
  TgLanes *lanes = &flow->prediction->lanes;
  int64_t links = lanes->network->links;
  tg_lanes_list_links(lanes);
  flow->capacity = g_new(double, links + 1);
  flow->equal = flow->prediction->options->fair_equal;
  for (int64_t l = 0; l < links; l++) {
    const TgMachineLink *link = tg_lanes_link(lanes, l);
    flow->capacity[l] = tg_link_capacity(link);
    flow->equal = flow->equal || tg_link_best(link, 0).latency_s == 0;
  }
}

static void clear(TgFlow *flow) {
  g_array_unref(flow->messages);
  g_free(flow->spare.number);
  g_free(flow->draining.number);
  g_free(flow->path.number);
  tg_program_free(flow->program);
  tg_fair_share_free(flow->fair);
  tg_time_heap_clear(&flow->starts);
  g_free(flow->capacity);
}

bool tg_flow_run(TgPrediction *prediction, GError **error) {
  TgFlow flow = {.prediction = prediction, .messages = g_array_new(FALSE, FALSE, sizeof(TgMessageOut))};
  find_numbers(&flow);
  flow.fair = tg_fair_share_new(prediction->lanes.network->links, flow.capacity);
  flow.program = tg_program_new(prediction, depart, &flow, false);
  run_events(&flow);
  bool fine = tg_program_finish(flow.program, error);
  clear(&flow);
  return fine;
}
