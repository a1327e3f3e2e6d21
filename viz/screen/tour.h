/** @file tour.h
 * A way through a schedule's steps, forward and back, with what a frame alone does not tell: which lines run, what came
 * before, and how far C is. */
#ifndef TG_TOUR_H
#define TG_TOUR_H

#include "frame.h"
#include "walk.h"

G_BEGIN_DECLS

/** Sizes of the matrices, to count bytes; m 0 where none are given. */
typedef struct TgTourSizes {
  int64_t m, n, k;
  int64_t element_bytes;
} TgTourSizes;

/** A step, and the sums of it and all before it. */
typedef struct TgTourStep {
  uint64_t statements; /**< bit s: statement s runs in it */
  int64_t products, messages;
  int64_t bytes; /**< 0 without sizes, and where a frame has no detail */
} TgTourStep;

/** Numbers of messages or products by processor: those of p are number[begin[p]] … number[begin[p + 1] - 1]. */
typedef struct TgTourLists {
  int64_t *begin, *number;
} TgTourLists;

typedef struct TgTour {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  TgTourSizes sizes;
  const TgWatch *watch; /**< told each step that tg_tour_go() has come to, where it can stop it; NULL: nobody */
  TgFrames *frames;
  const TgFrame *frame; /**< its position */
  TgWalk walk;          /**< one statement ahead of the last step in `step` whose statements are known */
  bool walked;          /**< to the end */
  GArray *step;         /**< TgTourStep, as far as the tour ever went */
  int64_t known;        /**< last step whose counts are in `step` */
  GArray *c_place;      /**< TgPlaced: where the blocks of C must end */
  TgTourLists sent, received, multiplied; /**< of the frame, where it has detail: a cell asks for its own alone */
  int32_t rounds;                         /**< of the frame's messages, where it has detail: 1 where all go at once */
} TgTour;

/** Begins at step 0. What `options` points to, schedule and names outlive the tour. */
TgTour *tg_tour_new(const TgSchedule *schedule, const TgScheduleNames *names, const TgFrameOptions *options,
                    const TgTourSizes *sizes, GError **error);
void tg_tour_free(TgTour *tour);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgTour, tg_tour_free)

/** Goes to a step; to the last one there is where `step` lies behind it, as where the schedule fails before; to one on
 * the way where the watch stops it. */
bool tg_tour_go(TgTour *tour, int64_t step, GError **error);

/** Counts up to and with the frame. */
const TgTourStep *tg_tour_totals(const TgTour *tour);
/** Counts of the frame's step alone. */
TgTourStep tg_tour_step_alone(const TgTour *tour);

/** Inner indices that are summed into C's blocks on their places, and blocks that have all of theirs. */
typedef struct TgTourSums {
  int64_t terms, of_terms;
  int64_t complete, blocks;
} TgTourSums;

/** False where C is no sum of products, or the frame has no detail. */
bool tg_tour_sums(const TgTour *tour, TgTourSums *sums);

/** The same of every step, up to `most` of them, by a run of its own; free with g_strfreev(). */
char **tg_journey(const TgTour *tour, const TgFrameOptions *options, const TgBlockName *block, bool unicode,
                  int64_t most, GError **error);

G_END_DECLS

#endif
