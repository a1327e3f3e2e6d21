/* The documents of `compare`. */
#include "compare-command.h"
#include "sim.h"

#include <math.h>

/* The prediction of one pass as `sim` says it. Problem and cost stay whose they are. */
static void write_predicted(const TgCli *cli, TgJson *json, const TgCompareCommand *compare, const TgRunEntry *measured,
                            const TgComparison *result) {
  const TgExpectedRun *expected = &result->expected;
  TgSimRun sim = {.problem = measured->problem,
                  .network = expected->network,
                  .machine = compare->machine,
                  .shape = expected->shape,
                  .element = compare->run.options.element,
                  .options = expected->options,
                  .cost = expected->cost};
  const TgSchedule *schedule = &measured->problem.schedule;
  TgError unused;
  tg_topology_format(&sim.network, sim.network_text, sizeof sim.network_text);
  tg_embedding_init(&sim.embedding, TG_ROWMAJOR, schedule->dims, schedule->extent, &sim.network, &unused);
  tg_sim_prove(cli, &sim);
  sim.workers = tg_schedule_processors(schedule);
  sim.serial_s = tg_sim_serial_s(&sim, &sim.shape);
  sim.efficiency = sim.cost.time_s > 0 ? sim.serial_s / ((double)sim.workers * sim.cost.time_s) : NAN;
  tg_sim_closed_form(&sim);
  tg_json_key(json, "predicted");
  tg_sim_write(json, &sim);
  sim.problem = (TgProblem){0};
  sim.cost = (TgCost){0};
  tg_sim_clear(&sim);
}

TG_FIELD_TABLE(expected_fields, TG_FIELD(TgExpectedRun, pass_s), TG_FIELD(TgExpectedRun, rounds),
               TG_FIELD(TgExpectedRun, passes), TG_FIELD(TgExpectedRun, overhead_s));

static void write_totals(TgJson *json, const TgRunEntry *measured, const TgComparison *result) {
  const TgExpectedRun *expected = &result->expected;
  tg_json_member_double(json, "predicted_s", expected->time_s);
  tg_json_member_double(json, "measured_s", measured->run.time.median_s);
  tg_json_member_double(json, "error", result->total_error);
  tg_json_member_double(json, "median_abs_step_error", result->median_abs_step_error);
  tg_json_members(json, expected_fields, expected);
  tg_json_member_double(json, "step_scale", result->step_scale);
}

static void write_steps(TgJson *json, const TgRunEntry *measured, const TgComparison *result) {
  tg_json_key(json, "steps");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int64_t s = 0; measured->run.steps && s < measured->run.facts.steps; s++) {
    const bool none = measured->run.steps[s].runs == 0;
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "label", measured->run.steps[s].label);
    tg_json_member_integer(json, "index", measured->run.steps[s].index);
    tg_json_member_double(json, "predicted_s", none ? NAN : result->predicted_s[s]);
    tg_json_member_double(json, "measured_s", none ? NAN : result->measured_s[s]);
    tg_json_member_double(json, "error", none ? NAN : result->error[s]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_calibration(TgJson *json, const TgCompareCommand *compare) {
  tg_json_key(json, "calibration");
  if (compare->calibrated)
    tg_calibrate_write(json, &compare->calibrate);
  else
    tg_json_null(json);
}

static void write_result(const TgCli *cli, TgJson *json, const TgCompareCommand *compare, guint r) {
  const TgRunEntry *measured = tg_run_entry(&compare->run, r);
  const TgComparison *result = tg_compare_result(compare, r);
  tg_json_begin_document(json, "compare");
  tg_json_member_bool(json, "ok", measured->run.check.ok);
  tg_json_member_string(json, "algorithm", tg_problem_name(&measured->problem));
  tg_json_member_string(json, "on", compare->run.kind->name);
  tg_json_member_string(json, "machine", compare->machine.name);
  tg_json_member_bool(json, "calibrated", compare->calibrated);
  write_totals(json, measured, result);
  write_steps(json, measured, result);
  write_predicted(cli, json, compare, measured, result);
  tg_json_key(json, "measured");
  tg_run_write_result(json, &compare->run, measured);
  if (compare->results->len == 1) write_calibration(json, compare);
  tg_json_end_object(json);
}

void tg_compare_write(const TgCli *cli, TgJson *json, const TgCompareCommand *compare) {
  const guint count = compare->results->len;
  if (count == 1) {
    write_result(cli, json, compare, 0);
    return;
  }
  g_autofree int *predicted = tg_compare_places(compare, false), *measured = tg_compare_places(compare, true);
  tg_json_begin_document(json, "comparisons");
  tg_json_member_bool(json, "ok", tg_run_is_right(&compare->run));
  tg_json_key(json, "comparisons");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < count; r++) write_result(cli, json, compare, r);
  tg_json_end_array(json);
  tg_json_key(json, "places");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < count; r++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "algorithm", tg_problem_name(&tg_run_entry(&compare->run, r)->problem));
    tg_json_member_integer(json, "predicted_place", predicted[r]);
    tg_json_member_integer(json, "measured_place", measured[r]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
  write_calibration(json, compare);
  tg_environment_write(json, &compare->run.environment);
  tg_json_end_object(json);
}
