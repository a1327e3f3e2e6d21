/** @file timeline.h
 * What `huge` did when: as a trace file, and as a picture. */
#ifndef TG_TIMELINE_H
#define TG_TIMELINE_H

#include "cli.h"

#include "huge.h"

typedef struct TgTimeline {
  const char *algorithm, *from, *io;
  int ranks;
  GArray *spans; /**< TgHugeSpan, in the order of their ends; NULL: none are wanted */
} TgTimeline;

/** Reports what cannot be drawn, before the work. Takes spans from then on where --trace or --plot wants them. */
TgExit tg_timeline_begin(const TgCli *cli, TgTimeline *timeline);
/** Writes what --trace and --plot want. */
TgExit tg_timeline_write(TgCli *cli, TgTimeline *timeline);
void tg_timeline_clear(TgTimeline *timeline);

#endif
