/* bench essay. The essay's figures are lost with its graphs; its claims in words are compared with ours. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host-methods.h"
#include "results-print.h"
#include "suite.h"

enum { WIDTH = 16 }; /* of most of the essay's graphs */

static const TgColumn columns[] = {{"cpu", "cpu", 0},
                                   {"naive", "essay-naive", WIDTH},
                                   {"tiled", "essay-tiled", WIDTH},
                                   {"coalesced", "essay-coalesced", WIDTH},
                                   {"no conflicts", "essay-no-conflicts", WIDTH},
                                   {"outer", "essay-outer", WIDTH},
                                   {"prefetch", "essay-prefetch", WIDTH},
                                   {"cublas", "cublas", 0}};

/* --- widths ------------------------------------------------------------------------------------------------------- */

static int64_t largest(const TgResults *results) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  return sizes->len ? g_array_index(sizes, int64_t, sizes->len - 1) : 0;
}

static void print_widths(TgPage *page, const TgResults *results) {
  static const char *const heads[] = {"kernel", "4x4", "8x8", "16x16", "32x32"};
  static const int32_t widths[] = {4, 8, 16, 32};
  const int64_t n = largest(results);
  if (!results->environment.has_device) return;
  tg_page_add(page, "\nBlocks, at n = %" PRId64 ": Gflop/s of the kernel\n", n);
  TgTable *table = tg_page_table(page, "lrrrr", 2, heads);
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
    if (columns[c].width == 0) continue;
    tg_table_add(table, "%s", columns[c].head);
    for (gsize w = 0; w < G_N_ELEMENTS(widths); w++) {
      const TgResult *row = tg_results_square(results, columns[c].method, widths[w], n);
      tg_page_number(table, "%.4g", tg_result_shown(row, TG_SHOW_FLOPS) * 1e-9);
    }
  }
}

/* --- the essay's claims ------------------------------------------------------------------------------------------- */

/* TG_SHOW_WHOLE: with launch and transfers, the transposition of B too. */
static const TgRatio claims[] = {
    {"the GPU is faster than the CPU", "cpu", 0, "essay-naive", WIDTH, TG_SHOW_TIME},
    {"…, except for small matrices (transfers)", "cpu", 0, "essay-naive", WIDTH, TG_SHOW_WHOLE},
    {"tiled is faster than naive", "essay-naive", WIDTH, "essay-tiled", WIDTH, TG_SHOW_TIME},
    {"coalesced is faster than tiled", "essay-tiled", WIDTH, "essay-coalesced", WIDTH, TG_SHOW_TIME},
    {"…, counting the CPU's transposition of B", "essay-tiled", WIDTH, "essay-coalesced", WIDTH, TG_SHOW_WHOLE},
    {"without bank conflicts it is faster still", "essay-coalesced", WIDTH, "essay-no-conflicts", WIDTH, TG_SHOW_TIME},
    {"the outer product is more useful work", "essay-no-conflicts", WIDTH, "essay-outer", WIDTH, TG_SHOW_TIME},
    {"prefetching and unrolling improve on it", "essay-outer", WIDTH, "essay-prefetch", WIDTH, TG_SHOW_TIME},
    {"cuBLAS is better than all of these", "essay-prefetch", WIDTH, "cublas", 0, TG_SHOW_TIME},
};

static void print_claims(TgPage *page, const TgResults *results) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  if (!results->environment.has_device) return;
  tg_page_add(page, "\nSpeedup measured here, at n, blocks of %dx%d\n", WIDTH, WIDTH);
  TgTable *table = tg_page_wide_table(page, 'l', "claim of the essay", sizes->len);
  for (guint s = 0; s < sizes->len; s++) tg_table_add(table, "%" PRId64, g_array_index(sizes, int64_t, s));
  for (gsize c = 0; c < G_N_ELEMENTS(claims); c++) {
    tg_table_add(table, "%s", claims[c].head);
    for (guint s = 0; s < sizes->len; s++)
      tg_page_number(table, "%.3g", tg_results_ratio(results, &claims[c], g_array_index(sizes, int64_t, s)));
  }
}

