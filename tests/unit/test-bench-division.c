/* bench division without a GPU: which divisions there are, what the rule expects and chooses, how a sweep is judged,
 * and what is said of it. */
#include "bench-case.h"
#include "division.h"

static const TgDevice card = {.name = "a card",
                              .capability = 90,
                              .processors = 132,
                              .clock_mhz = 1980,
                              .threads_per_processor = 2048,
                              .blocks_per_processor = 32,
                              .shared_per_processor_bytes = 233472,
                              .memory_bytes_per_s = 4.8e12};

static TgDivision division_of(const char *kernel, int32_t width, int32_t split) {
  return (TgDivision){tg_historic_find(kernel), width, split};
}

/* --- the rule ----------------------------------------------------------------------------------------------------- */

static guint count_of(const GArray *all, const char *kernel, int32_t width) {
  guint count = 0;
  for (guint i = 0; i < all->len; i++) {
    const TgDivision *one = &g_array_index(all, TgDivision, i);
    count += one->width == width && g_str_equal(one->kernel->name, kernel);
  }
  return count;
}

static void test_all(void) {
  g_autoptr(GArray) all = tg_division_all(TG_HISTORIC_F32, 64, 64, 64);
  g_assert_cmpuint(count_of(all, "oneil-cannon-tiles", 8), ==, 4);  /* 8 tiles: 1, 2, 4, 8 */
  g_assert_cmpuint(count_of(all, "oneil-cannon-tiles", 32), ==, 2); /* 2 tiles */
  g_assert_cmpuint(count_of(all, "oneil-dns-cube-tiles", 2), ==, 6);
  g_assert_cmpuint(count_of(all, "oneil-dns-planes-tiles", 16), ==, 4);
  g_assert_cmpuint(count_of(all, "oneil-cannon", 8), ==, 0);
  g_autoptr(GArray) odd = tg_division_all(TG_HISTORIC_I32, 1, 1, 40); /* 5 tiles: 1, 2, 3 (2 each), 5 */
  g_assert_cmpuint(count_of(odd, "oneil-cannon-tiles", 8), ==, 4);
}

static void test_cost(void) {
  const TgDivision eight = division_of("oneil-cannon-tiles", 8, 1), wide = division_of("oneil-cannon-tiles", 32, 1);
  TgDivisionCost cost, other;
  g_assert_true(tg_division_cost(&eight, &card, TG_HISTORIC_F32, 1024, 1024, 1024, &cost));
  g_assert_cmpint(cost.resident, ==, 32); /* blocks of 64 threads: 2048 threads, and 32 is the most */
  g_assert_cmpfloat(cost.occupancy, ==, 1);
  g_assert_cmpfloat(cost.waves, ==, 4); /* 16384 blocks, 4224 at once */
  g_assert_true(tg_division_cost(&wide, &card, TG_HISTORIC_F32, 1024, 1024, 1024, &other));
  g_assert_cmpint(other.resident, ==, 2);
  g_assert_cmpfloat(other.waves, ==, 4); /* 1024 blocks, 264 at once */
  g_assert_cmpfloat(other.bytes_s, <, cost.bytes_s / 3);
  g_assert_cmpfloat(cost.atomics_s, ==, 0);
  const TgDivision split = division_of("oneil-cannon-tiles", 8, 128);
  g_assert_true(tg_division_cost(&split, &card, TG_HISTORIC_F32, 1024, 1024, 1024, &other));
  g_assert_cmpfloat(other.atomics_s, >, 0);
  g_assert_cmpfloat(other.seconds, >, cost.seconds);
  g_assert_nonnull(other.limit);
  const TgDivision none = division_of("oneil-cannon-tiles", 9, 1);
  g_assert_false(tg_division_cost(&none, &card, TG_HISTORIC_F32, 64, 64, 64, &cost));
  const TgDevice unknown = {0};
  g_assert_false(tg_division_cost(&eight, &unknown, TG_HISTORIC_F32, 64, 64, 64, &cost));
}

