/* What nodes and links do in a prediction: who ends when, and which links carry most. */
#include "output.h"
#include "sim.h"

#include <stdlib.h>

enum { SLOWEST = 4 };

void tg_sim_vertex_text(const TgSimRun *run, int64_t vertex, char *text, size_t size) {
  const TgTopology *network = &run->network;
  int32_t coordinate[TG_MAX_COORDINATES];
  if (vertex >= network->nodes) {
    g_snprintf(text, size, "switch %" PRId64, vertex - network->nodes);
    return;
  }
  if (run->rank && run->rank[vertex] >= 0) {
    tg_schedule_processor_text(&run->problem.schedule, run->rank[vertex], text, size);
    return;
  }
  int count = tg_topology_coordinates(network, vertex, coordinate);
  g_autoptr(GString) words = g_string_new("node (");
  for (int i = 0; i < count; i++) g_string_append_printf(words, "%s%d", i ? ", " : "", coordinate[i]);
  g_string_append_c(words, ')');
  g_strlcpy(text, words->str, size);
}

bool tg_sim_is_idle(const TgSimRun *run, int64_t node) {
  return run->rank && run->rank[node] < 0;
}

static gint compare_times(gconstpointer a, gconstpointer b, gpointer user) {
  const double *time_s = user;
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  if (time_s[x] != time_s[y]) return time_s[x] < time_s[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

int64_t *tg_sim_nodes_by_time(const TgSimRun *run) {
  int64_t *nodes = g_new(int64_t, run->cost.nodes);
  int64_t idle = 0, busy = run->cost.nodes - run->workers;
  for (int64_t n = 0; n < run->cost.nodes; n++) nodes[tg_sim_is_idle(run, n) ? idle++ : busy++] = n;
  g_qsort_with_data(nodes + idle, (gint)(busy - idle), sizeof *nodes, compare_times, run->cost.node_time_s);
  return nodes;
}

static void add_node(TgTable *table, const TgSimRun *run, const char *name, int64_t node) {
  const TgCost *cost = &run->cost;
  const double seconds[] = {cost->node_time_s[node], cost->node_compute_s[node],
                            cost->node_time_s[node] - cost->node_compute_s[node]};
  char vertex[64], text[32];
  tg_sim_vertex_text(run, node, vertex, sizeof vertex);
  tg_table_add(table, "%s", vertex);
  for (size_t i = 0; i < G_N_ELEMENTS(seconds); i++) {
    tg_time_text(seconds[i], text, sizeof text);
    tg_table_add(table, "%s", text);
  }
  tg_table_add(table, "%s", name);
}

static bool all_alike(const TgSimRun *run) {
  const TgCost *cost = &run->cost;
  int64_t first = 0;
  while (tg_sim_is_idle(run, first)) first++;
  for (int64_t n = first + 1; n < cost->nodes; n++) {
    if (tg_sim_is_idle(run, n)) continue;
    if (cost->node_time_s[n] != cost->node_time_s[first] || cost->node_compute_s[n] != cost->node_compute_s[first])
      return false;
  }
  return true;
}

static void add_some(TgTable *table, const TgSimRun *run) {
  g_autofree int64_t *nodes = tg_sim_nodes_by_time(run);
  const int64_t count = run->cost.nodes;
  add_node(table, run, "first to be done", nodes[count - run->workers]);
  add_node(table, run, "the median", nodes[count - run->workers + (run->workers - 1) / 2]);
  for (int64_t i = count - SLOWEST; i < count; i++)
    add_node(table, run, i == count - 1 ? "last to be done" : "among the last", nodes[i]);
}

void tg_sim_print_nodes(TgCli *cli, const TgSimRun *run) {
  const char *const heads[] = {run->rank ? "processor" : "node", "done", "products", "communication", ""};
  const TgCost *cost = &run->cost;
  tg_print(cli, "\n");
  if (all_alike(run)) {
    char time[32], compute[32];
    tg_time_text(cost->time_s, time, sizeof time);
    tg_time_text(cost->compute_s, compute, sizeof compute);
    tg_print(cli, "  %s%" PRId64 " %s after %s, with %s of products\n", run->workers == 1 ? "the " : "all ",
             run->workers,
             run->workers == 1            ? "node is done"
             : run->workers < cost->nodes ? "nodes that have a processor are done"
                                          : "nodes are done",
             time, compute);
    return;
  }
  g_autoptr(TgTable) table = tg_table_new("lrrrl");
  for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) tg_table_add(table, "%s", heads[i]);
  if (run->workers > TG_SIM_FEW_NODES)
    add_some(table, run);
  else
    for (int64_t n = 0; n < cost->nodes; n++)
      if (!tg_sim_is_idle(run, n)) add_node(table, run, "", n);
  tg_table_print(cli, table, 2, true);
  if (run->workers < cost->nodes)
    tg_print(cli, "  %" PRId64 " of %" PRId64 " nodes have a processor; the others pass messages on at most\n",
             run->workers, cost->nodes);
  else if (cost->nodes > TG_SIM_FEW_NODES)
    tg_print(cli, "  %" PRId64 " nodes in all; --json has %s\n", cost->nodes,
             cost->nodes > TG_SIM_JSON_NODES ? "the 4096 that end last" : "each of them");
}

int tg_sim_busiest_links(const TgSimRun *run, int64_t links[TG_SIM_LINKS]) {
  const int64_t *bytes = run->cost.trace.link_bytes;
  int count = 0;
  for (int64_t link = 0; link < run->cost.trace.links; link++) {
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

void tg_sim_print_links(TgCli *cli, const TgSimRun *run) {
  int64_t links[TG_SIM_LINKS];
  int count = tg_sim_busiest_links(run, links);
  if (!count) return;
  const int64_t alike = count_busiest(&run->cost);
  if (alike == run->cost.trace.links) {
    tg_print(cli, "\n  all %" PRId64 " links carry %" PRId64 " bytes\n", alike, run->cost.max_link_bytes);
    return;
  }
  g_autoptr(TgTable) table = tg_table_new("lr");
  tg_table_add(table, "busiest links");
  tg_table_add(table, "bytes");
  for (int i = 0; i < count; i++) {
    TgLink link;
    char from[64], to[64];
    tg_topology_link(&run->network, links[i], &link);
    tg_sim_vertex_text(run, link.from, from, sizeof from);
    tg_sim_vertex_text(run, link.to, to, sizeof to);
    tg_table_add(table, "%s -> %s", from, to);
    tg_table_add(table, "%" PRId64, run->cost.trace.link_bytes[links[i]]);
  }
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (run->rank && run->workers < run->cost.nodes)
    tg_print(cli, "  ends have their processor's coordinates; a node without one those of its place in the network\n");
  if (alike > TG_SIM_LINKS)
    tg_print(cli, "  %" PRId64 " of %" PRId64 " links carry as much as these\n", alike, run->cost.trace.links);
}
