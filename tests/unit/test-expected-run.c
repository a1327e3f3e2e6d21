/* What a run should take: steps added up by hand on machines of round numbers, moves that cost nothing, and what the
 * planner of the executor clusters really sends. */
#include "blocks-planner.h"
#include "clusters-planner.h"
#include "executor-kind.h"
#include "expected-run.h"
#include "probe.h"
#include "threads-compiler.h"
#include "threads-program.h"

#include "../step-case.h"

/* A product of 2x2 by 2x2 takes 16 s, a message of 16 bytes 1 + 16/4 = 5 s. */
static TgMachine machine_of(TgPorts ports) {
  return (TgMachine){.link = {.latency_s = 1, .bandwidth_bytes_per_s = 4},
                     .port = {.ports = ports},
                     .processor = {.flops_per_s = 1, .memory_bytes = INFINITY},
                     .executor = {.given = 1, .launch_s = 1000, .round_s = 100, .pass_s = 10}};
}

static TgExpectedRun expect(const char *name, const char *grid, int64_t n, const TgExecutorTraits *traits,
                            TgTransport transport, TgPorts ports, const TgExecutorFacts *tiling) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  const TgMachine machine = machine_of(ports);
  TgExpectedRun expected;
  TgError unused;
  GError *error = NULL;
  g_assert_true(step_case_bind(test, step_case_library(name), grid, ""));
  TgExecutorFacts facts =
      tiling ? *tiling : (TgExecutorFacts){.instances = 1, .resident = 1, .panels = 1, .rounds = 1, .passes = 1};
  facts.steps = tg_walk_count_steps(&test->schedule, &test->names, &unused);
  for (int i = 0; i < 3; i++) facts.instance[i] = n;
  const TgExecutorOptions options = {.element = TG_F32, .transport = transport};
  g_assert_true(tg_expected_run(&test->schedule, &test->names, &facts, &options, traits, &machine, &expected, &error));
  g_assert_no_error(error);
  return expected;
}

static void expect_steps(TgExpectedRun expected, const double *step_s, int64_t steps) {
  g_assert_cmpint(expected.steps, ==, steps);
  for (int64_t s = 0; s < steps; s++) g_assert_cmpfloat_with_epsilon(expected.step_s[s], step_s[s], 1e-9);
  tg_expected_clear(&expected);
}

/* --- steps ---------------------------------------------------------------------------------------------------------*/

/* Cannon on 2x2: of A and of B two blocks move to align them, four in the shift. */
static void processors_that_take_turns_add_up(void) {
  static const TgExecutorTraits traits = {.fetches = true};
  static const TgExecutorFacts facts = {
      .at_once = 1, .instances = 1, .resident = 1, .panels = 1, .rounds = 1, .passes = 1};
  TgExpectedRun expected = expect("cannon", "2x2", 4, &traits, TG_TRANSPORT_COPY, TG_PORTS_FETCH, &facts);
  g_assert_cmpfloat_with_epsilon(expected.pass_s, 4 * 5 + 2 * 4 * 16 + 8 * 5, 1e-9);
  g_assert_cmpfloat_with_epsilon(expected.time_s, expected.pass_s + 1110, 1e-9);
  expect_steps(expected, (const double[]){4 * 5, 4 * 16 + 8 * 5, 4 * 16}, 3);
}

/* The run's own list of instructions on `at_once` cores; a product takes 16 s, a copy 5 s, an addition 4/2 = 2 s.
 */
static TgExpectedRun expect_plan_on(const TgMachine *machine, const char *name, const char *grid, int64_t at_once) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  const TgBlocksLayout layout = {.pad = 1, .align = 1, .late_reuse = 1};
  const TgExecutorOptions options = {.m = 4, .n = 4, .k = 4, .element = TG_F32};
  const TgExecutorTraits traits = {.fetches = true};
  TgExpectedRun expected;
  GError *error = NULL;
  g_assert_true(step_case_bind(test, step_case_library(name), grid, ""));
  g_autoptr(TgBlocksPlan) plan = tg_blocks_plan_new(&test->schedule, &test->names, &options, &layout, &error);
  g_assert_no_error(error);
  const TgExecutorFacts facts = {.processors = plan->processors,
                                 .at_once = at_once,
                                 .plan = plan,
                                 .steps = plan->steps,
                                 .instance = {4, 4, 4},
                                 .rounds = 1,
                                 .passes = 1};
  g_assert_true(tg_expected_run(&test->schedule, &test->names, &facts, &options, &traits, machine, &expected, &error));
  g_assert_no_error(error);
  return expected;
}

