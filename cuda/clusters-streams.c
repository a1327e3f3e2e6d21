/* Lays the tiles that a panel needs into slots, and writes every processor's two streams. The plan's unit is a number
 * of panels one after another, so that slots are used in turn also where a panel has few tiles. */
#include "clusters-planner-private.h"

#include <string.h>

/** A tile in a slot, from its arrival to its last reader. */
typedef struct Filling {
  int32_t tile, role, panel, processor;
  int64_t begin, end;   /* orders: when it is first needed, or comes, and when it was read last */
  int32_t slot, number; /* the number of the filling among those of its slot */
  int32_t readers;      /* arrivals at `free` */
  bool multiplied;      /* by this processor; otherwise it is only sent on */
} Filling;

/** A block on its way from one filling to another, of the same panel. */
typedef struct Sending {
  int32_t from, to; /* fillings */
  int32_t channel, use;
  int64_t order;
} Sending;

typedef struct Streams {
  const TgFollowed *followed;
  TgClusterPlan *plan;
  int64_t span;                                     /* orders of one panel */
  GArray *fillings;                                 /* Filling, panel by panel */
  GArray *sendings;                                 /* Sending */
  int32_t *sent;                                    /* by filling: how often it is sent on */
  int32_t *filling;                                 /* [panel][tile][role]; -1 where there is none */
  int32_t count[TG_CLUSTER_MOST][TG_CLUSTER_SLOTS]; /* of fillings, of each slot in a unit */
  int32_t uses[TG_CLUSTER_MOST][TG_CLUSTER_CHANNELS];
  uint8_t channel[TG_CLUSTER_MOST][TG_CLUSTER_MOST][TG_CLUSTER_SLOTS]; /* 1 + number, by sender, receiver, its slot */
} Streams;

static Filling *filling_of(const Streams *streams, int32_t panel, int32_t tile, int role) {
  const int64_t at = ((int64_t)panel * streams->followed->tiles->len + tile) * TG_ROLES + role;
  return &g_array_index(streams->fillings, Filling, streams->filling[at]);
}

static void read_filling(Filling *filling, int64_t order, int32_t warps) {
  filling->begin = MIN(filling->begin, order);
  filling->end = MAX(filling->end, order);
  filling->readers += MAX(warps, 1);
  filling->multiplied = filling->multiplied || warps > 0;
}

static bool is_live(const TgFollowed *followed, const TgFollowedProduct *product) {
  return g_array_index(followed->sums, TgFollowedSum, product->sum).live;
}

/* What one panel reads: products, and copies that are not loads. */
static void add_panel(Streams *streams, int32_t panel) {
  const TgFollowed *followed = streams->followed;
  const int64_t base = panel * streams->span;
  for (int32_t t = 0; t < (int32_t)followed->tiles->len; t++) {
    const TgTile *tile = tg_followed_tile(followed, t);
    for (int role = 0; role < TG_ROLES; role++) {
      const int64_t at = ((int64_t)panel * followed->tiles->len + t) * TG_ROLES + role;
      streams->filling[at] = -1;
      if (!tile->needed[role]) continue;
      const bool loaded = tile->loaded[role];
      const Filling filling = {.tile = t,
                               .role = role,
                               .panel = panel,
                               .processor = tile->owner,
                               .begin = loaded ? INT64_MAX : base + tile->order,
                               .end = base + tile->order};
      streams->filling[at] = (int32_t)streams->fillings->len;
      g_array_append_val(streams->fillings, filling);
      if (loaded) continue;
      Filling *from = filling_of(streams, panel, tile->from, role);
      const Sending sending = {.from = (int32_t)(from - (Filling *)(void *)streams->fillings->data),
                               .to = streams->filling[at],
                               .order = base + tile->order};
      read_filling(from, sending.order, 0);
      g_array_append_val(streams->sendings, sending);
    }
  }
  for (guint p = 0; p < followed->products->len; p++) {
    const TgFollowedProduct *product = &g_array_index(followed->products, TgFollowedProduct, p);
    for (int role = 0; role < TG_ROLES && is_live(followed, product); role++)
      read_filling(filling_of(streams, panel, product->tile[role], role), base + product->order, streams->plan->warps);
  }
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b, void *user) {
  const Filling *x = &g_array_index(((Streams *)user)->fillings, Filling, *(const int32_t *)a);
  const Filling *y = &g_array_index(((Streams *)user)->fillings, Filling, *(const int32_t *)b);
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return *(const int32_t *)a - *(const int32_t *)b;
}

