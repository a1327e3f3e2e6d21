/* The hockney model: by hand, against Cannon's closed form, and what holds for every schedule. */
#include "../schedule-text.h"
#include "cost.h"
#include "prove.h"
#include "sim-error.h"

#include <math.h>

static const double latency_s = 1e-6, bandwidth = 1.25e9;

static void machine_from(TgMachine *machine, const char *rest) {
  TgError error;
  g_autofree char *text = g_strdup_printf("[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                                          "bandwidth_bytes_per_s = 1.25e9\n%s",
                                          rest);
  if (!tg_machine_parse(machine, text, strlen(text), &error)) g_error("%d: %s", error.line, error.message);
}

static const TgCostOptions plain = {.as_executed = true, .overlap = true, .straggler = -1, .element_bytes = 8};

static void predict_sizes(Bound *bound, gint64 m, gint64 n, gint64 k, const char *network, const TgMachine *machine,
                          const TgCostOptions *options, TgCost *cost) {
  TgTopology topology;
  TgShape shape;
  TgError failure;
  GError *error = NULL;
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  g_assert_true(tg_shape_init(&shape, &bound->schedule.computes, m, n, k, &error));
  tg_cost_predict(&bound->schedule, &bound->names, &shape, &topology, TG_ROWMAJOR, machine, options, cost, &error);
  g_assert_no_error(error);
}

static void predict(Bound *bound, gint64 n, const char *network, const TgMachine *machine, const TgCostOptions *options,
                    TgCost *cost) {
  predict_sizes(bound, n, n, n, network, machine, options, cost);
}

