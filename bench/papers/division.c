/* bench division: all divisions at every size, and what the rule would have chosen. */
#include "division.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "results-print.h"
#include "suite.h"
#include "tuning.h"

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* A division in words: its kernel and its numbers. */
static void add_division(TgTable *table, const TgDivision *division, int64_t n) {
  TgHistoricRun run = {.width = division->width, .split = division->split, .m = n, .n = n, .k = n};
  TgHistoricShape shape;
  if (!division->kernel || !tg_historic_prepare(division->kernel, &run, &shape, NULL)) {
    for (int c = 0; c < 5; c++) tg_table_add(table, "-");
    return;
  }
  tg_table_add(table, "%s", division->kernel->name);
  tg_table_add(table, "%d", division->width);
  tg_table_add(table, "%d", division->split);
  tg_table_add(table, "%" PRId64, shape.grid[0] * shape.grid[1] * shape.grid[2]);
  tg_table_add(table, "%d", shape.block[0] * shape.block[1] * shape.block[2]);
}

static void add_line(TgTable *table, const char *n, const char *whose, const TgDivisionChoice *choice,
                     const TgDivision *division, double seconds) {
  tg_table_add(table, "%s", n);
  tg_table_add(table, "%s", whose);
  add_division(table, division, choice->n);
  tg_table_add_time(table, seconds);
  tg_page_number(table, "%.2f", seconds / choice->best_s);
}

static void print_choices(TgPage *page, const TgResults *results) {
  static const char *const heads[] = {"n", "", "kernel", "width", "split", "blocks", "threads", "time", "of the best"};
  TgTable *table = tg_page_table(page, "rllrrrrrr", 2, heads);
  for (guint c = 0; c < tg_division_choice_count(results); c++) {
    const TgDivisionChoice *choice = tg_division_choice(results, c);
    g_autofree char *n = g_strdup_printf("%" PRId64, choice->n);
    add_line(table, n, "best", choice, &choice->best, choice->best_s);
    add_line(table, "", "rule", choice, &choice->rule, choice->rule_s);
    add_line(table, "", "paper", choice, &choice->paper, choice->paper_s);
    if (choice->cached.kernel) add_line(table, "", "kept", choice, &choice->cached, choice->cached_s);
  }
}

static void print_rule(TgPage *page, const TgResults *results) {
  static const char *const heads[] = {"n",          "measured",  "the rule expects",
                                      "limited by", "divisions", "worst of the best"};
  TgTable *table = tg_page_table(page, "rrrlrr", 2, heads);
  for (guint c = 0; c < tg_division_choice_count(results); c++) {
    const TgDivisionChoice *choice = tg_division_choice(results, c);
    tg_table_add(table, "%" PRId64, choice->n);
    tg_table_add_time(table, choice->rule_s);
    tg_table_add_time(table, choice->rule_expected_s);
    tg_table_add(table, "%s", choice->rule_limit ? choice->rule_limit : "-");
    tg_table_add(table, "%u", choice->candidates);
    tg_page_number(table, "%.2f", choice->worst_s / choice->best_s);
  }
}

/* Geometric, over the sizes where both were measured. */
static double mean_ratio(const TgResults *results, bool of_rule) {
  double sum = 0;
  int count = 0;
  for (guint c = 0; c < tg_division_choice_count(results); c++) {
    const TgDivisionChoice *choice = tg_division_choice(results, c);
    const double ratio = (of_rule ? choice->rule_s : choice->paper_s) / choice->best_s;
    if (isnan(ratio)) continue;
    sum += log(ratio);
    count++;
  }
  return count ? exp(sum / count) : NAN;
}

static int count_left_out(const TgResults *results) {
  int count = 0;
  for (guint r = 0; r < results->rows->len; r++) count += *tg_results_at(results, r)->left_out != '\0';
  return count;
}

