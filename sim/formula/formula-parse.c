/* The text of a formula: the expressions, then the lines, which are keys, texts and their continuation. */
#include "formula-private.h"

#include <math.h>
#include <string.h>

/* One line's expression, by recursive descent. The line ends the expression, or a `#`.
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
  const TgFormulaFunction *function = find_function(name);
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

/* Parses `text` from byte `column - 1` of line `line` to its end: a number, or a comparison. Errors: SYNTAX. */
static bool parse_expression(TgFormula *formula, const char *text, int line, int column, bool compared,
                             TgFormulaLine *parsed, GError **error) {
  TgReader reader = {.formula = formula, .text = text, .line = line, .at = column - 1, .error = error};
  const int32_t node = compared ? comparison(&reader) : sum(&reader);
  if (node < 0) return false;
  if (peek(&reader)) return expected(&reader, "an operator or the end of the line") >= 0;
  *parsed = (TgFormulaLine){.node = node, .lets = reader.lets};
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

/* A text being read. */
typedef struct TgLines {
  TgFormula *formula;
  const char *line;
  int number;
  int at;      /**< bytes of the line read */
  char **text; /**< what a line that begins with a space continues; NULL: nothing */
  GError **error;
} TgLines;

static bool fail(const TgLines *lines, int at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* At byte `at` of the line. */
static bool fail(const TgLines *lines, int at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return tg_formula_fail(lines->error, TG_FORMULA_ERROR_SYNTAX, lines->number, at + 1, "%s", message);
}

static void skip_spaces(TgLines *lines) {
  while (g_ascii_isspace(lines->line[lines->at])) lines->at++;
}

/* Letters, digits, '_' and what `more` holds; NULL where there are none. */
static char *take_word(TgLines *lines, const char *more) {
  skip_spaces(lines);
  const char *begin = lines->line + lines->at, *end = begin;
  while (g_ascii_isalnum(*end) || *end == '_' || (*end && strchr(more, *end))) end++;
  lines->at += (int)(end - begin);
  return end > begin ? g_strndup(begin, (gsize)(end - begin)) : NULL;
}

static bool take_equals(TgLines *lines) {
  skip_spaces(lines);
  if (lines->line[lines->at] != '=') return fail(lines, lines->at, "expected '='");
  lines->at++;
  skip_spaces(lines);
  return true;
}

static bool read_expression(TgLines *lines, bool comparison, TgFormulaLine *parsed) {
  return parse_expression(lines->formula, lines->line, lines->number, lines->at + 1, comparison, parsed, lines->error);
}

static void append_text(char **text, const char *more, const char *between) {
  char *joined = *text ? g_strconcat(*text, between, more, NULL) : g_strdup(more);
  g_free(*text);
  *text = joined;
}

static bool read_text(TgLines *lines, const TgKey *key) {
  g_autofree char *value = g_strchomp(g_strdup(lines->line + lines->at));
  if (!*value) return fail(lines, lines->at, "the line ends, expected a text");
  lines->text = &lines->formula->text[key->index];
  append_text(lines->text, value, "\n");
  return true;
}

static bool read_valid(TgLines *lines) {
  TgFormula *formula = lines->formula;
  if (formula->valids == TG_FORMULA_MAX_VALID) return fail(lines, lines->at, "there are too many lines 'valid'");
  if (!read_expression(lines, true, &formula->valid[formula->valids])) return false;
  const char *begin = lines->line + lines->at;
  formula->valid_text[formula->valids++] = g_strchomp(g_strndup(begin, strcspn(begin, "#")));
  return true;
}

static bool is_free(const TgLines *lines, const char *name, int at) {
  const TgFormula *formula = lines->formula;
  if (find_function(name)) return fail(lines, at, "'%s' is a function", name);
  for (size_t g = 0; g < G_N_ELEMENTS(given); g++)
    if (strcmp(given[g], name) == 0) return fail(lines, at, "'%s' has a value in every run", name);
  for (int l = 0; l < formula->lets; l++)
    if (strcmp(formula->let_name[l], name) == 0) return fail(lines, at, "there are two lines 'let %s'", name);
  for (guint v = 0; v < formula->variables->len; v++)
    if (strcmp(g_ptr_array_index(formula->variables, v), name) == 0)
      return fail(lines, at, "'%s' is used above its 'let'", name);
  return true;
}

static bool read_let(TgLines *lines) {
  TgFormula *formula = lines->formula;
  skip_spaces(lines);
  const int at = lines->at;
  g_autofree char *name = take_word(lines, "");
  if (!name || g_ascii_isdigit(*name)) return fail(lines, at, "expected a name after 'let'");
  if (!is_free(lines, name, at) || !take_equals(lines)) return false;
  if (formula->lets == TG_FORMULA_MAX_LETS) return fail(lines, lines->at, "there are too many lines 'let'");
  if (!read_expression(lines, false, &formula->let[formula->lets])) return false;
  if (!is_free(lines, name, at)) return false; /* it may have named itself */
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

static bool read_key(TgLines *lines) {
  g_autofree char *word = take_word(lines, "");
  const TgKey *key = word ? find_key(word) : NULL;
  if (!word) return fail(lines, 0, "expected a key");
  if (!key) return fail(lines, 0, "unknown key '%s'", word);
  if (!key->repeated && is_there(lines->formula, key)) return fail(lines, 0, "there are two lines '%s'", word);
  if (key->kind == KIND_LET) return read_let(lines);
  if (!take_equals(lines)) return false;
  if (key->kind == KIND_TEXT) return read_text(lines, key);
  if (key->kind == KIND_VALID) return read_valid(lines);
  return read_expression(lines, false, &lines->formula->quantity[key->index]);
}

static bool read_name(TgLines *lines) {
  g_autofree char *word = take_word(lines, "");
  if (g_strcmp0(word, "formula") != 0) return fail(lines, 0, "expected 'formula NAME' as the first line");
  lines->formula->name = take_word(lines, "-");
  if (!lines->formula->name) return fail(lines, lines->at, "expected the formula's name");
  skip_spaces(lines);
  const char here = lines->line[lines->at];
  return !here || here == '#' || fail(lines, lines->at, "expected the end of the line");
}

static bool read_line(TgLines *lines) {
  const char *line = lines->line;
  char **continued = lines->text;
  lines->at = 0;
  lines->text = NULL;
  skip_spaces(lines);
  if (!line[lines->at] || line[lines->at] == '#') return true;
  if (!lines->formula->name) return read_name(lines);
  if (lines->at == 0) return read_key(lines);
  if (!continued)
    return fail(lines, lines->at, "the line begins with a space, but there is no text above for it to continue");
  g_autofree char *more = g_strchomp(g_strdup(line + lines->at));
  append_text(continued, more, " ");
  lines->text = continued;
  return true;
}

static bool read_lines(TgLines *lines, const char *text, const char *end) {
  while (text < end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const char *line_end = newline ? newline : end;
    lines->number++;
    lines->at = 0;
    if (line_end - text > TG_MAX_LINE) return fail(lines, lines->at, "the line is too long");
    g_autofree char *line = g_strndup(text, (gsize)(line_end - text));
    lines->line = line;
    const bool fine = read_line(lines);
    lines->line = NULL;
    if (!fine) return false;
    text = newline ? newline + 1 : end;
  }
  lines->number++;
  lines->at = 0;
  return true;
}

/* What can be said once all lines are read: what is missing, and which `let` serves nothing. */
static bool check_whole(const TgLines *lines) {
  const TgFormula *formula = lines->formula;
  if (!formula->name) return fail(lines, lines->at, "expected 'formula NAME' as the first line");
  for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
    if (keys[k].required && !is_there(formula, &keys[k]))
      return fail(lines, 0, "the text ends without a line '%s'", keys[k].word);
  uint32_t used = 0;
  for (int q = 0; q < TG_FORMULA_QUANTITIES; q++) used |= formula->quantity[q].lets;
  for (int v = 0; v < formula->valids; v++) used |= formula->valid[v].lets;
  for (int l = 0; l < formula->lets; l++) {
    if (used >> l & 1) continue;
    const int line = tg_formula_node(formula, formula->let[l].node)->line;
    return tg_formula_fail(lines->error, TG_FORMULA_ERROR_SYNTAX, line, 1, "nothing uses '%s'", formula->let_name[l]);
  }
  return true;
}

static bool check_bytes(const TgLines *lines, const char *text, size_t length) {
  if (length > TG_FORMULA_MAX_BYTES)
    return tg_formula_fail(lines->error, TG_FORMULA_ERROR_SYNTAX, 1, 1, "the text is longer than %d bytes",
                           TG_FORMULA_MAX_BYTES);
  const char *end;
  if (g_utf8_validate(text, (gssize)length, &end)) return true;
  int line = 1, column = 1;
  for (const char *c = text; c < end; c++) {
    column = *c == '\n' ? 1 : column + 1;
    line += *c == '\n';
  }
  return tg_formula_fail(lines->error, TG_FORMULA_ERROR_SYNTAX, line, column, "the byte is not UTF-8 text");
}

TgFormula *tg_formula_parse(const char *text, size_t length, GError **error) {
  g_autoptr(TgFormula) formula = g_new0(TgFormula, 1);
  formula->nodes = g_array_new(FALSE, FALSE, sizeof(TgFormulaNode));
  formula->variables = g_ptr_array_new_with_free_func(g_free);
  for (int q = 0; q < TG_FORMULA_QUANTITIES; q++) formula->quantity[q].node = -1;
  TgLines lines = {.formula = formula, .error = error};
  if (!check_bytes(&lines, text, length)) return NULL;
  if (!read_lines(&lines, text, text + length) || !check_whole(&lines)) return NULL;
  g_ptr_array_add(formula->variables, NULL);
  return g_steal_pointer(&formula);
}
