/* What `compare` says to people. */
#include "compare-command.h"
#include "output.h"

#include "text-units.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 24 };

static void add_error(TgTable *table, double error) {
  tg_table_add(table, isnan(error) ? "-" : "%+.1f %%", 100 * error);
}

static void print_machine(TgCli *cli, const TgCompareCommand *compare) {
  const TgMachine *machine = &compare->machine;
  tg_print(cli, "machine: %s%s\n", machine->name,
           compare->calibrated ? ", calibrated now (--machine takes a file of `topogemm calibrate`)" : "");
}

static void print_problem(TgCli *cli, const TgRunCommand *run) {
  char formula[TG_FORMULA_BYTES];
  const TgComputes *computes = &tg_run_entry(run, 0)->problem.schedule.computes;
  tg_computes_text(computes, formula);
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64, formula, run->input.shape.m, run->input.shape.n);
  if (computes->right != TG_MATRICES) tg_print(cli, ", inner dimension %" PRId64, run->input.shape.k);
  tg_print(cli, ", %s, transport %s\n", tg_element_name(run->input.element), tg_transport_name(run->options.transport));
}

static void print_totals(TgCli *cli, const TgRunEntry *measured, const TgComparison *result) {
  const TgExpectedRun *expected = &result->expected;
  char beside[32], pass[32], spread[32];
  g_autoptr(TgTable) table = tg_table_new("lrl");
  tg_time_text(expected->overhead_s, beside, sizeof beside);
  tg_time_text(expected->pass_s, pass, sizeof pass);
  tg_time_text(measured->run.time.stddev_s, spread, sizeof spread);
  g_autofree char *made =
      g_strdup_printf("%" PRId64 " pass%s of %s through the schedule, plus %s outside them", expected->passes,
                      expected->passes == 1 ? "" : "es one after another", pass, beside);
  g_autofree char *taken =
      measured->run.time.trials == 1
          ? g_strdup("one run")
          : g_strdup_printf("the median of %d runs, standard deviation %s", measured->run.time.trials, spread);
  tg_table_add_time_fact(table, "predicted", expected->time_s, made);
  tg_table_add_time_fact(table, "measured", measured->run.time.median_s, taken);
  tg_table_add(table, "error");
  add_error(table, result->total_error);
  tg_table_add(table, "(predicted - measured) / measured");
  tg_table_print(cli, table, 2, false);
}

static int64_t add_steps(TgTable *table, const TgRunEntry *measured, const TgComparison *result) {
  int64_t folded = 0;
  for (int64_t s = 0; s < measured->run.facts.steps; s++) {
    const bool none = measured->run.steps[s].runs == 0;
    folded += none;
    if (s >= MOST_STEPS) continue;
    tg_table_add(table, "%" PRId64, measured->run.steps[s].index);
    tg_table_add(table, "%s", measured->run.steps[s].label);
    tg_table_add_time(table, none ? NAN : result->predicted_s[s]);
    tg_table_add_time(table, none ? NAN : result->measured_s[s]);
    add_error(table, none ? NAN : result->error[s]);
  }
  return folded;
}

static void print_steps(TgCli *cli, const TgRunEntry *measured, const TgComparison *result, bool takes_turns) {
  static const char *const heads[] = {"step", "label", "predicted", "measured", "error"};
  g_autoptr(TgTable) table = tg_table_new("rlrrr");
  if (!measured->run.steps) return;
  for (size_t h = 0; h < G_N_ELEMENTS(heads); h++) tg_table_add(table, "%s", heads[h]);
  const int64_t folded = add_steps(table, measured, result);
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (measured->run.facts.steps > MOST_STEPS)
    tg_print(cli, "  … and %" PRId64 " more steps; --json has them all\n", measured->run.facts.steps - MOST_STEPS);
  GString *words = g_string_new(NULL);
  g_string_printf(words,
                  "times: of %s in the step, over the whole run; median of the errors without their signs: %.1f %%",
                  takes_turns ? "all processors" : "a processor that takes part", 100 * result->median_abs_step_error);
  if (folded) g_string_append(words, "; a step with - has no time of its own and is counted to the next that has");
  if (result->step_scale != 1)
    g_string_append_printf(words,
                           "; steps are timed in runs of their own, which take longer: measured are their "
                           "times by %.3f",
                           result->step_scale);
  tg_print_wrapped(cli, words->str, 2, 0);
  g_string_free(words, TRUE);
}

static void print_one(TgCli *cli, const TgCompareCommand *compare) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, 0);
  const TgComparison *result = tg_compare_result(compare, 0);
  char grid[48];
  tg_schedule_grid_text(&measured->problem.schedule, grid, sizeof grid);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s on %s, predicted and executed on %s", tg_problem_name(&measured->problem),
                  grid, compare->run.kind->name);
  print_problem(cli, &compare->run);
  print_machine(cli, compare);
  tg_print(cli, "\n");
  print_totals(cli, measured, result);
  print_steps(cli, measured, result, compare->run.kind->traits.takes_turns);
}

static void print_several(TgCli *cli, const TgCompareCommand *compare) {
  static const char *const heads[] = {"",      "grid",  "predicted",       "measured",
                                      "error", "steps", "place predicted", "place measured"};
  const guint count = compare->results->len;
  g_autofree int *predicted = tg_compare_places(compare, false), *measured = tg_compare_places(compare, true);
  g_autoptr(TgTable) table = tg_table_new("llrrrrrr");
  tg_print_styled(cli, TG_STYLE_HEADING, "predicted and executed on %s", compare->run.kind->name);
  print_problem(cli, &compare->run);
  print_machine(cli, compare);
  tg_print(cli, "\n");
  for (size_t h = 0; h < G_N_ELEMENTS(heads); h++) tg_table_add(table, "%s", heads[h]);
  for (guint r = 0; r < count; r++) {
    const TgRunEntry *run = tg_run_entry(&compare->run, r);
    const TgComparison *result = tg_compare_result(compare, r);
    char grid[48];
    tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
    tg_table_add(table, "%s", tg_problem_name(&run->problem));
    tg_table_add(table, "%s", grid);
    tg_table_add_time(table, result->expected.time_s);
    tg_table_add_time(table, run->run.time.median_s);
    add_error(table, result->total_error);
    tg_table_add(table, isnan(result->median_abs_step_error) ? "-" : "%.1f %%", 100 * result->median_abs_step_error);
    tg_table_add(table, "%d", predicted[r]);
    tg_table_add(table, "%d", measured[r]);
  }
  tg_table_print(cli, table, 2, true);
  tg_print_wrapped(cli, "error: (predicted - measured) / measured; steps: median of the steps' errors without signs", 2,
                   0);
  tg_print(cli, "\n  The prediction %s.\n",
           tg_compare_agrees(compare) ? "ranks them as they are, but for ties" : "ranks them otherwise than they are");
}

void tg_compare_print(TgCli *cli, const TgCompareCommand *compare) {
  compare->results->len > 1 ? print_several(cli, compare) : print_one(cli, compare);
  tg_run_print_variants(cli, &compare->run);
  g_autofree char *environment = tg_environment_text(&compare->run.environment);
  tg_print(cli, "executed by %s; %s\n", environment, tg_run_entry(&compare->run, 0)->run.kernel);
}
