/** @file expression.h
 * Integer expressions of a schedule as postfix programs, and their evaluation. A byte is an operation, a small constant
 * (0x40 … 0x7f) or a variable (0x80 …). Division and remainder floor. Overflow, division by zero, a negative exponent
 * and log2 of what is no power of two are errors, never a wrapped number. */
#ifndef TG_EXPRESSION_H
#define TG_EXPRESSION_H

#include "schedule.h"

TG_BEGIN_DECLS

typedef enum TgCode {
  TG_CODE_END,
  TG_CODE_CONSTANT, /**< eight bytes follow, little endian */
  TG_CODE_NEGATE,
  TG_CODE_POWER,
  TG_CODE_MULTIPLY,
  TG_CODE_DIVIDE,
  TG_CODE_REMAINDER,
  TG_CODE_ADD,
  TG_CODE_SUBTRACT,
  TG_CODE_XOR,
  TG_CODE_EQUAL,
  TG_CODE_NOT_EQUAL,
  TG_CODE_LESS,
  TG_CODE_LESS_EQUAL,
  TG_CODE_GREATER,
  TG_CODE_GREATER_EQUAL,
  TG_CODE_AND,
  TG_CODE_LOG2,
  TG_CODE_SMALL = 0x40,
  TG_CODE_VARIABLE = 0x80
} TgCode;

enum { TG_EXPRESSION_STACK = 48 };

typedef enum TgEvaluation {
  TG_EVALUATION_OK,
  TG_EVALUATION_OVERFLOW,
  TG_EVALUATION_DIVISION_BY_ZERO,
  TG_EVALUATION_NEGATIVE_EXPONENT,
  TG_EVALUATION_NO_POWER_OF_TWO
} TgEvaluation;

/** In words, to follow what was evaluated: "divides by zero". */
const char *tg_evaluation_text(TgEvaluation evaluation);

TG_SHARED static inline int64_t tg_floor_remainder(int64_t a, int64_t b) {
  if (a >= 0 && a < b) return a; /* the usual case, without a division */
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

TG_SHARED static inline bool tg_add_overflows(int64_t a, int64_t b, int64_t *sum) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return true;
  *sum = a + b;
  return false;
}

TG_SHARED static inline bool tg_multiply_overflows(int64_t a, int64_t b, int64_t *product) {
  if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
            : (b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a))
    return true;
  *product = a * b;
  return false;
}

TG_SHARED static inline TgEvaluation tg_power(int64_t *a, int64_t exponent) {
  if (exponent < 0) return TG_EVALUATION_NEGATIVE_EXPONENT;
  int64_t base = *a, power = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) && tg_multiply_overflows(power, base, &power)) return TG_EVALUATION_OVERFLOW;
    if (exponent > 1 && tg_multiply_overflows(base, base, &base)) return TG_EVALUATION_OVERFLOW;
  }
  *a = power;
  return TG_EVALUATION_OK;
}

TG_SHARED static inline TgEvaluation tg_floor_divide(int64_t *a, int64_t b) {
  if (b == 0) return TG_EVALUATION_DIVISION_BY_ZERO;
  if (b == -1) {
    if (*a == INT64_MIN) return TG_EVALUATION_OVERFLOW;
    *a = -*a;
    return TG_EVALUATION_OK;
  }
  *a = (*a - tg_floor_remainder(*a, b)) / b;
  return TG_EVALUATION_OK;
}

/** a <- a (operation) b, for operations of two operands. */
TG_SHARED static inline TgEvaluation tg_expression_apply(TgCode operation, int64_t *a, int64_t b) {
  bool overflow = false;
  switch (operation) {
  case TG_CODE_ADD:
    overflow = tg_add_overflows(*a, b, a);
    break;
  case TG_CODE_SUBTRACT:
    overflow = b == INT64_MIN || tg_add_overflows(*a, -b, a);
    break;
  case TG_CODE_MULTIPLY:
    overflow = tg_multiply_overflows(*a, b, a);
    break;
  case TG_CODE_DIVIDE:
    return tg_floor_divide(a, b);
  case TG_CODE_REMAINDER:
    if (b == 0) return TG_EVALUATION_DIVISION_BY_ZERO;
    *a = tg_floor_remainder(*a, b);
    break;
  case TG_CODE_POWER:
    return tg_power(a, b);
  case TG_CODE_XOR:
    *a ^= b;
    break;
  case TG_CODE_EQUAL:
    *a = *a == b;
    break;
  case TG_CODE_NOT_EQUAL:
    *a = *a != b;
    break;
  case TG_CODE_LESS:
    *a = *a < b;
    break;
  case TG_CODE_LESS_EQUAL:
    *a = *a <= b;
    break;
  case TG_CODE_GREATER:
    *a = *a > b;
    break;
  case TG_CODE_GREATER_EQUAL:
    *a = *a >= b;
    break;
  default:
    *a = *a && b;
    break; /* TG_CODE_AND */
  }
  return overflow ? TG_EVALUATION_OVERFLOW : TG_EVALUATION_OK;
}

