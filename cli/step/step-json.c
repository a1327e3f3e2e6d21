/* The document of `step`. */
#include "output.h"
#include "step.h"

#include <math.h>

TG_FIELD_TABLE(counts_fields, TG_FIELD(TgStepperCounts, products), TG_FIELD(TgStepperCounts, messages),
               TG_FIELD(TgStepperCounts, bytes), TG_FIELD(TgStepperCounts, hops), TG_FIELD(TgStepperCounts, hop_bytes));
TG_FIELD_TABLE(step_fields, TG_FIELD(TgTraceStep, label), TG_FIELD(TgTraceStep, index), TG_FIELD(TgTraceStep, products),
               TG_FIELD(TgTraceStep, messages), TG_FIELD(TgTraceStep, bytes), TG_FIELD(TgTraceStep, hop_bytes));

static void write_load(TgJson *json, int64_t bytes) {
  tg_json_key(json, "max_link_bytes");
  if (bytes >= 0)
    tg_json_integer(json, bytes);
  else
    tg_json_null(json);
}

static void write_steps(TgJson *json, const TgStepRun *run) {
  const TgTrace *trace = tg_stepper_trace(run->stepper);
  tg_json_key(json, "trace");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int64_t i = 0; i < trace->steps; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_members(json, step_fields, &trace->step[i]);
    write_load(json, tg_step_busiest_link(run, i + 1, NULL));
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

/* A run that has not come to its end is neither right nor wrong, unless it has failed. */
static void write_outcome(TgJson *json, const TgStepRun *run) {
  const TgError *failure = tg_stepper_failure(run->stepper);
  const bool failed = failure->cause != TG_CAUSE_NONE;
  tg_json_member_double(json, "relative_error", run->checked ? run->check.relative_error : NAN);
  tg_json_member_double(json, "tolerance", run->checked ? run->check.tolerance : NAN);
  tg_json_key(json, "ok");
  if (run->checked || failed)
    tg_json_bool(json, !failed && run->check.ok);
  else
    tg_json_null(json);
  if (!failed) return;
  tg_json_key(json, "error");
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_failure_write(json, &run->problem.schedule, failure);
  tg_json_end_object(json);
}

void tg_step_print_json(TgCli *cli, const TgStepRun *run) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "step");
  tg_problem_write(json, &run->problem);
  tg_json_member_string(json, "topology", run->network_text);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)run->options.embedding));
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_input_write(json, &run->input);
  tg_json_member_integer(json, "steps", tg_stepper_steps(run->stepper));
  tg_json_member_integer(json, "steps_executed", tg_stepper_position(run->stepper));
  tg_json_members(json, counts_fields, tg_stepper_counts(run->stepper));
  write_load(json, run->options.link_loads ? tg_stepper_link_bytes_max(run->stepper) : -1);
  write_steps(json, run);
  write_outcome(json, run);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}
