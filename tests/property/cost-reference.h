/** @file cost-reference.h
 * Store and forward, and hockney, once more, from its rules alone and as plainly as can be: a list of transfers, one
 * object each, searched for the next event; a program counter for each node. It shares with sim/ the phases of a
 * schedule, routes, the embedding, the machine's numbers and the random starts, and nothing of what it is held against.
 *
 * - A node enters a statement when its previous one is complete: when its own transfers are. With all ports, statements
 *   in a row of which none needs another are one.
 * - A transfer departs when both ends have entered and, with one port, the transfers of the statement that its sender
 *   sends and its receiver receives before it are delivered. What the sender's products write is there before.
 * - Each hop takes latency + bytes / bandwidth of its link, one message at a time, in order of arrival; at the same
 *   instant new messages first, then the lower source, then program order. Both directions of a half-duplex cable are
 * one link.
 * - In hockney a message has all links to itself, but those of the outer levels of a network: there it takes as long as
 *   all messages of its statement that cross the link at once, of each sender and for each receiver one where a node
 * has one port.
 * - Products of a node follow each other. Without overlap they and the transfers are one after another. With overlap
 *   reference-buffers.h has what waits for what. */
#ifndef COST_REFERENCE_H
#define COST_REFERENCE_H

#include "reference-buffers.h"
#include "phase.h"

/* The steps from..to begin for the node where it is now. */
static inline void ref_reach(Reference *ref, int node, guint from, guint to) {
  for (guint s = from; s <= to; s++)
    ref->reached[s * (guint)ref->network->nodes + (guint)node] = fmax(ref->node[node].port, ref->node[node].cpu);
}

static inline guint ref_step_of(const Reference *ref, guint phase) {
  return phase < ref->phases->len ? ref_phase(ref, (int)phase)->step : ref->steps;
}

/* Of rests the largest pieces first, until nothing is left. */
static inline double ref_whole(int64_t extent, double tile, const TgMachineRests *rests) {
  double whole = 0;
  if (rests->pieces > 0) {
    for (int64_t step = INT64_C(1) << rests->pieces; extent >= step; extent -= step) whole += (double)step;
    for (int i = rests->pieces - 1; i >= 0; i--)
      if (extent >= 1 << i) {
        whole += rests->takes[i];
        extent -= 1 << i;
      }
    return whole;
  }
  while (whole < (double)extent) whole += fmax(tile, 1);
  return whole;
}

static inline double ref_flops(const TgMachineProcessor *processor, const TgProductSize *size) {
  return 2 * ref_whole(size->m, processor->tile_rows, &processor->rest_rows) *
         ref_whole(size->n, processor->tile_columns, &processor->rest_columns) * (double)size->k;
}

static inline double ref_time(const TgMachineProcessor *processor, const TgPhase *phase, const TgProductSize *size) {
  return phase->sums ? (double)(size->m * size->n) / processor->additions_per_s
                     : ref_flops(processor, size) / processor->flops_per_s;
}

static inline void ref_multiply(const Reference *ref, int n, const TgPhase *phase) {
  RefNode *node = &ref->node[n];
  double time = 0;
  for (int64_t i = 0; i < phase->products; i++)
    if (ref_node_of(ref, phase->processor ? phase->processor[i] : i) == n)
      time += ref_time(&ref->machine->processor, phase, tg_phase_product(phase, i));
  if (n == ref->options->straggler) time *= ref->options->straggler_factor;
  if (time == 0) return;
  node->cpu = fmax(node->cpu, ref->options->overlap ? ref_product_begin(ref, node, phase) : node->port) + time;
  node->compute += time;
  ref_note_product(node, phase, node->cpu);
  if (!ref->options->overlap) node->port = node->cpu;
}

static inline void ref_try(Reference *ref, RefTransfer *transfer) {
  const RefTransfer *sent = transfer->send_before, *received = transfer->receive_before;
  if (!transfer->waiting || transfer->entered < 2 || (sent && !sent->done) || (received && !received->done)) return;
  const RefPhase *phase = ref_phase(ref, transfer->phase);
  double at = fmax(sent ? sent->event_s : 0, received ? received->event_s : 0);
  if (ref->options->overlap) {
    at = fmax(at, ref_written(&ref->node[transfer->from], phase->phase));
    at = fmax(at, ref_room(ref, &ref->node[transfer->to], phase));
  }
  transfer->event_s = fmax(at, transfer->depart_s);
  transfer->waiting = FALSE;
}

/* The node enters a group: its transfers know one more end. */
static inline void ref_enter(Reference *ref, int node, int group) {
  for (guint i = 0; i < ref->transfers->len; i++) {
    RefTransfer *transfer = ref->transfers->pdata[i];
    if (ref_phase(ref, transfer->phase)->group != group || (transfer->from != node && transfer->to != node)) continue;
    transfer->entered++;
    transfer->depart_s = fmax(transfer->depart_s, ref->node[node].port);
    ref->node[node].outstanding++;
  }
  for (guint i = 0; i < ref->transfers->len; i++) ref_try(ref, ref->transfers->pdata[i]);
}

