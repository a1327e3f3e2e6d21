/** @file sweep.h
 * Sweeps: what several schedules cost at several sizes and numbers of processors, which of them is the fastest at each
 * point, and where another one becomes it. */
#ifndef TG_SWEEP_H
#define TG_SWEEP_H

#include "estimate.h"

TG_BEGIN_DECLS

/** A schedule to compare; all should compute the same. What it points to must outlive the sweep. */
typedef struct TgSweepSource {
  const TgSchedule *schedule; /**< parsed, not bound */
  const TgScheduleNames *names;
  const TgFormula *formula; /**< its closed form, or NULL */
  TgBindings bindings; /**< its parameters; with the grid's extents where the numbers of processors are not swept */
  uint32_t in_memory, by_rows; /**< of its buffers, as in TgTierOptions */
} TgSweepSource;

/** The values to sweep over, and the rest of the problem. */
typedef struct TgSweepRequest {
  GArray *n;         /**< int64_t, ascending: sizes of square matrices; NULL or empty: those below */
  GArray *p;         /**< int64_t, ascending: numbers of processors; NULL or empty: those of the sources' grids */
  int64_t size[3];   /**< m, n, k where n is not swept, and no efficiency is asked for */
  double efficiency; /**< finds the least n with this efficiency, of those that make blocks of one size; 0: at the
                          sizes above */
  TgMachine machine;
  const char *network; /**< as tg_estimate_place() reads it */
  TgEmbeddingKind embedding;
  TgElement element;
  TgCostOptions options;     /**< element_bytes is that of `element` */
  double memory_limit_bytes; /**< of a proof and a prediction; 0: no limit */
  const TgWatch *watch;      /**< told the predictions done, also during the next one, and can stop it; NULL: nobody */
} TgSweepRequest;

/** A size and a number of processors. */
typedef struct TgSweepPoint {
  int64_t m, n, k; /**< 0 where an efficiency finds them for each schedule */
  int64_t p;       /**< 0 where the grids are given */
} TgSweepPoint;

/** One schedule at one point. */
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
  TgEstimateMemory memory;
  bool proved;
  TgBindings *parameters; /**< tg_parameters_of() on this grid; shared by the cells of one schedule and p */
} TgSweepCell;

/** Where another schedule becomes the fastest, along n for each p, or along p for each n. */
typedef struct TgCrossover {
  int64_t fixed;     /**< the other variable; 0 where there is none */
  int before, after; /**< sources */
  int64_t last, at;  /**< the last value that `before` wins, the first that `after` does */
  double near;       /**< where their times meet, interpolated between the two; NaN where one has none there */
} TgCrossover;

/** Points along n for one p, or along p for one n: `count` of them, `stride` apart. */
typedef struct TgSweepLine {
  int64_t fixed; /**< the other variable; 0 where it is not swept */
  guint first, stride, count;
} TgSweepLine;

typedef struct TgSweep {
  GArray *n, *p;     /**< those of the request, empty where it has none */
  double efficiency; /**< that was asked for; NaN where none was */
  int sources;
  GArray *points;        /**< TgSweepPoint, p by p */
  TgSweepCell *cell;     /**< points x sources */
  GArray *crossovers;    /**< TgCrossover, line by line */
  bool along_n;          /**< lines are along n, not p */
  double tie;            /**< relative difference below which two times are the same */
  int failed;            /**< source at which tg_sweep() failed, … */
  TgSchedule bound;      /**< … bound as it was then, … */
  TgEstimateFault fault; /**< … and what did */
} TgSweep;

/** Predicts every source at every point.
 * Errors: BAD_INPUT where the values, a grid, the network and the schedule do not fit; TOO_LARGE where memory is short;
 * SCHEDULE where a proof or a run fails. `failed`, `bound` and `fault` tell more. The sweep is to be cleared even then.
 */
bool tg_sweep(const TgSweepRequest *request, const TgSweepSource *sources, int count, TgSweep *sweep, GError **error);
void tg_sweep_clear(TgSweep *sweep);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSweep, tg_sweep_clear)

/** Binds the schedule to the squarest grid of `processors` that it takes. False where there is none; `*why` says it
 * ("its grid is i:q, j:q") and is freed with g_free(). */
bool tg_sweep_bind(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *parameters, int64_t processors,
                   char **why);

static inline TgSweepCell *tg_sweep_cell(const TgSweep *sweep, guint point, int source) {
  return &sweep->cell[(gsize)point * (gsize)sweep->sources + (gsize)source];
}
static inline const TgSweepPoint *tg_sweep_point(const TgSweep *sweep, guint point) {
  return &g_array_index(sweep->points, TgSweepPoint, point);
}

/** The fastest source at the point (with an efficiency the one that needs the least n), `before` where that is as fast;
 * -1 where there is none. */
int tg_sweep_winner(const TgSweep *sweep, guint point, int before);
/** True where the source is as good as the winner. */
bool tg_sweep_ties(const TgSweep *sweep, guint point, int source, int winner);
/** The sources in order of their time, those without one last. */
void tg_sweep_rank(const TgSweep *sweep, guint point, int *order);
/** How many lines there are. */
guint tg_sweep_lines(const TgSweep *sweep);
TgSweepLine tg_sweep_line(const TgSweep *sweep, guint line);
/** The line's value at a point: its n, or its p. */
int64_t tg_sweep_along(const TgSweep *sweep, guint point);
/** The exponent x of work 2·n³ ~ p^x between the first and the last number of processors that have an n; these are put
 * in `ends`. NaN where there are not two. */
double tg_sweep_growth(const TgSweep *sweep, int source, int64_t ends[2]);

TG_END_DECLS

#endif