static char *read_schedule(const char *name) {
  char *text;
  g_autofree char *path = g_build_filename(g_getenv("TG_TEST_SCHEDULES"), name, NULL);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

/* Blocks of 8192 bytes: F0 = 2q(alpha + m/beta), p = 16 to 4096, to 1e-9. */
static void test_closed_form(void) {
  g_autofree char *text = read_schedule("cannon-q-shifts.sched");
  TgMachine machine;
  machine_from(&machine, "[processor]\nflops_per_s = inf\n");
  for (int q = 4; q <= 64; q *= 2) {
    Bound bound;
    TgCost cost;
    g_autofree char *grid = g_strdup_printf("%dx%d", q, q), *network = g_strdup_printf("torus:%dx%d", q, q);
    g_assert_true(bound_from(&bound, text, grid, NULL));
    predict(&bound, 32 * q, network, &machine, &plain, &cost);
    double f0 = 2 * q * (latency_s + 8192 / bandwidth);
    g_assert_cmpfloat(fabs(cost.time_s - f0), <=, 1e-9 * f0);
    g_assert_cmpint(cost.messages, ==, (gint64)2 * q * q * q);
    g_assert_cmpint(cost.bytes, ==, cost.messages * 8192);
    g_assert_cmpint(cost.hop_bytes, ==, cost.bytes);
    g_assert_cmpint(cost.trace.steps, ==, q);
    g_assert_cmpfloat(cost.compute_s, ==, 0);
    tg_cost_clear(&cost);
  }
}

static const char two_products[] =
    "schedule t\ngrid r:2\nplace A(r,0) on (r)\nplace B(0,r) on (r)\nplace C(r,t) on (r) as C[t] for t in 2\n"
    "repeat s in 2\n  step \"s\"\n    C[(r+s)%2] = A * B\n    move B to (r-1) where s < 1\n";

/* Two products and one shift of 2x2 blocks of 8 bytes, by hand. Flops 16 a product at 16e6/s: 1 us each. */
static void test_by_hand(void) {
  const double shift = latency_s + 2 * 4 * 8 / bandwidth, product = 2.0 * 2 * 2 * 4 / 32e6;
  TgMachine machine;
  TgCostOptions options = plain;
  TgCost cost;
  Bound bound;
  machine_from(&machine, "[processor]\nflops_per_s = 32e6\n");
  g_assert_true(bound_from(&bound, two_products, NULL, NULL));
  predict(&bound, 4, "ring:2", &machine, &options,
          &cost); /* the shift hides behind the first product, or it behind the shift */
  g_assert_cmpfloat_with_epsilon(cost.time_s, fmax(shift, product) + product, 1e-15);
  g_assert_cmpfloat_with_epsilon(cost.compute_s, 2 * product, 1e-15);
  tg_cost_clear(&cost);
  options.overlap = false;
  predict(&bound, 4, "ring:2", &machine, &options, &cost);
  g_assert_cmpfloat_with_epsilon(cost.time_s, shift + 2 * product, 1e-15);
  g_assert_cmpfloat_with_epsilon(cost.communication_s, shift, 1e-15);
  g_assert_cmpfloat_with_epsilon(cost.trace.step[0].end_s, shift + product, 1e-15);
  g_assert_cmpfloat_with_epsilon(cost.trace.step[1].start_s, shift + product, 1e-15);
  tg_cost_clear(&cost);
}

/* As above, in tiles of 3x4 of C: blocks of 2x2, and of 3 or 2 by 3 or 2, all take what 3x4 takes. */
static void test_tiles(void) {
  TgMachine machine;
  Bound bound;
  machine_from(&machine, "[processor]\nflops_per_s = 32e6\ntile_rows = 3\ntile_columns = 4\n");
  g_assert_true(bound_from(&bound, two_products, NULL, NULL));
  for (gint64 n = 4; n <= 5; n++) {
    const double product = 2.0 * 3 * 4 * 14 / 32e6;
    TgCost cost;
    predict_sizes(&bound, n, n, 14, "ring:2", &machine, &plain, &cost);
    for (int r = 0; r < 2; r++) g_assert_cmpfloat_with_epsilon(cost.node_compute_s[r], 2 * product, 1e-15);
    g_assert_cmpfloat(cost.flops, ==, 2.0 * (double)(n * n * 14)); /* of what is asked for */
    tg_cost_clear(&cost);
  }
}

/* A root that sends to three others has one port, or as many as it needs; hops cost per_hop_s after the first. */
static void test_ports(void) {
  const char *text = "schedule t\ngrid r:4\nplace A(0,0), B(0,0) on (0)\nplace C(r,0) on (r)\nC = A * B\n";
  const char *fan = "schedule t\ngrid r:4\ncomputes C = A\nplace A(r,0) on (0) as S[r]\nplace C(r,0) on (r) as "
                    "A\nscatter S along r from 0 into A\n";
  TgMachine one, all;
  TgCostOptions options = plain;
  TgCost cost;
  Bound bound;
  (void)text;
  options.collective = TG_COLLECTIVE_PAIRWISE;
  machine_from(&one, "per_hop_s = 5e-7\n[processor]\nflops_per_s = inf\n");
  machine_from(&all, "per_hop_s = 5e-7\n[port]\nports = all\n[processor]\nflops_per_s = inf\n");
  g_assert_true(bound_from(&bound, fan, NULL, NULL));
  predict(&bound, 4, "line:4", &one, &options, &cost);
  double m = 32 / bandwidth;
  g_assert_cmpfloat_with_epsilon(cost.time_s, 3 * (latency_s + m) + (1 + 2) * 5e-7, 1e-15);
  g_assert_cmpint(cost.max_link_bytes, ==, 3 * 32);
  g_assert_cmpint(cost.hop_bytes, ==, (1 + 2 + 3) * 32);
  tg_cost_clear(&cost);
}

static const char *const grids[] = {"", "6", "4x4", "4x4x4"};

static char *network_of(const char *grid) {
  return g_strconcat(strchr(grid, 'x') ? "torus:" : "ring:", grid, NULL);
}

/* Whatever the schedule: no time falls when a cost grows, overlap is never slower, messages are those of the expanded
 * proof, and blocks of different sizes cost no less than the smaller ones would. */
static void test_library(void) {
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  TgMachine machine, slower_link, slower_processor;
  machine_from(&machine, "per_hop_s = 1e-7\n[processor]\nflops_per_s = 1e9\n");
  machine_from(&slower_processor, "per_hop_s = 1e-7\n[processor]\nflops_per_s = 5e8\n");
  slower_link = machine;
  slower_link.link.latency_s *= 2;
  for (gsize i = 0; i < count; i++) {
    Bound bound;
    TgCost base, other;
    TgProof proof;
    TgCostOptions options = plain, serial = plain;
    g_assert_true(tg_schedule_parse(&bound.schedule, &bound.names, entries[i].text, entries[i].length, &bound.error));
    const char *grid = grids[bound.schedule.dims];
    g_autofree char *network = network_of(grid);
    g_assert_true(bound_from(&bound, entries[i].text, grid, NULL));
    serial.overlap = false;
    predict(&bound, 96, network, &machine, &options, &base);
    g_assert_true(tg_prove(&bound.schedule, &bound.names, TG_COLLECTIVE_AUTO, 96, 96, 96, &proof));
    g_assert_cmpint(base.messages, <=, proof.counts.messages); /* parcels that travel together are one message */
    g_assert_cmpint(base.bytes, ==, proof.words_received * 8);
    g_assert_cmpfloat(base.compute_s, <=, base.time_s);
    const struct {
      const TgMachine *machine;
      const TgCostOptions *options;
      gint64 n;
    } worse[] = {{&slower_link, &options, 96},
                 {&slower_processor, &options, 96},
                 {&machine, &serial, 96},
                 {&machine, &options, 192}};
    for (gsize w = 0; w < G_N_ELEMENTS(worse); w++) {
      predict(&bound, worse[w].n, network, worse[w].machine, worse[w].options, &other);
      g_assert_cmpfloat(other.time_s, >=, base.time_s * (1 - 1e-12));
      tg_cost_clear(&other);
    }
    predict(&bound, 97, network, &machine, &options, &other); /* followed by name */
    g_assert_cmpfloat(other.time_s, >=, base.time_s * (1 - 1e-12));
    g_assert_cmpfloat(other.time_s, <=, base.time_s * 1.2);
    tg_cost_clear(&other);
    tg_cost_clear(&base);
  }
}

/* One number for all nodes while they are alike, one each otherwise: the same times. */
static void test_level_and_apart(void) {
  Bound bound;
  TgMachine machine;
  TgCost level, apart;
  TgCostOptions options = plain;
  machine_from(&machine, "per_hop_s = 1e-7\n[processor]\nflops_per_s = 1e9\n");
  g_assert_true(bound_from_library(&bound, "cannon", "8x8", NULL));
  predict(&bound, 128, "torus:8x8", &machine, &options, &level);
  options.straggler = 5; /* … by a factor of 1: each node keeps its own clock */
  options.straggler_factor = 1;
  predict(&bound, 128, "torus:8x8", &machine, &options, &apart);
  g_assert_cmpfloat_with_epsilon(level.time_s, apart.time_s, 1e-18);
  tg_cost_clear(&apart);
  options.straggler_factor = 3;
  predict(&bound, 128, "torus:8x8", &machine, &options, &apart);
  g_assert_cmpfloat(apart.time_s, >, level.time_s * 1.5);
  tg_cost_clear(&apart);
  options = plain;
  options.skew_s = 1e-4;
  options.seed = 7;
  predict(&bound, 128, "torus:8x8", &machine, &options, &apart);
  g_assert_cmpfloat(apart.time_s, >, level.time_s);
  g_assert_cmpfloat(apart.time_s, <=, level.time_s + 1e-4);
  tg_cost_clear(&apart);
  tg_cost_clear(&level);
}

/* Sixteen virtual processors on four nodes: what stays on a node is free, and a node's products follow each other. */
static void test_virtual_processors(void) {
  Bound bound;
  TgMachine machine;
  TgCost cost;
  machine_from(&machine, "[processor]\nflops_per_s = 1e9\n");
  g_assert_true(bound_from_library(&bound, "summa", "4x4", NULL));
  predict(&bound, 64, "torus:2x2", &machine, &plain, &cost);
  g_assert_cmpint(cost.nodes, ==, 4);
  g_assert_cmpint(cost.messages, <, 96);
  g_assert_cmpfloat_with_epsilon(cost.compute_s, 2.0 * 64 * 64 * 64 / 4 / 1e9, 1e-12);
  tg_cost_clear(&cost);
}

/* Latencies whose sum is no number: an error in every model, not a prediction of infinity. */
static void test_overflow(void) {
  const char *text = "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1\nbandwidth_bytes_per_s = 1\n"
                     "[processor]\nflops_per_s = 1e9\n";
  g_autofree char *schedule = read_schedule("cannon-q-shifts.sched");
  TgMachine machine;
  TgError failure;
  TgTopology topology;
  TgShape shape;
  Bound bound;
  g_assert_true(tg_machine_parse(&machine, text, strlen(text), &failure));
  machine.link.latency_s = 1e308; /* which no file has */
  g_assert_true(tg_topology_parse(&topology, "torus:4x4", &failure));
  g_assert_true(bound_from(&bound, schedule, "4x4", NULL));
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, 8, 8, 8, NULL));
  for (int model = 0; model < TG_COST_MODELS; model++) {
    TgCostOptions options = plain;
    TgCost cost;
    g_autoptr(GError) error = NULL;
    options.model = (TgCostModel)model;
    g_assert_false(tg_cost_predict(&bound.schedule, &bound.names, &shape, &topology, TG_ROWMAJOR, &machine, &options,
                                   &cost, &error));
    g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT);
  }
}

