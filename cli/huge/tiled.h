/** @file tiled.h
 * What the subcommands about tiled files share. */
#ifndef TG_TILED_H
#define TG_TILED_H

#include "algo.h"

#include "tiled-matrix.h"

/** TG_EXIT_MISSING where this build has no tiled files. */
TgExit tg_tiled_built(const TgCli *cli);
/** Reads "128x256" into two numbers of at least 1; left alone where `text` is NULL. */
TgExit tg_extents_parse(const TgCli *cli, const char *option, const char *text, int64_t *rows, int64_t *columns);
/** Takes --tile: zeros where it is not given. */
TgExit tg_tile_option(const TgCli *cli, TgTileSize *size);
/** Reports a product that is none, or that NaN or Inf leaves unknown. TG_EXIT_WRONG. */
TgExit tg_tiled_report_wrong(const TgCli *cli, const char *c, double relative_error, double tolerance);
/** Reports an error, unless it is that a signal stopped the work: main() then ends the program by that signal. */
TgExit tg_tiled_report(const TgCli *cli, GError *error);

#endif