static int32_t *in_order(Streams *streams) {
  int32_t *order = g_new(int32_t, MAX(streams->fillings->len, 1));
  for (guint f = 0; f < streams->fillings->len; f++) order[f] = (int32_t)f;
  g_qsort_with_data(order, (gint)streams->fillings->len, sizeof *order, by_begin, streams);
  return order;
}

/* The slot from `first` up to `last` that has been free for longest; -1 where all are full at that time. */
static int32_t choose_slot(const int64_t *busy, int32_t first, int32_t last, int64_t begin) {
  int32_t best = -1;
  for (int32_t s = first; s < last; s++)
    if (busy[s] < begin && (best < 0 || busy[s] < busy[best])) best = s;
  return best;
}

/* Lays the fillings of one kind and processor into the slots from `first` up to `last`. False where more are needed.
 * What is multiplied and what is only sent on never share a slot: a barrier tells a phase from the one before it, no
 * more, so the warps must see every phase of the slots that they wait for. (The producer sees them all: it arms a slot
 * only when the filling before has come and gone.) */
static bool lay_kind(Streams *streams, const int32_t *order, int32_t processor, bool multiplied, int32_t first,
                     int32_t last) {
  int64_t busy[TG_CLUSTER_SLOTS + 1];
  for (int s = 0; s <= TG_CLUSTER_SLOTS; s++) busy[s] = s - TG_CLUSTER_SLOTS - 2;
  for (int32_t s = first; s < last; s++) streams->count[processor][s] = 0;
  for (guint f = 0; f < streams->fillings->len; f++) {
    Filling *filling = &g_array_index(streams->fillings, Filling, order[f]);
    if (filling->processor != processor || filling->multiplied != multiplied) continue;
    const int32_t slot = choose_slot(busy, first, last, filling->begin);
    if (slot < 0) return false;
    busy[slot] = filling->end;
    filling->slot = slot;
    filling->number = streams->count[processor][slot]++;
  }
  return true;
}

/* The least number of slots for one kind. */
static int32_t least_slots(Streams *streams, const int32_t *order, int32_t processor, bool multiplied) {
  int32_t slots = 0;
  while (slots <= TG_CLUSTER_SLOTS && !lay_kind(streams, order, processor, multiplied, 0, MIN(slots, TG_CLUSTER_SLOTS)))
    slots++;
  return slots;
}

/* What is multiplied gets all slots but those that the others need, and these get one more where there are many. */
static void lay(Streams *streams, const int32_t *order, int32_t slots) {
  for (int32_t p = 0; p < streams->plan->processors; p++) {
    const int32_t multiplied = least_slots(streams, order, p, true);
    int32_t others = least_slots(streams, order, p, false);
    if (others > 0 && multiplied + others + 2 <= slots) others++;
    const bool laid = lay_kind(streams, order, p, true, 0, slots - others) &&
                      lay_kind(streams, order, p, false, slots - others, slots);
    g_assert(laid); /* panels follow one another, each needs no more than one */
  }
}

static bool count_arrivals(Streams *streams, GError **error) {
  for (guint f = 0; f < streams->fillings->len; f++) {
    const Filling *filling = &g_array_index(streams->fillings, Filling, f);
    uint16_t *arrivals = &streams->plan->processor[filling->processor].arrivals[filling->slot];
    if (filling->readers > UINT16_MAX) {
      g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                  "a block is read %d times where it lies, at most %d are counted", filling->readers, UINT16_MAX);
      return false;
    }
    *arrivals = (uint16_t)MAX(*arrivals, filling->readers);
  }
  return true;
}

/* Every pair of a receiver and its slot has a channel at the sender, on which the receiver says that it is ready: it
 * does so again only when the block has come, so no invitation is lost. */
