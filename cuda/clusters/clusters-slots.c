/* Lays the tiles that panels need into slots. A unit is a number of panels one after another, so that slots are used in
 * turn also where a panel has few tiles. */
#include "clusters-slots.h"

/* --- what is read ------------------------------------------------------------------------------------------------- */

static void use_filling(TgFilling *filling, int64_t order) {
  filling->begin = MIN(filling->begin, order);
  filling->end = MAX(filling->end, order);
}

static void add_filling(TgSlots *slots, int32_t panel, int32_t t, int role) {
  const TgTile *tile = tg_followed_tile(slots->followed, t);
  const int64_t at = ((int64_t)panel * slots->followed->tiles->len + t) * TG_ROLES + role;
  const int64_t order = tg_order(slots, panel, tile->order);
  const bool loaded = tile->loaded[role];
  slots->filling[at] = -1;
  if (!tile->needed[role]) return;
  TgFilling filling = {.tile = t,
                       .role = role,
                       .panel = panel,
                       .processor = tile->owner,
                       .begin = loaded ? INT64_MAX : order,
                       .end = loaded ? 0 : order,
                       .readers = loaded ? 0 : 1, /* whoever tells its sender that it has come */
                       .from = -1};
  slots->filling[at] = (int32_t)slots->fillings->len;
  if (!loaded) {
    filling.from = (int32_t)(tg_filling_of(slots, panel, tile->from, role) - tg_filling(slots, 0));
    const TgSending sending = {.from = filling.from, .to = slots->filling[at], .order = order};
    g_array_append_val(slots->sendings, sending);
  }
  g_array_append_val(slots->fillings, filling);
}

static void add_products(TgSlots *slots, int32_t panel) {
  const TgFollowed *followed = slots->followed;
  for (guint p = 0; p < followed->products->len; p++) {
    const TgFollowedProduct *product = &g_array_index(followed->products, TgFollowedProduct, p);
    const int64_t order = tg_order(slots, panel, product->order);
    for (int role = 0; role < TG_ROLES && tg_product_is_live(followed, product); role++) {
      TgFilling *filling = tg_filling_of(slots, panel, product->tile[role], role);
      use_filling(filling, order);
      filling->multiplied = true;
      filling->readers += slots->plan->warps;
    }
  }
}

static void add_sendings(TgSlots *slots) {
  for (guint s = 0; s < slots->sendings->len; s++) {
    const TgSending *sending = &g_array_index(slots->sendings, TgSending, s);
    TgFilling *from = tg_filling(slots, sending->from);
    use_filling(from, sending->order);
    from->readers++;
  }
}

static void add_panels(TgSlots *slots, int32_t panels) {
  g_array_set_size(slots->fillings, 0);
  g_array_set_size(slots->sendings, 0);
  slots->plan->unit = panels;
  g_free(slots->filling);
  slots->filling = g_new(int32_t, (gsize)panels * MAX(slots->followed->tiles->len, 1) * TG_ROLES);
  for (int32_t u = 0; u < panels; u++) {
    for (int32_t t = 0; t < (int32_t)slots->followed->tiles->len; t++)
      for (int role = 0; role < TG_ROLES; role++) add_filling(slots, u, t, role);
    add_products(slots, u);
  }
  add_sendings(slots);
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b, void *user) {
  const TgFilling *x = tg_filling(user, *(const int32_t *)a), *y = tg_filling(user, *(const int32_t *)b);
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return *(const int32_t *)a - *(const int32_t *)b;
}

