#include "walk-batch.h"

#include <string.h>

typedef int64_t Column[TG_WALK_BATCH_PROCESSORS]; /* a number for each processor */

typedef struct Evaluator {
  const TgSchedule *schedule;
  const int64_t *variable; /* loops */
  int count;
  Column coordinate[TG_MAX_DIMS];
} Evaluator;

static void fill(Column column, int64_t number, int count) {
  for (int i = 0; i < count; i++) column[i] = number;
}

static void push(const Evaluator *evaluator, int at, Column column) {
  const int v = evaluator->schedule->code[at] - TG_CODE_VARIABLE;
  int64_t number;
  if (tg_expression_number(evaluator->schedule, at, &number))
    fill(column, number, evaluator->count);
  else if (v >= TG_VARIABLE_LOOP)
    fill(column, evaluator->variable[v], evaluator->count);
  else
    memcpy(column, evaluator->coordinate[v], sizeof *column * (size_t)evaluator->count);
}

/* Overflow shows in the sign: of both operands another one than of the result. */
static bool add(Column a, const Column b, int count) {
  int64_t overflow = 0;
  for (int i = 0; i < count; i++) {
    int64_t sum = (int64_t)((uint64_t)a[i] + (uint64_t)b[i]);
    overflow |= (a[i] ^ sum) & (b[i] ^ sum);
    a[i] = sum;
  }
  return overflow >= 0;
}

static bool subtract(Column a, const Column b, int count) {
  int64_t overflow = 0;
  for (int i = 0; i < count; i++) {
    int64_t difference = (int64_t)((uint64_t)a[i] - (uint64_t)b[i]);
    overflow |= ((a[i] ^ b[i]) & (a[i] ^ difference)) | (b[i] == INT64_MIN ? INT64_MIN : 0);
    a[i] = difference;
  }
  return overflow >= 0;
}

static bool apply(TgCode code, Column a, const Column b, int count) {
  if (code == TG_CODE_ADD) return add(a, b, count);
  if (code == TG_CODE_SUBTRACT) return subtract(a, b, count);
  for (int i = 0; i < count; i++)
    if (tg_expression_apply(code, &a[i], b[i]) != TG_EVALUATION_OK) return false;
  return true;
}

static bool apply_to_one(TgCode code, Column a, int count) {
  for (int i = 0; i < count; i++) {
    if (code == TG_CODE_LOG2 && tg_expression_log2(&a[i]) != TG_EVALUATION_OK) return false;
    if (code == TG_CODE_NEGATE && a[i] == INT64_MIN) return false;
    if (code == TG_CODE_NEGATE) a[i] = -a[i];
  }
  return true;
}

/* As tg_expression_evaluate(), column by column. */
static bool evaluate(const Evaluator *evaluator, TgExpression expression, Column result) {
  Column stack[TG_EXPRESSION_STACK];
  int top = -1;
  for (int at = expression;; at++) {
    uint8_t code = evaluator->schedule->code[at];
    bool fine = true;
    if (code >= TG_CODE_SMALL || code == TG_CODE_CONSTANT) {
      push(evaluator, at, stack[++top]);
      if (code == TG_CODE_CONSTANT) at += 8;
    } else if (code == TG_CODE_END) {
      memcpy(result, stack[top], sizeof *result * (size_t)evaluator->count);
      return true;
    } else if (code == TG_CODE_NEGATE || code == TG_CODE_LOG2) {
      fine = apply_to_one((TgCode)code, stack[top], evaluator->count);
    } else {
      top--;
      fine = apply((TgCode)code, stack[top], stack[top + 1], evaluator->count);
    }
    if (!fine) return false;
  }
}

/* Counts the coordinates on from those of the first processor: no divisions. */
static void set_coordinates(Evaluator *evaluator, int64_t first) {
  const TgSchedule *schedule = evaluator->schedule;
  int64_t now[TG_MAX_DIMS];
  tg_schedule_coordinates(schedule, first, now);
  for (int i = 0; i < evaluator->count; i++) {
    for (int c = 0; c < schedule->dims; c++) evaluator->coordinate[c][i] = now[c];
    for (int c = schedule->dims - 1; c >= 0 && ++now[c] == schedule->extent[c]; c--) now[c] = 0;
  }
}

static bool fits_slots(const Evaluator *evaluator, const TgStatement *statement) {
  const TgExpression index[] = {statement->source.index, statement->op == TG_OP_MULTIPLY ? statement->other.index : 0,
                                statement->target.index};
  Column value;
  for (size_t s = 0; s < sizeof index / sizeof *index; s++) {
    if (!index[s]) continue;
    if (!evaluate(evaluator, index[s], value)) return false;
    for (int i = 0; i < evaluator->count; i++)
      if (value[i] < 0 || value[i] >= TG_MAX_ARRAY) return false;
  }
  return true;
}

/* Most maps leave the grid by less than one extent: only what goes further costs a division. */
static inline int64_t wrapped(int64_t coordinate, int64_t extent) {
  if (coordinate >= 0 && coordinate < extent) return coordinate;
  if (coordinate < 0 && coordinate >= -extent) return coordinate + extent;
  return tg_floor_remainder(coordinate, extent);
}

static bool receivers(const Evaluator *evaluator, const TgStatement *statement, TgWalkBatch *batch) {
  const TgSchedule *schedule = evaluator->schedule;
  Column value;
  memset(batch->to, 0, sizeof batch->to);
  for (int c = 0; c < schedule->dims; c++) {
    if (!evaluate(evaluator, statement->to[c], value)) return false;
    for (int i = 0; i < evaluator->count; i++)
      batch->to[i] = (int32_t)(batch->to[i] * (int64_t)schedule->extent[c] + wrapped(value[i], schedule->extent[c]));
  }
  return true;
}

bool tg_walk_batch(const TgWalk *walk, int64_t first, int count, TgWalkBatch *batch) {
  const TgStatement *statement = &walk->schedule->statement[walk->statement];
  Evaluator evaluator = {.schedule = walk->schedule, .variable = walk->variable, .count = count};
  Column value;
  set_coordinates(&evaluator, first);
  memset(batch->takes_part, true, sizeof batch->takes_part);
  if (statement->where) {
    if (!evaluate(&evaluator, statement->where, value)) return false;
    for (int i = 0; i < count; i++) batch->takes_part[i] = value[i] != 0;
  }
  for (int i = 0; i < count; i++) batch->to[i] = (int32_t)first + i;
  return (!tg_op_traits(statement->op)->is_direct || receivers(&evaluator, statement, batch)) &&
         fits_slots(&evaluator, statement);
}