/* Entries of groups are those of their nodes, taken together, in every model. */
static void test_node_groups(void) {
  enum { NODES = 16, GROUPS = 3 };
  static const int32_t group[NODES] = {0, 0, 0, 1, 1, 1, 1, 1, -1, 2, 2, 2, 2, 2, 2, 2};
  TgMachine machine;
  Bound bound;
  machine_from(&machine, "[processor]\nflops_per_s = 1e10\n");
  g_assert_true(bound_from_library(&bound, "cannon", "4x4", NULL));
  for (int model = 0; model < TG_COST_MODELS; model++) {
    TgCostOptions options = plain;
    TgCost single, grouped;
    options.model = (TgCostModel)model;
    options.jitter = 0.5;
    options.keep_node_steps = true;
    predict(&bound, 64, "torus:4x4", &machine, &options, &single);
    options.node_group = group;
    options.node_groups = GROUPS;
    predict(&bound, 64, "torus:4x4", &machine, &options, &grouped);
    g_assert_cmpint(single.node_entries, ==, NODES);
    g_assert_cmpint(grouped.node_entries, ==, GROUPS);
    for (int64_t e = 0; e < single.trace.steps * GROUPS; e++) {
      TgNodeStep all = {.start_s = INFINITY};
      for (int n = 0; n < NODES; n++) {
        const TgNodeStep *at = &single.node_step[e / GROUPS * NODES + n];
        if (group[n] != e % GROUPS) continue;
        all.start_s = fmin(all.start_s, at->start_s);
        all.end_s = fmax(all.end_s, at->end_s);
        all.products_s = fmax(all.products_s, at->products_s);
      }
      g_assert_cmpfloat(grouped.node_step[e].start_s, ==, all.start_s);
      g_assert_cmpfloat(grouped.node_step[e].end_s, ==, all.end_s);
      g_assert_cmpfloat(grouped.node_step[e].products_s, ==, all.products_s);
    }
    tg_cost_clear(&single);
    tg_cost_clear(&grouped);
  }
}

