/* Calibrations of executors whose times are known: the machine's numbers are these again. And of the executor cpu,
 * whose times are not. */
#include "executors-cpu.h"
#include "expected-run.h"

#include "../step-case.h"
#include "fake-calibration.h"

/* --- executors that tile nothing -----------------------------------------------------------------------------------*/

static void moves_apart(void) {
  for (int turns = 0; turns < 2; turns++) {
    reset((TgExecutorTraits){.fetches = true});
    fake.at_once = turns;
    fake_kind.on_gpu = turns == 0;
    fake.additions_per_s = 3e9;
    g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
    const TgMachine *machine = &found->machine;
    g_assert_false(found->tiled || found->hidden || found->no_links);
    g_assert_cmpint(found->samples->len, ==, turns ? 35 : 8);
    if (turns) expect_near(machine->processor.additions_per_s, 3e9);
    if (!turns) g_assert_true(machine->processor.additions_per_s == 0);
    expect_link(machine);
    g_assert_cmpint(machine->processor.rate.rows, ==, 4);
    for (int r = 0; r < 4; r++) expect_near(machine->processor.rate.row[r].flops_per_s, 1e10);
    g_assert_true(machine->processor.rate.row[3].size == 96);
    expect_near(machine->executor.launch_s, 7e-6);
    g_assert_true(machine->executor.round_s == 0 && machine->executor.pass_s == 0);
    g_assert_cmpint(machine->port.ports, ==, TG_PORTS_FETCH);
    g_assert_cmpfloat(machine->residual, <, 1e-3);
    g_assert_true(machine->executor.processors == 16);
  }
}

/* Two hosts of two places each: links within and between them, and what all of a host get of the latter together. */
static void hosts_have_links_of_their_own(void) {
  static const int32_t hosts[] = {0, 0, 2, 2};
  reset((TgExecutorTraits){.fetches = true, .messages = true});
  fake_kind.on_gpu = false;
  fake.at_once = 4;
  fake.additions_per_s = 3e9;
  fake.host = hosts;
  fake.host_latency_s = 3e-5;
  fake.host_bytes_per_s = 1e9;
  for (int grid = 2; grid <= 4; grid += 2) {
    g_autoptr(TgCalibration) found = calibrate(grid, grid, TG_TRANSPORT_COPY);
    const TgMachine *machine = &found->machine;
    expect_link(machine);
    g_assert_cmpint(found->hosts, ==, 2);
    g_assert_cmpstr(machine->network, ==, grid == 2 ? "switch:2*switch:2" : "switch:8*switch:2");
    expect_near(machine->level[1].latency_s, 3e-5);
    expect_near(machine->level[1].bandwidth_bytes_per_s, 1e9);
    g_assert_cmpfloat(machine->residual, <, 1e-3);
    g_autofree char *text = tg_machine_text(machine);
    g_assert_nonnull(strstr(text, "\n[level.1]\nlatency_s = 3e-05\nbandwidth_bytes_per_s = 1000000000\n"));
  }
  fake.pulls = true;
  g_autoptr(TgCalibration) pulled = calibrate(2, 2, TG_TRANSPORT_PULL);
  expect_near(pulled->machine.level[1].latency_s, 3e-5);
  expect_near(pulled->machine.level[1].bandwidth_bytes_per_s, 1e9);
  fake.host_latency_s = fake.latency_s = -1e-7; /* on a busy machine */
  fake.host_bytes_per_s = fake.bandwidth_bytes_per_s = INFINITY;
  g_autoptr(TgCalibration) noisy = calibrate(2, 2, TG_TRANSPORT_PULL);
  g_assert_true(noisy->hosts == 0 && noisy->machine.level[1].given == 0 && !*noisy->machine.network);
}

/* Ranks that take turns among the hosts, hosts of several sizes; all ranks on one host, one rank on each. */
static void hosts_are_not_always_told_apart(void) {
  static const int32_t in_turn[] = {0, 1, 0, 1}, uneven[] = {0, 1, 1, 1}, one[] = {0, 0}, each[] = {0, 1};
  static const struct {
    const int32_t *host;
    int32_t places;
    bool mixed;
  } jobs[] = {{in_turn, 4, true}, {uneven, 4, true}, {one, 2, false}, {each, 2, false}};
  for (gsize j = 0; j < G_N_ELEMENTS(jobs); j++) {
    reset((TgExecutorTraits){.fetches = true, .messages = true});
    fake_kind.on_gpu = false;
    fake.at_once = jobs[j].places;
    fake.host = jobs[j].host;
    fake.additions_per_s = 3e9;
    g_autoptr(TgCalibration) found = calibrate(jobs[j].places / 2, 2, TG_TRANSPORT_COPY);
    expect_link(&found->machine);
    g_assert_true(found->hosts == 0 && found->machine.level[1].given == 0 && !*found->machine.network);
    g_assert_true(found->mixed == jobs[j].mixed);
  }
}

