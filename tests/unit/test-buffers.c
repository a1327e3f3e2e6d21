/* What products and transfers wait for where they overlap, by hand: a message takes 1 s, a product too; and the memory
 * that this takes. */
#include "../schedule-text.h"
#include "buffer-uses.h"
#include "cost.h"

static const TgCostOptions plain = {
    .as_executed = true, .overlap = true, .straggler = -1, .straggler_factor = 1, .element_bytes = 8};

static void predict(const char *text, const char *network, const TgCostOptions *options, TgCost *cost) {
  static const char words[] = "[machine]\nname = t\nsource = t\n[link]\nlatency_s = 1\nbandwidth_bytes_per_s = inf\n"
                              "[processor]\nflops_per_s = 2\n";
  Bound bound;
  TgShape shape;
  TgTopology topology;
  TgMachine machine;
  TgError failure;
  GError *error = NULL;
  g_assert_true(tg_machine_parse(&machine, words, strlen(words), &failure));
  if (!bound_from(&bound, text, NULL, NULL)) g_error("%d: %s", bound.error.line, bound.error.message);
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  const int32_t *blocks = bound.schedule.blocks[TG_MATRIX_C];
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, blocks[0], blocks[1], bound.schedule.inner, &error));
  tg_cost_predict(&bound.schedule, &bound.names, &shape, &topology, TG_ROWMAJOR, &machine, options, cost, &error);
  g_assert_no_error(error);
}

/* hockney, store-and-forward and flow give the same times, because no link is shared here. */
static void check_times(const char *text, const char *network, int32_t buffers, int64_t straggler,
                        const double *expected) {
  static const TgCostModel models[] = {TG_COST_HOCKNEY, TG_COST_FORWARD, TG_COST_FLOW};
  for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
    TgCost cost;
    TgCostOptions options = plain;
    options.model = models[m];
    options.buffers = buffers;
    options.straggler = straggler;
    options.straggler_factor = 5;
    predict(text, network, &options, &cost);
    for (int64_t n = 0; n < cost.nodes; n++)
      if (ABS(cost.node_time_s[n] - expected[n]) > 1e-9)
        g_error("%s, %d buffers: node %d ends at %g s, not %g", tg_cost_model_name(models[m]), (int)buffers, (int)n,
                cost.node_time_s[n], expected[n]);
    tg_cost_clear(&cost);
  }
}

/* Four processors shift B around a ring; products on processor 0 take 5 s. */
static void neighbours_run_ahead_by_the_buffers(void) {
  static const char ring[] =
      "schedule t\ngrid r:4\nplace A(r,0) on (r)\nplace B(0,r) on (r)\nplace C(r,t) on (r) as C[t] for t in 4\n"
      "repeat s in 4\n  step \"s\"\n    C[(r+s)%4] = A * B\n    move B to (r-1) where s < 3\n";
  static const double expected[][4] = {{23, 18, 13, 14}, {20, 11, 7, 8}, {20, 6, 4, 4}, {20, 4, 4, 4}};
  for (int32_t buffers = 1; buffers <= 4; buffers++) check_times(ring, "full:4", buffers, 0, expected[buffers - 1]);
  check_times(ring, "full:4", 0, 0, expected[1]); /* the default */
}

/* A product begins where its own blocks are there. */
static void a_product_waits_for_its_own_blocks(void) {
  static const char apart[] = "schedule t\ngrid r:2\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\n"
                              "move B to (r-1) into D\nS += A * B\n",
                    own[] = "schedule t\ngrid r:2\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\n"
                            "move B to (r-1) into D\nS += A * D\n",
                    copied[] = "schedule t\ngrid r:2\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\n"
                               "move B to (r-1) into D\ncopy D into E\nS += A * E\n",
                    stays[] = "schedule t\ngrid r:2\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\n"
                              "move A to (r-1)\nmove B to (0) into D where r == 1\nbroadcast A along r from 0 into E\n"
                              "S += E * D where r == 0\n";
  check_times(apart, "full:2", 2, -1, (double[]){1, 1});
  check_times(own, "full:2", 2, -1, (double[]){2, 2});
  check_times(copied, "full:2", 2, -1, (double[]){2, 2});
  check_times(stays, "full:2", 2, -1, (double[]){3, 3}); /* node 0 keeps what has come to it in the first second */
}

/* What was sent may be written anew beside it, given a second place. */
static void a_product_waits_until_its_block_is_gone(void) {
  static const char head[] = "schedule t\ngrid r:2\nplace A(0,r), B(r,0) on (r)\nplace C(0,0) on (0)\nrepeat s in 3\n";
  g_autofree char *anew = g_strconcat(head, "  zero T\n  T += A * B\n  move T to (r-1) into D\n", NULL);
  g_autofree char *replaced = g_strconcat(head, "  T = A * B\n  move T to (r-1) into D\n", NULL);
  g_autofree char *further = g_strconcat(head, "  T += A * B\n  move T to (r-1) into D\n", NULL);
  check_times(anew, "full:2", 1, -1, (double[]){6, 6});
  check_times(anew, "full:2", 2, -1, (double[]){4, 4});
  check_times(replaced, "full:2", 1, -1, (double[]){6, 6});
  check_times(replaced, "full:2", 2, -1, (double[]){4, 4});
  check_times(further, "full:2", 2, -1, (double[]){6, 6});
}

/* Blocks beside those of the schedule. */
static void memory_has_the_places(void) {
  static const struct {
    const char *name, *grid;
    int32_t places;
    int64_t blocks;
  } rows[] = {{"cannon", "4x4", 2, 2},      {"cannon", "4x4", 3, 4},    {"cannon", "4x4", 1, 0},
              {"cannon", "4x4", 0, 0},      {"cannon", "1x1", 2, 0},    {"summa", "4x4", 2, 2},
              {"fox", "4x4", 2, 2},         {"dns", "4x4x4", 2, 0},     {"ring", "4", 2, 1},
              {"agarwal3d", "2x2x3", 2, 3}, {"allgather", "4x4", 2, 0}, {"cannon25d", "2x2x2", 2, 0},
              {"cannon25d", "4x4x2", 2, 2}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    Bound bound;
    bool travels[TG_MAX_STATEMENTS];
    g_assert_true(bound_from_library(&bound, rows[i].name, rows[i].grid, NULL));
    tg_statements_travel(&bound.schedule, travels);
    const TgPlacesHeld held = tg_places_held(&bound.schedule, travels, rows[i].places, 48, 48, 48);
    if (held.blocks != rows[i].blocks)
      g_error("%s, %d places: %d blocks", rows[i].name, (int)rows[i].places, (int)held.blocks);
    if (strcmp(rows[i].grid, "4x4") == 0) g_assert_cmpfloat(held.elements, ==, 144.0 * (double)held.blocks);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/buffers/ahead", neighbours_run_ahead_by_the_buffers);
  g_test_add_func("/buffers/own-blocks", a_product_waits_for_its_own_blocks);
  g_test_add_func("/buffers/gone", a_product_waits_until_its_block_is_gone);
  g_test_add_func("/buffers/memory", memory_has_the_places);
  return g_test_run();
}
