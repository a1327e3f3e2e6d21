/* What `sim` says to people: the prediction, what its nodes and links do, who ends when and which links carry most. */
#include "output.h"
#include "sim.h"

#include <math.h>
#include <string.h>

enum { SLOWEST = 4 };

TgText tg_sim_vertex_text(const TgEstimate *run, int64_t vertex) {
  const TgTopology *network = &run->network;
  int32_t coordinate[TG_MAX_COORDINATES];
  TgText text;
  if (vertex < network->nodes && run->rank && run->rank[vertex] >= 0)
    return tg_schedule_processor_text(run->schedule, run->rank[vertex]);
  if (vertex >= network->nodes) {
    g_snprintf(text.s, sizeof text.s, "switch %" PRId64, vertex - network->nodes);
    return text;
  }
  int count = tg_topology_coordinates(network, vertex, coordinate);
  g_autoptr(GString) words = g_string_new("node (");
  for (int i = 0; i < count; i++) g_string_append_printf(words, "%s%d", i ? ", " : "", coordinate[i]);
  g_string_append_c(words, ')');
  g_strlcpy(text.s, words->str, sizeof text.s);
  return text;
}

/* True where the node has no processor. */
static bool sim_is_idle(const TgEstimate *run, int64_t node) {
  return run->rank && run->rank[node] < 0;
}

