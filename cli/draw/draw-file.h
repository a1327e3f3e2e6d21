/** @file draw-file.h
 * Files of pictures: the format that a name asks for, and writing them. */
#ifndef TG_DRAW_FILE_H
#define TG_DRAW_FILE_H

#include "cli.h"

#include "draw.h"

/** The suffix of `-o`, which must be one of `formats` ("dot, svg, png"). */
TgExit tg_draw_file_format(const TgCli *cli, const char *formats, const char **format);
/** Takes `--heat`; leaves `heat` alone where there is none. */
TgExit tg_draw_heat_option(const TgCli *cli, TgHeat *heat);
/** Writes the file, complete or not at all. */
bool tg_draw_file_write(const char *path, GBytes *file, GError **error);

#endif
