/* One line's expression, by recursive descent. The line ends the expression, or a `#`.
 *
 *   comparison  sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)+
 *   sum         product (("+" | "-") product)*
 *   product     unary (("*" | "/" | "%") unary)*
 *   unary       "-" unary | power
 *   power       atom ("**" unary)?
 *   atom        number | name | function "(" sum ("," sum)* ")" | "(" sum ")" */
#include "formula-private.h"

#include <math.h>
#include <string.h>

typedef struct TgReader {
  TgFormula *formula;
  const char *text; /**< the line; column c is text[c - 1] */
  int line;
  int at;
  int depth;
  uint32_t lets;
  GError **error;
} TgReader;

/** An operator of one level of the grammar. Longer words stand before those they begin with. */
typedef struct TgOperator {
  const char *word;
  TgFormulaOp op;
} TgOperator;

static const TgOperator sums[] = {{"+", TG_FORMULA_OP_ADD}, {"-", TG_FORMULA_OP_SUBTRACT}, {NULL, 0}};
static const TgOperator products[] = {
    {"*", TG_FORMULA_OP_MULTIPLY}, {"/", TG_FORMULA_OP_DIVIDE}, {"%", TG_FORMULA_OP_MODULO}, {NULL, 0}};
static const TgOperator comparisons[] = {{"==", TG_FORMULA_OP_EQUAL},
                                         {"!=", TG_FORMULA_OP_UNEQUAL},
                                         {"<=", TG_FORMULA_OP_LESS_EQUAL},
                                         {"<", TG_FORMULA_OP_LESS},
                                         {">=", TG_FORMULA_OP_GREATER_EQUAL},
                                         {">", TG_FORMULA_OP_GREATER},
                                         {NULL, 0}};

static const TgFormulaFunction functions[] = {{"sqrt", TG_FORMULA_OP_SQRT, 1},   {"cbrt", TG_FORMULA_OP_CBRT, 1},
                                              {"log2", TG_FORMULA_OP_LOG2, 1},   {"ceil", TG_FORMULA_OP_CEIL, 1},
                                              {"floor", TG_FORMULA_OP_FLOOR, 1}, {"min", TG_FORMULA_OP_MIN, 2},
                                              {"max", TG_FORMULA_OP_MAX, 2},     {"pow", TG_FORMULA_OP_POWER, 2}};

const TgFormulaFunction *tg_formula_function(const char *name) {
  for (size_t f = 0; f < G_N_ELEMENTS(functions); f++)
    if (strcmp(functions[f].name, name) == 0) return &functions[f];
  return NULL;
}

static int32_t sum(TgReader *reader);
static int32_t unary(TgReader *reader);

/* What stands at the reader's place, without the spaces before it. */
static char peek(TgReader *reader) {
  while (g_ascii_isspace(reader->text[reader->at])) reader->at++;
  const char here = reader->text[reader->at];
  return (char)(here == '#' ? '\0' : here);
}

static int32_t expected(TgReader *reader, const char *what) {
  const char here = peek(reader);
  const char *from = reader->text + reader->at;
  const int bytes = (int)(g_utf8_next_char(from) - from);
  if (here)
    tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, reader->line, reader->at + 1, "found '%.*s', expected %s",
                    bytes, from, what);
  else
    tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, reader->line, reader->at + 1, "the line ends, expected %s",
                    what);
  return -1;
}

static int32_t too_large(TgReader *reader, const char *what) {
  tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, reader->line, reader->at + 1, "%s", what);
  return -1;
}

static int32_t add_node(TgReader *reader, TgFormulaNode node) {
  if (reader->formula->nodes->len == TG_FORMULA_MAX_NODES) return too_large(reader, "the formula has too many terms");
  node.line = reader->line;
  g_array_append_val(reader->formula->nodes, node);
  return (int32_t)reader->formula->nodes->len - 1;
}

static int32_t operation(TgReader *reader, TgFormulaOp op, int column, int32_t left, int32_t right) {
  return add_node(reader, (TgFormulaNode){.op = op, .column = column, .left = left, .right = right});
}

static bool enter(TgReader *reader) {
  if (++reader->depth <= TG_FORMULA_MAX_DEPTH) return true;
  too_large(reader, "the expression is nested too deeply");
  return false;
}

static void skip_digits(const char **end) {
  while (g_ascii_isdigit(**end)) (*end)++;
}

/* Digits with at most one point and an exponent: strtod alone would also take 0x10, inf and nan. */
static int32_t number(TgReader *reader) {
  const char *begin = reader->text + reader->at, *end = begin;
  skip_digits(&end);
  if (*end == '.') end++;
  skip_digits(&end);
  if (*end == 'e' || *end == 'E') {
    const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
    if (g_ascii_isdigit(*exponent)) skip_digits(&exponent), end = exponent;
  }
  g_autofree char *digits = g_strndup(begin, (gsize)(end - begin));
  char *read = digits;
  const double value = g_ascii_strtod(digits, &read);
  if (*read || read == digits) return expected(reader, "a number");
  if (!isfinite(value)) return too_large(reader, "the number is too large");
  const int column = reader->at + 1;
  reader->at += (int)(end - begin);
  return add_node(
      reader, (TgFormulaNode){.op = TG_FORMULA_OP_NUMBER, .column = column, .left = -1, .right = -1, .number = value});
}

static int variable_index(TgFormula *formula, const char *name) {
  guint v = 0;
  while (v < formula->variables->len && strcmp(g_ptr_array_index(formula->variables, v), name) != 0) v++;
  if (v == formula->variables->len) g_ptr_array_add(formula->variables, g_strdup(name));
  return (int)v;
}

