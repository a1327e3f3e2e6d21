/** @file spacetime.h
 * Processors against time: what each of them does when, of one schedule or of several on one axis, with the chain of
 * processors that the end waits for. Drawn from numbers alone, wherever they come from. */
#ifndef TG_SPACETIME_H
#define TG_SPACETIME_H

#include <glib.h>

#include "base.h"
#include "draw-error.h"
#include "scene.h"

G_BEGIN_DECLS

enum { TG_SPACETIME_DIMS = 8, TG_SPACETIME_ROWS = 64 }; /**< the most lanes that have a row of their own */

/** A processor in a step. Its products are one after another and end at products_end_s; those of later steps that run
 * in it end at ahead_end_s. */
typedef struct TgSpan {
  double start_s, end_s;
  double products_end_s, products_s;
  double ahead_end_s, ahead_s;
  bool talks; /**< it sends or receives in the step: what is not products is communication, else it waits */
} TgSpan;

/** A step, and where the chain is in it. */
typedef struct TgSpacetimeStep {
  const char *label; /**< "" where it has none */
  int64_t number;
  int64_t from, to; /**< lanes on which the chain enters it and leaves it */
  double start_s, end_s;
} TgSpacetimeStep;

/** A stretch of time in which a lane waits for a partner that is not ready. */
typedef struct TgSpacetimeWait {
  double from_s, to_s;
} TgSpacetimeWait;

/** One schedule. */
typedef struct TgSpacetimeRun {
  const char *name;  /**< "cannon on 4x4" */
  const char *time;  /**< time_s in words */
  const char *words; /**< a line of further remarks */
  double time_s;
  int64_t lanes, steps;
  int dims; /**< the lanes are a grid of these extents, row-major; neighbours in it share a row where they are many */
  int32_t extent[TG_SPACETIME_DIMS];
  const char *const *lane; /**< names, "(0, 1)" */
  const TgSpan *span;      /**< steps × lanes, row-major */
  const TgSpacetimeStep *step;
  GArray *const *waits; /**< by lane: TgSpacetimeWait, in order; only those of tg_spacetime_shown() are drawn. NULL
                           where waits are not known, which the picture says */
} TgSpacetimeRun;

typedef struct TgSpacetime {
  const char *title, *note; /**< the note: what all of them depend on */
  const TgSpacetimeRun *run;
  int runs;
  uint64_t memory_limit_bytes; /**< that drawing may take; 0: no limit */
} TgSpacetime;

/** The lanes that are drawn, as int64_t: where several share a row, the busiest of these. Does not look at the waits.
 * Free with g_array_unref(). */
GArray *tg_spacetime_shown(const TgSpacetimeRun *run);

/** The picture. Its marks: run R from 1, lane L from 0 and step S have the ids "products-R-L-S",
 * "communication-R-L-S", the chain "path-R-S", and "step-R-S" above the lanes; where several lanes share a row, or
 * several steps are drawn as one, it is the lane shown and the first step. The waits are "waiting-R-L-I" from 0, or
 * "waiting-R-L-S" where several steps are drawn as one. */
TgScene *tg_spacetime_scene(const TgSpacetime *spacetime);
/** The bytes of a file; `format` is a suffix of tg_draw_formats(). */
GBytes *tg_draw_spacetime(const TgSpacetime *spacetime, const char *format, GError **error);

G_END_DECLS

#endif
