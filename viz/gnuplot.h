/** @file gnuplot.h
 * Plots by gnuplot, a program that is run where it is there: formats, the beginning of a script, the colours of curves.
 */
#ifndef TG_GNUPLOT_H
#define TG_GNUPLOT_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

/** A format, by the suffix of a file. */
typedef struct TgPlotFormat {
  const char *suffix;
  const char *terminal; /**< gnuplot's, and its options */
  double scale;         /**< units of the terminal a pixel */
  bool drawn;           /**< by gnuplot; else the file is the script */
} TgPlotFormat;

/** svg, png, pdf, and gp: the script; NULL where the path ends in none of them. */
const TgPlotFormat *tg_plot_format(const char *path);
/** Whether gnuplot is here, or not needed. */
bool tg_plot_possible(const TgPlotFormat *format);

/** A script for a page of so many pixels, written to standard output. */
GString *tg_plot_script_new(const TgPlotFormat *format, double width_px, double height_px);
/** Appends a space and a number. */
void tg_plot_add_number(GString *script, double number);
/** Sets line types 1 to `count`: colours after M. Okabe and K. Ito, which people who do not see all colours tell apart;
 * each has its own mark and dash, too. */
void tg_plot_add_styles(GString *script, int count);
/** A text between single quotes, as gnuplot reads it. Free with g_free(). */
char *tg_plot_quoted(const char *text);

/** Makes the script of `data`; see tg_plot_script_new(). */
typedef char *TgPlotMaker(const void *data, const TgPlotFormat *format);

/** The bytes of a picture, or of the script. gnuplot's files have no names, so that nothing stays of a run that fails
 * or is interrupted. Errors: G_FILE_ERROR, G_SPAWN_ERROR, TG_DRAW_ERROR_RENDER. */
bool tg_plot_make(const TgPlotFormat *format, TgPlotMaker *make, const void *data, char **bytes, gsize *length,
                  GError **error);

TG_END_DECLS

#endif
