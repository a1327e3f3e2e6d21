/** @file team.h
 * A team of threads that work together, each kept on a CPU of its own. Between two pieces of work they sleep. */
#ifndef TG_TEAM_H
#define TG_TEAM_H

#include "executor.h"

TG_BEGIN_DECLS

enum { TG_TEAM_MOST = 128 }; /**< members; more than that OpenBLAS has no buffers for */

typedef struct TgTeam TgTeam;

/** CPUs that this process may use (sched_getaffinity), at most TG_TEAM_MOST. */
int tg_team_most(void);

/** Starts `members` threads, from 1 to tg_team_most(): member m is kept on the m-th of these CPUs. Errors: TOO_LARGE
 * where the system starts no further thread. */
TgTeam *tg_team_new(int members, GError **error);
void tg_team_free(TgTeam *team);
int tg_team_members(const TgTeam *team);

/** A member's part of the work. */
typedef void TgTeamWork(void *data, int member);

/** All members work at the same time; returns once all are done: how many seconds after the first one began, all being
 * awake, the last one was done. All that they wrote can be read then. While it waits it calls `meanwhile`, which may be
 * NULL, every few hundredths of a second. */
double tg_team_run(TgTeam *team, TgTeamWork *work, void (*meanwhile)(void *data), void *data);

TG_END_DECLS

#endif
