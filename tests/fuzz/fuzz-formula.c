/* Any bytes as a closed form: refused at a place in the text, or read. What was read has, for any values, a finite
 * value or a reason at a place in the text, and prints as UTF-8. */
#include "formula.h"
#include "fuzz.h"

#include <math.h>
#include <stdio.h>

static void check_place(const char *message, const uint8_t *bytes, size_t size) {
  unsigned line = 0, column = 0, lines = 1;
  int end = 0;
  for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
  g_assert_true(g_utf8_validate(message, -1, NULL));
  g_assert_cmpint(sscanf(message, "%u:%u: %n", &line, &column, &end), ==, 2);
  g_assert_true(end > 0 && message[end] != '\0');
  g_assert_true(line >= 1 && line <= lines + 1 && column >= 1 && column <= size + 1);
}

static void check_error(GError *error, const uint8_t *bytes, size_t size) {
  g_assert_nonnull(error);
  g_assert_true(error->domain == TG_FORMULA_ERROR);
  if (error->code != TG_FORMULA_ERROR_NOT_VALID) check_place(error->message, bytes, size);
  g_error_free(error);
}

/* Values of several kinds: ones, zeros, different ones, large ones with one that is unlimited. */
static void choose(const TgFormula *formula, int kind, TgFormulaValues *values) {
  static const double first[] = {1, 0, 2, 1e200}, step[] = {0, 0, 1.5, -1e199};
  const char *const *names = tg_formula_variables(formula);
  for (int v = 0; names[v] && v < TG_FORMULA_MAX_VALUES; v++) {
    const double value = kind == 3 && v == 0 ? (double)INFINITY : first[kind] + v * step[kind];
    g_assert_true(tg_formula_values_set(values, names[v], value, NULL));
  }
}

static void check_values(const TgFormula *formula, int kind, const uint8_t *bytes, size_t size) {
  TgFormulaValues values = {0};
  GError *error = NULL;
  choose(formula, kind, &values);
  if (!tg_formula_check(formula, &values, &error)) check_error(error, bytes, size);
  for (int q = 0; q < TG_FORMULA_QUANTITIES; q++) {
    double value = NAN;
    error = NULL;
    if (!tg_formula_has(formula, (TgFormulaQuantity)q)) continue;
    if (tg_formula_evaluate(formula, (TgFormulaQuantity)q, &values, &value, &error))
      g_assert_true(isfinite(value));
    else
      check_error(error, bytes, size);
  }
}

static void check_print(const TgFormula *formula) {
  for (int q = 0; q < TG_FORMULA_QUANTITIES; q++)
    for (int symbols = 0; symbols <= TG_FORMULA_GRAMA_SYMBOLS; symbols++) {
      char *text = tg_formula_print(formula, (TgFormulaQuantity)q, (TgFormulaSymbols)symbols);
      g_assert_true((text != NULL) == tg_formula_has(formula, (TgFormulaQuantity)q));
      g_assert_true(!text || (*text && g_utf8_validate(text, -1, NULL)));
      g_free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  GError *error = NULL;
  TgFormula *formula = tg_formula_parse((const char *)bytes, size, &error);
  if (!formula) {
    check_error(error, bytes, size);
    return 0;
  }
  for (int kind = 0; kind < 4; kind++) check_values(formula, kind, bytes, size);
  check_print(formula);
  tg_formula_free(formula);
  return 0;
}
