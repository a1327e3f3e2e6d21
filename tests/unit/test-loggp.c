/* The loggp model on cases worked by hand from the published rules; o, g, L and G as in docs/reference/models.md.
 * Figures of the tests are in microseconds and bytes: o = 2, L = 5, G = 1/64, and a gap that each test sets. */
#include "../schedule-text.h"
#include "cost.h"

#include <math.h>

static const double us = 1e-6, o = 2, latency = 5, byte = 1.0 / 64;

static const TgCostOptions plain = {.model = TG_COST_LOGGP, .overlap = true, .straggler = -1, .element_bytes = 8};

static void machine_from(TgMachine *machine, double gap, const char *rates, const char *ports) {
  TgError error;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *text =
      g_strdup_printf("[machine]\nname = test\nsource = test\n[link]\nlatency_s = 5e-6\nper_hop_s = 1e-3\n"
                      "bandwidth_bytes_per_s = 64e6\n[port]\noverhead_s = 2e-6\ngap_s = %s\nports = "
                      "%s\n[processor]\nflops_per_s = %s\n",
                      g_ascii_dtostr(number, sizeof number, gap * us), ports, rates);
  if (!tg_machine_parse(machine, text, strlen(text), &error)) g_error("%d: %s", error.line, error.message);
}

static void predict(Bound *bound, gint64 n, const char *network, const TgMachine *machine, const TgCostOptions *options,
                    TgCost *cost) {
  TgTopology topology;
  TgShape shape;
  TgError failure;
  GError *error = NULL;
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  g_assert_true(tg_shape_init(&shape, &bound->schedule.computes, n, n, n, &error));
  tg_cost_predict(&bound->schedule, &bound->names, &shape, &topology, TG_ROWMAJOR, machine, options, cost, &error);
  g_assert_no_error(error);
}

static void predict_text(const char *text, gint64 n, const char *network, const TgMachine *machine,
                         const TgCostOptions *options, TgCost *cost) {
  Bound bound;
  if (!bound_from(&bound, text, NULL, NULL)) g_error("%d: %s", bound.error.line, bound.error.message);
  predict(&bound, n, network, machine, options, cost);
}

#define ASSERT_US(seconds, microseconds) g_assert_cmpfloat_with_epsilon((seconds) / us, (microseconds), 1e-9)

/* The whole way of a message of m bytes: 2o + L + (m - 1)G. */
static double way(double m) {
  return 2 * o + latency + fmax(m - 1, 0) * byte;
}

/* A matrix of n x n is one block: 512 bytes for n = 8. The hop cost of 1 ms a hop is not LogGP's and not charged. */
static void test_one_message(void) {
  const char *text = "schedule t\ngrid r:6\ncomputes C = A\nplace A(0,0) on (0)\nplace C(0,0) on (5)\n"
                     "move A to (5) into C where r == 0\n";
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, 9, "inf", "one");
  predict_text(text, 8, "line:6", &machine, &plain, &cost);
  ASSERT_US(cost.time_s, 4 + 5 + 511.0 / 64);
  ASSERT_US(cost.node_time_s[5], way(512));
  ASSERT_US(cost.node_time_s[0], o); /* eager: the sender is done with its overhead */
  ASSERT_US(cost.node_time_s[3], 0);
  g_assert_cmpint(cost.messages, ==, 1);
  tg_cost_clear(&cost);
}

static const char *const two_sends = "schedule t\ngrid r:3\ncomputes C = A\nplace A(t,0) on (0) as S[t] for t in 3\n"
                                     "place C(r,0) on (r)\nmove S[1] to (1) into C where r == 0\n"
                                     "move S[2] to (2) into D where r == 0\n";

