/* bench mmt: what is measured. */
#include "mmt.h"

#include "mmt-sequential.h"
#include "suite.h"

#include <inttypes.h>
#include <string.h>

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
  static const int32_t widths[] = {0, 4, 8, 16, 32};
  GArray *methods = g_array_new(FALSE, TRUE, sizeof(TgMethod));
  const TgMethod cpu = {.name = "sequential", .cpu = sequential, .most = 1024};
  g_array_append_val(methods, cpu);
  for (size_t k = 0; k < tg_historic_mmt.count; k++)
    for (size_t w = 0; w < G_N_ELEMENTS(widths); w++) {
      const TgHistoric *kernel = &tg_historic_mmt.kernels[k];
      TgMethod method = {.name = kernel->name, .historic = kernel->name, .width = widths[w]};
      if (!has_width(kernel, widths[w])) continue;
      method.most = limited ? most_of(kernel->name, method.width) : 0;
      if (kernel->most[0] && (!method.most || kernel->most[0] < method.most)) method.most = kernel->most[0];
      g_array_append_val(methods, method);
    }
  return methods;
}

/* --- the speeds --------------------------------------------------------------------------------------------------- */

static bool measure_speeds(TgMmt *mmt, const TgBenchOptions *options, GError **error) {
  TgSuite suite;
  const TgMethod *methods = (const TgMethod *)(void *)mmt->methods->data;
  if (!tg_suite_open(&suite, "mmt", options, methods, mmt->methods->len, budget_s, error)) return false;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual_sizes, G_N_ELEMENTS(usual_sizes), 512);
  bool fine = true;
  suite.limits.longest_s = tg_suite_longest_s(options, longest_s);
  suite.total = (int64_t)sizes->len * mmt->methods->len;
  for (guint s = 0; fine && s < sizes->len; s++) {
    const int64_t d = g_array_index(sizes, int64_t, s);
    const TgSuiteSize size = {TG_HISTORIC_SYMMETRIC, TG_NUMBER_F32, d, d, d};
    fine = tg_suite_measure(&suite, &size, error);
  }
  mmt->results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return fine;
}

const TgResult *tg_mmt_best(const TgMmt *mmt, const char *kernel, int64_t d) {
  const TgResult *best = NULL;
  for (guint r = 0; r < mmt->results->rows->len; r++) {
    const TgResult *row = tg_results_at(mmt->results, r);
    if (row->n != d || *row->left_out || strcmp(row->method, kernel) != 0) continue;
    if (!best || tg_result_time_s(row) < tg_result_time_s(best)) best = row;
  }
  return best;
}

/* --- the checks --------------------------------------------------------------------------------------------------- */

/* The printed example is of version 6. */
static bool check(TgMmt *mmt, const TgBenchOptions *options, GError **error) {
  float m[TG_MMT_DUMP * TG_MMT_DUMP];
  TgError why = {0};
  tg_mmt_count_up(m, TG_MMT_DUMP);
  tg_mmt_sequential(mmt->from_cpu, m, TG_MMT_DUMP);
  mmt->has_gpu = !options->cpu_only;
  mmt->sanity = mmt->has_gpu ? tg_mmt_sanity_run(options->quick ? 100 : sanity_most, options->seed, &why)
                             : g_array_new(FALSE, FALSE, sizeof(TgMmtSanity));
  if (mmt->sanity && (!mmt->has_gpu || tg_mmt_dump("mmt-v006-corrected", mmt->from_gpu, &why))) return true;
  return tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "mmt", why.message);
}

bool tg_mmt_right(const void *measured, GError **error) {
  const TgMmt *mmt = measured;
  for (guint s = 0; s < mmt->sanity->len; s++) {
    const TgMmtSanity *row = &g_array_index(mmt->sanity, TgMmtSanity, s);
    if (row->wrong == 0 || tg_historic_find(row->kernel)->printed) continue;
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG,
                "bench mmt: %s at %" PRId64 ": %" PRId64 " elements are wrong on whole numbers", row->kernel, row->d,
                row->wrong);
    return false;
  }
  if (mmt->has_gpu && memcmp(mmt->from_cpu, mmt->from_gpu, sizeof mmt->from_cpu) != 0) {
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG, "bench mmt: the example of %d rows is wrong", TG_MMT_DUMP);
    return false;
  }
  return tg_results_right(mmt->results, error);
}

/* --- the experiment ----------------------------------------------------------------------------------------------- */

void tg_mmt_free(TgMmt *mmt) {
  g_clear_pointer(&mmt->results, tg_results_free);
  g_clear_pointer(&mmt->sanity, g_array_unref);
  g_clear_pointer(&mmt->methods, g_array_unref);
  g_free(mmt);
}

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBERS};
  TgNumber number;
  g_autoptr(TgMmt) mmt = g_new0(TgMmt, 1);
  mmt->methods = all_methods(!options->kernels);
  if (!tg_suite_number(options, allowed, &number, error) || !measure_speeds(mmt, options, error) ||
      !check(mmt, options, error))
    return NULL;
  return g_steal_pointer(&mmt);
}

static void clear(void *measured) {
  tg_mmt_free(measured);
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
    .clear = clear,
    .print = tg_mmt_print,
    .document = tg_mmt_document,
    .plot = tg_mmt_plot,
    .right = tg_mmt_right,
};
