/* The document of `plan`. */
#include "output.h"
#include "plan-command.h"

#include "algo.h"

TG_FIELD_TABLE(request_fields, TG_FIELD(TgPlanRequest, m), TG_FIELD(TgPlanRequest, n), TG_FIELD(TgPlanRequest, k),
               TG_FIELD(TgPlanRequest, element_bytes), TG_FIELD(TgPlanRequest, processors));
TG_FIELD_TABLE(place_fields, TG_FIELD(TgPlanPlace, grid), TG_FIELD(TgPlanPlace, topology),
               TG_FIELD(TgPlanPlace, predicted_s), TG_FIELD(TgPlanPlace, compute_s),
               TG_FIELD(TgPlanPlace, communication_s),
               TG_FIELD(TgPlanPlace, bytes_per_processor), TG_FIELD(TgPlanPlace, why),
               TG_FIELD(TgPlanPlace, tie), TG_FIELD(TgPlanPlace, certain), TG_FIELD(TgPlanPlace, processors),
               TG_FIELD(TgPlanPlace, messages), TG_FIELD(TgPlanPlace, bytes), TG_FIELD(TgPlanPlace, max_link_bytes),
               TG_FIELD(TgPlanPlace, efficiency), TG_FIELD(TgPlanPlace, balance), TG_FIELD(TgPlanPlace, bound_s),
               TG_FIELD(TgPlanPlace, proved), TG_FIELD_AS(TgPlanPlace, rounded, "rounded_up"));
TG_FIELD_TABLE(plan_fields, TG_FIELD(TgPlan, considered), TG_FIELD(TgPlan, predicted), TG_FIELD(TgPlan, pruned),
               TG_FIELD(TgPlan, too_long), TG_FIELD(TgPlan, open), TG_FIELD(TgPlan, wall_s));

static void write_request(TgJson *json, const TgPlanRun *run) {
  const TgPlanRequest *request = &run->request;
  tg_json_members(json, request_fields, request);
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "topology", run->has_network ? run->network_text : run->network_kind);
  tg_json_member_string(json, "model", tg_cost_model_name(request->model));
  tg_json_member_string(json, "fair",
                        request->model != TG_COST_FLOW ? NULL
                        : request->fair_equal          ? "equal"
                                                       : "latency");
  tg_json_member_bool(json, "overlap", request->overlap);
  tg_json_member_double(json, "memory_limit_bytes", request->memory_bytes);
  tg_json_member_double(json, "residual", run->machine.residual);
}

/* The schedule's own parameters, as `sim` has them: bound again, which has been done before. */
static void write_parameters(TgJson *json, const TgPlanPlace *place) {
  TgSchedule schedule = *place->source->schedule;
  TgBindings parameters = {0};
  if (tg_schedule_bind(&schedule, place->source->names, &place->bindings, NULL))
    tg_parameters_of(&schedule, place->source->names, &parameters);
  tg_parameters_write(json, &parameters);
}

static void write_place(TgJson *json, const TgPlanPlace *place) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", place->source->name);
  write_parameters(json, place);
  tg_json_members(json, place_fields, place);
  tg_json_member_string(json, "collective", place->has_collectives ? tg_collective_name(place->collective) : NULL);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)place->embedding));
  tg_json_member_string(json, "memory_from", place->memory_proved ? "proof" : "bound");
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
  tg_json_begin_document(json, "plan");
  write_request(json, run);
  tg_json_key(json, "ranked");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < plan->ranked->len; i++) write_place(json, &g_array_index(plan->ranked, TgPlanPlace, i));
  tg_json_end_array(json);
  tg_json_key(json, "rejected");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint i = 0; i < plan->rejected->len; i++) write_reject(json, &g_array_index(plan->rejected, TgPlanReject, i));
  tg_json_end_array(json);
  tg_json_members(json, plan_fields, plan);
  tg_json_member_bool(json, "certain", plan->open == 0);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}
