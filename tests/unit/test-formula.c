/* The text of a closed form: what the parser takes and refuses and where, its limits, and how it is printed. */
#include "formula-case.h"

static TgFormula *parse(const char *text, GError **error) {
  return tg_formula_parse(text, strlen(text), error);
}

static void keys(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgFormula) formula = parse("# first a comment\n\nformula a-b_2 # its name\ntitle = A title  \n"
                                       "source = A book,\n  section # 1\r\nassumes = one\nassumes = two\n  goes on\n"
                                       "valid = p == q*q\nvalid = m == n == k # square\n"
                                       "let w = n*n/p # words\ncommunication = alpha + beta*w\n"
                                       "compute = m*n*k/flops_per_s\ngrama = t_s\nisoefficiency = Θ(p)\ngrowth = p\n",
                                       &error);
  g_assert_no_error(error);
  g_assert_cmpstr(tg_formula_name(formula), ==, "a-b_2");
  g_assert_cmpstr(tg_formula_text(formula, TG_FORMULA_TITLE), ==, "A title");
  g_assert_cmpstr(tg_formula_text(formula, TG_FORMULA_SOURCE), ==, "A book, section # 1");
  g_assert_cmpstr(tg_formula_text(formula, TG_FORMULA_ASSUMES), ==, "one\ntwo goes on");
  g_assert_cmpstr(tg_formula_text(formula, TG_FORMULA_GRAMA), ==, "t_s");
  g_assert_cmpstr(tg_formula_text(formula, TG_FORMULA_ISOEFFICIENCY), ==, "Θ(p)");
  g_autofree char *names = g_strjoinv(" ", (char **)tg_formula_variables(formula));
  g_assert_cmpstr(names, ==, "p q m n k alpha beta flops_per_s");
  g_assert_true(tg_formula_has(formula, TG_FORMULA_GROWTH));
}

static void missing_keys(void) {
  g_autoptr(TgFormula) formula = formula_with("", "alpha");
  g_autoptr(GError) error = NULL;
  TgFormulaValues values = {0};
  double value;
  for (int text = TG_FORMULA_ASSUMES; text < TG_FORMULA_TEXTS; text++)
    g_assert_null(tg_formula_text(formula, (TgFormulaText)text));
  g_assert_false(tg_formula_has(formula, TG_FORMULA_GROWTH));
  g_assert_null(tg_formula_print(formula, TG_FORMULA_GROWTH, TG_FORMULA_ALPHA_BETA));
  g_assert_false(tg_formula_evaluate(formula, TG_FORMULA_GROWTH, &values, &value, &error));
  g_assert_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_UNKNOWN);
  g_assert_true(tg_formula_check(formula, &values, NULL));
}

static void refuse(const char *text, const char *message) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgFormula) formula = parse(text, &error);
  if (formula) g_error("'%s' is taken, expected '%s'", text, message);
  g_assert_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_SYNTAX);
  if (strcmp(error->message, message) != 0) g_error("'%s': '%s', expected '%s'", text, error->message, message);
  g_assert_null(parse(text, NULL)); /* nor does a caller need the reason */
}

static void refused_lines(void) {
  refuse("", "1:1: expected 'formula NAME' as the first line");
  refuse("title = T\n", "1:1: expected 'formula NAME' as the first line");
  refuse("formula\n", "1:8: expected the formula's name");
  refuse("formula a b\n", "1:11: expected the end of the line");
  refuse("formula a\n", "2:1: the text ends without a line 'title'");
  refuse("formula a\ntitle = T\nsource = S\ncompute = 1", "5:1: the text ends without a line 'communication'");
  refuse(FORMULA_HEAD "time = 1\n", "5:1: unknown key 'time'");
  refuse(FORMULA_HEAD "= 1\n", "5:1: expected a key");
  refuse(FORMULA_HEAD "growth 1\n", "5:8: expected '='");
  refuse(FORMULA_HEAD "grama =  \n", "5:10: the line ends, expected a text");
  refuse(FORMULA_HEAD "title = again\n", "5:1: there are two lines 'title'");
  refuse(FORMULA_HEAD "compute = 2\n", "5:1: there are two lines 'compute'");
  refuse(FORMULA_HEAD "  more\n", "5:3: the line begins with a space, but there is no text above for it to continue");
  refuse(FORMULA_HEAD "communication = 1\xff\n", "5:18: the byte is not UTF-8 text");
}

