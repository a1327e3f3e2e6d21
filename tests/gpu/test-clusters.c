/* Executor `clusters`. Its streams are executed on the CPU (clusters-machine.h); with a GPU, every schedule that it
 * takes must give what the stepper gives. */
#include "executor-case.h"
#include "clusters-machine.h"
#include "gpu-case.h"

static const char *const grids[] = {"1",   "2",   "3",   "5",   "8",   "16",    "1x1",   "2x2",   "3x3",   "4x4",
                                    "2x3", "3x2", "4x2", "2x8", "5x3", "1x1x1", "2x2x2", "2x2x4", "4x4x1", "3x1x2"};

/* --- streams on the CPU ------------------------------------------------------------------------------------------- */

static void expect_product(const ClusterMachine *machine, const double *c) {
  const TgClusterPlan *plan = machine->plan;
  const int32_t k = machine->panels * plan->inner;
  for (int32_t i = 0; i < plan->rows; i++) {
    for (int32_t j = 0; j < plan->columns; j++) {
      double sum = 0;
      for (int32_t t = 0; t < k; t++) sum += machine->left[i * k + t] * machine->right[t * plan->columns + j];
      g_assert_cmpfloat(c[i * plan->columns + j], ==, sum);
    }
  }
}

static double *integers(GRand *random, int64_t count) {
  double *numbers = g_new(double, (gsize)count);
  for (int64_t i = 0; i < count; i++) numbers[i] = g_rand_int_range(random, -9, 10);
  return numbers;
}

static void run_on_machine(const TgClusterPlan *plan, GRand *random, int32_t panels) {
  const int32_t k = panels * plan->inner;
  g_autofree double *left = integers(random, plan->rows * k), *right = integers(random, k * plan->columns);
  g_autofree double *c = g_new0(double, (gsize)(plan->rows * plan->columns));
  ClusterMachine machine = {.plan = plan, .random = random, .left = left, .right = right, .panels = panels};
  run_streams(&machine, c);
  expect_product(&machine, c);
}

static bool is_refused(const GError *error) {
  return g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE) ||
         g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT);
}

static int try_streams(const ScheduleCase *which, guint32 number, const char *grid) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_autoptr(GRand) random = g_rand_new_with_seed(number);
  if (!bind(test, which->entry, grid) || tg_schedule_processors(&test->schedule) > TG_CLUSTER_MOST) return 0;
  TgExecutorOptions options = {.collective = (TgCollective)(number % TG_COLLECTIVES)};
  for (int kind = 0; kind < 4; kind++) {
    GError *error = NULL;
    options.transport = kind % 2 ? TG_TRANSPORT_LOAD : TG_TRANSPORT_COPY;
    g_autoptr(TgClusterPlan) most =
        tg_cluster_plan_new(&test->schedule, &test->names, &options, TG_CLUSTER_SLOTS, MACHINE_WARPS, &error);
    if (!most) {
      g_assert_true(is_refused(error));
      g_test_message("%s on %s: %s", which->entry->name, grid, error->message);
      g_clear_error(&error);
      return 0;
    }
    const int32_t live = most->live;
    const int32_t slots = kind < 2 ? live : g_rand_int_range(random, live, MIN(live + 6, TG_CLUSTER_SLOTS) + 1);
    g_autoptr(TgClusterPlan) plan =
        tg_cluster_plan_new(&test->schedule, &test->names, &options, slots, MACHINE_WARPS, &error);
    g_assert_no_error(error);
    for (int32_t panels = 1; panels < 2 * plan->unit + 3; panels += g_rand_int_range(random, 1, 4))
      run_on_machine(plan, random, panels);
    run_on_machine(most, random, 3);
    if (kind % 2) g_assert_cmpint(plan->sends, ==, 0);
  }
  return 1;
}

static void test_schedule(gconstpointer data) {
  const ScheduleCase *which = data;
  int ran = 0;
  for (guint32 g = 0; g < G_N_ELEMENTS(grids); g++) ran += try_streams(which, g, grids[g]);
  g_test_message("%s: %d grids", which->entry->name, ran);
}

/* --- on the device ------------------------------------------------------------------------------------------------ */

static const int64_t sizes[][3] = {{1, 1, 1},       {7, 9, 5},      {127, 129, 67},
                                   {300, 200, 150}, {520, 260, 30}, {1000, 37, 513}};
