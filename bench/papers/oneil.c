/* bench oneil: the paper's tables next to ours, and their continuation to larger matrices. Kernels and figures
 * are those of the paper's table in cuda/kernels/historic/. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "division.h"
#include "historic.h"
#include "host-methods.h"
#include "results-print.h"
#include "suite.h"

/* --- the paper's tables ------------------------------------------------------------------------------------------- */

static void add_us(TgTable *table, double seconds) {
  tg_page_number(table, "%.1f", seconds * 1e6);
}

static void add_time(TgTable *table, const char *title, const char *what, const TgMeasurement *time) {
  if (!time->trials) return;
  tg_table_add(table, "%s", title);
  tg_table_add(table, "%s", what);
  tg_table_add(table, "%d", time->trials);
  add_us(table, time->min_s);
  add_us(table, time->max_s);
  add_us(table, time->mean_s);
  tg_table_add(table, "%.2f", time->stddev_s * 1e6);
  add_us(table, time->median_s);
}

/* The sum of the medians: the time of a program that copies the operands in, starts the kernel and copies the result
 * out.
 */
static void add_whole(TgTable *table, const TgResult *row) {
  const double whole_s = tg_result_whole_s(row);
  if (isnan(whole_s)) return;
  for (int c = 0; c < 7; c++) tg_table_add(table, "%s", c == 1 ? "with transfers" : "");
  add_us(table, whole_s);
}

static void add_row(TgTable *table, const TgResult *row) {
  const TgHistoricFigure *figure = tg_suite_paper_figure(&tg_historic_oneil, row);
  g_autofree char *where = g_strdup_printf("paper, %s", tg_historic_oneil.machine);
  g_autofree char *title =
      g_strdup_printf("%s%s", figure ? figure->title : row->method, row->printed ? ", as printed" : "");
  if (figure) add_time(table, title, where, &row->paper);
  add_time(table, figure ? "" : title, "kernel", &row->kernel);
  add_time(table, "", "call to end", &row->call);
  add_time(table, "", "operands in", &row->in);
  add_time(table, "", "result out", &row->out);
  if (row->bytes > 0) add_whole(table, row);
}

/* What belongs to a table: what the paper has there, and what computes nothing. */
static bool belongs(const TgResult *row, int32_t number, int64_t n) {
  const TgHistoricFigure *figure = tg_suite_paper_figure(&tg_historic_oneil, row);
  if (*row->left_out || row->place != TG_ON_GPU || row->n != n) return false;
  return figure ? figure->table == number : row->bytes == 0;
}

static void print_paper(TgPage *page, const TgResults *results, int32_t number, int64_t n) {
  static const char *const heads[] = {"algorithm", "times in us", "trials", "min", "max", "avg", "std", "median"};
  TgTable *table = NULL;
  for (guint r = 0; r < results->rows->len; r++) {
    if (!belongs(tg_results_at(results, r), number, n)) continue;
    if (!table) tg_page_add(page, "\nTable %d: %" PRId64 "x%" PRId64 "\n", number, n, n);
    if (!table) table = tg_page_table(page, "llrrrrrr", 2, heads);
    add_row(table, tg_results_at(results, r));
  }
}

/* --- larger matrices ---------------------------------------------------------------------------------------------- */

/* The CPU, the kernels that take any size, the vendor's library. Heads are names without the paper's. */
static GArray *columns_new(void) {
  const TgColumn cpu = {"cpu", "cpu", 0}, chosen = {"chosen", "chosen", 0}, cublas = {"cublas", "cublas", 0};
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(TgColumn));
  g_array_append_val(columns, cpu);
  for (size_t k = 0; k < tg_historic_oneil.count; k++) {
    const TgHistoric *kernel = &tg_historic_oneil.kernels[k];
    const TgColumn column = {kernel->name + strlen(tg_historic_oneil.name) + 1, kernel->name, 0};
    if (kernel->splits) g_array_append_val(columns, column);
  }
  g_array_append_val(columns, chosen);
  g_array_append_val(columns, cublas);
  return columns;
}

