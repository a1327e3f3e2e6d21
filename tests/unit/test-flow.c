/* The flow model: worked by hand, against published figures, and where it is hockney. */
#include "../schedule-text.h"
#include "cost.h"

#include <math.h>

/* Times below are in units of the latency; a message's bytes take ten of them on a link of its own. */
static const double unit_s = 1e-6;
#define NUMBERS "latency_s = 1e-6\nper_hop_s = 1e-6\n"
#define TEN "bandwidth_bytes_per_s = 12.8e6\n" /* 4x4 blocks of 8 bytes */

static void predict(const char *text, const char *grid, gint64 n, const char *network, const char *link,
                    const TgCostOptions *options, TgCost *cost) {
  Bound bound;
  TgTopology topology;
  TgMachine machine;
  TgShape shape;
  TgError failure;
  GError *error = NULL;
  g_autofree char *file =
      g_strdup_printf("[machine]\nname = t\nsource = t\n[processor]\nflops_per_s = inf\n[link]\n%s", link);
  if (!tg_machine_parse(&machine, file, strlen(file), &failure)) g_error("%d: %s", failure.line, failure.message);
  if (!bound_from(&bound, text, grid, NULL)) g_error("%d: %s", bound.error.line, bound.error.message);
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  tg_shape_init(&shape, &bound.schedule.computes, n, n, n, &error);
  g_assert_no_error(error);
  tg_cost_predict(&bound.schedule, &bound.names, &shape, &topology, TG_ROWMAJOR, &machine, options, cost, &error);
  g_assert_no_error(error);
}

static const TgCostOptions plain = {.model = TG_COST_FLOW, .overlap = true, .straggler = -1, .element_bytes = 8};
static const TgCostOptions equal = {
    .model = TG_COST_FLOW, .overlap = true, .straggler = -1, .element_bytes = 8, .fair_equal = true};

static char *moves(const char *statements) {
  return g_strconcat(
      "schedule t\ngrid r:q\nplace A(r,0) on (r)\nplace B(0,r) on (r)\nplace C(r,t) on (r) as C[t] for t in q\n",
      statements, NULL);
}

/* `times` of the first nodes, in units. */
static void assert_times(const char *statements, const char *grid, gint64 n, const char *network, const char *link,
                         const TgCostOptions *options, const double *times, int count) {
  TgCost cost;
  g_autofree char *text = moves(statements);
  predict(text, grid, n, network, link, options, &cost);
  for (int node = 0; node < count; node++)
    g_assert_cmpfloat_with_epsilon(cost.node_time_s[node] / unit_s, times[node], 1e-9);
  tg_cost_clear(&cost);
}
#define ASSERT_TIMES(statements, grid, n, network, link, options, ...)                                                 \
  assert_times(statements, grid, n, network, link, options, (double[]){__VA_ARGS__},                                   \
               (int)G_N_ELEMENTS(((double[]){__VA_ARGS__})))

/* 0 to 2 and 1 to 3 share the link between 1 and 2: 2 + 2 * 10. */
static void test_two_messages(void) {
  ASSERT_TIMES("move B to (r+2) where r < 2\n", "4", 8, "line:4", NUMBERS TEN, &plain, 22, 22, 22, 22);
}

/* 0 to 3 and 1 to 2. The short one drains alone from 1 to 3; then 8 are left at 3/4 of the link, until 3 + 32/3. By
 * then the long one has 22/3 left. With equal shares the short one ends at 3 + 16. */
static void test_paths(void) {
  const char *cross = "move B to (3-r) where r < 2\n";
  ASSERT_TIMES(cross, "4", 8, "line:4", NUMBERS TEN, &plain, 21, 41.0 / 3, 41.0 / 3, 21);
  ASSERT_TIMES(cross, "4", 8, "line:4", NUMBERS TEN, &equal, 21, 19, 19, 21);
}

/* Where a path can have no latency, shares are equal: 0 to 3 and 1 to 2 from 0 on; or from 2 on, when the short one has
 * 8 left. */
static void test_no_latency(void) {
  const char *free_hops = "latency_s = 0\nper_hop_s = 0\n" TEN, *free_first = "latency_s = 0\nper_hop_s = 1e-6\n" TEN;
  const char *cross = "move B to (3-r) where r < 2\n";
  ASSERT_TIMES(cross, "4", 8, "line:4", free_hops, &plain, 20, 20, 20, 20);
  ASSERT_TIMES(cross, "4", 8, "line:4", free_first, &plain, 20, 18, 18, 20);
}

