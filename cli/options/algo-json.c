/* Members that documents of all subcommands share: what is multiplied, by which schedule, and where one fails. */
#include "input.h"

#include <math.h>

void tg_parameters_of(const TgSchedule *schedule, const TgScheduleNames *names, TgBindings *parameters) {
  *parameters = (TgBindings){0};
  for (int p = 0; p < schedule->parameters; p++)
    if (schedule->parameter_kind[p] != TG_PARAMETER_DERIVED)
      tg_bindings_set(parameters, tg_name(names, names->parameter[p]), schedule->parameter[p], NULL);
}

void tg_parameters_write(TgJson *json, const TgBindings *parameters) {
  tg_json_key(json, "parameters");
  tg_json_begin_object(json, TG_JSON_ROW);
  for (int i = 0; i < parameters->count; i++)
    tg_json_member_integer(json, parameters->set[i].name, parameters->set[i].value);
  tg_json_end_object(json);
}

void tg_problem_write(TgJson *json, const TgProblem *problem) {
  const TgSchedule *schedule = &problem->schedule;
  char grid[48], formula[TG_FORMULA_BYTES];
  TgBindings parameters;
  tg_schedule_grid_text(schedule, grid, sizeof grid);
  tg_computes_text(&schedule->computes, formula);
  tg_parameters_of(schedule, &problem->names, &parameters);
  tg_json_member_string(json, "algorithm", tg_problem_name(problem));
  tg_json_member_string(json, "computes", formula);
  tg_json_member_string(json, "grid", grid);
  tg_parameters_write(json, &parameters);
}

void tg_failure_write(TgJson *json, const TgSchedule *schedule, const TgError *failure) {
  int64_t coordinate[TG_MAX_DIMS];
  const double line = failure->line > 0 ? failure->line : NAN;
  tg_json_member_integer(json, "step", failure->step);
  tg_json_member_double(json, "statement", line); /* the line number as well: programs rely on it */
  tg_json_member_double(json, "line", line);
  tg_json_key(json, "processor");
  tg_json_begin_array(json, TG_JSON_ROW);
  if (failure->processor >= 0) tg_schedule_coordinates(schedule, failure->processor, coordinate);
  for (int c = 0; failure->processor >= 0 && c < schedule->dims; c++) tg_json_integer(json, coordinate[c]);
  tg_json_end_array(json);
  tg_json_member_string(json, "message", failure->message);
}

void tg_input_write(TgJson *json, const TgInput *input) {
  TG_FIELD_TABLE(shape, TG_FIELD(TgShape, m), TG_FIELD(TgShape, n), TG_FIELD(TgShape, k));
  tg_json_members(json, shape, &input->shape);
  tg_json_member_string(json, "type", tg_element_name(input->element));
  if (input->from_files)
    tg_json_member_null(json, "seed");
  else
    tg_json_member_integer(json, "seed", (int64_t)input->seed);
}
