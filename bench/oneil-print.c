/* What bench oneil says: the paper's tables with ours beside them, and their continuation. */
#include "oneil.h"

#include "results-print.h"

#include <inttypes.h>
#include <math.h>

/* --- the paper's tables ------------------------------------------------------------------------------------------- */

/* A row of the paper: how it names the method. */
typedef struct TgOneilRow {
  const char *algorithm, *method;
  int32_t width;
} TgOneilRow;

static const TgOneilRow first[] = {
    {"Cannon", "oneil-cannon", 0},
    {"DNS, 8x8x8 block, as printed", "oneil-dns-cube-as-printed", 0},
    {"DNS, 8x8x8 block, corrected", "oneil-dns-cube-corrected", 0},
    {"DNS, 8 8x8 blocks", "oneil-dns-planes", 8},
    {"DNS, 16 4x8 blocks", "oneil-dns-planes", 4},
    {"DNS, 32 2x8 blocks", "oneil-dns-planes", 2},
    {"a kernel without work", "oneil-nothing", 0},
};
static const TgOneilRow second[] = {
    {"Cannon", "oneil-cannon-tiles", 0},
    {"DNS, 8x8x8 block", "oneil-dns-cube-tiles", 0},
    {"DNS, 8x8x8 block, no bank twice", "oneil-dns-cube-tiles-banks", 0},
    {"DNS, 8 8x8 blocks", "oneil-dns-planes-tiles", 0},
};

static void add_us(TgTable *table, double seconds) {
  tg_table_add(table, isnan(seconds) ? "-" : "%.1f", seconds * 1e6);
}

static void add_time(TgTable *table, const char *algorithm, const char *what, const TgMeasurement *time) {
  if (!time->trials) return;
  tg_table_add(table, "%s", algorithm);
  tg_table_add(table, "%s", what);
  tg_table_add(table, "%d", time->trials);
  add_us(table, time->min_s);
  add_us(table, time->max_s);
  add_us(table, time->mean_s);
  tg_table_add(table, "%.2f", time->stddev_s * 1e6);
  add_us(table, time->median_s);
}

/* The sum of the medians: what a program would take that brings the operands, starts the kernel and takes the result.
 */
static void add_whole(TgTable *table, const TgResult *row) {
  const double whole_s = tg_result_whole_s(row);
  if (isnan(whole_s)) return;
  for (int c = 0; c < 7; c++) tg_table_add(table, "%s", c == 1 ? "with transfers" : "");
  add_us(table, whole_s);
}

static void print_paper(const TgResults *results, int number, int64_t n, const TgOneilRow *rows, size_t count,
                        TgPage *page) {
  static const char *const heads[] = {"algorithm", "times in us", "trials", "min", "max", "avg", "std", "median"};
  bool any = false;
  for (size_t r = 0; r < count; r++) any = any || tg_results_square(results, rows[r].method, rows[r].width, n);
  if (!any) return;
  tg_page_add(page, "\nTable %d: %" PRId64 "x%" PRId64 "\n", number, n, n);
  TgTable *table = tg_page_table(page, "llrrrrrr", 2, heads);
  for (size_t r = 0; r < count; r++) {
    const TgResult *row = tg_results_square(results, rows[r].method, rows[r].width, n);
    if (!row) continue;
    if (row->has_paper) add_time(table, rows[r].algorithm, "paper, Tesla C2070", &row->paper);
    add_time(table, row->has_paper ? "" : rows[r].algorithm, "kernel", &row->kernel);
    add_time(table, "", "call to end", &row->call);
    add_time(table, "", "operands in", &row->in);
    add_time(table, "", "result out", &row->out);
    if (row->bytes > 0) add_whole(table, row);
  }
}

/* --- larger matrices ---------------------------------------------------------------------------------------------- */

static const TgColumn columns[] = {{"cpu", "cpu", 0},
                                   {"Cannon", "oneil-cannon-tiles", 0},
                                   {"DNS 8x8x8", "oneil-dns-cube-tiles", 0},
                                   {"no bank twice", "oneil-dns-cube-tiles-banks", 0},
                                   {"DNS 8x8", "oneil-dns-planes-tiles", 0},
                                   {"cublas", "cublas", 0}};

void tg_oneil_print(const void *measured, TgPage *page) {
  const TgResults *results = measured;
  tg_page_where(page, results);
  print_paper(results, 1, 8, first, G_N_ELEMENTS(first), page);
  print_paper(results, 2, 16, second, G_N_ELEMENTS(second), page);
  tg_page_add(page, "\nLarger matrices: medians, on the GPU of the kernel\n");
  tg_page_grid(page, results, columns, G_N_ELEMENTS(columns), TG_SHOW_TIME);
  tg_page_add(page, "\nGflop/s\n");
  tg_page_grid(page, results, columns, G_N_ELEMENTS(columns), TG_SHOW_FLOPS);
  tg_page_add(page, "\n");
  if (results->environment.has_device)
    tg_page_paragraph(
        page, 2,
        "kernel: on the device, between two events around one launch; call to end: on the host, from the "
        "call until the device is done; operands in, result out: from and to ordinary memory. The kernels "
        "that add atomically have C zeroed within their time.");
  tg_page_remarks(page, results);
}

/* --- a plot ------------------------------------------------------------------------------------------------------- */

char *tg_oneil_plot(const void *measured, const TgPlotFormat *format, const char *output) {
  const TgResults *results = measured;
  g_autofree char *where = tg_environment_text(&results->environment);
  g_autoptr(TgChart) chart = tg_chart_new("Cannon and DNS in shared memory (O'Neil)", where);
  static const char rows[] = "n, rows of the matrices";
  TgPanel *time = tg_chart_panel(chart, "kernel", rows, "time, s");
  TgPanel *whole = tg_chart_panel(chart, "with launch and transfers", rows, "time, s");
  TgPanel *speed = tg_chart_panel(chart, "kernel", rows, "flop/s");
  tg_panel_columns(time, results, columns, G_N_ELEMENTS(columns), TG_SHOW_TIME);
  tg_panel_columns(whole, results, columns, G_N_ELEMENTS(columns), TG_SHOW_WHOLE);
  tg_panel_columns(speed, results, columns, G_N_ELEMENTS(columns), TG_SHOW_FLOPS);
  return tg_chart_script(chart, format, output);
}
