/* Writes every processor's streams: products, and between them the operations that fill slots and send blocks.
 *
 * Operations stand in their order, each at the last product of a lower one. A send has the order that the schedule
 * gives it. What fills a slot has that of the last reader of the filling before, often in a panel before: orders and
 * products go on below 0 into the unit before, and what stands there is executed before the first product when all
 * begins. */
#include "clusters-slots.h"

/** An operation with its place. */
typedef struct Placed {
  int64_t order, product; /* from 0 in a unit; below in the unit before */
  int32_t number, panel;
  TgStreamOp op;
} Placed;

/** One processor. */
typedef struct Streams {
  const TgSlots *slots;
  int32_t processor;
  GArray *orders;   /* int64_t: of the products of a unit */
  GArray *products; /* TgStreamProduct, likewise */
  GArray *ops;      /* Placed */
} Streams;

static int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

static int64_t unit_span(const Streams *streams) {
  return streams->slots->span * streams->slots->plan->unit;
}

/* Number of the last product of a lower order; -1 is the last one of the unit before. */
static int64_t last_before(const Streams *streams, int64_t order) {
  const int64_t span = unit_span(streams), unit = floor_divide(order, span), rest = order - unit * span;
  int64_t count = 0;
  while (count < streams->orders->len && g_array_index(streams->orders, int64_t, (guint)count) < rest) count++;
  return unit * streams->orders->len + count - 1;
}

/* --- products ----------------------------------------------------------------------------------------------------- */

static void set_filling(const TgSlots *slots, const TgFilling *filling, uint8_t *slot, uint8_t *parity, uint8_t *odd) {
  *slot = (uint8_t)filling->slot;
  *parity = filling->number & 1;
  *odd = slots->count[filling->processor][filling->slot] & 1;
}

static void add_product(Streams *streams, int32_t panel, guint panel_begin, const TgFollowedProduct *product,
                        bool *begun) {
  const TgSlots *slots = streams->slots;
  const TgFollowed *followed = slots->followed;
  const int64_t order = tg_order(slots, panel, product->order);
  const int32_t sum = g_array_index(followed->sums, TgFollowedSum, product->sum).number;
  TgStreamProduct entry = {.sum = sum, .step = product->step};
  TgStreamProduct *before = streams->products->len > panel_begin
                                ? &g_array_index(streams->products, TgStreamProduct, streams->products->len - 1)
                                : NULL;
  if (before && before->sum != sum) before->flags |= TG_PRODUCT_STORE;
  if (!before || before->sum != sum) entry.flags |= TG_PRODUCT_FETCH;
  if (!begun[sum]) entry.flags |= TG_PRODUCT_FIRST;
  begun[sum] = true;
  for (int role = 0; role < TG_ROLES; role++)
    set_filling(slots, tg_filling_of(slots, panel, product->tile[role], role), &entry.slot[role], &entry.parity[role],
                &entry.odd[role]);
  g_array_append_val(streams->products, entry);
  g_array_append_val(streams->orders, order);
}

static void add_products(Streams *streams, int32_t panel) {
  const TgFollowed *followed = streams->slots->followed;
  const guint begin = streams->products->len;
  g_autofree bool *begun = g_new0(bool, MAX(followed->sums->len, 1));
  for (guint p = 0; p < followed->products->len; p++) {
    const TgFollowedProduct *product = &g_array_index(followed->products, TgFollowedProduct, p);
    if (product->processor == streams->processor && tg_product_is_live(followed, product))
      add_product(streams, panel, begin, product, begun);
  }
  if (streams->products->len > begin) {
    g_array_index(streams->products, TgStreamProduct, streams->products->len - 1).flags |= TG_PRODUCT_STORE;
    return;
  }
  const TgStreamProduct none = {.flags = TG_PRODUCT_NONE, .step = 1};
  const int64_t order = panel * streams->slots->span; /* before all else of the panel */
  g_array_append_val(streams->products, none);
  g_array_append_val(streams->orders, order);
}

/* --- operations --------------------------------------------------------------------------------------------------- */

