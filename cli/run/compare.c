/* topogemm compare: predicts, runs, and shows both step by step. The machine is a file that fits what runs, or a
 * calibration. */
#include "campaign.h"
#include "compare-command.h"
#include "machine-option.h"
#include "output.h"

#include "phase.h"

#include <math.h>
#include <string.h>

static TgExit refuse(const TgCli *cli, const TgCompareCommand *compare, const char *what, const char *has,
                     const char *wanted) {
  return tg_report(cli, TG_EXIT_USAGE,
                   "--machine %s: it was measured with %s %s, not %s; make a new one with `topogemm calibrate --on %s "
                   "--transport %s --type %s`",
                   cli->options.machine, what, *has ? has : "(none)", wanted, compare->run.kind->name,
                   tg_transport_name(compare->run.options.transport), tg_element_name(compare->run.options.element));
}

static TgExit check_names(const TgCli *cli, const TgCompareCommand *compare) {
  const TgMachineExecutor *executor = &compare->machine.executor;
  const TgRunCommand *run = &compare->run;
  const struct {
    const char *what, *has, *wanted;
  } names[] = {{"--on", executor->on, run->kind->name},
               {"--transport", executor->transport, tg_transport_name(run->options.transport)},
               {"--type", executor->type, tg_element_name(run->options.element)}};
  if (!executor->given)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--machine %s: it has no [executor] section; make one with `topogemm calibrate`",
                     cli->options.machine);
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++)
    if (strcmp(names[n].has, names[n].wanted) != 0)
      return refuse(cli, compare, names[n].what, names[n].has, names[n].wanted);
  return TG_EXIT_DONE;
}

/* Whether the network is the hosts of a job, and the ranks of each. */
static bool are_hosts(const TgExecutorKind *kind, const TgMachine *machine) {
  TgTopology network;
  if (!kind->traits.messages || !tg_topology_parse(&network, machine->network, NULL)) return false;
  return network.levels == 2 && network.level[0].kind == TG_SWITCH && network.level[1].kind == TG_SWITCH;
}

/* What an executor's links are predicted by is one [link], from each processor to each, or one within hosts and one
 * between them. */
static TgExit check_links(const TgCli *cli, const TgExecutorKind *kind, const TgMachine *machine) {
  const bool hosts = are_hosts(kind, machine);
  bool own = *machine->network && !hosts;
  for (int l = hosts ? 2 : 0; l < TG_MAX_LEVELS; l++) own = own || machine->level[l].given;
  for (int a = 0; a < TG_MACHINE_AXES; a++) own = own || machine->axis[a].given;
  if (!own) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "--machine %s: it has a network, levels or per-axis links, but an executor has one [link] between "
                   "every two processors",
                   cli->options.machine);
}

void tg_compare_warn_of_device(const TgCli *cli, const TgMachine *machine, const TgEnvironment *environment) {
  const TgMachineExecutor *executor = &machine->executor;
  const char *device = tg_environment_device(environment);
  /* The file has no room for all of a very long name. */
  const size_t room = sizeof executor->device - 1;
  if (*executor->device && strncmp(executor->device, device, room) != 0)
    tg_report(cli, TG_EXIT_DONE, "warning: --machine %s was measured on %s, but this is %s", cli->options.machine,
              executor->device, device);
}

static unsigned doubts_of_processors(const TgMachine *machine, const TgExecutorKind *kind, const TgAlgo *algo) {
  const double measured = machine->executor.processors, processors = (double)tg_schedule_processors(&algo->schedule);
  if (measured == 1 && processors > 1) return TG_DOUBT_LINKS;
  return kind->on_gpu && measured > 0 && processors != measured ? TG_DOUBT_PROCESSORS : 0;
}

/* Fewer cores at work have more of the caches, of the memory's bandwidth and of the clock rate each. */
static unsigned doubts_of_at_once(const TgMachineExecutor *executor, const TgExecutorFacts *facts) {
  const TgMachineFewer *fewer = &executor->speedup_with_fewer;
  const double least = fewer->rows ? fewer->row[0].at_once : executor->at_once, now = (double)facts->at_once;
  return executor->at_once > 0 && now > 0 && (now < least || now > executor->at_once) ? TG_DOUBT_AT_ONCE : 0;
}

