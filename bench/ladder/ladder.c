/* bench ladder: kernels compared with cuBLAS, on one GPU, on the same random matrices. */
#include "experiment.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "operands.h"
#include "results-print.h"
#include "suite.h"

/* The rows are kernels within sizes, with `kernel` and `alone`. */

/* Time of cuBLAS over that of the kernel, in the median; NaN where cuBLAS was not measured. */
static double ratio(const TgResults *results, const TgResult *row, bool alone) {
  const TgResult *cublas = tg_results_square(results, "cublas", 0, row->n);
  if (!cublas) return NAN;
  return alone ? cublas->alone.median_s / row->alone.median_s : cublas->kernel.median_s / row->kernel.median_s;
}

static bool is_exact(const TgResult *row) {
  return tg_kernel_find(row->method)->exact;
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

static void add_row(TgTable *table, const TgResults *results, const TgResult *row) {
  tg_table_add(table, "%s%s", row->method, is_exact(row) ? "" : "*");
  if (*row->left_out) {
    for (int c = 0; c < 8; c++) tg_table_add(table, "%s", c == 0 ? "-" : "");
    tg_table_add(table, "%s", row->left_out);
    return;
  }
  tg_table_add(table, "%.4g", row->kernel.median_s * 1e3);
  tg_table_add(table, "%.2g", row->kernel.stddev_s * 1e3);
  tg_table_add(table, "%d", row->kernel.trials);
  tg_table_add(table, "%.4g", tg_result_shown(row, TG_SHOW_FLOPS) * 1e-12);
  tg_page_number(table, "%.3f", ratio(results, row, false));
  tg_table_add(table, "%.4g", row->alone.median_s * 1e3);
  tg_page_number(table, "%.3f", ratio(results, row, true));
  tg_table_add(table, "%.1e", row->error);
  tg_table_add(table, "%s", row->right ? "" : "WRONG");
}

/* The rows of a size, from the first of them on. */
static void print_size(TgPage *page, const TgResults *results, guint first) {
  static const char *const heads[] = {"kernel",    "median, ms", "spread",    "trials", "Tflop/s",
                                      "of cublas", "alone, ms",  "of cublas", "error",  ""};
  const int64_t n = tg_results_at(results, first)->n;
  tg_page_add(page, "\nm = n = k = %" PRId64 ", %s%s\n", n, tg_results_type(results),
              results->cold ? ", L2 cache emptied before each launch" : "");
  TgTable *table = tg_page_table(page, "lrrrrrrrrl", 2, heads);
  for (guint r = first; r < results->rows->len && tg_results_at(results, r)->n == n; r++)
    add_row(table, results, tg_results_at(results, r));
}

static void print(const TgResults *results, TgPage *page) {
  bool emulated = false;
  g_autofree char *where = tg_environment_text(&results->environment);
  tg_page_add(page, "%s\n", where);
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    emulated = emulated || !is_exact(row);
    if (r == 0 || row->n != tg_results_at(results, r - 1)->n) print_size(page, results, r);
  }
  tg_page_add(page,
              "\n  spread: standard deviation, ms; of cublas: cuBLAS's median over the kernel's; alone: on an idle\n"
              "  device, including launch overhead; error: relative error of the product\n");
  if (emulated) tg_page_add(page, "  *: emulates the type; see `topogemm list kernels`\n");
}

