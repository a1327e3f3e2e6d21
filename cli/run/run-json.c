/* What `run` says to programs. */
#include "run-command.h"

#include "results.h"

#include <math.h>

static void write_problem(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  char grid[48], formula[TG_FORMULA_BYTES];
  const TgShape *shape = &run->input.shape;
  tg_schedule_grid_text(&result->problem.schedule, grid, sizeof grid);
  tg_computes_text(&result->problem.schedule.computes, formula);
  tg_json_member_string(json, "algorithm", tg_problem_name(&result->problem));
  tg_json_member_string(json, "computes", formula);
  tg_json_member_string(json, "grid", grid);
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_json_member_string(json, "transport", tg_transport_name(result->transport));
  tg_json_member_integer(json, "m", shape->m);
  tg_json_member_integer(json, "n", shape->n);
  tg_json_member_integer(json, "k", shape->k);
  tg_json_member_string(json, "type", tg_element_name(run->input.element));
  tg_json_key(json, "seed");
  if (run->input.from_files)
    tg_json_null(json);
  else
    tg_json_integer(json, (int64_t)run->input.seed);
}

static void write_facts(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  const TgExecutorFacts *facts = &result->run.facts;
  tg_json_member_string(json, "on", run->kind->name);
  tg_json_member_string(json, "device", tg_environment_device(&run->environment));
  tg_json_member_string(json, "kernel", result->run.kernel);
  tg_json_member_integer(json, "variant", facts->variant);
  tg_json_member_integer(json, "variants", facts->variants);
  tg_json_member_string(json, "variant_from", tg_variant_from_name(result->variant_from));
  tg_json_member_integer(json, "processors", facts->processors);
  tg_json_member_integer(json, "instances", facts->instances);
  tg_json_member_integer(json, "resident", facts->resident);
  tg_json_member_integer(json, "panels", facts->panels);
  tg_json_member_integer(json, "rounds", facts->rounds);
  tg_json_member_integer(json, "passes", facts->passes);
  tg_json_key(json, "instance");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "m", facts->instance[0]);
  tg_json_member_integer(json, "n", facts->instance[1]);
  tg_json_member_integer(json, "k", facts->instance[2]);
  tg_json_end_object(json);
  tg_json_member_integer(json, "memory_bytes", facts->memory_bytes);
  tg_json_member_integer(json, "shared_bytes", facts->shared_bytes);
  tg_json_member_integer(json, "instructions", facts->instructions);
  tg_json_member_integer(json, "waits", facts->waits);
}

static void write_times(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  const TgMeasurement *time = &result->run.time;
  tg_json_member_bool(json, "cold", run->cold);
  tg_results_write_measured(json, time);
  tg_json_member_double(json, "transfer_s", result->run.load_s + result->run.gather_s);
  tg_json_member_double(json, "load_s", result->run.load_s);
  tg_json_member_double(json, "gather_s", result->run.gather_s);
  tg_json_member_double(json, "gflops", result->run.flops_per_s * 1e-9);
  if (!run->baseline) return;
  tg_json_key(json, "baseline");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", run->baseline->name);
  tg_json_member_integer(json, "trials", run->baseline_time.trials);
  tg_json_member_double(json, "median_s", run->baseline_time.median_s);
  tg_json_member_double(json, "stddev_s", run->baseline_time.stddev_s);
  tg_json_member_double(json, "ratio", run->baseline_time.median_s / time->median_s);
  tg_json_end_object(json);
}

static void write_steps(TgJson *json, const TgRunEntry *result) {
  tg_json_member_integer(json, "step_trials", result->run.step_trials);
  tg_json_member_double(json, "steps_share", result->run.steps ? result->run.steps_share : NAN);
  tg_json_member_double(json, "steps_s", result->run.steps ? result->run.steps_s : NAN);
  tg_json_member_double(json, "outside_s", result->run.steps ? result->run.outside_s : NAN);
  tg_json_member_double(json, "outside_share", result->run.steps ? result->run.outside_share : NAN);
  tg_json_key(json, "steps");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (int64_t s = 0; result->run.steps && s < result->run.facts.steps; s++) {
    const TgRunStep *step = &result->run.steps[s];
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "label", step->label);
    tg_json_member_integer(json, "index", step->index);
    tg_json_member_double(json, "median_s", step->median_s);
    tg_json_member_integer(json, "runs", step->runs);
    tg_json_member_double(json, "busy_s", step->busy_s);
    tg_json_member_double(json, "waited_s", step->waited_s);
    tg_json_member_double(json, "begin_s", step->begin_s);
    tg_json_member_double(json, "end_s", step->end_s);
    tg_json_member_double(json, "share", step->share);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

void tg_run_write_result(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  tg_json_begin_object(json, TG_JSON_LINES);
  write_problem(json, run, result);
  write_facts(json, run, result);
  write_times(json, run, result);
  write_steps(json, result);
  tg_json_member_double(json, "relative_error", result->run.check.relative_error);
  tg_json_member_double(json, "tolerance", result->run.check.tolerance);
  tg_json_member_bool(json, "estimated", result->run.check.estimated);
  tg_json_member_bool(json, "ok", result->run.check.ok);
  if (run->results->len == 1) tg_environment_write(json, &run->environment);
  tg_json_end_object(json);
}

void tg_run_write(TgJson *json, const TgRunCommand *run) {
  if (run->results->len == 1) {
    tg_run_write_result(json, run, tg_run_entry(run, 0));
    return;
  }
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_key(json, "runs");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < run->results->len; r++) tg_run_write_result(json, run, tg_run_entry(run, r));
  tg_json_end_array(json);
  tg_environment_write(json, &run->environment);
  tg_json_end_object(json);
}
