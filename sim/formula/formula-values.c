/* Values by name: what a run knows of its schedule, its sizes and its machine. */
#include "formula.h"

#include <math.h>
#include <string.h>

static bool refuse(GError **error, const char *name, const char *why) {
  g_set_error(error, TG_FORMULA_ERROR, TG_FORMULA_ERROR_UNKNOWN, "no value for %s: %s", name, why);
  return false;
}

bool tg_formula_values_set(TgFormulaValues *values, const char *name, double value, GError **error) {
  if (isnan(value)) return refuse(error, name, "it is not a number");
  if (strlen(name) >= TG_NAME_LENGTH) return refuse(error, name, "the name is too long");
  int e = 0;
  while (e < values->count && strcmp(values->entry[e].name, name) != 0) e++;
  if (e == TG_FORMULA_MAX_VALUES) return refuse(error, name, "there are too many values");
  values->count = MAX(values->count, e + 1);
  g_strlcpy(values->entry[e].name, name, TG_NAME_LENGTH);
  values->entry[e].value = value;
  return true;
}

bool tg_formula_values_schedule(TgFormulaValues *values, const TgSchedule *schedule, const TgScheduleNames *names,
                                GError **error) {
  const double processors = (double)tg_schedule_processors(schedule);
  if (!tg_formula_values_set(values, "p", processors, error)) return false;
  if (!tg_formula_values_set(values, "processors", processors, error)) return false;
  for (int i = 0; i < schedule->parameters; i++) {
    const char *name = tg_name(names, names->parameter[i]);
    if (!tg_formula_values_set(values, name, (double)schedule->parameter[i], error)) return false;
  }
  return true;
}

bool tg_formula_values_sizes(TgFormulaValues *values, int64_t m, int64_t n, int64_t k, GError **error) {
  return tg_formula_values_set(values, "m", (double)m, error) && tg_formula_values_set(values, "n", (double)n, error) &&
         tg_formula_values_set(values, "k", (double)k, error);
}

bool tg_formula_values_machine(TgFormulaValues *values, double latency_s, double seconds_per_byte, double per_hop_s,
                               int64_t element_bytes, double flops_per_s, GError **error) {
  const double word_s = seconds_per_byte * (double)element_bytes;
  return tg_formula_values_set(values, "alpha", latency_s, error) &&
         tg_formula_values_set(values, "beta", word_s, error) &&
         tg_formula_values_set(values, "hop", per_hop_s, error) &&
         tg_formula_values_set(values, "element_bytes", (double)element_bytes, error) &&
         tg_formula_values_set(values, "flops_per_s", flops_per_s, error);
}
