#include "phase-draft.h"

#include "sum.h"
#include "phase.h"

TgPhaseDraft *tg_phase_draft_new(void) {
  return g_new0(TgPhaseDraft, 1);
}

void tg_phase_draft_free(TgPhaseDraft *draft) {
  g_free(draft->from);
  g_free(draft->to);
  g_free(draft->bytes);
  g_free(draft->processor);
  g_free(draft->size);
  g_free(draft);
}

static void make_room(TgPhaseDraft *draft, int64_t more) {
  if (draft->transfers + more <= draft->transfer_room) return;
  draft->transfer_room = MAX(2 * draft->transfer_room, draft->transfers + more + 14);
  draft->from = g_renew(int32_t, draft->from, draft->transfer_room);
  draft->to = g_renew(int32_t, draft->to, draft->transfer_room);
  if (draft->bytes) draft->bytes = g_renew(int64_t, draft->bytes, draft->transfer_room);
}

void tg_phase_draft_reserve(TgPhaseDraft *draft, int64_t transfers) {
  make_room(draft, transfers - draft->transfers);
}

/* The last transfer is complete: from the first that differs on, sizes have an array. */
static void note_last(TgPhaseDraft *draft) {
  int64_t last = draft->transfers - 1;
  if (last < 0) return;
  if (last == 0) draft->uniform_bytes = draft->last_bytes;
  if (!draft->bytes) {
    if (draft->last_bytes == draft->uniform_bytes) return;
    draft->bytes = g_new(int64_t, draft->transfer_room);
    for (int64_t t = 0; t < last; t++) draft->bytes[t] = draft->uniform_bytes;
  }
  draft->bytes[last] = draft->last_bytes;
}

void tg_phase_draft_transfer(TgPhaseDraft *draft, int64_t from, int64_t to, int64_t bytes) {
  int64_t last = draft->transfers - 1;
  if (last >= 0 && draft->from[last] == from && draft->to[last] == to) {
    draft->last_bytes = tg_sum(draft->last_bytes, bytes);
    return;
  }
  note_last(draft);
  make_room(draft, 1);
  draft->from[draft->transfers] = (int32_t)from;
  draft->to[draft->transfers++] = (int32_t)to;
  draft->last_bytes = bytes;
}

void tg_phase_draft_transfers(TgPhaseDraft *draft, int64_t first, int count, const int32_t *to, const bool *takes_part,
                              int64_t bytes) {
  make_room(draft, count);
  int64_t transfers = draft->transfers;
  if (transfers == 0) draft->uniform_bytes = bytes;
  g_assert(!draft->bytes && draft->uniform_bytes == bytes);
  for (int i = 0; i < count; i++) { /* without branches: what does not go is overwritten */
    draft->from[transfers] = (int32_t)first + i;
    draft->to[transfers] = to[i];
    transfers += takes_part[i] & (to[i] != first + i);
  }
  draft->transfers = transfers;
  draft->last_bytes = bytes;
}

static bool is_same(const TgProductSize *size, const TgProductSize *other) {
  return size->m == other->m && size->n == other->n && size->k == other->k;
}

void tg_phase_draft_product(TgPhaseDraft *draft, int64_t processor, const TgProductSize *size) {
  if (draft->products == draft->product_room) {
    draft->product_room = 2 * draft->product_room + 15;
    draft->processor = g_renew(int32_t, draft->processor, draft->product_room);
    if (draft->size) draft->size = g_renew(TgProductSize, draft->size, draft->product_room);
  }
  if (draft->products == 0) draft->uniform_size = *size;
  if (!draft->size && !is_same(size, &draft->uniform_size)) {
    draft->size = g_new(TgProductSize, draft->product_room);
    for (int64_t i = 0; i < draft->products; i++) draft->size[i] = draft->uniform_size;
  }
  draft->processor[draft->products] = (int32_t)processor;
  if (draft->size) draft->size[draft->products] = *size;
  draft->products++;
}

TgPhase *tg_phase_draft_finish(TgPhaseDraft *draft, int64_t processors) {
  TgPhase *phase = g_new0(TgPhase, 1);
  note_last(draft);
  phase->references = 1;
  phase->transfers = draft->transfers;
  phase->uniform_bytes = draft->uniform_bytes;
  phase->products = draft->products;
  phase->uniform_size = draft->uniform_size;
  if (draft->transfers) {
    phase->from = g_steal_pointer(&draft->from);
    phase->to = g_steal_pointer(&draft->to);
    phase->bytes = g_steal_pointer(&draft->bytes);
  }
  if (draft->products) phase->size = g_steal_pointer(&draft->size);
  if (draft->products && draft->products < processors) phase->processor = g_steal_pointer(&draft->processor);
  g_free(draft->from);
  g_free(draft->to);
  g_free(draft->processor);
  *draft = (TgPhaseDraft){0};
  return phase;
}
