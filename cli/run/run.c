/* topogemm run: executes schedules for real, checks the product, times it. */
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "run-baseline.h"
#include "sim.h"

#include "matrix-file.h"
#include "nvtx.h"
#include "shapes.h"

#include <string.h>

/* --- which of an executor's kernels runs: what was asked for, `bench shapes` kept, or it chose -------------------- */

static const char *const from_names[] = {
    [TG_VARIANT_CHOSEN] = "chosen", [TG_VARIANT_TUNED] = "tuned", [TG_VARIANT_GIVEN] = "given"};

const char *tg_variant_from_name(TgVariantFrom from) {
  return from_names[from];
}

/* Reads --variant; 0 where it is not given. */
static TgExit variant_option(const TgCli *cli, int32_t *variant) {
  int64_t number = 0;
  const TgExit status = tg_number_parse(cli, "--variant", cli->options.variant, 0, INT32_MAX, &number);
  *variant = (int32_t)number;
  return status;
}

/* A kept variant is that of a schedule of the library with its own parameters and whole collectives, on this card. */
static bool may_be_kept(const TgCli *cli, const TgRunCommand *run, const TgRunEntry *result) {
  return run->kind->on_gpu && !cli->options.no_cache && !cli->options.set && !result->algo.bytes &&
         run->options.collective == TG_COLLECTIVE_WHOLE;
}

static bool find_kept(const TgRunCommand *run, TgRunEntry *result, GError **error) {
  const TgExecutorOptions *options = &run->options;
  const int64_t size[] = {options->m, options->n, options->k};
  g_autofree char *key = tg_shapes_key(run->kind->name, options->element, size, tg_algo_name(&result->algo),
                                       tg_schedule_grid_text(&result->algo.schedule).s, result->transport);
  return tg_shapes_kept_variant(&run->environment.device, key, &result->variant, error);
}

/* Finds the variant of an ALGO that is open: that of --variant, or what is kept. */
static TgExit run_variant(const TgCli *cli, const TgRunCommand *run, TgRunEntry *result) {
  GError *error = NULL;
  result->variant = run->options.variant;
  if (cli->options.variant)
    result->variant_from = result->variant ? TG_VARIANT_GIVEN : TG_VARIANT_CHOSEN;
  else if (may_be_kept(cli, run, result) && find_kept(run, result, &error))
    result->variant_from = TG_VARIANT_TUNED;
  return error ? tg_report_error(cli, error) : TG_EXIT_DONE;
}

/* The options of one ALGO. */
static TgExecutorOptions run_options(const TgRunCommand *run, const TgRunEntry *result) {
  TgExecutorOptions options = run->options;
  options.variant = result->variant;
  options.transport = result->transport;
  return options;
}

/* --- one ALGO on its executor, beside its prediction where there is a machine ------------------------------------- */

/** What a measurement asks for while it is under way. */
typedef struct TgRunning {
  TgProgressLine line;
  const TgRunCommand *run;
  const TgExecutor *executor; /**< once it has run */
  void *flush;                /**< device memory that is written to empty the cache, or NULL */
  int64_t flush_bytes;
} TgRunning;

static bool device_failed(GError **error, const TgError *reason) {
  g_set_error_literal(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED, reason->message);
  return false;
}

static bool open_flush(const TgRunCommand *run, TgRunning *running, GError **error) {
  TgError reason;
  if (!run->cold) return true;
  running->flush_bytes = 2 * (int64_t)run->environment.device.l2_bytes;
  running->flush = tg_device_allocate(running->flush_bytes, &reason);
  return running->flush || device_failed(error, &reason);
}

static bool empty_cache(void *data, GError **error) {
  const TgRunning *running = data;
  TgError reason;
  if (!running->flush) return true;
  return (tg_device_fill(running->flush, 0, running->flush_bytes, &reason) && tg_device_wait(&reason)) ||
         device_failed(error, &reason);
}

static void mark_phase(void *data, const char *name) {
  (void)data;
  if (name)
    tg_range_begin(name);
  else
    tg_range_end();
}

static void show_progress(void *data, int64_t done, int64_t trials) {
  TgRunning *running = data;
  if (trials) running->line.total = trials;
  tg_progress_at(&running->line, done);
}

