#include "interval.h"

#include <math.h>

static const TgInterval anything = {-INFINITY, INFINITY};

static bool is_point(TgInterval a) {
  return a.low == a.high;
}

/* Zero times infinity is nothing known of a product; the caller's ends are finite wherever it matters. */
static TgInterval of_four(double a, double b, double c, double d) {
  TgInterval result = {fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
  return isnan(a) || isnan(b) || isnan(c) || isnan(d) ? anything : result;
}

static TgInterval multiply(TgInterval a, TgInterval b) {
  return of_four(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

static TgInterval divide(TgInterval a, TgInterval b) {
  if (b.low <= 0 && b.high >= 0) return anything;
  return of_four(floor(a.low / b.low), floor(a.low / b.high), floor(a.high / b.low), floor(a.high / b.high));
}

static TgInterval remainder_of(TgInterval a, TgInterval b) {
  if (b.low <= 0) return anything;
  if (a.low >= 0 && a.high < b.low) return a;
  if (is_point(a) && is_point(b))
    return (TgInterval){a.low - floor(a.low / b.low) * b.low, a.low - floor(a.low / b.low) * b.low};
  return (TgInterval){0, b.high - 1};
}

static TgInterval power(TgInterval a, TgInterval b) {
  if (a.low < 0 || b.low < 0) return anything;
  return (TgInterval){a.low >= 1 ? pow(a.low, b.low) : 0, fmax(pow(a.high, b.high), 1)};
}

/* At most all ones below the highest bit of either. */
static TgInterval exclusive_or(TgInterval a, TgInterval b) {
  double most = fmax(a.high, b.high);
  if (a.low < 0 || b.low < 0 || most > 0x1p52) return anything;
  if (is_point(a) && is_point(b)) {
    double value = (double)((int64_t)a.low ^ (int64_t)b.low);
    return (TgInterval){value, value};
  }
  return (TgInterval){0, exp2(floor(log2(fmax(most, 1))) + 1) - 1};
}

/* 1 where a comparison holds whatever the values, 0 where it never does, else either. */
static TgInterval truth(bool always, bool never) {
  return (TgInterval){always, !never};
}

/* Beyond, ends of intervals are rounded. */
static bool is_exact(TgInterval a) {
  return a.low >= -0x1p53 && a.high <= 0x1p53;
}

static TgInterval equal(TgInterval a, TgInterval b) {
  if (!is_exact(a) || !is_exact(b)) return truth(false, false);
  return truth(is_point(a) && is_point(b) && a.low == b.low, a.high < b.low || b.high < a.low);
}

static TgInterval less(TgInterval a, TgInterval b) {
  if (!is_exact(a) || !is_exact(b)) return truth(false, false);
  return truth(a.high < b.low, a.low >= b.high);
}

static TgInterval both(TgInterval a, TgInterval b) {
  const bool a_never = a.low == 0 && a.high == 0, b_never = b.low == 0 && b.high == 0;
  return truth((a.low > 0 || a.high < 0) && (b.low > 0 || b.high < 0), a_never || b_never);
}

static TgInterval not(TgInterval a) {
  return (TgInterval){1 - a.high, 1 - a.low};
}

static TgInterval compare(TgCode code, TgInterval a, TgInterval b) {
  switch (code) {
  case TG_CODE_EQUAL:
    return equal(a, b);
  case TG_CODE_NOT_EQUAL:
    return not(equal(a, b));
  case TG_CODE_LESS:
    return less(a, b);
  case TG_CODE_GREATER_EQUAL:
    return not(less(a, b));
  case TG_CODE_GREATER:
    return less(b, a);
  case TG_CODE_LESS_EQUAL:
    return not(less(b, a));
  default: /* TG_CODE_AND */
    return both(a, b);
  }
}

static TgInterval apply(TgCode code, TgInterval a, TgInterval b) {
  switch (code) {
  case TG_CODE_ADD:
    return (TgInterval){a.low + b.low, a.high + b.high};
  case TG_CODE_SUBTRACT:
    return (TgInterval){a.low - b.high, a.high - b.low};
  case TG_CODE_MULTIPLY:
    return multiply(a, b);
  case TG_CODE_DIVIDE:
    return divide(a, b);
  case TG_CODE_REMAINDER:
    return remainder_of(a, b);
  case TG_CODE_POWER:
    return power(a, b);
  case TG_CODE_XOR:
    return exclusive_or(a, b);
  default:
    return compare(code, a, b);
  }
}

static TgInterval logarithm(TgInterval a) {
  return a.high < 1 ? anything : (TgInterval){floor(log2(fmax(a.low, 1))), ceil(log2(a.high))};
}

TgInterval tg_interval_evaluate(const TgSchedule *schedule, TgExpression expression,
                                const TgInterval variable[TG_LOCAL_VARIABLES]) {
  TgInterval stack[TG_EXPRESSION_STACK];
  int top = -1;
  for (int at = expression;; at++) {
    uint8_t code = schedule->code[at];
    int64_t number;
    if (code == TG_CODE_END) return stack[top];
    if (code == TG_CODE_NEGATE) {
      stack[top] = (TgInterval){-stack[top].high, -stack[top].low};
    } else if (code == TG_CODE_LOG2) {
      stack[top] = logarithm(stack[top]);
    } else if (tg_expression_number(schedule, at, &number)) {
      stack[++top] = (TgInterval){(double)number, (double)number};
      if (code == TG_CODE_CONSTANT) at += 8;
    } else if (code >= TG_CODE_VARIABLE) {
      stack[++top] = variable[code - TG_CODE_VARIABLE];
    } else {
      top--;
      stack[top] = apply((TgCode)code, stack[top], stack[top + 1]);
    }
  }
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

void tg_interval_begin(const TgSchedule *schedule, TgInterval variable[TG_LOCAL_VARIABLES]) {
  for (int v = 0; v < TG_LOCAL_VARIABLES; v++) variable[v] = (TgInterval){0, 0};
  for (int c = 0; c < schedule->dims; c++) variable[c].high = schedule->extent[c] - 1;
}

bool tg_interval_repeat(const TgSchedule *schedule, const TgStatement *repeat,
                        TgInterval variable[TG_LOCAL_VARIABLES]) {
  const double times = tg_interval_evaluate(schedule, repeat->value, variable).high;
  variable[TG_VARIABLE_LOOP + repeat->depth] = (TgInterval){0, fmax(times - 1, 0)};
  return times >= 1;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

typedef struct Slots {
  TgInterval variable[TG_LOCAL_VARIABLES];
  TgInterval *range;
} Slots;

static void write_slots(const TgSchedule *schedule, Slots *slots, int buffer, TgExpression index, double count) {
  TgInterval at = {0, 0}, *range = &slots->range[buffer];
  if (index) at = tg_interval_evaluate(schedule, index, slots->variable);
  *range = (TgInterval){fmin(range->low, fmax(at.low, 0)), fmax(range->high, at.high + count - 1)};
}

static void write_statement(const TgSchedule *schedule, Slots *slots, const TgStatement *statement) {
  bool fills = tg_op_traits(statement->op)->fills;
  write_slots(schedule, slots, statement->target.buffer, fills ? 0 : statement->target.index,
              fills ? schedule->extent[statement->axis] : 1);
}

static void place_slots(const TgSchedule *schedule, Slots *slots) {
  for (int p = 0; p < schedule->placements; p++) {
    const TgPlacement *placement = &schedule->placement[p];
    TgInterval count = {1, 1};
    if (placement->matrix == TG_MATRIX_C) continue;
    if (placement->count) count = tg_interval_evaluate(schedule, placement->count, slots->variable);
    slots->variable[TG_VARIABLE_LOOP] = (TgInterval){0, fmax(count.high - 1, 0)};
    write_slots(schedule, slots, placement->buffer, placement->index, 1);
  }
}

void tg_interval_slots(const TgSchedule *schedule, TgInterval range[TG_MAX_BUFFERS]) {
  Slots slots = {.range = range};
  for (int b = 0; b < TG_MAX_BUFFERS; b++) range[b] = (TgInterval){INFINITY, -INFINITY};
  tg_interval_begin(schedule, slots.variable);
  place_slots(schedule, &slots);
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (statement->op == TG_OP_STEP) continue;
    if (statement->op == TG_OP_REPEAT) {
      if (!tg_interval_repeat(schedule, statement, slots.variable)) s = statement->end - 1;
    } else {
      write_statement(schedule, &slots, statement);
    }
  }
}
