/* LogGP where a processor receives a message as soon as it is there and the processor is free, whatever its program
 * does next: the rules of LogGOPSim with O = 0 and all messages eager (loggp.c has the sources).
 * docs/reference/models.md has the equations. What a processor does next depends on what has arrived, so all
 * processors are followed together, in order of time. */
#include "loggp-message.h"
#include "models.h"
#include "numbers.h"
#include "program.h"
#include "time-heap.h"

#include <math.h>

/* Times that differ by less than this part of themselves are one instant. */
static const double instant = 1e-12;

/* A message, from when its sender comes to it until both ends are reported to the program. */
typedef struct TgArrivingMessage {
  TgLogGpMessage times;
  TgStage *stage;
  int32_t transfer;
  TgPatternEnds ends;
  double ready_s, latency_s;
  double sent_s, received_s;
  int32_t next_out, next_in; /* in a queue of its sender, and of its receiver; -1 none */
  int open;                  /* ends that are not reported yet */
} TgArrivingMessage;

/* Messages, first in, first out. */
typedef struct TgQueue {
  int32_t first, last; /* -1: empty */
} TgQueue;

typedef struct TgArrivalNode {
  double free_s;            /* when it is done with its last message */
  double send_s, receive_s; /* when its network interface can send and receive again */
  double look_s;            /* when it looks for what to do next; INFINITY: only when a message arrives */
  TgQueue to_send, arrived;
  TgQueue sent, received; /* not reported to the program yet */
} TgArrivalNode;

/* A message that arrives in the instant under way. */
typedef struct TgAtOnce {
  int64_t stage; /* its number */
  int32_t transfer, number;
} TgAtOnce;

typedef struct TgArrival {
  TgPrediction *prediction;
  TgProgram *program;
  TgArrivalNode *node;
  GArray *messages;  /* TgArrivingMessage */
  TgNumbers spare;   /* messages that are done */
  TgTimeHeap next;   /* a message arrives, or a node looks */
  GArray *arriving;  /* TgAtOnce */
  TgNumbers looking; /* nodes of one instant */
  double gap_s;
  bool all_ports;
} TgArrival;

enum { ARRIVES, LOOKS }; /* stamps in the heap */

static TgArrivingMessage *message_at(const TgArrival *arrival, int32_t number) {
  return &g_array_index(arrival->messages, TgArrivingMessage, number);
}

