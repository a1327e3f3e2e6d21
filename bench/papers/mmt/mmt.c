/* bench mmt: speeds by width and size, the paper's figures, its checks. */
#include "mmt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host-programs.h"
#include "results-print.h"
#include "suite.h"

static const int32_t widths[] = {4, 8, 16, 32};
enum { WIDTHS = G_N_ELEMENTS(widths) };

/* --- speeds ------------------------------------------------------------------------------------------------------- */

static void add_speed(TgTable *table, double flops, double time_s) {
  const double speed = flops / time_s * 1e-9;
  tg_table_add(table, isnan(speed) ? "-" : "%.*f", speed < 100 ? 1 : 0, speed);
}

/* The fastest width of a kernel at a size, without transfers; NULL where it was not measured. */
static const TgResult *best_of(const TgResults *results, const char *kernel, int64_t d) {
  const TgResult *best = NULL;
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (row->n != d || *row->left_out || strcmp(row->method, kernel) != 0) continue;
    if (!best || tg_result_time_s(row) < tg_result_time_s(best)) best = row;
  }
  return best;
}

static void add_kernel(TgTable *table, const TgResults *results, const TgResult *best) {
  const char *kernel = best->method;
  const int64_t d = best->n;
  const double cublas_s = tg_result_time_s(tg_results_square(results, "mmt-cublas-corrected", 0, d));
  tg_table_add(table, "%s", kernel + strlen("mmt-"));
  for (int w = 0; w < WIDTHS; w++) {
    const TgResult *row = best->width ? tg_results_square(results, kernel, widths[w], d) : w == 0 ? best : NULL;
    add_speed(table, best->flops, tg_result_time_s(row));
  }
  tg_table_add(table, best->width ? "%d" : "-", best->width);
  add_speed(table, best->flops, tg_result_whole_s(best));
  add_speed(table, best->executed_flops, tg_result_time_s(best));
  tg_page_number(table, "%.3f", cublas_s / tg_result_time_s(best));
  tg_table_add(table, isnan(best->error) ? "NaN" : "%.1e", best->error);
  tg_table_add(table, "%s", best->right ? "" : best->printed ? "not M * M'" : "WRONG");
}

static void print_speeds(const TgResults *results, int64_t d, TgPage *page) {
  static const char *const heads[] = {"version",        "4",        "8",         "16",    "32", "best",
                                      "with transfers", "executed", "of cublas", "error", ""};
  TgTable *table = NULL;
  for (size_t k = 0; k < tg_historic_mmt.count; k++) {
    const TgResult *best = best_of(results, tg_historic_mmt.kernels[k].name, d);
    if (!best) continue;
    if (!table) tg_page_add(page, "\nd = %" PRId64 ": Gflop/s for 2d^3 operations, by block width\n", d);
    if (!table) table = tg_page_table(page, "lrrrrrrrrrl", 2, heads);
    add_kernel(table, results, best);
  }
}

static void print_sequential(const TgResults *results, const GArray *sizes, TgPage *page) {
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t d = g_array_index(sizes, int64_t, s);
    const TgResult *row = tg_results_square(results, "sequential", 0, d);
    if (row)
      tg_page_add(page, "the sequential program, d = %" PRId64 ": %.2f Gflop/s\n", d,
                  tg_result_shown(row, TG_SHOW_FLOPS) * 1e-9);
  }
}

/* The paper compares its versions in section 3, in blocks of 8. */
static const TgColumn compared[] = {{"v001", "mmt-v001", 8},           {"v004", "mmt-v004-corrected", 8},
                                    {"v006", "mmt-v006-corrected", 8}, {"v008", "mmt-v008-corrected", 8},
                                    {"v009", "mmt-v009-corrected", 8}, {"cublas", "mmt-cublas-corrected", 0}};

