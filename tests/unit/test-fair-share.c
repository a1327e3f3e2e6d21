/* Max-min fair shares: worked by hand, and by what defines them. */
#include "fair-share.h"

#include <math.h>

static void assert_takes(TgFairShare *fair, int32_t wanted, double wanted_s) {
  int32_t flow;
  double end_s;
  g_assert_cmpfloat_with_epsilon(tg_fair_share_next_s(fair), wanted_s, 1e-12);
  g_assert_true(tg_fair_share_take(fair, wanted_s + 1e-12, &flow, &end_s));
  g_assert_cmpint(flow, ==, wanted);
  g_assert_cmpfloat_with_epsilon(end_s, wanted_s, 1e-12);
  tg_fair_share_update(fair, end_s);
}

static void assert_empty(TgFairShare *fair) {
  int32_t flow;
  double end_s;
  g_assert_true(isinf(tg_fair_share_next_s(fair)));
  g_assert_false(tg_fair_share_take(fair, INFINITY, &flow, &end_s));
  tg_fair_share_free(fair);
}

/* 10 and 20 over one link of 10/s: half each until 2, then all of it. */
static void test_one_link(void) {
  const int32_t link[] = {0};
  TgFairShare *fair = tg_fair_share_new(1, (double[]){10});
  int32_t small = tg_fair_share_add(fair, link, 1, 1, 10, 0), large = tg_fair_share_add(fair, link, 1, 1, 20, 0);
  tg_fair_share_update(fair, 0);
  g_assert_cmpfloat(tg_fair_share_rate(fair, small), ==, 5);
  g_assert_cmpfloat(tg_fair_share_rate(fair, large), ==, 5);
  assert_takes(fair, small, 2);
  g_assert_cmpfloat(tg_fair_share_rate(fair, large), ==, 10);
  assert_takes(fair, large, 3);
  assert_empty(fair);
}

/* Weights 3 and 1; one comes at 1, when the other has had the link of 8/s to itself. */
static void test_weights(void) {
  const int32_t link[] = {0};
  TgFairShare *fair = tg_fair_share_new(1, (double[]){8});
  int32_t light = tg_fair_share_add(fair, link, 1, 1, 12, 0);
  tg_fair_share_update(fair, 0);
  g_assert_cmpfloat(tg_fair_share_rate(fair, light), ==, 8);
  int32_t heavy = tg_fair_share_add(fair, link, 1, 3, 6, 1);
  tg_fair_share_update(fair, 1);
  g_assert_cmpfloat(tg_fair_share_rate(fair, heavy), ==, 6);
  g_assert_cmpfloat(tg_fair_share_rate(fair, light), ==, 2);
  assert_takes(fair, heavy, 2);
  assert_takes(fair, light, 2.25);
  assert_empty(fair);
}

/* A flow over both links of 1/s and 2/s, one over each. The long one ends first and leaves two that have no link in
 * common: each goes on to its own end. */
static void test_parking_lot(void) {
  const int32_t both[] = {0, 1};
  TgFairShare *fair = tg_fair_share_new(2, (double[]){1, 2});
  int32_t across = tg_fair_share_add(fair, both, 2, 1, 1, 0);
  int32_t first = tg_fair_share_add(fair, both, 1, 1, 3, 0), second = tg_fair_share_add(fair, both + 1, 1, 1, 9, 0);
  tg_fair_share_update(fair, 0);
  g_assert_cmpfloat(tg_fair_share_rate(fair, across), ==, 0.5);
  g_assert_cmpfloat(tg_fair_share_rate(fair, first), ==, 0.5);
  g_assert_cmpfloat(tg_fair_share_rate(fair, second), ==, 1.5);
  assert_takes(fair, across, 2);
  g_assert_cmpfloat(tg_fair_share_rate(fair, first), ==, 1);
  g_assert_cmpfloat(tg_fair_share_rate(fair, second), ==, 2);
  assert_takes(fair, first, 4);
  assert_takes(fair, second, 5);
  assert_empty(fair);
}

