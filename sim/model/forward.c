/* Store and forward: each hop takes the link's latency and the message's bytes, a link serves in order of arrival.
 *
 * A hop takes at least some time W. So what arrives at links within a window of that length does not depend on anything
 * else that happens in it: windows are taken one after the other, and within a window each link sorts its own arrivals.
 * Nothing needs one queue in order of time. Where W is 0, a window holds one instant. */
#include "models.h"
#include "program.h"
#include "sim-error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a queue of events whose time never goes back ---------------------------------------------------------------- */

/* A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, Journal of the ACM 37(2), 1990). Events come out in batches: all that
 * fall into one window of time, in no order. An event may be added while its batch is worked on, if it falls into that
 * window or a later one. */

typedef struct TgEvent {
  double time_s;
  uint32_t item; /**< the owner's */
  uint32_t link;
} TgEvent;

enum { TG_EVENT_BUCKETS = 65 };

typedef struct TgEventBucket {
  TgEvent *event;
  gsize count, size;
  uint64_t earliest; /* window */
} TgEventBucket;

typedef struct TgEventQueue {
  double windows_per_s; /**< 0: a window is what a double holds apart, less 12 bits: equal to about 1e-12 */
  uint64_t last;        /**< the window that came out last */
  gsize count;
  TgEventBucket bucket[TG_EVENT_BUCKETS]; /**< by the highest bit in which a window differs from the last one */
  TgEventBucket batch;
} TgEventQueue;

/* Private: makes room for one more. */
static void bucket_grow(TgEventBucket *bucket) {
  bucket->size = MAX(bucket->size * 2, 32);
  bucket->event = g_renew(TgEvent, bucket->event, bucket->size);
}

/* The borders lie off the multiples of a window, where sums of equal times fall. */
static inline uint64_t window_of(const TgEventQueue *queue, double time_s) {
  uint64_t bits;
  if (queue->windows_per_s > 0) return (uint64_t)(int64_t)(time_s * queue->windows_per_s + 0.381966011);
  memcpy(&bits, &time_s, sizeof bits);
  return (bits + (1 << 11)) >> 12;
}

static inline void queue_deal(TgEventQueue *queue, TgEvent event) {
  uint64_t window = window_of(queue, event.time_s), different = window ^ queue->last;
  TgEventBucket *bucket = &queue->bucket[different ? 64 - __builtin_clzll(different) : 0];
  if (bucket->count == bucket->size) bucket_grow(bucket);
  if (bucket->count == 0 || window < bucket->earliest) bucket->earliest = window;
  bucket->event[bucket->count++] = event;
}

/** `time_s` is at least 0, and not before the window that came out last. */
static inline void queue_add(TgEventQueue *queue, TgEvent event) {
  queue->count++;
  queue_deal(queue, event);
}

/* @param window_s length of a window; 0 puts only equal instants into one */
static void queue_init(TgEventQueue *queue, double window_s) {
  *queue = (TgEventQueue){.windows_per_s = window_s > 0 ? 1 / window_s : 0};
}

static void queue_clear(TgEventQueue *queue) {
  for (int b = 0; b < TG_EVENT_BUCKETS; b++) g_free(queue->bucket[b].event);
  g_free(queue->batch.event);
}

/* Deals the first bucket that holds something over those below it, so that the earliest window comes to bucket 0. */
static void deal_first(TgEventQueue *queue) {
  int first = 1;
  while (queue->bucket[first].count == 0) first++;
  TgEventBucket *bucket = &queue->bucket[first];
  queue->last = bucket->earliest;
  for (gsize i = 0; i < bucket->count; i++) queue_deal(queue, bucket->event[i]);
  bucket->count = 0;
}

/* The next batch, valid until the next call; NULL where the queue is empty. */
static const TgEvent *queue_next(TgEventQueue *queue, gsize *count) {
  if (queue->count == 0) return NULL;
  if (queue->bucket[0].count == 0) deal_first(queue);
  TgEventBucket batch = queue->batch;
  queue->batch = queue->bucket[0];
  queue->bucket[0] = batch;
  queue->bucket[0].count = 0;
  *count = queue->batch.count;
  queue->count -= *count;
  return queue->batch.event;
}

/* What comes next may be before the window that came out last. */
static void queue_rewind(TgEventQueue *queue) {
  if (queue->count == 0) queue->last = 0;
}

/* --- messages under way, hop by hop ----------------------------------------------------------------------------- */

