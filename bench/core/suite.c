/* What an experiment opens, chooses and ends with; suite-measure.c measures. */
#include "suite.h"

#include <string.h>

/* --- choices ------------------------------------------------------------------------------------------------------ */

static const TgMethod *find_method(const TgSuite *suite, const char *name) {
  for (size_t i = 0; i < suite->method_count; i++)
    if (strcmp(suite->methods[i].name, name) == 0) return &suite->methods[i];
  return NULL;
}

static bool fail_kernel(const TgSuite *suite, const char *experiment, const char *name, GError **error) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t i = 0; i < suite->method_count; i++) {
    bool again = false;
    for (size_t j = 0; j < i; j++) again = again || strcmp(suite->methods[i].name, suite->methods[j].name) == 0;
    if (!again) g_string_append_printf(known, "%s%s", i ? ", " : "", suite->methods[i].name);
  }
  g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE, "--kernels %s: bench %s has none of that name; it has: %s",
              name, experiment, known->str);
  return false;
}

static bool choose(const TgSuite *suite, const char *experiment, GError **error) {
  for (char **name = suite->options->kernels; name && *name; name++) {
    const TgMethod *method = find_method(suite, *name);
    if (!method) return fail_kernel(suite, experiment, *name, error);
    if (method->cpu || !suite->options->cpu_only) continue;
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE, "--kernels %s: it needs a GPU, and --cpu-only uses none",
                *name);
    return false;
  }
  return true;
}

double tg_suite_longest_s(const TgBenchOptions *options, double usual_s) {
  return options->budget_s > 0 ? MIN(usual_s, MAX(1, 40 * options->budget_s)) : usual_s;
}

bool tg_suite_open(TgSuite *suite, const char *experiment, const TgBenchOptions *options, const TgMethod *methods,
                   size_t method_count, double budget_s, GError **error) {
  TgDevice device;
  TgError why;
  *suite = (TgSuite){.options = options, .methods = methods, .method_count = method_count};
  if (!choose(suite, experiment, error)) return false;
  suite->on_device = !options->cpu_only;
  if (suite->on_device && !tg_device_open(0, &device, &why))
    return tg_bench_fail(error, TG_BENCH_ERROR_MISSING, experiment, why.message);
  suite->limits = (TgBenchLimits){.trials = {.budget_s = options->budget_s > 0 ? options->budget_s
                                                         : options->quick      ? 0.05
                                                                               : budget_s,
                                             .least = 3,
                                             .most = options->quick ? 20 : 1000,
                                             .wanted = options->trials,
                                             .wanted_s = TG_BENCH_WANTED_S,
                                             .warmup = 2},
                                  .longest_s = tg_suite_longest_s(options, 60),
                                  .hold_s = 50e-6};
  suite->results = tg_results_new(experiment, suite->on_device ? &device : NULL);
  suite->results->seed = options->seed;
  suite->results->quick = options->quick;
  return true;
}

void tg_suite_clear(TgSuite *suite) {
  g_clear_pointer(&suite->results, tg_results_free);
}

TgResults *tg_suite_finish(TgSuite *suite) {
  TgResults *results = g_steal_pointer(&suite->results);
  tg_environment_end(&results->environment);
  if (!suite->on_device) tg_results_note(results, "the kernels were not run: only the CPU was asked for");
  return results;
}

GArray *tg_suite_sizes(const TgBenchOptions *options, const int64_t *usual, size_t usual_count, int64_t quick_most) {
  GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  if (options->size_count) {
    g_array_append_vals(sizes, options->sizes, (guint)options->size_count);
    return sizes;
  }
  for (size_t s = 0; s < usual_count; s++)
    if (!options->quick || usual[s] <= quick_most) g_array_append_val(sizes, usual[s]);
  return sizes;
}

bool tg_suite_number(const TgBenchOptions *options, const TgNumber *allowed, TgNumber *number, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  *number = allowed[0];
  if (!options->type) return true;
  for (int i = 0; allowed[i] != TG_NUMBERS; i++) {
    g_string_append_printf(names, "%s%s", i ? " or " : "", tg_number_name(allowed[i]));
    if (tg_number_find(options->type, number) && *number == allowed[i]) return true;
  }
  g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE, "--type %s: expected %s", options->type, names->str);
  return false;
}
