/* bench oneil: what is measured. */
#include "oneil.h"

#include "division.h"
#include "host-methods.h"
#include "suite.h"

#include <inttypes.h>

static const double budget_s = 20; /* of trials, a kernel and size */

static const int64_t usual_sizes[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

/* The paper's kernels between the CPU and the vendor's library. What a launch alone takes is measured once. */
static GArray *methods_new(void) {
  const TgMethod cpu = {.name = "cpu", .cpu = tg_host_product}, cublas = {.name = "cublas", .kernel = "cublas"};
  GArray *methods = tg_suite_paper_methods(&tg_historic_oneil);
  for (guint i = 0; i < methods->len; i++) {
    TgMethod *method = &g_array_index(methods, TgMethod, i);
    if (tg_historic_find(method->historic)->kind == TG_HISTORIC_NOTHING) method->most = 8;
  }
  g_array_prepend_val(methods, cpu);
  g_array_append_val(methods, cublas);
  return methods;
}

/* One method more: the division that bench division keeps as the best of this card, or that its rule chooses. */
static bool add_chosen(TgSuite *suite, GArray *methods, const TgSuiteSize *size, GError **error) {
  const TgHistoricType type = size->number == TG_NUMBER_I32 ? TG_HISTORIC_I32 : TG_HISTORIC_F32;
  GError *why = NULL;
  TgDivision division;
  bool kept, any = suite->on_device && tg_division_pick(&suite->results->environment.device, type, size->n,
                                                        !suite->options->no_cache, &division, &kept, &why);
  if (why) {
    g_propagate_error(error, why);
    return false;
  }
  if (!any) return true;
  const TgMethod method = {
      .name = "chosen", .historic = division.kernel->name, .width = division.width, .split = division.split};
  g_array_append_val(methods, method);
  tg_results_note(suite->results, "chosen at %" PRId64 ": %s, width %d, split %d, %s", size->n, division.kernel->name,
                  division.width, division.split, kept ? "as an earlier sweep found" : "by the rule");
  return true;
}

static bool measure_size(TgSuite *suite, GArray *methods, const TgSuiteSize *size, GError **error) {
  const guint count = methods->len;
  if (!add_chosen(suite, methods, size, error)) return false;
  suite->methods = (const TgMethod *)(void *)methods->data;
  suite->method_count = methods->len;
  const bool fine = tg_suite_measure(suite, size, error);
  g_array_set_size(methods, count);
  return fine;
}

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBER_I32, TG_NUMBERS};
  const TgMethod chosen = {.name = "chosen"};
  g_autoptr(GArray) methods = methods_new();
  TgSuite suite;
  TgSuiteSize size = {.kind = TG_HISTORIC_PRODUCT};
  g_array_append_val(methods, chosen); /* its name, for --kernels */
  if (!tg_suite_number(options, allowed, &size.number, error) ||
      !tg_suite_open(&suite, "oneil", options, (const TgMethod *)(void *)methods->data, methods->len, budget_s, error))
    return NULL;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual_sizes, G_N_ELEMENTS(usual_sizes), 128);
  bool fine = true;
  g_array_set_size(methods, methods->len - 1);
  suite.paper = &tg_historic_oneil;
  suite.total = (int64_t)sizes->len * 6;
  for (guint s = 0; fine && s < sizes->len; s++) {
    size.m = size.n = size.k = g_array_index(sizes, int64_t, s);
    fine = measure_size(&suite, methods, &size, error);
  }
  TgResults *results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return results;
}

const TgExperiment tg_experiment_oneil = {
    .name = "oneil",
    .summary = "a paper's two algorithms in shared memory, also for larger matrices",
    .details =
        "The kernels of T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication, at 8x8 and 16x16 with "
        "its Tables 1 and 2, and up to 32768: as many trials as fit in 20 s, at least 3; kernel, launch and transfers "
        "separately. Sizes that would take over 60 s per trial are skipped and named. --type f32 or i32.",
    .paper = "T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication",
    .takes_cpu_only = true,
    .measure = measure,
    .clear = tg_results_clear,
    .print = tg_oneil_print,
    .document = tg_results_document,
    .plot = tg_oneil_plot,
    .right = tg_results_right,
};
