#include "tiled.h"
#include "interrupt.h"

#include "checksum.h"

#include <math.h>

TgExit tg_tiled_built(const TgCli *cli) {
  const char *lacks = tg_disk_lacks();
  if (!lacks) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_MISSING, "%s: this build does not support tiled files: %s", cli->command->name, lacks);
}

TgExit tg_extents_parse(const TgCli *cli, const char *option, const char *text, int64_t *rows, int64_t *columns) {
  if (!text) return TG_EXIT_DONE;
  g_auto(GStrv) words = g_strsplit(text, "x", 0);
  if (g_strv_length(words) != 2)
    return tg_report(cli, TG_EXIT_USAGE, "%s %s: expected ROWSxCOLUMNS, as in 4096x1024", option, text);
  TgExit status = tg_number_parse(cli, option, words[0], 1, INT64_MAX >> 16, rows);
  return status ? status : tg_number_parse(cli, option, words[1], 1, INT64_MAX >> 16, columns);
}

TgExit tg_tile_option(const TgCli *cli, TgTileSize *size) {
  *size = (TgTileSize){0, 0};
  return tg_extents_parse(cli, "--tile", cli->options.tile, &size->rows, &size->columns);
}

TgExit tg_tiled_report_wrong(const TgCli *cli, const char *c, double relative_error, double tolerance) {
  if (isnan(relative_error))
    return tg_report(cli, TG_EXIT_WRONG, "%s: the product cannot be checked, because A, B or C has NaN or Inf", c);
  return tg_report(cli, TG_EXIT_WRONG, "%s: wrong product: relative error %.3g (tolerance %.3g)", c, relative_error,
                   tolerance);
}

TgExit tg_tiled_report(const TgCli *cli, GError *error) {
  if (!tg_interrupted()) return tg_report_error(cli, error);
  g_error_free(error);
  return TG_EXIT_FAILED;
}
