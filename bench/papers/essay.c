/* bench essay: what is measured. */
#include "essay.h"

#include "host-methods.h"
#include "suite.h"

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

static bool measure_squares(TgSuite *suite, const GArray *sizes, GError **error) {
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    const TgSuiteSize size = {TG_HISTORIC_PRODUCT, TG_NUMBER_F32, n, n, n};
    if (!tg_suite_measure(suite, &size, error)) return false;
  }
  return true;
}

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

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBERS};
  TgNumber number;
  TgSuite suite;
  if (!tg_suite_number(options, allowed, &number, error) ||
      !tg_suite_open(&suite, "essay", options, methods, G_N_ELEMENTS(methods), budget_s, error))
    return NULL;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual_sizes, G_N_ELEMENTS(usual_sizes), 128);
  suite.total = (int64_t)sizes->len * (suite.on_device ? (int64_t)G_N_ELEMENTS(methods) : 1);
  bool fine = measure_squares(&suite, sizes, error) && (options->size_count || measure_oblongs(&suite, error));
  TgResults *results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return results;
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
    .clear = tg_results_clear,
    .print = tg_essay_print,
    .document = tg_results_document,
    .plot = tg_essay_plot,
    .right = tg_results_right,
};