static bool open_channels(Streams *streams, GError **error) {
  for (guint s = 0; s < streams->sendings->len; s++) {
    Sending *sending = &g_array_index(streams->sendings, Sending, s);
    const Filling *from = &g_array_index(streams->fillings, Filling, sending->from);
    const Filling *to = &g_array_index(streams->fillings, Filling, sending->to);
    TgStreamProcessor *sender = &streams->plan->processor[from->processor];
    uint8_t *channel = &streams->channel[from->processor][to->processor][to->slot];
    if (*channel == 0) {
      if (sender->channels == TG_CLUSTER_CHANNELS) {
        g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                    "a processor sends to more than %d slots of others", TG_CLUSTER_CHANNELS);
        return false;
      }
      *channel = (uint8_t)++sender->channels;
    }
    sending->channel = *channel - 1;
    sending->use = streams->uses[from->processor][sending->channel]++;
  }
  return true;
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

/** An operation with its place in the order: what fills a slot stands before what sends. */
typedef struct Placed {
  int64_t order;
  int32_t kind, number;
  TgStreamOp op;
} Placed;

static int by_place(const void *a, const void *b) {
  const Placed *x = a, *y = b;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  if (x->kind != y->kind) return x->kind - y->kind;
  return x->number - y->number;
}

static void set_filling(const Streams *streams, const Filling *filling, uint8_t *slot, uint8_t *parity, uint8_t *odd) {
  *slot = (uint8_t)filling->slot;
  *parity = filling->number & 1;
  *odd = streams->count[filling->processor][filling->slot] & 1;
}

static void set_channel(const Streams *streams, const Sending *sending, int32_t sender, TgStreamOp *op) {
  op->channel = (uint8_t)sending->channel;
  op->channel_parity = sending->use & 1;
  op->channel_odd = streams->uses[sender][sending->channel] & 1;
}

/* What fills the slot: `sending` is NULL for a load. */
static Placed arm(const Streams *streams, const Filling *filling, const Sending *sending, int32_t number) {
  const TgFollowed *followed = streams->followed;
  const TgComputes *computes = &followed->schedule->computes;
  const TgTile *tile = tg_followed_tile(followed, filling->tile);
  Placed placed = {.order = filling->begin, .number = number};
  TgStreamOp *op = &placed.op;
  set_filling(streams, filling, &op->slot, &op->parity, &op->odd);
  op->operation = sending ? TG_STREAM_RECEIVE : TG_STREAM_LOAD;
  op->spare = (uint16_t)(streams->plan->processor[filling->processor].arrivals[filling->slot] - filling->readers);
  op->role = (uint8_t)filling->role;
  op->step = tile->step;
  const bool inner_first = filling->role == TG_ROLE_LEFT ? computes->left_transposed : !computes->right_transposed;
  op->across = inner_first ? tile->column : tile->row;
  op->inner = inner_first ? tile->row : tile->column;
  if (!sending) return placed;
  const Filling *from = &g_array_index(streams->fillings, Filling, sending->from);
  op->peer = (uint8_t)from->processor;
  op->peer_slot = (uint8_t)from->slot;
  set_channel(streams, sending, from->processor, op);
  return placed;
}

static Placed send(const Streams *streams, const Sending *sending, int32_t number) {
  const Filling *from = &g_array_index(streams->fillings, Filling, sending->from);
  const Filling *to = &g_array_index(streams->fillings, Filling, sending->to);
  Placed placed = {.order = sending->order, .kind = 1, .number = number};
  TgStreamOp *op = &placed.op;
  set_filling(streams, from, &op->slot, &op->parity, &op->odd);
  op->operation = TG_STREAM_SEND;
  op->role = (uint8_t)from->role;
  op->peer = (uint8_t)to->processor;
  op->peer_slot = (uint8_t)to->slot;
  op->step = tg_followed_tile(streams->followed, to->tile)->step;
  set_channel(streams, sending, from->processor, op);
  return placed;
}

static GArray *ops_of(const Streams *streams, int32_t processor, int32_t panel) {
  GArray *ops = g_array_new(FALSE, FALSE, sizeof(Placed));
  for (guint f = 0; f < streams->fillings->len; f++) {
    const Filling *filling = &g_array_index(streams->fillings, Filling, f);
    if (filling->processor != processor || filling->panel != panel) continue;
    if (!tg_followed_tile(streams->followed, filling->tile)->loaded[filling->role]) continue;
    const Placed placed = arm(streams, filling, NULL, (int32_t)f);
    g_array_append_val(ops, placed);
  }
  for (guint s = 0; s < streams->sendings->len; s++) {
    const Sending *sending = &g_array_index(streams->sendings, Sending, s);
    const Filling *to = &g_array_index(streams->fillings, Filling, sending->to);
    const Filling *from = &g_array_index(streams->fillings, Filling, sending->from);
    if (to->panel != panel) continue;
    if (to->processor == processor) {
      const Placed placed = arm(streams, to, sending, sending->to);
      g_array_append_val(ops, placed);
    }
    if (from->processor == processor) {
      const Placed placed = send(streams, sending, (int32_t)s);
      g_array_append_val(ops, placed);
    }
  }
  g_array_sort(ops, by_place);
  return ops;
}