/* The essay's one number: a quarter of an operation a byte. */
static void print_intensity(TgPage *page, const TgResults *results) {
  const TgResult *naive = tg_results_square(results, "essay-naive", WIDTH, largest(results));
  const TgResult *tiled = tg_results_square(results, "essay-tiled", WIDTH, largest(results));
  if (!naive || !tiled) return;
  tg_page_paragraph(page, 2,
                    "operations per byte requested from memory: naive %.3g (the essay: 1/4), tiled %.3g; operands come "
                    "from a cache more often than not",
                    naive->flops / naive->asked_bytes, tiled->flops / tiled->asked_bytes);
}

/* --- matrices that are not square --------------------------------------------------------------------------------- */

static const TgColumn oblong_columns[] = {
    {"cpu", "cpu", 0}, {"naive", "essay-naive", WIDTH}, {"prefetch", "essay-prefetch", WIDTH}, {"cublas", "cublas", 0}};

static bool is_oblong(const TgResult *row) {
  return row->m != row->n || row->n != row->k;
}

static void print_oblongs(TgPage *page, const TgResults *results) {
  static const char *const heads[] = {"m x n x k", "cpu", "naive", "prefetch", "cublas", "cublas, Gflop/s"};
  TgTable *table = NULL;
  const TgResult *before = NULL;
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (!is_oblong(row) || (before && row->m == before->m && row->n == before->n && row->k == before->k)) continue;
    before = row;
    if (!table) tg_page_add(page, "\nRectangular: medians, on the GPU for the kernel alone\n");
    if (!table) table = tg_page_table(page, "lrrrrr", 2, heads);
    tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, row->m, row->n, row->k);
    for (gsize c = 0; c < G_N_ELEMENTS(oblong_columns); c++) {
      const TgColumn *column = &oblong_columns[c];
      const TgResult *one = tg_results_find(results, column->method, column->width, row->m, row->n, row->k);
      tg_table_add_time(table, tg_result_time_s(one));
    }
    const TgResult *cublas = tg_results_find(results, "cublas", 0, row->m, row->n, row->k);
    tg_page_number(table, "%.4g", tg_result_shown(cublas, TG_SHOW_FLOPS) * 1e-9);
  }
}

static void print(const TgResults *results, TgPage *page) {
  tg_page_where(page, results);
  tg_page_add(page, "\nSquare, f32, blocks of %dx%d: medians, on the GPU for the kernel alone\n", WIDTH, WIDTH);
  tg_page_grid(page, results, columns, G_N_ELEMENTS(columns), TG_SHOW_TIME);
  if (results->environment.has_device) {
    tg_page_add(page, "\nWith launch, transfers and the CPU's preparation\n");
    tg_page_grid(page, results, columns, G_N_ELEMENTS(columns), TG_SHOW_WHOLE);
    tg_page_add(page, "\nSpeedup of the kernel over the CPU\n");
    tg_page_ratios(page, results, columns, G_N_ELEMENTS(columns));
  }
  print_widths(page, results);
  print_claims(page, results);
  print_intensity(page, results);
  print_oblongs(page, results);
  tg_page_add(page, "\n");
  tg_page_remarks(page, results);
}

/* --- a plot a comparison ------------------------------------------------------------------------------------------ */

static const struct {
  const char *title;
  int count;
  int columns[4]; /* of the table above */
} panels[] = {{"CPU and naive", 2, {0, 1}},           {"naive and tiled", 2, {1, 2}},
              {"tiled and coalesced", 2, {2, 3}},     {"coalesced, without bank conflicts", 2, {3, 4}},
              {"inner and outer product", 2, {4, 5}}, {"outer product and prefetching", 2, {5, 6}},
              {"cuBLAS, square", 4, {0, 1, 6, 7}}};