enum { VARIANTS_MOST = 2 };
static const char left_out[] = "too long under a tool that slows kernels down, or more than a cluster has room for";

static bool clusters_or_skip(void) {
  TgDevice device;
  if (!gpu_or_skip(&device)) return false;
  if (device.capability >= 90) return true;
  g_test_skip("the GPU has no thread-block clusters");
  return false;
}

/** Under a tool, by the schedule's local products over all processors, of one panel. */
static bool is_too_long(const StepCase *test) {
  const TgExecutorOptions options = {.transport = TG_TRANSPORT_LOAD}; /* needs the fewest slots */
  gint64 products = 0;
  g_autoptr(TgClusterPlan) plan =
      tg_cluster_plan_new(&test->schedule, &test->names, &options, TG_CLUSTER_SLOTS, MACHINE_WARPS, NULL);
  for (int p = 0; plan && p < plan->processors; p++) products += plan->processor[p].products;
  if (!has_too_many_products(products)) return false;
  g_test_message("left out: %s on %d processors, which has %d products", tg_name(&test->names, test->names.title),
                 plan->processors, (int)products);
  return true;
}

static int try_device(const ScheduleCase *which, guint32 number, const char *grid, int *bound) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  if (!bind(test, which->entry, grid) || tg_schedule_processors(&test->schedule) > TG_CLUSTER_MOST) return 0;
  if (is_too_long(test) || is_passed_over((*bound)++)) return 0;
  int ran = 0;
  test->options.collective = (TgCollective)(number % TG_COLLECTIVES);
  for (guint32 kind = 0; kind < 4; kind++) {
    if (is_kind_passed_over(number, kind)) continue;
    step(test, size_at(sizes, G_N_ELEMENTS(sizes), number + kind), kind % 2 ? TG_F64 : TG_F32, number);
    TgExecutorOptions options = options_of(test);
    options.transport = kind / 2 ? TG_TRANSPORT_LOAD : TG_TRANSPORT_COPY;
    options.no_times = (number + kind) % 3 == 0;
    options.variant = (int32_t)((number + kind) % (VARIANTS_MOST + 1));
    ran += check_executor(&tg_executor_clusters, test, &options, true);
  }
  step_case_clear(test);
  return ran;
}

static void test_device(gconstpointer data) {
  const ScheduleCase *which = data;
  int ran = 0, bound = 0;
  if (!clusters_or_skip()) return;
  for (guint32 g = 0; g < G_N_ELEMENTS(grids); g++) ran += try_device(which, g, grids[g], &bound);
  g_test_message("%s: %d runs", which->entry->name, ran);
  if (!ran && is_slowed()) g_test_skip(left_out);
}

/** Every variant, with edges that no tile divides, copied and loaded, with several instances and panels. Each is a case
 * of its own: under racecheck each takes minutes. */
typedef struct VariantCase {
  const char *name, *grid;
  int32_t variant;
  TgTransport transport;
  int number; /* of the schedule */
} VariantCase;

static bool try_variant(const VariantCase *tested, const int64_t *size, TgElement element) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, tested->name, tested->grid, size, element);
  TgExecutorOptions options = options_of(test);
  options.variant = tested->variant;
  options.transport = tested->transport;
  options.no_times = tested->transport == TG_TRANSPORT_LOAD;
  const bool ran = !is_too_long(test) && check_executor(&tg_executor_clusters, test, &options, true);
  step_case_clear(test);
  return ran;
}

static void test_variant(gconstpointer data) {
  static const int64_t odd[][3] = {{1000, 37, 513}, {129, 127, 129}, {700, 1100, 300}};
  const VariantCase *tested = data;
  int ran = 0;
  if (!clusters_or_skip()) return;
  for (int element = 0; element < TG_ELEMENTS; element++) {
    if (is_passed_over(element + tested->number)) continue; /* both types are among those that are left */
    for (size_t s = 0; s < G_N_ELEMENTS(odd); s++)
      if (!is_left_out(odd[s])) ran += try_variant(tested, odd[s], (TgElement)element);
  }
  if (!ran) g_test_skip(left_out);
}

