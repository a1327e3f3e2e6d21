/** @file phase-draft.h
 * Private to sim/: a phase that grows message by message. Sizes are kept one by one only where they differ. */
#ifndef TG_PHASE_DRAFT_H
#define TG_PHASE_DRAFT_H

#include "phase.h"

typedef struct TgPhaseDraft {
  int64_t transfers, transfer_room;
  int32_t *from, *to;
  int64_t *bytes; /* NULL while all are uniform_bytes */
  int64_t uniform_bytes;
  int64_t last_bytes; /* of the last transfer, to which more parcels may come: not yet in `bytes` */
  int64_t products, product_room;
  int32_t *processor;
  TgProductSize *size; /* NULL while all are uniform_size */
  TgProductSize uniform_size;
} TgPhaseDraft;

TgPhaseDraft *tg_phase_draft_new(void);
void tg_phase_draft_free(TgPhaseDraft *draft);
/** Makes room for so many transfers. */
void tg_phase_draft_reserve(TgPhaseDraft *draft, int64_t transfers);
/** Parcels of one sender to one receiver that follow each other are one transfer. */
void tg_phase_draft_transfer(TgPhaseDraft *draft, int64_t from, int64_t to, int64_t bytes);
/** Many transfers of one size with senders and receivers all different from those before: adds those of senders
 * first..first+count-1 with `takes_part` and another receiver. */
void tg_phase_draft_transfers(TgPhaseDraft *draft, int64_t first, int count, const int32_t *to, const bool *takes_part,
                              int64_t bytes);
void tg_phase_draft_product(TgPhaseDraft *draft, int64_t processor, const TgProductSize *size);
/** The phase of what was drafted, which leaves the draft empty. `processors` of the grid. */
TgPhase *tg_phase_draft_finish(TgPhaseDraft *draft, int64_t processors);

#endif