static void print_compared(const TgResults *results, TgPage *page) {
  tg_page_add(page, "\nIn blocks of 8, corrected, without transfers: Gflop/s for 2d^3 operations\n");
  tg_page_grid(page, results, compared, G_N_ELEMENTS(compared), TG_SHOW_FLOPS);
  tg_page_add(page, "\nThe same with transfers\n");
  tg_page_grid(page, results, compared, G_N_ELEMENTS(compared), TG_SHOW_WHOLE_FLOPS);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static const TgMmtSanity *sanity_of(const TgMmt *mmt, const char *kernel, int64_t d) {
  for (guint s = 0; s < mmt->sanity->len; s++) {
    const TgMmtSanity *row = &g_array_index(mmt->sanity, TgMmtSanity, s);
    if (row->d == d && strcmp(row->kernel, kernel) == 0) return row;
  }
  return NULL;
}

static bool any_sanity(const TgMmt *mmt, const char *kernel) {
  for (guint s = 0; s < mmt->sanity->len; s++)
    if (strcmp(g_array_index(mmt->sanity, TgMmtSanity, s).kernel, kernel) == 0) return true;
  return false;
}

/* The paper's columns: 0, which it does not explain, is taken to be cuBLAS. */
static const struct {
  const char *head, *kernel;
} columns[] = {{"0", "mmt-cublas-as-printed"}, {"1", "mmt-v001"},
               {"5", "mmt-v005-as-printed"},   {"6", "mmt-v006-as-printed"},
               {"8", "mmt-v008-as-printed"},   {"9", "mmt-v009-as-printed"}};
enum { COLUMNS = G_N_ELEMENTS(columns) };

static void print_differences(const TgMmt *mmt, TgPage *page) {
  size_t count;
  const int64_t *sizes = tg_mmt_sanity_sizes(&count);
  tg_page_add(
      page,
      "\nDifferences from the sequential program, without the root, by version: the paper's, and as printed here\n");
  TgTable *table = tg_page_wide_table(page, 'r', "d", 2 * COLUMNS);
  for (int c = 0; c < COLUMNS; c++) {
    tg_table_add(table, "%s", columns[c].head);
    tg_table_add(table, "here");
  }
  for (size_t s = 0; s < count; s++) {
    if (!sanity_of(mmt, "mmt-v001", sizes[s])) continue;
    tg_table_add(table, "%" PRId64, sizes[s]);
    for (int c = 0; c < COLUMNS; c++) {
      const TgMmtSanity *row = sanity_of(mmt, columns[c].kernel, sizes[s]);
      tg_page_number(table, "%.3f", row ? row->paper : NAN);
      tg_table_add(table, row ? "%.2g" : "-", row ? (double)row->l2_printed : NAN);
    }
  }
}

static void print_wrong(const TgMmt *mmt, TgPage *page) {
  size_t count;
  const int64_t *sizes = tg_mmt_sanity_sizes(&count);
  tg_page_add(page, "\nWrong elements with integers, in blocks of 8, by d\n");
  TgTable *table = tg_page_wide_table(page, 'l', "version", (guint)count);
  for (size_t s = 0; s < count; s++) tg_table_add(table, "%" PRId64, sizes[s]);
  for (size_t k = 0; k < tg_historic_mmt.count; k++) {
    const char *kernel = tg_historic_mmt.kernels[k].name;
    if (!any_sanity(mmt, kernel)) continue;
    tg_table_add(table, "%s", kernel + strlen("mmt-"));
    for (size_t s = 0; s < count; s++) {
      const TgMmtSanity *row = sanity_of(mmt, kernel, sizes[s]);
      tg_table_add(table, row ? "%" PRId64 : "-", row ? row->wrong : 0);
    }
  }
}

static void print_matrix(TgPage *page, const char *title, const float *x) {
  tg_page_add(page, "\n%s\n", title);
  for (int i = 0; i < TG_MMT_DUMP; i++) {
    g_autoptr(GString) line = g_string_new(" ");
    for (int j = 0; j < TG_MMT_DUMP; j++) g_string_append_printf(line, " %6.0f", (double)x[i * TG_MMT_DUMP + j]);
    tg_page_add(page, "%s\n", line->str);
  }
}

static void print_example(const TgMmt *mmt, bool has_gpu, TgPage *page) {
  float m[TG_MMT_DUMP * TG_MMT_DUMP];
  tg_mmt_count_up(m, TG_MMT_DUMP);
  print_matrix(page, "The paper's example: M", m);
  if (has_gpu) print_matrix(page, "M * M' from the GPU, by v006", mmt->from_gpu);
  print_matrix(page, "M * M' from the sequential program", mmt->from_cpu);
}

static bool is_left_out(const TgResults *results, guint r, const TgResult *like) {
  const TgResult *row = r < results->rows->len ? tg_results_at(results, r) : NULL;
  return row && *row->left_out && row->n == like->n && strcmp(row->method, like->method) == 0;
}

/* The widths of a kernel that are left out at a size are so for one reason, which differs in a number. */
static void print_left_out(const TgResults *results, TgPage *page) {
  for (guint r = 0, next; r < results->rows->len; r = next) {
    const TgResult *row = tg_results_at(results, r);
    for (next = r + 1; is_left_out(results, next, row);) next++;
    if (!*row->left_out) continue;
    g_autofree char *more = next > r + 1 ? g_strdup_printf(" (and so %u wider)", next - r - 1) : g_strdup("");
    tg_page_paragraph(page, 2, "d = %" PRId64 ", %s: %s%s", row->n, row->method, row->left_out, more);
  }
}

static void print_legend(TgPage *page) {
  tg_page_paragraph(page, 2,
                    "with transfers: at the best width, including M to the device and M * M' back. executed: the "
                    "operations that the kernel runs; v005 to v007 compute half of the elements, and kernels as "
                    "printed leave out the last tile if the width divides d. of cublas: cuBLAS's time over the "
                    "kernel's. The paper shows its own speeds only in figures, not in its text.");
}

static void print(const TgResults *results, TgPage *page) {
  const TgMmt *mmt = results->own;
  const bool has_gpu = results->environment.has_device;
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  tg_page_where(page, results);
  print_sequential(results, sizes, page);
  if (has_gpu) {
    for (guint s = 0; s < sizes->len; s++) print_speeds(results, g_array_index(sizes, int64_t, s), page);
    print_compared(results, page);
    print_differences(mmt, page);
    print_wrong(mmt, page);
  }
  print_example(mmt, has_gpu, page);
  tg_page_add(page, "\n");
  if (has_gpu) print_legend(page);
  print_left_out(results, page);
  tg_page_notes(page, results);
}

/* --- a document --------------------------------------------------------------------------------------------------- */

static void write_sanity(TgJson *json, const TgMmtSanity *row) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", row->kernel);
  tg_json_member_integer(json, "d", row->d);
  tg_json_member_integer(json, "width", TG_MMT_SANITY_WIDTH);
  tg_json_member_integer(json, "wrong_elements", row->wrong);
  tg_json_member_double(json, "l2_difference", row->l2);
  tg_json_member_double(json, "l2_difference_as_printed", (double)row->l2_printed);
  if (!isnan(row->paper)) tg_json_member_double(json, "paper", row->paper);
  tg_json_end_object(json);
}

