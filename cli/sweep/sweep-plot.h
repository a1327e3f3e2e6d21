/** @file sweep-plot.h
 * Private to the plots of a sweep. */
#ifndef TG_SWEEP_PLOT_H
#define TG_SWEEP_PLOT_H

#include "sweep.h"

typedef struct TgPlot {
  const TgSweep *sweep;
  GString *script;
  bool sizes;           /* --efficiency: n against p, one panel */
  bool efficiencies;    /* a panel for them */
  guint lines, columns; /* values of the other variable, and how many of them are drawn */
  int rows, across;     /* panels */
  double width, height; /* pixels */
  char **settings;      /* lines below the title */
} TgPlot;

/** What the predictions depend on, in lines that go on the page. Free with g_strfreev(). */
char **tg_plot_settings(const TgPlot *plot);
/** Pixels that the settings take, and the legend beyond its first line. */
double tg_plot_head_height(const TgPlot *plot);
void tg_plot_add_settings(const TgPlot *plot);
/** Above the panels, for all of them: gnuplot's own would be as wide as one. */
void tg_plot_add_legend(const TgPlot *plot);

#endif
