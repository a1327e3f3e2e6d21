/* What `sim` says to programs. */
#include "output.h"
#include "sim.h"

#include "json-writer.h"

static void write_problem(TgJson *json, const TgSimRun *run) {
  char grid[48];
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  tg_json_member_string(json, "algorithm", tg_problem_name(&run->problem));
  tg_json_member_string(json, "grid", grid);
  tg_json_member_string(json, "topology", run->network_text);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)run->embedding));
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "model", tg_cost_model_name(run->options.model));
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_json_member_bool(json, "overlap", run->options.overlap);
  tg_json_member_integer(json, "m", run->shape.m);
  tg_json_member_integer(json, "n", run->shape.n);
  tg_json_member_integer(json, "k", run->shape.k);
  tg_json_member_integer(json, "element_bytes", run->options.element_bytes);
  tg_json_member_integer(json, "processors", tg_schedule_processors(&run->problem.schedule));
  tg_json_member_integer(json, "nodes", run->cost.nodes);
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
    tg_json_member_integer(json, "messages", step->messages);
    tg_json_member_integer(json, "bytes", step->bytes);
    tg_json_member_integer(json, "max_link_bytes", cost->step_max_link_bytes[i]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

void tg_sim_print_json(TgCli *cli, const TgSimRun *run) {
  const TgCost *cost = &run->cost;
  g_autoptr(TgJson) json = tg_json_new();
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
  write_steps(json, cost);
  tg_json_member_double(json, "wall_s", cost->wall_s);
  tg_json_member_double(json, "messages_per_second", (double)cost->messages / cost->wall_s);
  tg_json_end_object(json);
  tg_print(cli, "%s", tg_json_text(json, NULL));
}