static void add_variants(const char *name, const char *grid, int number) {
  for (int32_t variant = 1; variant <= VARIANTS_MOST; variant++) {
    for (int load = 0; load < 2; load++) {
      const TgTransport transport = load ? TG_TRANSPORT_LOAD : TG_TRANSPORT_COPY;
      VariantCase *tested = g_new(VariantCase, 1);
      *tested = (VariantCase){name, grid, variant, transport, number};
      g_autofree char *path =
          g_strdup_printf("/clusters/device/variants/%s-%s/%d-%s", name, grid, variant, tg_transport_name(transport));
      g_test_add_data_func_full(path, tested, test_variant, g_free);
    }
  }
}

/** The order of sums is the plan's: every run gives the very same bits, however the producers are delayed. */
static void test_stress(gconstpointer data) {
  const char *const *run = data; /* name and grid */
  static const int64_t large[] = {600, 300, 400};
  if (!clusters_or_skip()) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, run[0], run[1], is_slowed() ? sizes[2] : large, TG_F32);
  TgExecutorOptions options = options_of(test);
  options.delay_ns = 5000;
  options.delay_seed = 3;
  if (is_too_long(test))
    g_test_skip(left_out);
  else
    check_stress(&tg_executor_clusters, test, &options);
  step_case_clear(test);
}

static void test_times(void) {
  if (!clusters_or_skip()) return;
  if (is_slowed()) {
    g_test_skip("the times would be those of a tool that slows kernels down");
    return;
  }
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  double seconds, steps_s = 0;
  begin(test, "cannon", "2x2", (const int64_t[]){1024, 1024, 1024}, TG_F32);
  const TgExecutorOptions options = options_of(test);
  g_autoptr(TgExecutor) executor =
      tg_executor_open(&tg_executor_clusters, &test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_null(tg_executor_steps(executor));
  g_assert_true(tg_executor_load(executor, test->data[TG_MATRIX_A], test->data[TG_MATRIX_B], &error));
  g_assert_true(tg_executor_run(executor, &seconds, &error));
  const TgExecutorFacts *facts = tg_executor_facts(executor);
  const TgExecutorStep *steps = tg_executor_steps(executor);
  g_assert_cmpint(facts->steps, ==, 3);
  g_assert_cmpint(facts->instances, ==, 16);
  g_assert_cmpint(facts->panels, ==, 8);
  g_assert_cmpint(facts->passes, <=, 8); /* fewer where the last round is divided over k */
  g_assert_cmpint(steps[0].runs, ==, 0); /* the alignment is folded into the loads */
  g_assert_true(isnan(steps[0].busy_s));
  for (int s = 1; s < 3; s++) {
    g_assert_cmpint(steps[s].runs, ==, facts->passes);
    g_assert_cmpfloat(steps[s].busy_s, >, 0);
    g_assert_cmpfloat(steps[s].end_s, >, steps[s].begin_s);
    steps_s += steps[s].busy_s + steps[s].waited_s;
  }
  g_assert_cmpfloat(steps_s, >, 0.3 * seconds);
  g_assert_cmpfloat(steps_s, <, 1.2 * seconds);
  tg_executor_take_times(executor, false); /* the same C, and the times of the run before stay */
  const double busy_s = steps[1].busy_s;
  g_assert_true(tg_executor_run(executor, &seconds, &error));
  g_assert_cmpfloat(steps[1].busy_s, ==, busy_s);
  step_case_clear(test);
}

static void test_deadline(void) {
  if (!clusters_or_skip()) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "2x2", (const int64_t[]){256, 256, 256}, TG_F32);
  check_deadline(&tg_executor_clusters, test, 3, "waited more than 0.05 s ");
  step_case_clear(test);
}

/* The first clusters wait; those that begin later do not, or this would take as long for each wave of them. */
static void test_deadline_of_many(void) {
  if (!clusters_or_skip()) return;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  begin(test, "cannon", "2x2", (const int64_t[]){8192, 8192, 128}, TG_F32);
  const gint64 begin_us = g_get_monotonic_time();
  check_deadline(&tg_executor_clusters, test, 3, "waited more than 0.05 s ");
  const double taken_s = (double)(g_get_monotonic_time() - begin_us) * 1e-6;
  g_test_message("after %.3f s", taken_s);
  g_assert_cmpfloat(taken_s, <, 1.5); /* one wave and the rest; each of 70 waves would take 0.05 s */
  step_case_clear(test);
}