/* The last one is the cost's last_node. */
static gint compare_times(gconstpointer a, gconstpointer b, gpointer user) {
  const TgCost *cost = user;
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  const double *time_s = cost->node_time_s, *compute_s = cost->node_compute_s;
  if (time_s[x] != time_s[y]) return time_s[x] < time_s[y] ? -1 : 1;
  if (compute_s[x] != compute_s[y]) return compute_s[x] < compute_s[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

int64_t *tg_sim_nodes_by_time(const TgEstimate *run) {
  int64_t *nodes = g_new(int64_t, run->cost->nodes);
  int64_t idle = 0, busy = run->cost->nodes - run->workers;
  for (int64_t n = 0; n < run->cost->nodes; n++) nodes[sim_is_idle(run, n) ? idle++ : busy++] = n;
  g_qsort_with_data(nodes + idle, (gint)(busy - idle), sizeof *nodes, compare_times, (gpointer)run->cost);
  return nodes;
}

static void add_node(TgTable *table, const TgEstimate *run, const char *name, int64_t node) {
  const TgCost *cost = run->cost;
  const double seconds[] = {cost->node_time_s[node], cost->node_compute_s[node],
                            cost->node_time_s[node] - cost->node_compute_s[node]};
  tg_table_add(table, "%s", tg_sim_vertex_text(run, node).s);
  for (size_t i = 0; i < G_N_ELEMENTS(seconds); i++) tg_table_add_time(table, seconds[i]);
  tg_table_add(table, "%s", name);
}

static bool all_alike(const TgEstimate *run) {
  const TgCost *cost = run->cost;
  int64_t first = 0;
  while (sim_is_idle(run, first)) first++;
  for (int64_t n = first + 1; n < cost->nodes; n++) {
    if (sim_is_idle(run, n)) continue;
    if (cost->node_time_s[n] != cost->node_time_s[first] || cost->node_compute_s[n] != cost->node_compute_s[first])
      return false;
  }
  return true;
}

static void add_some(TgTable *table, const TgEstimate *run) {
  g_autofree int64_t *nodes = tg_sim_nodes_by_time(run);
  const int64_t count = run->cost->nodes;
  add_node(table, run, "first to finish", nodes[count - run->workers]);
  add_node(table, run, "the median", nodes[count - run->workers + (run->workers - 1) / 2]);
  for (int64_t i = count - SLOWEST; i < count; i++)
    add_node(table, run, i == count - 1 ? "last to finish" : "among the last", nodes[i]);
}

/* Tables of what the nodes and the links do. */
static void sim_print_nodes(TgCli *cli, const TgEstimate *run) {
  const char *const heads[] = {run->rank ? "processor" : "node", "done", "products", "communication", ""};
  const TgCost *cost = run->cost;
  tg_print(cli, "\n");
  if (all_alike(run)) {
    tg_print(cli, "  %s%" PRId64 " %s after %s, with %s of products\n", run->workers == 1 ? "the " : "all ",
             run->workers,
             run->workers == 1            ? "node finishes"
             : run->workers < cost->nodes ? "nodes that have a processor finish"
                                          : "nodes finish",
             tg_time_text(cost->time_s).s, tg_time_text(cost->compute_s).s);
    return;
  }
  g_autoptr(TgTable) table = tg_table_new("lrrrl");
  for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) tg_table_add(table, "%s", heads[i]);
  if (run->workers > TG_SIM_FEW_NODES)
    add_some(table, run);
  else
    for (int64_t n = 0; n < cost->nodes; n++)
      if (!sim_is_idle(run, n)) add_node(table, run, "", n);
  tg_table_print(cli, table, 2, true);
  if (run->workers < cost->nodes)
    tg_print(cli, "  %" PRId64 " of %" PRId64 " nodes have a processor; the others only pass messages on\n",
             run->workers, cost->nodes);
  else if (cost->nodes > TG_SIM_FEW_NODES)
    tg_print(cli, "  %" PRId64 " nodes in total; --json lists %s\n", cost->nodes,
             cost->nodes > TG_SIM_JSON_NODES ? "the 4096 that finish last" : "all of them");
}

int tg_sim_busiest_links(const TgEstimate *run, int64_t links[TG_SIM_LINKS]) {
  const int64_t *bytes = run->cost->trace.link_bytes;
  int count = 0;
  for (int64_t link = 0; link < run->cost->trace.links; link++) {
    if (!bytes[link] || (count == TG_SIM_LINKS && bytes[link] <= bytes[links[count - 1]])) continue;
    int at = count < TG_SIM_LINKS ? count++ : count - 1;
    for (; at > 0 && bytes[links[at - 1]] < bytes[link]; at--) links[at] = links[at - 1];
    links[at] = link;
  }
  return count;
}

/* Links that carry as much as the busiest one. */
static int64_t count_busiest(const TgCost *cost) {
  int64_t count = 0;
  for (int64_t link = 0; link < cost->trace.links; link++)
    count += cost->trace.link_bytes[link] == cost->max_link_bytes;
  return count;
}

static void sim_print_links(TgCli *cli, const TgEstimate *run) {
  int64_t links[TG_SIM_LINKS];
  int count = tg_sim_busiest_links(run, links);
  if (!count) return;
  const int64_t alike = count_busiest(run->cost);
  if (alike == run->cost->trace.links) {
    tg_print(cli, "\n  all %" PRId64 " links carry %s\n", alike, tg_bytes_text((double)run->cost->max_link_bytes).s);
    return;
  }
  g_autoptr(TgTable) table = tg_table_new("lr");
  tg_table_add(table, "busiest links");
  tg_table_add(table, "bytes");
  for (int i = 0; i < count; i++) {
    TgLink link;
    tg_topology_link(&run->network, links[i], &link);
    tg_table_add(table, "%s -> %s", tg_sim_vertex_text(run, link.from).s, tg_sim_vertex_text(run, link.to).s);
    tg_table_add(table, "%s", tg_bytes_text((double)run->cost->trace.link_bytes[links[i]]).s);
  }
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (run->rank && run->workers < run->cost->nodes)
    tg_print(cli, "  coordinates are those of a node's processor, or of its place in the network if it has none\n");
  if (alike > TG_SIM_LINKS)
    tg_print(cli, "  %" PRId64 " of %" PRId64 " links carry as much as these\n", alike, run->cost->trace.links);
}

enum { MOST_STEPS = 24 };

/* Those that the grid does not show: " with b = 2". */
static void print_parameters(TgCli *cli, const TgSchedule *schedule, const TgScheduleNames *names) {
  const char *before = " with";
  for (int p = 0; p < schedule->parameters; p++) {
    if (schedule->parameter_kind[p] != TG_PARAMETER_SET && schedule->parameter_kind[p] != TG_PARAMETER_DEFAULT)
      continue;
    tg_print(cli, "%s %s = %" PRId64, before, tg_name(names, names->parameter[p]), schedule->parameter[p]);
    before = ",";
  }
}

/* Prints nothing where there was nothing to choose. */
static void print_collectives(TgCli *cli, const TgEstimate *run) {
  const TgCost *cost = run->cost;
  const int tried = cost->collectives_tried, left = cost->collectives_left;
  g_autofree char *algorithms = tg_cost_collectives_text(cost, run->names);
  if (!algorithms || tried + left == 0) return;
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "collectives: %s", algorithms);
  if (tried > 0) g_string_append_printf(text, ", the fastest of %d choices", tried);
  if (left > 0) g_string_append_printf(text, "; choices not predicted, because that would take too long: %d", left);
  tg_print_wrapped(cli, text->str, 0, 2);
}