/* Blocks of 3 x 9 elements of 8 bytes: 216. The second send begins max(o, g + (m - 1)G) after the first. */
static void test_two_in_a_row(void) {
  static const struct {
    double gap, spacing;
    gint64 element_bytes;
  } cases[] = {{7, 7 + 215.0 / 64, 8}, /* gap-limited */
               {0, 215.0 / 64, 8},     /* limited by the bytes */
               {0, 2, 1},              /* overhead-limited: 26 G < o */
               {1.5, 2, 1}};           /* 1.5 + 26/64 < o */
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    TgMachine machine;
    TgCost cost;
    TgCostOptions options = plain;
    options.element_bytes = cases[i].element_bytes;
    double m = 27.0 * (double)cases[i].element_bytes;
    machine_from(&machine, cases[i].gap, "inf", "one");
    predict_text(two_sends, 9, "full:3", &machine, &options, &cost);
    ASSERT_US(cost.node_time_s[1], way(m));
    ASSERT_US(cost.node_time_s[2], cases[i].spacing + way(m));
    ASSERT_US(cost.node_time_s[0], cases[i].spacing + o);
    ASSERT_US(cost.time_s, cases[i].spacing + way(m));
    tg_cost_clear(&cost);
  }
}

/* With all ports both messages leave at once; the processor still spends two overheads. */
static void test_all_ports(void) {
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, 7, "inf", "all");
  predict_text(two_sends, 9, "full:3", &machine, &plain, &cost);
  ASSERT_US(cost.node_time_s[1], way(216));
  ASSERT_US(cost.node_time_s[2], way(216));
  ASSERT_US(cost.node_time_s[0], 2 * o);
  tg_cost_clear(&cost);
}

/* Three senders at once to node 0: the first bytes all come at o + L. Each message is taken after the one before it:
 * o + (m - 1)G of the processor, or g + (m - 1)G of the network interface. Blocks of 2 x 8 x 8 = 128 bytes. */
static void test_many_to_one(void) {
  const char *text = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"
                     "move A to (0) where r > 0\n";
  static const double gaps[] = {0, 1, 2, 6};
  for (gsize i = 0; i < G_N_ELEMENTS(gaps); i++) {
    TgMachine machine;
    TgCost cost;
    machine_from(&machine, gaps[i], "inf", "one");
    predict_text(text, 8, "switch:4", &machine, &plain, &cost);
    double rest = 127.0 / 64;
    ASSERT_US(cost.node_time_s[0], o + latency + 2 * (fmax(o, gaps[i]) + rest) + rest + o);
    for (int n = 1; n < 4; n++) ASSERT_US(cost.node_time_s[n], o);
    tg_cost_clear(&cost);
  }
}

/* Everyone sends and receives. The next shift waits for the block of this one, and for the gap where that is longer. */
static void test_ring_shift(void) {
  const char *text = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"
                     "repeat s in 3\n  step \"s\"\n    move A to (r-1)\n";
  static const double gaps[] = {0, 8.5, 20};
  for (gsize i = 0; i < G_N_ELEMENTS(gaps); i++)
    for (int apart = 0; apart < 2; apart++) {
      TgMachine machine;
      TgCost cost;
      TgCostOptions options = plain;
      if (apart) options.straggler = 0, options.straggler_factor = 1; /* every node by itself: the same times */
      machine_from(&machine, gaps[i], "inf", "one");
      predict_text(text, 8, "ring:4", &machine, &options, &cost);
      double rest = 127.0 / 64, next = fmax(way(128), gaps[i] + rest);
      ASSERT_US(cost.trace.step[0].end_s, way(128));
      ASSERT_US(cost.time_s, 2 * next + way(128));
      for (int n = 0; n < 4; n++) ASSERT_US(cost.node_time_s[n], cost.time_s / us);
      tg_cost_clear(&cost);
    }
}

/* A shift that leaves all nodes alike, then one message: its sender's gap is still that of the shift. */
static void test_gap_after_shift(void) {
  const char *text = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"
                     "move A to (r-1)\nmove A to (r+2) where r == 1\n";
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, 40, "inf", "one");
  predict_text(text, 8, "ring:4", &machine, &plain, &cost);
  ASSERT_US(cost.node_time_s[3], 40 + 127.0 / 64 + way(128));
  ASSERT_US(cost.node_time_s[1], 40 + 127.0 / 64 + o);
  ASSERT_US(cost.node_time_s[0], way(128));
  tg_cost_clear(&cost);
}