/* All its transfers of the group are delivered. */
static inline void ref_leave(Reference *ref, int n, int group) {
  RefNode *node = &ref->node[n];
  for (; node->next < ref->phases->len; node->next++) {
    if (ref_phase(ref, (int)node->next)->group != group) break;
    for (guint i = 0; i < ref->transfers->len; i++) {
      const RefTransfer *transfer = ref->transfers->pdata[i];
      if (transfer->phase == (int)node->next && (transfer->from == n || transfer->to == n))
        node->port = fmax(node->port, transfer->event_s);
    }
    if (!ref->options->overlap) node->cpu = node->port;
    ref_reach(ref, n, ref_step_of(ref, node->next) + 1, ref_step_of(ref, node->next + 1));
  }
}

/* As far as the node gets without a delivery. */
static inline void ref_advance(Reference *ref, int n) {
  RefNode *node = &ref->node[n];
  while (node->next < ref->phases->len) {
    const RefPhase *at = ref_phase(ref, (int)node->next);
    if (at->group < 0) {
      ref_multiply(ref, n, at->phase);
      ref_reach(ref, n, ref_step_of(ref, node->next) + 1, ref_step_of(ref, node->next + 1));
      node->next++;
      continue;
    }
    ref_enter(ref, n, at->group);
    if (node->outstanding > 0) return;
    ref_leave(ref, n, at->group);
  }
}

static inline void ref_deliver(Reference *ref, RefTransfer *transfer) {
  transfer->done = TRUE;
  ref_note_transfer(ref, transfer);
  for (guint i = 0; i < ref->transfers->len; i++) ref_try(ref, ref->transfers->pdata[i]);
  int ends[2] = {transfer->from, transfer->to};
  for (int e = 0; e < 2; e++)
    if (--ref->node[ends[e]].outstanding == 0) {
      ref_leave(ref, ends[e], ref_phase(ref, transfer->phase)->group);
      ref_advance(ref, ends[e]);
    }
}

static inline TgMachineLink ref_link(const Reference *ref, int64_t number) {
  TgLink link;
  tg_topology_link(ref->network, number, &link);
  return tg_machine_link(ref->machine, ref->network, link.level, link.axis);
}

/* The numbers of a message of so many bytes take the place of those of small ones. */
static inline void ref_choose(TgMachineLink *link, double bytes) {
  for (int r = 0; r < link->protocols.rows; r++) {
    if (bytes < link->protocols.row[r].from_bytes) continue;
    link->latency_s = link->protocols.row[r].latency_s;
    link->bandwidth_bytes_per_s = link->protocols.row[r].bandwidth_bytes_per_s;
  }
}

/* What messages share on the link, unless all are without limit. */
static inline double ref_capacity(const TgMachineLink *link) {
  double most = 0;
  for (int r = -1; r < link->protocols.rows; r++) {
    const double own = r < 0 ? link->bandwidth_bytes_per_s : link->protocols.row[r].bandwidth_bytes_per_s;
    if (own < INFINITY) most = fmax(most, own);
  }
  return most > 0 ? most : INFINITY;
}

static inline void ref_cross(Reference *ref, RefTransfer *transfer) {
  int64_t number = transfer->link[transfer->hop++];
  TgMachineLink link = ref_link(ref, number);
  double *free_s = &ref->free_s[link.duplex == TG_DUPLEX_HALF ? number / 2 * 2 : number];
  ref_choose(&link, transfer->bytes);
  transfer->event_s = fmax(*free_s, transfer->event_s) + link.latency_s + transfer->bytes / link.bandwidth_bytes_per_s;
  *free_s = transfer->event_s;
}

/* On the link, or where its cable is half duplex, on the one back. */
static inline gboolean ref_crosses(const RefTransfer *transfer, int64_t link, gboolean half) {
  for (int h = 0; h < transfer->hops; h++)
    if (transfer->link[h] == link || (half && transfer->link[h] == (link ^ 1))) return TRUE;
  return FALSE;
}

/* Messages of the statement that are on a link of an outer level at once. */
static inline int ref_crowd(const Reference *ref, const RefTransfer *transfer, int64_t link) {
  TgLink at;
  g_autofree gboolean *sends = g_new0(gboolean, ref->network->nodes), *receives = g_new0(gboolean, ref->network->nodes);
  int messages = 0, senders = 0, receivers = 0;
  tg_topology_link(ref->network, link, &at);
  if (at.level == 0) return 1;
  const gboolean half = ref_link(ref, link).duplex == TG_DUPLEX_HALF;
  for (guint i = 0; i < ref->transfers->len; i++) {
    const RefTransfer *other = ref->transfers->pdata[i];
    if (other->phase != transfer->phase || !ref_crosses(other, link, half)) continue;
    messages++;
    sends[other->from] = receives[other->to] = TRUE;
  }
  for (int n = 0; n < ref->network->nodes; n++) {
    senders += sends[n];
    receivers += receives[n];
  }
  return ref->all_ports ? messages : MIN(senders, receivers);
}

