/* The picture of `bench mmt`: the paper's figures. */
#include "mmt.h"
#include "results-print.h"

#include <string.h>

static const TgColumn compared[] = {{"v001", "mmt-v001", 8},           {"v004", "mmt-v004-corrected", 8},
                                    {"v006", "mmt-v006-corrected", 8}, {"v008", "mmt-v008-corrected", 8},
                                    {"v009", "mmt-v009-corrected", 8}, {"cublas", "mmt-cublas-corrected", 0}};

/* A panel each, a curve a width. */
static const char *const swept[] = {"mmt-v001", "mmt-v004-corrected", "mmt-v006-corrected", "mmt-v004-coalesced"};

static const char x[] = "d, rows of M", y[] = "flop/s, of 2d^3";

static void add_widths(TgChart *chart, const TgResults *results, const char *kernel) {
  const TgColumn widths[] = {
      {"width 4", kernel, 4}, {"width 8", kernel, 8}, {"width 16", kernel, 16}, {"width 32", kernel, 32}};
  TgPanel *panel = tg_chart_panel(chart, kernel + strlen("mmt-"), x, y);
  tg_panel_columns(panel, results, widths, G_N_ELEMENTS(widths), TG_SHOW_FLOPS);
}

char *tg_mmt_plot(const void *measured, const TgPlotFormat *format) {
  const TgMmt *mmt = measured;
  g_autofree char *where = tg_environment_text(&mmt->results->environment);
  g_autoptr(TgChart) chart = tg_chart_new("M * M' (Zhao)", where);
  TgPanel *alone = tg_chart_panel(chart, "in blocks of 8, without transfers", x, y);
  TgPanel *whole = tg_chart_panel(chart, "in blocks of 8, with transfers", x, y);
  tg_panel_columns(alone, mmt->results, compared, G_N_ELEMENTS(compared), TG_SHOW_FLOPS);
  tg_panel_columns(whole, mmt->results, compared, G_N_ELEMENTS(compared), TG_SHOW_WHOLE_FLOPS);
  for (size_t s = 0; s < G_N_ELEMENTS(swept); s++) add_widths(chart, mmt->results, swept[s]);
  return tg_chart_script(chart, format);
}
