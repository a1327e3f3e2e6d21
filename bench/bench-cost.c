/* How fast predictions are: one by its arguments, or a line of them, seconds against messages. Each prints a row of a
 * table, and the same numbers as a line of JSON.
 *
 *   bench-cost MODEL ALGO GRID SKEW_S         one prediction
 *   bench-cost line MODEL ALGO SKEW_S GRID…   one a grid, and the exponent e of seconds ~ messages^e
 *
 * The machine is commodity-cluster, the network the grid's torus, a block 32×32 of f32, collectives are `auto`. Seconds
 * are those of the best of several runs, of one where it takes long. What counts is the process's own time (cpu), which
 * other work on the machine changes least. */
#include "algo-library.h"
#include "cost.h"
#include "machine-library.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCK = 32, RUNS = 5 };
static const double enough_s = 1;

typedef struct BenchResult {
  int64_t processors, messages;
  double wall_s, cpu_s, time_s;
} BenchResult;

static double cpu_now_s(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The process's own peak: that of getrusage() begins with what the program that started it had. */
static double peak_rss_mib(void) {
  g_autofree char *status = NULL;
  struct rusage usage;
  const char *line = NULL;
  if (g_file_get_contents("/proc/self/status", &status, NULL, NULL)) line = strstr(status, "VmHWM:");
  if (line) return g_ascii_strtod(line + strlen("VmHWM:"), NULL) / 1024;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

typedef struct BenchProblem {
  TgSchedule schedule;
  TgScheduleNames names;
  TgShape shape;
  TgTopology network;
  TgMachine machine;
  TgCostOptions options;
} BenchProblem;

static bool open_problem(BenchProblem *problem, const char *model, const char *algo, const char *grid, const char *skew,
                         TgError *error) {
  const TgLibraryEntry *entry = tg_library_find(algo);
  const TgMachineEntry *machine = tg_machine_library_find("commodity-cluster");
  TgBindings bindings = {0};
  GError *failure = NULL;
  const TgSchedule *schedule = &problem->schedule;
  problem->options = (TgCostOptions){
      .overlap = true, .straggler = -1, .element_bytes = 4, .seed = 1, .skew_s = g_ascii_strtod(skew, NULL)};
  if (!entry) return tg_error_set(error, 0, 0, "no algorithm %s", algo);
  if (!tg_cost_model_parse(model, &problem->options.model, error) ||
      !tg_machine_parse(&problem->machine, machine->text, machine->length, error) ||
      !tg_schedule_parse(&problem->schedule, &problem->names, entry->text, entry->length, error) ||
      !tg_bindings_grid(&bindings, grid, error) ||
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

/* The best of several runs. */
static bool run_problem(BenchProblem *problem, BenchResult *result, TgError *error) {
  *result = (BenchResult){.processors = tg_schedule_processors(&problem->schedule), .cpu_s = INFINITY};
  double spent_s = 0;
  for (int run = 0; run < RUNS && spent_s < enough_s; run++) {
    TgCost cost;
    GError *failure = NULL;
    double before_s = cpu_now_s();
    if (!tg_cost_predict(&problem->schedule, &problem->names, &problem->shape, &problem->network, TG_ROWMAJOR,
                         &problem->machine, &problem->options, &cost, &failure)) {
      tg_error_set(error, 0, 0, "%s", failure->message);
      g_error_free(failure);
      return false;
    }
    double cpu_s = cpu_now_s() - before_s;
    spent_s += cost.wall_s;
    result->messages = cost.messages;
    result->time_s = cost.time_s;
    if (cpu_s < result->cpu_s) {
      result->cpu_s = cpu_s;
      result->wall_s = cost.wall_s;
    }
    tg_cost_clear(&cost);
  }
  return true;
}

static void print_head(void) {
  printf("%-18s %-8s %-10s %8s %11s %12s %9s %9s %14s %9s\n", "model", "algo", "grid", "skew s", "processors",
         "messages", "wall s", "cpu s", "messages/s", "peak MiB");
}

static void print_result(const char *model, const char *algo, const char *grid, const char *skew,
                         const BenchResult *result) {
  double rate = (double)result->messages / result->cpu_s;
  printf("%-18s %-8s %-10s %8s %11lld %12lld %9.4f %9.4f %14.4g %9.1f\n", model, algo, grid, skew,
         (long long)result->processors, (long long)result->messages, result->wall_s, result->cpu_s, rate,
         peak_rss_mib());
  printf("{\"model\": \"%s\", \"algorithm\": \"%s\", \"grid\": \"%s\", \"skew_s\": %s, \"processors\": %lld, "
         "\"messages\": %lld, \"wall_s\": %.6g, \"cpu_s\": %.6g, \"messages_per_s\": %.6g, \"peak_rss_mib\": %.1f, "
         "\"time_s\": %.9g}\n",
         model, algo, grid, skew, (long long)result->processors, (long long)result->messages, result->wall_s,
         result->cpu_s, rate, peak_rss_mib(), result->time_s);
}

static bool run_one(const char *model, const char *algo, const char *grid, const char *skew, BenchResult *result) {
  TgError error = {0};
  BenchProblem *problem = g_new0(BenchProblem, 1);
  bool fine = open_problem(problem, model, algo, grid, skew, &error) && run_problem(problem, result, &error);
  if (fine)
    print_result(model, algo, grid, skew, result);
  else
    fprintf(stderr, "bench-cost: %s %s %s: %s\n", model, algo, grid, error.message);
  g_free(problem);
  return fine;
}

/* Least squares in logarithms: the slope of log seconds over log messages. */
static double fitted_exponent(const BenchResult *result, int count) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    double lx = log((double)result[i].messages), ly = log(result[i].cpu_s);
    x += lx;
    y += ly;
    xx += lx * lx;
    xy += lx * ly;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

static bool run_line(const char *model, const char *algo, const char *skew, char **grids, int count) {
  g_autofree BenchResult *result = g_new0(BenchResult, count);
  for (int i = 0; i < count; i++)
    if (!run_one(model, algo, grids[i], skew, &result[i])) return false;
  printf("%-18s %-8s nanoseconds a message:", model, algo);
  for (int i = 0; i < count; i++) printf(" %.3g", 1e9 * result[i].cpu_s / (double)result[i].messages);
  printf("; seconds grow as messages^%.3f\n", fitted_exponent(result, count));
  printf("{\"model\": \"%s\", \"algorithm\": \"%s\", \"skew_s\": %s, \"exponent\": %.6g}\n", model, algo, skew,
         fitted_exponent(result, count));
  return true;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: bench-cost MODEL ALGO GRID SKEW_S | bench-cost line MODEL ALGO SKEW_S GRID...\n");
    return 2;
  }
  BenchResult result;
  print_head();
  if (strcmp(argv[1], "line") == 0) return !run_line(argv[2], argv[3], argv[4], argv + 5, argc - 5);
  return !run_one(argv[1], argv[2], argv[3], argv[4], &result);
}
