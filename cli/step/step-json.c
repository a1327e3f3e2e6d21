/* What `step` says to programs. */
#include "output.h"
#include "step.h"

#include "json-writer.h"

#include <math.h>

static void write_load(TgJson *json, const char *key, int64_t bytes) {
  tg_json_key(json, key);
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
    const TgTraceStep *step = &trace->step[i];
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "label", step->label);
    tg_json_member_integer(json, "index", step->index);
    tg_json_member_integer(json, "products", step->products);
    tg_json_member_integer(json, "messages", step->messages);
    tg_json_member_integer(json, "bytes", step->bytes);
    tg_json_member_integer(json, "hop_bytes", step->hop_bytes);
    write_load(json, "max_link_bytes", tg_step_busiest_link(run, i + 1, NULL));
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_problem(TgJson *json, const TgStepRun *run) {
  char grid[48], formula[TG_FORMULA_BYTES];
  const TgShape *shape = tg_stepper_shape(run->stepper);
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  tg_computes_text(&run->problem.schedule.computes, formula);
  tg_json_member_string(json, "algorithm", tg_problem_name(&run->problem));
  tg_json_member_string(json, "computes", formula);
  tg_json_member_string(json, "grid", grid);
  tg_json_member_string(json, "network", run->network_text);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)run->options.embedding));
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_json_member_integer(json, "m", shape->m);
  tg_json_member_integer(json, "n", shape->n);
  tg_json_member_integer(json, "k", shape->k);
  tg_json_member_string(json, "type", tg_element_name(run->options.element));
  tg_json_key(json, "seed");
  if (run->input.from_files)
    tg_json_null(json);
  else
    tg_json_integer(json, (int64_t)run->input.seed);
}

static void write_outcome(TgJson *json, const TgStepRun *run) {
  tg_json_member_double(json, "relative_error", run->checked ? run->check.relative_error : NAN);
  tg_json_member_double(json, "tolerance", run->checked ? run->check.tolerance : NAN);
  tg_json_key(json, "ok");
  if (run->checked)
    tg_json_bool(json, run->check.ok);
  else
    tg_json_null(json);
}

void tg_step_print_json(TgCli *cli, const TgStepRun *run) {
  const TgStepperCounts *counts = tg_stepper_counts(run->stepper);
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  write_problem(json, run);
  tg_json_member_integer(json, "steps", tg_stepper_steps(run->stepper));
  tg_json_member_integer(json, "steps_executed", tg_stepper_position(run->stepper));
  tg_json_member_integer(json, "products", counts->products);
  tg_json_member_integer(json, "messages", counts->messages);
  tg_json_member_integer(json, "bytes", counts->bytes);
  tg_json_member_integer(json, "hops", counts->hops);
  tg_json_member_integer(json, "hop_bytes", counts->hop_bytes);
  write_load(json, "max_link_bytes", run->options.link_loads ? tg_stepper_link_bytes_max(run->stepper) : -1);
  write_steps(json, run);
  write_outcome(json, run);
  tg_json_end_object(json);
  tg_print(cli, "%s", tg_json_text(json, NULL));
}
