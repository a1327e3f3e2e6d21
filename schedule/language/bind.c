/* Binding: parameters get values, requirements are tested, and the placements are checked to hold every block. */
#include "expression.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TgBinder {
  TgSchedule *schedule;
  const TgScheduleNames *names;
  const TgBindings *bindings;
  TgError *error;
  bool known[TG_MAX_PARAMETERS];
} TgBinder;

static const char *parameter_name(const TgBinder *binder, int p) {
  return tg_name(binder->names, binder->names->parameter[p]);
}

static int find_parameter(const TgBinder *binder, const char *name) {
  for (int p = 0; p < binder->schedule->parameters; p++)
    if (strcmp(parameter_name(binder, p), name) == 0) return p;
  return -1;
}

static bool unknown_parameter(TgBinder *binder, const char *name) {
  const TgSchedule *schedule = binder->schedule;
  char known[160] = "";
  size_t used = 0;
  for (int p = 0; p < schedule->parameters && used < sizeof known; p++)
    if (schedule->parameter_kind[p] != TG_PARAMETER_DERIVED)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "; it has ",
                               parameter_name(binder, p));
  return tg_error_set(binder->error, 0, 0, "schedule %s has no parameter `%s`%s",
                      tg_name(binder->names, binder->names->title), name, known);
}

static bool set_by_name(TgBinder *binder) {
  for (int i = 0; i < binder->bindings->count; i++) {
    const char *name = binder->bindings->set[i].name;
    int p = find_parameter(binder, name);
    if (p < 0) return unknown_parameter(binder, name);
    if (binder->schedule->parameter_kind[p] == TG_PARAMETER_DERIVED)
      return tg_error_set(binder->error, 0, 0, "parameter `%s` follows from the others and cannot be set", name);
    binder->schedule->parameter[p] = binder->bindings->set[i].value;
    binder->known[p] = true;
  }
  return true;
}

static bool set_by_grid(TgBinder *binder) {
  const TgBindings *bindings = binder->bindings;
  TgSchedule *schedule = binder->schedule;
  if (bindings->dims == 0) return true;
  if (bindings->dims != schedule->dims)
    return tg_error_set(binder->error, 0, 0, "the grid has %d extent%s, but schedule %s has %d coordinate%s",
                        bindings->dims, bindings->dims == 1 ? "" : "s", tg_name(binder->names, binder->names->title),
                        schedule->dims, schedule->dims == 1 ? "" : "s");
  for (int c = 0; c < schedule->dims; c++) {
    int p = tg_extent_parameter(schedule, c);
    if (p < 0 || schedule->parameter_kind[p] == TG_PARAMETER_DERIVED) continue;
    if (binder->known[p] && schedule->parameter[p] != bindings->grid[c])
      return tg_error_set(binder->error, 0, 0, "`%s` is both %lld and %lld, but must be the same everywhere",
                          parameter_name(binder, p), (long long)schedule->parameter[p], (long long)bindings->grid[c]);
    schedule->parameter[p] = bindings->grid[c];
    binder->known[p] = true;
  }
  return true;
}

static bool missing(const TgBinder *binder, int p) {
  const char *name = parameter_name(binder, p);
  if (binder->schedule->parameter_kind[p] == TG_PARAMETER_GRID)
    return tg_error_set(binder->error, 0, 0, "the grid's extent `%s` has no value (give --grid, or --set %s=4)", name,
                        name);
  return tg_error_set(binder->error, 0, 0, "parameter `%s` has no value (give --set %s=…)", name, name);
}