static TgExpectedRun expect_plan(const char *name, const char *grid, int64_t at_once) {
  TgMachine machine = machine_of(TG_PORTS_FETCH);
  machine.processor.additions_per_s = 2;
  return expect_plan_on(&machine, name, grid, at_once);
}

/* Of Cannon on 2x2, processors 0 and 1 receive one block to align them, 2 and 3 three. Before the first product of
 * each, its sum is filled with zeros, 5 s as a copy; what dns adds to is copied first. */
static void a_plan_is_followed(void) {
  TgExpectedRun alone = expect_plan("cannon", "2x2", 1), pairs = expect_plan("cannon", "2x2", 2);
  TgExpectedRun all = expect_plan("cannon", "2x2", 4), cube = expect_plan("dns", "2x2x2", 1);
  g_assert_cmpfloat_with_epsilon(alone.pass_s, 4 * 5 + 2 * 4 * 16 + 8 * 5 + 4 * 5, 1e-9);
  g_assert_cmpfloat_with_epsilon(pairs.pass_s, 15 + 62 + 32, 1e-9);
  g_assert_cmpfloat_with_epsilon(all.pass_s, 10 + 31 + 16, 1e-9);
  g_assert_cmpfloat_with_epsilon(all.time_s, all.pass_s + 1110, 1e-9);
  expect_steps(alone, (const double[]){4 * 5, 4 * 16 + 8 * 5 + 4 * 5, 4 * 16}, 3);
  expect_steps(pairs, (const double[]){(5 + 15) / 2.0, 62, 32}, 3);
  expect_steps(all, (const double[]){(0 + 5 + 5 + 10) / 4.0, 31, 16}, 3);
  expect_steps(cube, (const double[]){4 * 5, 8 * 5, 8 * 16 + 8 * 5, 4 * 2 + 4 * 5}, 4);
}

/* On one of two cores products and additions take half as long, copies as long as on both. */
static void fewer_cores_are_faster(void) {
  TgMachine machine = machine_of(TG_PORTS_FETCH);
  machine.processor.additions_per_s = 2;
  machine.executor.at_once = 2;
  machine.executor.speedup_with_fewer = (TgMachineFewer){.rows = 1, .row = {{1, 2}}};
  TgExpectedRun one = expect_plan_on(&machine, "dns", "2x2x2", 1), two = expect_plan_on(&machine, "dns", "2x2x2", 2);
  expect_steps(one, (const double[]){4 * 5, 8 * 5, 8 * 8 + 8 * 5, 4 * 1 + 4 * 5}, 4);
  expect_steps(two, (const double[]){10, 20, 4 * 16 + 4 * 5, 2 * 2 + 2 * 5}, 4);
}

/* On two cores a block of the same core takes 2 + 16/8 = 4 s, and so does one of the other core: reading it is a tenth
 * of the 5 s of the link, which is less. What the other core reads, column 1 of B as it was aligned, is taken back when
 * it is written in the next run, 9/10 of 5 s. With a cache of 8 bytes all that is used again after 16 others takes 1 s
 * a byte more: on one core, whose processors use 3 blocks of 16 bytes at a time, that is everything. Between two runs'
 * uses of a block of A it reads and writes 768 bytes, but in no more than 384 of memory: a cache of twice as much holds
 * all. */