/* Shared memory that is all taken by few blocks, and by none. */
static void test_shared(void) {
  const TgDivision cube = division_of("oneil-dns-cube-tiles", 8, 1);
  TgDevice small = card;
  TgDivisionCost cost;
  small.shared_per_processor_bytes = 8 << 10;
  g_assert_true(tg_division_cost(&cube, &small, TG_HISTORIC_F32, 64, 64, 64, &cost));
  g_assert_cmpint(cost.resident, ==, 2); /* 2560 bytes and 1024 each */
  small.shared_per_processor_bytes = 3 << 10;
  g_assert_false(tg_division_cost(&cube, &small, TG_HISTORIC_F32, 64, 64, 64, &cost));
}

/* Where a block has one round, what its sum waits for on one bank is most of its work. */
static void test_banks(void) {
  const TgDivision same = division_of("oneil-dns-cube-tiles", 8, 256);
  const TgDivision apart = division_of("oneil-dns-cube-tiles-banks", 8, 256);
  TgDivisionCost cost, other;
  g_assert_true(tg_division_cost(&same, &card, TG_HISTORIC_F32, 2048, 2048, 2048, &cost));
  g_assert_true(tg_division_cost(&apart, &card, TG_HISTORIC_F32, 2048, 2048, 2048, &other));
  g_assert_cmpint(cost.shape.rounds, ==, 1);
  g_assert_cmpfloat(cost.issue_s, >, 2 * other.issue_s);
}

/* A few blocks do not get quicker by multiprocessors that have none. */
static void test_busiest(void) {
  const TgDivision large = division_of("oneil-cannon-tiles", 32, 1);
  TgDevice few = card;
  TgDivisionCost cost, other;
  few.processors = 4;
  g_assert_true(tg_division_cost(&large, &card, TG_HISTORIC_F32, 64, 64, 64, &cost));
  g_assert_true(tg_division_cost(&large, &few, TG_HISTORIC_F32, 64, 64, 64, &other));
  g_assert_cmpfloat(cost.issue_s, ==, other.issue_s); /* four blocks, on 132 or on 4 */
  few.processors = 3;
  g_assert_true(tg_division_cost(&large, &few, TG_HISTORIC_F32, 64, 64, 64, &other));
  g_assert_cmpfloat(other.issue_s, ==, 2 * cost.issue_s);
  g_assert_cmpfloat(other.bytes_s, ==, 2 * cost.bytes_s);
}

static void test_choose(void) {
  TgDivision chosen;
  TgDivisionCost cost, other;
  g_autoptr(GArray) all = tg_division_all(TG_HISTORIC_F32, 512, 512, 512);
  g_assert_true(tg_division_choose(&card, TG_HISTORIC_F32, 512, 512, 512, &chosen, &cost));
  for (guint i = 0; i < all->len; i++)
    if (tg_division_cost(&g_array_index(all, TgDivision, i), &card, TG_HISTORIC_F32, 512, 512, 512, &other))
      g_assert_true(cost.seconds <= 1.05 * other.seconds &&
                    (chosen.split <= g_array_index(all, TgDivision, i).split || 1.05 * cost.seconds >= other.seconds));
  /* What little there is to do needs no additions: a block that takes all of k. */
  g_assert_true(tg_division_choose(&card, TG_HISTORIC_F32, 8, 8, 8, &chosen, &cost));
  g_assert_cmpint(chosen.split, ==, 1);
  /* With a long inner extent and one tile of C, one block would wait alone. */
  g_assert_true(tg_division_choose(&card, TG_HISTORIC_F32, 32, 32, 1 << 20, &chosen, &cost));
  g_assert_cmpint(chosen.split, >, 16);
}

/* --- a sweep ------------------------------------------------------------------------------------------------------ */

static void add(TgResults *results, const char *kernel, int32_t width, int32_t split, int64_t n, double us,
                bool right) {
  TgResult row = gpu_row(kernel, width, n, us * 1e-6);
  row.split = split;
  row.right = right;
  tg_results_add(results, &row);
}