static TgExecutor *open_executor(TgCli *cli, const TgRunCommand *run, const TgRunEntry *entry, TgProgressLine *line,
                                 GError **error) {
  const TgAlgo *algo = &entry->algo;
  TgExecutorOptions options = run_options(run, entry);
  options.watch = &line->watch;
  tg_progress_begin(line, cli, "proof", tg_walk_count_statements(&algo->schedule, &algo->names));
  TgExecutor *executor = tg_executor_open(run->kind, &algo->schedule, &algo->names, &options, error);
  tg_progress_end(cli);
  return executor;
}

bool tg_run_predict(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine, TgExpectedRun *expected,
                    GError **error) {
  TgProgressLine line;
  g_autoptr(TgExecutor) executor = open_executor(cli, run, entry, &line, error);
  if (!executor) return false;
  entry->run.facts = *tg_executor_facts(executor);
  entry->run.facts.kernel = NULL; /* the executor's */
  return tg_compare_predict(executor, machine, expected, error);
}

/* The executor's parts of A and B, in place of those of an ALGO before it. */
static bool take_parts(const TgCli *cli, const TgRunCommand *run, const TgExecutor *executor, GError **error) {
  TgMatrix *const matrices[] = {run->input.a, run->input.b, run->c};
  GError *own = NULL;
  bool fine = true;
  if (!run->input.parts) return true;
  for (int name = 0; name < TG_MATRICES; name++)
    if (matrices[name]) tg_matrix_drop_parts(matrices[name]);
  for (int name = TG_MATRIX_A; name <= TG_MATRIX_B; name++) {
    g_autoptr(GArray) parts = run->kind->parts(executor, (TgMatrixName)name);
    for (guint p = 0; p < parts->len && fine; p++)
      fine = tg_input_take_part(cli, &run->input, (TgMatrixName)name, &g_array_index(parts, TgMatrixPart, p), &own);
  }
  return run->kind->all_took(executor, own, error);
}

static void make_rows(void *data, int64_t row, int64_t rows, void *to) {
  const TgRunning *running = data;
  running->run->kind->rows(running->executor, running->run->c->data, row, rows, to);
}

/* All programs of the job call this while the executor is open: none has all of C. */
static bool write_parts(TgCli *cli, TgRunning *running, bool ok, GError **error) {
  enum { PIECE_BYTES = 8 << 20 };
  const TgRunCommand *run = running->run;
  const char *path = cli->options.c;
  if (!run->input.parts || run->kind->agree(running->executor, ok && path) == 0) return true;
  g_autoptr(TgAtomicFile) file = path ? tg_atomic_file_begin(path, error) : NULL;
  if (path && !file) return false;
  if (!tg_matrix_print_rows(run->c, make_rows, running, PIECE_BYTES, path, file ? tg_atomic_file_stream(file) : NULL,
                            error))
    return false;
  if (file) tg_output_file_keep_c(cli, g_steal_pointer(&file));
  return true;
}

/* Where C is right for this program's matrices and wrong for another's, their files differ. */
static void check_together(const TgRunning *running, TgCheck *check) {
  double wrong = check->ok ? 0 : 1;
  if (!running->run->kind->sum) return;
  running->run->kind->sum(running->executor, &wrong, 1);
  if (wrong <= 0 || !check->ok) return;
  check->ok = false;
  g_snprintf(check->text, sizeof check->text,
             "C is not the product of another rank's matrices: A or B differs between hosts; copy the same files to "
             "every host");
}

bool tg_run_try(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine, TgComparison *comparison,
                GError **error) {
  TgRunning running = {.run = run};
  const TgRunOptions options = {.trials = run->trials,
                                .warmup = run->warmup,
                                .places = machine == NULL,
                                .before_run = empty_cache,
                                .phase = mark_phase,
                                .progress = show_progress,
                                .data = &running};
  const void *a = run->input.a->data, *b = tg_input_b(&run->input);
  g_autoptr(TgExecutor) executor = open_executor(cli, run, entry, &running.line, error);
  if (!executor || !open_flush(run, &running, error) || !take_parts(cli, run, executor, error)) return false;
  tg_progress_begin(&running.line, cli, run->command, MAX(run->trials, 1));
  running.line.parts = tg_walk_count_statements(&entry->algo.schedule, &entry->algo.names);
  const bool fine = machine
                        ? tg_compare(executor, &options, machine, a, b, run->c->data, &entry->run, comparison, error)
                        : tg_run(executor, &options, a, b, run->c->data, &entry->run, error);
  tg_progress_end(cli);
  if (running.flush) tg_device_free(running.flush);
  running.executor = executor;
  if (fine) check_together(&running, &entry->run.check);
  return fine && write_parts(cli, &running, entry->run.check.ok, error);
}

