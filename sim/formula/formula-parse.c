/* The text of a formula: the expressions, then the lines, which are keys, texts and their continuation. */
#include "decimal.h"
#include "formula-private.h"

#include <string.h>

/* A text being read. A line's expression is parsed by recursive descent; the line ends it, or a `#`.
 *
 *   comparison  sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)+
 *   sum         product (("+" | "-") product)*
 *   product     unary (("*" | "/" | "%") unary)*
 *   unary       "-" unary | power
 *   power       atom ("**" unary)?
 *   atom        number | name | function "(" sum ("," sum)* ")" | "(" sum ")" */

typedef struct TgReader {
  TgFormula *formula;
  const char *text; /**< the line; column c is text[c - 1] */
  int line;         /**< its number */
  int at;           /**< bytes of it that were read */
  int depth;        /**< of the expression under way … */
  uint32_t lets;    /**< … and the lets that it needs */
  char **continued; /**< the text that a line continues which begins with a space; NULL: none */
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

/** A function or an operator: its name, and how many operands it takes. */
typedef struct TgFormulaFunction {
  const char *name;
  TgFormulaOp op;
  int operands;
} TgFormulaFunction;

static const TgFormulaFunction functions[] = {{"sqrt", TG_FORMULA_OP_SQRT, 1},   {"cbrt", TG_FORMULA_OP_CBRT, 1},
                                              {"log2", TG_FORMULA_OP_LOG2, 1},   {"ceil", TG_FORMULA_OP_CEIL, 1},
                                              {"floor", TG_FORMULA_OP_FLOOR, 1}, {"min", TG_FORMULA_OP_MIN, 2},
                                              {"max", TG_FORMULA_OP_MAX, 2},     {"pow", TG_FORMULA_OP_POWER, 2}};

/* The function called `name`, NULL where there is none. */
static const TgFormulaFunction *find_function(const char *name) {
  for (size_t f = 0; f < G_N_ELEMENTS(functions); f++)
    if (strcmp(functions[f].name, name) == 0) return &functions[f];
  return NULL;
}

static int32_t sum(TgReader *reader);
static int32_t unary(TgReader *reader);

static bool fail(const TgReader *reader, int at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* At byte `at` of the line. */
static bool fail(const TgReader *reader, int at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, reader->line, at + 1, "%s", message);
}

static void skip_spaces(TgReader *reader) {
  while (g_ascii_isspace(reader->text[reader->at])) reader->at++;
}

/* What stands at the reader's place, without the spaces before it. */
static char peek(TgReader *reader) {
  skip_spaces(reader);
  const char here = reader->text[reader->at];
  return (char)(here == '#' ? '\0' : here);
}

static int32_t expected(TgReader *reader, const char *what) {
  const char here = peek(reader), *from = reader->text + reader->at;
  if (here)
    fail(reader, reader->at, "found '%.*s', expected %s", (int)(g_utf8_next_char(from) - from), from, what);
  else
    fail(reader, reader->at, "the line ends, expected %s", what);
  return -1;
}

static int32_t too_large(TgReader *reader, const char *what) {
  fail(reader, reader->at, "%s", what);
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

static int32_t number(TgReader *reader) {
  const char *begin = reader->text + reader->at;
  const size_t length = tg_decimal_length(begin, strlen(begin));
  const int column = reader->at + 1;
  double value;
  const TgDecimal read = tg_decimal_read(begin, length, &value);
  if (read == TG_DECIMAL_NONE) return expected(reader, "a number");
  if (read == TG_DECIMAL_LARGE) return too_large(reader, "the number is too large");
  reader->at += (int)length;
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

/* Letters, digits, '_' and what `more` holds; NULL where there are none. */
static char *take_word(TgReader *reader, const char *more) {
  skip_spaces(reader);
  const char *begin = reader->text + reader->at, *end = begin;
  while (g_ascii_isalnum(*end) || *end == '_' || (*end && strchr(more, *end))) end++;
  reader->at += (int)(end - begin);
  return end > begin ? g_strndup(begin, (gsize)(end - begin)) : NULL;
}

static int32_t word(TgReader *reader) {
  const int begin = reader->at;
  g_autofree char *name = take_word(reader, "");
  const TgFormulaFunction *function = find_function(name);
  if (function) return call(reader, function, begin + 1);
  if (peek(reader) == '(') {
    fail(reader, begin, "there is no function '%s'", name);
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

/* The rest of the line: a number, or a comparison. */
static bool read_expression(TgReader *reader, bool compared, TgFormulaLine *parsed) {
  reader->depth = 0;
  reader->lets = 0;
  const int32_t node = compared ? comparison(reader) : sum(reader);
  if (node < 0) return false;
  if (peek(reader)) return expected(reader, "an operator or the end of the line") >= 0;
  *parsed = (TgFormulaLine){.node = node, .lets = reader->lets};
  return true;
}

typedef enum TgKeyKind { KIND_TEXT, KIND_QUANTITY, KIND_VALID, KIND_LET } TgKeyKind;

typedef struct TgKey {
  const char *word;
  TgKeyKind kind;
  int index;     /**< TgFormulaText or TgFormulaQuantity */
  bool required; /**< once at least */
  bool repeated;
} TgKey;

static const TgKey keys[] = {{"title", KIND_TEXT, TG_FORMULA_TITLE, true, false},
                             {"source", KIND_TEXT, TG_FORMULA_SOURCE, true, false},
                             {"checked", KIND_TEXT, TG_FORMULA_CHECKED, false, false},
                             {"assumes", KIND_TEXT, TG_FORMULA_ASSUMES, false, true},
                             {"grama", KIND_TEXT, TG_FORMULA_GRAMA, false, false},
                             {"isoefficiency", KIND_TEXT, TG_FORMULA_ISOEFFICIENCY, false, false},
                             {"communication", KIND_QUANTITY, TG_FORMULA_COMMUNICATION, true, false},
                             {"compute", KIND_QUANTITY, TG_FORMULA_COMPUTE, true, false},
                             {"growth", KIND_QUANTITY, TG_FORMULA_GROWTH, false, false},
                             {"valid", KIND_VALID, 0, false, true},
                             {"let", KIND_LET, 0, false, true}};

/* Names that every run gives a value: a `let` would hide it. */
static const char *const given[] = {"m",          "n", "k", "p", "processors", "alpha", "beta", "hop", "element_bytes",
                                    "flops_per_s"};

static bool take_equals(TgReader *reader) {
  skip_spaces(reader);
  if (reader->text[reader->at] != '=') return fail(reader, reader->at, "expected '='");
  reader->at++;
  skip_spaces(reader);
  return true;
}

static void append_text(char **text, const char *more, const char *between) {
  char *joined = *text ? g_strconcat(*text, between, more, NULL) : g_strdup(more);
  g_free(*text);
  *text = joined;
}

static bool read_text(TgReader *reader, const TgKey *key) {
  g_autofree char *value = g_strchomp(g_strdup(reader->text + reader->at));
  if (!*value) return fail(reader, reader->at, "the line ends, expected a text");
  reader->continued = &reader->formula->text[key->index];
  append_text(reader->continued, value, "\n");
  return true;
}

static bool read_valid(TgReader *reader) {
  TgFormula *formula = reader->formula;
  if (formula->valids == TG_FORMULA_MAX_VALID) return fail(reader, reader->at, "there are too many lines 'valid'");
  const char *begin = reader->text + reader->at;
  if (!read_expression(reader, true, &formula->valid[formula->valids])) return false;
  formula->valid_text[formula->valids++] = g_strchomp(g_strndup(begin, strcspn(begin, "#")));
  return true;
}

static bool is_free(const TgReader *reader, const char *name, int at) {
  const TgFormula *formula = reader->formula;
  if (find_function(name)) return fail(reader, at, "'%s' is a function", name);
  for (size_t g = 0; g < G_N_ELEMENTS(given); g++)
    if (strcmp(given[g], name) == 0) return fail(reader, at, "'%s' has a value in every run", name);
  for (int l = 0; l < formula->lets; l++)
    if (strcmp(formula->let_name[l], name) == 0) return fail(reader, at, "there are two lines 'let %s'", name);
  for (guint v = 0; v < formula->variables->len; v++)
    if (strcmp(g_ptr_array_index(formula->variables, v), name) == 0)
      return fail(reader, at, "'%s' is used above its 'let'", name);
  return true;
}

static bool read_let(TgReader *reader) {
  TgFormula *formula = reader->formula;
  skip_spaces(reader);
  const int at = reader->at;
  g_autofree char *name = take_word(reader, "");
  if (!name || g_ascii_isdigit(*name)) return fail(reader, at, "expected a name after 'let'");
  if (!is_free(reader, name, at) || !take_equals(reader)) return false;
  if (formula->lets == TG_FORMULA_MAX_LETS) return fail(reader, reader->at, "there are too many lines 'let'");
  if (!read_expression(reader, false, &formula->let[formula->lets])) return false;
  if (!is_free(reader, name, at)) return false; /* it may have named itself */
  formula->let_name[formula->lets++] = g_steal_pointer(&name);
  return true;
}

static const TgKey *find_key(const char *word) {
  for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
    if (strcmp(keys[k].word, word) == 0) return &keys[k];
  return NULL;
}

static bool is_there(const TgFormula *formula, const TgKey *key) {
  if (key->kind == KIND_TEXT) return formula->text[key->index] != NULL;
  return key->kind == KIND_QUANTITY && formula->quantity[key->index].node >= 0;
}

static bool read_key(TgReader *reader) {
  g_autofree char *word = take_word(reader, "");
  const TgKey *key = word ? find_key(word) : NULL;
  if (!word) return fail(reader, 0, "expected a key");
  if (!key) return fail(reader, 0, "unknown key '%s'", word);
  if (!key->repeated && is_there(reader->formula, key)) return fail(reader, 0, "there are two lines '%s'", word);
  if (key->kind == KIND_LET) return read_let(reader);
  if (!take_equals(reader)) return false;
  if (key->kind == KIND_TEXT) return read_text(reader, key);
  if (key->kind == KIND_VALID) return read_valid(reader);
  return read_expression(reader, false, &reader->formula->quantity[key->index]);
}

static bool read_name(TgReader *reader) {
  g_autofree char *word = take_word(reader, "");
  if (g_strcmp0(word, "formula") != 0) return fail(reader, 0, "expected 'formula NAME' as the first line");
  reader->formula->name = take_word(reader, "-");
  if (!reader->formula->name) return fail(reader, reader->at, "expected the formula's name");
  skip_spaces(reader);
  const char here = reader->text[reader->at];
  return !here || here == '#' || fail(reader, reader->at, "expected the end of the line");
}

static bool read_line(TgReader *reader) {
  const char *line = reader->text;
  char **continued = reader->continued;
  reader->at = 0;
  reader->continued = NULL;
  skip_spaces(reader);
  if (!line[reader->at] || line[reader->at] == '#') return true;
  if (!reader->formula->name) return read_name(reader);
  if (reader->at == 0) return read_key(reader);
  if (!continued)
    return fail(reader, reader->at, "the line begins with a space, but there is no text above for it to continue");
  g_autofree char *more = g_strchomp(g_strdup(line + reader->at));
  append_text(continued, more, " ");
  reader->continued = continued;
  return true;
}

static bool read_lines(TgReader *reader, const char *text, const char *end) {
  while (text < end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const char *line_end = newline ? newline : end;
    reader->line++;
    reader->at = 0;
    if (line_end - text > TG_MAX_LINE) return fail(reader, reader->at, "the line is too long");
    g_autofree char *line = g_strndup(text, (gsize)(line_end - text));
    reader->text = line;
    const bool fine = read_line(reader);
    reader->text = NULL;
    if (!fine) return false;
    text = newline ? newline + 1 : end;
  }
  reader->line++;
  reader->at = 0;
  return true;
}

/* What can be said once all lines are read: what is missing, and which `let` serves nothing. */
static bool check_whole(const TgReader *reader) {
  const TgFormula *formula = reader->formula;
  if (!formula->name) return fail(reader, reader->at, "expected 'formula NAME' as the first line");
  for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
    if (keys[k].required && !is_there(formula, &keys[k]))
      return fail(reader, 0, "the text ends without a line '%s'", keys[k].word);
  uint32_t used = 0;
  for (int q = 0; q < TG_FORMULA_QUANTITIES; q++) used |= formula->quantity[q].lets;
  for (int v = 0; v < formula->valids; v++) used |= formula->valid[v].lets;
  for (int l = 0; l < formula->lets; l++) {
    if (used >> l & 1) continue;
    const int line = tg_formula_node(formula, formula->let[l].node)->line;
    return tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, line, 1, "nothing uses '%s'", formula->let_name[l]);
  }
  return true;
}

static bool check_bytes(const TgReader *reader, const char *text, size_t length) {
  if (length > TG_FORMULA_MAX_BYTES)
    return tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, 1, 1, "the text is longer than %d bytes",
                           TG_FORMULA_MAX_BYTES);
  const char *end;
  if (g_utf8_validate(text, (gssize)length, &end)) return true;
  int line = 1, column = 1;
  for (const char *c = text; c < end; c++) {
    column = *c == '\n' ? 1 : column + 1;
    line += *c == '\n';
  }
  return tg_formula_fail(reader->error, TG_FORMULA_ERROR_SYNTAX, line, column, "the byte is not UTF-8 text");
}

TgFormula *tg_formula_parse(const char *text, size_t length, GError **error) {
  g_autoptr(TgFormula) formula = g_new0(TgFormula, 1);
  formula->nodes = g_array_new(FALSE, FALSE, sizeof(TgFormulaNode));
  formula->variables = g_ptr_array_new_with_free_func(g_free);
  for (int q = 0; q < TG_FORMULA_QUANTITIES; q++) formula->quantity[q].node = -1;
  TgReader reader = {.formula = formula, .error = error};
  if (!check_bytes(&reader, text, length)) return NULL;
  if (!read_lines(&reader, text, text + length) || !check_whole(&reader)) return NULL;
  g_ptr_array_add(formula->variables, NULL);
  return g_steal_pointer(&formula);
}
