/** @file phase-draft.h
 * Private to sim/phase/: a phase that grows message by message. */
#ifndef TG_PHASE_DRAFT_H
#define TG_PHASE_DRAFT_H

#include "phase.h"

#include <glib.h>

typedef struct TgAdded {
  int64_t processor, bytes;
} TgAdded;

/* Sizes are kept one by one only where they differ. */
typedef struct TgPhaseDraft {
  TgPhase *phase;
  int64_t transfer_room, product_room;
  int64_t last_bytes; /* of the last transfer, to which more parcels may come: not yet in phase->bytes */
  GArray *added;      /* TgAdded: what comes to be added to something; NULL while there is none */
} TgPhaseDraft;

TgPhaseDraft *tg_phase_draft_new(void);
void tg_phase_draft_free(TgPhaseDraft *draft);
/** For `more` transfers. */
void tg_phase_draft_make_room(TgPhaseDraft *draft, int64_t more);
/** Parcels of one sender to one receiver that follow each other are one transfer. */
void tg_phase_draft_transfer(TgPhaseDraft *draft, int64_t from, int64_t to, int64_t bytes);
/** Many transfers of one size with senders and receivers all different from those before: adds those of senders
 * first..first+count-1 with `takes_part` and another receiver. */
void tg_phase_draft_transfers(TgPhaseDraft *draft, int64_t first, int count, const int32_t *to, const bool *takes_part,
                              int64_t bytes);
/** So many bytes that come to the processor are added to what it has. */
void tg_phase_draft_addition(TgPhaseDraft *draft, int64_t processor, int64_t bytes);
void tg_phase_draft_product(TgPhaseDraft *draft, int64_t processor, const TgProductSize *size);
/** The phase of what was drafted. Where each of the `processors` has its product, nobody asks for their numbers. */
TgPhase *tg_phase_draft_finish(TgPhaseDraft *draft, int64_t processors);

#endif
