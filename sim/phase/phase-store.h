/** @file phase-store.h
 * Private to sim/phase/: phases by what is in them. In SUMMA the root of a broadcast is another one at every
 * repetition, but along a ring its rounds are those of the repetition before, one later. A phase that comes again is
 * laid on the network once. Where all lines do the same, it is found by what one of them does, without being made. */
#ifndef TG_PHASE_STORE_H
#define TG_PHASE_STORE_H

#include "phase.h"

#include <glib.h>

enum {
  TG_PHASE_STORE_BYTES = 8 << 20 /**< that its phases and keys may hold; once it is full, new phases are not stored */
};

/** All parcels that go from one position of a line to another in one round of a collective. */
typedef struct TgLineTransfer {
  int32_t round, from, to;
  bool add;
  int64_t bytes;
} TgLineTransfer;

/** Whether the first `count` transfers are the same, whatever the numbers of their rounds. */
bool tg_line_transfers_same(const TgLineTransfer *one, const TgLineTransfer *other, guint count);

/** A round of a statement, the same on all of its lines. */
typedef struct TgLineRound {
  int statement;
  guint transfers;
  const TgLineTransfer *transfer;
} TgLineRound;

typedef struct TgPhaseStore TgPhaseStore;

TgPhaseStore *tg_phase_store_new(void);
void tg_phase_store_free(TgPhaseStore *store);

/** Takes the caller's reference, and returns one: to the phase, or to one like it that came before, which then
 * `recurs`.
 */
TgPhase *tg_phase_store_find(TgPhaseStore *store, TgPhase *phase);

/** Like tg_phase_store_find(), but also stores the phase under `round`, whose transfers are copied … */
TgPhase *tg_phase_store_find_round(TgPhaseStore *store, TgPhase *phase, const TgLineRound *round);
/** … and the phase that was stored under such a round, whatever its number, with a new reference; NULL where there is
 * none. */
TgPhase *tg_phase_store_known_round(TgPhaseStore *store, const TgLineRound *round);

#endif
