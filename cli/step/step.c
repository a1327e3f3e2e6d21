/* topogemm step: runs a schedule on real matrices, a step at a time. */
#include "step.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "step-view.h"

#include "matrix-file.h"

static const int64_t most_load_bytes = INT64_C(1) << 30;

void tg_step_clear(TgStepRun *run) {
  g_clear_pointer(&run->stepper, tg_stepper_free);
  tg_input_clear(&run->input);
  g_clear_pointer(&run->c, tg_matrix_free);
  tg_problem_clear(&run->problem);
}

TgExit tg_step_failed(const TgCli *cli, const TgStepRun *run, GError *error) {
  const TgError *failure = tg_stepper_failure(run->stepper);
  if (failure->cause == TG_CAUSE_NONE || !g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE))
    return tg_report_error(cli, error);
  g_error_free(error);
  return tg_report_at(cli, TG_EXIT_WRONG, &run->problem.source, failure->line, 0, failure->message);
}

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  GError *error = NULL;
  if (options->c && !tg_matrix_path_known(options->c, &error)) return tg_report_error(cli, error);
  return TG_EXIT_DONE;
}

/* The step to stop after; C is complete only after the last. */
static TgExit find_last(const TgCli *cli, TgStepRun *run) {
  int64_t steps = tg_stepper_steps(run->stepper);
  run->last = steps;
  if (!cli->options.step) return TG_EXIT_DONE;
  TgExit status = tg_number_parse(cli, "--step", cli->options.step, 0, steps, &run->last);
  if (!status && cli->options.c && run->last < steps)
    return tg_report(cli, TG_EXIT_USAGE, "--c: C is complete only after step %" PRId64 ", and --step stops before",
                     steps);
  return status;
}

/* At the end C is put together, and checked; the stepper has all of it in blocks by then. */
static TgExit check_memory(const TgCli *cli, const TgStepRun *run) {
  const TgShape *shape = &run->input.shape;
  const double c = (double)shape->m * (double)shape->n * (double)tg_element_bytes(run->input.element);
  const bool whole = !cli->options.step;
  const uint64_t check = tg_check_need_bytes(&run->problem.schedule.computes, shape, run->input.element);
  return tg_memory_check(cli, "what is computed, C and its check,", whole ? 2 * c + (double)check : c);
}

static TgExit open_stepper(TgCli *cli, TgStepRun *run) {
  GError *error = NULL;
  TgProgressLine *line = &run->line;
  const TgProblem *problem = &run->problem;
  TgError endless = {0};
  int64_t steps = tg_walk_count_steps(&problem->schedule, &problem->names, &endless);
  if (steps < 0) return tg_problem_report(cli, problem, &endless);
  run->options.network = &run->network;
  run->options.embedding = (TgEmbeddingKind)run->embedding.kind;
  run->options.link_loads = run->network.links * 8 <= most_load_bytes / (steps + 1);
  run->options.keep_details = cli->options.messages;
  run->options.memory_limit_bytes = tg_memory_limit(cli);
  run->options.watch = &line->watch;
  tg_progress_begin(line, cli, "memory", tg_walk_count_statements(&problem->schedule, &problem->names));
  run->stepper = tg_stepper_new(&problem->schedule, &problem->names, &run->options, run->input.a->data,
                                tg_input_b(&run->input), &error);
  tg_progress_end(cli);
  return run->stepper ? find_last(cli, run) : tg_report_error(cli, error);
}

static TgExit open_input(const TgCli *cli, TgStepRun *run) {
  const TgExit status = tg_input_open(cli, "step", &run->problem.schedule.computes, &run->input);
  run->options.m = run->input.shape.m;
  run->options.n = run->input.shape.n;
  run->options.k = run->input.shape.k;
  run->options.element = run->input.element;
  return status;
}

static TgExit open_run(TgCli *cli, TgStepRun *run) {
  TgExit status = check_options(cli);
  if (!status) status = tg_algo_open(cli, &run->problem);
  if (!status) status = tg_network_option(cli, &run->problem.schedule, &run->network, &run->embedding);
  if (!status) status = tg_collective_option(cli, &run->options.collective);
  if (!status) status = open_input(cli, run);
  if (!status) status = check_memory(cli, run);
  if (!status) status = open_stepper(cli, run);
  tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  return status;
}