TG_SHARED static inline TgEvaluation tg_expression_log2(int64_t *a) {
  if (*a <= 0 || (*a & (*a - 1)) != 0) return TG_EVALUATION_NO_POWER_OF_TWO;
  int64_t log = 0;
  while (*a >> (log + 1)) log++;
  *a = log;
  return TG_EVALUATION_OK;
}

/** The eight-byte constant whose TG_CODE_CONSTANT is at `at`. */
TG_SHARED static inline int64_t tg_expression_constant(const TgSchedule *schedule, int at) {
  uint64_t constant = 0;
  for (int byte = 8; byte >= 1; byte--) constant = constant << 8 | schedule->code[at + byte];
  return (int64_t)constant;
}

/** The number that the operand at `at` is: a constant or, once bound, a parameter. False for all else. */
static inline bool tg_expression_number(const TgSchedule *schedule, int at, int64_t *number) {
  const uint8_t code = schedule->code[at];
  const int parameter = code - TG_CODE_VARIABLE - TG_VARIABLE_PARAMETER;
  if (code != TG_CODE_CONSTANT && (code < TG_CODE_SMALL || (code >= TG_CODE_VARIABLE && parameter < 0))) return false;
  *number = code == TG_CODE_CONSTANT ? tg_expression_constant(schedule, at)
            : parameter >= 0         ? schedule->parameter[parameter]
                                     : code - TG_CODE_SMALL;
  return true;
}

/** The parameter that the grid's extent along `axis` is; -1 where it is a number. */
static inline int tg_extent_parameter(const TgSchedule *schedule, int axis) {
  const uint8_t code = schedule->code[schedule->extent_value[axis]];
  return code >= TG_CODE_VARIABLE ? code - TG_CODE_VARIABLE - TG_VARIABLE_PARAMETER : -1;
}

/** Evaluates `expression` (not 0) with `variable` holding coordinates and loop variables; parameters come from the
 * bound schedule. On failure `*result` is the offset in the code of the operation that failed. */
TG_SHARED static inline TgEvaluation tg_expression_evaluate(const TgSchedule *schedule, TgExpression expression,
                                                            const int64_t *variable, int64_t *result) {
  int64_t stack[TG_EXPRESSION_STACK];
  int top = -1;
  for (int at = expression;; at++) {
    uint8_t code = schedule->code[at];
    TgEvaluation evaluation = TG_EVALUATION_OK;
    if (code >= TG_CODE_VARIABLE) {
      int v = code - TG_CODE_VARIABLE;
      stack[++top] = v < TG_LOCAL_VARIABLES ? variable[v] : schedule->parameter[v - TG_VARIABLE_PARAMETER];
    } else if (code >= TG_CODE_SMALL) {
      stack[++top] = code - TG_CODE_SMALL;
    } else if (code == TG_CODE_CONSTANT) {
      stack[++top] = tg_expression_constant(schedule, at);
      at += 8;
    } else if (code == TG_CODE_END) {
      *result = stack[top];
      return TG_EVALUATION_OK;
    } else if (code == TG_CODE_NEGATE) {
      evaluation = stack[top] == INT64_MIN ? TG_EVALUATION_OVERFLOW : TG_EVALUATION_OK;
      if (evaluation == TG_EVALUATION_OK) stack[top] = -stack[top];
    } else if (code == TG_CODE_LOG2) {
      evaluation = tg_expression_log2(&stack[top]);
    } else {
      top--;
      evaluation = tg_expression_apply((TgCode)code, &stack[top], stack[top + 1]);
    }
    if (evaluation != TG_EVALUATION_OK) {
      *result = at;
      return evaluation;
    }
  }
}

/** An expression that is a constant plus multiples of coordinates and loop variables. */
typedef struct TgAffine {
  int64_t constant;
  int64_t factor[TG_LOCAL_VARIABLES];
} TgAffine;

/** True where the bound expression is affine, and then its form. */
bool tg_expression_affine(const TgSchedule *schedule, TgExpression expression, TgAffine *affine);

/** Bit v set: variable v occurs in the expression. */
uint32_t tg_expression_variables(const TgSchedule *schedule, TgExpression expression);

TG_END_DECLS

#endif
