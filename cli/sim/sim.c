/* topogemm sim: what a schedule would cost on a machine. */
#include "sim.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "sweep.h"

#include <math.h>

static TgExit open_run(const TgCli *cli, TgSimRun *run) {
  TgFormulaSymbols symbols;
  TgExit status = tg_sim_symbols(cli, &symbols);
  if (!status) status = tg_sim_bind(cli, &run->problem, cli->options.arguments[0], 0, false, NULL);
  if (!status) status = tg_sim_sizes(cli, run);
  if (!status) status = tg_sim_options(cli, run);
  if (!status && cli->options.trace) status = tg_output_files_check(cli);
  if (!status) status = tg_sim_prove(cli, run);
  return status ? status : tg_sim_trace_prepare(cli, run);
}

static void show_progress(void *user, int64_t statements) {
  tg_progress_at(user, statements);
}

static TgExit predict(TgCli *cli, TgSimRun *run) {
  TgProgressLine line;
  tg_progress_begin(&line, cli, "sim", run->statements);
  run->options.progress = show_progress;
  run->options.progress_user = &line;
  TgExit status = tg_sim_predict(cli, run);
  run->options.progress = NULL;
  tg_progress_end(cli);
  return status;
}

static TgExit run_one(TgCli *cli) {
  g_auto(TgSimRun) run = {.element = TG_F32};
  TgExit status = open_run(cli, &run);
  if (!status) status = predict(cli, &run);
  if (status) return status;
  tg_sim_closed_form(&run);
  if (cli->options.json)
    tg_sim_print_json(cli, &run);
  else
    tg_sim_print(cli, &run);
  if (!cli->options.json && (cli->options.formula || cli->options.symbols)) status = tg_sim_print_formula(cli, &run);
  if (!status) status = tg_sim_trace_write(cli, &run);
  tg_sim_warn_memory(cli, &run);
  return status;
}

static TgExit run_sim(TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (options->sweep || g_strv_length(options->arguments) > 1) return tg_sweep(cli);
  if (options->efficiency)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency: expected --sweep p=… with it, as in --sweep p=16,64,256");
  if (options->output)
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: a file is of a table or a sweep: give several ALGOs or --sweep",
                     options->output);
  return run_one(cli);
}

static const char *const options[] = {"grid",     "set",        "n",         "size",  "type",         "network",
                                      "embed",    "machine",    "model",     "fair",  "collective",   "overlap",
                                      "skew",     "jitter",     "straggler", "seed",  "formula",      "symbols",
                                      "sweep",    "efficiency", "output",    "trace", "from",         "tiles",
                                      "pipeline", "in-memory",  "by-rows",   "json",  "memory-limit", NULL};
static const TgExample examples[] = {
    {"sim cannon -n 4096 --grid 8x8 --formula --symbols grama",
     "beside the closed form of the literature, in t_s and t_w"},
    {"sim cannon summa dns -n 4096 --grid 8x8,4x4x4 --network hypercube:6", "a table, fastest first"},
    {"sim cannon dns --sweep n=512..16384:x2,p=64,4096 -o sweep.csv", "who wins where; .svg, .png or .pdf for a plot"},
    {"sim cannon cannon25d --sweep p=16,64,256 --efficiency 0.8", "the n that holds an efficiency"},
    {"sim cannon -n 4096 --grid 8x8 --skew 1e-3 --straggler 5:2 --trace run.json", "a slow node, for Perfetto"},
    {"sim pegmm -n 32768 --grid 8 --network switch --machine cluster-gtx1070 --from disk",
     "matrices on disks, streamed through a GPU"},
    {NULL, NULL},
};

const TgCommand tg_command_sim = {
    .name = "sim",
    .arguments = "ALGO…",
    .summary = "predict the time of schedules on a machine, step by step",
    .details =
        "Every node has a clock of its own: a transfer begins when sender and receiver have come to it, a product when "
        "its blocks are there, and nothing waits for a step. Collectives go in rounds; native means auto here, and "
        "what "
        "travels from one node to another in a round is one message. A machine is a name of `topogemm list machines` "
        "or a file; docs/reference/machines.md has its keys, docs/reference/models.md the models' equations.\n"
        "A network's kind alone (--network mesh, hypercube, full …) is one of that kind with a node for each "
        "processor. Without --network the machine's own is taken where it has a node for each processor, otherwise a "
        "torus of the grid's extents.\n"
        "Several ALGOs, which compute the same, make a table, fastest first. Of the grids in --grid 8x8,4x4x4 each "
        "takes the first with as many "
        "extents as it has coordinates; a --set goes to those that have the parameter.\n"
        "--sweep takes n, p or both: values joined by commas, FIRST..LAST doubling, FIRST..LAST:xF times F, "
        "FIRST..LAST:+D in steps of D. For each p an ALGO gets the squarest (or most cubic) grid of p processors that "
        "it is made for; where there is none, the table has a dash and says why. -o FILE.csv or .json has the numbers, "
        ".svg, .png or .pdf a plot by gnuplot, .gp its script.\n"
        "With --efficiency E a sweep over p finds the least n at which E of the processors' time is products, of the n "
        "that the schedule divides into blocks of one size (on 6x6 multiples of 6). Where the machine has tiles, which "
        "blocks fill more or less, smaller ones may hold it, too.\n"
        "With --from the blocks are on disks, or in the memory of a host with an accelerator, and every local product "
        "streams them (docs/reference/models.md, memory tiers).\n"
        "A schedule is proved first where that takes no longer than a prediction (up to 2^18 processors times "
        "statements); one that fails exits with 3.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 16,
    .run = run_sim,
};