/* Hockney: all hops at once. */
static inline void ref_arrive(Reference *ref, RefTransfer *transfer) {
  double slowest_s = 0, latency_s = 0, hops_s = 0;
  for (; transfer->hop < transfer->hops; transfer->hop++) {
    int64_t number = transfer->link[transfer->hop];
    TgMachineLink link = ref_link(ref, number);
    const double capacity = ref_capacity(&link);
    ref_choose(&link, transfer->bytes);
    latency_s = fmax(latency_s, link.latency_s);
    if (transfer->hop > 0) hops_s += link.per_hop_s;
    if (isinf(link.bandwidth_bytes_per_s)) continue;
    slowest_s = fmax(slowest_s, transfer->bytes / link.bandwidth_bytes_per_s);
    slowest_s = fmax(slowest_s, transfer->bytes * ref_crowd(ref, transfer, number) / capacity);
  }
  transfer->event_s += latency_s + hops_s + slowest_s;
}

/* New before forwarded, then the lower source, then program order. */
static inline gboolean ref_goes_before(const RefTransfer *a, const RefTransfer *b) {
  if ((a->hop > 0) != (b->hop > 0)) return b->hop > 0;
  return a->from < b->from;
}

/* The first transfer with an event up to `until` that is (not) a delivery. */
static inline RefTransfer *ref_find(const Reference *ref, double until, gboolean delivery) {
  RefTransfer *first = NULL;
  for (guint i = 0; i < ref->transfers->len; i++) {
    RefTransfer *transfer = ref->transfers->pdata[i];
    if (transfer->waiting || transfer->done || (transfer->hop == transfer->hops) != delivery) continue;
    if (transfer->event_s <= until && (!first || ref_goes_before(transfer, first))) first = transfer;
  }
  return first;
}

static inline double ref_next_time(const Reference *ref) {
  double time = INFINITY;
  for (guint i = 0; i < ref->transfers->len; i++) {
    const RefTransfer *transfer = ref->transfers->pdata[i];
    if (!transfer->waiting && !transfer->done) time = fmin(time, transfer->event_s);
  }
  return time;
}

static inline void ref_run(Reference *ref) {
  double time;
  for (int n = 0; n < ref->network->nodes; n++) {
    if (ref->options->skew_s > 0)
      ref->node[n].port = ref->node[n].cpu = ref->options->skew_s * tg_random_unit(~ref->options->seed, (uint64_t)n);
    ref_reach(ref, n, 0, ref_step_of(ref, 0));
    ref_advance(ref, n);
  }
  while ((time = ref_next_time(ref)) < INFINITY) {
    double until = time * (1 + 1e-12);
    RefTransfer *transfer;
    while ((transfer = ref_find(ref, until, TRUE))) ref_deliver(ref, transfer);
    while ((transfer = ref_find(ref, until, FALSE)))
      (ref->options->model == TG_COST_HOCKNEY ? ref_arrive : ref_cross)(ref, transfer);
  }
  for (int n = 0; n < ref->network->nodes; n++) g_assert_cmpint(ref->node[n].next, ==, ref->phases->len);
}

static inline void ref_predict(Reference *ref, const TgSchedule *schedule, const TgScheduleNames *names,
                               const TgShape *shape, const TgTopology *network, TgEmbeddingKind embedding,
                               const TgMachine *machine, const TgCostOptions *options) {
  GError *error = NULL;
  TgError failure;
  *ref = (Reference){.schedule = schedule,
                     .machine = machine,
                     .options = options,
                     .network = network,
                     .all_ports = machine->port.ports == TG_PORTS_ALL};
  g_assert_true(tg_embedding_init(&ref->embedding, embedding, schedule->dims, schedule->extent, network, &failure));
  ref->phases = g_array_new(FALSE, FALSE, sizeof(RefPhase));
  ref->transfers = g_ptr_array_new();
  const TgPhasesOf of = {.schedule = schedule,
                         .names = names,
                         .shape = shape,
                         .element_bytes = options->element_bytes,
                         .collective = options->collective,
                         .sums = machine->processor.additions_per_s > 0,
                         .together = ref->all_ports};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, &error);
  g_assert_no_error(error);
  ref_read_phases(ref, phases);
  ref->node = g_new0(RefNode, network->nodes);
  for (int n = 0; n < network->nodes; n++) ref->node[n].uses = g_array_new(FALSE, FALSE, sizeof(RefUse));
  ref->free_s = g_new0(double, network->links + 1);
  ref->reached = g_new0(double, (ref->steps + 1) * (guint)network->nodes);
  ref_run(ref);
}

static inline void ref_clear(Reference *ref) {
  for (guint i = 0; i < ref->transfers->len; i++) {
    RefTransfer *transfer = ref->transfers->pdata[i];
    g_free(transfer->link);
    g_free(transfer);
  }
  for (guint i = 0; i < ref->phases->len; i++) tg_phase_release(ref_phase(ref, (int)i)->phase);
  g_array_unref(ref->phases);
  g_ptr_array_unref(ref->transfers);
  for (int n = 0; n < ref->network->nodes; n++) g_array_unref(ref->node[n].uses);
  g_free(ref->node);
  g_free(ref->free_s);
  g_free(ref->reached);
}

#endif