/* What is wrong with a requirement, or with a derived parameter (TG_MAX_REQUIRES + its number), at these values. */
static bool unmet(TgBinder *binder, int number, const char *why) {
  const bool require = number < TG_MAX_REQUIRES;
  const char *name = require ? tg_name(binder->names, binder->names->require[number])
                             : parameter_name(binder, number - TG_MAX_REQUIRES);
  char values[160] = "";
  size_t used = 0;
  for (int p = 0; p < binder->schedule->parameters && used < sizeof values; p++)
    if (binder->known[p] && binder->schedule->parameter_kind[p] != TG_PARAMETER_DERIVED)
      used += (size_t)snprintf(values + used, sizeof values - used, "%s%s = %lld", used ? ", " : "",
                               parameter_name(binder, p), (long long)binder->schedule->parameter[p]);
  binder->schedule->bound = TG_BOUND_UNMET;
  binder->schedule->unmet = (uint8_t)number;
  return tg_error_set(binder->error, 0, 0, "%s %.200s %s (with %s)", require ? "require" : "parameter", name, why,
                      values);
}

/* Values of defaults and derived parameters, in order of declaration: each may use those above it. */
static bool set_rest(TgBinder *binder) {
  TgSchedule *schedule = binder->schedule;
  for (int p = 0; p < schedule->parameters; p++) {
    if (binder->known[p]) continue;
    if (!schedule->parameter_value[p]) return missing(binder, p);
    int64_t value;
    TgEvaluation evaluation = tg_expression_evaluate(schedule, schedule->parameter_value[p], NULL, &value);
    if (evaluation != TG_EVALUATION_OK) return unmet(binder, TG_MAX_REQUIRES + p, tg_evaluation_text(evaluation));
    schedule->parameter[p] = value;
    binder->known[p] = true;
  }
  return true;
}

static bool set_extents(TgBinder *binder) {
  TgSchedule *schedule = binder->schedule;
  int64_t processors = 1;
  for (int c = 0; c < TG_MAX_DIMS; c++) {
    int64_t extent = 1;
    if (c < schedule->dims) tg_expression_evaluate(schedule, schedule->extent_value[c], NULL, &extent);
    if (extent < 1 || extent > TG_MAX_PROCESSORS || processors * extent > TG_MAX_PROCESSORS)
      return tg_error_set(binder->error, 0, 0,
                          "extent %lld of coordinate %s, expected 1 or more and at most %d processors in all",
                          (long long)extent, tg_name(binder->names, binder->names->axis[c]), TG_MAX_PROCESSORS);
    if (c < schedule->dims && binder->bindings->dims && extent != binder->bindings->grid[c])
      return tg_error_set(binder->error, 0, 0, "extent %lld given for coordinate %s, which the schedule sets to %lld",
                          (long long)binder->bindings->grid[c], tg_name(binder->names, binder->names->axis[c]),
                          (long long)extent);
    schedule->extent[c] = (int32_t)extent;
    processors *= extent;
  }
  return true;
}

static bool check_requires(TgBinder *binder) {
  TgSchedule *schedule = binder->schedule;
  for (int r = 0; r < schedule->requires_; r++) {
    int64_t holds;
    TgEvaluation evaluation = tg_expression_evaluate(schedule, schedule->require[r], NULL, &holds);
    if (evaluation != TG_EVALUATION_OK) return unmet(binder, r, tg_evaluation_text(evaluation));
    if (!holds) return unmet(binder, r, "does not hold");
  }
  return true;
}

static bool count_blocks(TgBinder *binder) {
  TgSchedule *schedule = binder->schedule;
  TgPlacing placing;
  TgPlaced placed;
  int next;
  memset(schedule->blocks, 0, sizeof schedule->blocks);
  tg_placing_init(&placing, schedule);
  while ((next = tg_placing_next(&placing, binder->names, &placed, binder->error)) > 0) {
    int32_t *blocks = schedule->blocks[placed.matrix];
    if (placed.row >= blocks[0]) blocks[0] = placed.row + 1;
    if (placed.column >= blocks[1]) blocks[1] = placed.column + 1;
  }
  return next == 0;
}

