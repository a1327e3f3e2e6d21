/* What the charts of whole runs have in common. */
#include "draw-chart.h"
#include "draw-file.h"
#include "output.h"
#include "report.h"

#include <string.h>

/* The suffixes of what moves are known, but for other pictures. */
static TgExit find_format(const TgCli *cli, const char **format) {
  const char *path = cli->options.output, *what = cli->options.spacetime ? "spacetime" : "memory";
  if (!path) return tg_report(cli, TG_EXIT_USAGE, "draw --%s: expected -o FILE, as in -o %s.svg", what, what);
  if (g_str_has_suffix(path, ".gif") || g_str_has_suffix(path, ".html"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: draw --%s is one still picture: choose one of %s", path, what,
                     tg_draw_formats());
  return tg_draw_file_format(cli, tg_draw_formats(), format);
}

TgExit tg_draw_chart(TgCli *cli) {
  const char *format = NULL;
  TgExit status = find_format(cli, &format);
  if (status) return status;
  return cli->options.spacetime ? tg_draw_spacetime_chart(cli, format) : tg_draw_memory_chart(cli, format);
}

char *tg_draw_chart_title(const char *what, const char *const *names, int count) {
  GString *text = g_string_new(NULL);
  if (count == 1) g_string_append_printf(text, "%s: %s", names[0], what);
  if (count > 1) g_string_append_printf(text, "%c%s: ", g_ascii_toupper(*what), what + 1);
  for (int i = 0; i < count && count > 1; i++) g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", names[i]);
  return g_string_free(text, FALSE);
}

TgExit tg_draw_chart_write(TgCli *cli, GBytes *file, GError *error) {
  if (!file || !tg_draw_file_write(cli->options.output, file, &error)) return tg_report_error(cli, error);
  if (!cli->options.quiet) tg_print_line(cli, "%s", cli->options.output);
  return TG_EXIT_DONE;
}