static void refused_lets(void) {
  refuse(FORMULA_HEAD "let = 1\n", "5:5: expected a name after 'let'");
  refuse(FORMULA_HEAD "let 2w = 1\n", "5:5: expected a name after 'let'");
  refuse(FORMULA_HEAD "let sqrt = 1\n", "5:5: 'sqrt' is a function");
  refuse(FORMULA_HEAD "let p = 1\n", "5:5: 'p' has a value in every run");
  refuse(FORMULA_HEAD "let w = 1\nlet w = 2\n", "6:5: there are two lines 'let w'");
  refuse(FORMULA_HEAD "communication = w\nlet w = 1\n", "6:5: 'w' is used above its 'let'");
  refuse(FORMULA_HEAD "let w = w + 1\n", "5:5: 'w' is used above its 'let'");
  refuse(FORMULA_HEAD "let w = 1\ncommunication = 1\n", "5:1: nothing uses 'w'");
}

static void refused_expressions(void) {
  refuse(FORMULA_HEAD "growth =\n", "5:9: the line ends, expected a number, a name or '('");
  refuse(FORMULA_HEAD "growth = 1 +\n", "5:13: the line ends, expected a number, a name or '('");
  refuse(FORMULA_HEAD "growth = 1 + # 2\n", "5:14: the line ends, expected a number, a name or '('");
  refuse(FORMULA_HEAD "growth = (1\n", "5:12: the line ends, expected ')'");
  refuse(FORMULA_HEAD "growth = 1)\n", "5:11: found ')', expected an operator or the end of the line");
  refuse(FORMULA_HEAD "growth = n²\n", "5:11: found '²', expected an operator or the end of the line");
  refuse(FORMULA_HEAD "growth = 2n\n", "5:11: found 'n', expected an operator or the end of the line");
  refuse(FORMULA_HEAD "growth = 0x10\n", "5:11: found 'x', expected an operator or the end of the line");
  refuse(FORMULA_HEAD "growth = .\n", "5:10: found '.', expected a number");
  refuse(FORMULA_HEAD "growth = 1e999\n", "5:10: the number is too large");
  refuse(FORMULA_HEAD "growth = sin(p)\n", "5:10: there is no function 'sin'");
  refuse(FORMULA_HEAD "growth = sqrt p\n", "5:15: found 'p', expected '(' after the name of a function");
  refuse(FORMULA_HEAD "growth = min(p)\n", "5:15: found ')', expected ',' and a second value");
  refuse(FORMULA_HEAD "growth = sqrt(p, 2)\n", "5:16: found ',', expected ')'");
  refuse(FORMULA_HEAD "growth = p == 4\n", "5:12: found '=', expected an operator or the end of the line");
  refuse(FORMULA_HEAD "valid = p\n", "5:10: the line ends, expected a comparison");
  refuse(FORMULA_HEAD "valid = p = 4\n", "5:11: found '=', expected a comparison");
  refuse(FORMULA_HEAD "growth = a_name_of_more_than_thirty_two_bytes\n", "5:46: the name is too long");
}

static char *repeated(const char *before, const char *part, int times, const char *after) {
  GString *text = g_string_new(FORMULA_HEAD);
  g_string_append(text, before);
  for (int i = 0; i < times; i++) g_string_append(text, part);
  g_string_append(text, after);
  return g_string_free(text, FALSE);
}

static void limits(void) {
  g_autofree char *deep = repeated("communication = ", "(", 63, "1");
  g_autofree char *closing = g_strnfill(63, ')');
  g_autofree char *closed = g_strconcat(deep, closing, NULL);
  g_autoptr(TgFormula) fits = parse(closed, NULL);
  g_assert_nonnull(fits);
  g_autofree char *deeper = repeated("communication = ", "(", 64, "1");
  refuse(deeper, "5:81: the expression is nested too deeply");
  g_autofree char *minuses = repeated("communication = ", "-", 500, "1");
  refuse(minuses, "5:81: the expression is nested too deeply");
  g_autofree char *powers = repeated("communication = 1", "**1", 64, "");
  refuse(powers, "5:209: the expression is nested too deeply");
  g_autofree char *wide = repeated("communication = 1", "+1", 700, "");
  refuse(wide, "5:1: the line is too long");
  g_autofree char *lines = repeated("", "valid = 1 == 1\n", 9, "");
  refuse(lines, "13:9: there are too many lines 'valid'");
  g_autofree char *many = repeated("", "# 4567890123456789012345678901234567890\n", 2000, "");
  refuse(many, "1:1: the text is longer than 65536 bytes");
}

