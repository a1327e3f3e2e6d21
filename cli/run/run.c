/* topogemm run: executes schedules for real, checks the product, times it. */
#include "run-command.h"
#include "algorithms.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "sim.h"
#include "trace-file.h"

#include "matrix-file.h"

#include <string.h>

enum { USUAL_WARMUP = 2, MOST_TRIALS_GIVEN = 1000000, MOST_PROVED = 1 << 14 };

static void free_result(gpointer data) {
  TgRunEntry *entry = data;
  tg_problem_clear(&entry->problem);
  tg_run_result_clear(&entry->run);
  g_free(entry);
}

void tg_run_clear(TgRunCommand *run) {
  tg_input_clear(&run->input);
  g_clear_pointer(&run->c, tg_matrix_free);
  tg_environment_clear(&run->environment);
  g_clear_pointer(&run->results, g_ptr_array_unref);
}

/* --- what to run ---------------------------------------------------------------------------------------------------*/

static TgExit check_files(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  GError *error = NULL;
  if (options->c && g_strv_length(options->arguments) > 1) return tg_report(cli, TG_EXIT_USAGE, "--c is for one ALGO");
  if (options->c && options->transport && strchr(options->transport, ','))
    return tg_report(cli, TG_EXIT_USAGE, "--c is for one transport");
  if (options->c && !tg_matrix_path_known(options->c, &error)) return tg_report_error(cli, error);
  if (options->output && !g_str_has_suffix(options->output, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .json", options->output);
  return tg_output_files_check(cli);
}

static TgExit read_numbers(const TgCli *cli, TgRunCommand *run) {
  const TgOptions *options = &cli->options;
  TgExit status = TG_EXIT_DONE;
  run->warmup = USUAL_WARMUP;
  if (options->trials) status = tg_number_parse(cli, "--trials", options->trials, 1, MOST_TRIALS_GIVEN, &run->trials);
  if (!status && options->warmup)
    status = tg_number_parse(cli, "--warmup", options->warmup, 0, MOST_TRIALS_GIVEN, &run->warmup);
  return status ? status : tg_device_options(cli, &run->options);
}

static TgExit read_options(const TgCli *cli, TgRunCommand *run) {
  TgExit status = tg_executor_option(cli, run->command, &run->kind);
  if (!status) status = tg_executor_options_check(cli, run->kind);
  if (!status) status = tg_transports_option(cli, run->kind, run->transports, &run->transport_count);
  if (!status) run->options.transport = run->transports[0];
  if (!status) status = tg_collective_option(cli, &run->options.collective);
  if (!status) status = read_numbers(cli, run);
  if (!status) status = tg_variant_option(cli, &run->options.variant);
  if (!status) status = tg_run_baseline_option(cli, run);
  run->cold = cli->options.cold;
  run->options.poison = true;
  return status;
}

static TgExit bind_all(const TgCli *cli, TgRunCommand *run) {
  const bool several = g_strv_length(cli->options.arguments) > 1;
  TgExit status = several ? tg_algorithms_check(cli, run->command) : TG_EXIT_DONE;
  run->results = g_ptr_array_new_with_free_func(free_result);
  for (char **algo = cli->options.arguments; *algo && !status; algo++)
    for (int32_t t = 0; t < run->transport_count && !status; t++) {
      TgRunEntry *result = g_new0(TgRunEntry, 1);
      result->transport = run->transports[t];
      g_ptr_array_add(run->results, result);
      status = tg_sim_bind(cli, &result->problem, *algo, 0, several, NULL);
      if (!status) status = tg_memory_check_proof(cli, &result->problem, 0);
    }
  return status;
}

static TgExit prepare_matrices(const TgCli *cli, TgRunCommand *run) {
  GError *error = NULL;
  TgInput *input = &run->input;
  TgExit status = tg_input_prepare(cli, run->command, &tg_run_entry(run, 0)->problem.schedule.computes, input);
  if (status) return status;
  run->options.m = input->shape.m;
  run->options.n = input->shape.n;
  run->options.k = input->shape.k;
  run->options.element = input->element;
  run->c = tg_matrix_new(input->a->type, input->shape.m, input->shape.n, 0, &error);
  return run->c ? TG_EXIT_DONE : tg_report_error(cli, error);
}

TgExit tg_run_begin(const TgCli *cli, const char *command, TgRunCommand *run) {
  run->command = command;
  TgExit status = read_options(cli, run);
  if (!status) status = bind_all(cli, run);
  if (!status) status = tg_run_baseline_check(cli, run);
  return status ? status : prepare_matrices(cli, run);
}

/* Grids that no GPU has room for are not proved: their proofs may take minutes. */
static TgExit prove_all(const TgCli *cli, const TgRunCommand *run) {
  TgExit status = TG_EXIT_DONE;
  for (guint r = 0; !status && r < run->results->len; r++)
    if (tg_schedule_processors(&tg_run_entry(run, r)->problem.schedule) <= MOST_PROVED)
      status = tg_run_prove(cli, run, tg_run_entry(run, r));
  return status;
}

TgExit tg_run_open(const TgCli *cli, TgRunCommand *run) {
  TgExit status = TG_EXIT_DONE;
  if (!tg_executor_has_device(run->kind, run->options.device)) status = prove_all(cli, run);
  if (!status) status = tg_executor_device(cli, run->command, run->kind, run->options.device, &run->environment);
  if (!status) tg_input_draw(cli, &run->input);
  if (!status && !run->kind->on_gpu) run->options.memory_limit_bytes = (int64_t)MIN(tg_memory_limit(cli), INT64_MAX);
  for (guint r = 0; !status && r < run->results->len; r++) status = tg_run_variant(cli, run, run->results->pdata[r]);
  return status;
}

/* --- what came of it -----------------------------------------------------------------------------------------------*/

static TgExit say(TgCli *cli, const TgRunCommand *run) {
  TgExit status = TG_EXIT_DONE;
  g_autoptr(TgJson) json = tg_json_new();
  size_t length;
  tg_run_write(json, run);
  const char *text = tg_json_text(json, &length);
  if (cli->options.json)
    tg_print(cli, "%s", text);
  else if (!cli->options.quiet)
    tg_run_print(cli, run);
  if (cli->options.output) status = tg_output_file_write(cli, cli->options.output, text, length);
  return status ? status : tg_run_trace(cli, run);
}

TgExit tg_run_check(const TgCli *cli, const TgRunCommand *run) {
  for (guint r = 0; r < run->results->len; r++) {
    const TgRunEntry *result = tg_run_entry(run, r);
    if (!result->run.check.ok)
      return tg_report(cli, TG_EXIT_WRONG, "%s: %s: %s", run->command, tg_problem_name(&result->problem),
                       result->run.check.text);
  }
  return TG_EXIT_DONE;
}

static TgExit run_run(TgCli *cli) {
  g_auto(TgRunCommand) run = {0};
  TgExit status = check_files(cli);
  if (!status) status = tg_run_begin(cli, "run", &run);
  if (!status) status = tg_run_open(cli, &run);
  if (!status) status = tg_run_baseline(cli, &run);
  for (guint r = 0; !status && r < run.results->len; r++)
    status = tg_run_measure(cli, &run, run.results->pdata[r], NULL, NULL);
  if (status) return status;
  tg_environment_end(&run.environment);
  status = say(cli, &run);
  if (!status) status = tg_run_check(cli, &run);
  return status ? status : tg_output_file_c(cli, run.c);
}

static const char *const options[] = {
    "on",     "grid",         "set",      "n",          "size",          "a",      "b",           "c",
    "type",   "seed",         "integers", "collective", "transport:run", "trials", "warmup",      "deadline",
    "device", "cold:run",     "baseline", "variant",    "no-cache",      "json",   "output:json", "trace:run",
    "quiet",  "memory-limit", NULL};
static const TgExample examples[] = {
    {"run cannon -n 512 --grid 4x4 --on cpu", "Cannon's algorithm on the CPU, checked and timed"},
    {"run cannon summa dns -n 256 --grid 4x4,2x2x2 --on cpu", "a table, fastest first"},
    {"run summa --size 300x200x100 --grid 3x3 --on cpu --type f64 --trials 5 --json",
     "rectangular matrices in double precision, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_run = {
    .name = "run",
    .arguments = "ALGO…",
    .summary = "execute schedules: check the product, and time it",
    .details = "--on selects what a processor is. cpu: a logical processor, one after another on the CPU. threads: a "
               "CUDA thread; the thread block's shared memory holds its blocks, one element each. clusters: a thread "
               "block in a cluster of up to 16, with tiles in its shared memory (compute capability 9.0 or later). "
               "blocks: a thread block of a resident grid, with its blocks in global memory. On threads and clusters a "
               "larger problem is tiled around the schedule: many instances of it, each for one tile of C, repeated "
               "for every panel of k (docs/reference/executors.md).\n"
               "The time is the median of the timed runs, by the executor's own clock, without transfers, which are "
               "reported separately. All memory is filled with NaN beforehand. After the first and the last run C is "
               "checked against a product in double precision; above 2^33 multiply-adds (n = 2048) its error is "
               "estimated. The relative error in the Frobenius norm may be at most max(1e-6, 5e-7 sqrt(k)) in f32 and "
               "max(1e-14, 1e-15 sqrt(k)) in f64; otherwise the command exits with 3 and does not write C.\n"
               "Some executors have several kernel variants. Without --variant, `run` uses the one that `bench shapes` "
               "found fastest for this GPU, type, size, schedule, grid and transport, or else lets the executor "
               "choose. The report names it.\n"
               "Several ALGOs that compute the same product make a table, fastest first. Each takes, of the grids in "
               "--grid 4x4,2x2x2, the first with as many extents as the schedule has coordinates. --set applies to "
               "every schedule that has the parameter.\n"
               "Without a GPU, or in a build without CUDA, threads, clusters and blocks exit with 4.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 16,
    .run = run_run,
};