static void copies_and_misses_count(void) {
  TgMachine machine = machine_of(TG_PORTS_FETCH);
  machine.processor.copy_s = 2;
  machine.processor.copy_bytes_per_s = 8;
  TgExpectedRun near = expect_plan_on(&machine, "cannon", "2x2", 2);
  g_assert_cmpfloat_with_epsilon(near.step_s[0], (4 + 4 + 4 + 4) / 2.0 + 4.5, 1e-9);
  g_assert_cmpfloat_with_epsilon(near.step_s[1], 2 * 4 + 2 * 16 + 2 * 4 + 4 + 4, 1e-9);
  tg_expected_clear(&near);
  machine.processor.cache_bytes = 64;
  machine.processor.miss_bytes_per_s = 1;
  g_assert_cmpfloat_with_epsilon(tg_machine_miss_s(&machine, 32, 10), 0, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_miss_s(&machine, 64, 10), 5, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_miss_s(&machine, 1000, 10), 10, 1e-12);
  machine.processor.miss_most_bytes = 8;
  g_assert_cmpfloat_with_epsilon(tg_machine_miss_s(&machine, 64, 10), 4, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_miss_s(&machine, 1000, 7), 7, 1e-12);
  machine.processor.miss_most_bytes = 0;
  machine.processor.cache_bytes = 8;
  TgExpectedRun far = expect_plan_on(&machine, "cannon", "2x2", 1);
  g_assert_cmpfloat_with_epsilon(far.step_s[2], 4 * 16 + 4 * 2 * 16, 1e-9);
  tg_expected_clear(&far);
  machine.processor.cache_bytes = 768;
  TgExpectedRun held = expect_plan_on(&machine, "cannon", "2x2", 1);
  g_assert_cmpfloat_with_epsilon(held.step_s[0], 4 * 4, 1e-9);
  tg_expected_clear(&held);
}

static void processors_together_take_the_mean(void) {
  static const TgExecutorTraits traits = {.fetches = true};
  TgExpectedRun expected = expect("cannon", "2x2", 4, &traits, TG_TRANSPORT_COPY, TG_PORTS_FETCH, NULL);
  g_assert_cmpfloat_with_epsilon(expected.pass_s, 10 + 16 + 10 + 16, 1e-9);
  /* To align, one fetches A, one A and then B, one B from there, after that A. The next step begins at 0, 5, 10 and 10,
     its products have ended at 26, and all have two blocks more at 36. */
  expect_steps(expected, (const double[]){(5 + 10 + 10) / 3., 36 - (0 + 5 + 10 + 10) / 4., 16}, 3);
}

/* DNS lifts two blocks of A and two of B to three of eight processors. Six get something in the broadcasts: 5, 5 and 10
 * in the lower plane, 20, 10 and 10 with waiting in the upper. Sums go to the four of the lower plane, which have
 * waited 20, 10, 10 and 0 for them. */
static void steps_are_of_those_that_take_part(void) {
  static const TgExecutorTraits traits = {.fetches = true};
  TgExpectedRun expected = expect("dns", "2x2x2", 4, &traits, TG_TRANSPORT_COPY, TG_PORTS_FETCH, NULL);
  expect_steps(expected, (const double[]){(5 + 5 + 10) / 3., (5 + 5 + 10 + 20 + 10 + 10) / 6., 16, 5 + 40 / 4.}, 4);
}

/* All of the moves of a shift, 10 s, lie beside the product before it; the alignment is loads. */
static void moves_hide_behind_products(void) {
  static const TgExecutorTraits traits = {.overlaps = true, .folds = true};
  TgExpectedRun expected = expect("cannon", "2x2", 4, &traits, TG_TRANSPORT_COPY, TG_PORTS_ONE, NULL);
  g_assert_cmpint(expected.cost.messages, ==, 8);
  expect_steps(expected, (const double[]){0, 16, 16}, 3);
  /* Blocks of one element: a product takes 2 s, a message 1 + 1. */
  expected = expect("cannon", "2x2", 2, &traits, TG_TRANSPORT_COPY, TG_PORTS_ONE, NULL);
  expect_steps(expected, (const double[]){0, 4, 2}, 3);
  expected = expect("cannon", "2x2", 2, &traits, TG_TRANSPORT_LOAD, TG_PORTS_ONE, NULL);
  g_assert_cmpint(expected.cost.messages, ==, 0);
  expect_steps(expected, (const double[]){0, 2, 2}, 3);
}

/* SUMMA on 2x2, where a product takes 2 s and a message 2 s. In the first step (0, 0) has both blocks, two fetch one,
 * and (1, 1) fetches two: 0, 2, 2 and 4. In the second (0, 0) takes until 8, from 0 on, two from 2 to 6, and (1, 1)
 * nothing. What a step takes is a mean over all four, since all multiply. */