static void print(const TgResults *results, TgPage *page) {
  const int left_out = count_left_out(results);
  tg_page_where(page, results);
  tg_page_add(page, "\nDivisions, %s: the best of all, the rule's, and the fastest of the paper's\n",
              tg_results_type(results));
  print_choices(page, results);
  tg_page_add(page, "\nThe rule\n");
  print_rule(page, results);
  tg_page_add(page, "\n");
  tg_page_paragraph(
      page, 2,
      "In the geometric mean the rule's choice takes %.2f times as long as the best, the paper's own %.2f "
      "times.",
      mean_ratio(results, true), mean_ratio(results, false));
  tg_page_paragraph(page, 2,
                    "split: blocks that share the inner extent of a tile of C and add to it if there are several; of "
                    "the best: time divided by the best time.");
  if (left_out)
    tg_page_paragraph(
        page, 2, "%d divisions were left out: over 20 times slower than the best of their size; --json lists them.",
        left_out);
  if (results->cache_path) tg_page_paragraph(page, 2, "stored in %s", results->cache_path);
}

/* --- a document --------------------------------------------------------------------------------------------------- */

static void write_division(TgJson *json, const char *key, const TgDivision *division, double seconds, double best_s) {
  if (!division->kernel) return;
  tg_json_member_object(json, key, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", division->kernel->name);
  tg_json_member_integer(json, "width", division->width);
  tg_json_member_integer(json, "split", division->split);
  tg_json_member_double(json, "time_s", seconds);
  tg_json_member_double(json, "ratio_to_best", seconds / best_s);
  tg_json_end_object(json);
}

static void write_choice(TgJson *json, const TgDivisionChoice *choice) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "n", choice->n);
  tg_json_member_integer(json, "divisions", choice->candidates);
  tg_json_member_double(json, "worst_s", choice->worst_s);
  write_division(json, "best", &choice->best, choice->best_s, choice->best_s);
  write_division(json, "rule", &choice->rule, choice->rule_s, choice->best_s);
  tg_json_member_double(json, "rule_expected_s", choice->rule_expected_s);
  tg_json_member_string(json, "rule_limited_by", choice->rule_limit);
  write_division(json, "paper", &choice->paper, choice->paper_s, choice->best_s);
  write_division(json, "kept", &choice->cached, choice->cached_s, choice->best_s);
  tg_json_end_object(json);
}

static void write_members(TgJson *json, const TgResults *results) {
  tg_json_member_array(json, "choices", TG_JSON_LINES);
  for (guint c = 0; c < tg_division_choice_count(results); c++) write_choice(json, tg_division_choice(results, c));
  tg_json_end_array(json);
}

/* --- a plot ------------------------------------------------------------------------------------------------------- */