static int32_t variable(TgReader *reader, const char *name, int column) {
  TgFormula *formula = reader->formula;
  TgFormulaNode node = {.op = TG_FORMULA_OP_LET, .column = column, .left = -1, .right = -1};
  while (node.index < formula->lets && strcmp(formula->let_name[node.index], name) != 0) node.index++;
  if (node.index < formula->lets) {
    reader->lets |= 1u << node.index | formula->let[node.index].lets;
    return add_node(reader, node);
  }
  if (strlen(name) >= TG_NAME_LENGTH) return too_large(reader, "the name is too long");
  node.op = TG_FORMULA_OP_VARIABLE;
  node.index = variable_index(formula, name);
  return add_node(reader, node);
}

static bool take(TgReader *reader, char what, const char *name) {
  if (peek(reader) != what) return expected(reader, name) >= 0;
  reader->at++;
  return true;
}

static int32_t call(TgReader *reader, const TgFormulaFunction *function, int column) {
  int32_t operand[2] = {-1, -1};
  if (!take(reader, '(', "'(' after the name of a function")) return -1;
  for (int o = 0; o < function->operands; o++) {
    if (o > 0 && !take(reader, ',', "',' and a second value")) return -1;
    operand[o] = sum(reader);
    if (operand[o] < 0) return -1;
  }
  if (!take(reader, ')', "')'")) return -1;
  return operation(reader, function->op, column, operand[0], operand[1]);
}

static int32_t word(TgReader *reader) {
  const int begin = reader->at;
  while (g_ascii_isalnum(reader->text[reader->at]) || reader->text[reader->at] == '_') reader->at++;
  g_autofree char *name = g_strndup(reader->text + begin, (gsize)(reader->at - begin));
  const TgFormulaFunction *function = tg_formula_function(name);
  if (function) return call(reader, function, begin + 1);
  if (peek(reader) == '(') {
    tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, reader->line, begin + 1, "there is no function '%s'", name);
    return -1;
  }
  return variable(reader, name, begin + 1);
}

static int32_t atom(TgReader *reader) {
  const char here = peek(reader);
  if (g_ascii_isdigit(here) || here == '.') return number(reader);
  if (g_ascii_isalpha(here)) return word(reader);
  if (here != '(') return expected(reader, "a number, a name or '('");
  reader->at++;
  const int32_t inside = sum(reader);
  return inside >= 0 && take(reader, ')', "')'") ? inside : -1;
}

static int32_t power(TgReader *reader) {
  const int32_t base = atom(reader);
  if (base < 0 || peek(reader) != '*' || reader->text[reader->at + 1] != '*') return base;
  const int column = reader->at + 1;
  reader->at += 2;
  const int32_t exponent = unary(reader);
  return exponent < 0 ? -1 : operation(reader, TG_FORMULA_OP_POWER, column, base, exponent);
}

static int32_t unary(TgReader *reader) {
  if (!enter(reader)) return -1;
  int32_t node = -1;
  if (peek(reader) == '-') {
    const int column = ++reader->at;
    node = unary(reader);
    if (node >= 0) node = operation(reader, TG_FORMULA_OP_NEGATE, column, node, -1);
  } else {
    node = power(reader);
  }
  reader->depth--;
  return node;
}

/* The operator of `table` that stands here, taken; NULL where there is none. */
static const TgOperator *take_operator(TgReader *reader, const TgOperator *table) {
  if (!peek(reader)) return NULL;
  const char *here = reader->text + reader->at;
  for (const TgOperator *one = table; one->word; one++) {
    if (!g_str_has_prefix(here, one->word)) continue;
    reader->at += (int)strlen(one->word);
    return one;
  }
  return NULL;
}

static int32_t left_to_right(TgReader *reader, const TgOperator *table, int32_t (*operand)(TgReader *)) {
  int32_t left = operand(reader);
  while (left >= 0) {
    const TgOperator *found = take_operator(reader, table);
    if (!found) return left;
    const int column = reader->at;
    const int32_t right = operand(reader);
    left = right < 0 ? -1 : operation(reader, found->op, column, left, right);
  }
  return left;
}

static int32_t product(TgReader *reader) {
  return left_to_right(reader, products, unary);
}

static int32_t sum(TgReader *reader) {
  return left_to_right(reader, sums, product);
}

/* a == b == c is (a == b) and (b == c), over one and the same b. */
static int32_t comparison(TgReader *reader) {
  int32_t left = sum(reader), chain = -1;
  while (left >= 0) {
    const TgOperator *found = take_operator(reader, comparisons);
    if (!found) return chain < 0 ? expected(reader, "a comparison") : chain;
    const int column = reader->at - (int)strlen(found->word) + 1;
    const int32_t right = sum(reader);
    if (right < 0) return -1;
    const int32_t one = operation(reader, found->op, column, left, right);
    chain = chain < 0 || one < 0 ? one : operation(reader, TG_FORMULA_OP_BOTH, column, chain, one);
    if (chain < 0) return -1;
    left = right;
  }
  return -1;
}

bool tg_formula_expression(TgFormula *formula, const char *text, int line, int column, bool compared,
                           TgFormulaLine *parsed, GError **error) {
  TgReader reader = {.formula = formula, .text = text, .line = line, .at = column - 1, .error = error};
  const int32_t node = compared ? comparison(&reader) : sum(&reader);
  if (node < 0) return false;
  if (peek(&reader)) return expected(&reader, "an operator or the end of the line") >= 0;
  *parsed = (TgFormulaLine){.node = node, .lets = reader.lets};
  return true;
}