/* There and back between two nodes: at once, or half the cable each. */
static void test_duplex(void) {
  const char *swap = "move B to (1-r)\n";
  ASSERT_TIMES(swap, "2", 4, "line:2", NUMBERS "bandwidth_bytes_per_s = 6.4e6\n", &plain, 11, 11);
  ASSERT_TIMES(swap, "2", 4, "line:2", NUMBERS "duplex = half\nbandwidth_bytes_per_s = 6.4e6\n", &plain, 21, 21);
}

/* 1 row on 2 processors: one block is empty, its message takes the latency. Statements do not overlap. */
static void test_zero_bytes(void) {
  ASSERT_TIMES("move A to (1-r) where r == 0\nmove B to (1-r) where r == 0\n", "2", 1, "line:2", NUMBERS TEN, &plain, 2,
               2);
}

static void test_no_limit(void) {
  const char *around = "move B to (r+2)\nmove B to (r+1)\n";
  ASSERT_TIMES(around, "6", 12, "ring:6", NUMBERS "bandwidth_bytes_per_s = inf\n", &plain, 3, 3, 3, 3, 3, 3);
}

/* 0 to 1 and 0 to 2: one after the other, or both at once. Then the short one has 9 left at 2, of which it gets two
 * thirds of the first link, and this link is busy from 1 to 21. */
static void test_ports(void) {
  const char *fan = "move A to (r+1) where r == 0\nmove B to (r+2) where r == 0\n";
  ASSERT_TIMES(fan, "4", 8, "line:4", NUMBERS TEN, &plain, 23, 11, 23, 0);
  ASSERT_TIMES(fan, "4", 8, "line:4", NUMBERS TEN "[port]\nports = all\n", &plain, 21, 15.5, 21, 0);
}

/* Two hops along each axis, so that every link is shared by two. The narrow axis holds up its own messages alone. */
static void test_axes(void) {
  const char *text = "schedule t\ngrid i:5, j:5\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nmove A to (i,j-2)\n"
                     "move B to (i-2,j)\n";
  TgCost cost;
  predict(text, NULL, 20, "torus:5x5", NUMBERS TEN "[link.0]\nbandwidth_bytes_per_s = 1.28e6\n", &plain, &cost);
  g_assert_cmpfloat_with_epsilon(cost.time_s / unit_s, 2 + 20 + 2 + 200, 1e-9);
  tg_cost_clear(&cost);
}

static const char aligned[] = "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nmove A to (i,j-i)\n"
                              "move B to (i-j,j)\nrepeat s in q\n  step \"shift\"\n    C += A * B\n"
                              "    move A to (i,j-1)\n    move B to (i-1,j)\n";

/* Cannon with alignment and q shifts of blocks of 8192 bytes, as SimGrid's S4U was measured: four digits. */
static void test_published(void) {
  const struct {
    int side;
    double time_s;
  } published[] = {{4, 84.1e-6}, {16, 348.5e-6}, {64, 1520.9e-6}};
  for (gsize i = 0; i < G_N_ELEMENTS(published); i++) {
    TgCost cost;
    int q = published[i].side;
    g_autofree char *grid = g_strdup_printf("%dx%d", q, q), *network = g_strdup_printf("torus:%dx%d", q, q);
    predict(aligned, grid, 32 * q, network, NUMBERS "bandwidth_bytes_per_s = 1.25e9\n", &plain, &cost);
    g_assert_cmpfloat(fabs(cost.time_s - published[i].time_s), <=, 0.05e-6);
    tg_cost_clear(&cost);
  }
}

/* Jitter 1 makes a cost at most twice as much: that of the latency, and that of the bytes. */
static void test_jitter_parts(void) {
  const char *parts[] = {NUMBERS "bandwidth_bytes_per_s = inf\n", "latency_s = 0\nper_hop_s = 0\n" TEN};
  const double least[] = {2, 10};
  TgCostOptions options = plain;
  options.jitter = 1;
  for (int p = 0; p < 2; p++) {
    TgCost cost;
    g_autofree char *text = moves("move B to (r+2) where r == 0\n");
    predict(text, "4", 8, "line:4", parts[p], &options, &cost);
    g_assert_cmpfloat(cost.time_s / unit_s, >, least[p] * (1 + 1e-6));
    g_assert_cmpfloat(cost.time_s / unit_s, <, least[p] * 2);
    tg_cost_clear(&cost);
  }
}

