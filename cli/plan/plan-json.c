/* What `plan` says to programs. */
#include "output.h"
#include "plan-command.h"

#include "json-writer.h"

static void write_request(TgJson *json, const TgPlanRun *run) {
  const TgPlanRequest *request = &run->request;
  tg_json_member_integer(json, "m", request->m);
  tg_json_member_integer(json, "n", request->n);
  tg_json_member_integer(json, "k", request->k);
  tg_json_member_integer(json, "element_bytes", request->element_bytes);
  tg_json_member_integer(json, "processors", request->processors);
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "network", run->has_network ? run->network_text : run->network_kind);
  tg_json_member_string(json, "model", tg_cost_model_name(request->model));
  tg_json_member_string(json, "fair",
                        request->model != TG_COST_FLOW ? NULL
                        : request->fair_equal          ? "equal"
                                                       : "latency");
  tg_json_member_bool(json, "overlap", request->overlap);
  tg_json_member_double(json, "memory_bytes", request->memory_bytes);
  tg_json_member_double(json, "residual", run->machine.residual);
}

static void write_place(TgJson *json, const TgPlanPlace *place) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", place->source->name);
  tg_json_member_string(json, "grid", place->grid);
  tg_json_member_string(json, "topology", place->topology);
  tg_json_member_double(json, "predicted_s", place->predicted_s);
  tg_json_member_double(json, "compute_s", place->compute_s);
  tg_json_member_double(json, "communication_s", place->communication_s);
  tg_json_member_double(json, "bytes_per_processor", place->bytes_per_processor);
  tg_json_member_string(json, "why", place->why);
  tg_json_member_bool(json, "tie", place->tie);
  tg_json_member_bool(json, "certain", place->certain);
  tg_json_member_string(json, "parameters", place->parameters);
  tg_json_member_string(json, "collective", place->has_collectives ? tg_collective_name(place->collective) : NULL);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)place->embedding));
  tg_json_member_integer(json, "processors", place->processors);
  tg_json_member_integer(json, "messages", place->messages);
  tg_json_member_integer(json, "bytes", place->bytes);
  tg_json_member_integer(json, "max_link_bytes", place->max_link_bytes);
  tg_json_member_double(json, "efficiency", place->efficiency);
  tg_json_member_double(json, "balance", place->balance);
  tg_json_member_double(json, "bound_s", place->bound_s);
  tg_json_member_string(json, "memory_from", place->memory_proved ? "proof" : "bound");
  tg_json_member_bool(json, "proved", place->proved);
  tg_json_member_bool(json, "rounded_up", place->rounded);
  tg_json_end_object(json);
}

static void write_reject(TgJson *json, const TgPlanReject *reject) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", reject->source->name);
  tg_json_member_string(json, "grid", reject->grid);
  tg_json_member_string(json, "reason", reject->reason);
  tg_json_member_string(json, "cause", tg_plan_cause_name(reject->cause));
  if (reject->time_s > 0)
    tg_json_member_double(json, reject->cause == TG_PLAN_BEHIND ? "predicted_s" : "bound_s", reject->time_s);
  if (reject->least_bytes > 0) tg_json_member_double(json, "bytes_per_processor", reject->least_bytes);
  tg_json_end_object(json);
}

void tg_plan_print_json(TgCli *cli, const TgPlanRun *run) {
  const TgPlan *plan = &run->plan;
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  write_request(json, run);
  tg_json_key(json, "ranked");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < plan->ranked->len; i++) write_place(json, &g_array_index(plan->ranked, TgPlanPlace, i));
  tg_json_end_array(json);
  tg_json_key(json, "rejected");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < plan->rejected->len; i++) write_reject(json, &g_array_index(plan->rejected, TgPlanReject, i));
  tg_json_end_array(json);
  tg_json_member_integer(json, "considered", plan->considered);
  tg_json_member_integer(json, "predicted", plan->predicted);
  tg_json_member_integer(json, "pruned", plan->pruned);
  tg_json_member_integer(json, "too_long", plan->too_long);
  tg_json_member_integer(json, "open", plan->open);
  tg_json_member_bool(json, "certain", plan->open == 0);
  tg_json_member_double(json, "wall_s", plan->wall_s);
  tg_json_end_object(json);
  tg_print(cli, "%s", tg_json_text(json, NULL));
}
