/* topogemm sim: what a schedule would cost on a machine. */
#include "sim.h"
#include "output-files.h"
#include "progress.h"
#include "sweep-command.h"

#include <math.h>

static TgExit open_run(TgCli *cli, TgSimRun *run) {
  TgFormulaSymbols symbols;
  TgExit status = tg_sim_symbols(cli, &symbols);
  if (!status) status = tg_sim_open(cli, run, cli->options.arguments[0], false);
  if (!status && cli->options.trace) status = tg_output_files_check(cli);
  if (!status) status = tg_sim_prove(cli, run);
  return status ? status : tg_sim_trace_prepare(cli, run);
}

static TgExit predict(TgCli *cli, TgSimRun *run) {
  TgCostOptions *options = &run->estimate.options;
  TgProgressLine line;
  tg_progress_begin(&line, cli, "sim", run->estimate.statements);
  options->watch = &line.watch;
  options->explain = true;
  TgExit status = tg_sim_predict(cli, run);
  options->watch = NULL;
  tg_progress_end(cli);
  return status;
}

/* Takes --seeds; 0 where there is none. */
static TgExit seeds_option(const TgCli *cli, int64_t *seeds) {
  const TgOptions *options = &cli->options;
  *seeds = 0;
  if (!options->seeds) return TG_EXIT_DONE;
  if (!options->skew && !options->jitter)
    return tg_report(cli, TG_EXIT_USAGE, "--seeds needs --skew or --jitter: without them every seed predicts the same");
  return tg_number_parse(cli, "--seeds", options->seeds, 2, 100000, seeds);
}

static TgExit predict_seeds(TgCli *cli, TgSimRun *run, int64_t seeds) {
  TgProgressLine line;
  GError *error = NULL;
  if (seeds == 0) return TG_EXIT_DONE;
  tg_progress_begin(&line, cli, "sim: seeds", seeds);
  const bool done = tg_estimate_seeds(&run->estimate, (int32_t)seeds, &line.watch, &error);
  tg_progress_end(cli);
  return done ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit run_one(TgCli *cli) {
  g_auto(TgSimRun) run = {0};
  TgEstimate *estimate = &run.estimate;
  int64_t seeds;
  TgExit status = seeds_option(cli, &seeds);
  if (!status) status = open_run(cli, &run);
  if (!status) status = predict(cli, &run);
  if (!status) status = predict_seeds(cli, &run, seeds);
  if (status) return status;
  tg_estimate_closed_form(estimate);
  if (cli->options.json)
    tg_sim_print_json(cli, estimate);
  else
    tg_sim_print(cli, estimate);
  if (!cli->options.json && (cli->options.formula || cli->options.symbols))
    status = tg_sim_print_formula(cli, estimate);
  if (!status) status = tg_sim_trace_write(cli, &run);
  tg_sim_warn_memory(cli, estimate);
  return status;
}

static TgExit run_sim(TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (options->seeds && (options->sweep || g_strv_length(options->arguments) > 1))
    return tg_report(cli, TG_EXIT_USAGE, "--seeds: expected one ALGO and no --sweep");
  if (options->sweep || g_strv_length(options->arguments) > 1) return tg_sweep_run(cli);
  if (options->efficiency)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency: add --sweep p=…, as in --sweep p=16,64,256");
  if (options->output)
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: only a table or a sweep goes to a file: give several ALGOs or --sweep",
                     options->output);
  return run_one(cli);
}

static const char *const options[] = {
    "grid",  "set",   "n",          "size",     "type:calibrate", "network",    "embed",  "machine",
    "model", "fair",  "collective", "overlap",  "buffers",        "skew",       "jitter", "straggler",
    "seed",  "seeds", "formula",    "symbols",  "sweep",          "efficiency", "output", "trace",
    "from",  "tiles", "memory:sim", "pipeline", "in-memory",      "by-rows",    "json",   "memory-limit",
    NULL};
static const TgExample examples[] = {
    {"sim cannon -n 4096 --grid 8x8 --formula --symbols grama",
     "with the closed form from the literature, in t_s and t_w"},
    {"sim cannon summa dns -n 4096 --grid 8x8,4x4x4 --network hypercube:6", "a table, fastest first"},
    {"sim cannon dns --sweep n=512..16384:x2,p=64,4096 -o sweep.csv",
     "which schedule wins where; use .svg, .png or .pdf for a plot"},
    {"sim cannon cannon25d --sweep p=16,64,256 --efficiency 0.8", "the n that maintains an efficiency of 0.8"},
    {"sim cannon -n 4096 --grid 8x8 --skew 1e-3 --seeds 50 --trace run.json",
     "how far late starts move the time, and one run as a trace for Perfetto"},
    {"sim pegmm -n 32768 --grid 8 --network switch --machine cluster-gtx1070 --from disk",
     "matrices on disks, streamed through a GPU"},
    {NULL, NULL},
};

const TgCommand tg_command_sim = {
    .name = "sim",
    .arguments = "ALGO…",
    .summary = "predict the time of schedules on a machine, step by step",
    .details =
        "Each node has its own clock. A transfer begins when sender and receiver have both reached it. A product "
        "begins when its blocks have arrived. No node waits for the end of a step. Collectives are carried out in "
        "rounds (native means auto here); everything that one node sends to another in a round is one message. "
        "docs/reference/machines.md lists the keys of a machine file; docs/reference/models.md has the equations of "
        "the models.\n"
        "Without --network, the machine's own network is used if it has a node for each processor, otherwise a torus "
        "of the grid's extents.\n"
        "Several ALGOs that compute the same product make a table, fastest first. Each uses the first grid of --grid "
        "8x8,4x4x4 with as many extents as the schedule has coordinates. --set applies to every schedule that has the "
        "parameter.\n"
        "--sweep takes n, p or both. Their values are separated by commas or given as a range: FIRST..LAST doubles, "
        "FIRST..LAST:xF multiplies by F, FIRST..LAST:+D adds D. For each p a schedule gets the squarest (or most "
        "cubic) grid of p processors that it supports; if there is none, the table shows a dash and the reason. -o "
        "writes the numbers (.csv, .json), a plot (.svg, .png, .pdf) or its gnuplot script (.gp).\n"
        "--efficiency E with a sweep over p finds the smallest n at which products take a fraction E of the "
        "processors' time. Only n that divide into equal blocks are tried (multiples of 6 on 6x6). On a machine with "
        "tiles, which blocks may fill only partly, a smaller n may also reach E.\n"
        "--from reads the operands of local products from disks, or from the memory of a host with an accelerator "
        "(docs/reference/models.md, memory tiers).\n"
        "A schedule is proved first if that takes no longer than a prediction (up to 2^18 processors times "
        "statements). If the proof fails, the exit status is 3.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 16,
    .run = run_sim,
};