static void moves_are_beside_the_products_of_all(void) {
  static const TgExecutorTraits traits = {.overlaps = true, .fetches = true, .folds = true};
  TgExpectedRun expected = expect("summa", "2x2", 2, &traits, TG_TRANSPORT_COPY, TG_PORTS_FETCH, NULL);
  g_assert_cmpfloat_with_epsilon(expected.pass_s, 2 + 4, 1e-9);
  expect_steps(expected, (const double[]){(0 + 2 + 2 + 4) / 4., (8 + 4 + 4 + 0) / 4.}, 2);
}

/* A receiver that fetches: all of a row get the owner's block at once. One port: the owner sends one after another. */
static void fetching_holds_up_no_sender(void) {
  static const TgExecutorTraits fetches = {.fetches = true}, sends = {0};
  TgExpectedRun at_once = expect("summa", "4x4", 8, &fetches, TG_TRANSPORT_COPY, TG_PORTS_FETCH, NULL);
  TgExpectedRun in_turn = expect("summa", "4x4", 8, &sends, TG_TRANSPORT_COPY, TG_PORTS_ONE, NULL);
  g_assert_cmpint(at_once.cost.messages, ==, in_turn.cost.messages);
  g_assert_cmpfloat_with_epsilon(at_once.cost.node_step[0].end_s, 5 * 0 + 16, 1e-9); /* (0, 0) has both blocks */
  g_assert_cmpfloat_with_epsilon(at_once.cost.node_step[15].end_s, 10 + 16, 1e-9);
  g_assert_cmpfloat_with_epsilon(in_turn.cost.node_step[0].end_s, 15 + 15 + 16, 1e-9);
  tg_expected_clear(&at_once);
  tg_expected_clear(&in_turn);
}

/* Instances that do not fit at once go in rounds; each is all panels long. */
static void passes_follow_one_another(void) {
  static const TgExecutorTraits traits = {0};
  TgExecutorFacts tiling = {.at_once = 1, .instances = 67, .resident = 33, .panels = 5};
  tg_executor_count_passes(&tiling);
  TgExpectedRun expected = expect("cannon", "1x1", 2, &traits, TG_TRANSPORT_COPY, TG_PORTS_FETCH, &tiling);
  g_assert_cmpint(expected.rounds, ==, 3);
  g_assert_cmpint(expected.passes, ==, 15);
  g_assert_cmpfloat_with_epsilon(expected.overhead_s, 1000 + 3 * 100 + 15 * 10, 1e-9);
  g_assert_cmpfloat_with_epsilon(expected.time_s, expected.overhead_s + 15 * 16, 1e-9);
  tg_expected_clear(&expected);
}

static void last_instances_may_be_divided(void) {
  static const TgExecutorTraits traits = {0};
  static const TgExecutorFacts tiling = {
      .at_once = 1, .instances = 67, .resident = 33, .panels = 5, .rounds = 4, .passes = 13};
  TgExpectedRun expected = expect("cannon", "1x1", 2, &traits, TG_TRANSPORT_COPY, TG_PORTS_FETCH, &tiling);
  g_assert_cmpint(expected.rounds, ==, 4);
  g_assert_cmpfloat_with_epsilon(expected.time_s, 1000 + 4 * 100 + 13 * 10 + 13 * 16, 1e-9);
  tg_expected_clear(&expected);
}

static void passes_are_counted(void) {
  TgExecutorFacts facts = {.instances = 66, .resident = 33, .panels = 4};
  tg_executor_count_passes(&facts);
  g_assert_cmpint(facts.rounds, ==, 2);
  g_assert_cmpint(facts.passes, ==, 8);
  facts.instances = 1;
  tg_executor_count_passes(&facts);
  g_assert_cmpint(facts.rounds, ==, 1);
}

