/** @file formula-case.h
 * For tests: a formula from the lines that matter, and values that must be taken. */
#ifndef FORMULA_CASE_H
#define FORMULA_CASE_H

#include <glib.h>
#include <math.h>
#include <string.h>

#include "formula.h"

/** Everything that must be there but the communication. */
#define FORMULA_HEAD "formula test\ntitle = T\nsource = S\ncompute = 1\n"

static inline TgFormula *formula_with(const char *lines, const char *communication) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strdup_printf(FORMULA_HEAD "%scommunication = %s\n", lines, communication);
  TgFormula *formula = tg_formula_parse(text, strlen(text), &error);
  g_assert_no_error(error);
  return formula;
}

static inline void formula_set(TgFormulaValues *values, const char *name, double value) {
  g_autoptr(GError) error = NULL;
  tg_formula_values_set(values, name, value, &error);
  g_assert_no_error(error);
}

#endif
