/* Collectives against closed formulas for rounds and volume; names, choices of a form, limits. */
#include "collective-case.h"

#include <string.h>

/* ---- closed formulas ---- */

static int32_t log2_up(int32_t length) {
  return length < 2 ? 0 : 32 - __builtin_clz((unsigned)(length - 1));
}

static void check_rounds(const Case *c) {
  int32_t steps = c->length - 1, depth = log2_up(c->length);
  const int32_t wanted[TG_COLLECTIVES] = {
      [TG_COLLECTIVE_WHOLE] = 1,
      [TG_COLLECTIVE_BINOMIAL] = depth,
      [TG_COLLECTIVE_RING] = steps,
      [TG_COLLECTIVE_CHAIN] = steps + (c->pieces ? c->pieces : c->length) - 1,
      [TG_COLLECTIVE_RECURSIVE_DOUBLING] = depth,
      [TG_COLLECTIVE_SCATTER_ALLGATHER] = depth + steps,
      [TG_COLLECTIVE_PAIRWISE] = steps,
  };
  g_assert_cmpint(tg_rounds_count(&c->rounds), ==, c->length < 2 ? 0 : wanted[c->rounds.collective]);
}

/* Blocks sent, times pieces. A binomial item for v, and a doubled one to distance v, take a hop for each bit of v. */
static int64_t wanted_transfers(const Case *c) {
  int64_t L = c->length, bits = 0;
  bool passed = c->rounds.collective == TG_COLLECTIVE_RING;
  bool doubled =
      c->rounds.collective == TG_COLLECTIVE_BINOMIAL || c->rounds.collective == TG_COLLECTIVE_RECURSIVE_DOUBLING;
  for (int32_t v = 1; v < L; v++) bits += __builtin_popcount((unsigned)v);
  int64_t one_to_each = passed ? L * (L - 1) / 2 : doubled ? bits : L - 1;
  switch (c->op) {
  case TG_OP_BROADCAST:
  case TG_OP_REDUCE:
    return (L - 1) * c->rounds.pieces;
  case TG_OP_SCATTER:
  case TG_OP_GATHER:
    return one_to_each;
  case TG_OP_ALLTOALL:
    return L * one_to_each;
  default:
    return L * (L - 1);
  }
}

static void check_volume(const Case *c) {
  g_assert_cmpint(c->transfers->len, ==, wanted_transfers(c));
  int64_t serial = 0; /* transfers of the longest message of each round */
  for (guint begin = 0, end; begin < c->transfers->len; begin = end) {
    end = round_end(c, begin);
    guint longest = 0, run = 0;
    for (guint i = begin; i < end; i++) {
      bool same = i > begin && transfer_at(c, i - 1)->from == transfer_at(c, i)->from;
      run = same ? run + 1 : 1;
      longest = MAX(longest, run);
    }
    serial += longest;
  }
  int64_t L = c->length;
  if (c->rounds.collective == TG_COLLECTIVE_CHAIN) g_assert_cmpint(serial, ==, tg_rounds_count(&c->rounds));
  if (!power_of_two(c->length)) return; /* the bandwidth terms of van de Geijn, and of trees and doubling */
  bool tree = c->rounds.collective == TG_COLLECTIVE_BINOMIAL && c->op != TG_OP_BROADCAST && c->op != TG_OP_REDUCE;
  bool doubling = c->rounds.collective == TG_COLLECTIVE_RECURSIVE_DOUBLING;
  if (c->rounds.collective == TG_COLLECTIVE_SCATTER_ALLGATHER && L > 1) g_assert_cmpint(serial, ==, 2 * (L - 1));
  if (tree || (doubling && c->op != TG_OP_ALLTOALL)) g_assert_cmpint(serial, ==, L - 1);
  if (doubling && c->op == TG_OP_ALLTOALL) g_assert_cmpint(serial, ==, L / 2 * log2_up(c->length));
}

/* ---- names, choices, limits ---- */