TgExit tg_step_forward(TgCli *cli, TgStepRun *run) {
  TgProgressLine *line = &run->line;
  GError *error = NULL;
  bool printed = !cli->options.quiet && !cli->options.json;
  TgProgress progress = TG_PROGRESS_MORE;
  if (printed) tg_step_print_step(cli, run);
  tg_progress_begin(line, cli, "step", run->last);
  line->parts = INT64_MAX; /* within a step only its time goes on */
  while (progress == TG_PROGRESS_MORE && tg_stepper_position(run->stepper) < run->last) {
    progress = tg_stepper_next(run->stepper, &error);
    if (progress != TG_PROGRESS_MORE) break;
    if (printed) tg_step_print_step(cli, run);
    if (printed && cli->options.messages) tg_step_print_messages(cli, run);
    tg_progress_at(line, tg_stepper_position(run->stepper));
  }
  tg_progress_end(cli);
  return progress == TG_PROGRESS_ERROR ? tg_step_failed(cli, run, error) : TG_EXIT_DONE;
}

static TgExit check_result(const TgCli *cli, TgStepRun *run) {
  GError *error = NULL;
  const TgShape *shape = tg_stepper_shape(run->stepper);
  run->c = tg_matrix_new(run->input.a->type, shape->m, shape->n, tg_memory_limit(cli), &error);
  if (!run->c) return tg_report_error(cli, error);
  if (!tg_stepper_result(run->stepper, run->c->data, TG_RESULT_COMPLETE, &error))
    return tg_step_failed(cli, run, error);
  run->checked =
      tg_check_product(&run->check, &run->problem.schedule.computes, shape, run->options.element, run->input.a->data,
                       tg_input_b(&run->input), run->c->data, tg_memory_limit(cli), &error);
  return run->checked ? TG_EXIT_DONE : tg_report_error(cli, error);
}

/* A schedule that fails has a document, too. */
static TgExit finish(TgCli *cli, TgStepRun *run, TgExit status) {
  if (!status && tg_stepper_position(run->stepper) == tg_stepper_steps(run->stepper)) status = check_result(cli, run);
  if (status == TG_EXIT_WRONG && cli->options.json) tg_step_print_json(cli, run);
  if (status) return status;
  if (cli->options.json)
    tg_step_print_json(cli, run);
  else if (!cli->options.quiet)
    tg_step_print_result(cli, run);
  if (run->checked && !run->check.ok) return tg_report(cli, TG_EXIT_WRONG, "%s", run->check.text);
  return run->checked ? tg_output_file_c(cli, run->c) : TG_EXIT_DONE;
}

static TgExit run_step(TgCli *cli) {
  g_auto(TgStepRun) run = {0};
  if (cli->options.interactive) return tg_step_interactive(cli);
  TgExit status = open_run(cli, &run);
  if (status) return status;
  if (!cli->options.json && !cli->options.quiet) tg_step_print_head(cli, &run);
  status = tg_step_forward(cli, &run);
  return finish(cli, &run, status);
}

static const char *const options[] = {"grid",     "set",          "n",       "size",     "a",           "b",
                                      "c",        "type",         "network", "embed",    "collective",  "seed",
                                      "integers", "step",         "blocks",  "messages", "interactive", "json",
                                      "quiet",    "memory-limit", NULL};
static const TgExample examples[] = {
    {"step cannon --grid 4x4 -n 8", "Cannon's algorithm on random 8 x 8 matrices"},
    {"step summa --grid 3x3 --size 5x7x4 --type f64 --network mesh:3x3", "sizes that do not divide evenly, on a mesh"},
    {"step cannon --grid 12x12 -n 24 --network torus:3x4", "more processors than nodes: several on each node"},
    {"step dns --grid 2x2x2 -n 4 --step 1 --messages", "only the first step, with each message"},
    {"step cannon --grid 64x64 -n 64 --json", "4096 processors, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_step = {
    .name = "step",
    .arguments = "ALGO",
    .summary = "run a schedule on real matrices, step by step, and check the product",
    .details = "Prints what every processor holds (A01: block row 0, block column 1; C01 2/4: a sum of 2 of its 4 "
               "products; T=A01: A01 in buffer T), the messages, and the busiest link of the network.\n"
               "Matrices are random unless --a and --b name files. Sizes need not divide evenly. C is checked against "
               "a product in double precision; the relative error in the Frobenius norm may be at most max(1e-6, 5e-7 "
               "sqrt(k)) in f32 and max(1e-14, 1e-15 sqrt(k)) in f64. A failed check exits with 3 and writes nothing.\n"
               "--interactive shows the steps in the terminal: n and b go forwards and backwards, g to a step, space "
               "plays, f follows a block, s saves a picture, ? lists all keys. It shows the names of blocks and needs "
               "no sizes; with -n or --size it also counts bytes.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run_step,
};