/* --- a document --------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(row_fields, TG_FIELD_AS(TgResult, method, "kernel"), TG_FIELD(TgResult, type), TG_FIELD(TgResult, m),
               TG_FIELD(TgResult, n), TG_FIELD(TgResult, k));

static void write_row(TgJson *json, const TgResults *results, const TgResult *row) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_members(json, row_fields, row);
  tg_json_member_bool(json, "exact", is_exact(row));
  if (*row->left_out) {
    tg_json_member_string(json, "left_out", row->left_out);
  } else {
    tg_results_write_measured(json, &row->kernel);
    tg_json_member_double(json, "gflops", tg_result_shown(row, TG_SHOW_FLOPS) * 1e-9);
    tg_json_member_double(json, "ratio_to_cublas", ratio(results, row, false));
    tg_json_member_double(json, "alone_s", row->alone.median_s);
    tg_json_member_double(json, "alone_ratio_to_cublas", ratio(results, row, true));
    tg_results_write_check(json, row);
  }
  tg_json_end_object(json);
}

static void write_members(TgJson *json, const TgResults *results) {
  tg_json_member_bool(json, "cold", results->cold);
  tg_json_member_array(json, "results", TG_JSON_LINES);
  for (guint r = 0; r < results->rows->len; r++) write_row(json, results, tg_results_at(results, r));
  tg_json_end_array(json);
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  const TgResults *results = measured;
  g_autoptr(TgChart) chart = tg_results_chart(results, "The ladder of kernels");
  TgPanel *panel = tg_chart_panel(chart, tg_results_type(results), "n, rows of the matrices", "Tflop/s");
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    tg_panel_point(panel, row->method, (double)row->n, tg_result_shown(row, TG_SHOW_FLOPS) * 1e-12);
  }
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

static const double longest_s = 2;                      /* a launch that takes longer is left out */
static const double budget_s = 1, quick_budget_s = 0.1; /* of trials, a kernel and size, twice */

static const int64_t sizes[] = {256, 512, 1024, 2048, 4096, 8192};
static const TgSuitePlan plan = {.experiment = "ladder",
                                 .other = TG_NUMBER_F64,
                                 .sizes = sizes,
                                 .size_count = G_N_ELEMENTS(sizes),
                                 .quick_most = 512,
                                 .usual_least = 1024};

/* What is measured, in which rows. */
typedef struct TgLadder {
  const TgBenchOptions *options;
  TgNumber number;
  GArray *sizes;      /* int64_t */
  GPtrArray *kernels; /* const TgKernel */
  TgResults *results;
} TgLadder;

static bool choose_kernels(const TgBenchOptions *options, TgLadder *ladder, GError **error) {
  size_t count;
  const TgKernel *all = tg_kernel_list(&count);
  for (size_t k = 0; !options->kernels && k < count; k++) g_ptr_array_add(ladder->kernels, (gpointer)&all[k]);
  for (char **name = options->kernels; name && *name; name++) {
    const TgKernel *kernel = tg_kernel_find(*name);
    if (!kernel)
      return TG_BENCH_FAIL(error, USAGE,
                           "--kernels %s: not a kernel of the ladder; see `topogemm list kernels` (a paper's kernels "
                           "belong to its own experiment)",
                           *name);
    g_ptr_array_add(ladder->kernels, (gpointer)kernel);
  }
  return true;
}

/* --- one size ----------------------------------------------------------------------------------------------------- */

typedef struct TgLaunch {
  const TgKernel *kernel;
  const TgGemm *gemm;
} TgLaunch;

static bool launch(const void *what, TgError *error) {
  const TgLaunch *one = what;
  return tg_kernel_start(one->kernel, one->gemm, error);
}

/* Poisoned before, so that an element that is not written is found. */
static bool check(TgOperands *operands, const TgLaunch *one, TgResult *row, TgError *error) {
  return tg_operands_poison(operands, TG_ON_GPU, error) && launch(one, error) &&
         tg_operands_check(operands, TG_ON_GPU, row, error);
}

static bool measure_kernel(const TgLadder *ladder, const TgBenchLimits *limits, TgOperands *operands,
                           const TgKernel *kernel, TgResult *row, TgError *error) {
  TgGemm gemm = tg_operands_gemm(operands);
  TgError why = {0};
  if (!tg_kernel_takes(kernel, &gemm, ladder->results->environment.device.capability, &why)) {
    g_strlcpy(row->left_out, why.message, sizeof row->left_out);
    return true;
  }
  int64_t space = tg_kernel_workspace(kernel, &gemm);
  if (space > 0 && !(gemm.workspace = tg_device_allocate(space, error))) return false;
  const TgLaunch one = {kernel, &gemm};
  TgBenchLimits idle = *limits;
  idle.hold_s = 0;
  bool fine = check(operands, &one, row, error) && tg_trial_on_device(launch, &one, limits, &row->kernel, error) &&
              tg_trial_on_device(launch, &one, &idle, &row->alone, error);
  if (gemm.workspace) tg_device_free(gemm.workspace);
  return fine;
}

