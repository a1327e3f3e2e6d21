/* Executor `clusters`. Its streams are executed on the CPU (clusters-machine.h); with a GPU, every schedule that it
 * takes must give what the stepper gives. */
#include "blocks-case.h"
#include "clusters-machine.h"
#include "gpu-case.h"

static const char *const grids[] = {"1",   "2",   "3",   "5",   "8",   "16",    "1x1",   "2x2",   "3x3",   "4x4",
                                    "2x3", "3x2", "4x2", "2x8", "5x3", "1x1x1", "2x2x2", "2x2x4", "4x4x1", "3x1x2"};

typedef struct Case {
  const TgLibraryEntry *entry;
  bool on_device;
} Case;

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

static int try_streams(const Case *which, guint32 number, const char *grid) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_autoptr(GRand) random = g_rand_new_with_seed(number);
  if (!bind(test, which->entry, grid) || tg_schedule_processors(&test->schedule) > TG_CLUSTER_MOST) return 0;
  TgExecutorOptions options = {.collective = (TgCollective)(number % TG_COLLECTIVES)};
  for (int kind = 0; kind < 4; kind++) {
    GError *error = NULL;
    int32_t live = 0;
    options.transport = kind % 2 ? TG_TRANSPORT_LOAD : TG_TRANSPORT_COPY;
    g_autoptr(TgClusterPlan) most =
        tg_cluster_plan_new(&test->schedule, &test->names, &options, TG_CLUSTER_SLOTS, MACHINE_WARPS, &live, &error);
    if (!most) {
      g_assert_true(is_refused(error));
      g_test_message("%s on %s: %s", which->entry->name, grid, error->message);
      g_clear_error(&error);
      return 0;
    }
    const int32_t slots = kind < 2 ? live : g_rand_int_range(random, live, MIN(live + 6, TG_CLUSTER_SLOTS) + 1);
    g_autoptr(TgClusterPlan) plan =
        tg_cluster_plan_new(&test->schedule, &test->names, &options, slots, MACHINE_WARPS, NULL, &error);
    g_assert_no_error(error);
    for (int32_t panels = 1; panels < 2 * plan->unit + 3; panels += g_rand_int_range(random, 1, 4))
      run_on_machine(plan, random, panels);
    run_on_machine(most, random, 3);
    if (kind % 2) g_assert_cmpint(plan->sends, ==, 0);
  }
  return 1;
}

static void test_schedule(gconstpointer data) {
  const Case *which = data;
  int ran = 0;
  for (guint32 g = 0; g < G_N_ELEMENTS(grids); g++) ran += try_streams(which, g, grids[g]);
  g_test_message("%s: %d grids", which->entry->name, ran);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  for (size_t s = 0; s < count + G_N_ELEMENTS(own_schedules) + G_N_ELEMENTS(more_schedules); s++) {
    Case *which = g_new0(Case, 1);
    which->entry = s < count                                 ? &entry[s]
                   : s < count + G_N_ELEMENTS(own_schedules) ? &own_schedules[s - count]
                                                             : &more_schedules[s - count - G_N_ELEMENTS(own_schedules)];
    g_autofree char *path = g_strdup_printf("/clusters/streams/%s", which->entry->name);
    g_test_add_data_func_full(path, which, test_schedule, g_free);
  }
  return g_test_run();
}