static void print_head(TgCli *cli, const TgEstimate *run) {
  tg_print(cli, "%s on %s", tg_sim_name(run), tg_schedule_grid_text(run->schedule).s);
  print_parameters(cli, run->schedule, run->names);
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s\n",
           tg_computes_text(&run->schedule->computes).s, run->shape.m, run->shape.n, run->shape.k,
           tg_element_name(run->element));
  g_autofree char *settings = tg_sim_settings_text(cli, &run->options);
  tg_print(cli, "machine: %s; network %s%s, %s; %s\n", run->machine.name, run->network_text,
           run->own_network ? " (the machine's own)" : "", tg_embedding_name(run->embedding.kind), settings);
  print_collectives(cli, run);
  if (!run->own_network && *run->machine.network && strcmp(run->machine.network, run->network_text) != 0)
    tg_print(cli, "the machine's numbers are for another network, %s\n", run->machine.network);
  if (!run->proved)
    tg_print(cli,
             "not proved: the proof takes a while with so many processors and statements; use `topogemm verify`\n");
  tg_print(cli, "\n");
}

static void add_efficiency(TgTable *table, const TgEstimate *run) {
  if (isnan(run->efficiency)) return;
  tg_table_add_fact(table, "efficiency", tg_percent_text(run->efficiency).s,
                    "%s on one processor, divided by %" PRId64 " times the predicted time",
                    tg_time_text(run->serial_s).s, run->workers);
}

static void add_memory(TgTable *table, const TgEstimate *run) {
  const TgEstimateMemory *memory = &run->memory;
  const bool limited = !isinf(run->machine.processor.memory_bytes);
  g_autoptr(GString) words = g_string_new(NULL);
  g_string_printf(words, "%s%" PRId64 " blocks at once on the fullest processor", memory->at_least ? "at least: " : "",
                  memory->blocks + memory->places);
  if (memory->places > 0) g_string_append_printf(words, ", %" PRId64 " of them for overlap", memory->places);
  if (memory->processors > 1)
    g_string_append_printf(words, "; %" PRId64 " processors on a node: %s", memory->processors,
                           tg_bytes_text(memory->node_bytes).s);
  if (run->options.tiers.used)
    g_string_append_printf(words, "; streamed from %s", tg_place_name(run->options.tiers.from));
  else if (limited)
    g_string_append_printf(words, "; a node has %s%s", tg_bytes_text(run->machine.processor.memory_bytes).s,
                           memory->fits ? "" : ", so it does not fit");
  else
    g_string_append(words, "; the machine sets no limit");
  tg_table_add_fact(table, "memory", tg_bytes_text((double)memory->words * (double)run->options.element_bytes).s, "%s",
                    words->str);
}

/* How far off a prediction on this machine may be. */
static void add_error(TgTable *table, const TgEstimate *run) {
  const double error = tg_machine_error(&run->machine), time_s = run->cost->time_s;
  if (error <= 0) return;
  g_autofree char *range =
      g_strdup_printf("%s to %s", tg_time_text(time_s * (1 - error)).s, tg_time_text(time_s * (1 + error)).s);
  tg_table_add_fact(table, "error", tg_percent_text(error).s, "either way, %s: %s", range,
                    tg_machine_is_measured(&run->machine) ? "twice the residual and the spread of the calibration"
                                                          : "the residual of the machine file, a guess");
}

static void add_seeds(TgTable *table, const TgEstimate *run) {
  const TgMeasurement *seeds = &run->seeds;
  if (seeds->trials == 0) return;
  tg_table_add_fact(table, "seeds", tg_time_text(seeds->median_s).s,
                    "median of %d, from %s to %s, standard deviation %s", seeds->trials, tg_time_text(seeds->min_s).s,
                    tg_time_text(seeds->max_s).s, tg_time_text(seeds->stddev_s).s);
}

