/* The document of `sim`, and in words what it was told: a prediction names all that it depends on. */
#include "output.h"
#include "sim.h"

#include <math.h>

static void add_random(GString *text, const TgCostOptions *options) {
  if (options->skew_s > 0) g_string_append_printf(text, ", skew %s", tg_time_text(options->skew_s).s);
  if (options->jitter > 0) g_string_append_printf(text, ", jitter %g", options->jitter);
  if (options->straggler >= 0)
    g_string_append_printf(text, ", straggler %" PRId64 ":%g", options->straggler, options->straggler_factor);
  if (options->skew_s > 0 || options->jitter > 0) g_string_append_printf(text, ", seed %" PRIu64, options->seed);
}

static void add_place(GString *text, const TgOptions *options, const TgTierOptions *tiers) {
  if (!tiers->used) return;
  g_string_append_printf(text, ", blocks from %s", tg_place_name(tiers->from));
  if (options->tiles) g_string_append_printf(text, ", tiles %s", options->tiles);
  if (options->pipeline) g_string_append_printf(text, ", pipeline %s", options->pipeline);
  if (options->in_memory) g_string_append_printf(text, ", in memory %s", options->in_memory);
  if (options->by_rows) g_string_append_printf(text, ", by rows %s", options->by_rows);
}

TgSimOverlapText tg_sim_overlap_text(int32_t places) {
  TgSimOverlapText text = {"off"};
  if (places > 0) g_snprintf(text.s, sizeof text.s, "on");
  if (places > 0 && places != TG_COST_BUFFERS)
    g_snprintf(text.s, sizeof text.s, "on with %" PRId32 " buffer%s", places, places > 1 ? "s" : "");
  return text;
}

char *tg_sim_settings_text(const TgCli *cli, const TgCostOptions *options) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "model %s%s, collectives %s, overlap %s", tg_cost_model_name(options->model),
                  options->fair_equal ? " with equal shares" : "", tg_collective_name(options->collective),
                  tg_sim_overlap_text(tg_cost_places(options->overlap, options->buffers)).s);
  add_random(text, options);
  add_place(text, &cli->options, &options->tiers);
  return g_string_free(text, FALSE);
}

void tg_sim_write_buffers(TgJson *json, int32_t places) {
  if (places > 0)
    tg_json_member_integer(json, "buffers", places);
  else
    tg_json_member_null(json, "buffers");
}

static void write_straggler(TgJson *json, const TgCostOptions *options) {
  if (options->straggler < 0) {
    tg_json_member_string(json, "straggler", NULL);
    return;
  }
  tg_json_member_object(json, "straggler", TG_JSON_ROW);
  tg_json_member_integer(json, "node", options->straggler);
  tg_json_member_double(json, "factor", options->straggler_factor);
  tg_json_end_object(json);
}

void tg_sim_write_settings(TgJson *json, const TgCostOptions *options) {
  tg_json_member_double(json, "skew_s", options->skew_s);
  tg_json_member_double(json, "jitter", options->jitter);
  write_straggler(json, options);
  tg_json_member_integer(json, "seed", (int64_t)options->seed);
  tg_json_member_string(json, "from", options->tiers.used ? tg_place_name(options->tiers.from) : NULL);
}

TG_FIELD_TABLE(size_fields, TG_FIELD(TgEstimate, shape.m), TG_FIELD(TgEstimate, shape.n), TG_FIELD(TgEstimate, shape.k),
               TG_FIELD(TgEstimate, options.element_bytes));
TG_FIELD_TABLE(cost_fields, TG_FIELD(TgCost, messages), TG_FIELD(TgCost, bytes), TG_FIELD(TgCost, hop_bytes),
               TG_FIELD(TgCost, max_link_bytes), TG_FIELD(TgCost, time_s), TG_FIELD(TgCost, compute_s),
               TG_FIELD(TgCost, communication_s));
