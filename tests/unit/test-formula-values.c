/* The value of a closed form: operations worked by hand, errors with their place, validity, the values of a run. */
#include "formula-case.h"

static void assert_value(const char *expression, double expected) {
  g_autoptr(TgFormula) formula = formula_with("let w = n/2\nlet v = w*w\n", expression);
  g_autoptr(GError) error = NULL;
  TgFormulaValues values = {0};
  double value = NAN;
  formula_set(&values, "n", 6);
  formula_set(&values, "p", 64);
  formula_set(&values, "unlimited", (double)INFINITY);
  tg_formula_evaluate(formula, TG_FORMULA_COMMUNICATION, &values, &value, &error);
  g_assert_no_error(error);
  if (fabs(value - expected) > 1e-12 * fabs(expected)) g_error("%s is %.17g, not %.17g", expression, value, expected);
}

/* Each uses both lets, so that none is unused. */
static void values_by_hand(void) {
  assert_value("w + v", 3 + 9);
  assert_value("0*v + 2 + 3*4 - 5", 9);
  assert_value("0*v + 20 - 4 - 3", 13);
  assert_value("0*v + 24/4/3", 2);
  assert_value("0*v + 24/(4/2)", 12);
  assert_value("0*v + 2**3**2", 512);
  assert_value("0*v - 2**2", -4);
  assert_value("0*v + 2**-1", 0.5);
  assert_value("0*v + --3", 3);
  assert_value("0*v + pow(p, 2/3)", 16);
  assert_value("0*v + sqrt(p)*cbrt(p)", 32);
  assert_value("0*v + log2(p)", 6);
  assert_value("0*v + ceil(7/2)*100 + floor(7/2)*10 + floor(-7/2)", 426);
  assert_value("0*v + min(n, p)*100 + max(n, p)", 664);
  assert_value("0*v + 17 % 5 * 10 + -17 % 5", 23);
  assert_value("0*v + 1.5e2 + .5 + 2. + 1E-1", 152.6);
  assert_value("0*v + n/unlimited", 0);
  assert_value("0*v + 1 # + 1", 1);
}

static void fails(const char *expression, TgFormulaError code, const char *message) {
  g_autoptr(TgFormula) formula = formula_with("", expression);
  g_autoptr(GError) error = NULL;
  TgFormulaValues values = {0};
  double value = 7;
  formula_set(&values, "p", 64);
  formula_set(&values, "unlimited", (double)INFINITY);
  g_assert_false(tg_formula_evaluate(formula, TG_FORMULA_COMMUNICATION, &values, &value, &error));
  g_assert_error(error, TG_FORMULA_ERROR, (int)code);
  if (strcmp(error->message, message) != 0) g_error("%s: '%s', expected '%s'", expression, error->message, message);
  g_assert_cmpfloat(value, ==, 7);
  g_assert_false(tg_formula_evaluate(formula, TG_FORMULA_COMMUNICATION, &values, &value, NULL));
}

static void evaluation_errors(void) {
  fails("p + q", TG_FORMULA_ERROR_UNKNOWN, "5:21: 'q' has no value");
  fails("1 + 2/(p - 64)", TG_FORMULA_ERROR_ARITHMETIC, "5:22: 2 / 0 has no finite value");
  fails("unlimited/0", TG_FORMULA_ERROR_ARITHMETIC, "5:26: inf / 0 has no finite value");
  fails("3 % 0", TG_FORMULA_ERROR_ARITHMETIC, "5:19: 3 % 0 has no finite value");
  fails("sqrt(0 - p)", TG_FORMULA_ERROR_ARITHMETIC, "5:17: sqrt(-64) has no finite value");
  fails("log2(p - p)", TG_FORMULA_ERROR_ARITHMETIC, "5:17: log2(0) has no finite value");
  fails("(0 - 8)**(1/3)", TG_FORMULA_ERROR_ARITHMETIC, "5:24: -8 ** 0.333333 has no finite value");
  fails("0**-1", TG_FORMULA_ERROR_ARITHMETIC, "5:18: 0 ** -1 has no finite value");
  fails("1e300*1e300", TG_FORMULA_ERROR_ARITHMETIC, "5:22: 1e+300 * 1e+300 has no finite value");
  fails("unlimited - unlimited", TG_FORMULA_ERROR_ARITHMETIC, "5:27: inf - inf has no finite value");
  fails("unlimited + 1", TG_FORMULA_ERROR_ARITHMETIC, "5:27: the value is infinite");
}

/* A let that the quantity does not need cannot make it fail. */
static void only_what_is_needed(void) {
  g_autoptr(TgFormula) formula = formula_with("let w = 1/0\ngrowth = w\n", "2");
  TgFormulaValues values = {0};
  double value;
  g_assert_true(tg_formula_evaluate(formula, TG_FORMULA_COMMUNICATION, &values, &value, NULL));
  g_assert_false(tg_formula_evaluate(formula, TG_FORMULA_GROWTH, &values, &value, NULL));
}

static bool holds(const char *line, double q, const char *message) {
  g_autofree char *lines = g_strdup_printf("valid = %s\n", line);
  g_autoptr(TgFormula) formula = formula_with(lines, "1");
  g_autoptr(GError) error = NULL;
  TgFormulaValues values = {0};
  formula_set(&values, "p", 16);
  formula_set(&values, "q", q);
  const bool fine = tg_formula_check(formula, &values, &error);
  g_assert_true(fine == (error == NULL));
  if (!fine) g_assert_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_NOT_VALID);
  if (!fine && message) g_assert_cmpstr(error->message, ==, message);
  return fine;
}