static void check_names(void) {
  static const char *const names[] = {
      "auto", "native", "binomial", "ring", "chain", "recursive-doubling", "scatter-allgather", "pairwise"};
  g_assert_cmpint(G_N_ELEMENTS(names), ==, TG_COLLECTIVES);
  TgCollective k = TG_COLLECTIVES;
  TgError error = {0};
  g_assert_false(tg_collective_parse("rings", &k, &error));
  g_assert_false(tg_collective_parse("", &k, NULL));
  g_assert_cmpint(k, ==, TG_COLLECTIVES);
  g_assert_nonnull(strstr(error.message, "'rings'"));
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_assert_nonnull(strstr(error.message, names[i]));
    g_assert_true(tg_collective_parse(names[i], &k, &error));
    g_assert_cmpstr(tg_collective_name(k), ==, names[i]);
  }
  g_assert_true(tg_collective_parse("native", &k, NULL));
  g_assert_cmpint(k, ==, TG_COLLECTIVE_WHOLE);
  g_assert_cmpstr(tg_collective_name(TG_COLLECTIVES), ==, "unknown");
}

/* What is taken for WHOLE, AUTO, … in the order of the enum, on 2^d positions and on others. */
static void check_choices(void) {
  static const struct {
    TgOp op;
    int32_t length;
    const char *taken[TG_COLLECTIVES];
  } rows[] = {
#define BINOMIAL "binomial"
#define DOUBLING "recursive-doubling"
#define SCATTERED "scatter-allgather"
      {TG_OP_BROADCAST, 8, {"native", BINOMIAL, BINOMIAL, "ring", "chain", BINOMIAL, SCATTERED, "pairwise"}},
      {TG_OP_REDUCE, 6, {"native", BINOMIAL, BINOMIAL, "ring", "chain", BINOMIAL, SCATTERED, "pairwise"}},
      {TG_OP_SCATTER, 8, {"native", BINOMIAL, BINOMIAL, "ring", "ring", BINOMIAL, BINOMIAL, "pairwise"}},
      {TG_OP_GATHER, 6, {"native", BINOMIAL, BINOMIAL, "ring", "ring", BINOMIAL, BINOMIAL, "pairwise"}},
      {TG_OP_ALLGATHER, 8, {"native", DOUBLING, DOUBLING, "ring", "ring", DOUBLING, "ring", "pairwise"}},
      {TG_OP_ALLGATHER, 6, {"native", "ring", DOUBLING, "ring", "ring", DOUBLING, "ring", "pairwise"}},
      {TG_OP_REDUCESCATTER, 8, {"native", DOUBLING, DOUBLING, "ring", "ring", DOUBLING, "ring", "pairwise"}},
      {TG_OP_REDUCESCATTER, 6, {"native", "ring", DOUBLING, "ring", "ring", DOUBLING, "ring", "pairwise"}},
      {TG_OP_ALLTOALL, 8, {"native", "pairwise", DOUBLING, "ring", "ring", DOUBLING, "pairwise", "pairwise"}},
      {TG_OP_ALLTOALL, 6, {"native", "pairwise", DOUBLING, "ring", "ring", DOUBLING, "pairwise", "pairwise"}},
  };
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++)
    for (int k = 0; k < TG_COLLECTIVES; k++) {
      TgRounds rounds;
      tg_rounds_init(&rounds, rows[r].op, (TgCollective)k, rows[r].length, 0, 0);
      g_assert_cmpstr(tg_collective_name((TgCollective)rounds.collective), ==, rows[r].taken[k]);
    }
}

/* The library's dns-rounds writes the broadcast out: in round r, j sends to j xor 2^(d-1-r) where (j xor k) mod 2^(d-r)
 * is 0; k is the root. */
