/* bench dobravec: what is measured. */
#include "dobravec.h"

#include "double-sum.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { STEP = 8, STEPS = 100, TABLE_2_N = 512, QUICK_MOST = 128 };
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

/* Tables 1 and 2, milliseconds. */
static const struct {
  const char *method;
  int64_t n;
  int32_t width;
  double ms;
} papers[] = {
    {"matrixMulH", 80, 0, 1},     {"global", 80, 8, 0},        {"shared", 80, 8, 0},
    {"matrixMulH", 160, 0, 10},   {"global", 160, 8, 5},       {"shared", 160, 8, 2},
    {"matrixMulH", 240, 0, 34},   {"global", 240, 8, 13},      {"shared", 240, 8, 8},
    {"matrixMulH", 320, 0, 85},   {"global", 320, 8, 37},      {"shared", 320, 8, 18},
    {"matrixMulH", 400, 0, 156},  {"global", 400, 8, 65},      {"shared", 400, 8, 35},
    {"matrixMulH", 480, 0, 290},  {"global", 480, 8, 127},     {"shared", 480, 8, 60},
    {"matrixMulH", 560, 0, 576},  {"global", 560, 8, 182},     {"shared", 560, 8, 95},
    {"matrixMulH", 640, 0, 895},  {"global", 640, 8, 302},     {"shared", 640, 8, 142},
    {"matrixMulH", 720, 0, 1450}, {"global", 720, 8, 398},     {"shared", 720, 8, 201},
    {"matrixMulH", 800, 0, 2169}, {"global", 800, 8, 598},     {"shared", 800, 8, 275},
    {"matrixMulH", 512, 0, 357},  {"run-time", 512, 1, 11149}, {"run-time", 512, 2, 1531},
    {"run-time", 512, 4, 278},    {"run-time", 512, 8, 110},   {"run-time", 512, 16, 83},
};

/* Names of the paper's methods are parts of ours; its kernels are ours as printed, and right at its sizes. */
void tg_dobravec_paper(TgResult *row) {
  for (size_t p = 0; p < G_N_ELEMENTS(papers); p++) {
    if (row->n != papers[p].n || row->width != papers[p].width || !strstr(row->method, papers[p].method)) continue;
    if (strcmp(papers[p].method, "shared") == 0 && strstr(row->method, "run-time")) continue;
    row->has_paper = true;
    row->paper =
        (TgMeasurement){.min_s = NAN, .median_s = NAN, .mean_s = papers[p].ms * 1e-3, .max_s = NAN, .stddev_s = NAN};
  }
}

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBERS};
  TgSuite suite;
  TgSuiteSize size = {.kind = TG_HISTORIC_PRODUCT};
  int64_t usual[STEPS];
  for (int s = 0; s < STEPS; s++) usual[s] = (int64_t)STEP * (s + 1);
  if (!tg_suite_number(options, allowed, &size.number, error) ||
      !tg_suite_open(&suite, "dobravec", options, methods, G_N_ELEMENTS(methods), budget_s, error))
    return NULL;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual, STEPS, QUICK_MOST);
  bool fine = true;
  suite.paper = tg_dobravec_paper;
  suite.total = (int64_t)sizes->len * (options->cpu_only ? 1 : 10);
  for (guint s = 0; fine && s < sizes->len; s++) {
    size.m = size.n = size.k = g_array_index(sizes, int64_t, s);
    fine = tg_suite_measure(&suite, &size, error);
  }
  TgResults *results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return results;
}

static void clear(void *results) {
  tg_results_free(results);
}

static TgJson *document(const void *results) {
  return tg_results_document(results);
}

static bool right(const void *results, GError **error) {
  return tg_results_right(results, error);
}

const TgExperiment tg_experiment_dobravec = {
    .name = "dobravec",
    .summary = "a simple product on the processor and on the GPU: Tables 1 and 2, Figs. 1 and 2",
    .details =
        "The product of T. Dobravec and P. Bulić on the processor (matrixMulH, sums in double precision), on the "
        "GPU from global memory (DG) and by shared memory (DS), at 8n for n = 1 to 100 in blocks of 8x8 and "
        "16x16, as printed and corrected; and DS with shared memory sized at run time at 512, in blocks of 1 to 256 "
        "threads. Beside the paper's figures. Its host anomaly is `bench host-anomaly`.",
    .paper = "T. Dobravec, P. Bulić, Comparing CPU and GPU Implementations of a Simple Matrix Multiplication Algorithm",
    .takes_cpu_only = true,
    .measure = measure,
    .clear = clear,
    .print = tg_dobravec_print,
    .document = document,
    .plot = tg_dobravec_plot,
    .right = right,
};