static int32_t take_message(TgArrival *arrival) {
  if (arrival->spare.count > 0) return arrival->spare.number[--arrival->spare.count];
  g_array_set_size(arrival->messages, arrival->messages->len + 1);
  return (int32_t)arrival->messages->len - 1;
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

static int32_t *next_of(const TgArrival *arrival, int32_t number, bool out) {
  TgArrivingMessage *message = message_at(arrival, number);
  return out ? &message->next_out : &message->next_in;
}

static void push(const TgArrival *arrival, TgQueue *queue, int32_t number, bool out) {
  *next_of(arrival, number, out) = -1;
  if (queue->first < 0)
    queue->first = number;
  else
    *next_of(arrival, queue->last, out) = number;
  queue->last = number;
}

static int32_t pop(const TgArrival *arrival, TgQueue *queue, bool out) {
  const int32_t number = queue->first;
  queue->first = *next_of(arrival, number, out);
  return number;
}

/* --- one node ----------------------------------------------------------------------------------------------------- */

static void look_at(TgArrival *arrival, int32_t number, double at_s) {
  TgArrivalNode *node = &arrival->node[number];
  if (node->look_s <= at_s) return;
  node->look_s = at_s;
  tg_time_heap_push(&arrival->next, (TgTimed){.time_s = at_s, .number = number, .stamp = LOOKS});
}

static double free_s(const TgArrival *arrival, int32_t number) {
  return tg_later(arrival->node[number].free_s, tg_program_free_s(arrival->program, number));
}

static void depart(void *user, TgStage *stage, int32_t transfer, TgPatternEnds ends, double at_s) {
  TgArrival *arrival = user;
  const TgPattern *pattern = stage->pattern;
  const TgLane *lane = tg_pattern_lane(pattern, transfer);
  const int which = pattern->which ? pattern->which[transfer] : 0;
  const TgLogGpCost cost = tg_loggp_cost(&arrival->prediction->lanes, lane, transfer - pattern->offset[which]);
  const double jitter = tg_program_jitter(arrival->program, stage, transfer, 0);
  const int32_t number = take_message(arrival);
  *message_at(arrival, number) = (TgArrivingMessage){.times = {.rest_s = cost.rest_s * jitter,
                                                               .alone_s = cost.alone_s * jitter,
                                                               .overhead_s = cost.overhead_s * jitter},
                                                     .stage = stage,
                                                     .transfer = transfer,
                                                     .ends = ends,
                                                     .ready_s = at_s,
                                                     .latency_s = cost.latency_s * jitter,
                                                     .open = 2};
  push(arrival, &arrival->node[ends.from].to_send, number, true);
  look_at(arrival, ends.from, at_s);
}

/* When the node could send what it has to send next, were it free. */
static double can_send_s(const TgArrival *arrival, const TgArrivalNode *node) {
  const double ready_s = message_at(arrival, node->to_send.first)->ready_s;
  return arrival->all_ports ? ready_s : tg_later(ready_s, node->send_s);
}

static void send(TgArrival *arrival, int32_t number) {
  TgArrivalNode *node = &arrival->node[number];
  const double begin_s = tg_later(can_send_s(arrival, node), free_s(arrival, number));
  const int32_t sent = pop(arrival, &node->to_send, true);
  TgArrivingMessage *message = message_at(arrival, sent);
  TgLogGpMessage *times = &message->times;
  times->begin_s = begin_s;
  times->arrival_s = begin_s + times->overhead_s + message->latency_s;
  message->sent_s = node->free_s = begin_s + times->overhead_s;
  node->send_s = begin_s + arrival->gap_s + times->rest_s;
  const double busy_s = tg_program_occupy(arrival->program, number, begin_s, times->overhead_s);
  TgAccount *account = tg_program_account(arrival->program, number);
  if (account) tg_loggp_note_send(account, times, arrival->gap_s, tg_later(node->free_s, busy_s));
  push(arrival, &node->sent, sent, true);
  const double whole_s =
      arrival->all_ports ? times->rest_s : 0; /* all bytes come in while the processor does other things */
  tg_time_heap_push(&arrival->next, (TgTimed){.time_s = times->arrival_s + whole_s, .number = sent, .stamp = ARRIVES});
}

static void receive(TgArrival *arrival, int32_t number) {
  TgArrivalNode *node = &arrival->node[number];
  const int32_t received = pop(arrival, &node->arrived, false);
  TgArrivingMessage *message = message_at(arrival, received);
  const TgLogGpMessage *times = &message->times;
  const double rest_s = arrival->all_ports ? 0 : times->rest_s;
  const double arrival_s = times->arrival_s + (times->rest_s - rest_s);
  const double port_s = arrival->all_ports ? 0 : node->receive_s;
  const double begin_s = tg_later(tg_later(arrival_s, port_s), free_s(arrival, number));
  message->received_s = node->free_s = begin_s + rest_s + times->overhead_s;
  node->receive_s = begin_s + arrival->gap_s + rest_s;
  const double busy_s = tg_program_occupy(arrival->program, number, begin_s + rest_s, times->overhead_s);
  TgAccount *account = tg_program_account(arrival->program, number);
  if (account) tg_loggp_note_receive(account, times, arrival->gap_s, node->free_s, tg_later(node->free_s, busy_s));
  push(arrival, &node->received, received, false);
}

static void drop(TgArrival *arrival, int32_t number) {
  if (--message_at(arrival, number)->open == 0) tg_numbers_push(&arrival->spare, number);
}

/* Reports the messages that the node has sent and received, so that its program goes on. False where there are none. */
static bool report(TgArrival *arrival, int32_t number) {
  TgArrivalNode *node = &arrival->node[number];
  const double now_s = free_s(arrival, number);
  const bool any = node->sent.first >= 0 || node->received.first >= 0;
  while (node->sent.first >= 0) {
    const int32_t sent = pop(arrival, &node->sent, true);
    const TgArrivingMessage message = *message_at(arrival, sent);
    drop(arrival, sent);
    tg_program_sent(arrival->program, message.stage, message.transfer, message.sent_s, now_s);
  }
  while (node->received.first >= 0) {
    const int32_t received = pop(arrival, &node->received, false);
    const TgArrivingMessage message = *message_at(arrival, received);
    drop(arrival, received);
    tg_program_received(arrival->program, message.stage, message.transfer, message.received_s, now_s);
  }
  return any;
}

/* Begins all that the node can begin by `until_s`: what its program has come to, then receives, and only then what
 * follows a product. */
static void look(TgArrival *arrival, int32_t number, double until_s) {
  TgArrivalNode *node = &arrival->node[number];
  for (;;) {
    const double busy_s = free_s(arrival, number);
    if (busy_s > until_s) {
      look_at(arrival, number, busy_s);
      return;
    }
    if (report(arrival, number)) continue;
    const double send_s = node->to_send.first < 0 ? INFINITY : can_send_s(arrival, node);
    if (send_s <= until_s) {
      send(arrival, number);
      continue;
    }
    const double receive_s = node->arrived.first < 0 ? INFINITY : arrival->all_ports ? 0 : node->receive_s;
    if (receive_s <= until_s) {
      receive(arrival, number);
      continue;
    }
    if (tg_program_resume(arrival->program, number)) continue;
    if (!isinf(fmin(receive_s, send_s))) look_at(arrival, number, fmin(receive_s, send_s));
    return;
  }
}

/* --- all of them, by time ----------------------------------------------------------------------------------------- */

/* Messages of earlier statements first, each statement's in the order of its senders. */
static int compare_arrivals(const void *a, const void *b) {
  const TgAtOnce *first = a, *second = b;
  if (first->stage != second->stage) return first->stage < second->stage ? -1 : 1;
  return (first->transfer > second->transfer) - (first->transfer < second->transfer);
}

static void arrive(TgArrival *arrival) {
  g_array_sort(arrival->arriving, compare_arrivals);
  for (guint i = 0; i < arrival->arriving->len; i++) {
    const int32_t number = g_array_index(arrival->arriving, TgAtOnce, i).number;
    const int32_t to = message_at(arrival, number)->ends.to;
    push(arrival, &arrival->node[to].arrived, number, false);
    tg_numbers_push(&arrival->looking, to);
  }
}

static void run_instant(TgArrival *arrival, double until_s) {
  arrival->looking.count = 0;
  g_array_set_size(arrival->arriving, 0);
  while (arrival->next.count > 0 && arrival->next.entry[0].time_s <= until_s) {
    const TgTimed first = tg_time_heap_pop(&arrival->next);
    if (first.stamp == ARRIVES) {
      const TgArrivingMessage *message = message_at(arrival, first.number);
      const TgAtOnce one = {message->stage->number, message->transfer, first.number};
      g_array_append_val(arrival->arriving, one);
    } else if (arrival->node[first.number].look_s == first.time_s) {
      arrival->node[first.number].look_s = INFINITY;
      tg_numbers_push(&arrival->looking, first.number);
    }
  }
  arrive(arrival);
  for (gsize i = 0; i < arrival->looking.count; i++) look(arrival, arrival->looking.number[i], until_s);
}

static void run_events(TgArrival *arrival) {
  const int64_t nodes = arrival->prediction->lanes.network->nodes;
  tg_program_begin(arrival->program);
  for (int64_t n = 0; n < nodes; n++) look_at(arrival, (int32_t)n, 0);
  while (arrival->next.count > 0 && !tg_program_is_over(arrival->program))
    run_instant(arrival, arrival->next.entry[0].time_s * (1 + instant));
}

bool tg_loggp_arrival_run(TgPrediction *prediction, GError **error) {
  const int64_t nodes = prediction->lanes.network->nodes;
  const TgMachinePort *port = &prediction->machine->port;
  TgArrival arrival = {.prediction = prediction,
                       .node = g_new(TgArrivalNode, nodes),
                       .messages = g_array_new(FALSE, FALSE, sizeof(TgArrivingMessage)),
                       .arriving = g_array_new(FALSE, FALSE, sizeof(TgAtOnce)),
                       .all_ports = port->ports == TG_PORTS_ALL};
  const TgQueue empty = {-1, -1};
  arrival.gap_s = arrival.all_ports ? 0 : port->gap_s;
  for (int64_t n = 0; n < nodes; n++)
    arrival.node[n] =
        (TgArrivalNode){.look_s = INFINITY, .to_send = empty, .arrived = empty, .sent = empty, .received = empty};
  arrival.program = tg_program_new(prediction, depart, &arrival, true);
  run_events(&arrival);
  const bool fine = tg_program_finish(arrival.program, error);
  tg_program_free(arrival.program);
  tg_time_heap_clear(&arrival.next);
  g_array_unref(arrival.messages);
  g_array_unref(arrival.arriving);
  g_free(arrival.spare.number);
  g_free(arrival.looking.number);
  g_free(arrival.node);
  return fine;
}
