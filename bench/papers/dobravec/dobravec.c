/* bench dobravec: the paper's tables next to ours. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host-programs.h"
#include "historic.h"
#include "results-print.h"
#include "suite.h"

enum { STEP = 8, TABLE_2_N = 512, MOST_ROWS = 10 };

/* --- Table 1 ------------------------------------------------------------------------------------------------------ */

static const TgColumn columns[] = {{"MulH", "matrixMulH", 0},
                                   {"MulDG", "dobravec-global-corrected", 8},
                                   {"MulDS", "dobravec-shared-corrected", 8},
                                   {"MulDG 16x16", "dobravec-global-corrected", 16},
                                   {"MulDS 16x16", "dobravec-shared-corrected", 16},
                                   {"cublas", "cublas", 0}};
enum { COLUMNS = G_N_ELEMENTS(columns), IN_PAPER = 3 };

static const TgResult *row_of(const TgResults *results, int c, int64_t n) {
  return tg_results_square(results, columns[c].method, columns[c].width, n);
}

static void add_ms(TgTable *table, double seconds) {
  tg_page_number(table, "%.4g", seconds * 1e3);
}

/* What the paper's table has; NaN where nothing. */
static double paper_s(int32_t table, const char *title, int64_t n, int32_t width) {
  for (size_t f = 0; f < tg_historic_dobravec.figure_count; f++) {
    const TgHistoricFigure *figure = &tg_historic_dobravec.figures[f];
    if (figure->table == table && figure->n == n && figure->width == width && strcmp(figure->title, title) == 0)
      return figure->mean_us * 1e-6;
  }
  return NAN;
}

static double paper_1_s(int c, int64_t n) {
  return c < IN_PAPER ? paper_s(1, columns[c].head, n, columns[c].width) : NAN;
}

/* The paper's sizes, every tenth; of others as many rows as fit a page. */
static bool is_shown(const GArray *sizes, guint s) {
  const int64_t n = g_array_index(sizes, int64_t, s);
  return sizes->len <= MOST_ROWS || n % (10 * STEP) == 0;
}

static void print_times(const TgResults *results, const GArray *sizes, TgPage *page) {
  static const char *const heads[] = {"n",     "size", "MulH",        "here",        "MulDG", "here",
                                      "MulDS", "here", "MulDG 16x16", "MulDS 16x16", "cublas"};
  tg_page_add(page, "\nTable 1: ms, in blocks of 8x8 unless noted otherwise; kernels without transfers\n");
  TgTable *table = tg_page_table(page, "rrrrrrrrrrr", 2, heads);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    if (!is_shown(sizes, s)) continue;
    tg_table_add(table, n % STEP ? "-" : "%" PRId64, n / STEP);
    tg_table_add(table, "%" PRId64, n);
    for (int c = 0; c < COLUMNS; c++) {
      if (c < IN_PAPER) add_ms(table, paper_1_s(c, n));
      add_ms(table, tg_result_time_s(row_of(results, c, n)));
    }
  }
}

static void add_ratio(TgTable *table, double of, double to) {
  tg_page_number(table, "%.2f", of / to);
}

/* What the paper concludes from: how many times faster. */
static void print_ratios(const TgResults *results, const GArray *sizes, TgPage *page) {
  static const char *const heads[] = {"size",           "MulH/MulDG",  "here", "MulH/MulDS", "here",
                                      "with transfers", "MulDG/MulDS", "here", "16x16"};
  tg_page_add(page, "\nRatios of times, in the paper and here\n");
  TgTable *table = tg_page_table(page, "rrrrrrrrr", 2, heads);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    if (!is_shown(sizes, s)) continue;
    const TgResult *of[COLUMNS];
    double here_s[COLUMNS], there_s[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
      of[c] = row_of(results, c, n);
      here_s[c] = tg_result_time_s(of[c]);
      there_s[c] = paper_1_s(c, n);
    }
    tg_table_add(table, "%" PRId64, n);
    add_ratio(table, there_s[0], there_s[1]);
    add_ratio(table, here_s[0], here_s[1]);
    add_ratio(table, there_s[0], there_s[2]);
    add_ratio(table, here_s[0], here_s[2]);
    add_ratio(table, here_s[0], tg_result_whole_s(of[2]));
    add_ratio(table, there_s[1], there_s[2]);
    add_ratio(table, here_s[1], here_s[2]);
    add_ratio(table, here_s[3], here_s[4]);
  }
}

/* --- Table 2 ------------------------------------------------------------------------------------------------------ */

/* Free with g_free(). */
static char *in_ms(const TgResult *row) {
  const double time_s = tg_result_time_s(row);
  return isnan(time_s) ? g_strdup("not measured") : g_strdup_printf("%.4g ms", time_s * 1e3);
}

