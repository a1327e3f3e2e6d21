/* What a suite takes from a paper's own tables. */
#include "suite.h"

#include <math.h>
#include <string.h>

static void add_method(GArray *methods, const TgHistoric *kernel, int32_t width) {
  const TgMethod method = {.name = kernel->name,
                           .historic = kernel->name,
                           .width = width,
                           .least = kernel->exactly,
                           .most = kernel->exactly ? kernel->exactly : kernel->most[0]};
  g_array_append_val(methods, method);
}

GArray *tg_suite_paper_methods(const TgHistoricPaper *paper) {
  GArray *methods = g_array_new(FALSE, TRUE, sizeof(TgMethod));
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    add_method(methods, kernel, kernel->widths[0]);
    for (int w = 1; kernel->most[0] && w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++)
      add_method(methods, kernel, kernel->widths[w]);
  }
  return methods;
}

void tg_suite_paper_figures(const TgHistoricPaper *paper, TgResult *row) {
  const double us = 1e-6;
  for (size_t f = 0; f < paper->figure_count; f++) {
    const TgHistoricFigure *figure = &paper->figures[f];
    if (row->n != figure->n || row->m != figure->n || strcmp(row->method, figure->kernel) != 0) continue;
    if (figure->width && row->width != figure->width) continue;
    row->has_paper = true;
    row->paper = (TgMeasurement){.trials = figure->trials,
                                 .min_s = figure->min_us * us,
                                 .median_s = NAN,
                                 .mean_s = figure->mean_us * us,
                                 .max_s = figure->max_us * us,
                                 .stddev_s = figure->stddev_us * us};
  }
}
