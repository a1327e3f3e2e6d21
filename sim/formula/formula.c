#include "formula.h"

#include "formula-private.h"

#include <math.h>
#include <string.h>

GQuark tg_formula_error_quark(void) {
  return g_quark_from_static_string("tg-formula-error");
}

void tg_formula_free(TgFormula *formula) {
  if (!formula) return;
  g_free(formula->name);
  for (int t = 0; t < TG_FORMULA_TEXTS; t++) g_free(formula->text[t]);
  for (int l = 0; l < TG_FORMULA_MAX_LETS; l++) g_free(formula->let_name[l]);
  for (int v = 0; v < TG_FORMULA_MAX_VALID; v++) g_free(formula->valid_text[v]);
  g_array_unref(formula->nodes);
  g_ptr_array_unref(formula->variables);
  g_free(formula);
}

const char *tg_formula_name(const TgFormula *formula) {
  return formula->name;
}

const char *tg_formula_text(const TgFormula *formula, TgFormulaText text) {
  return formula->text[text];
}

bool tg_formula_has(const TgFormula *formula, TgFormulaQuantity quantity) {
  return formula->quantity[quantity].node >= 0;
}

const char *const *tg_formula_variables(const TgFormula *formula) {
  return (const char *const *)formula->variables->pdata;
}

bool tg_formula_fail(GError **error, TgFormulaError code, int line, int column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(error, TG_FORMULA_ERROR, code, "%d:%d: %s", line, column, message);
  return false;
}

/* --- values by name: what a run knows of its schedule, its sizes and its machine --------------------------------- */

static bool refuse(GError **error, const char *name, const char *why) {
  g_set_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_UNKNOWN, "no value for %s: %s", name, why);
  return false;
}

bool tg_formula_values_set(TgFormulaValues *values, const char *name, double value, GError **error) {
  if (isnan(value)) return refuse(error, name, "it is not a number");
  if (strlen(name) >= TG_NAME_LENGTH) return refuse(error, name, "the name is too long");
  int e = 0;
  while (e < values->count && strcmp(values->entry[e].name, name) != 0) e++;
  if (e == TG_FORMULA_MAX_VALUES) return refuse(error, name, "there are too many values");
  values->count = MAX(values->count, e + 1);
  g_strlcpy(values->entry[e].name, name, TG_NAME_LENGTH);
  values->entry[e].value = value;
  return true;
}

bool tg_formula_values_schedule(TgFormulaValues *values, const TgSchedule *schedule, const TgScheduleNames *names,
                                GError **error) {
  const double processors = (double)tg_schedule_processors(schedule);
  if (!tg_formula_values_set(values, "p", processors, error)) return false;
  if (!tg_formula_values_set(values, "processors", processors, error)) return false;
  for (int i = 0; i < schedule->parameters; i++) {
    const char *name = tg_name(names, names->parameter[i]);
    if (!tg_formula_values_set(values, name, (double)schedule->parameter[i], error)) return false;
  }
  return true;
}

bool tg_formula_values_sizes(TgFormulaValues *values, int64_t m, int64_t n, int64_t k, GError **error) {
  return tg_formula_values_set(values, "m", (double)m, error) && tg_formula_values_set(values, "n", (double)n, error) &&
         tg_formula_values_set(values, "k", (double)k, error);
}

bool tg_formula_values_machine(TgFormulaValues *values, double latency_s, double seconds_per_byte, double per_hop_s,
                               int64_t element_bytes, double flops_per_s, GError **error) {
  const double word_s = seconds_per_byte * (double)element_bytes;
  return tg_formula_values_set(values, "alpha", latency_s, error) &&
         tg_formula_values_set(values, "beta", word_s, error) &&
         tg_formula_values_set(values, "hop", per_hop_s, error) &&
         tg_formula_values_set(values, "element_bytes", (double)element_bytes, error) &&
         tg_formula_values_set(values, "flops_per_s", flops_per_s, error);
}

/* --- the value of a formula: the lets it needs, in order, then its own tree -------------------------------------- */

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

/* --- for people: α and β or t_s and t_w, roots, superscripts, and as few parentheses as it needs ----------------- */

/* How strongly an expression holds together. */
enum { BIND_SUM = 1, BIND_PRODUCT, BIND_NEGATE, BIND_POWER, BIND_ATOM };

typedef struct TgPrinter {
  const TgFormula *formula;
  TgFormulaSymbols symbols;
  GString *text;
} TgPrinter;

typedef struct TgSymbol {
  const char *name;
  const char *symbol[2]; /**< by TgFormulaSymbols */
} TgSymbol;

static const TgSymbol symbols[] = {{"alpha", {"α", "t_s"}}, {"beta", {"β", "t_w"}}, {"hop", {"τ", "t_h"}}};

/** An operator between two operands: its sign, how it binds, and what its operands must bind by at least. */
typedef struct TgInfix {
  const char *sign;
  int binds, left, right;
} TgInfix;

static const TgInfix infix[TG_FORMULA_OPS] = {
    [TG_FORMULA_OP_ADD] = {" + ", BIND_SUM, BIND_SUM, BIND_SUM},
    [TG_FORMULA_OP_SUBTRACT] = {" - ", BIND_SUM, BIND_SUM, BIND_PRODUCT},
    [TG_FORMULA_OP_MULTIPLY] = {"·", BIND_PRODUCT, BIND_PRODUCT, BIND_NEGATE},
    [TG_FORMULA_OP_DIVIDE] = {"/", BIND_PRODUCT, BIND_PRODUCT, BIND_NEGATE},
    [TG_FORMULA_OP_MODULO] = {" mod ", BIND_PRODUCT, BIND_PRODUCT, BIND_NEGATE},
    [TG_FORMULA_OP_POWER] = {"^", BIND_POWER, BIND_ATOM, BIND_ATOM},
};

