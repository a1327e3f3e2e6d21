/** @file draw-file.h
 * What pictures have in common: options, the format that a name asks for, and writing files; and the charts of whole
 * runs of one or several schedules on one axis, `draw --spacetime` and `draw --memory`. */
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

/** Refuses options that do not belong to the picture that the others ask for. */
TgExit tg_draw_check_options(const TgCli *cli);

/** Draws what --spacetime or --memory asks for, and writes it. */
TgExit tg_draw_chart(TgCli *cli);
TgExit tg_draw_spacetime_chart(TgCli *cli, const char *format);
TgExit tg_draw_memory_chart(TgCli *cli, const char *format);

/** "cannon on 4x4: what" for one, "What: cannon on 4x4, dns on 4x4x4" for several. Free with g_free(). */
char *tg_draw_chart_title(const char *what, const char *const *names, int count);
/** Writes the picture and reports it; reports `error` where there is none. */
TgExit tg_draw_chart_write(TgCli *cli, GBytes *file, GError *error);

#endif
