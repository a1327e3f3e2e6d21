/* Counters of a predicted trace: the load of the links, step by step. */
#include "sim-trace.h"

void tg_sim_trace_links_open(TgSimTrace *trace) {
  const int64_t links = trace->run->network.links;
  g_clear_pointer(&trace->link_bytes, g_free);
  g_clear_pointer(&trace->link_shown, g_free);
  if (trace->each > 1 || links > TG_SIM_TRACE_LINKS) return;
  trace->link_bytes = g_new0(int64_t, links + 1);
  trace->link_shown = g_new0(int64_t, links + 1);
}

void tg_sim_trace_links_add(TgSimTrace *trace, int64_t from, int64_t to, int64_t bytes) {
  TgRoute route;
  TgHop hop;
  if (!trace->link_bytes) return;
  tg_route_begin(&route, &trace->run->network, trace->node[from], trace->node[to]);
  while (tg_route_next(&route, &hop)) trace->link_bytes[hop.link] += bytes;
}

/* The names are those of the busiest links in `sim`. */
static void write_link(TgSimTrace *trace, int64_t number, double at_s) {
  TgLink link;
  char from[64], to[64];
  tg_topology_link(&trace->run->network, number, &link);
  tg_sim_vertex_text(trace->run, link.from, from, sizeof from);
  tg_sim_vertex_text(trace->run, link.to, to, sizeof to);
  g_autofree char *name = g_strdup_printf("link %s -> %s", from, to);
  tg_trace_counter(&trace->file, name, "bytes", at_s, trace->link_bytes[number]);
}

static void write_links(TgSimTrace *trace, double at_s) {
  for (int64_t link = 0; trace->link_bytes && link < trace->run->network.links; link++) {
    if (trace->link_bytes[link] != trace->link_shown[link]) write_link(trace, link, at_s);
    trace->link_shown[link] = trace->link_bytes[link];
    trace->link_bytes[link] = 0;
  }
}

static void write_sums(TgSimTrace *trace, double at_s, int64_t busiest, int64_t all) {
  tg_trace_counter(&trace->file, "busiest link", "bytes", at_s, busiest);
  tg_trace_counter(&trace->file, "all links", "bytes", at_s, all);
}

void tg_sim_trace_links_step(TgSimTrace *trace, int64_t s) {
  const TgCost *cost = &trace->run->cost;
  const TgTraceStep *step = &cost->trace.step[s];
  write_sums(trace, step->start_s, cost->step_max_link_bytes[s], step->hop_bytes);
  write_links(trace, step->start_s);
}

void tg_sim_trace_links_end(TgSimTrace *trace) {
  const TgCost *cost = &trace->run->cost;
  const double end_s = trace->steps < cost->trace.steps ? cost->trace.step[trace->steps].start_s : cost->time_s;
  write_sums(trace, end_s, 0, 0);
  write_links(trace, end_s);
}
