/* The store-and-forward model: by hand, and against the closed form of Cannon with its alignment. */
#include "../schedule-text.h"
#include "cost.h"

#include <math.h>

static const double latency_s = 1e-6, bandwidth = 1.25e9;

static void machine_from(TgMachine *machine, const char *rest) {
  TgError error;
  g_autofree char *text = g_strdup_printf("[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                                          "bandwidth_bytes_per_s = 1.25e9\n%s[processor]\nflops_per_s = inf\n",
                                          rest);
  if (!tg_machine_parse(machine, text, strlen(text), &error)) g_error("%d: %s", error.line, error.message);
}

static void predict(Bound *bound, gint64 m, gint64 n, gint64 k, const char *network, const TgMachine *machine,
                    TgCost *cost) {
  static const TgCostOptions options = {
      .model = TG_COST_FORWARD, .overlap = true, .straggler = -1, .element_bytes = 4, .seed = 1};
  TgTopology topology;
  TgShape shape;
  TgError failure;
  GError *error = NULL;
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  g_assert_true(tg_shape_init(&shape, &bound->schedule.computes, m, n, k, &error));
  tg_cost_predict(&bound->schedule, &bound->names, &shape, &topology, TG_ROWMAJOR, machine, &options, cost, &error);
  g_assert_no_error(error);
}

/* Blocks of 8192 bytes: F3 = 3qt for even q, 2(q + floor(q/2))t for odd q, to 1e-9. */
static void test_closed_form(void) {
  static const int sides[] = {3, 4, 5, 8, 9, 16, 21, 32, 33, 64};
  char *text;
  g_autofree char *path = g_build_filename(g_getenv("TG_TEST_SCHEDULES"), "cannon-align-q-shifts.sched", NULL);
  TgMachine machine;
  machine_from(&machine, "");
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS(sides); i++) {
    int q = sides[i];
    Bound bound;
    TgCost cost;
    g_autofree char *grid = g_strdup_printf("%dx%d", q, q), *network = g_strdup_printf("torus:%dx%d", q, q);
    g_assert_true(bound_from(&bound, text, grid, NULL));
    predict(&bound, 64 * q, 64 * q, 32 * q, network, &machine, &cost);
    double f3 = (q % 2 ? 2 * (q + q / 2) : 3 * q) * (latency_s + 8192 / bandwidth);
    g_assert_cmpfloat(fabs(cost.time_s - f3), <=, 1e-9 * f3);
    g_assert_cmpint(cost.bytes, ==, cost.messages * 8192);
    tg_cost_clear(&cost);
  }
  g_free(text);
}

/* Rows 1, 2, 1, 2 of six elements of 4 bytes on the nodes of a line. The short message meets the long one on the
 * second link, where the long one came first. */
static void test_waits(void) {
  const char *text = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r) as A\n"
                     "move A to (r+2) where r < 2\n";
  const double brief = latency_s + 24 / bandwidth, longer = latency_s + 48 / bandwidth;
  TgMachine machine;
  TgCost cost;
  Bound bound;
  machine_from(&machine, "");
  g_assert_true(bound_from(&bound, text, NULL, NULL));
  predict(&bound, 6, 6, 6, "line:4", &machine, &cost);
  g_assert_cmpfloat_with_epsilon(cost.node_time_s[0], longer + brief, 1e-18);
  g_assert_cmpfloat_with_epsilon(cost.node_time_s[2], longer + brief, 1e-18);
  g_assert_cmpfloat_with_epsilon(cost.node_time_s[1], 2 * longer, 1e-18);
  g_assert_cmpfloat_with_epsilon(cost.time_s, 2 * longer, 1e-18);
  g_assert_cmpint(cost.hop_bytes, ==, 2 * (24 + 48));
  g_assert_cmpint(cost.max_link_bytes, ==, 24 + 48);
  tg_cost_clear(&cost);
}

/* Two nodes exchange blocks: at once, or one after the other. */
static void test_duplex(void) {
  const char *text = "schedule t\ngrid r:2\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r) as A\n"
                     "move A to (r+1)\n";
  const double once = latency_s + 64 / bandwidth;
  TgMachine full, half;
  TgCost cost;
  Bound bound;
  machine_from(&full, "");
  machine_from(&half, "duplex = half\n");
  g_assert_true(bound_from(&bound, text, NULL, NULL));
  predict(&bound, 8, 4, 4, "line:2", &full, &cost);
  g_assert_cmpfloat_with_epsilon(cost.time_s, once, 1e-18);
  tg_cost_clear(&cost);
  predict(&bound, 8, 4, 4, "line:2", &half, &cost);
  g_assert_cmpfloat_with_epsilon(cost.time_s, 2 * once, 1e-18);
  tg_cost_clear(&cost);
}

/* A message between the nodes of a switch crosses two links. */
static void test_switch(void) {
  const char *text = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r) as A\n"
                     "move A to (r+1)\n";
  TgMachine machine;
  TgCost cost;
  Bound bound;
  machine_from(&machine, "");
  g_assert_true(bound_from(&bound, text, NULL, NULL));
  predict(&bound, 16, 4, 4, "switch:4", &machine, &cost);
  g_assert_cmpfloat_with_epsilon(cost.time_s, 2 * (latency_s + 64 / bandwidth), 1e-18);
  tg_cost_clear(&cost);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/forward/cannon with alignment", test_closed_form);
  g_test_add_func("/forward/a link serves in order of arrival", test_waits);
  g_test_add_func("/forward/duplex", test_duplex);
  g_test_add_func("/forward/switch", test_switch);
  return g_test_run();
}