/* A sum of 480 terms is one tree 480 deep; 16 lets that double one another are 2^16, evaluated once each. */
static void large_but_fine(void) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text = repeated("communication = 0", "+1", 480, "\n");
  g_autoptr(TgFormula) sum = parse(text, &error);
  g_assert_no_error(error);
  TgFormulaValues values = {0};
  double value;
  g_assert_true(tg_formula_evaluate(sum, TG_FORMULA_COMMUNICATION, &values, &value, NULL));
  g_assert_cmpfloat(value, ==, 480);
  GString *lets = g_string_new("let a0 = 1\n");
  for (int l = 1; l < 16; l++) g_string_append_printf(lets, "let a%d = a%d + a%d\n", l, l - 1, l - 1);
  g_autofree char *lines = g_string_free(lets, FALSE);
  g_autoptr(TgFormula) doubled = formula_with(lines, "a15");
  g_assert_true(tg_formula_evaluate(doubled, TG_FORMULA_COMMUNICATION, &values, &value, NULL));
  g_assert_cmpfloat(value, ==, 32768);
}

static void assert_prints(const char *lines, const char *expression, const char *alpha_beta, const char *grama) {
  g_autoptr(TgFormula) formula = formula_with(lines, expression);
  g_autofree char *one = tg_formula_print(formula, TG_FORMULA_COMMUNICATION, TG_FORMULA_ALPHA_BETA);
  g_autofree char *two = tg_formula_print(formula, TG_FORMULA_COMMUNICATION, TG_FORMULA_GRAMA_SYMBOLS);
  g_assert_cmpstr(one, ==, alpha_beta);
  g_assert_cmpstr(two, ==, grama);
}

static void printing(void) {
  assert_prints("let w = n**2/p\n", "2*q*(alpha + beta*w)", "2·q·(α + β·w), w = n²/p", "2·q·(t_s + t_w·w), w = n²/p");
  assert_prints("", "log2(p)*hop", "log₂(p)·τ", "log(p)·t_h");
  assert_prints("", "sqrt(p/c**3) + sqrt(p)", "√(p/c³) + √p", "√(p/c³) + √p");
  assert_prints("", "p**(2/3) + 2**n + (a + b)**2", "p^(2/3) + 2^n + (a + b)²", "p^(2/3) + 2^n + (a + b)²");
  assert_prints("", "a - (b - c) - d", "a - (b - c) - d", "a - (b - c) - d");
  assert_prints("", "a/(b/c)/d*e", "a/(b/c)/d·e", "a/(b/c)/d·e");
  assert_prints("", "a*(b % c)", "a·(b mod c)", "a·(b mod c)");
  assert_prints("", "-(a + b)*-c", "-(a + b)·-c", "-(a + b)·-c");
  assert_prints("", "-a**2 + (-a)**2", "-a² + (-a)²", "-a² + (-a)²");
  assert_prints("", "min(ceil(a + b), floor(0.5))", "min(⌈a + b⌉, ⌊0.5⌋)", "min(⌈a + b⌉, ⌊0.5⌋)");
  assert_prints("", "cbrt(p)**2", "(∛p)²", "(∛p)²");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/formula/keys", keys);
  g_test_add_func("/formula/missing-keys", missing_keys);
  g_test_add_func("/formula/refused-lines", refused_lines);
  g_test_add_func("/formula/refused-lets", refused_lets);
  g_test_add_func("/formula/refused-expressions", refused_expressions);
  g_test_add_func("/formula/limits", limits);
  g_test_add_func("/formula/large-but-fine", large_but_fine);
  g_test_add_func("/formula/printing", printing);
  return g_test_run();
}
