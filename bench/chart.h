/** @file chart.h
 * Curves in panels, as a script for gnuplot: both axes logarithmic unless asked otherwise, a colour a name over all
 * panels. */
#ifndef TG_CHART_H
#define TG_CHART_H

#include "gnuplot.h"

TG_BEGIN_DECLS

typedef struct TgChart TgChart;
typedef struct TgPanel TgPanel;

/** `note` is printed below the title. */
TgChart *tg_chart_new(const char *title, const char *note);
void tg_chart_free(TgChart *chart);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgChart, tg_chart_free)

/** A panel more, which belongs to the chart. */
TgPanel *tg_chart_panel(TgChart *chart, const char *title, const char *x, const char *y);
/** Evenly spaced numbers on both axes, y from 0, instead of logarithms: before the points. */
void tg_panel_linear(TgPanel *panel);
/** Points without lines, times in seconds on both axes, and the line on which both are the same: before the points. */
void tg_panel_parity(TgPanel *panel);
/** A point more of the curve of this name; without effect where a number is NaN or negative, or, on axes of logarithms,
 * 0. */
void tg_panel_point(TgPanel *panel, const char *curve, double x, double y);

/** The script. Free with g_free(). */
char *tg_chart_script(const TgChart *chart, const TgPlotFormat *format);

TG_END_DECLS

#endif