static TgResults *swept(TgDivision *rule) {
  TgResults *results = results_on_card("division");
  TgDivisionCost cost;
  tg_division_choices_begin(results);
  g_assert_true(tg_division_choose(&card, TG_HISTORIC_F32, 64, 64, 64, rule, &cost));
  add(results, rule->kernel->name, rule->width, rule->split, 64, 6, true);
  add(results, "oneil-cannon-tiles", 8, 8, 64, 10, true);   /* the paper's */
  add(results, "oneil-dns-cube-tiles", 8, 8, 64, 12, true); /* the paper's, too */
  add(results, "oneil-cannon-tiles", 8, 1, 64, 8, true);    /* its width, not its split */
  add(results, "oneil-dns-cube-tiles", 4, 2, 64, 5, true);
  add(results, "oneil-dns-planes-tiles", 2, 4, 64, 40, true);
  add(results, "oneil-dns-planes-tiles", 2, 2, 64, 1, false); /* wrong: it does not count */
  add(results, "oneil-dns-planes-tiles", 2, 1, 128, 2, true); /* another size */
  const TgDivision cached = division_of("oneil-dns-planes-tiles", 2, 4);
  tg_division_judge(results, &card, TG_HISTORIC_F32, 64, &cached);
  return results;
}

static void test_judge(void) {
  TgDivision rule;
  g_autoptr(TgResults) results = swept(&rule);
  const TgDivisionChoice *choice = tg_division_choice(results, 0);
  g_assert_cmpfloat_with_epsilon(choice->best_s, 5e-6, 1e-12);
  g_assert_cmpstr(choice->best.kernel->name, ==, "oneil-dns-cube-tiles");
  g_assert_cmpint(choice->best.width, ==, 4);
  g_assert_cmpint(choice->best.split, ==, 2);
  g_assert_cmpfloat_with_epsilon(choice->rule_s, 6e-6, 1e-12);
  g_assert_true(choice->rule.kernel == rule.kernel && choice->rule.split == rule.split);
  g_assert_cmpfloat_with_epsilon(choice->paper_s, 10e-6, 1e-12);
  g_assert_cmpstr(choice->paper.kernel->name, ==, "oneil-cannon-tiles");
  g_assert_cmpfloat_with_epsilon(choice->worst_s, 40e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon(choice->cached_s, 40e-6, 1e-12);
  g_assert_cmpuint(choice->candidates, ==, 6);
  g_assert_cmpfloat(choice->rule_expected_s, >, 0);
}

static void test_words(void) {
  static const char *const parts[] = {
      "  n kernel width split blocks threads time of the best\n",
      " best oneil-dns-cube-tiles 4 2 512 64 5 us 1.00\n",
      " 6 us 1.20\n",
      " paper oneil-cannon-tiles 8 8 512 64 10 us 2.00\n",
      " kept oneil-dns-planes-tiles 2 4 8192 16 40 us 8.00\n",
      "In the geometric mean the rule's choice takes 1.20 times as long as the best, the paper's own 2.00\n",
  };
  static const char *const members[] = {
      "\"experiment\": \"division\"",
      "{\"n\": 64, \"divisions\": 6, \"worst_s\": ",
      "\"best\": {\"kernel\": \"oneil-dns-cube-tiles\", \"width\": 4, \"split\": 2, \"time_s\": ",
      "\"ratio_to_best\": 1}",
      "\"kept\": {\"kernel\": \"oneil-dns-planes-tiles\"",
  };
  static const char *const curves[] = {" 64 1.2\n", " 64 2\n", "title 'worst'"};
  TgDivision rule;
  g_autoptr(TgResults) results = swept(&rule);
  g_autofree char *text = page_of(tg_experiment_division.print, results);
  g_autoptr(TgJson) json = tg_experiment_document(&tg_experiment_division, results);
  g_autofree char *script = tg_experiment_division.plot(results, tg_plot_format("x.gp"));
  expect_parts(text, parts, G_N_ELEMENTS(parts));
  expect_parts(tg_json_text(json, NULL), members, G_N_ELEMENTS(members));
  expect_parts(script, curves, G_N_ELEMENTS(curves));
  g_assert_false(tg_experiment_right(&tg_experiment_division, results, NULL)); /* one row is wrong */
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/division/all", test_all);
  g_test_add_func("/bench/division/cost", test_cost);
  g_test_add_func("/bench/division/shared", test_shared);
  g_test_add_func("/bench/division/banks", test_banks);
  g_test_add_func("/bench/division/busiest", test_busiest);
  g_test_add_func("/bench/division/choose", test_choose);
  g_test_add_func("/bench/division/judge", test_judge);
  g_test_add_func("/bench/division/words", test_words);
  return g_test_run();
}