static void write_matrix(TgJson *json, const char *key, const float *x) {
  tg_json_member_array(json, key, TG_JSON_ROW);
  for (int i = 0; i < TG_MMT_DUMP * TG_MMT_DUMP; i++) tg_json_double(json, (double)x[i]);
  tg_json_end_array(json);
}

/* Whether all that should be the product is: kernels as printed need not. */
static bool right(const TgResults *results, GError **error) {
  const TgMmt *mmt = results->own;
  for (guint s = 0; s < mmt->sanity->len; s++) {
    const TgMmtSanity *row = &g_array_index(mmt->sanity, TgMmtSanity, s);
    if (row->wrong == 0 || tg_historic_find(row->kernel)->printed) continue;
    return TG_BENCH_FAIL(error, WRONG, "bench mmt: %s at %" PRId64 ": %" PRId64 " elements are wrong with integers",
                         row->kernel, row->d, row->wrong);
  }
  if (results->environment.has_device && memcmp(mmt->from_cpu, mmt->from_gpu, sizeof mmt->from_cpu) != 0)
    return TG_BENCH_FAIL(error, WRONG, "bench mmt: the example of %d rows is wrong", TG_MMT_DUMP);
  return true;
}

static void write_members(TgJson *json, const TgResults *results) {
  const TgMmt *mmt = results->own;
  tg_json_member_array(json, "sanity", TG_JSON_LINES);
  for (guint s = 0; s < mmt->sanity->len; s++) write_sanity(json, &g_array_index(mmt->sanity, TgMmtSanity, s));
  tg_json_end_array(json);
  tg_json_member_object(json, "example", TG_JSON_LINES);
  if (results->environment.has_device) write_matrix(json, "gpu", mmt->from_gpu);
  write_matrix(json, "sequential", mmt->from_cpu);
  tg_json_end_object(json);
}

