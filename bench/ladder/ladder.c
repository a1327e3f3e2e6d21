/* bench ladder: kernels beside cuBLAS, on one GPU, on the same random matrices. */
#include "experiment.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "chart.h"
#include "element.h"
#include "environment.h"
#include "kernel.h"
#include "measurement.h"
#include "operands.h"
#include "results.h"
#include "trial.h"

/* One kernel at one size. */
typedef struct TgRung {
  const TgKernel *kernel;
  int64_t n;
  char left_out[504];  /* why there are no figures; "" where there are */
  TgMeasurement time;  /* of launches that the device has been waiting for: the host's part is not in it */
  TgMeasurement alone; /* of launches on an idle device, with what the host's part leaves it idle */
  double error, limit; /* relative, in the Frobenius norm */
  bool estimated;      /* the error is; else it is against the result in full */
  bool right;
} TgRung;

typedef struct TgLadder {
  TgElement element;
  uint64_t seed;
  bool cold;
  GArray *sizes;      /* int64_t */
  GPtrArray *kernels; /* const TgKernel */
  TgEnvironment environment;
  GArray *results; /* TgRung, kernels within sizes */
} TgLadder;

static const TgRung *rung_at(const TgLadder *ladder, guint r) {
  return &g_array_index(ladder->results, TgRung, r);
}

static double flops_per_s(const TgRung *rung) {
  double n = (double)rung->n;
  return 2 * n * n * n / rung->time.median_s;
}

