/* The literature's closed form beside a prediction; with `sim --formula` in the symbols asked for, and what makes the
 * prediction another one. */
#include "output.h"
#include "sim.h"

#include "algo-library.h"

#include <math.h>
#include <string.h>

TgFormula *tg_algo_formula(const TgAlgo *algo) {
  /* A file that only bears a library schedule's name is another schedule. */
  const TgLibraryEntry *entry = algo->bytes ? NULL : tg_library_formula(tg_algo_name(algo));
  return entry ? tg_formula_parse(entry->text, entry->length, NULL) : NULL;
}

TgExit tg_sim_symbols(const TgCli *cli, TgFormulaSymbols *symbols) {
  const char *text = cli->options.symbols;
  *symbols = TG_FORMULA_ALPHA_BETA;
  if (!text || strcmp(text, "alpha-beta") == 0) return TG_EXIT_DONE;
  *symbols = TG_FORMULA_GRAMA_SYMBOLS;
  if (strcmp(text, "grama") == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--symbols %s: expected grama or alpha-beta", text);
}

static void print_text(TgCli *cli, const char *name, const char *text) {
  if (!text) return;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line && **line; line++) {
    tg_print(cli, "  %-15s", name);
    tg_print_wrapped(cli, *line, 17, 17);
  }
}

static void print_quantity(TgCli *cli, const TgEstimate *run, TgFormulaQuantity quantity, TgFormulaSymbols symbols,
                           const char *name, double seconds) {
  g_autofree char *text = tg_formula_print(run->formula, quantity, symbols);
  g_autofree char *line = isnan(seconds) ? g_strdup(text) : g_strdup_printf("%s = %s", text, tg_time_text(seconds).s);
  print_text(cli, name, line);
}

static void print_symbols(TgCli *cli, const TgEstimate *run, TgFormulaSymbols symbols) {
  static const char *const names[][3] = {{"α", "β", "τ"}, {"t_s", "t_w", "t_h"}};
  TgMachineLink link = tg_machine_link(&run->machine, &run->network, 0, 0);
  g_autofree char *line = g_strdup_printf(
      "%s = %s per message, %s = %.4g ns per word of %" PRId64 " bytes, %s = %s per hop after the first",
      names[symbols][0], tg_time_text(link.latency_s).s, names[symbols][1],
      1e9 * (double)run->options.element_bytes / link.bandwidth_bytes_per_s, run->options.element_bytes,
      names[symbols][2], tg_time_text(link.per_hop_s).s);
  print_text(cli, "where", line);
}

/* Time of the same run, with the same algorithms for its collectives but other options; NaN where that fails. */
static double time_with(const TgEstimate *run, const TgCostOptions *options) {
  TgCost cost = {0};
  TgCostOptions same = *options;
  TgEstimate chosen = *run;
  same.as_executed = true;
  chosen.schedule = run->cost->schedule;
  double seconds = tg_estimate_cost(&chosen, &run->shape, &same, &cost, NULL) ? cost.time_s : NAN;
  tg_cost_clear(&cost);
  return seconds;
}

static void add_reason(TgTable *table, double seconds, const char *words) {
  tg_table_add(table, "%s%s", seconds < 0 ? "-" : "+", tg_time_text(fabs(seconds)).s);
  tg_table_add(table, "%s", words);
}

/* Not worth a line: less than a thousandth of the whole. */
static bool matters(const TgEstimate *run, double seconds) {
  return !isnan(seconds) && fabs(seconds) > 1e-3 * run->closed_form_s;
}

/* The way from the formula to the prediction, a difference at a time: what the formula leaves out under the simplest
 * rules, then what the model adds, then overlap, then what is random. Each is the difference of two predictions. */
static void print_difference(TgCli *cli, const TgEstimate *run) {
  TgCostOptions options = run->options;
  g_autoptr(TgTable) table = tg_table_new("rl");
  double time[4] = {run->closed_form_s, 0, 0, 0};
  options.skew_s = options.jitter = 0;
  options.straggler = -1;
  options.keep_node_steps = false;
  time[3] = time_with(run, &options);
  options.overlap = false;
  time[2] = time_with(run, &options);
  options.model = TG_COST_HOCKNEY;
  time[1] = time_with(run, &options);
  g_autofree char *model = g_strdup_printf("the model %s, not hockney: messages affect one another on their way",
                                           tg_cost_model_name(run->options.model));
  const char *counts = run->network.levels > 1 && time[1] > time[0]
                           ? "messages share links between hosts, or are not those that the formula assumes"
                           : "the messages and products of the schedule are not those that the formula assumes";
  if (matters(run, time[1] - time[0])) add_reason(table, time[1] - time[0], counts);
  if (matters(run, time[2] - time[1])) add_reason(table, time[2] - time[1], model);
  if (matters(run, time[3] - time[2]))
    add_reason(table, time[3] - time[2], "products overlap with transfers (--overlap on); the formula adds both times");
  if (matters(run, run->cost->time_s - time[3]))
    add_reason(table, run->cost->time_s - time[3], "--skew, --jitter and --straggler");
  double whole = run->cost->time_s - run->closed_form_s;
  if (!matters(run, whole)) {
    tg_print(cli, "  The prediction and the formula agree within a thousandth.\n");
  } else {
    tg_print(cli, "  The prediction is %.3g%% %s than the formula:\n", fabs(100 * whole / run->closed_form_s),
             whole < 0 ? "less" : "more");
    tg_table_print(cli, table, 4, false);
  }
}

TgExit tg_sim_print_formula(TgCli *cli, const TgEstimate *run) {
  TgFormulaSymbols symbols;
  TgExit status = tg_sim_symbols(cli, &symbols);
  if (status) return status;
  if (!run->formula) {
    tg_print(cli, "\nclosed form: the library has none for %s\n", tg_sim_name(run));
    return TG_EXIT_DONE;
  }
  tg_print_styled(cli, TG_STYLE_HEADING, "\nclosed form");
  tg_print(cli, ": %s\n", tg_formula_text(run->formula, TG_FORMULA_TITLE));
  print_text(cli, "source", tg_formula_text(run->formula, TG_FORMULA_SOURCE));
  print_text(cli, "checked", tg_formula_text(run->formula, TG_FORMULA_CHECKED));
  print_quantity(cli, run, TG_FORMULA_COMMUNICATION, symbols, "communication", run->closed_form_communication_s);
  print_quantity(cli, run, TG_FORMULA_COMPUTE, symbols, "products", run->closed_form_compute_s);
  if (tg_machine_has_one_link(&run->machine, &run->network)) print_symbols(cli, run, symbols);
  if (symbols == TG_FORMULA_GRAMA_SYMBOLS)
    print_text(cli, "as printed", tg_formula_text(run->formula, TG_FORMULA_GRAMA));
  print_text(cli, "isoefficiency", tg_formula_text(run->formula, TG_FORMULA_ISOEFFICIENCY));
  print_text(cli, "it assumes", tg_formula_text(run->formula, TG_FORMULA_ASSUMES));
  if (run->closed_form_why)
    tg_print(cli, "  It does not apply here: %s.\n", run->closed_form_why);
  else
    print_difference(cli, run);
  return TG_EXIT_DONE;
}
