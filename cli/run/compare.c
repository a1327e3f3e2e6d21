/* topogemm compare: predicts, runs, and shows both step by step. */
#include "compare-command.h"
#include "output.h"
#include "progress.h"

#include "measurement.h"

#include <math.h>
#include <stdlib.h>

static void free_result(gpointer data) {
  TgComparison *comparison = data;
  tg_comparison_clear(comparison);
  g_free(comparison);
}

static void clear_compare(TgCompareCommand *compare) {
  tg_run_clear(&compare->run);
  tg_calibrate_clear(&compare->calibrate);
  g_clear_pointer(&compare->results, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgCompareCommand, clear_compare)

/* --- ranks --------------------------------------------------------------------------------------------------------*/

int *tg_compare_places(const TgCompareCommand *compare, bool measured) {
  g_autofree double *time_s = g_new(double, compare->results->len);
  for (guint r = 0; r < compare->results->len; r++)
    time_s[r] =
        measured ? tg_run_entry(&compare->run, r)->run.time.median_s : tg_compare_result(compare, r)->expected.time_s;
  return tg_places(time_s, (int)compare->results->len);
}

bool tg_compare_agrees(const TgCompareCommand *compare) {
  for (guint r = 0; r < compare->results->len; r++)
    for (guint other = 0; other < r; other++)
      if (!tg_compare_agree(tg_compare_result(compare, r)->expected.time_s, &tg_run_entry(&compare->run, r)->run.time,
                            tg_compare_result(compare, other)->expected.time_s,
                            &tg_run_entry(&compare->run, other)->run.time))
        return false;
  return true;
}

/* --- the command ---------------------------------------------------------------------------------------------------*/

static TgExit say(TgCli *cli, const TgCompareCommand *compare) {
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_compare_write(cli, json, compare);
    tg_print_json(cli, json);
  } else if (!cli->options.quiet) {
    tg_compare_print(cli, compare);
  }
  const TgExit status = tg_compare_file(cli, compare);
  return status ? status : tg_compare_trace(cli, compare);
}

static TgExit measure(TgCli *cli, TgCompareCommand *compare, guint r) {
  TgComparison *comparison = g_new0(TgComparison, 1);
  g_ptr_array_add(compare->results, comparison);
  const TgExit status =
      tg_run_measure(cli, &compare->run, compare->run.results->pdata[r], &compare->machine, comparison);
  if (status) return status;
  tg_compare_warn_of_tiles(cli, compare, r);
  tg_compare_warn_of_sizes(cli, compare, r);
  return TG_EXIT_DONE;
}

static TgExit run_compare(TgCli *cli) {
  g_auto(TgCompareCommand) compare = {.results = g_ptr_array_new_with_free_func(free_result)};
  TgRunCommand *run = &compare.run;
  TgExit status = tg_compare_file_check(cli);
  if (!status) status = tg_run_begin(cli, "compare", run);
  if (!status && run->transport_count > 1)
    status =
        tg_report(cli, TG_EXIT_USAGE, "--transport %s: expected one, that of the machine file", cli->options.transport);
  if (!status) status = tg_compare_machine(cli, &compare);
  if (!status) status = tg_run_open(cli, run);
  if (!status) status = tg_compare_calibrate(cli, &compare);
  for (guint r = 0; !status && r < run->results->len; r++) status = measure(cli, &compare, r);
  if (status) return status;
  tg_environment_end(&run->environment);
  status = say(cli, &compare);
  return status ? status : tg_run_check(cli, run);
}

static const char *const options[] = {"on",
                                      "grid",
                                      "set",
                                      "n",
                                      "size",
                                      "a",
                                      "b",
                                      "type",
                                      "seed",
                                      "integers",
                                      "collective",
                                      "transport",
                                      "machine:compare",
                                      "sizes:calibrate",
                                      "budget:calibrate",
                                      "trials",
                                      "warmup",
                                      "deadline",
                                      "device",
                                      "variant",
                                      "no-cache",
                                      "json",
                                      "output:compare",
                                      "trace:compare",
                                      "quiet",
                                      "memory-limit",
                                      NULL};
static const TgExample examples[] = {
    {"compare cannon -n 200 --grid 2x2 --on cpu", "calibrate, predict, run, and show both step by step"},
    {"compare cannon summa dns -n 256 --grid 4x4,2x2x2 --on cpu --machine my.machine",
     "does the machine file from `calibrate` rank these schedules correctly?"},
    {"compare summa -n 512 --grid 3x3 --on cpu --trace both.json -o steps.svg", "both on one time axis, and a plot"},
    {NULL, NULL},
};

const TgCommand tg_command_compare = {
    .name = "compare",
    .arguments = "ALGO…",
    .summary = "predict a run, measure it, and show both step by step with the error",
    .details =
        "Predicts first, from the schedule, the sizes and the machine file of `topogemm calibrate`, with the hockney "
        "model: one pass through the schedule, times the number of consecutive passes. Then runs, checks and measures "
        "as `topogemm run` does. Errors are (predicted - measured) / measured (docs/guide/compare.md).\n"
        "A step without time of its own, such as a move hidden behind products, counts towards the next step that has "
        "some. Several ALGOs make a table with the predicted and the measured order. -o writes the document (.json), a "
        "plot (.svg, .png, .pdf) or its gnuplot script (.gp).",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 16,
    .run = run_compare,
};
