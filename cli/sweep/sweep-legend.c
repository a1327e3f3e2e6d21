/* What stands above the panels of a plot: what the predictions depend on, and the names of the curves. */
#include "sweep-plot.h"

#include <string.h>

enum { LEGEND_ROW = 22, SETTINGS_ROW = 17 };

/* What the predictions depend on, in lines that go on the page. */
char **tg_plot_settings(const TgPlot *plot) {
  const TgSweep *sweep = plot->sweep;
  const gsize most = (gsize)((plot->width - 40) / 7);
  g_autofree char *text = g_strdup_printf("%s; %s, %s", sweep->machine, sweep->settings, sweep->element);
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  GPtrArray *lines = g_ptr_array_new();
  g_autoptr(GString) line = g_string_new(NULL);
  for (char **word = words; *word; word++) {
    if (line->len && line->len + 1 + strlen(*word) > most) {
      g_ptr_array_add(lines, g_strdup(line->str));
      g_string_truncate(line, 0);
    }
    g_string_append_printf(line, "%s%s", line->len ? " " : "", *word);
  }
  g_ptr_array_add(lines, g_strdup(line->str));
  g_ptr_array_add(lines, NULL);
  return (char **)g_ptr_array_free(lines, FALSE);
}

static double settings_rows(const TgPlot *plot) {
  return SETTINGS_ROW * (double)g_strv_length(plot->settings);
}

void tg_plot_add_settings(const TgPlot *plot) {
  for (int i = 0; plot->settings[i]; i++) {
    g_autofree char *line = tg_plot_quoted(plot->settings[i]);
    g_string_append_printf(plot->script, "set label %s at screen 0.5, %.4f center noenhanced font ',11'\n", line,
                           1 - (40 + SETTINGS_ROW * i) / plot->height);
  }
}

/* One name of the legend: its line, its mark, the name. */
static double legend_width(const TgPlot *plot, int algorithm) {
  return 70 + 7.5 * (double)g_utf8_strlen(plot->sweep->algorithm[algorithm], -1);
}

/* Names from `first` on that go on one line of the page. */
static int legend_row(const TgPlot *plot, int first, double *width) {
  int end = first;
  for (*width = 0; end < plot->sweep->algorithms; end++) {
    if (end > first && *width + legend_width(plot, end) > plot->width - 40) break;
    *width += legend_width(plot, end);
  }
  return end;
}

static int legend_rows(const TgPlot *plot) {
  double width;
  int rows = 0;
  for (int a = 0; a < plot->sweep->algorithms; rows++) a = legend_row(plot, a, &width);
  return rows;
}

/* Above the panels, for all of them: gnuplot's own would be as wide as one. */
void tg_plot_add_legend(const TgPlot *plot) {
  int a = 0;
  for (int row = 0; a < plot->sweep->algorithms; row++) {
    double width, y = 1 - (44 + settings_rows(plot) + LEGEND_ROW * row) / plot->height;
    const int end = legend_row(plot, a, &width);
    double left = (plot->width - width) / 2;
    for (; a < end; left += legend_width(plot, a++)) {
      g_autofree char *name = tg_plot_quoted(plot->sweep->algorithm[a]);
      g_string_append_printf(plot->script,
                             "set arrow from screen %.4f, %.4f to screen %.4f, %.4f nohead linetype %d\n"
                             "set label at screen %.4f, %.4f point linetype %d\n"
                             "set label %s at screen %.4f, %.4f left noenhanced\n",
                             left / plot->width, y, (left + 44) / plot->width, y, a + 1, (left + 22) / plot->width, y,
                             a + 1, name, (left + 50) / plot->width, y);
    }
  }
}

double tg_plot_head_height(const TgPlot *plot) {
  return settings_rows(plot) + LEGEND_ROW * (legend_rows(plot) - 1);
}