static void set_arm(const Streams *streams, const TgFilling *filling, TgStreamOp *op) {
  const TgFollowed *followed = streams->slots->followed;
  const TgComputes *computes = &followed->schedule->computes;
  const TgTile *tile = tg_followed_tile(followed, filling->tile);
  const uint16_t arrivals = streams->slots->plan->processor[filling->processor].arrivals[filling->slot];
  set_filling(streams->slots, filling, &op->slot, &op->parity, &op->odd);
  op->spare = (uint16_t)(arrivals - filling->readers);
  op->role = (uint8_t)filling->role;
  op->filling = (uint16_t)filling->number;
  op->step = MAX(tile->step, 1);
  const bool inner_first = filling->role == TG_ROLE_LEFT ? computes->left_transposed : !computes->right_transposed;
  op->across = (int16_t)(inner_first ? tile->column : tile->row);
  op->inner = (int16_t)(inner_first ? tile->row : tile->column);
}

static void set_channel(const TgSlots *slots, const TgSending *sending, int32_t sender, TgStreamOp *op) {
  op->channel = (uint8_t)sending->channel;
  op->channel_parity = sending->use & 1;
  op->channel_odd = slots->uses[sender][sending->channel] & 1;
}

static void place(Streams *streams, int64_t order, int32_t number, int32_t panel, TgStreamOp op) {
  const int64_t product = MAX(last_before(streams, order), -(int64_t)streams->orders->len); /* a unit ahead at most */
  const Placed placed = {order, product, number, panel, op};
  g_array_append_val(streams->ops, placed);
}

/* As early as the slot is free. */
static void place_arm(Streams *streams, int32_t number, TgStreamOp op) {
  const TgFilling *filling = tg_filling(streams->slots, number);
  const int64_t end = tg_filling(streams->slots, filling->before)->end;
  set_arm(streams, filling, &op);
  place(streams, filling->number == 0 ? end - unit_span(streams) : end, number, filling->panel, op);
}

static void place_receive(Streams *streams, const TgSending *sending) {
  const TgFilling *from = tg_filling(streams->slots, sending->from);
  TgStreamOp op = {.operation = TG_STREAM_RECEIVE, .peer = (uint8_t)from->processor, .peer_slot = (uint8_t)from->slot};
  set_channel(streams->slots, sending, from->processor, &op);
  place_arm(streams, sending->to, op);
  op.operation = TG_STREAM_CONFIRM;
  set_arm(streams, tg_filling(streams->slots, sending->to), &op);
  place(streams, sending->order, sending->to, tg_filling(streams->slots, sending->to)->panel, op);
}

static void place_send(Streams *streams, const TgSending *sending, int32_t number) {
  const TgFilling *from = tg_filling(streams->slots, sending->from), *to = tg_filling(streams->slots, sending->to);
  TgStreamOp op = {.operation = TG_STREAM_SEND,
                   .role = (uint8_t)from->role,
                   .filling = (uint16_t)from->number,
                   .peer = (uint8_t)to->processor,
                   .peer_slot = (uint8_t)to->slot,
                   .step = tg_followed_tile(streams->slots->followed, to->tile)->step};
  set_filling(streams->slots, from, &op.slot, &op.parity, &op.odd);
  set_channel(streams->slots, sending, from->processor, &op);
  place(streams, sending->order, number, from->panel, op);
}

static void place_ops(Streams *streams) {
  const TgSlots *slots = streams->slots;
  for (guint f = 0; f < slots->fillings->len; f++)
    if (tg_filling(slots, (int32_t)f)->processor == streams->processor && tg_filling(slots, (int32_t)f)->from < 0)
      place_arm(streams, (int32_t)f, (TgStreamOp){.operation = TG_STREAM_LOAD});
  for (guint s = 0; s < slots->sendings->len; s++) {
    const TgSending *sending = &g_array_index(slots->sendings, TgSending, s);
    if (tg_filling(slots, sending->to)->processor == streams->processor) place_receive(streams, sending);
    if (tg_filling(slots, sending->from)->processor == streams->processor) place_send(streams, sending, (int32_t)s);
  }
}