static void write_ops(const Streams *streams, GArray *all) {
  TgClusterPlan *plan = streams->plan;
  for (int32_t p = 0; p < plan->processors; p++) {
    for (int32_t u = 0; u < plan->unit; u++) {
      g_autoptr(GArray) ops = ops_of(streams, p, u);
      plan->processor[p].op_first[u] = (int32_t)all->len;
      for (guint i = 0; i < ops->len; i++) g_array_append_val(all, g_array_index(ops, Placed, i).op);
      plan->processor[p].op_first[u + 1] = (int32_t)all->len;
    }
  }
}

static void write_panel_products(const Streams *streams, int32_t processor, int32_t panel, GArray *all) {
  const TgFollowed *followed = streams->followed;
  const guint begin = all->len;
  g_autofree bool *begun = g_new0(bool, MAX(followed->sums->len, 1));
  for (guint p = 0; p < followed->products->len; p++) {
    const TgFollowedProduct *product = &g_array_index(followed->products, TgFollowedProduct, p);
    if (product->processor != processor || !is_live(followed, product)) continue;
    const int32_t sum = g_array_index(followed->sums, TgFollowedSum, product->sum).number;
    TgStreamProduct entry = {.sum = sum, .step = product->step};
    TgStreamProduct *before = all->len > begin ? &g_array_index(all, TgStreamProduct, all->len - 1) : NULL;
    if (before && before->sum != sum) before->flags |= TG_PRODUCT_STORE;
    if (!before || before->sum != sum) entry.flags |= TG_PRODUCT_FETCH;
    if (!begun[sum]) entry.flags |= TG_PRODUCT_FIRST;
    begun[sum] = true;
    for (int role = 0; role < TG_ROLES; role++)
      set_filling(streams, filling_of(streams, panel, product->tile[role], role), &entry.slot[role],
                  &entry.parity[role], &entry.odd[role]);
    g_array_append_val(all, entry);
  }
  if (all->len > begin) g_array_index(all, TgStreamProduct, all->len - 1).flags |= TG_PRODUCT_STORE;
}

static void write_products(const Streams *streams, GArray *all) {
  TgClusterPlan *plan = streams->plan;
  for (int32_t p = 0; p < plan->processors; p++) {
    for (int32_t u = 0; u < plan->unit; u++) {
      plan->processor[p].product_first[u] = (int32_t)all->len;
      write_panel_products(streams, p, u, all);
      plan->processor[p].product_first[u + 1] = (int32_t)all->len;
    }
  }
}

/* --- C ------------------------------------------------------------------------------------------------------------ */

static int by_processor(const void *a, const void *b) {
  return ((const TgFollowedOutput *)a)->processor - ((const TgFollowedOutput *)b)->processor;
}

static void write_outputs(const Streams *streams, GArray *outputs, GArray *terms) {
  const TgFollowed *followed = streams->followed;
  TgClusterPlan *plan = streams->plan;
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
    for (guint s = 0; s < from->sums->len; s++) {
      const TgFollowedSum *sum = &g_array_index(followed->sums, TgFollowedSum, g_array_index(from->sums, int32_t, s));
      const TgStreamTerm term = {sum->processor, sum->number};
      TgStreamProcessor *processor = &plan->processor[sum->processor];
      processor->sums = MAX(processor->sums, sum->number + 1);
      plan->sums = MAX(plan->sums, processor->sums);
      processor->shared_output = (int32_t)o;
      processor->share = (int32_t)s;
      processor->shares = (int32_t)from->sums->len;
      g_array_append_val(terms, term);
    }
    g_array_append_val(outputs, output);
  }
}

static void *steal(GArray *array, int64_t *count) {
  *count = array->len;
  return g_array_free(array, FALSE);
}