/* Two processors a node. What the processors of a node send goes by their numbers, one after another; so does what they
 * receive, by those of the senders. */
static void test_order_on_a_node(void) {
#define ROWS "schedule t\ngrid r:6\ncomputes C = A\nplace A(r,0) on (r)\nplace C(r,0) on (r)\n"
  static const struct {
    const char *text;
    double messages[3]; /* by node: how many, one after another, before it is done */
  } cases[] = {{ROWS "move A to (5-2*r) into D where r < 2\n", {2, 2, 1}},             /* 0 to 5, then 1 to 3 */
               {ROWS "move A to (3+2*r) into D where r < 2\n", {2, 1, 2}},             /* 0 to 3, then 1 to 5 */
               {ROWS "move A to (5-r/2) into D where r < 3 and r != 1\n", {1, 2, 2}},  /* 0 to 5, then 2 to 4 */
               {ROWS "move A to (4+r/2) into D where r < 3 and r != 1\n", {1, 2, 2}}}; /* 0 to 4, then 2 to 5 */
#undef ROWS
  TgMachine machine;
  machine_from(&machine, "[processor]\nflops_per_s = inf\n");
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++)
    for (TgCostModel model = TG_COST_HOCKNEY; model <= TG_COST_FLOW; model++) {
      const double message_s = latency_s + 6 * 8 / bandwidth;
      TgCostOptions options = plain;
      TgCost cost;
      Bound bound;
      options.model = model;
      g_assert_true(bound_from(&bound, cases[c].text, NULL, NULL));
      predict_sizes(&bound, 6, 6, 6, "full:3", &machine, &options, &cost);
      for (int n = 0; n < 3; n++)
        g_assert_cmpfloat_with_epsilon(cost.node_time_s[n], cases[c].messages[n] * message_s, 1e-12);
      tg_cost_clear(&cost);
    }
}

