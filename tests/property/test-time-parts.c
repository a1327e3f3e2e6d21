/* Where a prediction's time goes: cases worked by hand, and what holds for every run: the parts are the time. */
#include "cost-case.h"

enum { CASES = 400, MOST_MESSAGES = 3000 };

static const double us = 1e-6;

/* --- by hand: latency 10 us, 1e9 bytes a second, 1e9 flops a second; blocks of 10 x 10 elements of 8 bytes -------- */

/* With the parts of the last node, or of another one. */
static void explain_text(const char *text, const char *network, TgCostModel model, const char *more, gint64 node,
                         TgCost *cost) {
  Bound bound;
  TgShape shape;
  TgTopology topology;
  TgMachine machine;
  TgError failure;
  GError *error = NULL;
  const TgCostOptions options = {.model = model,
                                 .as_executed = true,
                                 .explain = true,
                                 .overlap = true,
                                 .straggler = -1,
                                 .straggler_factor = 1,
                                 .element_bytes = 8};
  machine_from(&machine,
               "[machine]\nname = t\nsource = t\n[link]\nlatency_s = 1e-5\nper_hop_s = 2e-6\n"
               "bandwidth_bytes_per_s = 1e9\n[port]\nports = one\noverhead_s = 3e-6\n[processor]\n"
               "flops_per_s = 1e9\n%s",
               more);
  if (!bound_from(&bound, text, NULL, NULL)) g_error("%d: %s", bound.error.line, bound.error.message);
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, 10, 10, 10, &error));
  tg_cost_predict(&bound.schedule, &bound.names, &shape, &topology, TG_ROWMAJOR, &machine, &options, cost, &error);
  g_assert_no_error(error);
  if (node < 0) return;
  tg_cost_explain(&bound.names, &shape, &topology, TG_ROWMAJOR, &machine, &options, node, cost, &error);
  g_assert_no_error(error);
}

static void predict_text(const char *text, const char *network, TgCostModel model, const char *more, TgCost *cost) {
  explain_text(text, network, model, more, -1, cost);
}

static void assert_us(double seconds, double microseconds) {
  g_assert_cmpfloat_with_epsilon(seconds / us, microseconds, 1e-9);
}

static void assert_parts(const TgCost *cost, double products, double additions, double latency, double bytes,
                         double contention, double waiting) {
  const TgTimeParts parts = tg_cost_parts(cost);
  assert_us(parts.products_s, products);
  assert_us(parts.additions_s, additions);
  assert_us(parts.latency_s, latency);
  assert_us(parts.bytes_s, bytes);
  assert_us(parts.contention_s, contention);
  assert_us(parts.waiting_s, waiting);
  assert_us(parts.skew_s, 0);
}

/* A block over two links of a line: 10 + 2 us and 0.8 us; by store and forward 2 * 10 and 2 * 0.8; by LogGP two
 * overheads of 3 us beside the latency, and 799 bytes. */
static void test_message(void) {
  const char *text = "schedule t\ngrid r:3\ncomputes C = A\nplace A(0,0) on (0)\nplace C(0,0) on (2)\n"
                     "move A to (2) into C where r == 0\n";
  static const double latency[] = {12, 20, 12, 16}, bytes[] = {0.8, 1.6, 0.8, 0.799};
  for (int model = 0; model < TG_COST_MODELS; model++) {
    TgCost cost;
    predict_text(text, "line:3", (TgCostModel)model, "", &cost);
    g_assert_cmpint(cost.last_node, ==, 2); /* of both ends, by number the last */
    assert_parts(&cost, 0, 0, latency[model], bytes[model], 0, 0);
    tg_cost_clear(&cost);
  }
}

/* Five nodes of a line, blocks of 2 x 10 elements: 160 bytes. */
#define LINE "schedule t\ngrid r:5\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"

/* Node 1 sends to 2, in t = 10.16 us, and then to 3. Node 0 sends to 4; at t its message finds the link from 1 to 2
 * taken by a new one, and waits there for t. It meets nobody else, and arrives at 5 t. */