/* One row of A on two processors: block 0 has no rows, and its message costs 2o + L. */
static void test_zero_bytes(void) {
  const char *text = "schedule t\ngrid r:2\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"
                     "move A to (1-r)\nmove A to (1-r) into C\n";
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, 0, "inf", "one");
  predict_text(text, 1, "ring:2", &machine, &plain, &cost);
  g_assert_cmpint(cost.messages, ==, 4);
  g_assert_cmpint(cost.bytes, ==, 16);
  /* The block goes there and back: 2 way(8). Nothing goes back and there: 2 way(0), since its receiver has entered. */
  ASSERT_US(cost.node_time_s[1], 2 * 9 + 2 * 7.0 / 64);
  ASSERT_US(cost.node_time_s[0], 2 * 9);
  tg_cost_clear(&cost);
}

/* Node 0 to 7 in three rounds. The longest chain is three messages, or node 0's third one where the gap is longer. */
static void test_broadcast_tree(void) {
  const char *text = "schedule t\ngrid r:8\ncomputes C = A\nplace A(0,0) on (0)\nplace C(0,0) on (0)\n"
                     "broadcast A along r from 0\n";
  static const double gaps[] = {0, 3, 40};
  for (gsize i = 0; i < G_N_ELEMENTS(gaps); i++) {
    TgMachine machine;
    TgCost cost;
    TgCostOptions options = plain;
    options.collective = TG_COLLECTIVE_BINOMIAL;
    machine_from(&machine, gaps[i], "inf", "one");
    predict_text(text, 8, "hypercube:3", &machine, &options, &cost);
    double next = fmax(o, gaps[i] + 511.0 / 64), one = way(512);
    g_assert_cmpint(cost.messages, ==, 7);
    ASSERT_US(cost.time_s, fmax(3 * one, fmax(2 * one + next, one + 2 * next)));
    ASSERT_US(cost.node_time_s[0], 2 * next + o);
    tg_cost_clear(&cost);
  }
}

/* A product beside a shift costs it 2o of its processor; without overlap they follow each other. Blocks of 2 x 4. */
static void test_overlap(void) {
  const char *text =
      "schedule t\ngrid r:2\nplace A(r,0) on (r)\nplace B(0,r) on (r)\nplace C(r,t) on (r) as C[t] for t in 2\n"
      "repeat s in 2\n  step \"s\"\n    C[(r+s)%2] = A * B\n    move B to (r-1) where s < 1\n";
  static const char *const rates[] = {"8e6", "1e6"};
  static const double products[] = {4, 32};
  for (gsize i = 0; i < G_N_ELEMENTS(rates); i++) {
    TgMachine machine;
    TgCost cost;
    TgCostOptions options = plain;
    double product = products[i], shift = way(64);
    machine_from(&machine, 0, rates[i], "one");
    predict_text(text, 4, "ring:2", &machine, &options, &cost);
    ASSERT_US(cost.time_s, fmax(shift, product + 2 * o) + product);
    ASSERT_US(cost.compute_s, 2 * product);
    tg_cost_clear(&cost);
    options.overlap = false;
    predict_text(text, 4, "ring:2", &machine, &options, &cost);
    ASSERT_US(cost.time_s, shift + 2 * product);
    tg_cost_clear(&cost);
  }
}

/* Three blocks of 216 bytes, which lie on processor 0, are moved among three. */
static void expect_moves(const char *moves, TgReceives receives, double expected_us) {
  g_autofree char *text = g_strconcat("schedule t\ngrid r:3\ncomputes C = A\nplace A(t,0) on (0) as S[t] for t in 3\n"
                                      "place C(r,0) on (r)\n",
                                      moves, NULL);
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, 0, "inf", "one");
  machine.port.receives = receives;
  predict_text(text, 9, "full:3", &machine, &plain, &cost);
  ASSERT_US(cost.time_s, expected_us);
  tg_cost_clear(&cost);
}

/* Processor 1 waits for a message by way of 2. Meanwhile the message of the next statement arrives. On arrival, it is
 * received at once. */
static void test_early(void) {
  static const char moves[] = "move S[1] to (2) into X where r == 0\nmove X to (1) into C where r == 2\n"
                              "move S[2] to (1) into D where r == 0\n";
  expect_moves(moves, TG_RECEIVES_ENTERED, 2 * way(216) + 215.0 / 64 + o);
  expect_moves(moves, TG_RECEIVES_ARRIVAL, 2 * way(216));
}