/* The steps' times are means, but a run ends with its last processor: its products and moves take so much longer, and
 * the launch takes no part of that. */
static void runs_end_with_the_last(void) {
  reset_on_cpu(1);
  fake.last = 1.25;
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const TgMachine *machine = &found->machine;
  expect_near(machine->executor.launch_s, 7e-6);
  expect_near(machine->link.latency_s, 1.25 * fake.latency_s);
  expect_near(machine->link.bandwidth_bytes_per_s, fake.bandwidth_bytes_per_s / 1.25);
  expect_near(machine->processor.additions_per_s, 3e9 / 1.25);
  for (int r = 0; r < 4; r++) expect_near(machine->processor.rate.row[r].flops_per_s, 1e10 / 1.25);
  g_assert_cmpfloat(machine->residual, <, 1e-3);
}

/* A product takes half as long, or twice as long, as when the machine was calibrated. */
static void drift_is_seen(void) {
  const double times[] = {0.5, 1, 2};
  const TgExecutorOptions options = {.element = TG_F32, .transport = TG_TRANSPORT_COPY};
  reset_on_cpu(2);
  g_autoptr(TgCalibration) found = calibrate(2, 2, TG_TRANSPORT_COPY);
  fake.launch_s = 0; /* and it is no part of the drift */
  found->machine.executor.launch_s = 0;
  for (int i = 0; i < 3; i++) {
    fake.flops_per_s = 1e10 / times[i];
    const TgDrift drift = tg_calibration_drift(&found->machine, &fake_kind, &options);
    expect_near(drift.products, times[i]);
    expect_near(drift.moves, 1);
  }
  fake_kind.on_gpu = true;
  g_assert_true(isnan(tg_calibration_drift(&found->machine, &fake_kind, &options).products));
}

/* Moves take a third of their time, or three times as long. What lies within the machine's error is no drift; between
 * hosts nothing is known. */
static void drift_of_moves_is_seen(void) {
  const double times[] = {1.0 / 3, 1.05, 3}, seen[] = {1.0 / 3, 1, 3};
  const TgExecutorOptions options = {.element = TG_F32, .transport = TG_TRANSPORT_COPY};
  const int32_t hosts[] = {0, 1};
  reset_on_cpu(2);
  g_autoptr(TgCalibration) found = calibrate(2, 2, TG_TRANSPORT_COPY);
  const double latency_s = fake.latency_s, bytes_per_s = fake.bandwidth_bytes_per_s;
  found->machine.residual = 0.1;
  for (int i = 0; i < 3; i++) {
    fake.latency_s = latency_s * times[i];
    fake.bandwidth_bytes_per_s = bytes_per_s / times[i];
    const TgDrift drift = tg_calibration_drift(&found->machine, &fake_kind, &options);
    expect_near(drift.products, 1);
    expect_near(drift.moves, seen[i]);
    TgMachine now = found->machine;
    tg_calibration_apply_drift(&now, drift);
    expect_near(tg_link_s(&now.link, 1e4), seen[i] * tg_link_s(&found->machine.link, 1e4));
  }
  fake.host = hosts;
  expect_near(tg_calibration_drift(&found->machine, &fake_kind, &options).moves, 1);
}

/* Of a job with half as many ranks products are faster, as the calibration says: the machine has not changed. */
static void fewer_ranks_are_no_drift(void) {
  const TgExecutorOptions options = {.element = TG_F32, .transport = TG_TRANSPORT_COPY};
  reset_on_cpu(4);
  fake.fewer = 1.5;
  fake.launch_s = 0;
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  fake.at_once = 2;
  fake.fewer = 0;
  fake.flops_per_s *= 1.5;
  expect_near(tg_calibration_drift(&found->machine, &fake_kind, &options).products, 1);
}

