/** @file shapes.h
 * Which shape is the fastest on this card: for executors with several kernels, called variants, each variant on grids
 * of processors of many shapes, with each transport and every schedule of the library that goes there. */
#ifndef TG_SHAPES_H
#define TG_SHAPES_H

#include "executor.h"
#include "experiment.h"
#include "results.h"

TG_BEGIN_DECLS

enum { TG_SHAPES_GRID_BYTES = 48 };

/** An executor, and the grids that its schedules are tried on: "1x1 2x2". */
typedef struct TgShapesPlace {
  const TgExecutorKind *kind;
  const char *grids;
} TgShapesPlace;

/** A combination that was measured, or left out. */
typedef struct TgShapesRow {
  const char *on, *schedule;
  char grid[TG_SHAPES_GRID_BYTES];
  TgTransport transport;
  int32_t variant,
      variants; /**< as in TgExecutorFacts; variant 0: the executor was not opened, or refused its choice of one */
  bool chosen;  /**< the variant is the executor's own choice */
  int64_t n;
  int64_t processors, instances, resident;
  int32_t tile[2];
  int64_t instance[3]; /**< m, n and k of one instance in one panel */
  TgMeasurement time;  /**< of runs, by the executor; no trials: it was left out */
  char left_out[256];  /**< why; "" where it was not */
  double error, limit;
  bool right;
} TgShapesRow;

/** What its results have instead of rows. */
typedef struct TgShapes {
  const TgDevice *device; /**< of the results' environment */
  TgElement element;
  GArray *rows; /**< TgShapesRow */
  GArray *kept; /**< TgShapesRow: what an earlier run kept as the best of an executor at a size, without figures */
} TgShapes;

/** Gives results a TgShapes without rows, which belongs to them. */
TgShapes *tg_shapes_begin(TgResults *results, TgElement element);

static inline const TgShapesRow *tg_shapes_at(const TgShapes *shapes, guint row) {
  return &g_array_index(shapes->rows, TgShapesRow, row);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/** One size. */
typedef struct TgShapesPlan {
  const TgShapesPlace *places;
  size_t place_count;
  int64_t n;
  double budget_s;  /**< of trials, a combination */
  double longest_s; /**< of all of them; what is left then is left out */
  const TgBenchOptions *options;
} TgShapesPlan;

/** Measures the combinations of a size, each with its C checked, and adds their rows: first every schedule and grid in
 * the variant that the executor chooses, with its first transport, then with the others, then in the other variants,
 * where the one before was not hopeless. Wrong products are no error here. Errors: TG_BENCH_ERROR. */
bool tg_shapes_sweep(TgShapes *shapes, const TgShapesPlan *plan, GError **error);

/** Whether all names that `--kernels` gives are executors of the table or schedules of C = A * B in the library. */
bool tg_shapes_names_check(const TgShapesPlace *places, size_t count, char **names, GError **error);

/* --- judging ------------------------------------------------------------------------------------------------------ */

/** The fastest right row of an executor at a size; of a schedule, a grid, a transport where they are given (NULL, NULL,
 * TG_TRANSPORTS: any). NULL where there is none. */
const TgShapesRow *tg_shapes_best(const TgShapes *shapes, int64_t n, const char *on, const char *schedule,
                                  const char *grid, TgTransport transport);
/** The same combination in the variant that the executor chooses; NULL where it was not measured. */
const TgShapesRow *tg_shapes_own(const TgShapes *shapes, const TgShapesRow *row);
/** In how many variants the row's combination was measured and right. */
guint tg_shapes_variants(const TgShapes *shapes, const TgShapesRow *row);
/** The row of what was kept; NULL where it was not measured this time. */
const TgShapesRow *tg_shapes_of_kept(const TgShapes *shapes, const TgShapesRow *kept);
/** How much longer the executor's own variant takes than the best one, in the geometric mean over the combinations of
 * schedule, grid and transport that were measured in several variants; NaN where there are none. */
double tg_shapes_own_ratio(const TgShapes *shapes, int64_t n, const char *on, guint *combinations);

/* --- what is kept ------------------------------------------------------------------------------------------------- */

/** The key of the best variant of a combination, "clusters f32 4096x4096x4096 cannon 2x2 copy", and of the best of all,
 * "clusters f32 4096x4096x4096", where `schedule` is NULL. Free with g_free(). */
char *tg_shapes_key(const char *on, TgElement element, const int64_t size[3], const char *schedule, const char *grid,
                    TgTransport transport);
/** The variant that is kept for it on this card; false without an error where there is none, with a TG_BENCH_ERROR
 * where the file cannot be read. */
bool tg_shapes_kept_variant(const TgDevice *device, const char *key, int32_t *variant, GError **error);
/** Reads what earlier runs kept as the best of an executor at a size, into shapes->kept. */
bool tg_shapes_read_kept(TgShapes *shapes, const char *on, int64_t n, GError **error);
/** Keeps the best variant of every combination that was measured in several, and the best of all. */
bool tg_shapes_keep(const TgShapes *shapes, int64_t n, const char *on, GError **error);

/** Parts of the experiment. */
void tg_shapes_print(const TgResults *results, TgPage *page);
void tg_shapes_write(TgJson *json, const TgResults *results);
char *tg_shapes_plot(const void *results, const TgPlotFormat *format);

TG_END_DECLS

#endif
