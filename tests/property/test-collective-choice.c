/* Compares `auto` with every algorithm: its choice takes at most 1 % longer than any one algorithm for all collectives
 * (with less to gain, no more numbers of pieces are tried), and at most 5 % longer than one whose chains have as many
 * pieces as a line is long. Its prediction is that of its choice. */
#include "cost-case.h"

#include <math.h>

enum { CASES = 60, MORE_CASES = 600, MOST_MESSAGES = 4000 };

static const double most = 1.05; /* of the least time of one algorithm for all */

static double time_of(const CostCase *test, const TgSchedule *schedule, TgCollective collective, bool as_executed) {
  TgCostOptions options = test->options;
  TgCost cost;
  g_autoptr(GError) error = NULL;
  options.collective = collective;
  options.as_executed = as_executed;
  if (!tg_cost_predict(schedule, &test->bound.names, &test->shape, &test->network, test->embedding, &test->machine,
                       &options, &cost, &error))
    g_error("%s: %s", test->name, error->message);
  const double time_s = cost.time_s;
  tg_cost_clear(&cost);
  return time_s;
}

/* Returns the time over that of the best. */
static double check(CostCase *test) {
  TgCost cost;
  double least_s = INFINITY;
  test->options.as_executed = false;
  test->options.collective = TG_COLLECTIVE_AUTO;
  must_predict(test, &test->shape, &test->machine, &test->options, &cost);
  expect_holds(test, cost.time_s == time_of(test, cost.schedule, TG_COLLECTIVE_AUTO, true), "not that of its choice",
               test->options.model, cost.time_s, 0);
  for (int collective = TG_COLLECTIVE_BINOMIAL; collective < TG_COLLECTIVES; collective++) {
    const double chosen_s = time_of(test, &test->bound.schedule, (TgCollective)collective, false);
    least_s = fmin(least_s, chosen_s);
    least_s = fmin(least_s, time_of(test, &test->bound.schedule, (TgCollective)collective, true));
    expect_holds(test, cost.time_s <= chosen_s * 1.01, tg_collective_name((TgCollective)collective),
                 test->options.model, cost.time_s, chosen_s);
  }
  expect_holds(test, cost.time_s <= most * least_s, "above the best", test->options.model, cost.time_s, least_s);
  const double over = least_s > 0 ? cost.time_s / least_s : 1;
  tg_cost_clear(&cost);
  return over;
}

static void test_random(void) {
  const int cases = g_test_thorough() ? MORE_CASES : CASES;
  double worst = 0;
  int better = 0;
  for (int done = 0; done < cases;) {
    CostCase test;
    draw_case(&test, MOST_MESSAGES);
    test.options.model = (TgCostModel)(done % TG_COST_MODELS);
    TgCost cost;
    test.options.as_executed = false;
    test.options.collective = TG_COLLECTIVE_AUTO;
    const bool chooses = predict_case(&test, &test.shape, &test.machine, &test.options, &cost);
    if (chooses && cost.collectives_tried > 1) {
      const double over = check(&test);
      worst = fmax(worst, over);
      better += over < 1 - 1e-12;
      done++;
    }
    if (chooses) tg_cost_clear(&cost);
    clear_case(&test);
  }
  g_test_message("the worst of %d cases takes %.4f times as long as the best single algorithm; %d are faster than that",
                 cases, worst, better);
}

static void set_library_case(CostCase *test, const char *name, const char *grid, const char *network,
                             const char *machine) {
  TgError error;
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  while (count > 0 && strcmp(entries[count - 1].name, name) != 0) count--;
  *test = (CostCase){.name = name};
  g_assert_true(bound_from(&test->bound, entries[count - 1].text, grid, NULL));
  g_assert_true(tg_topology_parse(&test->network, network, &error));
  g_assert_true(tg_machine_parse(&test->machine, machine, strlen(machine), &error));
}

/* SUMMA's broadcasts follow each other down chains, so that it is about as quick as Cannon (R. A. van de Geijn,
 * J. Watts, 1997, section 3.2). */