static int32_t *in_order(TgSlots *slots) {
  int32_t *order = g_new(int32_t, MAX(slots->fillings->len, 1));
  for (guint f = 0; f < slots->fillings->len; f++) order[f] = (int32_t)f;
  g_qsort_with_data(order, (gint)slots->fillings->len, sizeof *order, by_begin, slots);
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
 * more, so the warps must see every phase of the slots that they wait for. (The filler sees them all: it arms a slot
 * only when the filling before has come and gone.) */
static bool lay_kind(TgSlots *slots, const int32_t *order, int32_t processor, bool multiplied, int32_t first,
                     int32_t last) {
  int64_t busy[TG_CLUSTER_SLOTS + 1];
  int32_t latest[TG_CLUSTER_SLOTS + 1], begun[TG_CLUSTER_SLOTS + 1];
  for (int s = 0; s <= TG_CLUSTER_SLOTS; s++) {
    busy[s] = s - TG_CLUSTER_SLOTS - 2;
    latest[s] = begun[s] = -1;
  }
  for (int32_t s = first; s < last; s++) slots->count[processor][s] = 0;
  for (guint f = 0; f < slots->fillings->len; f++) {
    TgFilling *filling = tg_filling(slots, order[f]);
    if (filling->processor != processor || filling->multiplied != multiplied) continue;
    const int32_t slot = choose_slot(busy, first, last, filling->begin);
    if (slot < 0) return false;
    busy[slot] = filling->end;
    filling->slot = slot;
    filling->number = slots->count[processor][slot]++;
    filling->before = latest[slot];
    latest[slot] = order[f];
    if (begun[slot] < 0) begun[slot] = order[f];
  }
  for (int32_t s = first; s < last; s++)
    if (begun[s] >= 0) tg_filling(slots, begun[s])->before = latest[s];
  return true;
}

/* The least number of slots for one kind. */
static int32_t least_slots(TgSlots *slots, const int32_t *order, int32_t processor, bool multiplied) {
  int32_t least = 0;
  while (least <= TG_CLUSTER_SLOTS && !lay_kind(slots, order, processor, multiplied, 0, MIN(least, TG_CLUSTER_SLOTS)))
    least++;
  return least;
}

/* What is multiplied gets all slots but those that the others need, and these get one more where there are many. */
static void lay(TgSlots *slots, const int32_t *order) {
  const int32_t all = slots->plan->slots;
  for (int32_t p = 0; p < slots->plan->processors; p++) {
    const int32_t multiplied = least_slots(slots, order, p, true);
    int32_t others = least_slots(slots, order, p, false);
    if (others > 0 && multiplied + others + 2 <= all) others++;
    const bool laid =
        lay_kind(slots, order, p, true, 0, all - others) && lay_kind(slots, order, p, false, all - others, all);
    g_assert(laid); /* panels follow one another, each needs no more than one */
  }
}

static bool count_arrivals(TgSlots *slots, GError **error) {
  for (guint f = 0; f < slots->fillings->len; f++) {
    const TgFilling *filling = tg_filling(slots, (int32_t)f);
    uint16_t *arrivals = &slots->plan->processor[filling->processor].arrivals[filling->slot];
    if (filling->number >= TG_CLUSTER_FILLINGS)
      return TG_EXECUTOR_FAIL(error, TOO_LARGE, "more than %d blocks arrive in one slot of a processor",
                              TG_CLUSTER_FILLINGS);
    if (filling->readers > UINT16_MAX)
      return TG_EXECUTOR_FAIL(error, TOO_LARGE, "a block is read %d times in place; the limit is %d", filling->readers,
                              UINT16_MAX);
    *arrivals = (uint16_t)MAX(*arrivals, filling->readers);
  }
  return true;
}

/* Every pair of a receiver and its slot has a channel at the sender, on which the receiver says that it is ready: it
 * does so again only when the block has come, so no invitation is lost. */
static bool open_channels(TgSlots *slots, GError **error) {
  for (guint s = 0; s < slots->sendings->len; s++) {
    TgSending *sending = &g_array_index(slots->sendings, TgSending, s);
    const TgFilling *from = tg_filling(slots, sending->from), *to = tg_filling(slots, sending->to);
    TgStreamProcessor *sender = &slots->plan->processor[from->processor];
    uint8_t *channel = &slots->channel[from->processor][to->processor][to->slot];
    if (*channel == 0) {
      if (sender->channels == TG_CLUSTER_CHANNELS)
        return TG_EXECUTOR_FAIL(error, TOO_LARGE, "a processor sends to more than %d slots of others",
                                TG_CLUSTER_CHANNELS);
      *channel = (uint8_t)++sender->channels;
    }
    sending->channel = *channel - 1;
    sending->use = slots->uses[from->processor][sending->channel]++;
  }
  return true;
}

bool tg_slots_lay_out(TgSlots *slots, GError **error) {
  TgClusterPlan *plan = slots->plan;
  add_panels(slots, 1);
  plan->sends = (int32_t)slots->sendings->len;
  plan->loads = (int32_t)(slots->fillings->len - slots->sendings->len);
  g_autofree int32_t *one = in_order(slots);
  for (int32_t p = 0; p < plan->processors; p++)
    plan->live = MAX(plan->live, least_slots(slots, one, p, true) + least_slots(slots, one, p, false));
  if (plan->live > plan->slots)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "a processor holds %s%d blocks of A and B at once, but has room for %d",
                            plan->live > TG_CLUSTER_SLOTS ? "more than " : "", MIN(plan->live, TG_CLUSTER_SLOTS),
                            plan->slots);
  const int32_t most = (int32_t)slots->fillings->len / plan->processors;
  const int32_t products = MAX((int32_t)slots->followed->products->len, plan->processors);
  const int32_t panels = MIN(most > 0 ? 2 * plan->slots / most + 1 : 1, TG_CLUSTER_WORDS / products);
  add_panels(slots, CLAMP(panels, 1, TG_CLUSTER_UNIT));
  g_autofree int32_t *all = in_order(slots);
  lay(slots, all);
  return count_arrivals(slots, error) && open_channels(slots, error);
}

void tg_slots_clear(TgSlots *slots) {
  g_array_unref(slots->fillings);
  g_array_unref(slots->sendings);
  g_free(slots->filling);
}