static void plot_oblongs(TgPanel *panel, const TgResults *results) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (!is_oblong(row)) continue;
    for (gsize c = 0; c < G_N_ELEMENTS(oblong_columns); c++)
      if (strcmp(row->method, oblong_columns[c].method) == 0)
        tg_panel_point(panel, oblong_columns[c].head, cbrt((double)row->m * (double)row->n * (double)row->k),
                       tg_result_time_s(row));
  }
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  static const char rows[] = "n, rows of the matrices", time[] = "time, s";
  static const TgColumn tiled[] = {
      {"4x4", "essay-tiled", 4}, {"8x8", "essay-tiled", 8}, {"16x16", "essay-tiled", 16}, {"32x32", "essay-tiled", 32}};
  const TgResults *results = measured;
  g_autoptr(TgChart) chart = tg_results_chart(results, "Matrix multiplication, an essay's steps");
  for (gsize p = 0; p < G_N_ELEMENTS(panels); p++) {
    TgPanel *panel = tg_chart_panel(chart, panels[p].title, rows, time);
    for (int c = 0; c < panels[p].count; c++)
      tg_panel_columns(panel, results, &columns[panels[p].columns[c]], 1, TG_SHOW_TIME);
  }
  plot_oblongs(tg_chart_panel(chart, "cuBLAS, rectangular", "third root of m n k", time), results);
  TgPanel *widths = tg_chart_panel(chart, "tiled, by the width of its blocks", rows, time);
  tg_panel_columns(widths, results, tiled, G_N_ELEMENTS(tiled), TG_SHOW_TIME);
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

static const double budget_s = 1; /* of trials, a kernel and size */

#define WIDTHS(NAME)                                                                                                   \
  {.name = NAME, .historic = NAME, .width = 4}, {.name = NAME, .historic = NAME, .width = 8},                          \
      {.name = NAME, .historic = NAME, .width = 16}, {                                                                 \
    .name = NAME, .historic = NAME, .width = 32                                                                        \
  }

static const TgMethod methods[] = {
    {.name = "cpu", .cpu = tg_host_product},
    WIDTHS("essay-naive"),
    WIDTHS("essay-tiled"),
    WIDTHS("essay-coalesced"),
    WIDTHS("essay-no-conflicts"),
    WIDTHS("essay-outer"),
    WIDTHS("essay-prefetch"),
    {.name = "cublas", .kernel = "cublas"},
};
static const int64_t usual_sizes[] = {16, 32, 64, 128, 256, 512, 1024};

/* Where no matrix is square: what the essay plots of cuBLAS, with what it is compared with. */
static const TgMethod oblong_methods[] = {
    {.name = "cpu", .cpu = tg_host_product},
    {.name = "essay-naive", .historic = "essay-naive", .width = 16},
    {.name = "essay-prefetch", .historic = "essay-prefetch", .width = 16},
    {.name = "cublas", .kernel = "cublas"},
};
static const int64_t oblongs[][3] = {{32, 16, 64},    {64, 32, 128},    {128, 64, 256},
                                     {256, 128, 512}, {512, 256, 1024}, {1000, 37, 513}};

static bool measure_oblongs(TgSuite *suite, GError **error) {
  suite->methods = oblong_methods;
  suite->method_count = G_N_ELEMENTS(oblong_methods);
  for (gsize s = 0; s < G_N_ELEMENTS(oblongs); s++) {
    const TgSuiteSize size = {TG_HISTORIC_PRODUCT, TG_NUMBER_F32, oblongs[s][0], oblongs[s][1], oblongs[s][2]};
    const bool small = oblongs[s][0] <= 128;
    if ((small || !suite->options->quick) && !tg_suite_measure(suite, &size, error)) return false;
  }
  return true;
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  static const TgSuitePlan plan = {"essay", TG_NUMBER_F32, usual_sizes, G_N_ELEMENTS(usual_sizes), 128, 0, budget_s};
  TgSuite suite;
  if (!tg_suite_begin(&suite, &plan, options, methods, G_N_ELEMENTS(methods), error)) return NULL;
  suite.total = (int64_t)suite.sizes->len * (suite.on_device ? (int64_t)G_N_ELEMENTS(methods) : 1);
  bool fine = tg_suite_measure_squares(&suite, TG_HISTORIC_PRODUCT, error) &&
              (options->size_count || measure_oblongs(&suite, error));
  return tg_suite_finish(&suite, fine);
}

const TgExperiment tg_experiment_essay = {
    .name = "essay",
    .summary = "the products of an essay, from naive to cuBLAS",
    .details =
        "The kernels of the Computer Science Essay `Investigation of Matrix Multiplication`: naive, tiled, coalesced, "
        "without bank conflicts, outer product, prefetch, cuBLAS and the CPU, in f32, for n = 16 to 1024 and "
        "rectangular matrices, in blocks of 4x4 to 32x32. The CPU's transposition of B is timed separately.",
    .paper = "Investigation of Matrix Multiplication, Computer Science Essay",
    .takes_cpu_only = true,
    .measure = measure,
    .print = print,
    .plot = plot,
};
