/** @file plot-file.h
 * The plot of --plot. */
#ifndef TG_PLOT_FILE_H
#define TG_PLOT_FILE_H

#include "cli.h"

#include "gnuplot.h"

/** Refuses a --plot whose format is unknown, or that needs gnuplot where it is not installed: asked before what takes
 * long. */
TgExit tg_plot_file_check(const TgCli *cli);
/** Writes it, if there is that option. */
TgExit tg_plot_file_write(TgCli *cli, TgPlotMaker *make, const void *data);

#endif