/** What every hop needs, in a cache line. The route is elsewhere, for the turns. */
typedef struct TgFlight {
  TgStage *stage;
  int32_t transfer;
  TgPatternEnds ends;
  uint32_t hop; /**< of its route, from 0 */
  int32_t hops; /**< left in the straight stretch that it is on */
  int32_t at, extent;
  int32_t step;              /**< 1 toward increasing coordinate, -1 against it */
  int32_t turns;             /**< 0: the route has no other stretch */
  int64_t link, link_stride; /**< as in TgRun */
} TgFlight;

typedef struct TgFlights {
  TgFlight *flight;
  TgRoute *route; /**< by flight; begun where it has turns */
  uint32_t count, size;
  uint32_t *spare; /**< flights that have ended */
  uint32_t spares;
} TgFlights;

enum { LINE_BYTES = 64 };
G_STATIC_ASSERT(sizeof(TgFlight) <= LINE_BYTES);

static void grow(TgFlights *flights) {
  flights->size = MAX(flights->size * 2, 1024);
  TgFlight *larger = g_aligned_alloc(flights->size, sizeof(TgFlight), LINE_BYTES);
  if (flights->count > 0) memcpy(larger, flights->flight, flights->count * sizeof *larger);
  g_aligned_free(flights->flight);
  flights->flight = larger;
  flights->route = g_renew(TgRoute, flights->route, flights->size);
  flights->spare = g_renew(uint32_t, flights->spare, flights->size);
}

/* A flight's number. May move the arrays. */
static uint32_t flights_take(TgFlights *flights) {
  if (flights->spares > 0) return flights->spare[--flights->spares];
  if (flights->count == flights->size) grow(flights);
  return flights->count++;
}

static void flights_clear(TgFlights *flights) {
  g_aligned_free(flights->flight);
  g_free(flights->route);
  g_free(flights->spare);
}

/* Begins the next stretch of the route. */
static bool flights_turn(TgFlights *flights, uint32_t number, uint32_t *link) {
  TgFlight *flight = &flights->flight[number];
  TgRoute *route = &flights->route[number];
  TgHop hop;
  if (!tg_route_next(route, &hop)) return false;
  const TgRun *run = &route->run;
  flight->hops = run->hops;
  flight->at = run->at;
  flight->extent = run->extent;
  flight->step = run->forward ? 1 : -1;
  flight->link = run->link;
  flight->link_stride = run->link_stride;
  route->run.hops = 0; /* the flight goes through the stretch by itself */
  *link = (uint32_t)hop.link;
  return true;
}

static inline void flights_give_back(TgFlights *flights, uint32_t number) {
  flights->spare[flights->spares++] = number;
}

/** Goes one hop along the route: its link; false at the end. */
static inline bool flights_next(TgFlights *flights, uint32_t number, uint32_t *link) {
  TgFlight *flight = &flights->flight[number];
  if (flight->hops == 0) return flight->turns && flights_turn(flights, number, link);
  int32_t next = flight->at + flight->step;
  if (next == flight->extent) next = 0;
  if (next < 0) next = flight->extent - 1;
  *link = (uint32_t)(flight->link + (flight->step > 0 ? flight->at : next) * flight->link_stride);
  flight->at = next;
  flight->hops--;
  return true;
}

/* --- links that serve in order of arrival ------------------------------------------------------------------------ */

enum { AHEAD = 16 /* events */ };

/* An arrival at a server, with what decides its turn. */
typedef struct TgArrival {
  double time_s;
  uint32_t hop;
  int32_t source, transfer;
  int64_t stage; /* its number */
  TgEvent event;
} TgArrival;

/* A link; with half duplex, a cable. */
typedef struct TgServer {
  double free_s; /* when it is free again */
  int32_t visit; /* its place among those that the batch visits; -1 none */
} TgServer;

typedef struct TgVisit {
  uint32_t server;
  int32_t event; /* the last one in the batch; the others follow in a list by `next` */
} TgVisit;

typedef struct TgForward {
  TgPrediction *prediction;
  TgProgram *program;
  TgEventQueue queue;
  TgFlights flights;
  TgServer *server;
  int32_t *next; /* by event of the batch */
  gsize next_size;
  TgVisit *visit;   /* servers with events in this batch */
  GArray *arrivals; /* TgArrival, of one server */
} TgForward;

static uint32_t server_of(const TgForward *forward, uint32_t link) {
  const TgLanes *lanes = &forward->prediction->lanes;
  bool shared = lanes->half && tg_lanes_link(lanes, link)->duplex == TG_DUPLEX_HALF;
  return shared ? link & ~UINT32_C(1) : link;
}

