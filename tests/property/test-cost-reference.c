/* Store and forward, and hockney, against cost-reference.h: random schedules, grids, networks, embeddings, sizes and
 * machines. */
#include "cost-case.h"
#include "cost-reference.h"

enum { CASES = 1500, MOST_MESSAGES = 1500 };

static gboolean same(const CostCase *test, const char *what, gint64 number, double got, double expected) {
  if (fabs(got - expected) <= 1e-9 * fabs(expected)) return TRUE;
  describe_case(test);
  g_test_message("%s %d is %.17g, the reference says %.17g", what, (int)number, got, expected);
  g_test_fail();
  return FALSE;
}

/* By node: whether a processor lies on it. Other nodes have no part in times. */
static guint8 *nodes_used(const CostCase *test) {
  const TgSchedule *schedule = &test->bound.schedule;
  guint8 *used = g_new0(guint8, test->network.nodes);
  TgEmbedding embedding;
  TgError failure;
  g_assert_true(
      tg_embedding_init(&embedding, test->embedding, schedule->dims, schedule->extent, &test->network, &failure));
  for (gint64 p = 0; p < tg_schedule_processors(schedule); p++) used[tg_embedding_node(&embedding, p)] = 1;
  return used;
}

static double least(const double *time, const guint8 *used, gint64 nodes) {
  double result = INFINITY;
  for (gint64 n = 0; n < nodes; n++)
    if (used[n]) result = fmin(result, time[n]);
  return result;
}

static double most(const double *time, const guint8 *used, gint64 nodes) {
  double result = 0;
  for (gint64 n = 0; n < nodes; n++)
    if (!used || used[n]) result = fmax(result, time[n]);
  return result;
}

static gboolean compare(const CostCase *test, const TgCost *cost, const Reference *ref) {
  gint64 nodes = test->network.nodes;
  g_autofree guint8 *used = nodes_used(test);
  gboolean fine = same(test, "steps", 0, (double)cost->trace.steps, ref->steps) &&
                  same(test, "messages", 0, (double)cost->messages, ref->transfers->len) &&
                  same(test, "time_s", 0, cost->time_s, most(ref->reached + ref->steps * (guint)nodes, used, nodes));
  for (gint64 n = 0; n < nodes && fine; n++)
    fine = same(test, "node", n, cost->node_time_s[n], fmax(ref->node[n].port, ref->node[n].cpu)) &&
           same(test, "compute of node", n, cost->node_compute_s[n], ref->node[n].compute);
  /* With all ports a step may begin before the one before it ends: whose time is whose is not said then. */
  gint64 steps = test->machine.port.ports == TG_PORTS_ONE ? cost->trace.steps : 0;
  for (gint64 s = 0; s < steps && fine; s++) {
    const double *before = ref->reached + s * nodes;
    fine = same(test, "start of step", s + 1, cost->trace.step[s].start_s, least(before, used, nodes)) &&
           same(test, "end of step", s + 1, cost->trace.step[s].end_s, most(before + nodes, used, nodes));
  }
  return fine;
}

static void test_random(void) {
  for (int done = 0, failed = 0; done < CASES && failed < 3; done++) {
    CostCase test;
    Reference ref;
    TgCost cost;
    draw_case(&test, MOST_MESSAGES);
    test.options.model = done % 4 ? TG_COST_FORWARD : TG_COST_HOCKNEY;
    if (!predict_case(&test, &test.shape, &test.machine, &test.options, &cost)) g_error("%s fails", test.name);
    ref_predict(&ref, &test.bound.schedule, &test.bound.names, &test.shape, &test.network, test.embedding,
                &test.machine, &test.options);
    if (!compare(&test, &cost, &ref)) failed++, g_test_message("model %s", tg_cost_model_name(test.options.model));
    ref_clear(&ref);
    tg_cost_clear(&cost);
    clear_case(&test);
  }
}

/* The reference itself, with alignment: 3qt for even q, 2(q + floor(q/2))t for odd q. */
static void test_closed_form(void) {
  const char *text = "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"
                     "move A to (i, j-i)\nmove B to (i-j, j)\n"
                     "repeat s in q\n  step \"s\"\n    C += A * B\n    move A to (i, j-1)\n    move B to (i-1, j)\n";
  const TgCostOptions options = {.model = TG_COST_FORWARD,
                                 .as_executed = true,
                                 .overlap = true,
                                 .straggler = -1,
                                 .straggler_factor = 1,
                                 .element_bytes = 8};
  TgMachine machine;
  machine_from(&machine, "[machine]\nname = t\nsource = t\n[link]\nlatency_s = 1e-6\n"
                         "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = inf\n");
  for (int q = 2; q <= 9; q++) {
    Bound bound;
    TgShape shape;
    TgTopology network;
    TgError failure;
    Reference ref;
    g_autofree char *grid = g_strdup_printf("%dx%d", q, q), *torus = g_strdup_printf("torus:%dx%d", q, q);
    g_assert_true(bound_from(&bound, text, grid, NULL));
    g_assert_true(tg_topology_parse(&network, torus, &failure));
    g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, 32 * q, 32 * q, 32 * q, NULL));
    ref_predict(&ref, &bound.schedule, &bound.names, &shape, &network, TG_ROWMAJOR, &machine, &options);
    double t = 1e-6 + 8192 / 1.25e9, f3 = 2.0 * (q + q / 2) * t;
    g_assert_cmpfloat_with_epsilon(most(ref.reached + ref.steps * (guint)network.nodes, NULL, network.nodes), f3,
                                   1e-12);
    ref_clear(&ref);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cost-reference/closed-form", test_closed_form);
  g_test_add_func("/cost-reference/random", test_random);
  return g_test_run();
}
