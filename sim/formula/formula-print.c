/* A formula for people: α and β or t_s and t_w, roots, superscripts, and as few parentheses as it needs. */
#include "formula-private.h"

#include <string.h>

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