static void test_queue(void) {
  TgCost cost;
  predict_text(LINE "move A to (2) into D where r == 1\nmove A to (4-r) into C where r < 2\n", "line:5",
               TG_COST_FORWARD, "", &cost);
  g_assert_cmpint(cost.last_node, ==, 4);
  assert_us(cost.time_s, 5 * 10.16);
  assert_parts(&cost, 0, 0, 40, 4 * 0.16, 10.16, 0);
  tg_cost_clear(&cost);
}

/* Two messages share the link from 1 to 2: each has half of it. */
static void test_share(void) {
  TgCost cost;
  predict_text(LINE "move A to (r+2) into C where r < 2\n", "line:5", TG_COST_FLOW, "", &cost);
  assert_us(cost.time_s, 12 + 2 * 0.16);
  assert_parts(&cost, 0, 0, 12, 0.16, 0.16, 0);
  tg_cost_clear(&cost);
}

/* Two messages from one host of two to another, by four links; those between the hosts are shared in every model. */
static void test_adapter(void) {
  static const struct {
    TgCostModel model;
    double latency, bytes;
  } rows[] = {
      {TG_COST_HOCKNEY, 10 + 3 * 2, 0.16}, {TG_COST_FLOW, 10 + 3 * 2, 0.16}, {TG_COST_LOGGP, 3 + 10 + 3, 0.159}};
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgCost cost;
    predict_text(LINE "move A to (r+2) into C where r < 2\n", "switch:2*switch:3", rows[r].model, "", &cost);
    assert_parts(&cost, 0, 0, rows[r].latency, rows[r].bytes, rows[r].bytes, 0);
    tg_cost_clear(&cost);
  }
}

/* Three senders to one receiver, which takes one message at a time: by LogGP it works for 3 us on each, after its
 * bytes. */
static void test_receiver(void) {
  TgCost cost;
  predict_text(LINE "move A to (0) where r > 0 and r < 4\n", "line:5", TG_COST_LOGGP, "", &cost);
  g_assert_cmpint(cost.last_node, ==, 0);
  assert_us(cost.time_s, 3 + 10 + 3 * (0.159 + 3));
  assert_parts(&cost, 0, 0, 3 + 10 + 3 * 3, 3 * 0.159, 0, 0);
  tg_cost_clear(&cost);
}

/* Node 1 multiplies for 2 us (2 * 10^3 flops) and sends that to node 0, in 10.8 us, which sends it on to node 2. */
static void test_waiting(void) {
  const char *text = "schedule t\ngrid r:3\nplace A(0,0), B(0,0) on (1)\nplace C(0,0) on (2)\n"
                     "S += A * B where r == 1\nmove S to (0) into D where r == 1\nmove D to (2) into C where r == 0\n";
  TgCost cost;
  predict_text(text, "line:3", TG_COST_HOCKNEY, "", &cost);
  g_assert_cmpint(cost.last_node, ==, 2);
  assert_parts(&cost, 0, 0, 12, 0.8, 0, 12.8);
  g_assert_cmpuint(cost.waits->len, ==, 1);
  assert_us(g_array_index(cost.waits, TgWait, 0).from_s, 0);
  assert_us(g_array_index(cost.waits, TgWait, 0).to_s, 12.8);
  tg_cost_clear(&cost);
  explain_text(text, "line:3", TG_COST_HOCKNEY, "", 0, &cost);
  assert_parts(&cost, 0, 0, 10 + 12, 1.6, 0, 2);
  g_assert_cmpuint(cost.waits->len, ==, 1);
  assert_us(g_array_index(cost.waits, TgWait, 0).to_s, 2);
  tg_cost_clear(&cost);
}

/* A block that is added where it arrives: 100 elements at 1e8 a second. Node 0 has no product, waits, and adds. */
static void test_additions(void) {
  const char *text = "schedule t\ngrid r:2\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\n"
                     "S += A * B\nreduce S along r to 0 into C\n";
  TgCost cost;
  predict_text(text, "line:2", TG_COST_HOCKNEY, "additions_per_s = 1e8\n", &cost);
  g_assert_cmpint(cost.last_node, ==, 0);
  assert_parts(&cost, 1, 1, 10, 0.8, 0, 0);
  tg_cost_clear(&cost);
}