TG_FIELD_TABLE(run_fields, TG_FIELD(TgEstimate, closed_form_s), TG_FIELD(TgEstimate, serial_s),
               TG_FIELD(TgEstimate, efficiency), TG_FIELD_AS(TgEstimate, memory.blocks, "blocks_per_processor_max"),
               TG_FIELD_AS(TgEstimate, memory.places, "blocks_for_overlap"),
               TG_FIELD_AS(TgEstimate, memory.at_least, "memory_is_a_lower_bound"),
               TG_FIELD_AS(TgEstimate, memory.node_bytes, "bytes_per_node_max"),
               TG_FIELD_AS(TgEstimate, machine.processor.memory_bytes, "memory_limit_bytes"),
               TG_FIELD(TgEstimate, memory.fits));
TG_FIELD_TABLE(step_fields, TG_FIELD(TgTraceStep, label), TG_FIELD(TgTraceStep, index), TG_FIELD(TgTraceStep, start_s),
               TG_FIELD(TgTraceStep, end_s), TG_FIELD(TgTraceStep, messages), TG_FIELD(TgTraceStep, bytes));

/* The algorithms that `collective` stands for in this prediction. */
static void write_collectives(TgJson *json, const TgEstimate *run) {
  TgCostCollective all[TG_MAX_STATEMENTS];
  const int count = tg_cost_collectives(run->cost, run->names, all);
  tg_json_member_array(json, "collectives", TG_JSON_LINES);
  for (int i = 0; i < count; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "op", all[i].op);
    tg_json_member_string(json, "buffer", all[i].buffer);
    tg_json_member_integer(json, "line", all[i].line);
    tg_json_member_string(json, "algorithm", tg_collective_name(all[i].algorithm));
    tg_json_member_integer(json, "pieces", all[i].pieces);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
  tg_json_member_integer(json, "collectives_tried", run->cost->collectives_tried);
  tg_json_member_integer(json, "collectives_left_out", run->cost->collectives_left);
}

static void write_problem(TgJson *json, const TgEstimate *run) {
  tg_algo_write(json, run->schedule, run->names);
  tg_json_member_string(json, "topology", run->network_text);
  tg_json_member_string(json, "embedding", tg_embedding_name(run->embedding.kind));
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "machine_topology", *run->machine.network ? run->machine.network : NULL);
  tg_json_member_double(json, "residual", run->machine.residual);
  tg_json_member_bool(json, "residual_is_measured", tg_machine_is_measured(&run->machine));
  tg_json_member_string(json, "model", tg_cost_model_name(run->options.model));
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  write_collectives(json, run);
  tg_json_member_string(json, "fair",
                        run->options.model != TG_COST_FLOW ? NULL
                        : run->options.fair_equal          ? "equal"
                                                           : "latency");
  tg_json_member_bool(json, "overlap", run->options.overlap);
  tg_sim_write_buffers(json, tg_cost_places(run->options.overlap, run->options.buffers));
  tg_sim_write_settings(json, &run->options);
  tg_json_members(json, size_fields, run);
  tg_json_member_string(json, "type", tg_element_name(run->element));
  tg_json_member_integer(json, "processors", tg_schedule_processors(run->schedule));
  tg_json_member_integer(json, "nodes", run->cost->nodes);
  tg_json_member_integer(json, "nodes_used", run->workers);
  tg_json_member_bool(json, "proved", run->proved);
}

static void write_node(TgJson *json, const TgEstimate *run, int64_t node) {
  const TgCost *cost = run->cost;
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "node", tg_sim_vertex_text(run, node).s);
  tg_json_member_double(json, "time_s", cost->node_time_s[node]);
  tg_json_member_double(json, "compute_s", cost->node_compute_s[node]);
  tg_json_member_double(json, "communication_s", cost->node_time_s[node] - cost->node_compute_s[node]);
  tg_json_end_object(json);
}