/* What the kernel took at the size before, times the ratio of the operations: too long a launch is not begun. */
static double expected_s(const TgLadder *ladder, const TgResult *row) {
  for (guint r = ladder->results->rows->len; r-- > 0;) {
    const TgResult *before = tg_results_at(ladder->results, r);
    if (strcmp(before->method, row->method) != 0 || *before->left_out) continue;
    double ratio = (double)row->n / (double)before->n;
    return before->kernel.median_s * ratio * ratio * ratio;
  }
  return NAN;
}

static bool measure_size(const TgLadder *ladder, int64_t n, TgError *error) {
  const TgBenchOptions *options = ladder->options;
  TgBenchLimits limits = tg_suite_limits(options, budget_s, quick_budget_s);
  limits.trials.most = 31;
  limits.longest_s = longest_s;
  if (options->cold) limits.flush_bytes = 2 * (int64_t)ladder->results->environment.device.l2_bytes;
  TgOperands operands = {.number = ladder->number, .m = n, .n = n, .k = n, .seed = options->seed, .estimated = true};
  TgError no_room;
  const bool room = tg_operands_have_room(&operands, &no_room);
  bool fine = !room || tg_operands_open(&operands, true, error);
  for (guint k = 0; fine && k < ladder->kernels->len; k++) {
    const TgKernel *kernel = ladder->kernels->pdata[k];
    TgResult row = {.method = kernel->name};
    const int64_t done = ladder->results->rows->len, total = (int64_t)ladder->kernels->len * ladder->sizes->len;
    if (options->progress) options->progress(options->progress_data, done, total);
    tg_operands_count(&operands, &row);
    if (!room)
      g_strlcpy(row.left_out, no_room.message, sizeof row.left_out);
    else if (!tg_trial_is_left_out(&limits, expected_s(ladder, &row), row.left_out, sizeof row.left_out))
      fine = measure_kernel(ladder, &limits, &operands, kernel, &row, error);
    tg_results_add(ladder->results, &row);
  }
  tg_operands_clear(&operands);
  return fine;
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  g_autoptr(GArray) sizes_asked = tg_suite_sizes(options, &plan);
  g_autoptr(GPtrArray) kernels = g_ptr_array_new();
  TgLadder ladder = {.options = options, .sizes = sizes_asked, .kernels = kernels};
  TgError why = {0};
  if (!choose_kernels(options, &ladder, error) || !tg_suite_number(options, plan.other, &ladder.number, error))
    return NULL;
  g_autoptr(TgResults) results = ladder.results = tg_suite_results(plan.experiment, options, error);
  for (guint s = 0; results && s < sizes_asked->len; s++)
    if (!measure_size(&ladder, g_array_index(sizes_asked, int64_t, s), &why)) {
      tg_bench_fail(error, TG_BENCH_ERROR_FAILED, plan.experiment, why.message);
      return NULL;
    }
  if (results) tg_environment_end(&results->environment);
  return g_steal_pointer(&results);
}

const TgExperiment tg_experiment_ladder = {
    .name = "ladder",
    .summary = "every kernel of the ladder and cuBLAS, on one GPU",
    .details = "Every kernel of `topogemm list kernels`, except those of papers, and cuBLAS, in one run on the same "
               "random matrices: the median of up to 31 launches queued in advance, and of as many on "
               "an idle GPU (alone), which includes the launch overhead. Kernels that would take over two seconds per "
               "launch are skipped and named.",
    .format = "bench-ladder",
    .measure = measure,
    .print = print,
    .write = write_members,
    .plot = plot,
};