static void test_summa(void) {
  static const char *const names[] = {"summa", "cannon"};
  double time_s[2];
  for (int i = 0; i < 2; i++) {
    CostCase test;
    set_library_case(&test, names[i], "8x8", "torus:8x8",
                     "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                     "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = 1e12\n");
    g_assert_true(tg_shape_init(&test.shape, &test.bound.schedule.computes, 4096, 4096, 4096, NULL));
    test.options = (TgCostOptions){.overlap = true, .straggler = -1, .element_bytes = 4};
    time_s[i] = time_of(&test, &test.bound.schedule, TG_COLLECTIVE_AUTO, false);
  }
  g_assert_cmpfloat(time_s[0], <, 1.3 * time_s[1]);
}

/* A ring's rounds are alike, so that one of them is all that a prediction keeps: there is room for rings of any length.
 */
static void test_long_rings(void) {
  CostCase test;
  set_library_case(&test, "agarwal3d", "8x4x256", "torus:8x4x256",
                   "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                   "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = 1e12\n");
  g_assert_true(tg_shape_init(&test.shape, &test.bound.schedule.computes, 16384, 16384, 16384, NULL));
  test.options = (TgCostOptions){.model = TG_COST_FORWARD, .overlap = true, .straggler = -1, .element_bytes = 4};
  const double ring_s = time_of(&test, &test.bound.schedule, TG_COLLECTIVE_RING, false);
  g_assert_cmpfloat(time_of(&test, &test.bound.schedule, TG_COLLECTIVE_AUTO, false), <=, most * ring_s);
}

/* LogGP has no hops, so the choice is the same however the grid lies on the network. Chains of A and of B take turns:
 * both are fastest with more pieces than suit each alone. The numbers cut their blocks (144, 104 elements) evenly. */
static void test_alike_chains(void) {
  static const TgEmbeddingKind embeddings[] = {TG_ROWMAJOR, TG_SNAKE};
  for (gsize e = 0; e < G_N_ELEMENTS(embeddings); e++) {
    CostCase test;
    TgCost cost;
    set_library_case(&test, "summa-panels", "4x2", "mesh:4x2",
                     "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 6e-8\nper_hop_s = 1e-7\n"
                     "bandwidth_bytes_per_s = 2e8\n[port]\nports = all\n[processor]\nflops_per_s = 1.4e9\n");
    g_assert_true(tg_shape_init(&test.shape, &test.bound.schedule.computes, 34, 26, 32, NULL));
    test.options = (TgCostOptions){.model = TG_COST_LOGGP, .straggler = -1, .element_bytes = 8};
    test.embedding = embeddings[e];
    must_predict(&test, &test.shape, &test.machine, &test.options, &cost);
    g_autofree char *said = tg_cost_collectives_text(&cost, &test.bound.names);
    g_assert_cmpstr(said, ==, "A by chain in 36 pieces, B by chain in 52 pieces");
    tg_cost_clear(&cost);
  }
}

/* One block of 240 words goes down a line of four, one word a second. */
static void set_one_block(CostCase *test, const char *links) {
  static const char text[] = "schedule t\ngrid r:4\nplace A(0,0), B(0,0) on (0)\nplace C(0,0) on (0)\n"
                             "broadcast A along r from 0 into P\nC = A * B where r == 0\n";
  g_autofree char *machine = g_strconcat("[machine]\nname = test\nsource = test\n[link]\nbandwidth_bytes_per_s = 4\n",
                                         links, "[processor]\nflops_per_s = inf\n", NULL);
  TgError error;
  *test = (CostCase){.name = "t"};
  g_assert_true(bound_from(&test->bound, text, NULL, NULL));
  g_assert_true(tg_topology_parse(&test->network, "full:4", &error));
  g_assert_true(tg_shape_init(&test->shape, &test->bound.schedule.computes, 240, 1, 1, NULL));
  g_assert_true(tg_machine_parse(&test->machine, machine, strlen(machine), &error));
  test->options = (TgCostOptions){.overlap = true, .straggler = -1, .element_bytes = 4};
}

/* With a latency of 10 s P pieces take (2+P)(10+240/P), and of the P that are tried 8 takes least, 10 * 40. A tree
 * takes 2 * 250, scatter and allgather 2*10+120+60 + 3*(10+60). */
static void test_one_block(void) {
  CostCase test;
  TgCost cost;
  TgCostCollective collectives[TG_MAX_STATEMENTS];
  set_one_block(&test, "latency_s = 10\n");
  must_predict(&test, &test.shape, &test.machine, &test.options, &cost);
  g_assert_cmpfloat_with_epsilon(cost.time_s, 400, 1e-9);
  g_assert_cmpint(tg_cost_collectives(&cost, &test.bound.names, collectives), ==, 1);
  g_assert_cmpint(collectives[0].algorithm, ==, TG_COLLECTIVE_CHAIN);
  g_assert_cmpint(collectives[0].pieces, ==, 8);
  g_assert_cmpstr(collectives[0].op, ==, "broadcast");
  g_assert_cmpstr(collectives[0].buffer, ==, "A");
  g_assert_cmpint(cost.collectives_left, ==, 0);
  g_autofree char *said = tg_cost_collectives_text(&cost, &test.bound.names);
  g_assert_cmpstr(said, ==, "chain in 8 pieces");
  tg_cost_clear(&cost);
  g_assert_cmpfloat_with_epsilon(time_of(&test, &test.bound.schedule, TG_COLLECTIVE_BINOMIAL, false), 500, 1e-9);
  g_assert_cmpfloat_with_epsilon(time_of(&test, &test.bound.schedule, TG_COLLECTIVE_SCATTER_ALLGATHER, false),
                                 (10 + 120) + (10 + 60) + 3 * (10 + 60), 1e-9);
}

/* Messages of 100 bytes or more have a latency of 1000 s instead. 10 pieces of 24 words are below that: 12 (10 + 24).
 * From fewer or more pieces, twice and half as many do not lead there. */
static void test_protocols(void) {
  CostCase test;
  TgCost cost;
  set_one_block(&test, "latency_s = 10\nprotocols = 100:1000:4\n");
  must_predict(&test, &test.shape, &test.machine, &test.options, &cost);
  g_autofree char *said = tg_cost_collectives_text(&cost, &test.bound.names);
  g_assert_cmpstr(said, ==, "chain in 10 pieces");
  g_assert_cmpfloat_with_epsilon(cost.time_s, 408, 1e-9);
  tg_cost_clear(&cost);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/collective-choice/random", test_random);
  g_test_add_func("/collective-choice/summa", test_summa);
  g_test_add_func("/collective-choice/long-rings", test_long_rings);
  g_test_add_func("/collective-choice/alike-chains", test_alike_chains);
  g_test_add_func("/collective-choice/one-block", test_one_block);
  g_test_add_func("/collective-choice/protocols", test_protocols);
  return g_test_run();
}