/* Two hosts of four processors, the adapter of each twice as fast as a link inside. Blocks of 64 bytes go from one host
 * to the other; only those that are under way at once share an adapter, so that one that sends to all is not slowed
 * down. */
static void test_shared_adapter(void) {
#define ROWS "schedule t\ngrid r:8\ncomputes C = A\nplace C(r,0) on (r)\nplace A(r,0) on "
  static const struct {
    const char *text;
    double messages, blocks; /* latencies, and times of a block on a link inside */
  } cases[] = {{ROWS "(r)\nmove A to (r+4) into D where r < 1\n", 1, 1},
               {ROWS "(r)\nmove A to (r+4) into D where r < 2\n", 1, 1},
               {ROWS "(r)\nmove A to (r+4) into D where r < 3\n", 1, 1.5},
               {ROWS "(r)\nmove A to (r+4) into D where r < 4\n", 1, 2},
               {ROWS "(r)\nmove A to (r+4) into D\n", 1, 2}, /* both ways at once */
               {ROWS "(r)\nmove A to (r+2) into D\n", 1, 1}, /* two of each host */
               {ROWS "(0) as S[r]\nscatter S along r from 0 into A\n", 7, 7}};
#undef ROWS
  TgMachine machine;
  machine_from(&machine, "[level.1]\nbandwidth_bytes_per_s = 2.5e9\n[processor]\nflops_per_s = inf\n");
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++)
    for (int model = 0; model < TG_COST_MODELS; model++) {
      const double bytes = model == TG_COST_LOGGP ? 63 : 64;
      TgCostOptions options = plain;
      TgCost cost;
      Bound bound;
      options.model = (TgCostModel)model;
      options.collective = TG_COLLECTIVE_PAIRWISE;
      if (model == TG_COST_FORWARD || (model == TG_COST_LOGGP && cases[c].messages > 1)) continue;
      if (!bound_from(&bound, cases[c].text, NULL, NULL)) g_error("%s", bound.error.message);
      predict_sizes(&bound, 8, 8, 8, "switch:4*switch:2", &machine, &options, &cost);
      g_assert_cmpfloat_with_epsilon(cost.time_s, cases[c].messages * latency_s + cases[c].blocks * bytes / bandwidth,
                                     1e-15);
      tg_cost_clear(&cost);
    }
}

/* Four partial sums of 4x2 elements on a line; 8 additions at 8e6/s are 1 us, a message of 64 bytes 1.0512 us. */
static const char sums[] = "schedule t\ngrid r:4\nplace A(0,r) on (r)\nplace B(r,0) on (r)\nplace C(0,0) on (0)\n"
                           "step \"multiply\"\n  T = A * B\nstep \"reduce\"\n  reduce T along r to 0 into C\n";

static void test_additions_by_hand(void) {
  static const struct {
    TgCollective collective;
    double rounds, own; /* messages and additions that follow one another; additions on the last node */
  } forms[] = {{TG_COLLECTIVE_BINOMIAL, 2, 2}, {TG_COLLECTIVE_RING, 3, 1}};
  TgMachine machine;
  machine_from(&machine, "[processor]\nflops_per_s = inf\nadditions_per_s = 8e6\n");
  for (size_t f = 0; f < G_N_ELEMENTS(forms); f++)
    for (TgCostModel model = 0; model < TG_COST_MODELS; model++) {
      const double message = latency_s + (model == TG_COST_LOGGP ? 63 : 64) / bandwidth, addition = 8 / 8e6;
      TgCostOptions options = plain;
      TgCost cost;
      Bound bound;
      options.model = model;
      options.collective = forms[f].collective;
      g_assert_true(bound_from(&bound, sums, NULL, NULL));
      predict_sizes(&bound, 4, 2, 4, "full:4", &machine, &options, &cost);
      g_assert_cmpfloat_with_epsilon(cost.time_s, forms[f].rounds * (message + addition), 1e-12);
      g_assert_cmpfloat_with_epsilon(cost.compute_s, forms[f].own * addition, 1e-12);
      g_assert_cmpint(cost.trace.step[0].products + cost.trace.step[1].products, ==, 4);
      g_assert_true(cost.flops == 4 * 2.0 * 4 * 2);
      tg_cost_clear(&cost);
    }
}

