#include "formula-private.h"

G_DEFINE_QUARK(tg - formula - error - quark, tg_formula_error)

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
