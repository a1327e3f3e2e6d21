/* The machine of a comparison: a file that fits what runs, or a calibration. */
#include "compare-command.h"
#include "machine-option.h"
#include "phase.h"

#include <math.h>
#include <string.h>

static TgExit refuse(const TgCli *cli, const TgCompareCommand *compare, const char *what, const char *has,
                     const char *wanted) {
  return tg_report(cli, TG_EXIT_USAGE,
                   "--machine %s: it was measured with %s %s, this is %s; topogemm calibrate --on %s --transport %s "
                   "--type %s makes one for it",
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
                     "--machine %s: it has no [executor], so its numbers are of no executor; topogemm calibrate makes "
                     "one that has",
                     cli->options.machine);
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++)
    if (strcmp(names[n].has, names[n].wanted) != 0)
      return refuse(cli, compare, names[n].what, names[n].has, names[n].wanted);
  return TG_EXIT_DONE;
}

/* What an executor's links are predicted by is one [link], from each processor to each. */
static TgExit check_links(const TgCli *cli, const TgMachine *machine) {
  bool own = *machine->network != '\0';
  for (int l = 0; l < TG_MAX_LEVELS; l++) own = own || machine->level[l].given;
  for (int a = 0; a < TG_MACHINE_AXES; a++) own = own || machine->axis[a].given;
  if (!own) return TG_EXIT_DONE;
  return tg_report(
      cli, TG_EXIT_USAGE,
      "--machine %s: it has a network, levels or links of axes, and the processors of an executor have one "
      "[link] from each to each",
      cli->options.machine);
}

static void warn(const TgCli *cli, const TgCompareCommand *compare) {
  const TgMachineExecutor *executor = &compare->machine.executor;
  const char *device = tg_environment_device(&compare->run.environment);
  /* The file has no room for all of a very long name. */
  const size_t room = sizeof executor->device - 1;
  if (*executor->device && strncmp(executor->device, device, room) != 0)
    tg_report(cli, TG_EXIT_DONE, "warning: --machine %s was measured on %s, this is %s", cli->options.machine,
              executor->device, device);
  for (guint r = 0; r < compare->run.results->len; r++) {
    const TgProblem *problem = &tg_run_entry(&compare->run, r)->problem;
    const int64_t processors = tg_schedule_processors(&problem->schedule);
    if (executor->processors == 1 && processors > 1)
      tg_report(cli, TG_EXIT_DONE,
                "warning: --machine %s was measured with one processor, which has no links to measure; %s has %" PRId64,
                cli->options.machine, tg_problem_name(problem), processors);
    else if (!compare->run.kind->traits.takes_turns && executor->processors > 0 &&
             (double)processors != executor->processors)
      tg_report(cli, TG_EXIT_DONE,
                "warning: --machine %s was measured with %g processors at once, %s has %" PRId64
                ": what they share is shared otherwise",
                cli->options.machine, executor->processors, tg_problem_name(problem), processors);
  }
}

/* How many processors share the device says how large the tiles of each are. Where problems are tiled around a
 * schedule, blocks are whole tiles, and a file of `calibrate` has none. */
void tg_compare_warn_of_tiles(const TgCli *cli, const TgCompareCommand *compare, guint r) {
  const TgProblem *problem = &tg_run_entry(&compare->run, r)->problem;
  const TgExecutorFacts *facts = &tg_run_entry(&compare->run, r)->run.facts;
  const TgMachineProcessor *processor = &compare->machine.processor;
  const double has[] = {fmax(processor->tile_rows, 1), fmax(processor->tile_columns, 1)};
  const int32_t runs[] = {MAX(facts->tile[0], 1), MAX(facts->tile[1], 1)};
  if (processor->tile_rows == 0 && processor->tile_columns == 0) return;
  if (has[0] == runs[0] && has[1] == runs[1]) return;
  tg_report(
      cli, TG_EXIT_DONE,
      "warning: %s%s has processors that multiply %gx%g of C at a time, those of %s multiply %dx%d: its rates are "
      "of other tiles",
      compare->calibrated ? "the calibration" : "--machine ", compare->calibrated ? "" : cli->options.machine, has[0],
      has[1], tg_problem_name(problem), runs[0], runs[1]);
}

/* Beyond its ends a table of rates says that of the end, which within a factor of two is about right. */
void tg_compare_warn_of_sizes(const TgCli *cli, const TgCompareCommand *compare, guint r) {
  const double far = 2;
  const TgMachineRates *rates = &compare->machine.processor.rate;
  const TgProblem *problem = &tg_run_entry(&compare->run, r)->problem;
  if (rates->rows == 0 || problem->schedule.computes.right == TG_MATRICES) return;
  const TgProductSize product = tg_largest_product(&problem->schedule, &tg_compare_result(compare, r)->expected.shape);
  const double side = cbrt(tg_machine_tiled_elements(&compare->machine, product.m, product.n) * (double)product.k);
  const double least = rates->row[0].size, most = rates->row[rates->rows - 1].size;
  if (side * far >= least && side <= most * far) return;
  tg_report(
      cli, TG_EXIT_DONE,
      "warning: %s%s has rates of products of %.4g to %.4g elements along a side, those of %s have %.4g: what they "
      "take is a guess",
      compare->calibrated ? "the calibration" : "--machine ", compare->calibrated ? "" : cli->options.machine, least,
      most, tg_problem_name(problem), side);
}

/* On the grid of the first ALGO and with its kernel, so that as many processors share what they share. */
static TgExit calibrate_options(const TgCli *cli, TgCompareCommand *compare) {
  char grid[48];
  tg_schedule_grid_text(&tg_run_entry(&compare->run, 0)->problem.schedule, grid, sizeof grid);
  compare->calibrate.kind = compare->run.kind;
  return tg_calibrate_options(cli, grid, &compare->calibrate);
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

TgExit tg_compare_machine(const TgCli *cli, TgCompareCommand *compare) {
  if (!cli->options.machine) return calibrate_options(cli, compare);
  if (cli->options.sizes || cli->options.budget)
    return tg_report(cli, TG_EXIT_USAGE,
                     "%s is for calibrating, and --machine gives what that would find: leave one out",
                     cli->options.sizes ? "--sizes" : "--budget");
  TgExit status = tg_machine_option(cli, &compare->machine);
  if (!status) status = check_names(cli, compare);
  return status ? status : check_links(cli, &compare->machine);
}

TgExit tg_compare_calibrate(TgCli *cli, TgCompareCommand *compare) {
  if (!cli->options.machine) return calibrate(cli, compare);
  warn(cli, compare);
  return TG_EXIT_DONE;
}
