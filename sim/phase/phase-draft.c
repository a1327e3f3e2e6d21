#include "phase-draft.h"

#include "sum.h"

TgPhaseDraft *tg_phase_draft_new(void) {
  TgPhaseDraft *draft = g_new0(TgPhaseDraft, 1);
  draft->phase = g_new0(TgPhase, 1);
  draft->phase->references = 1;
  return draft;
}

void tg_phase_draft_free(TgPhaseDraft *draft) {
  if (draft->phase) tg_phase_release(draft->phase);
  if (draft->added) g_array_unref(draft->added);
  g_free(draft);
}

void tg_phase_draft_make_room(TgPhaseDraft *draft, int64_t more) {
  TgPhase *phase = draft->phase;
  if (phase->transfers + more <= draft->transfer_room) return;
  draft->transfer_room = MAX(2 * draft->transfer_room, phase->transfers + more + 14);
  phase->from = g_renew(int32_t, phase->from, draft->transfer_room);
  phase->to = g_renew(int32_t, phase->to, draft->transfer_room);
  if (phase->bytes) phase->bytes = g_renew(int64_t, phase->bytes, draft->transfer_room);
}

/* The last transfer is complete: from the first that differs on, sizes have an array. */
static void note_last(TgPhaseDraft *draft) {
  TgPhase *phase = draft->phase;
  int64_t last = phase->transfers - 1;
  if (last < 0) return;
  if (last == 0) phase->uniform_bytes = draft->last_bytes;
  if (!phase->bytes) {
    if (draft->last_bytes == phase->uniform_bytes) return;
    phase->bytes = g_new(int64_t, draft->transfer_room);
    for (int64_t t = 0; t < last; t++) phase->bytes[t] = phase->uniform_bytes;
  }
  phase->bytes[last] = draft->last_bytes;
}

void tg_phase_draft_transfer(TgPhaseDraft *draft, int64_t from, int64_t to, int64_t bytes) {
  TgPhase *phase = draft->phase;
  int64_t last = phase->transfers - 1;
  if (last >= 0 && phase->from[last] == from && phase->to[last] == to) {
    draft->last_bytes = tg_sum(draft->last_bytes, bytes);
    return;
  }
  note_last(draft);
  tg_phase_draft_make_room(draft, 1);
  phase->from[phase->transfers] = (int32_t)from;
  phase->to[phase->transfers++] = (int32_t)to;
  draft->last_bytes = bytes;
}

void tg_phase_draft_addition(TgPhaseDraft *draft, int64_t processor, int64_t bytes) {
  const TgAdded one = {processor, bytes};
  if (!draft->added) draft->added = g_array_new(FALSE, FALSE, sizeof(TgAdded));
  g_array_append_val(draft->added, one);
}

void tg_phase_draft_transfers(TgPhaseDraft *draft, int64_t first, int count, const int32_t *to, const bool *takes_part,
                              int64_t bytes) {
  TgPhase *phase = draft->phase;
  tg_phase_draft_make_room(draft, count);
  int64_t transfers = phase->transfers;
  if (transfers == 0) phase->uniform_bytes = bytes;
  g_assert(!phase->bytes && phase->uniform_bytes == bytes);
  for (int i = 0; i < count; i++) { /* without branches: what does not go is overwritten */
    phase->from[transfers] = (int32_t)first + i;
    phase->to[transfers] = to[i];
    transfers += takes_part[i] & (to[i] != first + i);
  }
  phase->transfers = transfers;
  draft->last_bytes = bytes;
}

static bool is_same(const TgProductSize *size, const TgProductSize *other) {
  return size->m == other->m && size->n == other->n && size->k == other->k;
}

void tg_phase_draft_product(TgPhaseDraft *draft, int64_t processor, const TgProductSize *size) {
  TgPhase *phase = draft->phase;
  if (phase->products == draft->product_room) {
    draft->product_room = 2 * draft->product_room + 15;
    phase->processor = g_renew(int32_t, phase->processor, draft->product_room);
    if (phase->size) phase->size = g_renew(TgProductSize, phase->size, draft->product_room);
  }
  if (phase->products == 0) phase->uniform_size = *size;
  if (!phase->size && !is_same(size, &phase->uniform_size)) {
    phase->size = g_new(TgProductSize, draft->product_room);
    for (int64_t i = 0; i < phase->products; i++) phase->size[i] = phase->uniform_size;
  }
  phase->processor[phase->products] = (int32_t)processor;
  if (phase->size) phase->size[phase->products] = *size;
  phase->products++;
}

TgPhase *tg_phase_draft_finish(TgPhaseDraft *draft, int64_t processors) {
  note_last(draft);
  if (draft->phase->products >= processors) g_clear_pointer(&draft->phase->processor, g_free);
  if (draft->phase->transfers == 0) g_clear_pointer(&draft->phase->from, g_free);
  if (draft->phase->transfers == 0) g_clear_pointer(&draft->phase->to, g_free);
  return g_steal_pointer(&draft->phase);
}