static void steps_without_runs_go_to_the_next(void) {
  double step_s[] = {1, 2, 4, 8, 16, 32};
  tg_expected_fold_steps((const int64_t[]){0, 0, 3, 0, 1, 0}, 6, step_s);
  static const double folded[] = {0, 0, 7, 0, 56, 0};
  for (int s = 0; s < 6; s++) g_assert_true(step_s[s] == folded[s]);
  double none[] = {1, 2};
  tg_expected_fold_steps((const int64_t[]){0, 0}, 2, none);
  g_assert_true(none[0] == 1 && none[1] == 2);
  double all[] = {1, 2};
  tg_expected_fold_steps((const int64_t[]){1, 1}, 2, all);
  g_assert_true(all[0] == 1 && all[1] == 2);
}

/* --- what costs nothing in a pass ----------------------------------------------------------------------------------*/

/* Messages that a pass is said to have, and blocks that the executor's plan sends in one. */
static void expect_sends(const char *name, const char *grid) {
  static const TgExecutorTraits traits = {.overlaps = true, .folds = true};
  g_autofree StepCase *test = g_new0(StepCase, 1);
  TgExecutorOptions options = {.element = TG_F32};
  GError *error = NULL;
  g_assert_true(step_case_bind(test, step_case_library(name), grid, ""));
  for (int t = 0; t < 2; t++) {
    options.transport = t ? TG_TRANSPORT_LOAD : TG_TRANSPORT_COPY;
    g_autoptr(TgClusterPlan) plan =
        tg_cluster_plan_new(&test->schedule, &test->names, &options, TG_CLUSTER_SLOTS, 16, &error);
    g_assert_no_error(error);
    TgExpectedRun expected = expect(name, grid, 64, &traits, options.transport, TG_PORTS_ONE, NULL);
    g_test_message("%s on %s, %s: %d sent, %" G_GINT64_FORMAT " expected", name, grid,
                   tg_transport_name(options.transport), plan->sends, expected.cost.messages);
    g_assert_cmpint(plan->sends, ==, expected.cost.messages);
    tg_expected_clear(&expected);
  }
}

static void messages_are_those_that_clusters_send(void) {
  static const char *const cases[][2] = {
      {"cannon", "2x2"},   {"cannon", "4x4"},    {"summa", "2x2"},     {"summa", "4x4"},       {"fox", "2x2"},
      {"fox", "4x4"},      {"dns", "2x2x2"},     {"ring", "4"},        {"cannon25d", "2x2x2"}, {"agarwal3d", "2x2x2"},
      {"cube3d", "2x2x2"}, {"allgather", "4x4"}, {"berntsen", "2x2x2"}};
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) expect_sends(cases[c][0], cases[c][1]);
}

/* The schedules of a calibration fit the slots of a block, six of the larger variant, and send all that they say. */
static void probes_fit_clusters(void) {
  static const int32_t grids[][2] = {{2, 2}, {4, 4}, {4, 2}, {1, 4}, {2, 3}, {2, 8}};
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++)
    for (int32_t hops = 0; hops <= 32; hops++) {
      const int32_t p = grids[g][0], q = grids[g][1];
      const TgProbe probe = {.rows = p, .columns = q, .products = q, .hops = hops};
      if (hops && (q % 2 == 0) == (hops % 2 == 0)) continue; /* 2, 4 and 8 want odd numbers; 3 takes 2 and 4 */
      if (q == 3 && hops % 3 == 0) continue;
      g_autofree StepCase *test = g_new0(StepCase, 1);
      g_autofree char *text = tg_probe_text(&probe), *grid = g_strdup_printf("%dx%d", p, q);
      GError *error = NULL;
      g_assert_true(step_case_bind(test, text, grid, ""));
      const TgExecutorOptions options = {.element = TG_F32};
      g_autoptr(TgClusterPlan) plan = tg_cluster_plan_new(&test->schedule, &test->names, &options, 6, 16, &error);
      g_assert_no_error(error);
      g_test_message("%s, %d hops: %d slots, %d sent, %d panels, %d products", grid, hops, plan->live, plan->sends,
                     plan->unit, (int)plan->products);
      g_assert_cmpint(plan->sends, ==, p * q * tg_probe_moves(&probe));
      g_assert_cmpint(plan->products, <=, TG_CLUSTER_WORDS);
    }
}