static char *plot(const void *measured, const TgPlotFormat *format) {
  const TgResults *results = measured;
  g_autoptr(TgChart) chart = tg_results_chart(results, "Blocks and threads: a rule against a sweep");
  TgPanel *times = tg_chart_panel(chart, "time", "n, rows of the matrices", "time, s");
  TgPanel *ratios = tg_chart_panel(chart, "times as long as the best", "n, rows of the matrices", "ratio");
  for (guint c = 0; c < tg_division_choice_count(results); c++) {
    const TgDivisionChoice *choice = tg_division_choice(results, c);
    const double n = (double)choice->n;
    tg_panel_point(times, "best", n, choice->best_s);
    tg_panel_point(times, "rule", n, choice->rule_s);
    tg_panel_point(times, "paper", n, choice->paper_s);
    tg_panel_point(times, "worst", n, choice->worst_s);
    tg_panel_point(ratios, "rule", n, choice->rule_s / choice->best_s);
    tg_panel_point(ratios, "paper", n, choice->paper_s / choice->best_s);
  }
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

static const double budget_s = 0.05; /* of trials, a division and size */
static const double longest_s = 5, hopeless = 20;

static const int64_t usual_sizes[] = {16, 32, 64, 128, 256, 512, 1024, 2048};

void tg_division_choices_begin(TgResults *results) {
  results->own = g_array_new(FALSE, TRUE, sizeof(TgDivisionChoice));
  results->free_own = (GDestroyNotify)g_array_unref;
}

guint tg_division_choice_count(const TgResults *results) {
  return ((const GArray *)results->own)->len;
}

const TgDivisionChoice *tg_division_choice(const TgResults *results, guint choice) {
  return &g_array_index((const GArray *)results->own, TgDivisionChoice, choice);
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

void tg_division_judge(TgResults *results, const TgDevice *device, TgHistoricType type, int64_t n,
                       const TgDivision *cached) {
  TgDivisionChoice choice = {.n = n, .best_s = NAN, .worst_s = NAN, .rule_s = NAN, .paper_s = NAN, .cached_s = NAN};
  TgDivisionCost cost;
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (row->n != n || *row->left_out || !row->right) continue;
    take_faster(row, &choice.best, &choice.best_s);
    if (is_papers(row)) take_faster(row, &choice.paper, &choice.paper_s);
    choice.worst_s = fmax(choice.worst_s, tg_result_time_s(row));
    choice.candidates++;
  }
  if (tg_division_choose(device, type, n, n, n, &choice.rule, &cost)) {
    choice.rule_s = measured_s(results, &choice.rule, n);
    choice.rule_expected_s = cost.seconds;
    choice.rule_limit = cost.limit;
  }
  choice.cached = *cached;
  choice.cached_s = measured_s(results, cached, n);
  g_array_append_vals(results->own, &choice, 1);
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

bool tg_division_find(const TgDevice *device, TgHistoricType type, int64_t n, TgDivision *division, GError **error) {
  g_autofree char *key = key_of(type, n);
  TgTuned tuned;
  if (!tg_tuning_find(device, key, &tuned, error)) return false;
  *division = (TgDivision){tg_historic_find(tuned.kernel), tuned.width, tuned.split};
  return true;
}

static bool keep(const TgDevice *device, TgHistoricType type, const TgDivisionChoice *choice, GError **error) {
  g_autofree char *key = key_of(type, choice->n);
  TgTuned tuned = {.width = choice->best.width, .split = choice->best.split, .seconds = choice->best_s};
  if (!choice->best.kernel) return true;
  g_strlcpy(tuned.kernel, choice->best.kernel->name, sizeof tuned.kernel);
  return tg_tuning_keep(device, key, &tuned, error);
}

static bool measure_size(TgSuite *suite, int64_t n, GError **error) {
  const TgDevice *device = &suite->results->environment.device;
  const TgHistoricType type = tg_number_historic(suite->number);
  const TgSuiteSize size = {TG_HISTORIC_PRODUCT, suite->number, n, n, n};
  g_autoptr(GArray) methods = methods_new(device, type, n);
  TgDivision cached = {0};
  if (!suite->options->no_cache && !tg_division_find(device, type, n, &cached, error)) return false;
  suite->methods = (const TgMethod *)(void *)methods->data;
  suite->method_count = methods->len;
  if (!tg_suite_measure(suite, &size, error)) return false;
  tg_division_judge(suite->results, device, type, n, &cached);
  const TgDivisionChoice *choice = tg_division_choice(suite->results, tg_division_choice_count(suite->results) - 1);
  return suite->options->no_cache || suite->options->kernels || suite->options->quick ||
         keep(device, type, choice, error);
}

static bool open_suite(TgSuite *suite, const TgBenchOptions *options, GError **error) {
  static const TgSuitePlan plan = {"division", TG_NUMBER_I32, usual_sizes, G_N_ELEMENTS(usual_sizes), 64, 0, budget_s};
  const TgDevice none = {0};
  g_autoptr(GArray) any = methods_new(&none, TG_HISTORIC_F32, 1024);
  if (!tg_suite_begin(suite, &plan, options, (const TgMethod *)(void *)any->data, any->len, error)) return false;
  suite->limits.longest_s = tg_suite_longest_s(options, longest_s);
  suite->limits.trials.most = MIN(suite->limits.trials.most, 31);
  suite->kernel_only = suite->same_split = true;
  suite->hopeless = hopeless;
  suite->short_s = 0.02;
  suite->total = (int64_t)suite->sizes->len * (int64_t)any->len;
  return true;
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  TgSuite suite;
  if (!open_suite(&suite, options, error)) return NULL;
  bool fine = true;
  tg_division_choices_begin(suite.results);
  if (!options->no_cache) suite.results->cache_path = tg_tuning_path();
  for (guint s = 0; fine && s < suite.sizes->len; s++)
    fine = measure_size(&suite, g_array_index(suite.sizes, int64_t, s), error);
  return tg_suite_finish(&suite, fine);
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
    .print = print,
    .write = write_members,
    .plot = plot,
};
