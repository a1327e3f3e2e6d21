/** @file reference-lists.h
 * For cost-reference.h: the transfers and the phases of a run as lists. */
#ifndef REFERENCE_LISTS_H
#define REFERENCE_LISTS_H

#include "clock.h"
#include "cost.h"
#include "phase.h"

#include <math.h>

typedef struct RefTransfer {
  int phase, from, to;
  double bytes;
  int hops, hop, entered; /* hops crossed or being crossed; ends that have entered */
  int64_t *link;
  struct RefTransfer *send_before, *receive_before;
  double depart_s, event_s; /* event: when it comes to link[hop], or is delivered where hop == hops */
  gboolean waiting, done;
} RefTransfer;

typedef struct RefPhase {
  TgPhase *phase;
  guint step;
  int group; /* statements that run together; -1 for products */
  int statement;
} RefPhase;

/* What happened to a node's buffer, in program order. */
typedef struct RefUse {
  int buffer;
  enum { REF_READ, REF_WRITE, REF_ADD, REF_SEND, REF_FILL, REF_JOIN } kind; /* by products the first two */
  double end_s;
} RefUse;

typedef struct RefNode {
  guint next;      /* phase */
  int outstanding; /* of the transfers that it waits for */
  double port, cpu, compute;
  GArray *uses; /* RefUse */
} RefNode;

typedef struct Reference {
  const TgMachine *machine;
  const TgCostOptions *options;
  const TgTopology *network;
  const TgSchedule *schedule;
  gboolean all_ports;
  TgEmbedding embedding;
  GArray *phases;       /* RefPhase */
  GPtrArray *transfers; /* RefTransfer, in program order */
  guint steps;
  RefNode *node;
  double *free_s;  /* by link: when it can serve again; of a half-duplex cable at its even link */
  double *reached; /* steps + 1 x nodes: when the node is done with what comes before the step */
} Reference;

static inline const RefPhase *ref_phase(const Reference *ref, int number) {
  return &g_array_index(ref->phases, RefPhase, number);
}

static inline int ref_node_of(const Reference *ref, int64_t processor) {
  return (int)tg_embedding_node(&ref->embedding, processor);
}

static inline void ref_add_transfer(Reference *ref, int phase, int from, int to, double bytes) {
  RefTransfer *transfer = g_new0(RefTransfer, 1);
  TgRoute route;
  TgHop hop;
  *transfer = (RefTransfer){.phase = phase, .from = from, .to = to, .bytes = bytes, .waiting = TRUE};
  transfer->link = g_new(int64_t, ref->network->links + 1);
  tg_route_begin(&route, ref->network, from, to);
  while (tg_route_next(&route, &hop)) transfer->link[transfer->hops++] = hop.link;
  for (guint i = 0; i < ref->transfers->len && !ref->all_ports; i++) {
    RefTransfer *before = ref->transfers->pdata[i];
    if (before->phase == phase && before->from == from) transfer->send_before = before;
    if (before->phase == phase && before->to == to) transfer->receive_before = before;
  }
  g_ptr_array_add(ref->transfers, transfer);
}

/* What stays on its node is no transfer; its statement may still need others. */
static inline void ref_add_transfers(Reference *ref, const TgPhase *phase, int number) {
  for (int64_t t = 0; t < phase->transfers; t++) {
    int from = ref_node_of(ref, phase->from[t]), to = ref_node_of(ref, phase->to[t]);
    if (from != to)
      ref_add_transfer(ref, number, from, to, (double)(phase->bytes ? phase->bytes[t] : phase->uniform_bytes));
  }
}

/* The group of a statement's transfers: that of the one before it where both may run together. */
static inline int ref_group(const Reference *ref, const TgPhase *phase, int statement) {
  int last = (int)ref->phases->len - 1;
  if (last < 0) return 0;
  const RefPhase *before = ref_phase(ref, last);
  if (!ref->all_ports || before->group < 0 || before->statement == statement) return last + 1;
  for (int i = last; i >= 0; i--) {
    const RefPhase *other = ref_phase(ref, i);
    if (other->group != before->group) break;
    if ((phase->reads & other->phase->writes) || (phase->writes & (other->phase->reads | other->phase->writes)))
      return last + 1;
  }
  return before->group;
}

static inline void ref_read_phases(Reference *ref, TgPhases *phases) {
  TgPhase *phase;
  TgPhaseAt at;
  GError *error = NULL;
  int64_t step = -1;
  while (tg_phases_next(phases, &phase, &at, &error) == TG_PROGRESS_MORE) {
    if (at.step != step) ref->steps++;
    step = at.step;
    RefPhase item = {.phase = phase, .step = ref->steps - 1, .statement = at.statement, .group = -1};
    ref_add_transfers(ref, phase, (int)ref->phases->len);
    if (!phase->products) item.group = ref_group(ref, phase, at.statement);
    g_array_append_val(ref->phases, item);
  }
  g_assert_no_error(error);
}

#endif
