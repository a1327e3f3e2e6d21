/* The picture of `bench host-anomaly`. */
#include "chart.h"
#include "host-anomaly.h"

#include <math.h>

static const char *const curves[TG_ANOMALY_SERIES] = {"rows of n elements", "rows of n + 16",
                                                      "rows of n, pages of 2 MB"};

static void add_sizes(const TgAnomaly *anomaly, TgChart *chart, const char *title, int64_t low, int64_t high) {
  TgPanel *panel = tg_chart_panel(chart, title, "rows of the matrices, n", "a multiply-add, times the others' median");
  tg_panel_linear(panel);
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    if (run->series >= TG_ANOMALY_ROWS || run->n < low || run->n > high) continue;
    tg_panel_point(panel, curves[run->series], (double)run->n, tg_anomaly_against(anomaly, run));
    tg_panel_point(panel, "the paper, 2017", (double)run->n, tg_anomaly_paper_against(anomaly, run));
  }
}

/* Against the sets of the first level that a column meets: one, two, four … */
static void add_lengths(const TgAnomaly *anomaly, TgChart *chart) {
  TgPanel *panel = tg_chart_panel(chart, "rows of 1024 to 2064 elements, pages of 2 MB",
                                  "sets of L1 that a column meets", "a multiply-add, s");
  for (int64_t sets = 1; anomaly->caches > 0 && sets <= anomaly->cache[0].sets; sets++)
    for (guint r = 0; r < anomaly->runs->len; r++) {
      const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
      g_autofree char *name = g_strdup_printf("%d rows", (int)run->n);
      if (run->series >= TG_ANOMALY_ROWS && run->walk[0].sets == sets)
        tg_panel_point(panel, name, (double)sets, run->step_s);
    }
}

char *tg_anomaly_plot(const void *measured, const TgPlotFormat *format) {
  const TgAnomaly *anomaly = measured;
  g_autofree char *host = tg_environment_host(&anomaly->environment);
  g_autoptr(TgChart) chart = tg_chart_new("A product on the processor, and the sets of its caches", host);
  add_sizes(anomaly, chart, "16n, n = 62 to 66", 0, 1279);
  add_sizes(anomaly, chart, "16n, n = 94 to 98", 1280, INT64_MAX);
  add_lengths(anomaly, chart);
  return tg_chart_script(chart, format);
}