static void print_threads(const TgResults *results, TgPage *page) {
  static const char *const heads[] = {"threads", "paper, ms", "here, ms", "times 256 threads, paper", "here"};
  static const char method[] = "dobravec-shared-run-time";
  const TgResult *most = tg_results_square(results, method, 16, TABLE_2_N);
  const TgResult *fixed = tg_results_square(results, "dobravec-shared-corrected", 16, TABLE_2_N);
  const TgResult *host = tg_results_square(results, "matrixMulH", 0, TABLE_2_N);
  if (!most) return;
  tg_page_add(page, "\nTable 2: MulDS with shared memory sized at run time, %d\n", TABLE_2_N);
  TgTable *table = tg_page_table(page, "rrrrr", 2, heads);
  for (int32_t width = 1; width <= 16; width *= 2) {
    const TgResult *row = tg_results_square(results, method, width, TABLE_2_N);
    if (!row) continue;
    tg_table_add(table, "%d", width * width);
    const double there_s = paper_s(2, "MulDS", TABLE_2_N, width);
    add_ms(table, there_s);
    add_ms(table, tg_result_time_s(row));
    add_ratio(table, there_s, paper_s(2, "MulDS", TABLE_2_N, 16));
    add_ratio(table, tg_result_time_s(row), tg_result_time_s(most));
  }
  g_autofree char *here = in_ms(host), *known = in_ms(fixed);
  tg_page_paragraph(page, 2, "MulH: paper %.4g ms, here %s. 256 threads with a size known at compile time: %s.",
                    paper_s(2, "MulH", TABLE_2_N, 0) * 1e3, here, known);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* Per method and width: its largest error where it is right, and where it is not, how that goes with the edges. */
typedef struct TgTally {
  const TgResult *like;
  int rows, wrong, edges; /* sizes that the width does not divide */
  double largest;
} TgTally;

static TgTally *tally_of(GArray *tallies, const TgResult *row) {
  for (guint t = 0; t < tallies->len; t++) {
    TgTally *tally = &g_array_index(tallies, TgTally, t);
    if (tally->like->width == row->width && strcmp(tally->like->method, row->method) == 0) return tally;
  }
  const TgTally fresh = {.like = row};
  g_array_append_val(tallies, fresh);
  return &g_array_index(tallies, TgTally, tallies->len - 1);
}

static GArray *tally_all(const TgResults *results) {
  GArray *tallies = g_array_new(FALSE, TRUE, sizeof(TgTally));
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (*row->left_out || !row->checked) continue;
    TgTally *tally = tally_of(tallies, row);
    tally->rows++;
    tally->wrong += !row->right;
    tally->edges += row->width && row->n % row->width != 0;
    if (row->right) tally->largest = MAX(tally->largest, row->error);
  }
  return tallies;
}

static void print_checks(const TgResults *results, TgPage *page) {
  static const char *const heads[] = {"method",        "width",           "sizes",
                                      "not multiples", "not the product", "largest error otherwise"};
  g_autoptr(GArray) tallies = tally_all(results);
  tg_page_add(page, "\nResults compared with the product in double precision: relative error, Frobenius norm\n");
  TgTable *table = tg_page_table(page, "lrrrrr", 2, heads);
  for (guint t = 0; t < tallies->len; t++) {
    const TgTally *tally = &g_array_index(tallies, TgTally, t);
    tg_table_add(table, "%s", tally->like->method);
    tg_table_add(table, tally->like->width ? "%d" : "-", tally->like->width);
    tg_table_add(table, "%d", tally->rows);
    tg_table_add(table, tally->like->width ? "%d" : "-", tally->edges);
    tg_table_add(table, "%d", tally->wrong);
    tg_table_add(table, tally->rows > tally->wrong ? "%.1e" : "-", tally->largest);
  }
}

static void print_remarks(const TgResults *results, TgPage *page) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (!*row->left_out) continue;
    g_autofree char *width = row->width ? g_strdup_printf(", width %d,", row->width) : g_strdup("");
    tg_page_paragraph(page, 2, "%s%s at %" PRId64 ": %s", row->method, width, row->n, row->left_out);
  }
  tg_page_notes(page, results);
}

static void print(const TgResults *results, TgPage *page) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  tg_page_where(page, results);
  print_times(results, sizes, page);
  if (results->environment.has_device) {
    print_ratios(results, sizes, page);
    print_threads(results, page);
  }
  print_checks(results, page);
  tg_page_add(page, "\n");
  print_remarks(results, page);
}

/* --- a plot ------------------------------------------------------------------------------------------------------- */