/* How many processors share the device says how large the tiles of each are. Where problems are tiled around a
 * schedule, blocks are whole tiles, and a file of `calibrate` has none. */
static unsigned doubts_of_tiles(const TgMachineProcessor *processor, const TgExecutorFacts *facts) {
  if (processor->tile_rows == 0 && processor->tile_columns == 0) return 0;
  const bool same = fmax(processor->tile_rows, 1) == MAX(facts->tile[0], 1) &&
                    fmax(processor->tile_columns, 1) == MAX(facts->tile[1], 1);
  return same ? 0 : TG_DOUBT_TILES;
}

static double product_side(const TgMachine *machine, const TgAlgo *algo, const TgShape *shape) {
  const TgProductSize product = tg_largest_product(&algo->schedule, shape);
  return cbrt(tg_machine_tiled_elements(machine, product.m, product.n) * (double)product.k);
}

/* Beyond its ends a table of rates says that of the end, which within a factor of two is about right. */
static unsigned doubts_of_sizes(const TgMachine *machine, const TgAlgo *algo, const TgShape *shape) {
  const double far = 2;
  const TgMachineRates *rates = &machine->processor.rate;
  if (rates->rows == 0 || algo->schedule.computes.right == TG_MATRICES) return 0;
  const double side = product_side(machine, algo, shape);
  const bool within = side * far >= rates->row[0].size && side <= rates->row[rates->rows - 1].size * far;
  return within ? 0 : TG_DOUBT_SIZES;
}

unsigned tg_compare_doubts(const TgMachine *machine, const TgExecutorKind *kind, const TgRunEntry *entry,
                           const TgShape *shape) {
  return doubts_of_processors(machine, kind, &entry->algo) | doubts_of_tiles(&machine->processor, &entry->run.facts) |
         doubts_of_at_once(&machine->executor, &entry->run.facts) | doubts_of_sizes(machine, &entry->algo, shape);
}

static void warn(const TgCli *cli, const TgCompareCommand *compare) {
  const TgMachineExecutor *executor = &compare->machine.executor;
  tg_compare_warn_of_device(cli, &compare->machine, &compare->run.environment);
  for (guint r = 0; r < compare->run.results->len; r++) {
    const TgAlgo *algo = &tg_run_entry(&compare->run, r)->algo;
    const int64_t processors = tg_schedule_processors(&algo->schedule);
    const unsigned doubts = doubts_of_processors(&compare->machine, compare->run.kind, algo);
    if (doubts & TG_DOUBT_LINKS)
      tg_report(cli, TG_EXIT_DONE,
                "warning: --machine %s was measured with one processor, so it has no link times; %s has %" PRId64
                " processors",
                cli->options.machine, tg_algo_name(algo), processors);
    if (doubts & TG_DOUBT_PROCESSORS)
      tg_report(cli, TG_EXIT_DONE,
                "warning: --machine %s was measured with %g processors, but %s has %" PRId64
                ", which share resources differently",
                cli->options.machine, executor->processors, tg_algo_name(algo), processors);
  }
}

/* What the warnings below are about. Free with g_free(). */
static char *machine_words(const TgCli *cli, const TgCompareCommand *compare) {
  return compare->calibrated ? g_strdup("the calibration") : g_strdup_printf("--machine %s", cli->options.machine);
}

static void warn_of_tiles(const TgCli *cli, const TgCompareCommand *compare, const TgRunEntry *entry) {
  g_autofree char *machine = machine_words(cli, compare);
  const TgMachineProcessor *processor = &compare->machine.processor;
  tg_report(cli, TG_EXIT_DONE,
            "warning: %s is for processors that multiply %gx%g of C at a time, but those of %s multiply %dx%d: its "
            "rates are for other tiles",
            machine, fmax(processor->tile_rows, 1), fmax(processor->tile_columns, 1), tg_algo_name(&entry->algo),
            MAX(entry->run.facts.tile[0], 1), MAX(entry->run.facts.tile[1], 1));
}

