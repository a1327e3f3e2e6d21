/* The lines of a formula: keys, texts and their continuation. Expressions are formula-expression.c's. */
#include "formula-private.h"

#include <string.h>

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
  return tg_formula_expression(lines->formula, lines->line, lines->number, lines->at + 1, comparison, parsed,
                               lines->error);
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
  if (tg_formula_function(name)) return fail(lines, at, "'%s' is a function", name);
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
