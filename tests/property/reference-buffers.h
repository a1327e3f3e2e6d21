/** @file reference-buffers.h
 * For cost-reference.h: what products and transfers of a node wait for where they overlap, found by going through all
 * that has happened to its buffers.
 *
 * - A product waits until what it reads, or adds to, has arrived, and so do additions.
 * - A transfer waits for the products that wrote what it sends.
 * - A buffer that transfers fill again has `--buffers` places, one of them for what products read last. What comes
 * waits for the products that read what was there that many fillings before. What is added to a block comes beside it.
 * - A product that writes what was sent begins a new block, which has as many places where the schedule may begin it
 *   anew after sending it, otherwise one. It waits until what was there before in its place has gone. */
#ifndef REFERENCE_BUFFERS_H
#define REFERENCE_BUFFERS_H

#include "reference-lists.h"

static inline void ref_note(RefNode *node, int buffer, int kind, double end_s) {
  RefUse use = {.buffer = buffer, .end_s = end_s};
  use.kind = kind;
  g_array_append_val(node->uses, use);
}

static inline void ref_note_product(RefNode *node, const TgPhase *phase, double end_s) {
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    if ((phase->reads >> b & 1) && !phase->sums) ref_note(node, b, REF_READ, end_s);
    if (phase->writes >> b & 1) ref_note(node, b, phase->sums ? REF_ADD : REF_WRITE, end_s);
  }
}

static inline gboolean ref_adds(const Reference *ref, const RefPhase *phase) {
  return tg_op_traits(ref->schedule->statement[phase->statement].op)->adds;
}

static inline void ref_note_transfer(Reference *ref, const RefTransfer *transfer) {
  const RefPhase *at = ref_phase(ref, transfer->phase);
  const TgPhase *phase = at->phase;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    if (phase->needs >> b & 1) ref_note(&ref->node[transfer->from], b, REF_SEND, transfer->event_s);
    if (phase->writes >> b & 1)
      ref_note(&ref->node[transfer->to], b, ref_adds(ref, at) ? REF_JOIN : REF_FILL, transfer->event_s);
  }
}

/* The last end of any use of these kinds, a bit each, of these buffers. */
static inline double ref_last(const RefNode *node, uint32_t buffers, int kinds) {
  double end_s = 0;
  for (guint u = 0; u < node->uses->len; u++) {
    const RefUse *use = &g_array_index(node->uses, RefUse, u);
    if ((buffers >> use->buffer & 1) && (kinds >> use->kind & 1)) end_s = fmax(end_s, use->end_s);
  }
  return end_s;
}

static inline double ref_written(const RefNode *node, const TgPhase *phase) {
  return ref_last(node, phase->needs, 1 << REF_WRITE | 1 << REF_ADD);
}

/* The uses of a buffer of kind `uses` fall into blocks: one of kind `renews` ends a block where there was a use since.
 * The last end of those that are so many blocks back, and before; the block that the last use was of counts as 1. */
static inline double ref_blocks_back(const RefNode *node, int buffer, int uses, int renews, int back) {
  double end_s = 0;
  int blocks = 0;
  gboolean renewed = TRUE;
  for (guint u = 0; u < node->uses->len; u++) {
    const RefUse *use = &g_array_index(node->uses, RefUse, u);
    if (use->buffer != buffer) continue;
    if ((int)use->kind == uses) blocks += renewed, renewed = FALSE;
    if ((int)use->kind == renews) renewed = TRUE;
  }
  int block = 0;
  renewed = TRUE;
  for (guint u = 0; u < node->uses->len; u++) {
    const RefUse *use = &g_array_index(node->uses, RefUse, u);
    if (use->buffer != buffer) continue;
    if ((int)use->kind == uses) {
      block += renewed, renewed = FALSE;
      if (block <= blocks - back + 1) end_s = fmax(end_s, use->end_s);
    }
    if ((int)use->kind == renews) renewed = TRUE;
  }
  return end_s;
}

static inline double ref_room(const Reference *ref, const RefNode *node, const RefPhase *phase) {
  double at_s = 0;
  for (int b = 0; b < TG_MAX_BUFFERS && !ref_adds(ref, phase); b++)
    if (phase->phase->writes >> b & 1)
      at_s = fmax(at_s, ref_blocks_back(node, b, REF_READ, REF_FILL,
                                        tg_cost_places(ref->options->overlap, ref->options->buffers)));
  return at_s;
}

/* Whether both are in one repeat, or the other comes later. */
static inline gboolean ref_may_follow(const TgSchedule *schedule, int s, int other) {
  gboolean both = other >= s;
  for (int r = 0; r < schedule->statements; r++)
    both |= schedule->statement[r].op == TG_OP_REPEAT && r < s && r < other && schedule->statement[r].end > s &&
            schedule->statement[r].end > other;
  return both;
}

static inline gboolean ref_may_renew(const TgSchedule *schedule, int buffer) {
  for (int s = 0; s < schedule->statements; s++)
    for (int o = 0; o < schedule->statements; o++) {
      const TgStatement *sends = &schedule->statement[s], *other = &schedule->statement[o];
      if (!tg_op_travels(sends->op) || sends->source.buffer != buffer || other->target.buffer != buffer) continue;
      if (!ref_may_follow(schedule, s, o)) continue;
      if (other->op == TG_OP_ZERO || (other->op == TG_OP_MULTIPLY && other->replace) ||
          (tg_op_travels(other->op) && !tg_op_traits(other->op)->adds))
        return TRUE;
    }
  return FALSE;
}

/* Whether the buffer was sent after products wrote it last. */
static inline gboolean ref_is_taken(const RefNode *node, int buffer) {
  gboolean taken = FALSE;
  for (guint u = 0; u < node->uses->len; u++) {
    const RefUse *use = &g_array_index(node->uses, RefUse, u);
    if (use->buffer == buffer && use->kind == REF_SEND) taken = TRUE;
    if (use->buffer == buffer && use->kind == REF_WRITE) taken = FALSE;
  }
  return taken;
}

static inline double ref_product_begin(const Reference *ref, const RefNode *node, const TgPhase *phase) {
  double at_s = ref_last(node, phase->needs, 1 << REF_FILL | 1 << REF_JOIN);
  for (int b = 0; b < TG_MAX_BUFFERS && !phase->sums; b++) {
    if (!(phase->writes >> b & 1) || !ref_is_taken(node, b)) continue;
    const int places =
        ref_may_renew(ref->schedule, b) ? tg_cost_places(ref->options->overlap, ref->options->buffers) : 1;
    at_s = fmax(at_s, ref_blocks_back(node, b, REF_SEND, REF_WRITE, places));
  }
  return at_s;
}

#endif
