/* The value of a formula: the lets it needs, in order, then its own tree. */
#include "formula-private.h"

#include <math.h>
#include <string.h>

static double add(double a, double b) {
  return a + b;
}
static double subtract(double a, double b) {
  return a - b;
}
static double multiply(double a, double b) {
  return a * b;
}
static double divide(double a, double b) {
  return b == 0 ? (double)NAN : a / b;
}
static double modulo(double a, double b) {
  return b == 0 ? (double)NAN : a - b * floor(a / b);
}
static double negate(double a) {
  return -a;
}
static double equal(double a, double b) {
  return a == b;
}
static double unequal(double a, double b) {
  return a != b;
}
static double less(double a, double b) {
  return a < b;
}
static double less_equal(double a, double b) {
  return a <= b;
}
static double greater(double a, double b) {
  return a > b;
}
static double greater_equal(double a, double b) {
  return a >= b;
}

/** What an operation computes, and how a message writes it. */
typedef struct TgApply {
  double (*one)(double);
  double (*two)(double, double);
  const char *word;
} TgApply;

static const TgApply apply[TG_FORMULA_OPS] = {
    [TG_FORMULA_OP_ADD] = {.two = add, .word = "+"},
    [TG_FORMULA_OP_SUBTRACT] = {.two = subtract, .word = "-"},
    [TG_FORMULA_OP_MULTIPLY] = {.two = multiply, .word = "*"},
    [TG_FORMULA_OP_DIVIDE] = {.two = divide, .word = "/"},
    [TG_FORMULA_OP_MODULO] = {.two = modulo, .word = "%"},
    [TG_FORMULA_OP_POWER] = {.two = pow, .word = "**"},
    [TG_FORMULA_OP_NEGATE] = {.one = negate, .word = "-"},
    [TG_FORMULA_OP_SQRT] = {.one = sqrt, .word = "sqrt"},
    [TG_FORMULA_OP_CBRT] = {.one = cbrt, .word = "cbrt"},
    [TG_FORMULA_OP_LOG2] = {.one = log2, .word = "log2"},
    [TG_FORMULA_OP_CEIL] = {.one = ceil, .word = "ceil"},
    [TG_FORMULA_OP_FLOOR] = {.one = floor, .word = "floor"},
    [TG_FORMULA_OP_MIN] = {.two = fmin, .word = "min"},
    [TG_FORMULA_OP_MAX] = {.two = fmax, .word = "max"},
    [TG_FORMULA_OP_EQUAL] = {.two = equal, .word = "=="},
    [TG_FORMULA_OP_UNEQUAL] = {.two = unequal, .word = "!="},
    [TG_FORMULA_OP_LESS] = {.two = less, .word = "<"},
    [TG_FORMULA_OP_LESS_EQUAL] = {.two = less_equal, .word = "<="},
    [TG_FORMULA_OP_GREATER] = {.two = greater, .word = ">"},
    [TG_FORMULA_OP_GREATER_EQUAL] = {.two = greater_equal, .word = ">="},
    [TG_FORMULA_OP_BOTH] = {.two = multiply, .word = "and"},
};

typedef struct TgRun {
  const TgFormula *formula;
  const TgFormulaValues *values;
  double let[TG_FORMULA_MAX_LETS];
  GError **error;
} TgRun;

static bool no_number(const TgRun *run, const TgFormulaNode *node, double a, double b) {
  char left[G_ASCII_DTOSTR_BUF_SIZE], right[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(left, sizeof left, "%.6g", a);
  g_ascii_formatd(right, sizeof right, "%.6g", b);
  const TgApply *what = &apply[node->op];
  g_autofree char *said =
      what->one ? g_strdup_printf("%s(%s)", what->word, left) : g_strdup_printf("%s %s %s", left, what->word, right);
  return tg_formula_fail(run->error, TG_FORMULA_ERROR_ARITHMETIC, node->line, node->column, "%s has no finite value",
                         said);
}

static bool look_up(const TgRun *run, const TgFormulaNode *node, double *value) {
  const char *name = g_ptr_array_index(run->formula->variables, node->index);
  for (int e = 0; e < run->values->count; e++) {
    if (strcmp(run->values->entry[e].name, name) != 0) continue;
    *value = run->values->entry[e].value;
    return true;
  }
  return tg_formula_fail(run->error, TG_FORMULA_ERROR_UNKNOWN, node->line, node->column, "'%s' has no value", name);
}

static bool evaluate(const TgRun *run, int32_t at, double *value);

static bool operate(const TgRun *run, const TgFormulaNode *node, double *value) {
  double a = 0, b = 0;
  if (!evaluate(run, node->left, &a)) return false;
  if (node->right >= 0 && !evaluate(run, node->right, &b)) return false;
  *value = apply[node->op].one ? apply[node->op].one(a) : apply[node->op].two(a, b);
  if (isnan(*value) || (isinf(*value) && isfinite(a) && isfinite(b))) return no_number(run, node, a, b);
  return true;
}

static bool evaluate(const TgRun *run, int32_t at, double *value) {
  const TgFormulaNode *node = tg_formula_node(run->formula, at);
  if (node->op == TG_FORMULA_OP_VARIABLE) return look_up(run, node, value);
  if (node->op > TG_FORMULA_OP_LET) return operate(run, node, value);
  *value = node->op == TG_FORMULA_OP_LET ? run->let[node->index] : node->number;
  return true;
}

static bool evaluate_line(const TgFormula *formula, const TgFormulaLine *line, const TgFormulaValues *values,
                          double *value, GError **error) {
  TgRun run = {.formula = formula, .values = values, .error = error};
  for (int l = 0; l < formula->lets; l++)
    if (line->lets >> l & 1 && !evaluate(&run, formula->let[l].node, &run.let[l])) return false;
  return evaluate(&run, line->node, value);
}

bool tg_formula_check(const TgFormula *formula, const TgFormulaValues *values, GError **error) {
  for (int v = 0; v < formula->valids; v++) {
    double holds = 0;
    if (!evaluate_line(formula, &formula->valid[v], values, &holds, error)) return false;
    if (holds != 0) continue;
    g_set_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_NOT_VALID, "the closed form holds only where %s",
                formula->valid_text[v]);
    return false;
  }
  return true;
}

bool tg_formula_evaluate(const TgFormula *formula, TgFormulaQuantity quantity, const TgFormulaValues *values,
                         double *result, GError **error) {
  const TgFormulaLine *line = &formula->quantity[quantity];
  if (line->node < 0) {
    g_set_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_UNKNOWN, "the formula '%s' does not state this",
                formula->name);
    return false;
  }
  double value = 0;
  if (!evaluate_line(formula, line, values, &value, error)) return false;
  const TgFormulaNode *node = tg_formula_node(formula, line->node);
  if (!isfinite(value))
    return tg_formula_fail(error, TG_FORMULA_ERROR_ARITHMETIC, node->line, node->column, "the value is infinite");
  *result = value;
  return true;
}
