/* What `sim` says to people. */
#include "output.h"
#include "sim.h"

#include <math.h>

enum { MOST_STEPS = 24 };

/* Seconds with a unit that leaves one to three digits before the point. */
static void time_text(double seconds, char *text, size_t size) {
  static const struct {
    double above, factor;
    const char *unit;
  } units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0, 1e6, "us"}};
  int u = 0;
  while (seconds < units[u].above) u++;
  g_snprintf(text, size, "%.4g %s", seconds * units[u].factor, units[u].unit);
}

static void print_head(TgCli *cli, const TgSimRun *run) {
  char grid[48], formula[TG_FORMULA_BYTES];
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  tg_computes_text(&run->problem.schedule.computes, formula);
  tg_print(cli, "%s on %s: %s, C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s\n",
           tg_problem_name(&run->problem), grid, formula, run->shape.m, run->shape.n, run->shape.k,
           tg_element_name(run->element));
  tg_print(cli, "machine: %s; network %s, %s; model %s, collectives %s, overlap %s\n\n", run->machine.name,
           run->network_text, tg_embedding_name((int)run->embedding), tg_cost_model_name(run->options.model),
           tg_collective_name(run->options.collective), run->options.overlap ? "on" : "off");
}

static void add_time(TgTable *table, const char *name, double seconds, const char *words) {
  char text[32];
  time_text(seconds, text, sizeof text);
  tg_table_add(table, "%s", name);
  tg_table_add(table, "%s", text);
  tg_table_add(table, "%s", words);
}

static void print_times(TgCli *cli, const TgSimRun *run) {
  const TgCost *cost = &run->cost;
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *rate = cost->time_s > 0 ? g_strdup_printf("%.4g Gflop/s over %" PRId64 " nodes",
                                                             cost->flops / cost->time_s * 1e-9, cost->nodes)
                                           : g_strdup("");
  add_time(table, "predicted time", cost->time_s, rate);
  add_time(table, "products", cost->compute_s, "of the node that ends last");
  add_time(table, "communication", cost->communication_s,
           "the rest of its time: transfers that nothing hides, and waiting");
  if (!isnan(run->closed_form_s))
    add_time(table, "closed form", run->closed_form_s, tg_formula_text(run->formula, TG_FORMULA_SOURCE));
  tg_table_print(cli, table, 2, false);
  tg_print(cli,
           "  %" PRId64 " messages, %" PRId64 " bytes, %" PRId64 " bytes times links crossed; busiest link %" PRId64
           " bytes\n",
           cost->messages, cost->bytes, cost->hop_bytes, cost->max_link_bytes);
}

/* The formula, what it leaves out, and why a prediction may differ from it. */
static void print_form(TgCli *cli, const TgSimRun *run) {
  if (!run->formula) return;
  g_autofree char *form = tg_formula_print(run->formula, TG_FORMULA_COMMUNICATION, TG_FORMULA_ALPHA_BETA);
  const char *assumes = tg_formula_text(run->formula, TG_FORMULA_ASSUMES);
  tg_print(cli, "\n  closed form of the communication: %s\n", form);
  if (run->closed_form_why) tg_print(cli, "  it does not apply here: %s\n", run->closed_form_why);
  g_auto(GStrv) lines = g_strsplit(assumes ? assumes : "", "\n", -1);
  for (char **line = lines; *line && **line; line++) {
    tg_print(cli, "    ");
    g_autofree char *text = g_strconcat("it assumes: ", *line, NULL);
    tg_print_wrapped(cli, text, 6, 4);
  }
}

static void print_steps(TgCli *cli, const TgCost *cost) {
  g_autoptr(TgTable) table = tg_table_new("rlrrrrr");
  static const char *const heads[] = {"step", "label", "start", "end", "messages", "bytes", "busiest link"};
  for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) tg_table_add(table, "%s", heads[i]);
  for (int64_t i = 0; i < MIN(cost->trace.steps, MOST_STEPS); i++) {
    const TgTraceStep *step = &cost->trace.step[i];
    char start[32], end[32];
    time_text(step->start_s, start, sizeof start);
    time_text(step->end_s, end, sizeof end);
    tg_table_add(table, "%" PRId64, step->index);
    tg_table_add(table, "%s", step->label);
    tg_table_add(table, "%s", start);
    tg_table_add(table, "%s", end);
    tg_table_add(table, "%" PRId64, step->messages);
    tg_table_add(table, "%" PRId64, step->bytes);
    tg_table_add(table, "%" PRId64, cost->step_max_link_bytes[i]);
  }
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (cost->trace.steps > MOST_STEPS)
    tg_print(cli, "  … and %" PRId64 " more steps; --json has them all\n", cost->trace.steps - MOST_STEPS);
  tg_print(
      cli,
      "  start: the first node enters the step; end: the last node leaves it; bytes of messages, and over one link\n");
}

void tg_sim_print(TgCli *cli, const TgSimRun *run) {
  print_head(cli, run);
  print_times(cli, run);
  print_form(cli, run);
  print_steps(cli, &run->cost);
}