/* With no time for a choice, a prediction that ends early says that there were other choices. */
static void test_left_out(void) {
  static const char text[] = "schedule t\ngrid r:4\nplace A(0,0), B(0,0) on (0)\nplace C(0,0) on (0)\n"
                             "broadcast A along r from 0 into P\nC = A * B where r == 0\n";
  Bound bound;
  TgMachine machine;
  TgShape shape;
  TgTopology network;
  TgCost cost;
  g_autoptr(GError) error = NULL;
  machine_from(&machine, "[processor]\nflops_per_s = inf\n");
  g_assert_true(bound_from(&bound, text, NULL, NULL));
  g_assert_true(tg_topology_parse(&network, "full:4", NULL));
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, 240, 1, 1, NULL));
  TgCostOptions options = plain;
  options.collective = TG_COLLECTIVE_AUTO;
  options.as_executed = false;
  options.choice_s = 1e-12;
  options.most_s = 1e-9;
  g_assert_false(
      tg_cost_predict(&bound.schedule, &bound.names, &shape, &network, TG_ROWMAJOR, &machine, &options, &cost, &error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER);
  g_assert_cmpint(cost.collectives_left, >, 0);
}

/* Rounds of 16 by 16 blocks of 1 element, whose bytes count as nothing: 3 of a ring along a line of 4, 2 of a tree. */
static void check_rounds(const char *body, const char *ports, TgCollective collective, double rounds) {
  TgMachine machine;
  Bound bound;
  TgCost cost;
  TgCostOptions options = plain;
  g_autofree char *text =
      g_strconcat("schedule t\ngrid i:4, j:4\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n", body, "C += A * B\n", NULL);
  g_autofree char *rest = g_strdup_printf("[port]\nports = %s\n[processor]\nflops_per_s = inf\n", ports);
  machine_from(&machine, rest);
  if (!bound_from(&bound, text, NULL, NULL)) g_error("%s", bound.error.message);
  options.collective = collective;
  for (int model = 0; model < TG_COST_MODELS; model++) {
    options.model = (TgCostModel)model;
    predict(&bound, 4, "full:16", &machine, &options, &cost);
    if (fabs(cost.time_s / latency_s - rounds) > 0.2)
      g_error("%s, %g rounds:\n%s", tg_cost_model_name(options.model), cost.time_s / latency_s, body);
    tg_cost_clear(&cost);
  }
}

/* With all ports statements of a step that do not need each other go at once, round by round. */
static void test_together(void) {
  static const char gathers[] = "step \"s\"\n  allgather A along j into P\n  allgather B along i into Q\n",
                    needs[] = "step \"s\"\n  broadcast A along j from 0 into P\n  broadcast P along i from 0 into Q\n",
                    writes[] = "step \"s\"\n  broadcast A along j from 0 into P\n  broadcast B along i from 0 into P\n",
                    apart[] = "step \"s\"\n  allgather A along j into P\nstep \"t\"\n  allgather B along i into Q\n",
                    three[] = "step \"s\"\n  move C to (i+1, j+1) into D\n  allgather A along j into P\n"
                              "  allgather B along i into Q\n";
  check_rounds(gathers, "one", TG_COLLECTIVE_RING, 6);
  check_rounds(gathers, "all", TG_COLLECTIVE_RING, 3);
  check_rounds(needs, "all", TG_COLLECTIVE_BINOMIAL, 4);
  check_rounds(writes, "all", TG_COLLECTIVE_BINOMIAL, 4);
  check_rounds(apart, "all", TG_COLLECTIVE_RING, 5); /* the last round goes with the first of the next step */
  check_rounds(three, "all", TG_COLLECTIVE_RING, 3);
}

/* 0 sends to 2 and 1 to 3, both over the link from 1 to 2: messages of 800 bytes, and of 8000, which have a protocol of
 * their own. Alone these take 1 + 0.8 us and 5 + 0.8 us. In `flow` each has half of the link, and of that small ones
 * use a tenth. */
