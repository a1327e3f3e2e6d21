/* topogemm bench: experiments on this machine. */
#include "bench.h"

#include "output.h"
#include "report.h"

#include <string.h>

static const TgExperiment experiments[] = {
    {"ladder", "every kernel of the ladder beside cuBLAS, on one GPU", tg_bench_ladder},
};

static TgExit run(TgCli *cli) {
  const char *name = cli->options.arguments[0];
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t e = 0; e < G_N_ELEMENTS(experiments); e++) {
    if (strcmp(name, experiments[e].name) == 0) return experiments[e].run(cli);
    g_string_append_printf(known, "%s%s", e ? ", " : "", experiments[e].name);
  }
  return tg_report(cli, TG_EXIT_USAGE, "bench %s: no experiment of that name; there is: %s", name, known->str);
}

static const char *const options[] = {"sizes", "type", "kernels", "cold", "seed", "json", "output", NULL};
static const TgExample examples[] = {
    {"bench ladder", "all kernels at 1024 to 8192"},
    {"bench ladder --sizes 2048,4096 --kernels bulk,cublas --json -o ladder.json", "two of them, for another program"},
    {NULL, NULL},
};

const TgCommand tg_command_bench = {
    .name = "bench",
    .arguments = "EXPERIMENT",
    .summary = "measure on this machine: the ladder of kernels",
    .details =
        "Experiments: ladder, every kernel of `topogemm list kernels` beside cuBLAS, in one run and on the same random "
        "matrices. Times are of single launches by the GPU's own clock, without transfers: the median of up to 31 "
        "after two to warm up. A kernel that would take over two seconds a launch is left out, and named. With "
        "--cold each launch finds an empty second-level cache. The clock of the card is read before and after.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
