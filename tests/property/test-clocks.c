/* The clocks' short ways (one number for all nodes, a whole exchange in one pass) come to the same times, to the bit,
 * as the message-by-message way, which a jitter too small to change any cost makes them take. */
#include "../schedule-text.h"
#include "cost.h"

static const double too_small = 1e-300;

typedef struct Case {
  const char *grid, *network;
  TgEmbeddingKind embedding;
} Case;

static void predict(const Bound *bound, const Case *where, const TgCostOptions *options, TgCost *cost) {
  static const char text[] = "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\nper_hop_s = 3e-7\n"
                             "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = 1e9\n";
  const TgSchedule *schedule = &bound->schedule;
  TgTopology topology;
  TgMachine machine;
  TgShape shape;
  TgError failure;
  GError *error = NULL;
  g_assert_true(tg_machine_parse(&machine, text, strlen(text), &failure));
  g_assert_true(tg_topology_parse(&topology, where->network, &failure));
  g_assert_true(tg_shape_init(&shape, &schedule->computes, 96, 96, 96, &error));
  tg_cost_predict(schedule, &bound->names, &shape, &topology, where->embedding, &machine, options, cost, &error);
  g_assert_no_error(error);
}

static void compare(const TgCost *a, const TgCost *b) {
  gsize bytes = (gsize)a->nodes * sizeof(double);
  g_assert_cmpint(a->nodes, ==, b->nodes);
  g_assert_cmpmem(a->node_time_s, bytes, b->node_time_s, bytes);
  g_assert_cmpmem(a->node_compute_s, bytes, b->node_compute_s, bytes);
  g_assert_cmpint(a->trace.steps, ==, b->trace.steps);
  for (int64_t s = 0; s < a->trace.steps; s++) {
    g_assert_true(a->trace.step[s].start_s == b->trace.step[s].start_s);
    g_assert_true(a->trace.step[s].end_s == b->trace.step[s].end_s);
    g_assert_true(a->step_compute_s[s] == b->step_compute_s[s]);
  }
}

static void check(const TgLibraryEntry *entry, const Case *where) {
  Bound bound;
  g_test_message("%s on %s", entry->name, where->network);
  g_assert_true(bound_from(&bound, entry->text, where->grid, NULL));
  for (int run = 0; run < 4; run++) {
    TgCost short_way, long_way;
    TgCostOptions options = {.overlap = run % 2,
                             .buffers = g_test_rand_int_range(1, 4),
                             .skew_s = run / 2 * 2e-5,
                             .straggler = -1,
                             .element_bytes = 8,
                             .seed = (uint64_t)g_test_rand_int()};
    predict(&bound, where, &options, &short_way);
    options.jitter = too_small;
    predict(&bound, where, &options, &long_way);
    compare(&short_way, &long_way);
    tg_cost_clear(&short_way);
    tg_cost_clear(&long_way);
  }
}

static void test_library(void) {
  static const Case cases[][3] = {
      {{"6", "ring:6", TG_ROWMAJOR}, {"8", "hypercube:3", TG_GRAY}, {"8", "ring:4", TG_ROWMAJOR}},
      {{"8x8", "torus:8x8", TG_ROWMAJOR}, {"8x8", "hypercube:6", TG_GRAY}, {"8x8", "torus:8x8", TG_SNAKE}},
      {{"4x4x4", "torus:4x4x4", TG_ROWMAJOR}, {"4x4x4", "hypercube:6", TG_GRAY}, {"4x4x4", "mesh:4x4", TG_SNAKE}}};
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (gsize i = 0; i < count * G_N_ELEMENTS(cases[0]); i++) {
    Bound bound;
    const TgLibraryEntry *entry = &entries[i / G_N_ELEMENTS(cases[0])];
    g_assert_true(tg_schedule_parse(&bound.schedule, &bound.names, entry->text, entry->length, &bound.error));
    check(entry, &cases[bound.schedule.dims - 1][i % G_N_ELEMENTS(cases[0])]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/clocks/library", test_library);
  return g_test_run();
}
