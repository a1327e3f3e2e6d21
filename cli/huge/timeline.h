/** @file timeline.h
 * The timeline of `huge`, as a trace file and as a picture. */
#ifndef TG_TIMELINE_H
#define TG_TIMELINE_H

#include "cli.h"

#include "huge.h"

typedef struct TgTimeline {
  const char *algorithm, *from, *io;
  int ranks;
  GArray *spans; /**< TgHugeSpan, for each rank in the order of their ends; NULL: not recorded */
} TgTimeline;

/** Reports a --plot that cannot be drawn, before any work is done. Prepares to record spans for --trace and --plot. */
TgExit tg_timeline_begin(const TgCli *cli, TgTimeline *timeline);
/** Writes the files of --trace and --plot. */
TgExit tg_timeline_write(TgCli *cli, TgTimeline *timeline);
void tg_timeline_clear(TgTimeline *timeline);

#endif
