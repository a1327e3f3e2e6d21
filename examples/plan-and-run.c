/* Measures this machine, plans a product of two n x n matrices for four processors on it, runs the plan's first place,
 * and compares the time with its prediction: plan-and-run [N] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <topogemm/topogemm.h>

static const char *const names[] = {"cannon", "summa", "ring"};
enum { SCHEDULES = 3 };

static int fail(const char *what, const char *why) {
  return fprintf(stderr, "plan-and-run: %s: %s\n", what, why), 2;
}

/* What the CPU's processors and links can do: least squares over a few runs. */
static bool measure(TgMachine *machine, GError **error) {
  TgCalibrationPlan plan = {.kind = &tg_executor_cpu, .rows = 2, .columns = 2, .sizes = 4, .budget_s = 0.02};
  for (int i = 0; i < plan.sizes; i++) plan.size[i] = 32 << i;
  g_autoptr(TgCalibration) calibration = tg_calibration_new(&plan, error);
  if (calibration) *machine = calibration->machine;
  return calibration;
}

/* Runs the schedule and prints how far off the prediction was. */
static bool compare(TgProblem *problem, int64_t n, const TgMachine *machine, GError **error) {
  g_autoptr(TgMatrix) a = tg_matrix_new(TG_F32, n, n, 0, error), b = tg_matrix_new(TG_F32, n, n, 0, error);
  g_autoptr(TgMatrix) c = tg_matrix_new(TG_F32, n, n, 0, error);
  if (!a || !b || !c || !tg_problem_set_sizes(problem, n, n, n, TG_F32, error)) return false;
  tg_matrix_fill_uniform(a, 1);
  tg_matrix_fill_uniform(b, 2);
  g_auto(TgRunResult) run = {0};
  g_auto(TgComparison) comparison = {0};
  const TgRunOptions options = {.trials = 5, .warmup = 1};
  g_autoptr(TgExecutor) executor = tg_problem_open(problem, &tg_executor_cpu, NULL, error);
  if (!executor || !tg_compare(executor, &options, machine, a->data, b->data, c->data, &run, &comparison, error))
    return false;
  printf("predicted %.3g s, measured %.3g s, error %+.0f %%; %s\n", comparison.expected.time_s, run.time.median_s,
         100 * comparison.total_error, run.check.text);
  return run.check.ok;
}

int main(int argc, char **argv) {
  const int64_t n = argc > 1 ? atoll(argv[1]) : 512;
  TgProblem *problem[SCHEDULES];
  TgPlanSource source[SCHEDULES];
  TgError place;
  GError *error = NULL;
  for (int i = 0; i < SCHEDULES; i++) {
    problem[i] = tg_problem_from_library(names[i], &place);
    if (!problem[i]) return fail(names[i], place.message);
    source[i] = (TgPlanSource){tg_problem_schedule(problem[i]), tg_problem_names(problem[i]), names[i], true};
  }
  TgMachine machine, planned;
  g_auto(TgPlan) plan = {0};
  if (!measure(&machine, &error)) return fail("measuring", error->message);
  planned = machine;
  planned.port.ports = TG_PORTS_ONE; /* plans know no receivers that fetch */
  TgPlanRequest request = {.m = n, .n = n, .k = n, .element_bytes = 4, .processors = 4, .top = 3, .budget_s = 1};
  request.machine = &planned;
  request.network_kind = TG_FULL; /* each processor reaches each other one directly */
  request.memory_bytes = INFINITY;
  if (!tg_plan(&request, source, SCHEDULES, &plan, &error)) return fail("planning", error->message);
  for (guint p = 0; p < plan.ranked->len; p++) {
    const TgPlanPlace *best = &g_array_index(plan.ranked, TgPlanPlace, p);
    printf("place %u: %s on %s, %.3g s\n", p + 1, best->source->name, best->grid, best->predicted_s);
  }
  const TgPlanPlace *first = &g_array_index(plan.ranked, TgPlanPlace, 0);
  TgProblem *chosen = problem[first->source - source];
  if (!tg_problem_bind(chosen, first->grid, NULL, &place)) return fail(first->source->name, place.message);
  if (!compare(chosen, n, &machine, &error)) return fail(first->source->name, error ? error->message : "wrong");
  for (int i = 0; i < SCHEDULES; i++) tg_problem_free(problem[i]);
  return 0;
}