/** What stands around the operands of a function. */
typedef struct TgCall {
  const char *before, *between, *after;
  const char *before_atom; /**< before one number, name or call, without parentheses; NULL: `before` */
} TgCall;

static const TgCall calls[TG_FORMULA_OPS] = {
    [TG_FORMULA_OP_SQRT] = {"√(", "", ")", "√"},     [TG_FORMULA_OP_CBRT] = {"∛(", "", ")", "∛"},
    [TG_FORMULA_OP_LOG2] = {"log₂(", "", ")", NULL}, [TG_FORMULA_OP_CEIL] = {"⌈", "", "⌉", NULL},
    [TG_FORMULA_OP_FLOOR] = {"⌊", "", "⌋", NULL},    [TG_FORMULA_OP_MIN] = {"min(", ", ", ")", NULL},
    [TG_FORMULA_OP_MAX] = {"max(", ", ", ")", NULL},
};

static void print(const TgPrinter *printer, int32_t at, int binds);

/* A root of one number or name, written without parentheses. */
static bool is_bare(const TgFormula *formula, const TgFormulaNode *node) {
  return calls[node->op].before_atom && tg_formula_node(formula, node->left)->op <= TG_FORMULA_OP_LET;
}

static int binding(const TgFormula *formula, const TgFormulaNode *node) {
  if (node->op == TG_FORMULA_OP_NEGATE) return BIND_NEGATE;
  if (is_bare(formula, node)) return BIND_POWER;
  return infix[node->op].sign ? infix[node->op].binds : BIND_ATOM;
}

static void print_number(const TgPrinter *printer, double number) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(printer->text, g_ascii_formatd(text, sizeof text, "%.15g", number));
}

static void print_name(const TgPrinter *printer, const char *name) {
  for (size_t s = 0; s < G_N_ELEMENTS(symbols); s++)
    if (strcmp(symbols[s].name, name) == 0) name = symbols[s].symbol[printer->symbols];
  g_string_append(printer->text, name);
}

/* n² and n³ as books have them. */
static bool print_superscript(const TgPrinter *printer, const TgFormulaNode *node) {
  const TgFormulaNode *exponent = tg_formula_node(printer->formula, node->right);
  if (exponent->op != TG_FORMULA_OP_NUMBER || (exponent->number != 2 && exponent->number != 3)) return false;
  print(printer, node->left, BIND_ATOM);
  g_string_append(printer->text, exponent->number == 2 ? "²" : "³");
  return true;
}

static void print_infix(const TgPrinter *printer, const TgFormulaNode *node) {
  const TgInfix *how = &infix[node->op];
  if (node->op == TG_FORMULA_OP_POWER && print_superscript(printer, node)) return;
  print(printer, node->left, how->left);
  g_string_append(printer->text, how->sign);
  print(printer, node->right, how->right);
}

static void print_call(const TgPrinter *printer, const TgFormulaNode *node) {
  const TgCall *call = &calls[node->op];
  const bool bare = is_bare(printer->formula, node);
  const bool plain_log = node->op == TG_FORMULA_OP_LOG2 && printer->symbols == TG_FORMULA_GRAMA_SYMBOLS;
  g_string_append(printer->text, plain_log ? "log(" : bare ? call->before_atom : call->before);
  print(printer, node->left, 0);
  if (node->right >= 0) {
    g_string_append(printer->text, call->between);
    print(printer, node->right, 0);
  }
  if (!bare) g_string_append(printer->text, call->after);
}

static void print_negated(const TgPrinter *printer, const TgFormulaNode *node) {
  g_string_append_c(printer->text, '-');
  print(printer, node->left, BIND_NEGATE);
}

static void print_node(const TgPrinter *printer, const TgFormulaNode *node) {
  const TgFormula *formula = printer->formula;
  if (node->op == TG_FORMULA_OP_NUMBER)
    print_number(printer, node->number);
  else if (node->op == TG_FORMULA_OP_VARIABLE)
    print_name(printer, g_ptr_array_index(formula->variables, node->index));
  else if (node->op == TG_FORMULA_OP_LET)
    print_name(printer, formula->let_name[node->index]);
  else if (node->op == TG_FORMULA_OP_NEGATE)
    print_negated(printer, node);
  else if (infix[node->op].sign)
    print_infix(printer, node);
  else
    print_call(printer, node);
}

/* With parentheses where the node binds less than its place asks for. */
static void print(const TgPrinter *printer, int32_t at, int binds) {
  const TgFormulaNode *node = tg_formula_node(printer->formula, at);
  const bool parentheses = binding(printer->formula, node) < binds;
  if (parentheses) g_string_append_c(printer->text, '(');
  print_node(printer, node);
  if (parentheses) g_string_append_c(printer->text, ')');
}

char *tg_formula_print(const TgFormula *formula, TgFormulaQuantity quantity, TgFormulaSymbols in_symbols) {
  const TgFormulaLine *line = &formula->quantity[quantity];
  if (line->node < 0) return NULL;
  TgPrinter printer = {.formula = formula, .symbols = in_symbols, .text = g_string_new(NULL)};
  print(&printer, line->node, 0);
  for (int l = 0; l < formula->lets; l++) {
    if (!(line->lets >> l & 1)) continue;
    g_string_append_printf(printer.text, ", %s = ", formula->let_name[l]);
    print(&printer, formula->let[l].node, 0);
  }
  return g_string_free(printer.text, FALSE);
}