double tg_sim_busiest_link_s(const TgEstimate *run) {
  const TgTrace *trace = &run->cost->trace;
  double most_s = 0;
  for (int64_t l = 0; l < trace->links; l++) {
    TgLink link;
    if (trace->link_bytes[l] == 0) continue;
    tg_topology_link(&run->network, l, &link);
    const TgMachineLink numbers = tg_machine_link(&run->machine, &run->network, link.level, link.axis);
    if (isinf(tg_link_best(&numbers, 0).bandwidth_bytes_per_s)) continue;
    most_s = fmax(most_s, (double)trace->link_bytes[l] / tg_link_capacity(&numbers));
  }
  return most_s;
}

/* Where that shows in the time. */
static void print_shared_links(TgCli *cli, const TgEstimate *run) {
  const double least_s = tg_sim_busiest_link_s(run);
  if (least_s <= run->cost->time_s) return;
  g_autofree char *words = g_strdup_printf(
      "the busiest link alone needs %s for its bytes, longer than the predicted time: model %s does not count all that "
      "shares it; use --model flow",
      tg_time_text(least_s).s, tg_cost_model_name(run->options.model));
  tg_print_wrapped(cli, words, 2, 0);
}

static void print_times(TgCli *cli, const TgEstimate *run) {
  const TgCost *cost = run->cost;
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *nodes = run->workers < cost->nodes
                               ? g_strdup_printf("%" PRId64 " of %" PRId64 " nodes", run->workers, cost->nodes)
                               : g_strdup_printf("%" PRId64 " node%s", cost->nodes, cost->nodes == 1 ? "" : "s");
  g_autofree char *rate = cost->time_s > 0 && cost->flops > 0
                              ? g_strdup_printf("%s over %s", tg_rate_text(cost->flops / cost->time_s).s, nodes)
                              : g_strdup("");
  tg_table_add_fact(table, "predicted time", tg_time_text(cost->time_s).s, "%s", rate);
  add_error(table, run);
  add_seeds(table, run);
  tg_sim_add_parts(table, run);
  if (!isnan(run->closed_form_s))
    tg_table_add_fact(table, "closed form", tg_time_text(run->closed_form_s).s, "%s",
                      tg_formula_text(run->formula, TG_FORMULA_SOURCE));
  add_efficiency(table, run);
  add_memory(table, run);
  tg_table_print(cli, table, 2, false);
  tg_print(cli, "  %" PRId64 " messages, %s, %s times links crossed; busiest link %s\n", cost->messages,
           tg_bytes_text((double)cost->bytes).s, tg_bytes_text((double)cost->hop_bytes).s,
           tg_bytes_text((double)cost->max_link_bytes).s);
  print_shared_links(cli, run);
}

static void print_steps(TgCli *cli, const TgCost *cost) {
  g_autoptr(TgTable) table = tg_table_new("rlrrrrrr");
  tg_table_add_row(table, "step|label|start|end|products|messages|bytes|busiest link");
  for (int64_t i = 0; i < MIN(cost->trace.steps, MOST_STEPS); i++) {
    const TgTraceStep *step = &cost->trace.step[i];
    const double seconds[] = {step->start_s, step->end_s, cost->step_compute_s[i]};
    tg_table_add(table, "%" PRId64, step->index);
    tg_table_add(table, "%s", step->label);
    for (size_t t = 0; t < G_N_ELEMENTS(seconds); t++) tg_table_add_time(table, seconds[t]);
    tg_table_add(table, "%" PRId64, step->messages);
    tg_table_add(table, "%s", tg_bytes_text((double)step->bytes).s);
    tg_table_add(table, "%s", tg_bytes_text((double)cost->step_max_link_bytes[i]).s);
  }
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (cost->trace.steps > MOST_STEPS)
    tg_print(cli, "  … and %" PRId64 " more steps; --json prints all of them\n", cost->trace.steps - MOST_STEPS);
  tg_print_wrapped(
      cli,
      "start: when the first node enters the step; end: when the last node leaves it; products: the "
      "longest time of a node in products and additions; bytes: of all messages; busiest link: bytes that it carries",
      2, 0);
}

void tg_sim_print(TgCli *cli, const TgEstimate *run) {
  print_head(cli, run);
  print_times(cli, run);
  print_steps(cli, run->cost);
  tg_sim_print_parts(cli, run);
  tg_sim_print_tiers(cli, run);
  sim_print_nodes(cli, run);
  sim_print_links(cli, run);
}