/* Moves that take no time of their own are what products with them take longer. */
static void moves_in_products(void) {
  reset((TgExecutorTraits){.fetches = true});
  fake.pulls = true;
  g_autoptr(TgCalibration) found = calibrate(2, 3, TG_TRANSPORT_PULL);
  expect_link(&found->machine);
  fake.latency_s = 0;
  fake.bandwidth_bytes_per_s = INFINITY;
  g_autoptr(TgCalibration) free_moves = calibrate(2, 3, TG_TRANSPORT_PULL);
  g_assert_true(free_moves->no_links && free_moves->machine.link.latency_s == 0);
  g_assert_true(isinf(free_moves->machine.link.bandwidth_bytes_per_s));
  fake.latency_s = -1e-7; /* on a busy machine products may take less time with moves than without */
  g_autoptr(TgCalibration) noisy = calibrate(2, 3, TG_TRANSPORT_PULL);
  for (guint s = 0; s < noisy->samples->len; s++) {
    const TgCalibrationSample *sample = &g_array_index(noisy->samples, TgCalibrationSample, s);
    g_assert_true(isnan(sample->move_s));
    g_assert_true(sample->probe.hops == 0 || sample->left_out);
  }
}

static void one_column_has_no_links(void) {
  reset((TgExecutorTraits){.fetches = true});
  g_autoptr(TgCalibration) found = calibrate(4, 1, TG_TRANSPORT_COPY);
  g_assert_true(found->no_links && found->machine.link.latency_s == 0);
  g_assert_cmpint(found->samples->len, ==, 4);
}

/* A fifth of the budget warms up, but never more than 0.2 s: a large one is for trials, of which there are at most 500.
 */
static void a_large_budget_warms_up_no_longer(void) {
  static const struct {
    double budget_s;
    int64_t warmup;
    int32_t trials;
  } runs[] = {{1e-6, 1, 3}, {0.5, 10, 49}, {1e9, 20, 500}};
  const TgProbe probe = {.rows = 1, .columns = 1, .products = 1, .m = 1, .n = 1, .k = 1};
  const TgExecutorOptions options = {.element = TG_F32};
  for (gsize r = 0; r < G_N_ELEMENTS(runs); r++) {
    TgProbeTimes times;
    GError *error = NULL;
    reset((TgExecutorTraits){.fetches = true});
    fake.launch_s = 0.01;
    fake.fails_at = 1000;
    g_assert_true(tg_probe_run(&fake_kind, &options, &probe, runs[r].budget_s, &times, &error));
    g_assert_no_error(error);
    g_assert_cmpint(times.trials, ==, runs[r].trials);
    g_assert_cmpint(fake.runs, ==, runs[r].warmup + runs[r].trials);
  }
}

/* --- executors that tile -------------------------------------------------------------------------------------------*/

static void reset_tiles(TgExecutorTraits traits) {
  reset(traits);
  fake.depth[0] = 32;
  fake.depth[1] = 8;
  fake.tile = 64;
  fake.resident = 6;
  fake.round_s = 3e-6;
  fake.pass_s = 1e-7;
}

static void expect_rest(const TgMachine *machine) {
  expect_near(machine->executor.launch_s, 7e-6);
  expect_near(machine->executor.round_s, 3e-6);
  expect_near(machine->executor.pass_s, 1e-7);
}

/* Moves make the time from some number of hops on; two variants have blocks of two sizes. */
static void moves_beside_products(void) {
  reset_tiles((TgExecutorTraits){.overlaps = true, .folds = true});
  fake.bandwidth_bytes_per_s = 2e8;
  g_autoptr(TgCalibration) found = calibrate(2, 2, TG_TRANSPORT_COPY);
  g_assert_true(found->tiled && !found->hidden && !found->no_links);
  expect_link(&found->machine);
  expect_rest(&found->machine);
  g_assert_cmpint(found->machine.processor.rate.rows, ==, 2);
  expect_near(found->machine.processor.rate.row[0].size, cbrt(64 * 64 * 8));
  expect_near(found->machine.processor.rate.row[1].size, cbrt(64 * 64 * 32));
  g_assert_cmpint(found->machine.port.ports, ==, TG_PORTS_ONE);
}

/* Moves of 0.1 us are never seen behind products of 26 us and 6.6 us: 31 of them take no longer than two products.
 */
