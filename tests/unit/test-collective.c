/* Collectives against a simulator that knows only what each operation means; order, ports and partners of transfers. */
#include "collective-case.h"

#include <string.h>

/* ---- meaning: cells[position][item][piece] is the set of positions whose contributions the cell holds ---- */

typedef struct World {
  int32_t length, items, pieces;
  uint32_t *cells;
  int32_t *sent; /* round in which the cell was last sent, from 1 */
} World;

static int64_t cell_index(const World *w, int32_t position, const TgTransfer *t) {
  g_assert_true(position >= 0 && position < w->length && t->item >= 0 && t->item < w->items);
  g_assert_true(t->piece >= 0 && t->piece < w->pieces);
  return ((int64_t)position * w->items + t->item) * w->pieces + t->piece;
}

/* Contributions and blocks that are one position's alone leave their sender; copies for everybody stay. */
static bool leaves(TgOp op) {
  return op != TG_OP_BROADCAST && op != TG_OP_ALLGATHER;
}

/* What every cell of item `item` at p holds before, and exactly what it must hold in the end. */
static int64_t meant(const Case *c, int32_t p, int32_t item, bool after) {
  int64_t all = (1ll << c->length) - 1, own = 1ll << p, root = 1ll << c->root;
  switch (c->op) {
  case TG_OP_BROADCAST:
    return after || p == c->root ? root : 0;
  case TG_OP_REDUCE:
    return !after ? own : p == c->root ? all : 0;
  case TG_OP_ALLGATHER:
    return after || p == item ? 1ll << item : 0;
  case TG_OP_REDUCESCATTER:
    return !after ? own : p == item ? all : 0;
  case TG_OP_SCATTER:
    return p == (after ? item : c->root) ? root : 0;
  case TG_OP_GATHER:
    return p == (after ? c->root : item) ? 1ll << item : 0;
  default:
    return p == (after ? item % c->length : item / c->length) ? 1ll << item / c->length : 0;
  }
}

static void judge(const Case *c, const World *w, bool after) {
  uint32_t *cell = w->cells;
  for (int32_t p = 0; p < w->length; p++)
    for (int32_t item = 0; item < w->items; item++)
      for (int32_t piece = 0; piece < w->pieces; piece++, cell++) {
        if (!after) *cell = (uint32_t)meant(c, p, item, false);
        if (after) g_assert_cmphex(*cell, ==, (uint32_t)meant(c, p, item, true));
      }
}

/* All read the state before the round, then what leaves leaves, then all arrive. */
static void play_round(const Case *c, const World *w, guint begin, guint end, uint32_t *flying) {
  for (guint i = begin; i < end; i++) {
    const TgTransfer *t = transfer_at(c, i);
    int64_t from = cell_index(w, t->from, t);
    g_assert_cmpint(t->pieces, ==, w->pieces);
    g_assert_cmpint(t->add, ==, sums(c->op));
    flying[i] = w->cells[from];
    g_assert_cmphex(flying[i], !=, 0); /* the sender has what it sends */
    if (leaves(c->op)) g_assert_cmpint(w->sent[from], <, t->round + 1);
    w->sent[from] = t->round + 1;
  }
  for (guint i = begin; i < end && leaves(c->op); i++)
    w->cells[cell_index(w, transfer_at(c, i)->from, transfer_at(c, i))] = 0;
  for (guint i = begin; i < end; i++) {
    const TgTransfer *t = transfer_at(c, i);
    int64_t to = cell_index(w, t->to, t);
    g_assert_cmpint(w->sent[to], <, t->round + 1);                            /* not sent in this round too */
    g_assert_cmphex(t->add ? w->cells[to] & flying[i] : w->cells[to], ==, 0); /* nothing arrives twice */
    w->cells[to] |= flying[i];
  }
}

/* No position ever keeps more than `length` whole blocks, its own and those on their way together. */
static void check_storage(const World *w) {
  int64_t each = (int64_t)w->items * w->pieces;
  for (int32_t p = 0; p < w->length; p++) {
    int64_t held = 0;
    for (int64_t i = 0; i < each; i++) held += w->cells[p * each + i] != 0;
    g_assert_cmpint(held, <=, (int64_t)w->length * w->pieces);
  }
}

static void check_meaning(const Case *c) {
  int32_t items = c->op == TG_OP_BROADCAST || c->op == TG_OP_REDUCE ? 1 : c->length;
  if (c->op == TG_OP_ALLTOALL) items *= c->length;
  World w = {c->length, items, c->rounds.pieces, NULL, NULL};
  gsize cells = (gsize)w.length * (gsize)w.items * (gsize)w.pieces;
  w.cells = g_new0(uint32_t, cells);
  w.sent = g_new0(int32_t, cells);
  uint32_t *flying = g_new(uint32_t, c->transfers->len + 1);
  judge(c, &w, false);
  for (guint begin = 0, end; begin < c->transfers->len; begin = end) {
    play_round(c, &w, begin, end = round_end(c, begin), flying);
    check_storage(&w);
  }
  judge(c, &w, true);
  g_free(flying);
  g_free(w.sent);
  g_free(w.cells);
}

/* ---- order, ports, partners ---- */

