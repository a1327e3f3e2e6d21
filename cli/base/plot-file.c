#include "plot-file.h"

#include "output-files.h"
#include "report.h"

TgExit tg_plot_file_check(const TgCli *cli) {
  const char *path = cli->options.plot;
  const TgPlotFormat *format = path ? tg_plot_format(path) : NULL;
  if (path && !format)
    return tg_report(cli, TG_EXIT_USAGE, "--plot %s: expected a name that ends in .svg, .png, .pdf or .gp", path);
  if (!format || tg_plot_possible(format)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_MISSING, "--plot %s: gnuplot is not installed; use .gp for its script", path);
}

TgExit tg_plot_file_write(TgCli *cli, TgPlotMaker *make, const void *data) {
  const char *path = cli->options.plot;
  g_autofree char *bytes = NULL;
  gsize length;
  GError *error = NULL;
  if (!path) return TG_EXIT_DONE;
  if (!tg_plot_make(tg_plot_format(path), make, data, &bytes, &length, &error)) return tg_report_error(cli, error);
  return tg_output_file_write(cli, path, bytes, length);
}
