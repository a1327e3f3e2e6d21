/** @file held-matrices.h
 * Private to sim/: of which matrix the blocks are that a statement sends, where a buffer holds blocks of several
 * matrices one after another. */
#ifndef TG_HELD_MATRICES_H
#define TG_HELD_MATRICES_H

#include "walk.h"

/** Follows the run of a bound schedule on one processor that represents all: what is written everywhere replaces what a
 * slot held, what is written somewhere is added to it. `matrix[s]` is that of what statement s reads, -1 where it reads
 * nothing. False where a statement may read blocks of several matrices, or the run is too long to follow. */
bool tg_held_matrices(const TgSchedule *schedule, const TgScheduleNames *names, int matrix[TG_MAX_STATEMENTS]);

#endif