static void moves_that_always_hide(void) {
  reset_tiles((TgExecutorTraits){.overlaps = true, .folds = true});
  fake.latency_s = 1e-7;
  fake.depth[0] = 8;
  fake.depth[1] = 32;
  fake.bandwidth_bytes_per_s = INFINITY;
  g_autoptr(TgCalibration) found = calibrate(2, 2, TG_TRANSPORT_COPY);
  g_assert_true(found->hidden);
  expect_near(found->machine.link.latency_s, 2 * 2 * 64 * 64 * 32 / 1e10 / 31);
  g_autoptr(TgCalibration) loads = calibrate(2, 2, TG_TRANSPORT_LOAD);
  g_assert_true(loads->no_links && !loads->hidden && loads->machine.link.latency_s == 0);
}

/* One size of blocks: latency and bandwidth cannot be told apart. */
static void one_form_has_one_size(void) {
  reset_tiles((TgExecutorTraits){.fetches = true});
  fake.depth[1] = 0;
  g_autoptr(TgCalibration) found = calibrate(2, 2, TG_TRANSPORT_COPY);
  expect_near(found->machine.link.latency_s, 2e-6 + 64 * 32 * 4 / 5e9);
  g_assert_true(isinf(found->machine.link.bandwidth_bytes_per_s));
  expect_rest(&found->machine);
}

/* --- what goes wrong -----------------------------------------------------------------------------------------------*/

