/* One ALGO on its executor: opened, measured, and beside its prediction where there is a machine. */
#include "progress.h"
#include "run-command.h"

#include "nvtx.h"

/** What a measurement asks for while it is under way. */
typedef struct TgRunning {
  TgProgressLine line;
  void *flush; /**< device memory that is written to empty the cache, or NULL */
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
  const TgProblem *problem = &entry->problem;
  TgExecutorOptions options = tg_run_options(run, entry);
  options.watch = &line->watch;
  tg_progress_begin(line, cli, "proof", tg_walk_count_statements(&problem->schedule, &problem->names));
  TgExecutor *executor = tg_executor_open(run->kind, &problem->schedule, &problem->names, &options, error);
  tg_progress_end(cli);
  return executor;
}

static bool measure(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine,
                    TgComparison *comparison, GError **error) {
  TgRunning running = {0};
  const TgRunOptions options = {.trials = run->trials,
                                .warmup = run->warmup,
                                .before_run = empty_cache,
                                .phase = mark_phase,
                                .progress = show_progress,
                                .data = &running};
  const void *a = run->input.a->data, *b = tg_input_b(&run->input);
  g_autoptr(TgExecutor) executor = open_executor(cli, run, entry, &running.line, error);
  if (!executor || !open_flush(run, &running, error)) return false;
  tg_progress_begin(&running.line, cli, run->command, MAX(run->trials, 1));
  running.line.parts = tg_walk_count_statements(&entry->problem.schedule, &entry->problem.names);
  const bool fine = machine
                        ? tg_compare(executor, &options, machine, a, b, run->c->data, &entry->run, comparison, error)
                        : tg_run(executor, &options, a, b, run->c->data, &entry->run, error);
  tg_progress_end(cli);
  if (running.flush) tg_device_free(running.flush);
  return fine;
}

TgExit tg_run_prove(const TgCli *cli, const TgRunCommand *run, const TgRunEntry *entry) {
  const TgProblem *problem = &entry->problem;
  const TgExecutorOptions *options = &run->options;
  g_autofree TgProof *proof = g_new(TgProof, 1);
  if (tg_prove(&problem->schedule, &problem->names, options->collective, options->m, options->n, options->k, proof))
    return TG_EXIT_DONE;
  return tg_problem_report_failure(cli, problem, &proof->failure);
}

/* A proof that failed is reported with its place. */
static TgExit report(const TgCli *cli, const TgRunCommand *run, const TgRunEntry *entry, GError *error) {
  char grid[48];
  const TgProblem *problem = &entry->problem;
  const bool unproved = g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE);
  const TgExit status = unproved ? tg_run_prove(cli, run, entry) : TG_EXIT_DONE;
  if (status) {
    g_error_free(error);
    return status;
  }
  tg_schedule_grid_text(&problem->schedule, grid, sizeof grid);
  if (entry->variant_from == TG_VARIANT_TUNED)
    g_prefix_error(&error, "variant %d, which bench shapes has kept and --no-cache ignores: ", entry->variant);
  g_prefix_error(&error, "%s: %s on %s, --on %s: ", run->command, tg_problem_name(problem), grid, run->kind->name);
  return tg_report_error(cli, error);
}

TgExit tg_run_measure(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine,
                      TgComparison *comparison) {
  GError *error = NULL;
  return measure(cli, run, entry, machine, comparison, &error) ? TG_EXIT_DONE : report(cli, run, entry, error);
}
