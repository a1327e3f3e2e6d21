/* bench dobravec: what is measured. */
#include "dobravec.h"

#include "double-sum.h"
#include "suite.h"

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
  suite.paper = &tg_historic_dobravec;
  suite.total = (int64_t)sizes->len * (options->cpu_only ? 1 : 10);
  for (guint s = 0; fine && s < sizes->len; s++) {
    size.m = size.n = size.k = g_array_index(sizes, int64_t, s);
    fine = tg_suite_measure(&suite, &size, error);
  }
  TgResults *results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return results;
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
    .clear = tg_results_clear,
    .print = tg_dobravec_print,
    .document = tg_results_document,
    .plot = tg_dobravec_plot,
    .right = tg_results_right,
};
