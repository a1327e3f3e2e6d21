#include "expression.h"

#include <string.h>

const char *tg_evaluation_text(TgEvaluation evaluation) {
  static const char *const text[] = {"is fine", "needs a number that does not fit in 64 bits", "divides by zero",
                                     "has a negative exponent", "takes log2 of a number that is not a power of two"};
  return text[evaluation];
}

static int next_code(const TgSchedule *schedule, int at) {
  return schedule->code[at] == TG_CODE_CONSTANT ? at + 9 : at + 1;
}

uint32_t tg_expression_variables(const TgSchedule *schedule, TgExpression expression) {
  uint32_t variables = 0;
  if (!expression) return 0;
  for (int at = expression; schedule->code[at] != TG_CODE_END; at = next_code(schedule, at))
    if (schedule->code[at] >= TG_CODE_VARIABLE) variables |= UINT32_C(1) << (schedule->code[at] - TG_CODE_VARIABLE);
  return variables;
}

static bool is_constant(const TgAffine *a) {
  for (int v = 0; v < TG_LOCAL_VARIABLES; v++)
    if (a->factor[v] != 0) return false;
  return true;
}

static bool scale(TgAffine *a, int64_t factor) {
  if (tg_multiply_overflows(a->constant, factor, &a->constant)) return false;
  for (int v = 0; v < TG_LOCAL_VARIABLES; v++)
    if (tg_multiply_overflows(a->factor[v], factor, &a->factor[v])) return false;
  return true;
}

static bool add(TgAffine *a, const TgAffine *b) {
  if (tg_add_overflows(a->constant, b->constant, &a->constant)) return false;
  for (int v = 0; v < TG_LOCAL_VARIABLES; v++)
    if (tg_add_overflows(a->factor[v], b->factor[v], &a->factor[v])) return false;
  return true;
}

static bool combine(TgCode code, TgAffine *a, TgAffine *b) {
  if (code == TG_CODE_SUBTRACT) return scale(b, -1) && add(a, b);
  if (code == TG_CODE_ADD) return add(a, b);
  if (code == TG_CODE_MULTIPLY && is_constant(b)) return scale(a, b->constant);
  if (code == TG_CODE_MULTIPLY && is_constant(a)) {
    int64_t factor = a->constant;
    *a = *b;
    return scale(a, factor);
  }
  return is_constant(a) && is_constant(b) && tg_expression_apply(code, &a->constant, b->constant) == TG_EVALUATION_OK;
}

static void push(const TgSchedule *schedule, int at, TgAffine *a) {
  memset(a, 0, sizeof *a);
  if (!tg_expression_number(schedule, at, &a->constant)) a->factor[schedule->code[at] - TG_CODE_VARIABLE] = 1;
}

bool tg_expression_affine(const TgSchedule *schedule, TgExpression expression, TgAffine *affine) {
  TgAffine stack[TG_EXPRESSION_STACK];
  int top = -1;
  for (int at = expression;; at = next_code(schedule, at)) {
    uint8_t code = schedule->code[at];
    if (code == TG_CODE_END) break;
    if (code >= TG_CODE_SMALL || code == TG_CODE_CONSTANT) {
      push(schedule, at, &stack[++top]);
    } else if (code == TG_CODE_NEGATE) {
      if (!scale(&stack[top], -1)) return false;
    } else if (code == TG_CODE_LOG2) {
      if (!is_constant(&stack[top]) || tg_expression_log2(&stack[top].constant) != TG_EVALUATION_OK) return false;
    } else {
      top--;
      if (!combine((TgCode)code, &stack[top], &stack[top + 1])) return false;
    }
  }
  *affine = stack[top];
  return true;
}
