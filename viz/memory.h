/** @file memory.h
 * What processors hold, step by step: how many blocks, and with sizes given how many elements, of A, B and C. */
#ifndef TG_MEMORY_H
#define TG_MEMORY_H

#include <glib.h>

#include "collective.h"
#include "draw-error.h"
#include "scene.h"
#include "schedule.h"
#include "watch.h"

G_BEGIN_DECLS

/** What is counted. */
typedef enum TgMemoryUnit { TG_MEMORY_BLOCKS, TG_MEMORY_WORDS, TG_MEMORY_UNITS } TgMemoryUnit;

/** A step, in one unit: the most that each processor holds at once in it, after any of its statements. */
typedef struct TgMemoryLevel {
  int64_t largest, least; /**< over processors */
  double mean;
  int64_t processor;       /**< one that holds the largest … */
  int64_t of[TG_MATRICES]; /**< … and what it is of; sums are C's, and so is what is zero */
} TgMemoryLevel;

typedef struct TgMemoryStep {
  const char *label; /**< "" where it has none; of the names */
  TgMemoryLevel level[TG_MEMORY_UNITS];
} TgMemoryStep;

/** Free with tg_memory_clear(). */
typedef struct TgMemory {
  TgMemoryStep *step; /**< 0 is the initial placement */
  int64_t steps;      /**< number of the last one */
  int64_t processors;
  int64_t peak_step[TG_MEMORY_UNITS]; /**< the first step in which a processor holds the most of the run */
  double once_words; /**< elements of A, B and C over the processors: what one copy, spread evenly, takes of each */
} TgMemory;

/** Follows the run of a bound schedule; with m, n, k not 0, of C m×n with inner dimension k, in words, too.
 * `watch` is told the statements of the run, and can stop it; it may be NULL.
 * Errors: SCHEDULE where the run fails; TOO_BIG where a count has no room in 64 bits; STOPPED by the watch. */
gboolean tg_memory_measure(TgMemory *memory, const TgSchedule *schedule, const TgScheduleNames *names,
                           TgCollective collective, int64_t m, int64_t n, int64_t k, const TgWatch *watch,
                           GError **error);
void tg_memory_clear(TgMemory *memory);

/** One schedule of the picture. */
typedef struct TgMemoryRun {
  const char *name;  /**< "cannon on 4x4" */
  const char *peak;  /**< "3 blocks" or "12.58 MB": the most that one processor holds */
  const char *who;   /**< the processor that does, "(0, 1)" */
  const char *words; /**< a line of further remarks */
  const TgMemory *memory;
} TgMemoryRun;

typedef struct TgMemoryChart {
  const char *title, *note;
  const TgMemoryRun *run;
  int runs;
  int64_t element_bytes;       /**< 0: in blocks */
  uint64_t memory_limit_bytes; /**< that drawing may take; 0: no limit */
} TgMemoryChart;

/** The picture. Its marks: run R from 1 and step S have the ids "held-R-S-A" (…-B, …-C), "mean-R-S", "least-R-S" and,
 * once a run, "peak-R". */
TgScene *tg_memory_scene(const TgMemoryChart *chart);
/** The bytes of a file; `format` is a suffix of tg_draw_formats(). */
GBytes *tg_draw_memory(const TgMemoryChart *chart, const char *format, GError **error);

G_END_DECLS

#endif