/* And so are they for blocks: moves are copies, or, where blocks are read in place, nothing at all. */
static void probes_are_planned_for_blocks(void) {
  static const int32_t grids[][2] = {{16, 16}, {64, 8}, {1, 3}};
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++)
    for (int32_t hops = 0; hops <= 5; hops += hops ? 4 : 1) {
      const int32_t p = grids[g][0], q = grids[g][1];
      const TgProbe probe = {.rows = p, .columns = q, .products = hops ? q : 4, .hops = hops};
      g_autofree StepCase *test = g_new0(StepCase, 1);
      g_autofree char *text = tg_probe_text(&probe), *grid = g_strdup_printf("%dx%d", p, q);
      GError *error = NULL;
      g_assert_true(step_case_bind(test, text, grid, ""));
      for (int pull = 0; pull < 2; pull++) {
        const TgExecutorOptions options = {.m = 64 * p,
                                           .n = 8 * q,
                                           .k = 64 * probe.products,
                                           .element = TG_F32,
                                           .transport = pull ? TG_TRANSPORT_PULL : TG_TRANSPORT_COPY};
        const TgBlocksLayout layout = {.pad = 4, .align = 64, .panel = 128, .inner = 16};
        g_autoptr(TgBlocksPlan) plan = tg_blocks_plan_new(&test->schedule, &test->names, &options, &layout, &error);
        g_assert_no_error(error);
        int64_t copies = 0;
        for (int64_t i = 0; i < plan->instructions; i++) copies += plan->instruction[i].operation == TG_BLOCKS_COPY;
        g_test_message("%s, %d hops: %d instructions, %d waits, %d elements", grid, hops, (int)plan->instructions,
                       (int)plan->waits, (int)plan->elements);
        g_assert_cmpint(copies, ==, pull ? 0 : p * q * tg_probe_moves(&probe));
      }
    }
}

/* A block of 48 KiB of shared memory has room for them, an element a slot. */
static void probes_fit_threads(void) {
  static const int32_t sides[] = {2, 4, 8, 16};
  for (size_t g = 0; g < G_N_ELEMENTS(sides); g++)
    for (int32_t hops = 0; hops <= 7; hops += hops ? 2 : 1) {
      const TgProbe probe = {.rows = sides[g], .columns = sides[g], .products = hops ? sides[g] : 4, .hops = hops};
      g_autofree StepCase *test = g_new0(StepCase, 1);
      g_autofree char *text = tg_probe_text(&probe), *grid = g_strdup_printf("%dx%d", probe.rows, probe.columns);
      GError *error = NULL;
      g_assert_true(step_case_bind(test, text, grid, ""));
      const TgExecutorOptions options = {.element = TG_F32};
      g_autoptr(TgThreadsProgram) program = tg_threads_program_new(&test->schedule, &test->names, &options, &error);
      g_assert_no_error(error);
      g_test_message("%s, %d hops: %d elements, %d levels", grid, hops, (int)program->elements, (int)program->levels);
      g_assert_cmpint(program->elements * 4, <=, 48 << 10);
    }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/expected-run/takes-turns", processors_that_take_turns_add_up);
  g_test_add_func("/expected-run/plan", a_plan_is_followed);
  g_test_add_func("/expected-run/fewer-cores", fewer_cores_are_faster);
  g_test_add_func("/expected-run/copies-and-misses", copies_and_misses_count);
  g_test_add_func("/expected-run/together", processors_together_take_the_mean);
  g_test_add_func("/expected-run/part", steps_are_of_those_that_take_part);
  g_test_add_func("/expected-run/overlap", moves_hide_behind_products);
  g_test_add_func("/expected-run/beside", moves_are_beside_the_products_of_all);
  g_test_add_func("/expected-run/fetch", fetching_holds_up_no_sender);
  g_test_add_func("/expected-run/passes", passes_follow_one_another);
  g_test_add_func("/expected-run/divided", last_instances_may_be_divided);
  g_test_add_func("/expected-run/counted", passes_are_counted);
  g_test_add_func("/expected-run/fold-steps", steps_without_runs_go_to_the_next);
  g_test_add_func("/expected-run/clusters", messages_are_those_that_clusters_send);
  g_test_add_func("/expected-run/probes", probes_fit_clusters);
  g_test_add_func("/expected-run/probes-of-blocks", probes_are_planned_for_blocks);
  g_test_add_func("/expected-run/probes-of-threads", probes_fit_threads);
  return g_test_run();
}