/* A panel each, a curve a width. */
static const char *const swept[] = {"mmt-v001", "mmt-v004-corrected", "mmt-v006-corrected", "mmt-v004-coalesced"};

static const char x[] = "d, rows of M", y[] = "flop/s, of 2d^3";

static void add_widths(TgChart *chart, const TgResults *results, const char *kernel) {
  static const char *const heads[WIDTHS] = {"width 4", "width 8", "width 16", "width 32"};
  TgPanel *panel = tg_chart_panel(chart, kernel + strlen("mmt-"), x, y);
  for (int w = 0; w < WIDTHS; w++)
    tg_panel_columns(panel, results, &(TgColumn){heads[w], kernel, widths[w]}, 1, TG_SHOW_FLOPS);
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  const TgResults *results = measured;
  g_autoptr(TgChart) chart = tg_results_chart(results, "M * M' (Zhao)");
  TgPanel *alone = tg_chart_panel(chart, "in blocks of 8, without transfers", x, y);
  TgPanel *whole = tg_chart_panel(chart, "in blocks of 8, with transfers", x, y);
  tg_panel_columns(alone, results, compared, G_N_ELEMENTS(compared), TG_SHOW_FLOPS);
  tg_panel_columns(whole, results, compared, G_N_ELEMENTS(compared), TG_SHOW_WHOLE_FLOPS);
  for (size_t s = 0; s < G_N_ELEMENTS(swept); s++) add_widths(chart, results, swept[s]);
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

static const double budget_s = 0.2; /* of trials, a kernel, width and size */
static const double longest_s = 20; /* a launch */

/* Multiples of all widths, of 8 alone, and of none; the paper goes to 5000, and to 20000 "for some cases". */
static const int64_t usual_sizes[] = {500, 512, 1000, 1024, 2000, 3000, 5000, 10000, 20000};
static const int64_t all_most = 3000, usual_most = 5000, sanity_most = 1000;

/* Where `--kernels` does not ask for others: all up to all_most, blocks of the paper's best width and coalesced ones of
 * twice that up to usual_most, and beyond that these. */
static const struct {
  const char *kernel;
  int32_t width;
  int64_t most;
} farther[] = {
    {"mmt-v001", 8, 10000},
    {"mmt-v004-corrected", 8, 10000},
    {"mmt-v005-corrected", 8, 20000},
    {"mmt-v006-as-printed", 8, 10000},
    {"mmt-v006-corrected", 8, 20000},
    {"mmt-v004-coalesced", 16, 10000},
    {"mmt-v006-coalesced", 16, 20000},
    {"mmt-cublas-corrected", 0, 20000},
};

static int64_t most_of(const char *kernel, int32_t width) {
  for (size_t f = 0; f < G_N_ELEMENTS(farther); f++)
    if (strcmp(farther[f].kernel, kernel) == 0 && farther[f].width == width) return farther[f].most;
  const bool usual = width == 0 || width == 8 || (width == 16 && g_str_has_suffix(kernel, "-coalesced"));
  return usual ? usual_most : all_most;
}

static void sequential(const TgOperands *operands) {
  tg_mmt_sequential(operands->host[2], operands->host[0], operands->m);
}

static bool has_width(const TgHistoric *kernel, int32_t width) {
  for (int w = 0; w < TG_HISTORIC_WIDTHS; w++)
    if (kernel->widths[w] == width && (width || w == 0)) return true;
  return false;
}

/* The paper's program for the processor, then all kernels in all their widths, ascending; a kernel without has 0. */
static GArray *all_methods(bool limited) {
  static const int32_t all[] = {0, 4, 8, 16, 32};
  GArray *methods = g_array_new(FALSE, TRUE, sizeof(TgMethod));
  const TgMethod cpu = {.name = "sequential", .cpu = sequential, .most = 1024};
  g_array_append_val(methods, cpu);
  for (size_t k = 0; k < tg_historic_mmt.count; k++)
    for (size_t w = 0; w < G_N_ELEMENTS(all); w++) {
      const TgHistoric *kernel = &tg_historic_mmt.kernels[k];
      TgMethod method = {.name = kernel->name, .historic = kernel->name, .width = all[w]};
      if (!has_width(kernel, all[w])) continue;
      method.most = limited ? most_of(kernel->name, method.width) : 0;
      if (kernel->most[0] && (!method.most || kernel->most[0] < method.most)) method.most = kernel->most[0];
      g_array_append_val(methods, method);
    }
  return methods;
}

/* --- the experiment ----------------------------------------------------------------------------------------------- */

static void free_mmt(void *mmt) {
  g_array_unref(((TgMmt *)mmt)->sanity);
  g_free(mmt);
}

TgMmt *tg_mmt_begin(TgResults *results) {
  float m[TG_MMT_DUMP * TG_MMT_DUMP];
  TgMmt *mmt = results->own = g_new0(TgMmt, 1);
  results->free_own = free_mmt;
  mmt->sanity = g_array_new(FALSE, FALSE, sizeof(TgMmtSanity));
  tg_mmt_count_up(m, TG_MMT_DUMP);
  tg_mmt_sequential(mmt->from_cpu, m, TG_MMT_DUMP);
  return mmt;
}

/* The checks; the printed example is of version 6. */
static bool check(TgMmt *mmt, const TgBenchOptions *options, GError **error) {
  TgError why = {0};
  if (options->cpu_only || (tg_mmt_sanity_run(options->quick ? 100 : sanity_most, options->seed, mmt->sanity, &why) &&
                            tg_mmt_dump("mmt-v006-corrected", mmt->from_gpu, &why)))
    return true;
  return tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "mmt", why.message);
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  static const TgSuitePlan plan = {"mmt", TG_NUMBER_F32, usual_sizes, G_N_ELEMENTS(usual_sizes), 512, 0, budget_s};
  g_autoptr(GArray) methods = all_methods(!options->kernels);
  TgSuite suite;
  if (!tg_suite_begin(&suite, &plan, options, (const TgMethod *)(void *)methods->data, methods->len, error))
    return NULL;
  suite.limits.longest_s = tg_suite_longest_s(options, longest_s);
  suite.total = (int64_t)suite.sizes->len * methods->len;
  const bool fine = tg_suite_measure_squares(&suite, TG_HISTORIC_SYMMETRIC, error);
  g_autoptr(TgResults) results = tg_suite_finish(&suite, fine);
  return results && check(tg_mmt_begin(results), options, error) ? g_steal_pointer(&results) : NULL;
}

const TgExperiment tg_experiment_mmt = {
    .name = "mmt",
    .summary = "M * M' by kernels v001 to v009 as printed, corrected and coalesced, and by cuBLAS",
    .details =
        "The kernels of D. Zhao for M * M' in blocks of 4 to 32, up to d = 20000: Gflop/s of the product's nominal "
        "2d^3 operations, with and without transfers, and of the operations executed. Kernels as printed keep their "
        "defects and are marked if their result is wrong. Then the paper's table of differences from the sequential "
        "program, for random reals and integers, and its printed example of 7 rows.",
    .paper = "D. Zhao, COMP 633 Parallel Computing, programming assignment 2, University of North Carolina, 2013",
    .takes_cpu_only = true,
    .measure = measure,
    .print = print,
    .write = write_members,
    .plot = plot,
    .right = right,
};