/* --- written ------------------------------------------------------------------------------------------------------ */

static int by_order(const void *a, const void *b) {
  const Placed *x = a, *y = b;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return x->number - y->number;
}

/* Those of the unit before, once. */
static void write_begin(const Streams *streams, GArray *all) {
  for (guint i = 0; i < streams->ops->len; i++) {
    Placed *placed = &g_array_index(streams->ops, Placed, i);
    if (placed->product >= 0) return;
    placed->op.ahead = (uint8_t)placed->panel;
    g_array_append_val(all, placed->op);
  }
}

/* What stands in the unit before is executed there on behalf of the next one. */
static void wrap(const Streams *streams) {
  const int64_t products = streams->orders->len, unit = streams->slots->plan->unit;
  for (guint i = 0; i < streams->ops->len; i++) {
    Placed *placed = &g_array_index(streams->ops, Placed, i);
    placed->op.wraps = placed->product < 0;
    placed->order += placed->op.wraps ? unit_span(streams) : 0;
    placed->product += placed->op.wraps ? products : 0;
    placed->op.ahead = (uint8_t)(placed->panel + (placed->op.wraps ? unit : 0) - placed->product / (products / unit));
  }
  g_array_sort(streams->ops, by_order);
}

static bool write_unit(const Streams *streams, GArray *all, GError **error) {
  wrap(streams);
  for (guint i = 0; i < streams->ops->len; i++) {
    const Placed *placed = &g_array_index(streams->ops, Placed, i);
    uint8_t *ops = &g_array_index(streams->products, TgStreamProduct, (guint)placed->product).ops;
    if (*ops == UINT8_MAX)
      return TG_EXECUTOR_FAIL(error, TOO_LARGE, "more than %d blocks come or go between two products of a processor",
                              UINT8_MAX);
    (*ops)++;
    g_array_append_val(all, placed->op);
  }
  return true;
}

static bool write_ops(const Streams *streams, GArray *all, GError **error) {
  TgStreamProcessor *about = &streams->slots->plan->processor[streams->processor];
  g_array_sort(streams->ops, by_order);
  about->op_first = (int32_t)all->len;
  write_begin(streams, all);
  about->begin_ops = (int32_t)all->len - about->op_first;
  if (!write_unit(streams, all, error)) return false;
  about->ops = (int32_t)all->len - about->op_first - about->begin_ops;
  return true;
}

static bool write_processor(const TgSlots *slots, int32_t processor, GArray *ops, GArray *products, GError **error) {
  Streams streams = {.slots = slots,
                     .processor = processor,
                     .orders = g_array_new(FALSE, FALSE, sizeof(int64_t)),
                     .products = g_array_new(FALSE, FALSE, sizeof(TgStreamProduct)),
                     .ops = g_array_new(FALSE, FALSE, sizeof(Placed))};
  TgStreamProcessor *about = &slots->plan->processor[processor];
  for (int32_t u = 0; u < slots->plan->unit; u++) add_products(&streams, u);
  place_ops(&streams);
  const bool fine = write_ops(&streams, ops, error);
  about->product_first = (int32_t)products->len;
  about->products = (int32_t)streams.products->len / slots->plan->unit;
  g_array_append_vals(products, streams.products->data, streams.products->len);
  g_array_unref(streams.orders);
  g_array_unref(streams.products);
  g_array_unref(streams.ops);
  return fine;
}

/* --- C ------------------------------------------------------------------------------------------------------------ */

static int by_processor(const void *a, const void *b) {
  return ((const TgFollowedOutput *)a)->processor - ((const TgFollowedOutput *)b)->processor;
}

static void write_term(TgClusterPlan *plan, const TgFollowedSum *sum, int32_t output, int32_t number, int32_t terms,
                       GArray *all) {
  const TgStreamTerm term = {sum->processor, sum->number};
  TgStreamProcessor *processor = &plan->processor[sum->processor];
  processor->sums = MAX(processor->sums, sum->number + 1);
  plan->sums = MAX(plan->sums, processor->sums);
  processor->shared_output = output;
  processor->share = number;
  processor->shares = terms;
  g_array_append_val(all, term);
}