/* By step: 3 shifts around a ring, each hidden in part behind a product of 2 us. */
static void test_steps(void) {
  const char *text = "schedule t\ngrid r:4\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\n"
                     "repeat s in 3\n  step \"s\"\n    S += A * B\n    move A to (r-1)\n    move B to (r-1)\n"
                     "step \"end\"\n  reduce S along r to 0 into C\n";
  for (int model = 0; model < TG_COST_MODELS; model++) {
    TgCost cost;
    predict_text(text, "ring:4", (TgCostModel)model, "", &cost);
    g_assert_cmpint(cost.trace.steps, ==, 4);
    for (int s = 0; s < 3; s++) g_assert_cmpfloat(cost.parts[s].latency_s, >, 0);
    for (int s = 1; s < 3; s++) g_assert_cmpfloat(cost.parts[s].products_s, >=, 0);
    g_assert_cmpfloat(cost.parts[3].products_s, ==, 0);
    tg_cost_clear(&cost);
  }
}

/* --- whatever the schedule ---------------------------------------------------------------------------------------- */

static gboolean all_are_times(const TgTimeParts *parts) {
  const double part[] = {parts->products_s,   parts->additions_s, parts->latency_s, parts->bytes_s,
                         parts->contention_s, parts->waiting_s,   parts->skew_s};
  for (gsize i = 0; i < G_N_ELEMENTS(part); i++)
    if (!(part[i] >= 0)) return FALSE;
  return TRUE;
}

static void check_parts(const CostCase *test, const TgCost *cost) {
  const TgCostModel model = test->options.model;
  const TgTimeParts sum = tg_cost_parts(cost);
  const double slack = 1e-9 * cost->time_s;
  const double multiplied = sum.products_s + sum.additions_s;
  const double travelled = sum.latency_s + sum.bytes_s + sum.contention_s + sum.waiting_s + sum.skew_s;
  for (gint64 s = 0; s < cost->trace.steps; s++)
    expect_holds(test, all_are_times(&cost->parts[s]), "a part of a step is no time", model, (double)s, 0);
  expect_holds(test, fabs(multiplied - cost->compute_s) <= slack, "products and additions", model, multiplied,
               cost->compute_s);
  expect_holds(test, fabs(travelled - cost->communication_s) <= slack, "the other parts", model, travelled,
               cost->communication_s);
  if (model == TG_COST_HOCKNEY && test->network.levels == 1)
    expect_holds(test, sum.contention_s <= slack, "contention without shared links", model, sum.contention_s, 0);
  if (test->machine.processor.additions_per_s <= 0)
    expect_holds(test, sum.additions_s == 0, "additions that take no time", model, sum.additions_s, 0);
  expect_holds(test, sum.skew_s <= test->options.skew_s, "skew", model, sum.skew_s, test->options.skew_s);
}

/* One after another, as long as the parts say. */
static void check_waits(const CostCase *test, const TgCost *cost) {
  double sum_s = 0, at_s = 0;
  for (guint w = 0; w < cost->waits->len; w++) {
    const TgWait *wait = &g_array_index(cost->waits, TgWait, w);
    expect_holds(test, at_s <= wait->from_s && wait->from_s < wait->to_s, "waits follow one another",
                 test->options.model, at_s, wait->from_s);
    at_s = wait->to_s;
    sum_s += wait->to_s - wait->from_s;
  }
  const double waiting_s = tg_cost_parts(cost).waiting_s, slack = 1e-9 * cost->time_s;
  expect_holds(test, fabs(sum_s - waiting_s) <= slack, "all waits", test->options.model, sum_s, waiting_s);
  expect_holds(test, at_s <= cost->time_s + slack, "the last wait", test->options.model, at_s, cost->time_s);
}