/* All hops of a stage take the same time where messages, links and luck are alike. */
static double common_hop_time(const TgForward *forward, const TgPattern *pattern) {
  const TgLanes *lanes = &forward->prediction->lanes;
  const TgMachineLink *common = &lanes->common;
  bool alike =
      lanes->one_link && pattern->lanes == 1 && !pattern->lane[0]->sizes && forward->prediction->options->jitter == 0;
  return alike ? tg_link_s(common, (double)tg_pattern_bytes(pattern, 0)) : -1;
}

static void depart(void *user, TgStage *stage, int32_t transfer, TgPatternEnds ends, double at_s) {
  TgForward *forward = user;
  const TgTopology *network = forward->prediction->lanes.network;
  TgPattern *pattern = stage->pattern;
  if (pattern->hop_s == 0) pattern->hop_s = common_hop_time(forward, pattern);
  uint32_t link = 0, number = flights_take(&forward->flights);
  TgFlight *flight = &forward->flights.flight[number];
  *flight = (TgFlight){.stage = stage, .transfer = transfer, .ends = ends, .turns = !pattern->one_hop};
  if (pattern->one_hop) {
    if (!pattern->first_link) tg_pattern_route(pattern, network);
    link = pattern->first_link[transfer];
  } else {
    tg_route_begin(&forward->flights.route[number], network, ends.from, ends.to);
    flights_next(&forward->flights, number, &link);
  }
  queue_add(&forward->queue, (TgEvent){.time_s = at_s, .item = number, .link = link});
}

static double hop_time(const TgForward *forward, const TgFlight *flight, uint32_t link) {
  double hop_s = flight->stage->pattern->hop_s;
  if (hop_s > 0) return hop_s;
  const TgMachineLink *numbers = tg_lanes_link(&forward->prediction->lanes, link);
  const double time = tg_link_s(numbers, (double)tg_stage_bytes(flight->stage, flight->transfer));
  return time * tg_program_jitter(forward->program, flight->stage, flight->transfer, flight->hop);
}

static void serve(TgForward *forward, const TgEvent *event) {
  TgFlight *flight = &forward->flights.flight[event->item];
  double *free_s = &forward->server[server_of(forward, event->link)].free_s;
  double begin = *free_s, arrival = event->time_s;
  double end = (begin > arrival ? begin : arrival) + hop_time(forward, flight, event->link);
  uint32_t number = event->item, link;
  *free_s = end;
  if (flights_next(&forward->flights, number, &link)) {
    flight->hop++;
    queue_add(&forward->queue, (TgEvent){.time_s = end, .item = number, .link = link});
    return;
  }
  TgStage *stage = flight->stage;
  int32_t transfer = flight->transfer;
  flights_give_back(&forward->flights, number);
  tg_program_deliver(forward->program, stage, transfer, end);
}

/* In order of time; at equal instants new messages before forwarded ones, then the lower source, then program order. */
static int compare(const void *a, const void *b) {
  const TgArrival *one = a, *other = b;
  double difference = one->time_s - other->time_s;
  if (fabs(difference) > 1e-12 * fmax(one->time_s, other->time_s)) return difference < 0 ? -1 : 1;
  bool forwarded = one->hop > 0, other_forwarded = other->hop > 0;
  if (forwarded != other_forwarded) return forwarded ? 1 : -1;
  if (one->source != other->source) return one->source < other->source ? -1 : 1;
  if (one->stage != other->stage) return one->stage < other->stage ? -1 : 1;
  return one->transfer < other->transfer ? -1 : 1;
}

static void serve_several(TgForward *forward, const TgEvent *events, int32_t event) {
  g_array_set_size(forward->arrivals, 0);
  for (; event >= 0; event = forward->next[event]) {
    const TgFlight *flight = &forward->flights.flight[events[event].item];
    TgArrival arrival = {events[event].time_s, flight->hop,           flight->ends.from,
                         flight->transfer,     flight->stage->number, events[event]};
    g_array_append_val(forward->arrivals, arrival);
  }
  GArray *arrivals = forward->arrivals;
  qsort(arrivals->data, arrivals->len, sizeof(TgArrival), compare);
  for (guint i = 0; i < arrivals->len; i++) serve(forward, &g_array_index(arrivals, TgArrival, i).event);
}