static void write_all(const Streams *streams) {
  TgClusterPlan *plan = streams->plan;
  GArray *ops = g_array_new(FALSE, TRUE, sizeof(TgStreamOp)),
         *outputs = g_array_new(FALSE, TRUE, sizeof(TgStreamOutput));
  GArray *products = g_array_new(FALSE, TRUE, sizeof(TgStreamProduct));
  GArray *terms = g_array_new(FALSE, TRUE, sizeof(TgStreamTerm));
  write_ops(streams, ops);
  write_products(streams, products);
  write_outputs(streams, outputs, terms);
  plan->op = steal(ops, &plan->ops);
  plan->product = steal(products, &plan->products);
  plan->output = steal(outputs, &plan->outputs);
  plan->term = steal(terms, &plan->terms);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static TgClusterPlan *plan_of(const TgFollowed *followed) {
  const TgSchedule *schedule = followed->schedule;
  TgClusterPlan *plan = g_new0(TgClusterPlan, 1);
  plan->processors = (int32_t)followed->plan->processors;
  plan->processor = g_new0(TgStreamProcessor, (gsize)plan->processors);
  plan->inner = schedule->inner;
  plan->rows = schedule->blocks[TG_MATRIX_C][0];
  plan->columns = schedule->blocks[TG_MATRIX_C][1];
  plan->steps = (int32_t)followed->plan->steps;
  return plan;
}

static void add_panels(Streams *streams, int32_t panels) {
  g_array_set_size(streams->fillings, 0);
  g_array_set_size(streams->sendings, 0);
  streams->plan->unit = panels;
  g_free(streams->filling);
  streams->filling = g_new(int32_t, (gsize)panels * MAX(streams->followed->tiles->len, 1) * TG_ROLES);
  for (int32_t u = 0; u < panels; u++) add_panel(streams, u);
}

static void count_panel(Streams *streams) {
  streams->plan->sends = (int32_t)streams->sendings->len;
  streams->plan->loads = (int32_t)(streams->fillings->len - streams->sendings->len);
}

static bool lay_out(Streams *streams, int32_t slots, GError **error) {
  add_panels(streams, 1);
  count_panel(streams);
  g_autofree int32_t *one = in_order(streams);
  for (int32_t p = 0; p < streams->plan->processors; p++) {
    const int32_t live = least_slots(streams, one, p, true) + least_slots(streams, one, p, false);
    streams->plan->live = MAX(streams->plan->live, live);
  }
  if (streams->plan->live > slots) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "a processor holds %s%d blocks of A and B at once, and has room for %d",
                streams->plan->live > TG_CLUSTER_SLOTS ? "more than " : "", MIN(streams->plan->live, TG_CLUSTER_SLOTS),
                slots);
    return false;
  }
  const int32_t most = (int32_t)streams->fillings->len / MAX(streams->plan->processors, 1);
  add_panels(streams, CLAMP(most > 0 ? 2 * slots / most + 1 : 1, 1, TG_CLUSTER_UNIT));
  g_autofree int32_t *all = in_order(streams);
  streams->plan->slots = slots;
  lay(streams, all, slots);
  return count_arrivals(streams, error) && open_channels(streams, error);
}

TgClusterPlan *tg_cluster_streams_new(const TgFollowed *followed, int32_t slots, int32_t warps, int32_t *live,
                                      GError **error) {
  Streams *streams = g_new0(Streams, 1);
  streams->followed = followed;
  streams->plan = plan_of(followed);
  streams->plan->warps = warps;
  streams->span = followed->plan->instructions + 2;
  streams->fillings = g_array_new(FALSE, FALSE, sizeof(Filling));
  streams->sendings = g_array_new(FALSE, FALSE, sizeof(Sending));
  const bool fine = lay_out(streams, slots, error);
  TgClusterPlan *plan = streams->plan;
  if (live) *live = plan->live;
  if (fine) write_all(streams);
  for (int32_t p = 0; p < plan->processors; p++) plan->channels = MAX(plan->channels, plan->processor[p].channels);
  g_array_unref(streams->fillings);
  g_array_unref(streams->sendings);
  g_free(streams->filling);
  g_free(streams);
  if (fine) return plan;
  tg_cluster_plan_free(plan);
  return NULL;
}
