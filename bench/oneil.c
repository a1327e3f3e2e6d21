/* bench oneil: what is measured. */
#include "oneil.h"

#include "host-methods.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const double budget_s = 20; /* of trials, a kernel and size */

static const TgMethod methods[] = {
    {.name = "cpu", .cpu = tg_host_product},
    {.name = "oneil-nothing", .historic = "oneil-nothing", .most = 8},
    {.name = "oneil-cannon", .historic = "oneil-cannon", .most = 32},
    {.name = "oneil-dns-cube-as-printed", .historic = "oneil-dns-cube-as-printed", .least = 8, .most = 8},
    {.name = "oneil-dns-cube-corrected", .historic = "oneil-dns-cube-corrected", .most = 8},
    {.name = "oneil-dns-planes", .historic = "oneil-dns-planes", .width = 8, .most = 8},
    {.name = "oneil-dns-planes", .historic = "oneil-dns-planes", .width = 4, .most = 8},
    {.name = "oneil-dns-planes", .historic = "oneil-dns-planes", .width = 2, .most = 8},
    {.name = "oneil-cannon-tiles", .historic = "oneil-cannon-tiles"},
    {.name = "oneil-dns-cube-tiles", .historic = "oneil-dns-cube-tiles"},
    {.name = "oneil-dns-cube-tiles-banks", .historic = "oneil-dns-cube-tiles-banks"},
    {.name = "oneil-dns-planes-tiles", .historic = "oneil-dns-planes-tiles"},
    {.name = "cublas", .kernel = "cublas"},
};

static const int64_t usual_sizes[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

/* Tables 1 and 2, microseconds. */
static const struct {
  const char *method;
  int64_t n;
  int32_t width, trials;
  double min_us, max_us, mean_us, stddev_us;
} papers[] = {
    {"oneil-cannon", 8, 0, 15, 277.5, 287.7, 281.6, 3.2},
    {"oneil-dns-cube-as-printed", 8, 0, 24, 279.7, 291.2, 282.7, 3.1},
    {"oneil-dns-cube-corrected", 8, 0, 24, 279.7, 291.2, 282.7, 3.1},
    {"oneil-dns-planes", 8, 8, 26, 277.0, 287.0, 282.2, 2.6},
    {"oneil-dns-planes", 8, 4, 23, 278.7, 290.1, 282.3, 2.6},
    {"oneil-dns-planes", 8, 2, 25, 280.2, 291.5, 283.1, 2.7},
    {"oneil-cannon-tiles", 16, 0, 15, 270.4, 277.5, 274.1, 2.0},
    {"oneil-dns-cube-tiles", 16, 0, 15, 273.4, 283.8, 277.4, 3.4},
    {"oneil-dns-planes-tiles", 16, 0, 16, 282.7, 300.8, 288.2, 4.6},
};

void tg_oneil_paper(TgResult *row) {
  const double us = 1e-6;
  for (size_t p = 0; p < G_N_ELEMENTS(papers); p++) {
    if (row->n != papers[p].n || strcmp(row->method, papers[p].method) != 0) continue;
    if (papers[p].width && row->width != papers[p].width) continue;
    row->has_paper = true;
    row->paper = (TgMeasurement){.trials = papers[p].trials,
                                 .min_s = papers[p].min_us * us,
                                 .median_s = NAN,
                                 .mean_s = papers[p].mean_us * us,
                                 .max_s = papers[p].max_us * us,
                                 .stddev_s = papers[p].stddev_us * us};
  }
}

static void *measure(const TgBenchOptions *options, GError **error) {
  static const TgNumber allowed[] = {TG_NUMBER_F32, TG_NUMBER_I32, TG_NUMBERS};
  TgSuite suite;
  TgSuiteSize size = {.kind = TG_HISTORIC_PRODUCT};
  if (!tg_suite_number(options, allowed, &size.number, error) ||
      !tg_suite_open(&suite, "oneil", options, methods, G_N_ELEMENTS(methods), budget_s, error))
    return NULL;
  g_autoptr(GArray) sizes = tg_suite_sizes(options, usual_sizes, G_N_ELEMENTS(usual_sizes), 128);
  bool fine = true;
  suite.paper = tg_oneil_paper;
  suite.total = (int64_t)sizes->len * 6;
  for (guint s = 0; fine && s < sizes->len; s++) {
    size.m = size.n = size.k = g_array_index(sizes, int64_t, s);
    fine = tg_suite_measure(&suite, &size, error);
  }
  TgResults *results = fine ? tg_suite_finish(&suite) : NULL;
  tg_suite_clear(&suite);
  return results;
}

const TgExperiment tg_experiment_oneil = {
    .name = "oneil",
    .summary = "Cannon and DNS in shared memory: Tables 1 and 2, and larger matrices",
    .details = "Cannon and DNS on 8x8 and 16x16, beside the paper's Tables 1 and 2 (T. W. O'Neil), and on to 32768: as "
               "many trials as fit 20 s, at least 3; kernel, launch and transfers apart. What would take over 60 s a "
               "trial is left out, and named. --type f32 or i32.",
    .paper = "T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication",
    .takes_cpu_only = true,
    .measure = measure,
    .clear = tg_results_clear,
    .print = tg_oneil_print,
    .document = tg_results_document,
    .plot = tg_oneil_plot,
    .right = tg_results_right,
};
