#include "flow.h"

#include <math.h>
#include <stdlib.h>

#include "palette.h"

/* Flows under way. */
typedef struct Gather {
  const TgFrame *frame;
  const TgFlowRules *rules;
  GArray *flows;
  GHashTable *index; /* key_of() a flow -> position in flows, plus 1 */
  bool link_by_link; /* some block goes too far for an arrow of its own */
} Gather;

/* Two messages are one flow where this is equal. */
static int64_t key_of(const Gather *gather, const TgFlow *flow) {
  const int64_t ends = flow->from * gather->frame->processors + flow->to;
  return ((ends * TG_MATRICES + flow->matrix) * 2 + flow->round_edge) * 2 + flow->link_by_link;
}

static bool same_lane(const TgFlow *a, const TgFlow *b) {
  return MIN(a->from, a->to) == MIN(b->from, b->to) && MAX(a->from, a->to) == MAX(b->from, b->to) &&
         a->round_edge == b->round_edge;
}

static TgFlow *find_flow(Gather *gather, const TgFlow *flow) {
  const int64_t key = key_of(gather, flow);
  guint position = GPOINTER_TO_UINT(g_hash_table_lookup(gather->index, &key));
  if (position == 0) {
    g_array_append_val(gather->flows, *flow);
    position = gather->flows->len;
    g_hash_table_insert(gather->index, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(position));
  }
  return &g_array_index(gather->flows, TgFlow, position - 1);
}

static void add_flow(Gather *gather, const TgFlow *flow, double blocks, int32_t round) {
  TgFlow *found = find_flow(gather, flow);
  found->blocks += blocks;
  found->messages++;
  if (round < 0) return;
  found->first_round = found->first_round < 0 ? round : MIN(found->first_round, round);
  found->last_round = MAX(found->last_round, round);
}

static int64_t stride_of(const TgSchedule *schedule, int axis) {
  int64_t stride = 1;
  for (int c = axis + 1; c < schedule->dims; c++) stride *= schedule->extent[c];
  return stride;
}

/* The stretch of `flow` that begins `step` places from its beginning. */
static TgFlow stretch_of(const TgFrame *frame, const TgFlow *flow, int64_t begin, int32_t step) {
  int64_t extent = frame->schedule->extent[flow->axis], stride = stride_of(frame->schedule, flow->axis);
  int32_t sign = flow->hops < 0 ? -1 : 1;
  int64_t a = (begin + sign * step + extent * 2) % extent, b = (a + sign + extent) % extent;
  TgFlow stretch = *flow;
  stretch.from = flow->from + (a - begin) * stride;
  stretch.to = flow->from + (b - begin) * stride;
  stretch.hops = sign;
  stretch.round_edge = llabs(b - a) != 1;
  return stretch;
}

/* Which stretches of its way a message of a collective left whole is drawn by. Blocks that are the same for all
 * receivers, and sums, cross each stretch once: there the last or the first stretch stands for the message. */
typedef enum Share { SHARE_LAST, SHARE_FIRST, SHARE_ALL } Share;

static Share share_of(uint8_t op) {
  const TgOpTraits *traits = tg_op_traits(op);
  if (!traits->is_collective) return SHARE_ALL;
  if (traits->adds) return SHARE_FIRST;
  return traits->splits || traits->to_root ? SHARE_ALL : SHARE_LAST;
}

static void add_stretches(Gather *gather, const TgFlow *flow, int64_t begin, Share share, double blocks,
                          int32_t round) {
  int32_t count = abs(flow->hops);
  for (int32_t step = 0; step < count; step++) {
    if ((share == SHARE_LAST && step < count - 1) || (share == SHARE_FIRST && step > 0)) continue;
    TgFlow stretch = stretch_of(gather->frame, flow, begin, step);
    add_flow(gather, &stretch, blocks, round);
  }
}

static int32_t shortest_hops(const Gather *gather, int64_t from, int64_t to, int32_t extent) {
  int32_t hops = (int32_t)(to - from), back = extent - abs(hops);
  return gather->rules->goes_round && back < abs(hops) ? (hops > 0 ? -back : back) : hops;
}

/* Link by link along several coordinates, the last one first, as networks route. */
static void add_route(Gather *gather, const TgFlow *flow, const int64_t *from, const int64_t *to, double blocks,
                      int32_t round) {
  const TgSchedule *schedule = gather->frame->schedule;
  TgFlow leg = *flow;
  leg.link_by_link = true;
  leg.to = flow->from;
  for (int c = schedule->dims - 1; c >= 0; c--) {
    leg.axis = c;
    leg.from = leg.to;
    leg.to = leg.from + (to[c] - from[c]) * stride_of(schedule, c);
    leg.hops = shortest_hops(gather, from[c], to[c], schedule->extent[c]);
    add_stretches(gather, &leg, from[c], SHARE_ALL, blocks, round);
  }
}

