/* topogemm show: a schedule's text. */
#include "output.h"
#include "algo.h"

static TgExit run(TgCli *cli) {
  g_auto(TgAlgo) algo = {0};
  TgExit status = tg_algo_parse(cli, &algo, cli->options.arguments[0]);
  if (!status) tg_print_bytes(cli, algo.source.text, algo.source.length);
  return status;
}

static const char *const options[] = {NULL};
static const TgExample examples[] = {
    {"show cannon", "Cannon's algorithm"},
    {"show cannon25d > mine.sched", "a copy to edit; `topogemm verify ./mine.sched --grid 4x4x2` then checks it"},
    {"show summa-panels", "a schedule with parameters"},
    {NULL, NULL},
};

const TgCommand tg_command_show = {
    .name = "show",
    .arguments = "ALGO",
    .summary = "print the text of a schedule",
    .details = "ALGO is a name from `topogemm list algorithms` or the path of a .sched file; - reads standard input.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};
