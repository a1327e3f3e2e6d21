/* bench transpose: what is measured. */
#include "essay.h"

#include "host-methods.h"
#include "suite.h"

enum { REPEATS = 100 };
static const double budget_s = 0.5; /* of trials, a kernel and size */

static bool copy_memory(const TgOperands *operands, TgError *error) {
  return tg_device_copy_across(operands->device[2], operands->device[0], operands->bytes[0], error);
}

/* Once a launch, and a hundred times within one: the essay's nreps. */
#define TWICE(NAME, WIDTH)                                                                                             \
  {.name = NAME, .historic = NAME, .width = WIDTH}, {                                                                  \
    .name = NAME "/100", .historic = NAME, .width = WIDTH, .repeats = REPEATS                                          \
  }

static const TgMethod copies[] = {
    TWICE("essay-copy", 16),
    TWICE("essay-copy", 32),
    {.name = "memcpy", .device = copy_memory},
};
static const TgMethod transposes[] = {
    {.name = "cpu", .cpu = tg_host_transpose}, TWICE("essay-transpose-naive", 16),
    TWICE("essay-transpose-naive", 32),        TWICE("essay-transpose-unpadded", 16),
    TWICE("essay-transpose-unpadded", 32),     TWICE("essay-transpose-shared", 16),
    TWICE("essay-transpose-shared", 32),
};
static const int64_t usual_sizes[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

/* The same matrices for both: A is drawn from the seed alone. */
static bool measure_kind(TgSuite *suite, TgHistoricKind kind, int64_t n, GError **error) {
  const TgSuiteSize size = {kind, TG_NUMBER_F32, n, n, 1};
  suite->methods = kind == TG_HISTORIC_COPY ? copies : transposes;
  suite->method_count = kind == TG_HISTORIC_COPY ? G_N_ELEMENTS(copies) : G_N_ELEMENTS(transposes);
  return tg_suite_measure(suite, &size, error);
}

static GArray *all_methods(void) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(TgMethod));
  g_array_append_vals(all, copies, G_N_ELEMENTS(copies));
  g_array_append_vals(all, transposes, G_N_ELEMENTS(transposes));
  return all;
}

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBERS};
  g_autoptr(GArray) all = all_methods();
  TgNumber number;
  TgSuite suite;
  if (!tg_suite_number(options, allowed, &number, error) ||
      !tg_suite_open(&suite, "transpose", options, (const TgMethod *)(void *)all->data, all->len, budget_s, error))
    return NULL;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual_sizes, G_N_ELEMENTS(usual_sizes), 128);
  bool fine = true;
  suite.total = (int64_t)sizes->len * (suite.on_device ? all->len : 1);
  for (guint s = 0; fine && s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    fine = measure_kind(&suite, TG_HISTORIC_COPY, n, error) && measure_kind(&suite, TG_HISTORIC_TRANSPOSE, n, error);
  }
  TgResults *results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return results;
}

const TgExperiment tg_experiment_transpose = {
    .name = "transpose",
    .summary = "the transpositions of an essay, compared with a copy",
    .details = "Transposition on the CPU, by a naive kernel, and through shared memory with and without padding, in "
               "f32, for n = 16 to 16384, once and a hundred times per launch (the essay's nreps): time and GB/s, with "
               "a copy in the same run for comparison.",
    .paper = "Investigation of Matrix Multiplication, Computer Science Essay",
    .takes_cpu_only = true,
    .measure = measure,
    .clear = tg_results_clear,
    .print = tg_transpose_print,
    .document = tg_results_document,
    .plot = tg_transpose_plot,
    .right = tg_results_right,
};