static void test_refusals(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  if (!clusters_or_skip()) return;
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "5x5", ""));
  TgExecutorOptions options = {.m = 100, .n = 100, .k = 100};
  expect_refused_by(&tg_executor_clusters, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE,
                    "25 processors, but a cluster has at most 16 blocks");
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "2x2", ""));
  options.memory_limit_bytes = 10000;
  expect_refused_by(&tg_executor_clusters, test, &options, TG_EXECUTOR_ERROR_TOO_LARGE, "the limit is 10000 bytes");
  options.memory_limit_bytes = 0;
  options.variant = 100;
  expect_refused_by(&tg_executor_clusters, test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "no variant 100");
  options.variant = 0;
  options.transport = TG_TRANSPORT_PULL;
  expect_refused_by(&tg_executor_clusters, test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "transport");
  options.transport = TG_TRANSPORT_COPY;
  g_assert_true(step_case_bind(test, step_case_library("transpose"), "2x2", ""));
  expect_refused_by(&tg_executor_clusters, test, &options, TG_EXECUTOR_ERROR_BAD_INPUT, "the schedule has none");
}

static void test_no_device(void) {
  check_no_device(&tg_executor_clusters, sizes[2]);
}

static void test_wrong_schedule(void) {
  static const char text[] = "schedule wrong\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nC += A * B\n";
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  g_assert_true(step_case_bind(test, text, "2x2", ""));
  const TgExecutorOptions options = {.m = 4, .n = 4, .k = 4};
  g_assert_null(tg_cluster_plan_new(&test->schedule, &test->names, &options, 6, 8, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE);
  g_clear_error(&error);
}

/** What the plan of a shift on a torus is: the alignment loaded, every block shifted once less than it is multiplied.
 */
static void test_shifts(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "4x4", ""));
  const TgExecutorOptions options = {.m = 4, .n = 4, .k = 4};
  g_autoptr(TgClusterPlan) plan = tg_cluster_plan_new(&test->schedule, &test->names, &options, 7, 8, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->loads, ==, 32);
  g_assert_cmpint(plan->sends, ==, 2 * 3 * 16);
  g_assert_cmpint(plan->sums, ==, 1);
  g_assert_cmpint(plan->live, ==, 3);
  g_assert_null(tg_cluster_plan_new(&test->schedule, &test->names, &options, 2, 8, &error));
  g_assert_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE);
  g_assert_nonnull(strstr(error->message, "holds 3 blocks of A and B at once, but has room for 2"));
  g_clear_error(&error);
}

int main(int argc, char **argv) {
  static const char *const tested[][2] = {{"cannon", "2x2"}, {"cannon", "4x4"}, {"dns", "2x2x2"},      {"summa", "2x2"},
                                          {"fox", "3x3"},    {"ring", "4"},     {"cannon25d", "2x2x2"}};
  static const char *const stressed[][2] = {
      {"cannon", "4x4"}, {"dns", "2x2x2"}, {"summa", "4x4"}, {"cannon25d", "2x2x2"}};
  g_test_init(&argc, &argv, NULL);
  const ScheduleTests tests = {"clusters", "streams", test_schedule, test_device};
  add_schedules(&tests);
  g_test_add_func("/clusters/plan/shifts", test_shifts);
  g_test_add_func("/clusters/wrong-schedule", test_wrong_schedule);
  g_test_add_func("/clusters/no-device", test_no_device);
  g_test_add_func("/clusters/device/refusals", test_refusals);
  for (size_t number = 0; number < G_N_ELEMENTS(tested); number++)
    add_variants(tested[number][0], tested[number][1], (int)number);
  g_test_add_func("/clusters/device/times", test_times);
  g_test_add_func("/clusters/device/deadline", test_deadline);
  g_test_add_func("/clusters/device/deadline-of-many", test_deadline_of_many);
  for (size_t number = 0; number < G_N_ELEMENTS(stressed); number++) {
    g_autofree char *path = g_strdup_printf("/clusters/device/stress/%s-%s", stressed[number][0], stressed[number][1]);
    g_test_add_data_func(path, stressed[number], test_stress);
  }
  return g_test_run();
}
