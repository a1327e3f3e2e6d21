#include "state-private.h"

#include <stdlib.h>
#include <string.h>

struct TgSnapshot {
  TgWalk walk;
  int64_t step;
  TgStateCounts counts;
  TgStateBuffer buffer[TG_MAX_BUFFERS];
  int32_t *blocks;
  int64_t *words;
  TgUnread unread[TG_MAX_STATEMENTS];
};

static void *duplicate(const void *from, size_t size) {
  void *to = malloc(size + 1);
  if (to && size) memcpy(to, from, size);
  return to;
}

static bool copy_buffers(TgStateBuffer *to, const TgStateBuffer *from, int64_t processors) {
  bool fine = true;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    size_t slots = (size_t)(from[b].length * processors);
    to[b] = (TgStateBuffer){.length = from[b].length,
                            .capacity = from[b].length,
                            .value = duplicate(from[b].value, slots * sizeof *from[b].value),
                            .written = duplicate(from[b].written, slots * sizeof *from[b].written),
                            .arrival = duplicate(from[b].arrival, slots * sizeof *from[b].arrival)};
    fine = fine && to[b].value && to[b].written && to[b].arrival;
  }
  return fine;
}

static void free_buffers(TgStateBuffer *buffer) {
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    free(buffer[b].value);
    free(buffer[b].written);
    free(buffer[b].arrival);
  }
}

static void for_all_values(TgState *state, const TgStateBuffer *buffer, bool hold) {
  for (int b = 0; b < TG_MAX_BUFFERS; b++)
    for (int64_t s = 0; s < buffer[b].length * state->processors; s++) {
      if (hold)
        tg_value_hold(state, buffer[b].value[s]);
      else
        tg_value_release(state, buffer[b].value[s]);
    }
}

static void free_parts(TgSnapshot *snapshot) {
  free_buffers(snapshot->buffer);
  free(snapshot->blocks);
  free(snapshot->words);
  free(snapshot);
}

TgSnapshot *tg_state_save(TgState *state) {
  TgSnapshot *snapshot = calloc(1, sizeof *snapshot);
  if (!snapshot) return NULL;
  snapshot->walk = state->walk;
  snapshot->step = state->step;
  snapshot->counts = state->counts;
  memcpy(snapshot->unread, state->unread, sizeof state->unread);
  snapshot->blocks = duplicate(state->blocks, (size_t)state->processors * sizeof *state->blocks);
  snapshot->words = duplicate(state->words, (size_t)state->processors * sizeof *state->words);
  if (!copy_buffers(snapshot->buffer, state->buffer, state->processors) || !snapshot->blocks || !snapshot->words) {
    free_parts(snapshot);
    return NULL;
  }
  for_all_values(state, snapshot->buffer, true);
  return snapshot;
}

bool tg_state_restore(TgState *state, const TgSnapshot *snapshot) {
  TgStateBuffer buffer[TG_MAX_BUFFERS];
  if (!copy_buffers(buffer, snapshot->buffer, state->processors)) {
    free_buffers(buffer);
    return false;
  }
  for_all_values(state, buffer, true);
  for_all_values(state, state->buffer, false);
  free_buffers(state->buffer);
  memcpy(state->buffer, buffer, sizeof buffer);
  state->walk = snapshot->walk;
  state->step = snapshot->step;
  state->counts = snapshot->counts;
  memcpy(state->unread, snapshot->unread, sizeof state->unread);
  memcpy(state->blocks, snapshot->blocks, (size_t)state->processors * sizeof *state->blocks);
  memcpy(state->words, snapshot->words, (size_t)state->processors * sizeof *state->words);
  return true;
}

void tg_snapshot_free(TgState *state, TgSnapshot *snapshot) {
  if (!snapshot) return;
  for_all_values(state, snapshot->buffer, false);
  free_parts(snapshot);
}