static void write_outputs(const TgSlots *slots, GArray *outputs, GArray *terms) {
  const TgFollowed *followed = slots->followed;
  TgClusterPlan *plan = slots->plan;
  g_array_sort(followed->outputs, by_processor);
  for (int32_t p = 0; p < plan->processors; p++) plan->processor[p].shared_output = -1;
  for (guint o = 0; o < followed->outputs->len; o++) {
    const TgFollowedOutput *from = &g_array_index(followed->outputs, TgFollowedOutput, o);
    const TgStreamOutput output = {.processor = from->processor,
                                   .row = from->row,
                                   .column = from->column,
                                   .first = (int32_t)terms->len,
                                   .terms = (int32_t)from->sums->len};
    TgStreamProcessor *owner = &plan->processor[from->processor];
    if (owner->outputs++ == 0) owner->output_first = (int32_t)o;
    for (guint s = 0; s < from->sums->len; s++)
      write_term(plan, &g_array_index(followed->sums, TgFollowedSum, g_array_index(from->sums, int32_t, s)), (int32_t)o,
                 (int32_t)s, output.terms, terms);
    g_array_append_val(outputs, output);
  }
}

static void *steal(GArray *array, int64_t *count) {
  *count = array->len;
  return g_array_free(array, FALSE);
}

static bool write_all(const TgSlots *slots, GError **error) {
  TgClusterPlan *plan = slots->plan;
  GArray *ops = g_array_new(FALSE, TRUE, sizeof(TgStreamOp));
  GArray *products = g_array_new(FALSE, TRUE, sizeof(TgStreamProduct));
  GArray *outputs = g_array_new(FALSE, TRUE, sizeof(TgStreamOutput));
  GArray *terms = g_array_new(FALSE, TRUE, sizeof(TgStreamTerm));
  bool fine = true;
  for (int32_t p = 0; p < plan->processors && fine; p++) fine = write_processor(slots, p, ops, products, error);
  write_outputs(slots, outputs, terms);
  plan->op = steal(ops, &plan->ops);
  plan->product = steal(products, &plan->products);
  plan->output = steal(outputs, &plan->outputs);
  plan->term = steal(terms, &plan->terms);
  for (int32_t p = 0; p < plan->processors; p++) plan->channels = MAX(plan->channels, plan->processor[p].channels);
  return fine;
}

static TgClusterPlan *plan_of(const TgFollowed *followed, int32_t slots, int32_t warps) {
  const TgSchedule *schedule = followed->schedule;
  TgClusterPlan *plan = g_new0(TgClusterPlan, 1);
  plan->processors = (int32_t)followed->plan->processors;
  plan->processor = g_new0(TgStreamProcessor, (gsize)plan->processors);
  plan->slots = slots;
  plan->warps = warps;
  plan->inner = schedule->inner;
  plan->rows = schedule->blocks[TG_MATRIX_C][0];
  plan->columns = schedule->blocks[TG_MATRIX_C][1];
  plan->steps = (int32_t)followed->plan->steps;
  return plan;
}

TgClusterPlan *tg_cluster_streams_new(const TgFollowed *followed, int32_t slots, int32_t warps, GError **error) {
  TgSlots *layout = g_new0(TgSlots, 1);
  TgClusterPlan *plan = plan_of(followed, slots, warps);
  layout->followed = followed;
  layout->plan = plan;
  layout->span = followed->plan->instructions + 2;
  layout->fillings = g_array_new(FALSE, FALSE, sizeof(TgFilling));
  layout->sendings = g_array_new(FALSE, FALSE, sizeof(TgSending));
  const bool fine = tg_slots_lay_out(layout, error) && write_all(layout, error);
  tg_slots_clear(layout);
  g_free(layout);
  if (fine) return plan;
  tg_cluster_plan_free(plan);
  return NULL;
}