/* Returns how many servers have events. */
static gsize list_events(TgForward *forward, const TgEvent *events, gsize count) {
  gsize visits = 0;
  if (count > forward->next_size) {
    forward->next_size = count * 2;
    forward->next = g_renew(int32_t, forward->next, forward->next_size);
    forward->visit = g_renew(TgVisit, forward->visit, forward->next_size);
  }
  for (gsize i = 0; i < count; i++) {
    if (i + AHEAD < count) __builtin_prefetch(&forward->server[server_of(forward, events[i + AHEAD].link)], 1);
    uint32_t number = server_of(forward, events[i].link);
    int32_t *visit = &forward->server[number].visit;
    if (*visit < 0) {
      *visit = (int32_t)visits;
      forward->visit[visits++] = (TgVisit){number, (int32_t)i};
      forward->next[i] = -1;
    } else {
      forward->next[i] = forward->visit[*visit].event;
      forward->visit[*visit].event = (int32_t)i;
    }
  }
  return visits;
}

static void serve_batch(TgForward *forward, const TgEvent *events, gsize count) {
  gsize visits = list_events(forward, events, count);
  for (gsize i = 0; i < visits; i++) {
    if (i + AHEAD < visits) { /* what is met in no order is fetched while what comes before it is worked on */
      TgVisit later = forward->visit[i + AHEAD];
      __builtin_prefetch(&forward->server[later.server], 1);
      __builtin_prefetch(&forward->flights.flight[events[later.event].item], 1);
      const TgFlight *next = &forward->flights.flight[events[forward->visit[i + AHEAD / 2].event].item];
      if (next->hops == 0) tg_program_fetch(forward->program, next->stage, next->transfer, next->ends);
    }
    TgVisit visit = forward->visit[i];
    forward->server[visit.server].visit = -1;
    if (forward->next[visit.event] < 0)
      serve(forward, &events[visit.event]);
    else
      serve_several(forward, events, visit.event);
  }
}

/* Until when the links that leave each node are in use. */
static double *held_until(const TgForward *forward) {
  const TgTopology *network = forward->prediction->lanes.network;
  double *held = g_new0(double, network->nodes);
  for (int64_t l = 0; l < network->links; l++) {
    TgLink link;
    if (forward->server[l].free_s == 0) continue;
    tg_topology_link(network, l, &link);
    if (link.from < network->nodes) held[link.from] = fmax(held[link.from], forward->server[l].free_s);
  }
  return held;
}

static void run_events(TgForward *forward) {
  const TgEvent *events;
  gsize count;
  do {
    while (!tg_program_is_over(forward->program) && (events = queue_next(&forward->queue, &count))) {
      serve_batch(forward, events, count);
      if (tg_program_is_calm(forward->program)) tg_program_gate(forward->program);
    }
    queue_rewind(&forward->queue);
  } while (tg_program_widen(forward->program));
}

static void run(TgForward *forward) {
  bool done = false;
  tg_program_begin(forward->program);
  while (!done) {
    run_events(forward);
    if (!tg_program_is_gated(forward->program) || tg_program_is_over(forward->program)) return;
    g_autofree double *held = held_until(forward);
    done = tg_program_run_rest(forward->program, held);
  }
}

/* No hop takes less than this. */
static double least_hop(const TgForward *forward) {
  const TgLanes *lanes = &forward->prediction->lanes;
  double least = INFINITY, bytes = (double)tg_program_least_bytes(forward->program);
  for (int64_t l = 0; l < (lanes->one_link ? 1 : lanes->network->links); l++) {
    const TgMachineProtocol best = tg_link_best(tg_lanes_link(lanes, l), bytes);
    least = fmin(least, best.latency_s + bytes / best.bandwidth_bytes_per_s);
  }
  return isfinite(least) ? least : 0;
}

static void clear(TgForward *forward) {
  queue_clear(&forward->queue);
  tg_program_free(forward->program);
  flights_clear(&forward->flights);
  g_array_unref(forward->arrivals);
  g_free(forward->server);
  g_free(forward->next);
  g_free(forward->visit);
}

bool tg_forward_run(TgPrediction *prediction, GError **error) {
  int64_t links = prediction->lanes.network->links;
  if (links > UINT32_MAX)
    return TG_SIM_FAIL(error, BAD_INPUT, "a network of %" PRId64 " links: store-and-forward supports at most %" PRIu32,
                       links, UINT32_MAX);
  TgForward forward = {.prediction = prediction,
                       .arrivals = g_array_new(FALSE, FALSE, sizeof(TgArrival)),
                       .server = g_new(TgServer, links + 1)};
  for (int64_t l = 0; l < links; l++) forward.server[l] = (TgServer){.visit = -1};
  tg_lanes_list_links(&prediction->lanes);
  forward.program = tg_program_new(prediction, depart, &forward, false);
  queue_init(&forward.queue, least_hop(&forward));
  run(&forward);
  bool fine = tg_program_finish(forward.program, error);
  clear(&forward);
  return fine;
}