static bool check_shapes(TgBinder *binder) {
  TgSchedule *schedule = binder->schedule;
  const TgComputes *computes = &schedule->computes;
  for (int m = 0; m < TG_MATRICES; m++) {
    bool needed = m == TG_MATRIX_C || m == computes->left || m == computes->right;
    if (needed != (schedule->blocks[m][0] > 0))
      return tg_error_set(binder->error, 0, 0, "matrix %c is %s, expected %s", "ABC"[m],
                          needed ? "not placed anywhere" : "placed but takes no part in the product",
                          needed ? "a `place` for each of its blocks" : "none");
  }
  const int32_t *left = schedule->blocks[computes->left], *c = schedule->blocks[TG_MATRIX_C];
  int32_t rows = left[computes->left_transposed], inner = left[!computes->left_transposed], columns = inner;
  if (computes->right != TG_MATRICES) {
    const int32_t *right = schedule->blocks[computes->right];
    columns = right[!computes->right_transposed];
    if (right[computes->right_transposed] != inner)
      return tg_error_set(
          binder->error, 0, 0,
          "%d block columns of the left factor but %d block rows of the right one, expected equal numbers", inner,
          right[computes->right_transposed]);
  }
  schedule->inner = computes->right == TG_MATRICES ? 1 : inner;
  if (c[0] != rows || c[1] != columns)
    return tg_error_set(binder->error, 0, 0, "C is placed as %d×%d blocks, but the factors make it %d×%d", c[0], c[1],
                        rows, columns);
  return true;
}

static bool check_coverage(TgBinder *binder, uint8_t *seen[TG_MATRICES]) {
  const TgSchedule *schedule = binder->schedule;
  TgPlacing placing;
  TgPlaced placed;
  tg_placing_init(&placing, schedule);
  while (tg_placing_next(&placing, binder->names, &placed, binder->error) > 0)
    seen[placed.matrix][(int64_t)placed.row * schedule->blocks[placed.matrix][1] + placed.column] = 1;
  for (int m = 0; m < TG_MATRICES; m++)
    for (int64_t b = 0; b < (int64_t)schedule->blocks[m][0] * schedule->blocks[m][1]; b++)
      if (!seen[m][b])
        return tg_error_set(binder->error, 0, 0, "%c(%lld, %lld) is not placed anywhere", "ABC"[m],
                            (long long)(b / schedule->blocks[m][1]), (long long)(b % schedule->blocks[m][1]));
  return true;
}

static bool check_placements(TgBinder *binder) {
  const TgSchedule *schedule = binder->schedule;
  uint8_t *seen[TG_MATRICES] = {NULL};
  bool fine = count_blocks(binder) && check_shapes(binder);
  for (int m = 0; fine && m < TG_MATRICES; m++) {
    int64_t blocks = (int64_t)schedule->blocks[m][0] * schedule->blocks[m][1];
    if (blocks > INT_MAX || !(seen[m] = calloc((size_t)blocks + 1, 1)))
      fine = tg_error_set(binder->error, 0, 0, "%lld blocks of %c do not fit in memory", (long long)blocks, "ABC"[m]);
  }
  fine = fine && check_coverage(binder, seen);
  for (int m = 0; m < TG_MATRICES; m++) free(seen[m]);
  return fine;
}

bool tg_schedule_bind_values(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings,
                             TgError *error) {
  TgError unused;
  TgBinder binder = {.schedule = schedule, .names = names, .bindings = bindings, .error = error ? error : &unused};
  schedule->bound = TG_BOUND_NO;
  return set_by_name(&binder) && set_by_grid(&binder) && set_rest(&binder) && set_extents(&binder) &&
         check_requires(&binder);
}

bool tg_schedule_bind(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings, TgError *error) {
  TgError unused;
  TgBinder binder = {.schedule = schedule, .names = names, .bindings = bindings, .error = error ? error : &unused};
  if (!tg_schedule_bind_values(schedule, names, bindings, binder.error) || !check_placements(&binder)) return false;
  schedule->bound = TG_BOUND_YES;
  return true;
}