/* Processor 1 passes two messages on. The second is there when the first is complete, but that is passed on before. */
static void test_pass_on(void) {
  expect_moves("move S[1] to (1) into X where r == 0\nmove X to (2) into C where r == 1\n"
               "move S[2] to (1) into Y where r == 0\nmove Y to (2) into D where r == 1\n",
               TG_RECEIVES_ARRIVAL, 2 * way(216) + 215.0 / 64 + 2 * o);
}

/* A message that arrives during a product comes before what the processor sends next, even if its program has not come
 * to that message. */
static void test_early_delays(void) {
  const char *text = "schedule t\ngrid r:3\nplace A(0,0) on (r)\nplace B(0,0), C(0,0) on (1)\n"
                     "C = A * B where r == 1\nmove A to (2) into X where r == 1\n"
                     "move A to (1) into Y where r == 0\n";
  for (int receives = TG_RECEIVES_ENTERED; receives <= TG_RECEIVES_ARRIVAL; receives++) {
    TgMachine machine;
    TgCost cost;
    TgCostOptions options = plain;
    options.overlap = false;
    machine_from(&machine, 0, "64e6", "one");
    machine.port.receives = receives;
    predict_text(text, 8, "full:3", &machine, &options, &cost);
    const double product = 16, before = receives == TG_RECEIVES_ENTERED ? 0 : 511.0 / 64 + o;
    ASSERT_US(cost.node_time_s[2], product + before + way(512));
    tg_cost_clear(&cost);
  }
}

/* Bytes of three messages come in together; then the processor spends three overheads. */
static void test_arrival_all_ports(void) {
  const char *text = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"
                     "move A to (0) where r > 0\n";
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, 6, "inf", "all");
  machine.port.receives = TG_RECEIVES_ARRIVAL;
  predict_text(text, 8, "switch:4", &machine, &plain, &cost);
  ASSERT_US(cost.node_time_s[0], o + latency + 127.0 / 64 + 3 * o);
  tg_cost_clear(&cost);
}

/* LogGOPSim's own answers for Cannon's loop with o = g = 0: 2q(L + (m - 1)G) for blocks of 8192 bytes. */
static void test_cannon_loop(void) {
  static const double published_us[] = {60.422, 241.690, 966.758};
  char *text;
  TgMachine machine;
  TgError failure;
  const char *file = "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                     "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = inf\n";
  g_assert_true(tg_machine_parse(&machine, file, strlen(file), &failure));
  g_autofree char *path = g_build_filename(g_getenv("TG_TEST_SCHEDULES"), "cannon-q-shifts.sched", NULL);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  for (int i = 0, q = 4; i < 3; i++, q *= 4) {
    Bound bound;
    TgCost cost;
    g_autofree char *grid = g_strdup_printf("%dx%d", q, q), *network = g_strdup_printf("torus:%dx%d", q, q);
    g_assert_true(bound_from(&bound, text, grid, NULL));
    predict(&bound, 32 * q, network, &machine, &plain, &cost);
    g_assert_cmpfloat_with_epsilon(cost.time_s, 2 * q * (1e-6 + 8191 / 1.25e9), 1e-15);
    g_assert_cmpfloat_with_epsilon(cost.time_s / us, published_us[i], 0.0005);
    tg_cost_clear(&cost);
  }
  g_free(text);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/loggp/one-message", test_one_message);
  g_test_add_func("/loggp/two-in-a-row", test_two_in_a_row);
  g_test_add_func("/loggp/all-ports", test_all_ports);
  g_test_add_func("/loggp/many-to-one", test_many_to_one);
  g_test_add_func("/loggp/ring-shift", test_ring_shift);
  g_test_add_func("/loggp/gap-after-shift", test_gap_after_shift);
  g_test_add_func("/loggp/zero-bytes", test_zero_bytes);
  g_test_add_func("/loggp/broadcast-tree", test_broadcast_tree);
  g_test_add_func("/loggp/overlap", test_overlap);
  g_test_add_func("/loggp/early", test_early);
  g_test_add_func("/loggp/pass-on", test_pass_on);
  g_test_add_func("/loggp/early-delays", test_early_delays);
  g_test_add_func("/loggp/arrival-all-ports", test_arrival_all_ports);
  g_test_add_func("/loggp/cannon-loop", test_cannon_loop);
  return g_test_run();
}