static int compare(const TgTransfer *a, const TgTransfer *b, bool by_receiver) {
  int64_t x[] = {a->round, a->from, by_receiver ? a->to : 0, a->item, a->piece};
  int64_t y[] = {b->round, b->from, by_receiver ? b->to : 0, b->item, b->piece};
  for (int i = 0; i < 5; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

static gint compare_transfers(gconstpointer a, gconstpointer b) {
  return compare(a, b, true);
}

static void check_order(const Case *c) {
  int32_t last = -1;
  for (guint i = 0; i < c->transfers->len; i++) {
    const TgTransfer *t = transfer_at(c, i);
    g_assert_true(t->round == last || t->round == last + 1); /* no round is empty */
    g_assert_cmpint(t->from, !=, t->to);
    if (i) g_assert_cmpint(compare(transfer_at(c, i - 1), t, true), <, 0);
    if (i) g_assert_cmpint(compare(transfer_at(c, i - 1), t, false), <=, 0);
    last = t->round;
  }
  g_assert_cmpint(tg_rounds_count(&c->rounds), ==, last + 1);
}

static void check_one_port(const Case *c) {
  if (c->rounds.collective == TG_COLLECTIVE_WHOLE) return;
  int32_t receiver[32], sender[32], round = -1;
  for (guint i = 0; i < c->transfers->len; i++) {
    const TgTransfer *t = transfer_at(c, i);
    if (t->round != round) memset(receiver, -1, sizeof receiver), memset(sender, -1, sizeof sender);
    round = t->round;
    g_assert_true(receiver[t->from] == -1 || receiver[t->from] == t->to);
    g_assert_true(sender[t->to] == -1 || sender[t->to] == t->from);
    receiver[t->from] = t->to;
    sender[t->to] = t->from;
  }
}

static void check_partners(const Case *c) {
  TgCollective k = (TgCollective)c->rounds.collective;
  int32_t ahead = c->op == TG_OP_REDUCE || c->op == TG_OP_GATHER || c->op == TG_OP_REDUCESCATTER ? c->length - 1 : 1;
  for (guint i = 0; i < c->transfers->len; i++) {
    const TgTransfer *t = transfer_at(c, i);
    if (k == TG_COLLECTIVE_RING || k == TG_COLLECTIVE_CHAIN)
      g_assert_cmpint((t->to - t->from + c->length) % c->length, ==, ahead % c->length);
    if (power_of_two(c->length) && (k == TG_COLLECTIVE_BINOMIAL || k == TG_COLLECTIVE_RECURSIVE_DOUBLING))
      g_assert_cmpint(__builtin_popcount((unsigned)(t->from ^ t->to)), ==, 1);
    if (k == TG_COLLECTIVE_WHOLE || k == TG_COLLECTIVE_PAIRWISE)
      if (rooted(c->op)) g_assert_true((sums(c->op) || c->op == TG_OP_GATHER ? t->to : t->from) == c->root);
  }
}

static void check_backwards(const Case *c) {
  static const TgOp reverse[TG_OPS] = {
      [TG_OP_BROADCAST] = TG_OP_REDUCE, [TG_OP_SCATTER] = TG_OP_GATHER, [TG_OP_ALLGATHER] = TG_OP_REDUCESCATTER};
  if (!reverse[c->op]) return;
  Case back = *c;
  back.op = reverse[c->op];
  case_open(&back);
  g_assert_cmpint(back.rounds.collective, ==, c->rounds.collective);
  for (guint i = 0; i < back.transfers->len; i++) {
    TgTransfer *t = &g_array_index(back.transfers, TgTransfer, i);
    int32_t from = t->from;
    t->from = t->to, t->to = from;
    t->round = tg_rounds_count(&c->rounds) - 1 - t->round;
  }
  g_array_sort(back.transfers, compare_transfers);
  g_assert_cmpint(back.transfers->len, ==, c->transfers->len);
  for (guint i = 0; i < c->transfers->len; i++)
    g_assert_cmpint(compare(transfer_at(c, i), transfer_at(&back, i), true), ==, 0);
  case_close(&back);
}

/* Each round alone says what the walk says. */
static void check_at(const Case *c) {
  for (guint begin = 0, end; begin < c->transfers->len; begin = end) {
    end = round_end(c, begin);
    const TgTransfer *first = transfer_at(c, begin);
    const TgRound round = tg_rounds_at(&c->rounds, first->round);
    int64_t pairs = 0, parcels = 0;
    for (guint i = begin; i < end; i++) {
      const TgTransfer *t = transfer_at(c, i), *before = i > begin ? t - 1 : NULL;
      pairs += !before || before->from != t->from || before->to != t->to;
      parcels += t->from == first->from && t->to == first->to;
    }
    g_assert_cmpint(round.from, ==, first->from);
    g_assert_cmpint(round.to, ==, first->to);
    g_assert_cmpfloat_with_epsilon(round.blocks, (double)parcels / first->pieces, 1e-12);
    if (c->rounds.collective == TG_COLLECTIVE_SCATTER_ALLGATHER)
      g_assert_cmpint(round.messages, >=, pairs);
    else
      g_assert_cmpint(round.messages, ==, pairs);
  }
}

static void add(const char *path, void (*const *check)(const Case *)) {
  g_test_add_data_func(path, check, check_all);
}

int main(int argc, char **argv) {
  static void (*const checks[])(const Case *) = {check_meaning,  check_order,     check_one_port,
                                                 check_partners, check_backwards, check_at};
  g_test_init(&argc, &argv, NULL);
  add("/collective/meaning", &checks[0]);
  add("/collective/order", &checks[1]);
  add("/collective/one-port", &checks[2]);
  add("/collective/partners", &checks[3]);
  add("/collective/backwards", &checks[4]);
  add("/collective/at", &checks[5]);
  return g_test_run();
}