static void add_message(Gather *gather, int32_t number) {
  const TgFrame *frame = gather->frame;
  const TgFrameMessage *message = &frame->message[number];
  int64_t from[TG_MAX_DIMS], to[TG_MAX_DIMS];
  bool whole = frame->whole && tg_op_traits(message->op)->is_collective;
  int32_t round = !frame->whole && tg_op_traits(message->op)->is_collective ? message->round : -1;
  double blocks = 1.0 / message->pieces;
  TgFlow flow = {.from = message->from,
                 .to = message->to,
                 .matrix = message->block.matrix,
                 .add = message->add,
                 .first_round = -1,
                 .last_round = -1,
                 .message = number,
                 .axis = tg_frame_message_axis(frame->schedule, message, from, to)};
  if (flow.axis < 0) {
    if (gather->link_by_link)
      add_route(gather, &flow, from, to, blocks, round);
    else
      add_flow(gather, &flow, blocks, round);
    return;
  }
  int32_t straight = (int32_t)(to[flow.axis] - from[flow.axis]);
  flow.hops =
      whole ? straight : shortest_hops(gather, from[flow.axis], to[flow.axis], frame->schedule->extent[flow.axis]);
  flow.round_edge = flow.hops != straight;
  Share share = whole ? share_of(message->op) : SHARE_ALL;
  flow.link_by_link = whole ? share == SHARE_ALL : gather->link_by_link;
  if (whole || flow.link_by_link)
    add_stretches(gather, &flow, from[flow.axis], share, blocks, round);
  else
    add_flow(gather, &flow, blocks, round);
}

static int compare_lanes(gconstpointer a, gconstpointer b) {
  const TgFlow *x = a, *y = b;
  int64_t difference = MIN(x->from, x->to) - MIN(y->from, y->to);
  if (difference == 0) difference = MAX(x->from, x->to) - MAX(y->from, y->to);
  if (difference == 0) difference = (int64_t)x->round_edge - y->round_edge;
  if (difference == 0) difference = x->matrix - y->matrix;
  if (difference == 0) difference = x->from - y->from;
  return difference < 0 ? -1 : difference > 0;
}

static void assign_lanes(GArray *flows) {
  g_array_sort(flows, compare_lanes);
  for (guint begin = 0, end; begin < flows->len; begin = end) {
    for (end = begin + 1; end < flows->len; end++)
      if (!same_lane(&g_array_index(flows, TgFlow, begin), &g_array_index(flows, TgFlow, end))) break;
    for (guint f = begin; f < end; f++) {
      g_array_index(flows, TgFlow, f).lane = (int32_t)(f - begin);
      g_array_index(flows, TgFlow, f).lanes = (int32_t)(end - begin);
    }
  }
}

/* Along several coordinates at once wires are drawn; long ones would be a tangle. */
static bool is_far_across(const Gather *gather, const int64_t *from, const int64_t *to) {
  for (int c = 0; c < gather->frame->schedule->dims; c++)
    if (llabs(to[c] - from[c]) > gather->rules->far_hops + 1) return true;
  return gather->rules->far_hops == 1;
}

static bool is_far(const Gather *gather, const TgFrameMessage *message) {
  int64_t from[TG_MAX_DIMS], to[TG_MAX_DIMS];
  int axis = tg_frame_message_axis(gather->frame->schedule, message, from, to);
  if (gather->rules->far_hops == INT32_MAX) return false;
  if (axis < 0) return is_far_across(gather, from, to);
  int32_t hops = shortest_hops(gather, from[axis], to[axis], gather->frame->schedule->extent[axis]);
  bool round = hops != to[axis] - from[axis];
  return abs(hops) > (round ? 1 : gather->rules->far_hops);
}

static bool needs_link_by_link(const Gather *gather) {
  const TgFrame *frame = gather->frame;
  for (int64_t m = 0; m < frame->messages; m++)
    if (!(frame->whole && tg_op_traits(frame->message[m].op)->is_collective) && is_far(gather, &frame->message[m]))
      return true;
  return false;
}

GArray *tg_flows_new(const TgFrame *frame, const TgFlowRules *rules) {
  Gather gather = {.frame = frame,
                   .rules = rules,
                   .flows = g_array_new(FALSE, FALSE, sizeof(TgFlow)),
                   .index = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
  gather.link_by_link = needs_link_by_link(&gather);
  for (int64_t m = 0; m < frame->messages; m++) add_message(&gather, (int32_t)m);
  g_hash_table_unref(gather.index);
  assign_lanes(gather.flows);
  return gather.flows;
}

void tg_flow_label(const TgFlow *flow, GString *text) {
  if (flow->first_round >= 0 && !flow->link_by_link) {
    g_string_append_printf(text, "%d", flow->first_round + 1);
    if (flow->last_round > flow->first_round) g_string_append_printf(text, "–%d", flow->last_round + 1);
  }
  if (flow->blocks < 1.5) return;
  if (text->len > 0) g_string_append(text, ": ");
  g_string_append_printf(text, "×%d", (int)lround(flow->blocks));
}

void tg_flow_title(const TgFrame *frame, const TgFlow *flow, GString *text) {
  if (flow->messages == 1)
    tg_block_name_append(text, &frame->message[flow->message].block);
  else
    g_string_append_printf(text, "%d messages with blocks of %s", flow->messages, tg_matrix_style[flow->matrix].name);
  g_string_append(text, ": ");
  tg_processor_append(text, frame->schedule, flow->from);
  g_string_append(text, " → ");
  tg_processor_append(text, frame->schedule, flow->to);
  if (flow->first_round >= 0) g_string_append_printf(text, ", round %d", flow->first_round + 1);
}

void tg_flow_id(const TgFrame *frame, const TgFlow *flow, GString *text) {
  if (flow->link_by_link) {
    g_string_append_printf(text, "f-%" G_GINT64_FORMAT "-%s-", frame->step, tg_matrix_style[flow->matrix].name);
    tg_processor_id_append(text, frame->schedule, flow->from);
    g_string_append_c(text, '-');
    tg_processor_id_append(text, frame->schedule, flow->to);
  } else {
    tg_message_id_append(text, frame->step, flow->message);
  }
}

double tg_flow_pen(const TgFlow *flow) {
  return 1.2 + 1.6 * log2(1 + flow->blocks);
}
