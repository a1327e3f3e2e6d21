/** @file draw-chart.h
 * `draw --spacetime` and `draw --memory`: whole runs of one or several schedules on one axis. */
#ifndef TG_DRAW_CHART_H
#define TG_DRAW_CHART_H

#include "cli.h"

#include <glib.h>

/** Refuses options that do not belong to the picture that the others ask for. */
TgExit tg_draw_check_options(const TgCli *cli);

/** Draws what --spacetime or --memory asks for, and writes it. */
TgExit tg_draw_chart(TgCli *cli);
TgExit tg_draw_spacetime_chart(TgCli *cli, const char *format);
TgExit tg_draw_memory_chart(TgCli *cli, const char *format);

/** "cannon on 4x4: what" for one, "What: cannon on 4x4, dns on 4x4x4" for several. Free with g_free(). */
char *tg_draw_chart_title(const char *what, const char *const *names, int count);
/** Writes the picture and says so; reports `error` where there is none. */
TgExit tg_draw_chart_write(TgCli *cli, GBytes *file, GError *error);

#endif
