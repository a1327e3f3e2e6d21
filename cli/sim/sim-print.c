/* What `sim` says to people. */
#include "output.h"
#include "sim.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 24 };

/* Those that the grid does not show: " with b = 2". */
static void print_parameters(TgCli *cli, const TgProblem *problem) {
  const TgSchedule *schedule = &problem->schedule;
  const char *before = " with";
  for (int p = 0; p < schedule->parameters; p++) {
    if (schedule->parameter_kind[p] != TG_PARAMETER_SET && schedule->parameter_kind[p] != TG_PARAMETER_DEFAULT)
      continue;
    tg_print(cli, "%s %s = %" PRId64, before, tg_name(&problem->names, problem->names.parameter[p]),
             schedule->parameter[p]);
    before = ",";
  }
}

static void print_head(TgCli *cli, const TgSimRun *run) {
  char grid[48], formula[TG_FORMULA_BYTES];
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  tg_computes_text(&run->problem.schedule.computes, formula);
  tg_print(cli, "%s on %s", tg_problem_name(&run->problem), grid);
  print_parameters(cli, &run->problem);
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s\n", formula, run->shape.m,
           run->shape.n, run->shape.k, tg_element_name(run->element));
  g_autofree char *settings = tg_sim_settings_text(cli, run);
  tg_print(cli, "machine: %s; network %s%s, %s; %s\n", run->machine.name, run->network_text,
           run->own_network ? " (the machine's own)" : "", tg_embedding_name(run->embedding.kind), settings);
  if (!run->own_network && *run->machine.network && strcmp(run->machine.network, run->network_text) != 0)
    tg_print(cli, "the machine's numbers are those of another network, %s\n", run->machine.network);
  if (!run->proved)
    tg_print(cli,
             "not proved: with so many processors and statements the proof takes a while; `topogemm verify` has it\n");
  tg_print(cli, "\n");
}

static void add_efficiency(TgTable *table, const TgSimRun *run) {
  char serial[32], percent[32];
  if (isnan(run->efficiency)) return;
  tg_time_text(run->serial_s, serial, sizeof serial);
  tg_percent_text(run->efficiency, percent, sizeof percent);
  g_autofree char *words =
      g_strdup_printf("one processor needs %s: that over %" PRId64 " times the predicted time", serial, run->workers);
  tg_table_add_fact(table, "efficiency", percent, words);
}

static void add_memory(TgTable *table, const TgSimRun *run) {
  const TgSimMemory *memory = &run->memory;
  const bool limited = !isinf(run->machine.processor.memory_bytes);
  char bytes[32], has[32], together[32];
  tg_bytes_text((double)memory->words * (double)run->options.element_bytes, bytes, sizeof bytes);
  tg_bytes_text(run->machine.processor.memory_bytes, has, sizeof has);
  tg_bytes_text(memory->node_bytes, together, sizeof together);
  g_autoptr(GString) words = g_string_new(NULL);
  g_string_printf(words, "%s%" PRId64 " blocks at once on the fullest processor", memory->at_least ? "at least: " : "",
                  memory->blocks);
  if (memory->processors > 1)
    g_string_append_printf(words, ", %" PRId64 " of them on a node: %s", memory->processors, together);
  if (limited)
    g_string_append_printf(words, "; a node has %s%s", has, memory->fits ? "" : ": it does not fit");
  else
    g_string_append(words, "; the machine sets no limit");
  tg_table_add_fact(table, "memory", bytes, words->str);
}

static void print_times(TgCli *cli, const TgSimRun *run) {
  const TgCost *cost = &run->cost;
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *nodes = run->workers < cost->nodes
                               ? g_strdup_printf("%" PRId64 " of %" PRId64 " nodes", run->workers, cost->nodes)
                               : g_strdup_printf("%" PRId64 " node%s", cost->nodes, cost->nodes == 1 ? "" : "s");
  g_autofree char *rate = cost->time_s > 0 && cost->flops > 0
                              ? g_strdup_printf("%.4g Gflop/s over %s", cost->flops / cost->time_s * 1e-9, nodes)
                              : g_strdup("");
  tg_table_add_time_fact(table, "predicted time", cost->time_s, rate);
  tg_table_add_time_fact(table, "products", cost->compute_s, "of the node that ends last");
  tg_table_add_time_fact(table, "communication", cost->communication_s,
                         "the rest of its time: transfers that nothing hides, and waiting");
  if (!isnan(run->closed_form_s))
    tg_table_add_time_fact(table, "closed form", run->closed_form_s, tg_formula_text(run->formula, TG_FORMULA_SOURCE));
  add_efficiency(table, run);
  add_memory(table, run);
  tg_table_print(cli, table, 2, false);
  tg_print(cli,
           "  %" PRId64 " messages, %" PRId64 " bytes, %" PRId64 " bytes times links crossed; busiest link %" PRId64
           " bytes\n",
           cost->messages, cost->bytes, cost->hop_bytes, cost->max_link_bytes);
}

static void print_steps(TgCli *cli, const TgCost *cost) {
  g_autoptr(TgTable) table = tg_table_new("rlrrrrrr");
  static const char *const heads[] = {"step", "label", "start", "end", "products", "messages", "bytes", "busiest link"};
  for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) tg_table_add(table, "%s", heads[i]);
  for (int64_t i = 0; i < MIN(cost->trace.steps, MOST_STEPS); i++) {
    const TgTraceStep *step = &cost->trace.step[i];
    const double seconds[] = {step->start_s, step->end_s, cost->step_compute_s[i]};
    tg_table_add(table, "%" PRId64, step->index);
    tg_table_add(table, "%s", step->label);
    for (size_t t = 0; t < G_N_ELEMENTS(seconds); t++) {
      char text[32];
      tg_time_text(seconds[t], text, sizeof text);
      tg_table_add(table, "%s", text);
    }
    tg_table_add(table, "%" PRId64, step->messages);
    tg_table_add(table, "%" PRId64, step->bytes);
    tg_table_add(table, "%" PRId64, cost->step_max_link_bytes[i]);
  }
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (cost->trace.steps > MOST_STEPS)
    tg_print(cli, "  … and %" PRId64 " more steps; --json has them all\n", cost->trace.steps - MOST_STEPS);
  tg_print_wrapped(cli,
                   "start: the first node enters the step; end: the last node leaves it; products: the most time that "
                   "one node spends in them; bytes of messages, and over one link",
                   2, 0);
}

void tg_sim_print(TgCli *cli, const TgSimRun *run) {
  print_head(cli, run);
  print_times(cli, run);
  print_steps(cli, &run->cost);
  tg_sim_print_tiers(cli, run);
  tg_sim_print_nodes(cli, run);
  tg_sim_print_links(cli, run);
}