/* Time of cuBLAS over that of the kernel, in the median; NaN where cuBLAS was not measured. */
static double ratio(const TgLadder *ladder, const TgRung *rung, bool alone) {
  for (guint r = 0; r < ladder->results->len; r++) {
    const TgRung *other = rung_at(ladder, r);
    if (other->n == rung->n && strcmp(other->kernel->name, "cublas") == 0 && !*other->left_out)
      return alone ? other->alone.median_s / rung->alone.median_s : other->time.median_s / rung->time.median_s;
  }
  return NAN;
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

static void add_ratio(TgTable *table, double ratio) {
  tg_table_add(table, isnan(ratio) ? "-" : "%.3f", ratio);
}

static void add_row(TgTable *table, const TgLadder *ladder, const TgRung *rung) {
  tg_table_add(table, "%s%s", rung->kernel->name, rung->kernel->exact ? "" : "*");
  if (*rung->left_out) {
    for (int c = 0; c < 8; c++) tg_table_add(table, "%s", c == 0 ? "-" : "");
    tg_table_add(table, "%s", rung->left_out);
    return;
  }
  tg_table_add(table, "%.4g", rung->time.median_s * 1e3);
  tg_table_add(table, "%.2g", rung->time.stddev_s * 1e3);
  tg_table_add(table, "%d", rung->time.trials);
  tg_table_add(table, "%.4g", flops_per_s(rung) * 1e-12);
  add_ratio(table, ratio(ladder, rung, false));
  tg_table_add(table, "%.4g", rung->alone.median_s * 1e3);
  add_ratio(table, ratio(ladder, rung, true));
  tg_table_add(table, "%.1e", rung->error);
  tg_table_add(table, "%s", rung->right ? "" : "WRONG");
}

static void print_size(TgPage *page, const TgLadder *ladder, int64_t n) {
  static const char *const heads[] = {"kernel",    "median, ms", "spread",    "trials", "Tflop/s",
                                      "of cublas", "alone, ms",  "of cublas", "error",  ""};
  tg_page_add(page, "\nm = n = k = %" PRId64 ", %s%s\n", n, tg_element_name(ladder->element),
              ladder->cold ? ", second-level cache empty before each launch" : "");
  TgTable *table = tg_page_table(page, "lrrrrrrrrl", 2, heads);
  for (guint r = 0; r < ladder->results->len; r++)
    if (rung_at(ladder, r)->n == n) add_row(table, ladder, rung_at(ladder, r));
}

/* Parts of tg_experiment_ladder; they take a TgLadder. */
static void print(const void *measured, TgPage *page) {
  const TgLadder *ladder = measured;
  bool emulated = false;
  for (guint k = 0; k < ladder->kernels->len; k++)
    emulated = emulated || !((const TgKernel *)ladder->kernels->pdata[k])->exact;
  g_autofree char *where = tg_environment_text(&ladder->environment);
  tg_page_add(page, "%s\n", where);
  for (guint s = 0; s < ladder->sizes->len; s++) print_size(page, ladder, g_array_index(ladder->sizes, int64_t, s));
  tg_page_add(page, "\n  spread: standard deviation, ms; of cublas: its median over the kernel's; alone: on an idle "
                    "device,\n  with the host's part of a launch; error: relative, of the product\n");
  if (emulated) tg_page_add(page, "  *: an emulation of the type; see `topogemm list kernels`\n");
}

/* --- a document --------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgRung, error, "relative_error"), TG_FIELD_AS(TgRung, limit, "tolerance"),
               TG_FIELD(TgRung, estimated), TG_FIELD_AS(TgRung, right, "ok"));

static void write_rung(TgJson *json, const TgLadder *ladder, const TgRung *rung) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", rung->kernel->name);
  tg_json_member_string(json, "type", tg_element_name(ladder->element));
  tg_json_member_integer(json, "m", rung->n);
  tg_json_member_integer(json, "n", rung->n);
  tg_json_member_integer(json, "k", rung->n);
  tg_json_member_bool(json, "exact", rung->kernel->exact);
  if (*rung->left_out) {
    tg_json_member_string(json, "left_out", rung->left_out);
  } else {
    tg_results_write_measured(json, &rung->time);
    tg_json_member_double(json, "gflops", flops_per_s(rung) * 1e-9);
    tg_json_member_double(json, "ratio_to_cublas", ratio(ladder, rung, false));
    tg_json_member_double(json, "alone_s", rung->alone.median_s);
    tg_json_member_double(json, "alone_ratio_to_cublas", ratio(ladder, rung, true));
    tg_json_members(json, check_fields, rung);
  }
  tg_json_end_object(json);
}

static bool right(const void *measured, GError **error) {
  const TgLadder *ladder = measured;
  for (guint r = 0; r < ladder->results->len; r++) {
    const TgRung *rung = rung_at(ladder, r);
    if (*rung->left_out || rung->right) continue;
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG,
                "bench ladder: %s at %" PRId64 ": relative error %.2e, at most %.2e is right", rung->kernel->name,
                rung->n, rung->error, rung->limit);
    return false;
  }
  return true;
}

static TgJson *document(const void *measured) {
  const TgLadder *ladder = measured;
  TgJson *json = tg_results_begin("bench-ladder", "ladder", right(measured, NULL), ladder->seed, &ladder->environment);
  tg_json_member_bool(json, "cold", ladder->cold);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < ladder->results->len; r++) write_rung(json, ladder, rung_at(ladder, r));
  tg_json_end_array(json);
  tg_json_end_object(json);
  return json;
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  const TgLadder *ladder = measured;
  g_autofree char *where = tg_environment_text(&ladder->environment);
  g_autoptr(TgChart) chart = tg_chart_new("The ladder of kernels", where);
  TgPanel *panel = tg_chart_panel(chart, tg_element_name(ladder->element), "n, rows of the matrices", "Tflop/s");
  for (guint r = 0; r < ladder->results->len; r++)
    if (!*rung_at(ladder, r)->left_out)
      tg_panel_point(panel, rung_at(ladder, r)->kernel->name, (double)rung_at(ladder, r)->n,
                     flops_per_s(rung_at(ladder, r)) * 1e-12);
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

static const double longest_s = 2;  /* a launch that takes longer is left out */
static const double budget_s = 1;   /* of trials, a kernel and size, twice */
static const double hold_s = 50e-6; /* more than a launch takes the host */

static const int64_t usual_sizes[] = {1024, 2048, 4096, 8192}, quick_sizes[] = {256, 512};

static void clear(void *measured) {
  TgLadder *ladder = measured;
  tg_environment_clear(&ladder->environment);
  g_array_unref(ladder->sizes);
  g_ptr_array_unref(ladder->kernels);
  g_array_unref(ladder->results);
  g_free(ladder);
}

/* --- what to measure ---------------------------------------------------------------------------------------------- */

static void choose_sizes(const TgBenchOptions *options, TgLadder *ladder) {
  if (options->size_count)
    g_array_append_vals(ladder->sizes, options->sizes, (guint)options->size_count);
  else if (options->quick)
    g_array_append_vals(ladder->sizes, quick_sizes, G_N_ELEMENTS(quick_sizes));
  else
    g_array_append_vals(ladder->sizes, usual_sizes, G_N_ELEMENTS(usual_sizes));
}

static bool choose_kernels(const TgBenchOptions *options, TgLadder *ladder, GError **error) {
  size_t count;
  const TgKernel *all = tg_kernel_list(&count);
  for (size_t k = 0; !options->kernels && k < count; k++) g_ptr_array_add(ladder->kernels, (gpointer)&all[k]);
  for (char **name = options->kernels; name && *name; name++) {
    const TgKernel *kernel = tg_kernel_find(*name);
    if (kernel) {
      g_ptr_array_add(ladder->kernels, (gpointer)kernel);
      continue;
    }
    g_set_error(
        error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE,
        "--kernels %s: no kernel of the ladder has that name; see `topogemm list kernels` (a paper's kernel is in "
        "its paper's experiment)",
        *name);
    return false;
  }
  return true;
}

static bool open_ladder(const TgBenchOptions *options, TgLadder *ladder, GError **error) {
  TgError why;
  TgDevice device;
  ladder->cold = options->cold;
  ladder->seed = options->seed;
  choose_sizes(options, ladder);
  if (!choose_kernels(options, ladder, error)) return false;
  if (options->type && !tg_element_parse(options->type, &ladder->element)) {
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE, "--type %s: expected f32 or f64", options->type);
    return false;
  }
  if (!tg_device_open(0, &device, &why)) return tg_bench_fail(error, TG_BENCH_ERROR_MISSING, "ladder", why.message);
  tg_environment_begin(&ladder->environment, &device);
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

static TgGemm gemm_of(const TgLadder *ladder, const TgOperands *operands) {
  return (TgGemm){.element = (int32_t)ladder->element,
                  .m = operands->m,
                  .n = operands->n,
                  .k = operands->k,
                  .a = operands->device[0],
                  .b = operands->device[1],
                  .c = operands->device[2],
                  .lda = operands->k,
                  .ldb = operands->n,
                  .ldc = operands->n};
}

/* Poisoned before, so that an element that is not written is found. */
static bool check(TgOperands *operands, const TgLaunch *one, TgRung *rung, TgError *error) {
  TgResult result = {0};
  if (!tg_operands_poison(operands, TG_ON_GPU, error) || !launch(one, error) ||
      !tg_operands_check(operands, TG_ON_GPU, &result, error))
    return false;
  rung->error = result.error;
  rung->limit = result.limit;
  rung->estimated = result.estimated;
  rung->right = result.right;
  return true;
}

static bool measure(const TgLadder *ladder, const TgBenchLimits *limits, TgOperands *operands, TgRung *rung,
                    TgError *error) {
  TgGemm gemm = gemm_of(ladder, operands);
  TgError why = {0};
  if (!tg_kernel_takes(rung->kernel, &gemm, ladder->environment.device.capability, &why)) {
    g_strlcpy(rung->left_out, why.message, sizeof rung->left_out);
    return true;
  }
  int64_t space = tg_kernel_workspace(rung->kernel, &gemm);
  if (space > 0 && !(gemm.workspace = tg_device_allocate(space, error))) return false;
  const TgLaunch one = {rung->kernel, &gemm};
  TgBenchLimits idle = *limits;
  idle.hold_s = 0;
  bool fine = check(operands, &one, rung, error) && tg_trial_on_device(launch, &one, limits, &rung->time, error) &&
              tg_trial_on_device(launch, &one, &idle, &rung->alone, error);
  if (gemm.workspace) tg_device_free(gemm.workspace);
  return fine;
}

/* What the kernel took at the size before, times the ratio of the operations: too long a launch is not begun. */
static double expected_s(const TgLadder *ladder, const TgRung *rung) {
  for (guint r = ladder->results->len; r-- > 0;) {
    const TgRung *before = &g_array_index(ladder->results, TgRung, r);
    if (before->kernel != rung->kernel || *before->left_out) continue;
    double ratio = (double)rung->n / (double)before->n;
    return before->time.median_s * ratio * ratio * ratio;
  }
  return NAN;
}

static bool measure_size(const TgBenchOptions *options, TgLadder *ladder, int64_t n, TgError *error) {
  const TgBenchLimits limits = {.trials = {.budget_s = options->budget_s > 0 ? options->budget_s
                                                       : options->quick      ? 0.1
                                                                             : budget_s,
                                           .least = 3,
                                           .most = 31,
                                           .wanted = options->trials,
                                           .wanted_s = TG_BENCH_WANTED_S,
                                           .warmup = 2},
                                .longest_s = longest_s,
                                .hold_s = hold_s,
                                .flush_bytes = ladder->cold ? 2 * (int64_t)ladder->environment.device.l2_bytes : 0};
  TgOperands operands = {.number = ladder->element == TG_F64 ? TG_NUMBER_F64 : TG_NUMBER_F32,
                         .m = n,
                         .n = n,
                         .k = n,
                         .seed = ladder->seed,
                         .estimated = true};
  TgError no_room;
  const bool room = tg_operands_have_room(&operands, &no_room);
  bool fine = !room || tg_operands_open(&operands, true, error);
  for (guint k = 0; fine && k < ladder->kernels->len; k++) {
    TgRung rung = {.kernel = ladder->kernels->pdata[k], .n = n};
    const int64_t done = ladder->results->len, total = (int64_t)ladder->kernels->len * ladder->sizes->len;
    if (options->progress) options->progress(options->progress_data, done, total);
    if (!room)
      g_strlcpy(rung.left_out, no_room.message, sizeof rung.left_out);
    else if (!tg_trial_is_left_out(&limits, expected_s(ladder, &rung), rung.left_out, sizeof rung.left_out))
      fine = measure(ladder, &limits, &operands, &rung, error);
    g_array_append_val(ladder->results, rung);
  }
  tg_operands_clear(&operands);
  return fine;
}

static bool measure_sizes(const TgBenchOptions *options, TgLadder *ladder, GError **error) {
  TgError why = {0};
  for (guint s = 0; s < ladder->sizes->len; s++)
    if (!measure_size(options, ladder, g_array_index(ladder->sizes, int64_t, s), &why))
      return tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "ladder", why.message);
  tg_environment_end(&ladder->environment);
  return true;
}

static void *measure_all(const TgBenchOptions *options, GError **error) {
  TgLadder *ladder = g_new0(TgLadder, 1);
  ladder->sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  ladder->kernels = g_ptr_array_new();
  ladder->results = g_array_new(FALSE, TRUE, sizeof(TgRung));
  if (open_ladder(options, ladder, error) && measure_sizes(options, ladder, error)) return ladder;
  clear(ladder);
  return NULL;
}

const TgExperiment tg_experiment_ladder = {
    .name = "ladder",
    .summary = "every kernel of the ladder and cuBLAS, on one GPU",
    .details = "Every kernel of `topogemm list kernels`, except those of papers, and cuBLAS, in one run on the same "
               "random matrices: the median of up to 31 launches queued in advance, and of as many on "
               "an idle GPU (alone), which includes the launch overhead. Kernels that would take over two seconds per "
               "launch are skipped and named.",
    .measure = measure_all,
    .clear = clear,
    .print = print,
    .document = document,
    .plot = plot,
    .right = right,
};