/* A node's products are in the steps in which they run. */
static void check_products(const CostCase *test, const TgCost *cost) {
  for (gint64 n = 0; cost->node_step && n < cost->nodes; n++) {
    double sum_s = 0;
    for (gint64 s = 0; s < cost->trace.steps; s++) {
      const TgNodeStep *at = &cost->node_step[s * cost->nodes + n];
      sum_s += tg_node_step_own_s(at) + at->ahead_s;
    }
    expect_holds(test, fabs(sum_s - cost->node_compute_s[n]) <= 1e-9 * cost->time_s, "the products of all steps",
                 test->options.model, sum_s, cost->node_compute_s[n]);
  }
}

/* The second run does not change the first, and steps have the parts of the time that the node is in them. */
static void check_case(CostCase *test) {
  TgCost plain, cost;
  must_predict(test, &test->shape, &test->machine, &test->options, &plain);
  test->options.explain = test->options.keep_node_steps = true;
  must_predict(test, &test->shape, &test->machine, &test->options, &cost);
  expect_holds(test, plain.time_s == cost.time_s, "the time itself", test->options.model, plain.time_s, cost.time_s);
  check_parts(test, &cost);
  check_waits(test, &cost);
  check_products(test, &cost);
  for (gint64 s = 0; cost.node_step && test->machine.port.ports == TG_PORTS_ONE && s < cost.trace.steps; s++) {
    const TgNodeStep *at = &cost.node_step[s * cost.nodes + cost.last_node];
    const TgTimeParts *parts = &cost.parts[s];
    const double time_s = parts->products_s + parts->additions_s + parts->latency_s + parts->bytes_s +
                          parts->contention_s + parts->waiting_s;
    expect_holds(test, fabs(time_s - (at->end_s - at->start_s)) <= 1e-9 * cost.time_s, "the parts of a step",
                 test->options.model, time_s, at->end_s - at->start_s);
  }
  tg_cost_clear(&plain);
  tg_cost_clear(&cost);
}

static void test_random(void) {
  for (int done = 0; done < CASES; done++) {
    CostCase test;
    draw_case(&test, MOST_MESSAGES);
    test.options.model = (TgCostModel)(done % TG_COST_MODELS);
    test.options.jitter = done % 3 ? 0 : 0.1;
    if (test.options.model == TG_COST_HOCKNEY && g_test_rand_bit()) test.machine.port.ports = TG_PORTS_FETCH;
    check_case(&test);
    clear_case(&test);
  }
}

/* A product that writes anew what nobody has fetched yet waits. */
static void test_fetch(void) {
  for (guint seed = 1; seed <= 40; seed++) {
    CostCase test = {.name = "agarwal3d", .grid = g_strdup("2x2x2"), .network_text = g_strdup("full:8")};
    TgError failure;
    g_assert_true(bound_from_library(&test.bound, "agarwal3d", "2x2x2", NULL));
    g_assert_true(tg_topology_parse(&test.network, test.network_text, &failure));
    g_assert_true(tg_shape_init(&test.shape, &test.bound.schedule.computes, 30, 30, 30, NULL));
    machine_from(&test.machine,
                 "[machine]\nname = t\nsource = t\n[link]\nlatency_s = 1e-5\nbandwidth_bytes_per_s = 1e8\n"
                 "[port]\nports = fetch\n[processor]\nflops_per_s = 1e8\n%s",
                 seed % 2 ? "additions_per_s = 1e8\n" : "");
    test.options = (TgCostOptions){.collective = TG_COLLECTIVE_RECURSIVE_DOUBLING,
                                   .overlap = true,
                                   .buffers = 1,
                                   .skew_s = 1e-4,
                                   .seed = seed,
                                   .straggler = -1,
                                   .element_bytes = 4};
    check_case(&test);
    clear_case(&test);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/time-parts/message", test_message);
  g_test_add_func("/time-parts/queue", test_queue);
  g_test_add_func("/time-parts/share", test_share);
  g_test_add_func("/time-parts/adapter", test_adapter);
  g_test_add_func("/time-parts/receiver", test_receiver);
  g_test_add_func("/time-parts/waiting", test_waiting);
  g_test_add_func("/time-parts/additions", test_additions);
  g_test_add_func("/time-parts/steps", test_steps);
  g_test_add_func("/time-parts/fetch", test_fetch);
  g_test_add_func("/time-parts/random", test_random);
  return g_test_run();
}