/* Proves one ALGO as its executor does; a proof that failed is said with its place. */
static TgExit run_prove(TgCli *cli, const TgRunCommand *run, const TgRunEntry *entry) {
  const TgAlgo *algo = &entry->algo;
  const TgExecutorOptions *options = &run->options;
  g_autofree TgProof *proof = g_new(TgProof, 1);
  if (tg_prove(&algo->schedule, &algo->names, options->collective, options->m, options->n, options->k, proof))
    return TG_EXIT_DONE;
  return tg_algo_report_failure(cli, algo, &proof->failure);
}

/* A proof that failed is reported with its place. */
static TgExit report(TgCli *cli, const TgRunCommand *run, const TgRunEntry *entry, GError *error) {
  const TgAlgo *algo = &entry->algo;
  const bool unproved = g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE);
  const TgExit status = unproved ? run_prove(cli, run, entry) : TG_EXIT_DONE;
  if (status) {
    g_error_free(error);
    return status;
  }
  if (entry->variant_from == TG_VARIANT_TUNED)
    g_prefix_error(&error, "variant %d, stored by bench shapes (--no-cache ignores it): ", entry->variant);
  g_prefix_error(&error, "%s: %s on %s, --on %s: ", run->command, tg_algo_name(algo),
                 tg_schedule_grid_text(&algo->schedule).s, run->kind->name);
  return tg_report_error(cli, error);
}

TgExit tg_run_measure(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine,
                      TgComparison *comparison) {
  GError *error = NULL;
  return tg_run_try(cli, run, entry, machine, comparison, &error) ? TG_EXIT_DONE : report(cli, run, entry, error);
}

enum { USUAL_WARMUP = 2, MOST_TRIALS_GIVEN = 1000000, MOST_PROVED = 1 << 14 };

