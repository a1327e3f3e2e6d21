/* The chain of nodes behind a predicted time: it spans the run, and goes from node to node along messages alone. */
#include "../schedule-text.h"
#include "critical-path.h"

#include <math.h>

static const char *const machine_text = "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                                        "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = 1e10\n";

typedef struct Run {
  Bound bound;
  TgTopology network;
  TgMachine machine;
  TgShape shape;
  TgCostOptions options;
  TgCost cost;
  TgCriticalPath path;
} Run;

static void run_clear(Run *run) {
  tg_cost_clear(&run->cost);
  tg_critical_path_clear(&run->path);
}

static void predict(Run *run, const char *network, gint64 n) {
  GError *error = NULL;
  TgError failure;
  g_assert_true(tg_topology_parse(&run->network, network, &failure));
  g_assert_true(tg_machine_parse(&run->machine, machine_text, strlen(machine_text), &failure));
  g_assert_true(tg_shape_init(&run->shape, &run->bound.schedule.computes, n, n, n, &error));
  run->options.keep_node_steps = true;
  run->options.element_bytes = 8;
  tg_cost_predict(&run->bound.schedule, &run->bound.names, &run->shape, &run->network, TG_ROWMAJOR, &run->machine,
                  &run->options, &run->cost, &error);
  g_assert_no_error(error);
  tg_critical_path_find(&run->bound.names, &run->shape, &run->network, TG_ROWMAJOR, &run->options, &run->cost,
                        &run->path, &error);
  g_assert_no_error(error);
}

/* Its steps make up the whole time without a gap, and each node is in the step when the chain says so. */
static void check_chain(const Run *run) {
  const TgCriticalPath *path = &run->path;
  g_assert_cmpint(path->steps, ==, run->cost.trace.steps);
  g_assert_cmpfloat(path->step[path->steps - 1].end_s, ==, run->cost.time_s);
  for (gint64 s = 0; s < path->steps; s++) {
    const TgPathStep *step = &path->step[s];
    const TgNodeStep *at = run->cost.node_step + s * path->nodes;
    g_assert_cmpfloat(step->start_s, ==, at[step->from].start_s);
    g_assert_cmpfloat_with_epsilon(step->end_s, at[step->to].end_s, 1e-12);
    if (s > 0) g_assert_cmpint(step->from, ==, path->step[s - 1].to);
    if (step->from != step->to)
      g_assert_true(path->talks[s * path->nodes + step->from] && path->talks[s * path->nodes + step->to]);
  }
}

static void test_library(void) {
  static const char *const rows[][3] = {
      {"cannon", "4x4", "torus:4x4"},    {"summa", "4x4", "torus:4x4"},         {"fox", "4x4", "torus:4x4"},
      {"dns", "2x2x2", "torus:2x2x2"},   {"cannon25d", "4x4x2", "torus:4x4x2"}, {"ring", "6", "ring:6"},
      {"agarwal3d", "2x3x2", "full:12"}, {"transpose", "3x3", "torus:3x3"},     {"pegmm", "5", "ring:5"},
  };
  for (int model = 0; model < TG_COST_MODELS; model++)
    for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
      Run run = {.options = {.model = (TgCostModel)model, .overlap = r % 2, .straggler = 2, .straggler_factor = 3}};
      g_test_message("%s, %s", rows[r][0], tg_cost_model_name(run.options.model));
      g_assert_true(bound_from_library(&run.bound, rows[r][0], rows[r][1], NULL));
      predict(&run, rows[r][2], 24);
      check_chain(&run);
      run_clear(&run);
    }
}

/* A slow node holds up its neighbours, round by round: the chain leads back to it. */
static void test_straggler(void) {
  Run run = {.options = {.overlap = true, .straggler = 3, .straggler_factor = 50}};
  g_assert_true(bound_from_library(&run.bound, "ring", "8", NULL));
  predict(&run, "ring:8", 512);
  check_chain(&run);
  for (gint64 s = 1; s < run.path.steps; s++) g_assert_cmpint(run.path.step[s].from, ==, 3);
  run_clear(&run);
}

/* Processor (0, 0) of Cannon has nothing to align and enters step 2 at once, but then waits for a neighbour that has. It
 * is a little slower, so that it finishes last. */
static void test_partner(void) {
  Run run = {.options = {.overlap = true, .straggler = 0, .straggler_factor = 1.5}};
  g_assert_true(bound_from_library(&run.bound, "cannon", "4x4", NULL));
  predict(&run, "torus:4x4", 64);
  g_assert_cmpfloat(run.cost.node_step[run.path.nodes].start_s, ==, 0);
  g_assert_cmpint(run.path.step[1].to, ==, 0);
  g_assert_cmpint(run.path.step[1].from, !=, 0);
  g_assert_cmpfloat(run.path.step[1].start_s, >, 0);
  run_clear(&run);
}

/* A schedule without a message and without a product takes no time, and has no chain. */
static void test_nothing(void) {
  Run run = {.options = {.straggler = -1}};
  g_assert_true(bound_from_library(&run.bound, "transpose", "1x1", NULL));
  predict(&run, "torus:1x1", 4);
  g_assert_cmpint(run.path.steps, ==, 0);
  run_clear(&run);
}

/* In the first step of DNS only the processors below and those that a block is lifted to have messages. */
static void test_talks(void) {
  Run run = {.options = {.overlap = true, .straggler = -1}};
  g_assert_true(bound_from_library(&run.bound, "dns", "2x2x2", NULL));
  predict(&run, "torus:2x2x2", 64);
  gint64 talking = 0;
  for (gint64 n = 0; n < run.path.nodes; n++) talking += run.path.talks[n];
  g_assert_cmpint(run.cost.trace.step[0].messages, >, 0);
  g_assert_cmpint(talking, <=, 2 * run.cost.trace.step[0].messages);
  g_assert_cmpint(talking, <, run.path.nodes);
  run_clear(&run);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/critical-path/library", test_library);
  g_test_add_func("/critical-path/straggler", test_straggler);
  g_test_add_func("/critical-path/partner", test_partner);
  g_test_add_func("/critical-path/nothing", test_nothing);
  g_test_add_func("/critical-path/who-talks", test_talks);
  return g_test_run();
}