static void add_figure_1(const TgResults *results, TgPanel *panel) {
  tg_panel_columns(panel, results, columns, COLUMNS, TG_SHOW_TIME);
  for (size_t f = 0; f < tg_historic_dobravec.figure_count; f++) {
    const TgHistoricFigure *figure = &tg_historic_dobravec.figures[f];
    g_autofree char *name = g_strdup_printf("%s, paper", figure->title);
    if (figure->table == 1) tg_panel_point(panel, name, (double)figure->n, figure->mean_us * 1e-6);
  }
}

static void add_figure_2(const TgResults *results, TgPanel *panel) {
  const TgResult *host = tg_results_square(results, "matrixMulH", 0, TABLE_2_N);
  for (int32_t width = 1; width <= 16; width *= 2) {
    const TgResult *row = tg_results_square(results, "dobravec-shared-run-time", width, TABLE_2_N);
    if (!row) continue;
    tg_panel_point(panel, "MulDS", width * width, tg_result_time_s(row));
    tg_panel_point(panel, "MulDS, paper", width * width, paper_s(2, "MulDS", TABLE_2_N, width));
    tg_panel_point(panel, "MulH", width * width, tg_result_time_s(host));
    tg_panel_point(panel, "MulH, paper", width * width, paper_s(2, "MulH", TABLE_2_N, 0));
  }
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  const TgResults *results = measured;
  g_autoptr(TgChart) chart = tg_results_chart(results, "A simple product on the CPU and on the GPU (Dobravec, Bulić)");
  add_figure_1(results, tg_chart_panel(chart, "Fig. 1: blocks of 8x8 unless noted otherwise", "rows of the matrices",
                                       "time, s"));
  add_figure_2(results,
               tg_chart_panel(chart, "Fig. 2: 512, shared memory sized at run time", "threads of a block", "time, s"));
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

enum { STEPS = 100, QUICK_MOST = 128 };
static const double budget_s = 0.1; /* of trials, a method and size */

static void double_sum(const TgOperands *operands) {
  tg_double_sum_product(operands->host[2], operands->host[0], operands->host[1], operands->m, operands->n, operands->k,
                        operands->n);
}

#define KERNEL(NAME, WIDTH) .name = "dobravec-" NAME, .historic = "dobravec-" NAME, .width = WIDTH
#define RUN_TIME(WIDTH) KERNEL("shared-run-time", WIDTH), .least = TABLE_2_N, .most = TABLE_2_N

/* Blocks of 8 x 8 and 16 x 16, as printed from where there is one whole block; run-time widths for Table 2. */
static const TgMethod methods[] = {
    {.name = "matrixMulH", .cpu = double_sum},
    {KERNEL("global-corrected", 8)},
    {KERNEL("shared-corrected", 8)},
    {KERNEL("global-as-printed", 8), .least = 8},
    {KERNEL("shared-as-printed", 8), .least = 8},
    {KERNEL("global-corrected", 16)},
    {KERNEL("shared-corrected", 16)},
    {KERNEL("global-as-printed", 16), .least = 16},
    {KERNEL("shared-as-printed", 16), .least = 16},
    {RUN_TIME(1)},
    {RUN_TIME(2)},
    {RUN_TIME(4)},
    {RUN_TIME(8)},
    {RUN_TIME(16)},
    {.name = "cublas", .kernel = "cublas"},
};

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  int64_t usual[STEPS];
  const TgSuitePlan plan = {"dobravec", TG_NUMBER_F32, usual, STEPS, QUICK_MOST, 0, budget_s};
  TgSuite suite;
  for (int s = 0; s < STEPS; s++) usual[s] = (int64_t)STEP * (s + 1);
  if (!tg_suite_begin(&suite, &plan, options, methods, G_N_ELEMENTS(methods), error)) return NULL;
  suite.paper = &tg_historic_dobravec;
  suite.total = (int64_t)suite.sizes->len * (options->cpu_only ? 1 : 10);
  return tg_suite_finish(&suite, tg_suite_measure_squares(&suite, TG_HISTORIC_PRODUCT, error));
}

const TgExperiment tg_experiment_dobravec = {
    .name = "dobravec",
    .summary = "a simple product on the CPU and on the GPU: Tables 1 and 2, Figs. 1 and 2",
    .details =
        "The product of T. Dobravec and P. Bulić on the CPU (matrixMulH, sums in double precision), on the GPU from "
        "global memory (DG) and through shared memory (DS), for sizes 8 to 800 in steps of 8, in blocks of 8x8 and "
        "16x16, as printed and corrected; and DS with shared memory sized at run time for n = 512, in blocks of 1 to "
        "256 threads. Includes the paper's figures. For its host anomaly, see `bench host-anomaly`.",
    .paper = "T. Dobravec, P. Bulić, Comparing CPU and GPU Implementations of a Simple Matrix Multiplication Algorithm",
    .takes_cpu_only = true,
    .measure = measure,
    .print = print,
    .plot = plot,
};