static void refused_sizes_are_left_out(void) {
  reset((TgExecutorTraits){.fetches = true});
  TgCalibrationPlan plan = plan_of(2, 2, TG_TRANSPORT_COPY);
  fake.most = 256; /* k is 4 times the size where all multiply: 96 is refused; and twice where blocks move */
  g_autoptr(TgCalibration) found = calibrate(2, 2, TG_TRANSPORT_COPY);
  int left_out = 0;
  for (guint s = 0; s < found->samples->len; s++) {
    const TgCalibrationSample *sample = &g_array_index(found->samples, TgCalibrationSample, s);
    left_out += sample->left_out && strstr(sample->left_out, "k is more than 256");
  }
  g_assert_cmpint(left_out, ==, 1);
  expect_link(&found->machine);
  g_assert_cmpint(found->machine.processor.rate.rows, ==, 3);
  fake.most = 64;
  plan.size[0] = 17;
  plan.size[1] = 24;
  plan.size[2] = 48;
  plan.size[3] = 160;
  GError *error = NULL;
  g_assert_null(tg_calibration_new(&plan, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE); /* 4 times 17 is more than 64 */
  g_clear_error(&error);
}

static void too_few_samples_are_refused(void) {
  reset((TgExecutorTraits){.fetches = true});
  const TgCalibrationPlan all = plan_of(2, 2, TG_TRANSPORT_COPY);
  TgCalibrationPlan plan = all;
  GError *error = NULL;
  fake.most = 256;
  const int64_t sizes[] = {32, 64, 160, 192};
  memcpy(plan.size, sizes, sizeof sizes);
  g_assert_null(tg_calibration_new(&plan, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE);
  g_assert_true(g_str_has_prefix(error->message, "only 2 samples of moves, but the fit needs 3: use smaller sizes; "));
  g_assert_nonnull(strstr(error->message, "k is more than 256"));
  g_clear_error(&error);
}

static void a_device_that_fails_ends_it(void) {
  reset((TgExecutorTraits){.fetches = true});
  const TgCalibrationPlan plan = plan_of(2, 2, TG_TRANSPORT_COPY);
  GError *error = NULL;
  fake.fails_at = 9;
  g_assert_null(tg_calibration_new(&plan, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED);
  g_assert_cmpstr(error->message, ==, "the device is lost");
  g_clear_error(&error);
}

/* --- and back ------------------------------------------------------------------------------------------------------*/

/* What was calibrated predicts another schedule, at another size, as that executor runs it. */
static void expect_prediction(int64_t n) {
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  g_autofree StepCase *test = g_new0(StepCase, 1);
  const TgExecutorOptions options = {.m = n, .n = n, .k = n, .element = TG_F32};
  TgExpectedRun expected;
  GError *error = NULL;
  double seconds;
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "4x4", ""));
  g_autoptr(TgExecutor) executor = tg_executor_open(&fake_kind, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_true(tg_expected_run(&test->schedule, &test->names, tg_executor_facts(executor), &options, &fake_kind.traits,
                                &found->machine, &expected, &error));
  g_assert_true(tg_executor_load(executor, &fake, &fake, &error));
  g_assert_true(tg_executor_run(executor, &seconds, &error));
  g_test_message("%g s predicted, %g s taken", expected.time_s, seconds);
  expect_near(expected.time_s, seconds);
  tg_expected_clear(&expected);
}

static void predictions_are_right(void) {
  reset((TgExecutorTraits){.fetches = true});
  expect_prediction(160);
  reset_tiles((TgExecutorTraits){.fetches = true});
  fake.depth[1] = 0;
  expect_prediction(1600);
}

/* Whatever noise is in the samples, the file that comes of them can be read: of what is fitted more than once, the last
 * fit counts. */
static void noise_is_readable(void) {
  reset_on_cpu(1);
  const TgCalibrationPlan plan = plan_of(4, 4, TG_TRANSPORT_COPY);
  g_autoptr(TgCalibration) found = calibrate(4, 4, TG_TRANSPORT_COPY);
  const gsize bytes = found->samples->len * sizeof(TgCalibrationSample);
  g_autofree TgCalibrationSample *measured = g_memdup2(found->samples->data, bytes);
  for (int noise = 0; noise < 500; noise++) {
    TgMachine read;
    TgError wrong;
    memcpy(found->samples->data, measured, bytes);
    for (guint s = 0; s < found->samples->len; s++) {
      TgCalibrationSample *sample = &g_array_index(found->samples, TgCalibrationSample, s);
      const double factor = exp(g_test_rand_double_range(-1, 1));
      sample->product_s *= factor;
      sample->move_s *= exp(g_test_rand_double_range(-1, 1));
      sample->times.time_s *= factor;
      sample->times.multiply_s *= factor;
    }
    g_assert_true(tg_calibration_fit(found, &plan, NULL));
    g_autofree char *text = tg_machine_text(&found->machine);
    if (!tg_machine_parse(&read, text, strlen(text), &wrong)) g_error("%d: %s\n%s", wrong.line, wrong.message, text);
  }
}

/* --- for real ------------------------------------------------------------------------------------------------------*/

/* The schedules pass their proof, and the file that comes of them is one. */
static void the_cpu_is_calibrated(void) {
  static const int32_t grids[][2] = {{1, 1}, {1, 5}, {2, 3}, {3, 4}, {2, 6}};
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++) {
    reset((TgExecutorTraits){.fetches = true});
    TgCalibrationPlan plan = plan_of(grids[g][0], grids[g][1], TG_TRANSPORT_COPY);
    plan.kind = &tg_executor_cpu;
    GError *error = NULL;
    TgError wrong;
    TgMachine read;
    g_autoptr(TgCalibration) found = tg_calibration_new(&plan, &error);
    g_assert_no_error(error);
    g_autofree char *text = tg_machine_text(&found->machine);
    if (!tg_machine_parse(&read, text, strlen(text), &wrong)) g_error("%d: %s\n%s", wrong.line, wrong.message, text);
    g_assert_cmpmem(&read, sizeof read, &found->machine, sizeof found->machine);
    for (guint s = 0; s < found->samples->len; s++)
      g_assert_cmpfloat(g_array_index(found->samples, TgCalibrationSample, s).times.time_s, >, 0);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/calibration/moves-apart", moves_apart);
  g_test_add_func("/calibration/hosts", hosts_have_links_of_their_own);
  g_test_add_func("/calibration/hosts-alike", hosts_are_not_always_told_apart);
  g_test_add_func("/calibration/last", runs_end_with_the_last);
  g_test_add_func("/calibration/drift", drift_is_seen);
  g_test_add_func("/calibration/drift-of-fewer", fewer_ranks_are_no_drift);
  g_test_add_func("/calibration/drift-of-moves", drift_of_moves_is_seen);
  g_test_add_func("/calibration/noise", noise_is_readable);
  g_test_add_func("/calibration/moves-in-products", moves_in_products);
  g_test_add_func("/calibration/large-budget", a_large_budget_warms_up_no_longer);
  g_test_add_func("/calibration/one-column", one_column_has_no_links);
  g_test_add_func("/calibration/beside", moves_beside_products);
  g_test_add_func("/calibration/hidden", moves_that_always_hide);
  g_test_add_func("/calibration/one-size", one_form_has_one_size);
  g_test_add_func("/calibration/left-out", refused_sizes_are_left_out);
  g_test_add_func("/calibration/too-few", too_few_samples_are_refused);
  g_test_add_func("/calibration/failed", a_device_that_fails_ends_it);
  g_test_add_func("/calibration/predicts", predictions_are_right);
  g_test_add_func("/calibration/cpu", the_cpu_is_calibrated);
  return g_test_run();
}