static void validity(void) {
  g_assert_true(holds("p == q*q", 4, NULL));
  g_assert_false(holds("p == q*q  # a square", 5, "the closed form holds only where p == q*q"));
  g_assert_true(holds("p != q", 4, NULL) && !holds("p != q", 16, NULL));
  g_assert_true(holds("q < p", 15, NULL) && !holds("q < p", 16, NULL));
  g_assert_true(holds("q <= p", 16, NULL) && !holds("q <= p", 17, NULL));
  g_assert_true(holds("q > p", 17, NULL) && !holds("q > p", 16, NULL));
  g_assert_true(holds("q >= p", 16, NULL) && !holds("q >= p", 15, NULL));
  g_assert_true(holds("4 == q == sqrt(p)", 4, NULL));
  g_assert_false(holds("4 == q == p", 4, NULL));
  g_assert_false(holds("q == 4 == sqrt(p)", 5, NULL));
  g_assert_false(holds("1 < q <= 3", 4, NULL));
}

static void validity_without_a_value(void) {
  g_autoptr(TgFormula) formula = formula_with("valid = r == 1\n", "1");
  g_autoptr(GError) error = NULL;
  TgFormulaValues values = {0};
  g_assert_false(tg_formula_check(formula, &values, &error));
  g_assert_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_UNKNOWN);
  g_assert_cmpstr(error->message, ==, "5:9: 'r' has no value");
}

static double value_of(const TgFormulaValues *values, const char *name) {
  for (int e = 0; e < values->count; e++)
    if (strcmp(values->entry[e].name, name) == 0) return values->entry[e].value;
  g_error("'%s' has no value", name);
}

static void values_set(void) {
  TgFormulaValues values = {0};
  g_autoptr(GError) error = NULL;
  formula_set(&values, "n", 1);
  formula_set(&values, "n", 2);
  g_assert_cmpint(values.count, ==, 1);
  g_assert_cmpfloat(value_of(&values, "n"), ==, 2);
  g_assert_false(tg_formula_values_set(&values, "x", (double)NAN, &error));
  g_assert_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_UNKNOWN);
  g_assert_false(tg_formula_values_set(&values, "a_name_of_more_than_thirty_two_bytes", 1, NULL));
  for (int v = 1; v < TG_FORMULA_MAX_VALUES; v++) {
    g_autofree char *name = g_strdup_printf("v%d", v);
    formula_set(&values, name, v);
  }
  g_assert_false(tg_formula_values_set(&values, "one_more", 1, NULL));
  formula_set(&values, "v1", 5);
}

/* p is the schedule's own where it has one; sizes and machine are never a parameter's. */
static void values_of_a_run(void) {
  static TgSchedule schedule;
  static TgScheduleNames names;
  const char *text = "schedule s\n  \"c\"\ngrid i:p, j:q\nparam n default 9\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"
                     "step \"s\"\n  note \"n\"\n  C = A * B\n";
  TgError failure = {0};
  TgBindings bindings = {0};
  TgFormulaValues values = {0};
  g_autoptr(GError) error = NULL;
  if (!tg_schedule_parse(&schedule, &names, text, strlen(text), &failure)) g_error("%s", failure.message);
  g_assert_true(tg_bindings_grid(&bindings, "3x2", NULL));
  tg_schedule_bind(&schedule, &names, &bindings, NULL); /* the placement need not fit: the parameters are bound */
  g_assert_true(tg_formula_values_schedule(&values, &schedule, &names, &error));
  g_assert_true(tg_formula_values_sizes(&values, 10, 20, 30, &error));
  g_assert_true(tg_formula_values_machine(&values, 1e-6, 1e-9, 1e-7, 8, 1e12, &error));
  g_assert_no_error(error);
  g_assert_cmpfloat(value_of(&values, "p"), ==, 3);
  g_assert_cmpfloat(value_of(&values, "q"), ==, 2);
  g_assert_cmpfloat(value_of(&values, "processors"), ==, 6);
  g_assert_cmpfloat(value_of(&values, "n"), ==, 20);
  g_assert_cmpfloat(value_of(&values, "alpha"), ==, 1e-6);
  g_assert_cmpfloat_with_epsilon(value_of(&values, "beta"), 8e-9, 1e-20);
  g_assert_cmpfloat(value_of(&values, "hop"), ==, 1e-7);
  g_assert_cmpfloat(value_of(&values, "element_bytes"), ==, 8);
  g_assert_cmpfloat(value_of(&values, "flops_per_s"), ==, 1e12);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/formula-values/values-by-hand", values_by_hand);
  g_test_add_func("/formula-values/evaluation-errors", evaluation_errors);
  g_test_add_func("/formula-values/only-what-is-needed", only_what_is_needed);
  g_test_add_func("/formula-values/validity", validity);
  g_test_add_func("/formula-values/validity-without-a-value", validity_without_a_value);
  g_test_add_func("/formula-values/values-set", values_set);
  g_test_add_func("/formula-values/values-of-a-run", values_of_a_run);
  return g_test_run();
}