static void check_dns_rounds(void) {
  for (int32_t d = 1; d <= 6; d++)
    for (int32_t k = 0; k < 1 << d; k++) {
      TgRounds rounds;
      TgTransfer t;
      tg_rounds_init(&rounds, TG_OP_BROADCAST, TG_COLLECTIVE_BINOMIAL, 1 << d, k, 0);
      for (int32_t r = 0; r < d; r++)
        for (int32_t j = 0; j < 1 << d; j++) {
          if ((j ^ k) % (1 << (d - r))) continue;
          g_assert_true(tg_rounds_next(&rounds, &t));
          g_assert_cmpint(t.round, ==, r);
          g_assert_cmpint(t.from, ==, j);
          g_assert_cmpint(t.to, ==, j ^ (1 << (d - 1 - r)));
        }
      g_assert_false(tg_rounds_next(&rounds, &t));
    }
}

static void check_nothing_to_do(void) {
  static const struct {
    TgOp op;
    int collective;
    int32_t length;
  } rows[] = {{TG_OP_MOVE, TG_COLLECTIVE_RING, 4},      {TG_OP_MULTIPLY, TG_COLLECTIVE_WHOLE, 4},
              {TG_OP_REDUCE, TG_COLLECTIVE_AUTO, 1},    {TG_OP_BROADCAST, TG_COLLECTIVE_CHAIN, 0},
              {TG_OP_ALLTOALL, TG_COLLECTIVE_RING, -3}, {TG_OP_BROADCAST, TG_COLLECTIVES, 4}};
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgRounds rounds;
    TgTransfer t;
    tg_rounds_init(&rounds, rows[r].op, (TgCollective)rows[r].collective, rows[r].length, 0, 0);
    g_assert_cmpint(tg_rounds_count(&rounds), ==, 0);
    g_assert_false(tg_rounds_next(&rounds, &t));
  }
}

/* The root wraps, pieces have a limit, and numbers beyond 32 bits stay whole. */
static void check_limits(void) {
  TgRounds rounds;
  TgTransfer t;
  static const int32_t roots[][2] = {{-1, 6}, {7, 0}, {16, 2}, {INT32_MIN, 5}, {INT32_MAX, 1}};
  for (size_t i = 0; i < G_N_ELEMENTS(roots); i++) {
    tg_rounds_init(&rounds, TG_OP_BROADCAST, TG_COLLECTIVE_WHOLE, 7, roots[i][0], 0);
    g_assert_true(tg_rounds_next(&rounds, &t));
    g_assert_cmpint(t.from, ==, roots[i][1]);
  }
  tg_rounds_init(&rounds, TG_OP_REDUCE, TG_COLLECTIVE_CHAIN, TG_MAX_PROCESSORS, 0, INT32_MAX);
  g_assert_cmpint(tg_rounds_count(&rounds), ==, 2 * TG_MAX_PROCESSORS - 2);
  tg_rounds_init(&rounds, TG_OP_REDUCE, TG_COLLECTIVE_CHAIN, 5, 0, -1);
  g_assert_cmpint(rounds.pieces, ==, 5);
  int64_t length = 1 << 20, seen = 0;
  tg_rounds_init(&rounds, TG_OP_ALLTOALL, TG_COLLECTIVE_PAIRWISE, (int32_t)length, 0, 0);
  for (; seen < length && tg_rounds_next(&rounds, &t); seen++) g_assert_cmpint(t.item, ==, seen * length + (seen ^ 1));
  g_assert_cmpint(seen, ==, length);
  g_assert_cmpint(t.round, ==, 0);
}

int main(int argc, char **argv) {
  static void (*const checks[])(const Case *) = {check_rounds, check_volume};
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/collective/formula/rounds", &checks[0], check_all);
  g_test_add_data_func("/collective/formula/volume", &checks[1], check_all);
  g_test_add_func("/collective/names", check_names);
  g_test_add_func("/collective/choices", check_choices);
  g_test_add_func("/collective/dns-rounds", check_dns_rounds);
  g_test_add_func("/collective/nothing-to-do", check_nothing_to_do);
  g_test_add_func("/collective/limits", check_limits);
  return g_test_run();
}