static void free_result(gpointer data) {
  TgRunEntry *entry = data;
  tg_algo_clear(&entry->algo);
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
  if (options->c && g_strv_length(options->arguments) > 1)
    return tg_report(cli, TG_EXIT_USAGE, "--c takes the C of one ALGO: give only one");
  if (options->c && options->transport && strchr(options->transport, ','))
    return tg_report(cli, TG_EXIT_USAGE, "--c takes the C of one transport: give only one");
  if (options->c && !tg_matrix_path_known(options->c, &error)) return tg_report_error(cli, error);
  if (options->output && !g_str_has_suffix(options->output, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .json", options->output);
  return tg_output_files_check(cli);
}

static TgExit read_numbers(const TgCli *cli, TgRunCommand *run) {
  const TgOptions *options = &cli->options;
  run->warmup = USUAL_WARMUP;
  TgExit status = tg_number_parse(cli, "--trials", options->trials, 1, MOST_TRIALS_GIVEN, &run->trials);
  if (!status) status = tg_number_parse(cli, "--warmup", options->warmup, 0, MOST_TRIALS_GIVEN, &run->warmup);
  return status ? status : tg_device_options(cli, &run->options);
}

static TgExit overlap_option(const TgCli *cli, TgRunCommand *run) {
  const char *overlap = cli->options.overlap;
  if (!overlap) return TG_EXIT_DONE;
  if (!run->kind->traits.messages)
    return tg_report(cli, TG_EXIT_USAGE, "--overlap: not for %s, which sends no messages", run->kind->name);
  run->options.no_overlap = strcmp(overlap, "off") == 0;
  if (run->options.no_overlap || strcmp(overlap, "on") == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--overlap %s: expected on or off", overlap);
}

TgExit tg_run_options(const TgCli *cli, const char *command, TgRunCommand *run) {
  run->command = command;
  TgExit status = tg_executor_option(cli, run->command, &run->kind);
  if (!status) status = tg_executor_options_check(cli, run->kind);
  if (!status) status = tg_transports_option(cli, run->kind, run->transports, &run->transport_count);
  if (!status) run->options.transport = run->transports[0];
  if (!status) status = overlap_option(cli, run);
  if (!status) status = tg_collective_option(cli, &run->options.collective);
  if (!status) status = read_numbers(cli, run);
  if (!status) status = variant_option(cli, &run->options.variant);
  if (!status) status = tg_run_baseline_option(cli, run);
  run->cold = cli->options.cold;
  run->options.poison = true;
  return status;
}

static TgExit bind_all(const TgCli *cli, TgRunCommand *run) {
  const bool several = g_strv_length(cli->options.arguments) > 1;
  TgExit status = several ? tg_algorithms_check(cli, run->command) : TG_EXIT_DONE;
  run->results = g_ptr_array_new_with_free_func(free_result);
  for (char **name = cli->options.arguments; *name && !status; name++)
    for (int32_t t = 0; t < run->transport_count && !status; t++) {
      TgRunEntry *result = g_new0(TgRunEntry, 1);
      result->transport = run->transports[t];
      g_ptr_array_add(run->results, result);
      status = tg_sim_bind(cli, &result->algo, *name, several);
      if (!status) status = tg_memory_check_proof(cli, &result->algo, 0);
    }
  return status;
}

/* The format of C must allow it, too: only the first program of a job knows where C goes. */
static bool parts_are_enough(const TgCli *cli, const TgRunCommand *run) {
  if (!run->kind->parts) return false;
  return run->kind->agree(NULL, !cli->options.c || tg_matrix_path_has_rows(cli->options.c)) > 0;
}

static TgExit prepare_matrices(const TgCli *cli, TgRunCommand *run) {
  GError *error = NULL;
  TgInput *input = &run->input;
  input->may_be_parts = parts_are_enough(cli, run);
  TgExit status = tg_input_prepare(cli, run->command, &tg_run_entry(run, 0)->algo.schedule.computes, input);
  if (status) return status;
  run->options.parts = input->parts;
  if (input->may_be_parts && run->kind->agree(NULL, input->parts) != input->parts)
    return tg_report(cli, TG_EXIT_USAGE, "%s: the files of A and B are in another form than those of rank 0",
                     run->command);
  run->options.m = input->shape.m;
  run->options.n = input->shape.n;
  run->options.k = input->shape.k;
  run->options.element = input->element;
  run->c = input->parts ? tg_matrix_new_for_parts(input->element, input->shape.m, input->shape.n, &error)
                        : tg_matrix_new(input->element, input->shape.m, input->shape.n, 0, &error);
  return run->c ? TG_EXIT_DONE : tg_report_error(cli, error);
}

TgExit tg_run_begin(const TgCli *cli, const char *command, TgRunCommand *run) {
  TgExit status = tg_run_options(cli, command, run);
  if (!status) status = bind_all(cli, run);
  if (!status) status = tg_run_baseline_check(cli, run);
  return status ? status : prepare_matrices(cli, run);
}

/* Grids that no GPU has room for are not proved: their proofs may take minutes. */
static TgExit prove_all(TgCli *cli, const TgRunCommand *run) {
  TgExit status = TG_EXIT_DONE;
  for (guint r = 0; !status && r < run->results->len; r++)
    if (tg_schedule_processors(&tg_run_entry(run, r)->algo.schedule) <= MOST_PROVED)
      status = run_prove(cli, run, tg_run_entry(run, r));
  return status;
}

/* Bytes of the buffers of OpenBLAS 0.3.21, which is loaded by now: 3 MB at n = 700, 6 MB at n = 2000, measured with
 * 1 to 8 threads. */
static const double buffer_bytes = 4e6;

/* Sets the memory that an executor on the CPU may take: the limit less C, its check, and the buffers of the BLAS
 * library. */
static TgExit limit_memory(const TgCli *cli, TgRunCommand *run) {
  const TgInput *input = &run->input;
  const TgComputes *computes = &tg_run_entry(run, 0)->algo.schedule.computes;
  if (run->kind->on_gpu) return TG_EXIT_DONE;
  const double beside = (input->parts ? 0 : (double)tg_matrix_bytes(run->c)) +
                        (computes->right == TG_MATRICES ? 0 : buffer_bytes) +
                        (double)tg_check_large_need_bytes(computes, &input->shape, input->element);
  const double left = (double)tg_memory_limit(cli) - beside;
  run->options.memory_limit_bytes = left < 1 ? 1 : (int64_t)MIN(left, 0x1p62);
  return tg_memory_check(cli, "computing and checking C", beside);
}

TgExit tg_run_open(TgCli *cli, TgRunCommand *run) {
  TgExit status = TG_EXIT_DONE;
  if (!tg_executor_has_device(run->kind, run->options.device)) status = prove_all(cli, run);
  if (!status) status = tg_executor_device(cli, run->command, run->kind, run->options.device, &run->environment);
  if (!status) tg_input_draw(cli, &run->input);
  if (!status) status = limit_memory(cli, run);
  for (guint r = 0; !status && r < run->results->len; r++) status = run_variant(cli, run, run->results->pdata[r]);
  return status;
}

/* --- what came of it -----------------------------------------------------------------------------------------------*/

/* If A or B contains NaN or Inf, the error reports it, and the times mean nothing. */
static bool is_worth_printing(const TgRunCommand *run) {
  const TgCheck *check = &tg_run_entry(run, 0)->run.check;
  return check->finite || check->matrix == TG_MATRIX_C;
}

static TgExit say(TgCli *cli, const TgRunCommand *run) {
  TgExit status = TG_EXIT_DONE;
  g_autoptr(TgJson) json = tg_json_new();
  size_t length;
  tg_run_write(json, run);
  const char *text = tg_json_text(json, &length);
  if (cli->options.json)
    tg_print(cli, "%s", text);
  else if (!cli->options.quiet && is_worth_printing(run))
    tg_run_print(cli, run);
  if (cli->options.output) status = tg_output_file_write(cli, cli->options.output, text, length);
  return status ? status : tg_run_trace(cli, run);
}

TgExit tg_run_check(const TgCli *cli, const TgRunCommand *run) {
  for (guint r = 0; r < run->results->len; r++) {
    const TgRunEntry *result = tg_run_entry(run, r);
    if (!result->run.check.ok)
      return tg_report(cli, TG_EXIT_WRONG, "%s: %s: %s", run->command, tg_algo_name(&result->algo),
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
  return status || run.input.parts ? status : tg_output_file_c(cli, run.c); /* parts are there already */
}

static const char *const options[] = {
    "on",          "grid",   "set",          "n",          "size",          "a",        "b",      "c",
    "type",        "seed",   "integers",     "collective", "transport:run", "trials",   "warmup", "deadline",
    "overlap:run", "device", "cold:run",     "baseline",   "variant",       "no-cache", "json",   "output:json",
    "trace:run",   "quiet",  "memory-limit", NULL};
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
    .details =
        "--on selects what a processor is. cpu: a logical processor; the CPU runs them one after another. "
        "cores: a core of the CPU. ranks: a rank of an MPI job, started by mpirun (docs/guide/ranks.md). "
        "threads: a CUDA thread; its blocks are single elements in the thread block's shared memory. clusters: "
        "a thread block in a cluster of up to 16, with tiles in its shared memory (compute capability 9.0 or "
        "later). blocks: a thread block of a resident grid, with its blocks in global memory. On threads and "
        "clusters a larger problem is tiled: many instances of the schedule run, each for one tile of C, and "
        "repeat for every panel of k (docs/reference/executors.md).\n"
        "The time is the median of the timed runs, measured by the executor's own clock. Transfers are reported "
        "separately. All memory is filled with NaN beforehand. After the first and the last run C is checked "
        "against a product in double precision; above 2^33 multiply-adds (n = 2048) its error is estimated. The "
        "relative error in the Frobenius norm may be at most max(1e-6, 5e-7 sqrt(k)) in f32 and max(1e-14, "
        "1e-15 sqrt(k)) in f64; otherwise the command exits with 3 and does not write C.\n"
        "Some executors have several kernel variants. Without --variant, `run` uses the one that `bench shapes` "
        "found fastest for this GPU, type, size, schedule, grid and transport. If there is none, the executor "
        "chooses. The report names the variant.\n"
        "Several ALGOs that compute the same product make a table, fastest first. Each uses the first grid of "
        "--grid 4x4,2x2x2 with as many extents as the schedule has coordinates. --set applies to every schedule "
        "that has the parameter.\n"
        "Without a GPU, or in a build without CUDA, threads, clusters and blocks exit with 4, as does ranks in a build "
        "without MPI.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 16,
    .run = run_run,
};
