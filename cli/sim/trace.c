/* topogemm trace: a prediction, and a run, on one time axis for Perfetto. */
#include "output-files.h"
#include "run-command.h"
#include "sim.h"

#include <string.h>

static TgExit check_given(const TgCli *cli) {
  const char *path = cli->options.trace;
  if (!path) return tg_report(cli, TG_EXIT_USAGE, "trace: expected -o FILE.json, as in -o trace.json");
  if (!g_str_has_suffix(path, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .json", path);
  if (!cli->options.n && !cli->options.size)
    return tg_report(cli, TG_EXIT_USAGE, "trace: expected the sizes of the matrices, -n or --size");
  return tg_output_files_check(cli);
}

static TgExit open_run(TgCli *cli, TgSimRun *run) {
  TgExit status = check_given(cli);
  if (!status) status = tg_sim_open(cli, run, cli->options.arguments[0], false);
  if (!status) status = tg_sim_prove(cli, run);
  return status ? status : tg_sim_trace_prepare(cli, run);
}

/* --- beside a run --------------------------------------------------------------------------------------------------*/

/* What is about a run alone is refused where there is none. */
static TgExit check_measured(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  const char *const names[] = {"transport", "trials", "warmup", "deadline", "device", "variant"};
  const char *const values[] = {options->transport, options->trials, options->warmup,
                                options->deadline,  options->device, options->variant};
  for (size_t i = 0; i < G_N_ELEMENTS(names) && !options->on; i++)
    if (values[i]) return tg_report(cli, TG_EXIT_USAGE, "--%s applies to a run: add --on EXECUTOR", names[i]);
  if (options->transport && strchr(options->transport, ','))
    return tg_report(cli, TG_EXIT_USAGE, "--transport %s: expected a single transport", options->transport);
  return TG_EXIT_DONE;
}

static TgExit measure(TgCli *cli, TgRunCommand *measured) {
  TgExit status = tg_run_begin(cli, "trace", measured);
  if (!status) status = tg_run_open(cli, measured);
  if (!status) status = tg_run_measure(cli, measured, measured->results->pdata[0], NULL, NULL);
  if (status) return status;
  tg_environment_end(&measured->environment);
  return tg_run_check(cli, measured);
}

static TgExit run_trace(TgCli *cli) {
  g_auto(TgSimRun) run = {0};
  g_auto(TgRunCommand) measured = {0};
  const bool on = cli->options.on != NULL;
  TgExit status = check_measured(cli);
  if (!status) status = open_run(cli, &run);
  if (!status) status = tg_sim_predict(cli, &run);
  if (!status && on) status = measure(cli, &measured);
  if (!status) status = tg_sim_trace_beside(cli, &run, on ? &measured : NULL);
  if (!status) tg_sim_warn_memory(cli, &run.estimate);
  return status;
}

static const char *const options[] = {
    "grid",     "set",       "n",       "size",       "type:calibrate", "network", "embed",
    "machine",  "model",     "fair",    "collective", "overlap",        "buffers", "skew",
    "jitter",   "straggler", "seed",    "on:trace",   "transport",      "trials",  "warmup",
    "deadline", "device",    "variant", "no-cache",   "output:trace",   "quiet",   "memory-limit",
    NULL};
static const TgExample examples[] = {
    {"trace cannon --grid 4x4 -n 4096 -o trace.json", "open it in https://ui.perfetto.dev"},
    {"trace summa --grid 8x8 -n 4096 --collective ring -o ring.json",
     "a broadcast in rounds, with a flow for each message"},
    {"trace cannon --grid 4x4 -n 4096 --straggler 5:3 --model flow -o slow.json",
     "which processors wait for a slow node"},
    {"trace cannon --grid 4x4 -n 512 --on cpu -o both.json", "prediction and execution in one trace"},
    {NULL, NULL},
};

const TgCommand tg_command_trace = {
    .name = "trace",
    .arguments = "ALGO",
    .summary = "write times, messages and link loads as Chrome trace events for Perfetto",
    .details =
        "Each processor is a track with its steps. A step contains its products, with the names of the blocks; the "
        "remaining time is communication. Messages are flows with block and bytes. Link loads are counters, for up to "
        "64 links. A prediction times steps, not messages, so a flow goes from the sender's step to the receiver's. "
        "`sim --trace` writes the same trace.\n"
        "--on also executes the schedule and adds its steps as process 2 on the same time axis; the prediction is "
        "still that of --machine. `compare --trace` predicts the executor itself and takes several ALGOs.\n"
        "Above 200000 events, each track stands for one or more rows of the grid, and each flow for all messages "
        "between two tracks. Standard error and the file (otherData.left_out) list what is left out. A schedule is "
        "proved first, as in `sim`; if the proof fails, nothing is written and the exit status is 3.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run_trace,
};
