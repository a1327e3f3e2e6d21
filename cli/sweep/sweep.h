/** @file sweep.h
 * `topogemm sim` with several ALGOs or `--sweep`: a prediction for each ALGO at each point, who wins where, and plots.
 */
#ifndef TG_SWEEP_H
#define TG_SWEEP_H

#include "sim.h"

#include "gnuplot.h"
#include "json-writer.h"

enum { TG_SWEEP_VALUES = 1000, TG_SWEEP_POINTS = 10000 };

/** A size and a number of processors. */
typedef struct TgSweepPoint {
  int64_t m, n, k; /**< 0 where --efficiency finds them for each ALGO */
  int64_t p;       /**< 0 where --grid gives it */
} TgSweepPoint;

/** One ALGO at one point. */
typedef struct TgSweepCell {
  char *skipped; /**< why there is no prediction, or NULL */
  char *no_grid; /**< of that, why there is no grid of p processors; NULL where the reason is another one */
  char grid[48];
  char network[TG_TOPOLOGY_TEXT_BYTES];
  int64_t n, processors;
  double time_s, compute_s, communication_s;
  double efficiency;    /**< NaN where there are no products */
  double closed_form_s; /**< NaN where there is none */
  int64_t messages, bytes, max_link_bytes;
  TgSimMemory memory;
  bool proved;
  TgBindings *parameters; /**< shared by the cells of one ALGO and p: g_rc_box_release() */
} TgSweepCell;

/** Where another ALGO becomes the fastest, along n for each p, or along p for each n. */
typedef struct TgCrossover {
  int64_t fixed;     /**< the other variable; 0 where there is none */
  int before, after; /**< ALGOs */
  int64_t last, at;  /**< the last value that `before` wins, the first that `after` does */
  double near;       /**< where their times meet, interpolated between the two; NaN where one has none there */
} TgCrossover;

typedef struct TgSweep {
  GArray *n, *p;     /**< int64_t, ascending; empty where not swept */
  double efficiency; /**< that is asked for; NaN where none is */
  int algorithms;
  char **algorithm;     /**< their schedules' names */
  char **isoefficiency; /**< from their closed forms, or NULL */
  GArray *points;       /**< TgSweepPoint, p by p */
  TgSweepCell *cell;    /**< points x algorithms */
  GArray *crossovers;   /**< TgCrossover */
  bool along_n;         /**< crossovers are along n, not p */
  double tie;           /**< relative difference below which two times are the same */
  char machine[TG_MACHINE_NAME_BYTES];
  char *settings; /**< network, model and the like, in words */
  TgCostOptions options;
  const char *element;
  const char *model;
} TgSweep;

/** Runs it all. */
TgExit tg_sweep(TgCli *cli);

static inline TgSweepCell *tg_sweep_cell(const TgSweep *sweep, guint point, int algorithm) {
  return &sweep->cell[(gsize)point * (gsize)sweep->algorithms + (gsize)algorithm];
}
static inline const TgSweepPoint *tg_sweep_point(const TgSweep *sweep, guint point) {
  return &g_array_index(sweep->points, TgSweepPoint, point);
}
/** The fastest ALGO at the point (with --efficiency the one that needs the least n), `before` where that is as fast;
 * -1 where there is none. */
int tg_sweep_winner(const TgSweep *sweep, guint point, int before);
/** True where the ALGO is as good as the winner. */
bool tg_sweep_ties(const TgSweep *sweep, guint point, int algorithm, int winner);
void tg_sweep_find_crossovers(TgSweep *sweep);

void tg_sweep_print(TgCli *cli, const TgSweep *sweep);
void tg_sweep_write(TgJson *json, const TgSweep *sweep);
/** True where the file of `-o` is a plot. */
bool tg_sweep_is_drawn(const char *path);
/** Looks at `-o` before anything is run: an unknown format, a program that is not here, nothing to plot. */
TgExit tg_sweep_file_check(const TgCli *cli, const TgSweep *sweep);
TgExit tg_sweep_file_write(TgCli *cli, const TgSweep *sweep);

#endif
