/** @file phase-store.h
 * Private to sim/phase/: phases by what is in them. In SUMMA the root of a broadcast is another one at every
 * repetition, but along a ring its rounds are those of the repetition before, one later. A phase that comes again is
 * laid on the network once. */
#ifndef TG_PHASE_STORE_H
#define TG_PHASE_STORE_H

#include "phase.h"

#include <glib.h>

enum { TG_PHASE_STORE_BYTES = 8 << 20 /**< that its phases may hold; once it is full, new phases are not stored */ };

typedef struct TgPhaseStore TgPhaseStore;

TgPhaseStore *tg_phase_store_new(void);
void tg_phase_store_free(TgPhaseStore *store);

/** Takes the caller's reference, and returns one: to the phase, or to one like it that came before, which then
 * `recurs`.
 */
TgPhase *tg_phase_store_find(TgPhaseStore *store, TgPhase *phase);

#endif