static void print(const TgResults *results, TgPage *page) {
  g_autoptr(GArray) columns = columns_new();
  const TgColumn *first = (const TgColumn *)(void *)columns->data;
  tg_page_where(page, results);
  print_paper(page, results, 1, 8);
  print_paper(page, results, 2, 16);
  tg_page_add(page, "\nLarger matrices: medians, on the GPU for the kernel alone\n");
  tg_page_grid(page, results, first, columns->len, TG_SHOW_TIME);
  tg_page_add(page, "\nGflop/s\n");
  tg_page_grid(page, results, first, columns->len, TG_SHOW_FLOPS);
  tg_page_add(page, "\n");
  if (results->environment.has_device)
    tg_page_paragraph(
        page, 2,
        "kernel: on the device, between two events around one launch that has been started before; call to end: on the "
        "host, from the call until the device is done; operands in, result out: from and to ordinary memory. For "
        "kernels that add atomically, the time includes zeroing C. chosen: the division into blocks and threads that "
        "bench division stored as the best for this card, otherwise that of its rule.");
  tg_page_remarks(page, results);
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  static const char rows[] = "n, rows of the matrices";
  const TgResults *results = measured;
  g_autoptr(GArray) columns = columns_new();
  g_autoptr(TgChart) chart = tg_results_chart(results, "O'Neil's kernels on larger matrices");
  const TgColumn *first = (const TgColumn *)(void *)columns->data;
  tg_panel_columns(tg_chart_panel(chart, "kernel", rows, "time, s"), results, first, columns->len, TG_SHOW_TIME);
  tg_panel_columns(tg_chart_panel(chart, "with launch and transfers", rows, "time, s"), results, first, columns->len,
                   TG_SHOW_WHOLE);
  tg_panel_columns(tg_chart_panel(chart, "kernel", rows, "flop/s"), results, first, columns->len, TG_SHOW_FLOPS);
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

static const double budget_s = 20; /* of trials, a kernel and size */

static const int64_t usual_sizes[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

/* The paper's kernels between the CPU and the vendor's library. What a launch alone takes is measured once. */
static GArray *methods_new(void) {
  const TgMethod cpu = {.name = "cpu", .cpu = tg_host_product}, cublas = {.name = "cublas", .kernel = "cublas"};
  GArray *methods = tg_suite_paper_methods(&tg_historic_oneil);
  for (guint i = 0; i < methods->len; i++) {
    TgMethod *method = &g_array_index(methods, TgMethod, i);
    if (tg_historic_find(method->historic)->kind == TG_HISTORIC_NOTHING) method->most = 8;
  }
  g_array_prepend_val(methods, cpu);
  g_array_append_val(methods, cublas);
  return methods;
}

/* One method more: the division that bench division keeps as the best of this card, or that its rule chooses. */
static bool add_chosen(TgSuite *suite, GArray *methods, const TgSuiteSize *size, GError **error) {
  const TgHistoricType type = tg_number_historic(size->number);
  const TgDevice *device = &suite->results->environment.device;
  TgDivision division = {0};
  TgDivisionCost cost;
  if (!suite->on_device) return true;
  if (!suite->options->no_cache && !tg_division_find(device, type, size->n, &division, error)) return false;
  const bool kept = division.kernel != NULL;
  if (!kept && !tg_division_choose(device, type, size->n, size->n, size->n, &division, &cost)) return true;
  const TgMethod method = {
      .name = "chosen", .historic = division.kernel->name, .width = division.width, .split = division.split};
  g_array_append_val(methods, method);
  tg_results_note(suite->results, "chosen at %" PRId64 ": %s, width %d, split %d, %s", size->n, division.kernel->name,
                  division.width, division.split, kept ? "found by an earlier sweep" : "by the rule");
  return true;
}

static bool measure_size(TgSuite *suite, GArray *methods, const TgSuiteSize *size, GError **error) {
  const guint count = methods->len;
  if (!add_chosen(suite, methods, size, error)) return false;
  suite->methods = (const TgMethod *)(void *)methods->data;
  suite->method_count = methods->len;
  const bool fine = tg_suite_measure(suite, size, error);
  g_array_set_size(methods, count);
  return fine;
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  static const TgSuitePlan plan = {"oneil", TG_NUMBER_I32, usual_sizes, G_N_ELEMENTS(usual_sizes), 128, 0, budget_s};
  const TgMethod chosen = {.name = "chosen"};
  g_autoptr(GArray) methods = methods_new();
  TgSuite suite;
  g_array_append_val(methods, chosen); /* its name, for --kernels */
  if (!tg_suite_begin(&suite, &plan, options, (const TgMethod *)(void *)methods->data, methods->len, error))
    return NULL;
  bool fine = true;
  g_array_set_size(methods, methods->len - 1);
  suite.paper = &tg_historic_oneil;
  suite.total = (int64_t)suite.sizes->len * 6;
  for (guint s = 0; fine && s < suite.sizes->len; s++) {
    const int64_t n = g_array_index(suite.sizes, int64_t, s);
    fine = measure_size(&suite, methods, &(TgSuiteSize){TG_HISTORIC_PRODUCT, suite.number, n, n, n}, error);
  }
  return tg_suite_finish(&suite, fine);
}

const TgExperiment tg_experiment_oneil = {
    .name = "oneil",
    .summary = "a paper's two algorithms in shared memory, also for larger matrices",
    .details =
        "The kernels of T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication, at 8x8 and 16x16 with "
        "its Tables 1 and 2, and up to 32768: as many trials as fit in 20 s, at least 3; kernel, launch and transfers "
        "separately. Sizes that would take over 60 s per trial are skipped and named. --type f32 or i32.",
    .paper = "T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication",
    .takes_cpu_only = true,
    .measure = measure,
    .print = print,
    .plot = plot,
};