static void warn_of_at_once(const TgCli *cli, const TgCompareCommand *compare, const TgRunEntry *entry) {
  g_autofree char *machine = machine_words(cli, compare);
  const double measured = compare->machine.executor.at_once, now = (double)entry->run.facts.at_once;
  tg_report(
      cli, TG_EXIT_DONE,
      "warning: %s was measured with %g cores or ranks at work at the same time, but %s has %g: each is then %s, so "
      "the run may take much %s than predicted",
      machine, measured, tg_algo_name(&entry->algo), now, now < measured ? "faster" : "slower",
      now < measured ? "less time" : "longer");
}

static void warn_of_sizes(const TgCli *cli, const TgCompareCommand *compare, const TgRunEntry *entry,
                          const TgShape *shape) {
  g_autofree char *machine = machine_words(cli, compare);
  const TgMachineRates *rates = &compare->machine.processor.rate;
  tg_report(cli, TG_EXIT_DONE,
            "warning: %s has rates for products of %.4g to %.4g elements along a side, but those of %s have %.4g: "
            "their time is extrapolated",
            machine, rates->row[0].size, rates->row[rates->rows - 1].size, tg_algo_name(&entry->algo),
            product_side(&compare->machine, &entry->algo, shape));
}

/* On the grid of the first ALGO and with its kernel, so that as many processors share what they share. */
static TgExit calibrate_options(const TgCli *cli, TgCompareCommand *compare) {
  compare->calibrate.kind = compare->run.kind;
  return tg_calibrate_options(cli, tg_schedule_grid_text(&tg_run_entry(&compare->run, 0)->algo.schedule).s,
                              &compare->calibrate);
}

static TgExit calibrate(TgCli *cli, TgCompareCommand *compare) {
  TgCalibrateCommand *command = &compare->calibrate;
  command->plan.options.element = compare->run.options.element;
  command->plan.options.transport = compare->run.options.transport;
  command->plan.options.device = compare->run.options.device;
  command->plan.options.variant = tg_run_entry(&compare->run, 0)->variant;
  command->plan.options.deadline_s = compare->run.options.deadline_s;
  TgExit status =
      tg_executor_device(cli, "compare", command->kind, command->plan.options.device, &command->environment);
  if (!status) status = tg_calibrate_measure(cli, command);
  if (status) return status;
  compare->machine = command->calibration->machine;
  compare->calibrated = true;
  return TG_EXIT_DONE;
}

/* Takes --machine, or what to calibrate with, before there is a device. Refuses a file for another executor, transport
 * or type. */
static TgExit compare_machine(const TgCli *cli, TgCompareCommand *compare) {
  if (!cli->options.machine) return calibrate_options(cli, compare);
  if (cli->options.sizes || cli->options.budget)
    return tg_report(cli, TG_EXIT_USAGE, "%s controls the calibration, which --machine replaces: leave one of them out",
                     cli->options.sizes ? "--sizes" : "--budget");
  TgExit status = tg_machine_option(cli, &compare->machine, NULL);
  if (!status) status = check_names(cli, compare);
  return status ? status : check_links(cli, compare->run.kind, &compare->machine);
}

/* Calibrates where there is no --machine; else warns of one for another device or number of processors. */
static TgExit compare_calibrate(TgCli *cli, TgCompareCommand *compare) {
  if (!cli->options.machine) return calibrate(cli, compare);
  warn(cli, compare);
  return TG_EXIT_DONE;
}

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

TgRanking tg_compare_ranking(const TgCompareCommand *compare) {
  const guint count = compare->results->len;
  g_autofree double *predicted_s = g_new(double, count);
  g_autofree TgMeasurement *measured = g_new(TgMeasurement, count);
  for (guint r = 0; r < count; r++) {
    predicted_s[r] = tg_compare_result(compare, r)->expected.time_s;
    measured[r] = tg_run_entry(&compare->run, r)->run.time;
  }
  return tg_ranking(&compare->machine, predicted_s, measured, (int)count);
}

/* --- the command ---------------------------------------------------------------------------------------------------*/