/* Equal ends are all there at once, and a number that was taken is given out again. */
static void test_together(void) {
  const int32_t link[] = {0, 1};
  TgFairShare *fair = tg_fair_share_new(2, (double[]){4, INFINITY});
  int32_t flow, seen = 0;
  double end_s;
  for (int f = 0; f < 4; f++) tg_fair_share_add(fair, link, 1, 1, 2, 0);
  tg_fair_share_update(fair, 0);
  while (tg_fair_share_take(fair, 2, &flow, &end_s)) seen |= 1 << flow;
  g_assert_cmpint(seen, ==, 15);
  tg_fair_share_update(fair, 2);
  flow = tg_fair_share_add(fair, link + 1, 1, 1, 1e30, 2); /* a link without limit */
  g_assert_cmpint(flow, <, 4);
  tg_fair_share_update(fair, 2);
  assert_takes(fair, flow, 2);
  assert_empty(fair);
}

enum { LINKS = 12, FLOWS = 40, CROSSED = 4, EVENTS = 3000 };

typedef struct TgKnownFlow {
  bool there;
  int32_t link[CROSSED], links;
  double weight;
} TgKnownFlow;

static void load_links(const TgFairShare *fair, const TgKnownFlow *known, double load[LINKS], double level[LINKS]) {
  for (int32_t f = 0; f < FLOWS; f++)
    for (int32_t c = 0; known[f].there && c < known[f].links; c++) {
      int32_t link = known[f].link[c];
      load[link] += tg_fair_share_rate(fair, f);
      level[link] = fmax(level[link], tg_fair_share_rate(fair, f) / known[f].weight);
    }
}

/* What defines max-min fairness: no link carries too much, and each flow crosses a full link on which none is above
 * it. */
static void assert_fair(const TgFairShare *fair, const TgKnownFlow *known, const double *capacity) {
  double load[LINKS] = {0}, level[LINKS] = {0};
  load_links(fair, known, load, level);
  for (int l = 0; l < LINKS; l++) g_assert_cmpfloat(load[l], <=, capacity[l] * (1 + 1e-9));
  for (int32_t f = 0; f < FLOWS; f++) {
    bool held = !known[f].there;
    double own = held ? 0 : tg_fair_share_rate(fair, f) / known[f].weight;
    for (int32_t c = 0; !held && c < known[f].links; c++) {
      int32_t link = known[f].link[c];
      held = load[link] >= capacity[link] * (1 - 1e-9) && own >= level[link] * (1 - 1e-9);
    }
    g_assert_true(held);
  }
}

static void add_random(TgFairShare *fair, TgKnownFlow *known, double now_s) {
  TgKnownFlow flow = {.there = true, .weight = g_test_rand_double_range(0.1, 3)};
  int32_t first = g_test_rand_int_range(0, LINKS);
  flow.links = g_test_rand_int_range(1, CROSSED + 1);
  flow.link[0] = first;
  for (int32_t c = 1; c < flow.links; c++) flow.link[c] = (flow.link[c - 1] + g_test_rand_int_range(1, 3)) % LINKS;
  known[tg_fair_share_add(fair, flow.link, flow.links, flow.weight, g_test_rand_double_range(0.1, 9), now_s)] = flow;
}

/* Up to three come at one time, also when one has gone. */
static void test_random(void) {
  TgKnownFlow known[FLOWS] = {0};
  double capacity[LINKS], now_s = 0;
  int32_t flow, there = 0;
  for (int l = 0; l < LINKS; l++) capacity[l] = g_test_rand_double_range(0.5, 4);
  TgFairShare *fair = tg_fair_share_new(LINKS, capacity);
  for (int event = 0; event < EVENTS; event++) {
    g_assert_cmpfloat(tg_fair_share_next_s(fair), >=, now_s);
    if (there > 0 && g_test_rand_int_range(0, 3) > 0) {
      g_assert_true(tg_fair_share_take(fair, tg_fair_share_next_s(fair), &flow, &now_s));
      known[flow].there = false;
      there--;
    } else if (there > 0) {
      now_s += g_test_rand_double() * 0.1 * (tg_fair_share_next_s(fair) - now_s);
    }
    for (int come = g_test_rand_int_range(0, 4); come > 0 && there < FLOWS; come--, there++)
      add_random(fair, known, now_s);
    tg_fair_share_update(fair, now_s);
    assert_fair(fair, known, capacity);
  }
  tg_fair_share_free(fair);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/fair-share/one-link", test_one_link);
  g_test_add_func("/fair-share/weights", test_weights);
  g_test_add_func("/fair-share/parking-lot", test_parking_lot);
  g_test_add_func("/fair-share/together", test_together);
  g_test_add_func("/fair-share/random", test_random);
  return g_test_run();
}
