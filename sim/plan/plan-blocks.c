/* The blocks of a schedule whose parameters have values, as binding counts them. */
#include "plan-private.h"

#include <math.h>

/* Where the largest number of an affine map over independent ranges is, is what interval arithmetic finds. */
static bool largest(const TgSchedule *schedule, TgExpression expression, const TgInterval *variable, int32_t *most) {
  TgAffine affine;
  if (!tg_expression_affine(schedule, expression, &affine)) return false;
  double high = tg_interval_evaluate(schedule, expression, variable).high;
  if (!(high >= 0 && high < INT32_MAX)) return false;
  *most = MAX(*most, (int32_t)high + 1);
  return true;
}

static bool count_placement(TgSchedule *schedule, const TgPlacement *placement) {
  TgInterval variable[TG_LOCAL_VARIABLES] = {{0, 0}};
  int64_t unused[TG_LOCAL_VARIABLES] = {0}, count = 1;
  for (int c = 0; c < schedule->dims; c++)
    if (placement->ranges >> c & 1) variable[c].high = schedule->extent[c] - 1;
  if (placement->count) {
    if (tg_expression_variables(schedule, placement->count) & TG_PLAN_COORDINATES) return false;
    if (tg_expression_evaluate(schedule, placement->count, unused, &count) != TG_EVALUATION_OK || count < 1)
      return false;
    variable[TG_VARIABLE_LOOP].high = (double)count - 1;
  }
  int32_t *blocks = schedule->blocks[placement->matrix];
  return largest(schedule, placement->row, variable, &blocks[0]) &&
         largest(schedule, placement->column, variable, &blocks[1]);
}

bool tg_plan_count_blocks(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings) {
  bool affine = true;
  for (int m = 0; m < TG_MATRICES; m++) schedule->blocks[m][0] = schedule->blocks[m][1] = 0;
  for (int p = 0; p < schedule->placements && affine; p++) affine = count_placement(schedule, &schedule->placement[p]);
  if (!affine) return tg_schedule_bind(schedule, names, bindings, NULL);
  const int32_t *a = schedule->blocks[TG_MATRIX_A], *b = schedule->blocks[TG_MATRIX_B],
                *c = schedule->blocks[TG_MATRIX_C];
  schedule->inner = a[1];
  return a[0] > 0 && a[1] > 0 && a[1] == b[0] && a[0] == c[0] && b[1] == c[1] && c[1] > 0;
}
