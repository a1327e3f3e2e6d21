/* One collective's transfers collected, and every case worth checking. */
#ifndef TG_TEST_COLLECTIVE_CASE_H
#define TG_TEST_COLLECTIVE_CASE_H

#include "collective.h"

#include <glib.h>

typedef struct Case {
  TgOp op;
  TgCollective collective; /* as asked for */
  int32_t length, root, pieces;
  TgRounds rounds; /* as begun */
  GArray *transfers;
} Case;

static const TgOp operations[] = {TG_OP_BROADCAST, TG_OP_REDUCE,  TG_OP_ALLGATHER, TG_OP_REDUCESCATTER,
                                  TG_OP_ALLTOALL,  TG_OP_SCATTER, TG_OP_GATHER};

static inline bool rooted(TgOp op) {
  return op == TG_OP_BROADCAST || op == TG_OP_REDUCE || op == TG_OP_SCATTER || op == TG_OP_GATHER;
}

static inline bool sums(TgOp op) {
  return op == TG_OP_REDUCE || op == TG_OP_REDUCESCATTER;
}

static inline bool power_of_two(int32_t length) {
  return __builtin_popcount((unsigned)length) == 1;
}

static const TgTransfer *transfer_at(const Case *c, guint i) {
  return &g_array_index(c->transfers, TgTransfer, i);
}

static inline void case_open(Case *c) {
  tg_rounds_init(&c->rounds, c->op, c->collective, c->length, c->root, c->pieces);
  c->transfers = g_array_new(FALSE, FALSE, sizeof(TgTransfer));
  TgRounds walk = c->rounds;
  for (TgTransfer t; tg_rounds_next(&walk, &t);) g_array_append_val(c->transfers, t);
  TgTransfer none;
  g_assert_false(tg_rounds_next(&walk, &none));
}

static inline void case_close(Case *c) {
  g_array_unref(c->transfers);
}

static inline void check_roots(TgOp op, TgCollective collective, int32_t length, void (*check)(const Case *)) {
  static const int32_t pieces[] = {0, 1, 2, 5, 40};
  for (int32_t root = 0; root < (rooted(op) ? length : 1); root++)
    for (size_t p = 0; p < (collective == TG_COLLECTIVE_CHAIN ? G_N_ELEMENTS(pieces) : 1); p++) {
      Case c = {.op = op, .collective = collective, .length = length, .root = root, .pieces = pieces[p]};
      case_open(&c);
      check(&c);
      case_close(&c);
    }
}

/* Every operation under every collective, lengths 1 to 17 and 32, every root, several numbers of pieces. */
static inline void check_all(gconstpointer data) {
  void (*check)(const Case *) = *(void (*const *)(const Case *))data;
  for (size_t o = 0; o < G_N_ELEMENTS(operations); o++)
    for (int k = 0; k < TG_COLLECTIVES; k++)
      for (int32_t length = 1; length <= 32; length += length == 17 ? 15 : 1)
        check_roots(operations[o], (TgCollective)k, length, check);
}

/* Index after the last transfer of the round that begins at `begin`. */
static inline guint round_end(const Case *c, guint begin) {
  guint end = begin;
  while (end < c->transfers->len && transfer_at(c, end)->round == transfer_at(c, begin)->round) end++;
  return end;
}

#endif
