/* What `sim` says to programs. */
#include "output.h"
#include "sim.h"

#include "json-writer.h"

static void write_problem(TgJson *json, const TgSimRun *run) {
  char grid[48];
  TgBindings parameters;
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  tg_json_member_string(json, "algorithm", tg_problem_name(&run->problem));
  tg_json_member_string(json, "grid", grid);
  tg_sim_parameters(&run->problem, &parameters);
  tg_sim_write_parameters(json, &parameters);
  tg_json_member_string(json, "topology", run->network_text);
  tg_json_member_string(json, "embedding", tg_embedding_name(run->embedding.kind));
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "machine_network", *run->machine.network ? run->machine.network : NULL);
  tg_json_member_string(json, "model", tg_cost_model_name(run->options.model));
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_json_member_string(json, "fair",
                        run->options.model != TG_COST_FLOW ? NULL
                        : run->options.fair_equal          ? "equal"
                                                           : "latency");
  tg_json_member_bool(json, "overlap", run->options.overlap);
  tg_sim_write_settings(json, &run->options);
  tg_json_member_integer(json, "m", run->shape.m);
  tg_json_member_integer(json, "n", run->shape.n);
  tg_json_member_integer(json, "k", run->shape.k);
  tg_json_member_integer(json, "element_bytes", run->options.element_bytes);
  tg_json_member_integer(json, "processors", tg_schedule_processors(&run->problem.schedule));
  tg_json_member_integer(json, "node_count", run->cost.nodes);
  tg_json_member_integer(json, "nodes_used", run->workers);
  tg_json_member_bool(json, "proved", run->proved);
}

static void write_memory(TgJson *json, const TgSimRun *run) {
  const TgSimMemory *memory = &run->memory;
  tg_json_member_integer(json, "blocks_per_processor_max", memory->blocks);
  tg_json_member_integer(json, "bytes_per_processor_max", memory->words * run->options.element_bytes);
  tg_json_member_bool(json, "memory_is_a_lower_bound", memory->at_least);
  tg_json_member_double(json, "bytes_per_node_max", memory->node_bytes);
  tg_json_member_double(json, "memory_bytes", run->machine.processor.memory_bytes);
  tg_json_member_bool(json, "fits", memory->fits);
}

static void write_node(TgJson *json, const TgSimRun *run, int64_t node) {
  const TgCost *cost = &run->cost;
  char text[64];
  tg_sim_vertex_text(run, node, text, sizeof text);
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "node", text);
  tg_json_member_double(json, "time_s", cost->node_time_s[node]);
  tg_json_member_double(json, "compute_s", cost->node_compute_s[node]);
  tg_json_member_double(json, "communication_s", cost->node_time_s[node] - cost->node_compute_s[node]);
  tg_json_end_object(json);
}

/* Of too many nodes those that end last, the last one last. */
static void write_nodes(TgJson *json, const TgSimRun *run) {
  const int64_t count = run->cost.nodes;
  const bool some = count > TG_SIM_JSON_NODES;
  g_autofree int64_t *order = some ? tg_sim_nodes_by_time(run) : NULL;
  tg_json_key(json, "nodes");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int64_t n = some ? count - TG_SIM_JSON_NODES : 0; n < count; n++) write_node(json, run, some ? order[n] : n);
  tg_json_end_array(json);
}

static void write_links(TgJson *json, const TgSimRun *run) {
  int64_t links[TG_SIM_LINKS];
  const int count = tg_sim_busiest_links(run, links);
  tg_json_key(json, "busiest_links");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int i = 0; i < count; i++) {
    TgLink link;
    char from[64], to[64];
    tg_topology_link(&run->network, links[i], &link);
    tg_sim_vertex_text(run, link.from, from, sizeof from);
    tg_sim_vertex_text(run, link.to, to, sizeof to);
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "from", from);
    tg_json_member_string(json, "to", to);
    tg_json_member_integer(json, "bytes", run->cost.trace.link_bytes[links[i]]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_steps(TgJson *json, const TgCost *cost) {
  tg_json_key(json, "steps");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int64_t i = 0; i < cost->trace.steps; i++) {
    const TgTraceStep *step = &cost->trace.step[i];
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "label", step->label);
    tg_json_member_integer(json, "index", step->index);
    tg_json_member_double(json, "start_s", step->start_s);
    tg_json_member_double(json, "end_s", step->end_s);
    tg_json_member_double(json, "compute_s", cost->step_compute_s[i]);
    tg_json_member_integer(json, "messages", step->messages);
    tg_json_member_integer(json, "bytes", step->bytes);
    tg_json_member_integer(json, "max_link_bytes", cost->step_max_link_bytes[i]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

void tg_sim_write(TgJson *json, const TgSimRun *run) {
  const TgCost *cost = &run->cost;
  tg_json_begin_object(json, TG_JSON_LINES);
  write_problem(json, run);
  tg_json_member_integer(json, "messages", cost->messages);
  tg_json_member_integer(json, "bytes", cost->bytes);
  tg_json_member_integer(json, "hop_bytes", cost->hop_bytes);
  tg_json_member_integer(json, "max_link_bytes", cost->max_link_bytes);
  tg_json_member_double(json, "time_s", cost->time_s);
  tg_json_member_double(json, "compute_s", cost->compute_s);
  tg_json_member_double(json, "communication_s", cost->communication_s);
  tg_json_member_double(json, "closed_form_s", run->closed_form_s);
  tg_json_member_string(json, "isoefficiency",
                        run->formula ? tg_formula_text(run->formula, TG_FORMULA_ISOEFFICIENCY) : NULL);
  tg_json_member_double(json, "serial_s", run->serial_s);
  tg_json_member_double(json, "efficiency", run->efficiency);
  write_memory(json, run);
  write_steps(json, cost);
  write_nodes(json, run);
  write_links(json, run);
  tg_sim_write_tiers(json, run);
  tg_json_member_double(json, "wall_s", cost->wall_s);
  tg_json_member_double(json, "messages_per_second", (double)cost->messages / cost->wall_s);
  tg_json_end_object(json);
}

void tg_sim_print_json(TgCli *cli, const TgSimRun *run) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_sim_write(json, run);
  tg_print(cli, "%s", tg_json_text(json, NULL));
}
