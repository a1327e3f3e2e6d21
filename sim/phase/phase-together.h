/** @file phase-together.h
 * Private to sim/: statements in a row that begin together where ports allow it, round by round: the first rounds of
 * all, then the second ones, and so on. */
#ifndef TG_PHASE_TOGETHER_H
#define TG_PHASE_TOGETHER_H

#include "phase.h"

#include <glib.h>

typedef struct TgTogether TgTogether;

TgTogether *tg_together_new(void);
void tg_together_free(TgTogether *together);
/** Whether the statement needs none of those that were added since the last tg_together_merge(), nor these it. */
bool tg_together_takes(const TgTogether *together, const TgStatement *statement);
/** Takes the phases of a statement, and their references, out of `phases`; `at` is the position of the first. */
void tg_together_add(TgTogether *together, const TgStatement *statement, GPtrArray *phases, const TgPhaseAt *at);
/** What was added is in order from here on. */
void tg_together_merge(TgTogether *together);
/** The next phase in this order, with its reference, or NULL. */
TgPhase *tg_together_next(TgTogether *together, TgPhaseAt *at);

#endif
