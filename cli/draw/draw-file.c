#include "draw-file.h"
#include "report.h"

#include "atomic-file.h"

#include <string.h>

TgExit tg_draw_file_format(const TgCli *cli, const char *formats, const char **format) {
  const char *path = cli->options.output, *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
  g_auto(GStrv) known = g_strsplit(formats, ", ", -1);
  if (!dot || !dot[1])
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a suffix that selects the format, one of %s", path, formats);
  *format = dot + 1;
  if (g_strv_contains((const char *const *)known, *format)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "-o %s: unknown format, expected one of %s", path, formats);
}

TgExit tg_draw_heat_option(const TgCli *cli, TgHeat *heat) {
  if (!cli->options.heat || tg_heat_parse(cli->options.heat, heat)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--heat %s: expected auto, link, received or held", cli->options.heat);
}

bool tg_draw_file_write(const char *path, GBytes *file, GError **error) {
  gsize size;
  const void *bytes = g_bytes_get_data(file, &size);
  return tg_atomic_file_write(path, bytes, size, error);
}
