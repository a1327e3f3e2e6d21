/* How fast predictions are: `bench-cost [OUT.json]` prints a table, one line per prediction, and writes it with the
 * spread of the trials.
 *
 * The machine is commodity-cluster, the network the grid's torus, a block 32×32 of f32, collectives are `auto`, so that
 * the time includes that of choosing them. Messages are those of the prediction that was chosen. Seconds are CPU time,
 * which other work changes least; the table shows the median. */
#include "algo-library.h"
#include "cost.h"
#include "machine-library.h"
#include "results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCK = 32, TRIALS = 5 };
static const double enough_s = 3;

typedef struct BenchRow {
  const char *model, *algo, *grid;
  double skew_s;
} BenchRow;

static const BenchRow rows[] = {
    {"hockney", "cannon", "256x256", 0},
    {"hockney", "cannon", "256x256", 1e-5},
    {"hockney", "summa", "256x256", 0},
    {"hockney", "fox", "256x256", 0},
    {"loggp", "cannon", "256x256", 0},
    {"loggp", "cannon", "256x256", 1e-5},
    {"loggp", "summa", "256x256", 0},
    {"loggp", "fox", "256x256", 0},
    {"store-and-forward", "cannon", "256x256", 0},
    {"store-and-forward", "cannon", "256x256", 1e-5},
    {"store-and-forward", "summa", "256x256", 0},
    {"store-and-forward", "fox", "256x256", 0},
    {"flow", "cannon", "64x64", 0},
    {"flow", "cannon", "64x64", 1e-5},
    {"flow", "summa", "64x64", 0},
    {"flow", "fox", "64x64", 0},
    {"hockney", "cannon", "1024x1024", 0},
    {"hockney", "cannon", "1024x1024", 1e-5},
};

typedef struct BenchResult {
  int64_t processors, messages;
  double predicted_s;
  TgMeasurement cpu;
} BenchResult;

static double cpu_now_s(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

typedef struct BenchProblem {
  TgSchedule schedule;
  TgScheduleNames names;
  TgShape shape;
  TgTopology network;
  TgMachine machine;
  TgCostOptions options;
} BenchProblem;

static bool open_problem(BenchProblem *problem, const BenchRow *row, TgError *error) {
  const TgLibraryEntry *entry = tg_library_find(row->algo);
  const TgMachineEntry *machine = tg_machine_library_find("commodity-cluster");
  TgBindings bindings = {0};
  GError *failure = NULL;
  const TgSchedule *schedule = &problem->schedule;
  problem->options =
      (TgCostOptions){.overlap = true, .straggler = -1, .element_bytes = 4, .seed = 1, .skew_s = row->skew_s};
  if (!entry) return tg_error_set(error, 0, 0, "no algorithm %s", row->algo);
  if (!tg_cost_model_parse(row->model, &problem->options.model, error) ||
      !tg_machine_parse(&problem->machine, machine->text, machine->length, error) ||
      !tg_schedule_parse(&problem->schedule, &problem->names, entry->text, entry->length, error) ||
      !tg_bindings_grid(&bindings, row->grid, error) ||
      !tg_schedule_bind(&problem->schedule, &problem->names, &bindings, error) ||
      !tg_topology_init(&problem->network, TG_TORUS, schedule->dims, schedule->extent, error))
    return false;
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  if (tg_shape_init(&problem->shape, &schedule->computes, (int64_t)BLOCK * c[0], (int64_t)BLOCK * c[1],
                    (int64_t)BLOCK * schedule->inner, &failure))
    return true;
  tg_error_set(error, 0, 0, "%s", failure->message);
  g_error_free(failure);
  return false;
}

static bool run_problem(BenchProblem *problem, BenchResult *result, TgError *error) {
  double seconds[TRIALS], spent_s = 0;
  int trials = 0;
  result->processors = tg_schedule_processors(&problem->schedule);
  while (trials < TRIALS && spent_s < enough_s) {
    TgCost cost;
    GError *failure = NULL;
    const double before_s = cpu_now_s();
    if (!tg_cost_predict(&problem->schedule, &problem->names, &problem->shape, &problem->network, TG_ROWMAJOR,
                         &problem->machine, &problem->options, &cost, &failure)) {
      tg_error_set(error, 0, 0, "%s", failure->message);
      g_error_free(failure);
      return false;
    }
    spent_s += seconds[trials++] = cpu_now_s() - before_s;
    result->messages = cost.messages;
    result->predicted_s = cost.time_s;
    tg_cost_clear(&cost);
  }
  result->cpu = tg_measurement_of(seconds, trials, 0);
  return true;
}

/* The peak is that of all rows so far. */
static double peak_rss_mib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

static void print_row(const BenchRow *row, const BenchResult *result) {
  printf("%-18s %-8s %-10s %8g %11" PRId64 " %12" PRId64 " %9.4f %14.4g %9.1f\n", row->model, row->algo, row->grid,
         row->skew_s, result->processors, result->messages, result->cpu.median_s,
         (double)result->messages / result->cpu.median_s, peak_rss_mib());
}

static void write_row(TgJson *json, const BenchRow *row, const BenchResult *result) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "model", row->model);
  tg_json_member_string(json, "algorithm", row->algo);
  tg_json_member_string(json, "grid", row->grid);
  tg_json_member_double(json, "skew_s", row->skew_s);
  tg_json_member_integer(json, "processors", result->processors);
  tg_json_member_integer(json, "messages", result->messages);
  tg_json_member_double(json, "predicted_s", result->predicted_s);
  tg_results_write_measured(json, &result->cpu);
  tg_json_end_object(json);
}

static bool run_row(TgJson *json, const BenchRow *row) {
  TgError error = {0};
  BenchResult result;
  g_autofree BenchProblem *problem = g_new0(BenchProblem, 1);
  if (!open_problem(problem, row, &error) || !run_problem(problem, &result, &error)) {
    fprintf(stderr, "bench-cost: %s %s %s: %s\n", row->model, row->algo, row->grid, error.message);
    return false;
  }
  print_row(row, &result);
  write_row(json, row, &result);
  return true;
}

static bool save(TgJson *json, const char *path) {
  size_t length;
  const char *text = tg_json_text(json, &length);
  g_autoptr(GError) error = NULL;
  if (g_file_set_contents(path, text, (gssize)length, &error)) return true;
  fprintf(stderr, "bench-cost: %s\n", error->message);
  return false;
}

int main(int argc, char **argv) {
  bool fine = true;
  TgEnvironment environment;
  g_autoptr(TgJson) json = tg_json_new();
  tg_environment_begin(&environment, NULL, NULL);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_environment_write(json, &environment);
  tg_environment_clear(&environment);
  tg_json_member_array(json, "results", TG_JSON_LINES);
  printf("%-18s %-8s %-10s %8s %11s %12s %9s %14s %9s\n", "model", "algo", "grid", "skew s", "processors", "messages",
         "cpu s", "messages/s", "peak MiB");
  for (gsize r = 0; r < G_N_ELEMENTS(rows) && fine; r++) fine = run_row(json, &rows[r]);
  tg_json_end_array(json);
  tg_json_end_object(json);
  return !fine || (argc > 1 && !save(json, argv[1]));
}