static TgExit say(TgCli *cli, const TgCompareCommand *compare) {
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_compare_write(json, compare);
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
  const TgRunEntry *entry = tg_run_entry(&compare->run, r);
  const TgShape *shape = &comparison->expected.shape;
  const unsigned doubts = tg_compare_doubts(&compare->machine, compare->run.kind, entry, shape);
  if (doubts & TG_DOUBT_TILES) warn_of_tiles(cli, compare, entry);
  if (doubts & TG_DOUBT_AT_ONCE) warn_of_at_once(cli, compare, entry);
  if (doubts & TG_DOUBT_SIZES) warn_of_sizes(cli, compare, entry, shape);
  return TG_EXIT_DONE;
}

/* Its list says what runs; how is said for all of it, and not blamed on a line. */
static TgExit run_campaign(TgCli *cli) {
  g_auto(TgCompareCommand) compare = {0};
  TgRunCommand *run = &compare.run;
  TgExit status = tg_run_options(cli, "compare", run);
  if (!status) status = tg_transport_option(cli, run->kind, &run->options.transport);
  if (!status) status = tg_type_option(cli, &run->options.element);
  if (!status && !cli->options.machine)
    status = tg_report(cli, TG_EXIT_USAGE,
                       "--campaign needs --machine with a file from `topogemm calibrate --on %s`: all cases are "
                       "predicted from the same file, even after the campaign is resumed",
                       run->kind->name);
  if (!status) status = compare_machine(cli, &compare);
  return status ? status : tg_campaign(cli, run, &compare.machine);
}

static TgExit check_words(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (!options->arguments)
    return tg_report(cli, TG_EXIT_USAGE, "compare: expected ALGO…; see `topogemm compare --help`");
  if (options->plot || options->dry_run)
    return tg_report(cli, TG_EXIT_USAGE, "%s: only with --campaign", options->plot ? "--plot" : "--dry-run");
  return TG_EXIT_DONE;
}

static TgExit run_compare(TgCli *cli) {
  if (cli->options.campaign) return run_campaign(cli);
  g_auto(TgCompareCommand) compare = {.results = g_ptr_array_new_with_free_func(free_result)};
  TgRunCommand *run = &compare.run;
  TgExit status = check_words(cli);
  if (!status) status = tg_compare_file_check(cli);
  if (!status) status = tg_run_begin(cli, "compare", run);
  if (!status && run->transport_count > 1)
    status = tg_report(cli, TG_EXIT_USAGE, "--transport %s: expected a single transport, that of the machine file",
                       cli->options.transport);
  if (!status) status = compare_machine(cli, &compare);
  if (!status) status = tg_run_open(cli, run);
  if (!status) status = compare_calibrate(cli, &compare);
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
                                      "campaign",
                                      "dry-run",
                                      "plot",
                                      "machine:compare",
                                      "sizes:calibrate",
                                      "budget:calibrate",
                                      "trials",
                                      "warmup",
                                      "deadline",
                                      "overlap:run",
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
    {"compare --campaign cases.txt --on cpu --machine my.machine -o results.csv",
     "predict all cases of a list, then run them; if it is stopped, repeat the command to resume"},
    {NULL, NULL},
};

const TgCommand tg_command_compare = {
    .name = "compare",
    .arguments = "[ALGO…]",
    .summary = "predict a run, measure it, and show both step by step with the error",
    .details =
        "Predicts first, from the schedule, the sizes and the machine file of `topogemm calibrate`, with the hockney "
        "model: one pass through the schedule, times the number of consecutive passes. Then runs, checks and measures "
        "as `topogemm run` does. Errors are (predicted - measured) / measured (docs/guide/compare.md).\n"
        "A step without a time of its own, such as a move hidden behind products, counts towards the next step that "
        "has one. Several ALGOs make a table with the predicted and the measured ranking. -o writes the document "
        "(.json), a plot (.svg, .png, .pdf) or its gnuplot script (.gp).\n"
        "With --campaign the predictions of all cases are written to -o (.csv) before the first case runs, and each "
        "measurement as soon as it has been taken. The report gives the errors of the predictions and of the closed "
        "forms, the rank correlation, and how much slower the schedule predicted to be fastest is than the one that "
        "was.",
    .examples = examples,
    .options = options,
    .arguments_min = 0,
    .arguments_max = 16,
    .run = run_compare,
};
