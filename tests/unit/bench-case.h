/** @file bench-case.h
 * For tests of experiments: results made up, and what is printed of them. */
#ifndef TG_TEST_BENCH_CASE_H
#define TG_TEST_BENCH_CASE_H

#include "experiment.h"
#include "results.h"

#include <math.h>
#include <string.h>

/** Five trials around a median. */
static inline TgMeasurement measured(double median_s) {
  return (TgMeasurement){.warmup = 2,
                         .trials = 5,
                         .min_s = median_s / 2,
                         .median_s = median_s,
                         .mean_s = median_s,
                         .max_s = 2 * median_s,
                         .stddev_s = median_s / 8};
}

/** A row of a product of n x n on the GPU: kernel, call, transfers of 1, 2, 4 and 8 times `seconds`. */
static inline TgResult gpu_row(const char *method, int32_t width, int64_t n, double seconds) {
  return (TgResult){.method = method,
                    .type = "f32",
                    .width = width,
                    .m = n,
                    .n = n,
                    .k = n,
                    .kernel = measured(seconds),
                    .call = measured(2 * seconds),
                    .in = measured(4 * seconds),
                    .out = measured(8 * seconds),
                    .flops = 2.0 * (double)(n * n * n),
                    .bytes = 12.0 * (double)(n * n),
                    .checked = true,
                    .limit = 1e-6,
                    .right = true};
}

static inline TgResult cpu_row(const char *method, int64_t n, double seconds) {
  TgResult row = gpu_row(method, 0, n, seconds);
  row.place = TG_ON_CPU;
  row.kernel = row.in = row.out = (TgMeasurement){0};
  row.call = measured(seconds);
  return row;
}

/** On a card that there is not. */
static inline TgResults *results_on_card(const char *experiment) {
  TgResults *results = tg_results_new(experiment, NULL);
  results->environment.has_device = true;
  results->environment.device = (TgDevice){.name = "a card", .capability = 90, .processors = 132, .clock_mhz = 1980};
  results->environment.clock_before_mhz = 1980;
  results->environment.clock_after_mhz = 1950;
  g_free(results->environment.processor);
  results->environment.processor = g_strdup("a processor");
  results->environment.cores = 16;
  return results;
}

static inline char *page_of(void (*print)(const TgResults *, TgPage *), const TgResults *results) {
  g_autoptr(TgPage) page = tg_page_new();
  print(results, page);
  return tg_page_text(page);
}

/** One space for several: columns are as wide as their widest cell. */
static inline char *squeezed(const char *text) {
  GString *made = g_string_new(NULL);
  for (; *text; text++)
    if (*text != ' ' || text[1] != ' ') g_string_append_c(made, *text);
  return g_string_free(made, FALSE);
}

/** Stops where a text lacks a part, however wide its columns are. */
static inline void expect_parts(const char *text, const char *const *parts, gsize count) {
  g_autofree char *narrow = squeezed(text);
  for (gsize i = 0; i < count; i++) {
    g_autofree char *part = squeezed(parts[i]);
    if (!strstr(narrow, part)) g_error("the text lacks `%s`:\n%s", parts[i], text);
  }
}

#endif
