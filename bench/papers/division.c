/* bench division: all divisions at every size, and what the rule would have chosen. */
#include "division.h"

#include "suite.h"
#include "tuning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double budget_s = 0.05; /* of trials, a division and size */
static const double longest_s = 5, hopeless = 20;

static const int64_t usual_sizes[] = {16, 32, 64, 128, 256, 512, 1024, 2048};

TgDivisions *tg_divisions_new(TgResults *results) {
  TgDivisions *divisions = g_new0(TgDivisions, 1);
  divisions->results = results;
  divisions->choices = g_array_new(FALSE, TRUE, sizeof(TgDivisionChoice));
  return divisions;
}

void tg_divisions_free(TgDivisions *divisions) {
  if (divisions->results) tg_results_free(divisions->results);
  g_array_unref(divisions->choices);
  g_free(divisions->cache_path);
  g_free(divisions);
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static bool is_row_of(const TgResult *row, const TgDivision *division, int64_t n) {
  return row->n == n && row->width == division->width && row->split == division->split &&
         strcmp(row->method, division->kernel->name) == 0;
}

static double measured_s(const TgResults *results, const TgDivision *division, int64_t n) {
  for (guint r = 0; division->kernel && r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (is_row_of(row, division, n) && row->right) return tg_result_time_s(row);
  }
  return NAN;
}

/* The paper's width, every product of two tiles in a block of its own. */
static bool is_papers(const TgResult *row) {
  const TgHistoric *kernel = tg_historic_find(row->method);
  TgHistoricRun run = {.width = kernel->widths[0], .m = row->m, .n = row->n, .k = row->k};
  TgHistoricShape shape;
  return row->width == kernel->widths[0] && tg_historic_prepare(kernel, &run, &shape, NULL) &&
         row->split == (int32_t)shape.split;
}

static void take_faster(const TgResult *row, TgDivision *division, double *seconds) {
  const double time_s = tg_result_time_s(row);
  if (!(time_s < *seconds) && !isnan(*seconds)) return;
  *division = (TgDivision){tg_historic_find(row->method), row->width, row->split};
  *seconds = time_s;
}

void tg_divisions_judge(TgDivisions *divisions, const TgDevice *device, TgHistoricType type, int64_t n,
                        const TgDivision *cached) {
  TgDivisionChoice choice = {.n = n, .best_s = NAN, .worst_s = NAN, .rule_s = NAN, .paper_s = NAN, .cached_s = NAN};
  TgDivisionCost cost;
  for (guint r = 0; r < divisions->results->rows->len; r++) {
    const TgResult *row = tg_results_at(divisions->results, r);
    if (row->n != n || *row->left_out || !row->right) continue;
    take_faster(row, &choice.best, &choice.best_s);
    if (is_papers(row)) take_faster(row, &choice.paper, &choice.paper_s);
    choice.worst_s = fmax(choice.worst_s, tg_result_time_s(row));
    choice.candidates++;
  }
  if (tg_division_choose(device, type, n, n, n, &choice.rule, &cost)) {
    choice.rule_s = measured_s(divisions->results, &choice.rule, n);
    choice.rule_expected_s = cost.seconds;
    choice.rule_limit = cost.limit;
  }
  if (cached) {
    choice.has_cached = true;
    choice.cached = *cached;
    choice.cached_s = measured_s(divisions->results, cached, n);
  }
  g_array_append_val(divisions->choices, choice);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

typedef struct TgExpected {
  TgDivision division;
  double seconds;
} TgExpected;

static gint by_expectation(gconstpointer a, gconstpointer b) {
  const double x = ((const TgExpected *)a)->seconds, y = ((const TgExpected *)b)->seconds;
  return (x > y) - (x < y);
}

/* Those first that the rule expects to be fast, so that the slow ones are known for what they are. */
static GArray *methods_new(const TgDevice *device, TgHistoricType type, int64_t n) {
  g_autoptr(GArray) all = tg_division_all(type, n, n, n), order = g_array_new(FALSE, FALSE, sizeof(TgExpected));
  GArray *methods = g_array_new(FALSE, TRUE, sizeof(TgMethod));
  for (guint i = 0; i < all->len; i++) {
    TgExpected one = {g_array_index(all, TgDivision, i), INFINITY};
    TgDivisionCost cost;
    if (tg_division_cost(&one.division, device, type, n, n, n, &cost)) one.seconds = cost.seconds;
    g_array_append_val(order, one);
  }
  g_array_sort(order, by_expectation);
  for (guint i = 0; i < order->len; i++) {
    const TgDivision *division = &g_array_index(order, TgExpected, i).division;
    const TgMethod method = {.name = division->kernel->name,
                             .historic = division->kernel->name,
                             .width = division->width,
                             .split = division->split};
    g_array_append_val(methods, method);
  }
  return methods;
}

static char *key_of(TgHistoricType type, int64_t n) {
  return g_strdup_printf("division %s %" PRId64 "x%" PRId64 "x%" PRId64, tg_historic_type_name(type), n, n, n);
}

/* What an earlier run found; false without an error where there is nothing. */
static bool find_cached(const TgDevice *device, TgHistoricType type, int64_t n, TgDivision *division, GError **error) {
  g_autofree char *key = key_of(type, n);
  TgTuned tuned;
  if (!tg_tuning_find(device, key, &tuned, error)) return false;
  *division = (TgDivision){tg_historic_find(tuned.kernel), tuned.width, tuned.split};
  return division->kernel != NULL;
}

bool tg_division_pick(const TgDevice *device, TgHistoricType type, int64_t n, bool use_kept, TgDivision *division,
                      bool *kept, GError **error) {
  GError *why = NULL;
  TgDivisionCost cost;
  *kept = use_kept && find_cached(device, type, n, division, &why);
  if (why) {
    g_propagate_error(error, why);
    return false;
  }
  return *kept || tg_division_choose(device, type, n, n, n, division, &cost);
}

static bool keep(const TgDevice *device, TgHistoricType type, const TgDivisionChoice *choice, GError **error) {
  g_autofree char *key = key_of(type, choice->n);
  TgTuned tuned = {.width = choice->best.width, .split = choice->best.split, .seconds = choice->best_s};
  if (!choice->best.kernel) return true;
  g_strlcpy(tuned.kernel, choice->best.kernel->name, sizeof tuned.kernel);
  return tg_tuning_keep(device, key, &tuned, error);
}

static bool measure_size(TgSuite *suite, TgDivisions *divisions, TgNumber number, int64_t n, GError **error) {
  const TgDevice *device = &suite->results->environment.device;
  const TgHistoricType type = number == TG_NUMBER_I32 ? TG_HISTORIC_I32 : TG_HISTORIC_F32;
  const TgSuiteSize size = {TG_HISTORIC_PRODUCT, number, n, n, n};
  g_autoptr(GArray) methods = methods_new(device, type, n);
  TgDivision cached;
  GError *why = NULL;
  const bool has_cached = !suite->options->no_cache && find_cached(device, type, n, &cached, &why);
  if (why) {
    g_propagate_error(error, why);
    return false;
  }
  suite->methods = (const TgMethod *)(void *)methods->data;
  suite->method_count = methods->len;
  if (!tg_suite_measure(suite, &size, error)) return false;
  tg_divisions_judge(divisions, device, type, n, has_cached ? &cached : NULL);
  const TgDivisionChoice *choice = &g_array_index(divisions->choices, TgDivisionChoice, divisions->choices->len - 1);
  return suite->options->no_cache || suite->options->kernels || suite->options->quick ||
         keep(device, type, choice, error);
}

static bool open_suite(TgSuite *suite, const TgBenchOptions *options, GError **error) {
  const TgDevice none = {0};
  g_autoptr(GArray) any = methods_new(&none, TG_HISTORIC_F32, 1024);
  if (!tg_suite_open(suite, "division", options, (const TgMethod *)(void *)any->data, any->len, budget_s, error))
    return false;
  suite->limits.longest_s = tg_suite_longest_s(options, longest_s);
  suite->limits.trials.most = MIN(suite->limits.trials.most, 31);
  suite->kernel_only = suite->same_split = true;
  suite->hopeless = hopeless;
  suite->short_s = 0.02;
  return true;
}

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBER_I32, TG_NUMBERS};
  TgNumber number;
  TgSuite suite;
  if (!tg_suite_number(options, allowed, &number, error) || !open_suite(&suite, options, error)) return NULL;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual_sizes, G_N_ELEMENTS(usual_sizes), 64);
  g_autoptr(TgDivisions) divisions = tg_divisions_new(suite.results);
  bool fine = true;
  if (!options->no_cache) divisions->cache_path = tg_tuning_path();
  suite.total = (int64_t)sizes->len * (int64_t)suite.method_count;
  for (guint s = 0; fine && s < sizes->len; s++)
    fine = measure_size(&suite, divisions, number, g_array_index(sizes, int64_t, s), error);
  if (!fine) return NULL;
  divisions->results = tg_suite_finish(&suite);
  return g_steal_pointer(&divisions);
}

static void clear(void *divisions) {
  tg_divisions_free(divisions);
}

const TgExperiment tg_experiment_division = {
    .name = "division",
    .summary = "how many blocks of how many threads: a rule compared with a sweep",
    .details = "The question that O'Neil's paper leaves open: all divisions of its kernels into blocks and threads, "
               "for n = 16 to 2048, the best of them, and how a simple rule and the paper's own choice compare. The "
               "best is stored in ~/.cache/topogemm/tuning.ini for this GPU and driver (not with --quick, --kernels or "
               "--no-cache) and measured again in the next run. --type f32 or i32.",
    .paper = "T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication",
    .measure = measure,
    .clear = clear,
    .print = tg_divisions_print,
    .document = tg_divisions_document,
    .plot = tg_divisions_plot,
    .right = tg_divisions_right,
};
