/* The documents of `run`. */
#include "run-command.h"

#include "results.h"

#include <math.h>

TG_FIELD_TABLE(instance_fields, TG_FIELD_AS(TgExecutorFacts, instance[0], "m"),
               TG_FIELD_AS(TgExecutorFacts, instance[1], "n"), TG_FIELD_AS(TgExecutorFacts, instance[2], "k"));
TG_FIELD_TABLE(facts_fields, TG_FIELD(TgExecutorFacts, variant), TG_FIELD(TgExecutorFacts, variants),
               TG_FIELD(TgExecutorFacts, processors), TG_FIELD(TgExecutorFacts, instances),
               TG_FIELD(TgExecutorFacts, resident), TG_FIELD(TgExecutorFacts, panels),
               TG_FIELD(TgExecutorFacts, rounds), TG_FIELD(TgExecutorFacts, passes),
               TG_FIELD_GROUP("instance", instance_fields), TG_FIELD(TgExecutorFacts, memory_bytes),
               TG_FIELD(TgExecutorFacts, shared_bytes), TG_FIELD(TgExecutorFacts, instructions),
               TG_FIELD(TgExecutorFacts, waits));
TG_FIELD_TABLE(step_fields, TG_FIELD(TgRunStep, label), TG_FIELD(TgRunStep, index), TG_FIELD(TgRunStep, median_s),
               TG_FIELD(TgRunStep, runs), TG_FIELD(TgRunStep, busy_s), TG_FIELD(TgRunStep, waited_s),
               TG_FIELD_AS(TgRunStep, begin_s, "start_s"), TG_FIELD(TgRunStep, end_s), TG_FIELD(TgRunStep, share));
TG_FIELD_TABLE(check_fields, TG_FIELD(TgCheck, relative_error), TG_FIELD(TgCheck, tolerance),
               TG_FIELD(TgCheck, estimated), TG_FIELD(TgCheck, ok));

static void write_problem(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  tg_problem_write(json, &result->problem);
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_json_member_string(json, "transport", tg_transport_name(result->transport));
  tg_input_write(json, &run->input);
  tg_json_member_string(json, "on", run->kind->name);
  tg_json_member_string(json, "device", tg_environment_device(&run->environment));
  tg_json_member_string(json, "kernel", result->run.kernel);
  tg_json_member_string(json, "variant_from", tg_variant_from_name(result->variant_from));
  tg_json_members(json, facts_fields, &result->run.facts);
}

static void write_times(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  const TgMeasurement *time = &result->run.time;
  tg_json_member_bool(json, "cold", run->cold);
  tg_json_member_integer(json, "trials", time->trials);
  tg_json_member_integer(json, "warmup", time->warmup);
  tg_results_write_measured(json, time);
  tg_json_member_double(json, "transfer_s", result->run.load_s + result->run.gather_s);
  tg_json_member_double(json, "load_s", result->run.load_s);
  tg_json_member_double(json, "gather_s", result->run.gather_s);
  tg_json_member_double(json, "gflops", result->run.flops_per_s * 1e-9);
  if (!run->baseline) return;
  tg_json_key(json, "baseline");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", run->baseline->name);
  tg_results_write_measured(json, &run->baseline_time);
  tg_json_member_double(json, "ratio", run->baseline_time.median_s / time->median_s);
  tg_json_end_object(json);
}

static void write_steps(TgJson *json, const TgRunResult *run) {
  const bool timed = run->steps != NULL;
  tg_json_member_integer(json, "step_trials", run->step_trials);
  tg_json_member_double(json, "steps_share", timed ? run->steps_share : NAN);
  tg_json_member_double(json, "steps_s", timed ? run->steps_s : NAN);
  tg_json_member_double(json, "outside_s", timed ? run->outside_s : NAN);
  tg_json_member_double(json, "outside_share", timed ? run->outside_share : NAN);
  tg_json_member_rows(json, "steps", step_fields, run->steps, timed ? (size_t)run->facts.steps : 0, sizeof *run->steps);
}

void tg_run_write_result(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  tg_json_begin_document(json, "run");
  write_problem(json, run, result);
  write_times(json, run, result);
  write_steps(json, &result->run);
  tg_json_members(json, check_fields, &result->run.check);
  if (run->results->len == 1) tg_environment_write(json, &run->environment);
  tg_json_end_object(json);
}

bool tg_run_is_right(const TgRunCommand *run) {
  for (guint r = 0; r < run->results->len; r++)
    if (!tg_run_entry(run, r)->run.check.ok) return false;
  return true;
}

void tg_run_write(TgJson *json, const TgRunCommand *run) {
  if (run->results->len == 1) {
    tg_run_write_result(json, run, tg_run_entry(run, 0));
    return;
  }
  tg_json_begin_document(json, "runs");
  tg_json_member_bool(json, "ok", tg_run_is_right(run));
  tg_json_key(json, "runs");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < run->results->len; r++) tg_run_write_result(json, run, tg_run_entry(run, r));
  tg_json_end_array(json);
  tg_environment_write(json, &run->environment);
  tg_json_end_object(json);
}