static void test_protocols(void) {
  static const char text[] = "schedule t\ngrid i:4\nplace A(i,0) on (i)\nplace B(0,0) on (0)\nplace C(i,0) on (i)\n"
                             "move A to (i+2) into P where i < 2\n";
  static const struct {
    gint64 m;
    double us[TG_COST_MODELS];
  } cases[] = {
      {40, {[TG_COST_HOCKNEY] = 1.8, [TG_COST_LOGGP] = 1.799, [TG_COST_FORWARD] = 3.6, [TG_COST_FLOW] = 2.6}},
      {400, {[TG_COST_HOCKNEY] = 5.8, [TG_COST_LOGGP] = 5.7999, [TG_COST_FORWARD] = 11.6, [TG_COST_FLOW] = 6.6}}};
  TgMachine machine;
  Bound bound;
  TgError error;
  static const char numbers[] = "[machine]\nname = t\nsource = t\n[link]\nlatency_s = 1e-6\n"
                                "bandwidth_bytes_per_s = 1e9\nprotocols = 1000:5e-6:1e10\n"
                                "[processor]\nflops_per_s = inf\n";
  if (!tg_machine_parse(&machine, numbers, strlen(numbers), &error)) g_error("%s", error.message);
  if (!bound_from(&bound, text, NULL, NULL)) g_error("%s", bound.error.message);
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c++)
    for (int model = 0; model < TG_COST_MODELS; model++) {
      TgCost cost;
      TgCostOptions options = plain;
      options.model = (TgCostModel)model;
      predict_sizes(&bound, cases[c].m, 10, 10, "mesh:4", &machine, &options, &cost);
      g_assert_cmpfloat_with_epsilon(cost.time_s * 1e6, cases[c].us[model], 1e-9);
      tg_cost_clear(&cost);
    }
}

/* 800 bytes between hosts and within one: the latency is the largest on the route. */
static void test_latency_between_hosts(void) {
  static const struct {
    const char *within_s, *between_s;
    int to;
    double us;
  } cases[] = {{"1e-6", "5e-6", 2, 5.8}, {"5e-6", "1e-6", 2, 5.8}, {"1e-6", "5e-6", 1, 1.8}, {"5e-6", "1e-6", 1, 5.8}};
  static const TgCostModel models[] = {TG_COST_HOCKNEY, TG_COST_FLOW, TG_COST_LOGGP};
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c++) {
    TgMachine machine;
    Bound bound;
    TgError error;
    g_autofree char *text = g_strdup_printf("schedule t\ngrid i:4\nplace A(0,0), B(0,0), C(0,0) on (0)\n"
                                            "move A to (%d) into P where i == 0\n",
                                            cases[c].to);
    g_autofree char *numbers = g_strdup_printf("[machine]\nname = t\nsource = t\n[link]\nlatency_s = %s\n"
                                               "bandwidth_bytes_per_s = 1e9\n[level.1]\nlatency_s = %s\n"
                                               "bandwidth_bytes_per_s = 1e9\n[processor]\nflops_per_s = inf\n",
                                               cases[c].within_s, cases[c].between_s);
    if (!tg_machine_parse(&machine, numbers, strlen(numbers), &error)) g_error("%s", error.message);
    if (!bound_from(&bound, text, NULL, NULL)) g_error("%s", bound.error.message);
    for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
      TgCost cost;
      TgCostOptions options = plain;
      options.model = models[m];
      predict_sizes(&bound, 10, 10, 10, "switch:2*switch:2", &machine, &options, &cost);
      g_assert_cmpfloat_with_epsilon(cost.time_s * 1e6, cases[c].us - (models[m] == TG_COST_LOGGP) * 1e-3, 1e-9);
      tg_cost_clear(&cost);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cost/protocols", test_protocols);
  g_test_add_func("/cost/latency-between-hosts", test_latency_between_hosts);
  g_test_add_func("/cost/together", test_together);
  g_test_add_func("/cost/closed-form", test_closed_form);
  g_test_add_func("/cost/additions-by-hand", test_additions_by_hand);
  g_test_add_func("/cost/by-hand", test_by_hand);
  g_test_add_func("/cost/tiles", test_tiles);
  g_test_add_func("/cost/ports", test_ports);
  g_test_add_func("/cost/library", test_library);
  g_test_add_func("/cost/level-and-apart", test_level_and_apart);
  g_test_add_func("/cost/virtual-processors", test_virtual_processors);
  g_test_add_func("/cost/overflow", test_overflow);
  g_test_add_func("/cost/node-groups", test_node_groups);
  g_test_add_func("/cost/order-on-a-node", test_order_on_a_node);
  g_test_add_func("/cost/shared-adapter", test_shared_adapter);
  g_test_add_func("/cost/left-out", test_left_out);
  return g_test_run();
}