/* Of too many nodes those that end last, the last one last. */
static void write_nodes(TgJson *json, const TgEstimate *run) {
  const int64_t count = run->cost->nodes;
  const bool some = count > TG_SIM_JSON_NODES;
  g_autofree int64_t *order = some ? tg_sim_nodes_by_time(run) : NULL;
  tg_json_member_array(json, "node_times", TG_JSON_LINES);
  for (int64_t n = some ? count - TG_SIM_JSON_NODES : 0; n < count; n++) write_node(json, run, some ? order[n] : n);
  tg_json_end_array(json);
}

static void write_links(TgJson *json, const TgEstimate *run) {
  int64_t links[TG_SIM_LINKS];
  const int count = tg_sim_busiest_links(run, links);
  tg_json_member_array(json, "busiest_links", TG_JSON_LINES);
  for (int i = 0; i < count; i++) {
    TgLink link;
    tg_topology_link(&run->network, links[i], &link);
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "from", tg_sim_vertex_text(run, link.from).s);
    tg_json_member_string(json, "to", tg_sim_vertex_text(run, link.to).s);
    tg_json_member_integer(json, "bytes", run->cost->trace.link_bytes[links[i]]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_steps(TgJson *json, const TgCost *cost) {
  tg_json_member_array(json, "steps", TG_JSON_LINES);
  for (int64_t i = 0; i < cost->trace.steps; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_members(json, step_fields, &cost->trace.step[i]);
    tg_json_member_double(json, "compute_s", cost->step_compute_s[i]);
    tg_json_member_integer(json, "max_link_bytes", cost->step_max_link_bytes[i]);
    tg_sim_write_step_parts(json, cost, i);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

TG_FIELD_TABLE(seeds_fields, TG_FIELD_AS(TgMeasurement, trials, "count"), TG_FIELD(TgMeasurement, min_s),
               TG_FIELD(TgMeasurement, median_s), TG_FIELD(TgMeasurement, mean_s), TG_FIELD(TgMeasurement, max_s),
               TG_FIELD(TgMeasurement, stddev_s));

/* How far the times with other seeds lie apart. */
static void write_seeds(TgJson *json, const TgMeasurement *seeds) {
  if (seeds->trials == 0) return;
  tg_json_member_object(json, "seeds", TG_JSON_ROW);
  tg_json_members(json, seeds_fields, seeds);
  tg_json_end_object(json);
}

/* Within which the time should lie. */
static void write_interval(TgJson *json, const TgEstimate *run) {
  const double error = tg_machine_error(&run->machine), time_s = run->cost->time_s;
  tg_json_member_double(json, "least_s", error > 0 ? time_s * (1 - error) : NAN);
  tg_json_member_double(json, "most_s", error > 0 ? time_s * (1 + error) : NAN);
}

void tg_sim_write(TgJson *json, const TgEstimate *run) {
  const TgCost *cost = run->cost;
  tg_json_begin_document(json, "sim");
  write_problem(json, run);
  tg_json_member_string(json, "isoefficiency",
                        run->formula ? tg_formula_text(run->formula, TG_FORMULA_ISOEFFICIENCY) : NULL);
  tg_json_members(json, cost_fields, cost);
  write_interval(json, run);
  write_seeds(json, &run->seeds);
  tg_sim_write_parts(json, run);
  tg_json_member_double(json, "busiest_link_s", tg_sim_busiest_link_s(run));
  tg_json_members(json, run_fields, run);
  tg_json_member_integer(json, "bytes_per_processor", run->memory.words * run->options.element_bytes);
  write_steps(json, cost);
  write_nodes(json, run);
  write_links(json, run);
  tg_sim_write_tiers(json, run);
  tg_json_member_double(json, "wall_s", cost->wall_s);
  tg_json_member_double(json, "messages_per_second", (double)cost->messages_timed / cost->wall_s);
  tg_json_end_object(json);
}

void tg_sim_print_json(TgCli *cli, const TgEstimate *run) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_sim_write(json, run);
  tg_print_json(cli, json);
}