/* A seed repeats a run. What arrives early or late changes the shares of others, so that no more can be said. */
static void test_jitter(void) {
  TgCostOptions options = plain;
  TgCost none, one, same, other;
  const char *link = NUMBERS "bandwidth_bytes_per_s = 1.25e9\n";
  predict(aligned, "6x6", 192, "torus:6x6", link, &plain, &none);
  options.jitter = 1;
  options.seed = 3;
  predict(aligned, "6x6", 192, "torus:6x6", link, &options, &one);
  predict(aligned, "6x6", 192, "torus:6x6", link, &options, &same);
  options.seed = 4;
  predict(aligned, "6x6", 192, "torus:6x6", link, &options, &other);
  g_assert_cmpfloat(one.time_s, ==, same.time_s);
  g_assert_cmpfloat(one.time_s, !=, other.time_s);
  g_assert_cmpfloat(one.time_s, !=, none.time_s);
  tg_cost_clear(&none);
  tg_cost_clear(&one);
  tg_cost_clear(&same);
  tg_cost_clear(&other);
}

static const char *const grids[] = {"", "6", "4x4", "4x4x4"};

static double time_of(const TgLibraryEntry *entry, const char *grid, const char *network, const char *link,
                      const TgCostOptions *options, TgCostModel model) {
  TgCost cost;
  TgCostOptions with = *options;
  with.model = model;
  predict(entry->text, grid, 97, network, link, &with, &cost);
  double time_s = cost.time_s;
  if (model == TG_COST_FLOW) g_assert_cmpfloat(time_s * 1.25e9 * (1 + 1e-12), >=, (double)cost.max_link_bytes);
  tg_cost_clear(&cost);
  return time_s;
}

/* Where every pair of nodes has a link to itself nothing is shared, and the model is hockney's, skewed starts and
 * blocks of different sizes included. On a torus no link carries more than it can. */
static void test_library(void) {
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  const char *link = NUMBERS "bandwidth_bytes_per_s = 1.25e9\n";
  TgCostOptions options = plain;
  options.seed = 5;
  for (gsize i = 0; i < count; i++) {
    Bound bound;
    g_assert_true(tg_schedule_parse(&bound.schedule, &bound.names, entries[i].text, entries[i].length, &bound.error));
    const char *grid = grids[bound.schedule.dims];
    int nodes = bound.schedule.dims == 1 ? 6 : bound.schedule.dims == 2 ? 16 : 64;
    g_autofree char *full = g_strdup_printf("full:%d", nodes);
    g_autofree char *torus = g_strconcat(strchr(grid, 'x') ? "torus:" : "ring:", grid, NULL);
    for (options.skew_s = 0; options.skew_s < 2e-5; options.skew_s += 1e-5) {
      double flow_s = time_of(&entries[i], grid, full, link, &options, TG_COST_FLOW);
      double hockney_s = time_of(&entries[i], grid, full, link, &options, TG_COST_HOCKNEY);
      g_assert_cmpfloat(fabs(flow_s - hockney_s), <=, 1e-12 * hockney_s);
      time_of(&entries[i], grid, torus, link, &options, TG_COST_FLOW);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/flow/two-messages", test_two_messages);
  g_test_add_func("/flow/paths", test_paths);
  g_test_add_func("/flow/no-latency", test_no_latency);
  g_test_add_func("/flow/duplex", test_duplex);
  g_test_add_func("/flow/zero-bytes", test_zero_bytes);
  g_test_add_func("/flow/no-limit", test_no_limit);
  g_test_add_func("/flow/ports", test_ports);
  g_test_add_func("/flow/axes", test_axes);
  g_test_add_func("/flow/published", test_published);
  g_test_add_func("/flow/jitter", test_jitter);
  g_test_add_func("/flow/jitter-parts", test_jitter_parts);
  g_test_add_func("/flow/library", test_library);
  return g_test_run();
}
