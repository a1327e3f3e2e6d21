#include "state-private.h"
#include "sum.h"

#include <stdarg.h>
#include <stdio.h>
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

/* A run's life: blocks placed, statements executed, the result checked; and snapshots to go back to. */

static bool keep_c_place(TgState *state, const TgPlaced *placed, TgError *failure) {
  int64_t *first =
      &state->first_c_place[(int64_t)placed->row * state->schedule->blocks[TG_MATRIX_C][1] + placed->column];
  if (state->c_places == state->c_place_capacity) {
    const int64_t capacity = 2 * state->c_place_capacity + 64;
    TgCPlace *place = realloc(state->c_place, (size_t)capacity * sizeof *place);
    if (!place) return tg_state_out_of_memory(state, failure, "places");
    state->c_place = place;
    state->c_place_capacity = capacity;
  }
  state->c_place[state->c_places++] = (TgCPlace){.processor = placed->processor,
                                                 .buffer = placed->buffer,
                                                 .index = placed->index,
                                                 .row = placed->row,
                                                 .column = placed->column};
  if (!*first) *first = state->c_places;
  return true;
}

/* Copies of a block share one value, so `table` remembers the value of each block placed so far. */
static bool place_block(TgState *state, const TgPlaced *placed, TgValueId *table, TgError *failure) {
  const int32_t *blocks = state->schedule->blocks[placed->matrix];
  TgValueId *value = &table[(int64_t)placed->row * blocks[1] + placed->column];
  bool first = !*value;
  if (first) {
    if (!(*value = tg_value_new(state, TG_VALUE_INPUT))) return tg_state_out_of_memory(state, failure, "blocks");
    state->value[*value].matrix = (uint8_t)placed->matrix;
    state->value[*value].row = placed->row;
    state->value[*value].column = placed->column;
  } else {
    tg_value_hold(state, *value);
  }
  TgValueId id = *value;
  if (!tg_slot_reserve(state, placed->buffer, placed->index, failure)) return false;
  if (tg_state_slot(state, placed->processor, placed->buffer, placed->index)) {
    char slot[64];
    tg_state_slot_text(state, placed->buffer, placed->index, slot, sizeof slot);
    return tg_state_fail(state, failure, TG_CAUSE_WRITTEN_TWICE, placed->processor,
                         "two blocks are placed in %s, the second is %c(%d, %d)", slot, "ABC"[placed->matrix],
                         placed -> row, placed -> column);
  }
  tg_slot_set(state, placed->processor, placed->buffer, placed->index, id);
  if (first && state->hooks.place && !state->hooks.place(state->hooks.user, id))
    return tg_state_hook_failed(state, failure, placed->processor);
  return true;
}

static bool place_all(TgState *state, TgValueId *table[TG_MATRICES], TgError *failure) {
  TgPlacing placing;
  TgPlaced placed;
  TgError error;
  int next;
  tg_placing_init(&placing, state->schedule);
  while ((next = tg_placing_next(&placing, state->names, &placed, &error)) > 0) {
    bool fine = placed.matrix == TG_MATRIX_C ? keep_c_place(state, &placed, failure)
                                             : place_block(state, &placed, table[placed.matrix], failure);
    if (!fine || !tg_state_go_on(state, failure)) return false;
  }
  return next == 0 || tg_state_expression_failed(state, -1, &error, failure);
}

/* At a line of its own, such as that of a `repeat`, not at the statement executed last. */
static TgProgress walk_failed(const TgState *state, const TgError *error, TgError *failure) {
  tg_state_fail(state, failure, error->cause ? error->cause : TG_CAUSE_EXPRESSION, -1, "%s", error->message);
  failure->statement = -1;
  failure->line = error->line;
  return TG_PROGRESS_ERROR;
}

/* A run without an end is refused before it begins. */
static bool check_length(const TgState *state, TgError *failure) {
  TgError error;
  if (tg_walk_ends(state->schedule, state->names, &error)) return true;
  walk_failed(state, &error, failure);
  return false;
}

static int64_t block_count(const TgState *state, int matrix) {
  return (int64_t)state->schedule->blocks[matrix][0] * state->schedule->blocks[matrix][1];
}

static bool place(TgState *state, TgError *failure) {
  TgValueId *table[TG_MATRICES] = {NULL};
  bool fine = true;
  for (int m = 0; m < TG_MATRIX_C; m++)
    if (!(table[m] = calloc((size_t)block_count(state, m) + 1, sizeof **table)))
      fine = tg_state_out_of_memory(state, failure, "blocks");
  fine = fine && place_all(state, table, failure);
  for (int m = 0; m < TG_MATRICES; m++) free(table[m]);
  return fine;
}

static int compare_places(const void *a, const void *b) {
  const TgCPlace *x = a, *y = b;
  if (x->processor != y->processor) return x->processor < y->processor ? -1 : 1;
  if (x->buffer != y->buffer) return x->buffer < y->buffer ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static bool check_c_places(const TgState *state, TgError *failure) {
  const int64_t count = state->c_places;
  TgCPlace *sorted = malloc((size_t)count * sizeof *sorted);
  if (!sorted) return tg_state_out_of_memory(state, failure, "places");
  memcpy(sorted, state->c_place, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_places);
  bool fine = true;
  for (int64_t i = 1; fine && i < count; i++)
    if (compare_places(&sorted[i - 1], &sorted[i]) == 0) {
      char slot[64];
      tg_state_slot_text(state, sorted[i].buffer, sorted[i].index, slot, sizeof slot);
      fine = tg_state_fail(state, failure, TG_CAUSE_WRITTEN_TWICE, sorted[i].processor,
                           "two blocks of C would end in %s", slot);
    }
  free(sorted);
  return fine;
}

TgState *tg_state_new(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective,
                      const TgStateHooks *hooks, TgError *failure) {
  TgState *state = calloc(1, sizeof *state);
  *failure = (TgError){.cause = TG_CAUSE_MEMORY, .statement = -1, .processor = -1, .message = "step 0: out of memory"};
  if (!state) return NULL;
  state->schedule = schedule;
  state->names = names;
  state->collective = collective;
  if (hooks) state->hooks = *hooks;
  tg_walk_init(&state->walk, schedule, names);
  state->processors = tg_schedule_processors(schedule);
  state->set_words = (schedule->inner + 63) / 64;
  state->blocks = calloc((size_t)state->processors, sizeof *state->blocks);
  state->words = calloc((size_t)state->processors, sizeof *state->words);
  state->first_c_place = calloc((size_t)block_count(state, TG_MATRIX_C), sizeof *state->first_c_place);
  if (!state->blocks || !state->words || !state->first_c_place || !check_length(state, failure) ||
      !place(state, failure) || !check_c_places(state, failure)) {
    tg_state_free(state);
    return NULL;
  }
  *failure = (TgError){.statement = -1, .processor = -1};
  return state;
}

void tg_state_free(TgState *state) {
  if (!state) return;
  free_buffers(state->buffer);
  free(state->blocks);
  free(state->words);
  free(state->value);
  free(state->terms);
  free(state->write);
  free(state->scratch);
  free(state->c_place);
  free(state->first_c_place);
  free(state);
}

void tg_state_measure(TgState *state, int64_t m, int64_t n, int64_t k) {
  state->m = m;
  state->n = n;
  state->k = k;
  memset(state->words, 0, (size_t)state->processors * sizeof *state->words);
  for (int b = 0; b < state->schedule->buffers; b++)
    for (int64_t s = 0; s < state->buffer[b].length * state->processors; s++) {
      int64_t *words = &state->words[s % state->processors];
      *words = tg_sum(*words, tg_value_elements(state, state->buffer[b].value[s]));
    }
  state->counts.words_per_processor_max = 0;
  for (int64_t p = 0; p < state->processors; p++)
    if (state->words[p] > state->counts.words_per_processor_max)
      state->counts.words_per_processor_max = state->words[p];
}

TgProgress tg_state_next(TgState *state, TgError *failure) {
  TgError error;
  TgProgress progress = tg_walk_next(&state->walk, &error);
  state->step = state->walk.step;
  if (progress == TG_PROGRESS_ERROR) return walk_failed(state, &error, failure);
  if (progress == TG_PROGRESS_MORE && !tg_state_execute(state, failure)) return TG_PROGRESS_ERROR;
  return progress;
}

TgProgress tg_state_next_step(TgState *state, TgError *failure) {
  int64_t wanted = state->step + 1;
  for (;;) {
    TgError error;
    TgWalk ahead = state->walk;
    TgProgress progress = tg_walk_next(&ahead, &error);
    if (progress == TG_PROGRESS_ERROR) {
      state->step = ahead.step;
      return walk_failed(state, &error, failure);
    }
    if (ahead.step < wanted) return TG_PROGRESS_END;
    state->step = wanted;
    if (progress == TG_PROGRESS_END || ahead.step > wanted) return TG_PROGRESS_MORE;
    state->walk = ahead;
    if (!tg_state_execute(state, failure)) return TG_PROGRESS_ERROR;
    wanted = ahead.step;
    TgWalk peek = state->walk;
    if (tg_walk_next(&peek, &error) != TG_PROGRESS_MORE || peek.step != wanted) return TG_PROGRESS_MORE;
  }
}

static bool check_product(const TgState *state, const TgCPlace *place, TgError *failure) {
  const int32_t row = place->row, column = place->column;
  TgValueId id = tg_state_slot(state, place->processor, place->buffer, place->index);
  const TgValue *v = tg_state_value(state, id);
  char text[64], slot[64];
  tg_state_value_text(state, id, text, sizeof text);
  tg_state_slot_text(state, place->buffer, place->index, slot, sizeof slot);
  if (v->kind != TG_VALUE_SUM || v->transposed || v->row != row || v->column != column)
    return tg_state_fail(state, failure, id ? TG_CAUSE_FINAL_OTHER : TG_CAUSE_FINAL_MISSING, place->processor,
                         "at the end %s holds %s, expected C(%d, %d)", slot, text, row, column);
  if (v->twice >= 0)
    return tg_state_fail(state, failure, TG_CAUSE_FINAL_TERMS, place->processor,
                         "at the end C(%d, %d) holds inner index %d twice", row, column, v->twice);
  for (int32_t t = 0; t < state->schedule->inner; t++)
    if (!tg_state_value_has(state, id, t))
      return tg_state_fail(state, failure, TG_CAUSE_FINAL_TERMS, place->processor,
                           "at the end C(%d, %d) lacks inner index %d (it has %d of %d)", row, column, t, v->terms,
                           state->schedule->inner);
  return true;
}

static bool check_copy(const TgState *state, const TgCPlace *place, TgError *failure) {
  const int32_t row = place->row, column = place->column;
  const TgComputes *computes = &state->schedule->computes;
  TgValueId id = tg_state_slot(state, place->processor, place->buffer, place->index);
  const TgValue *v = tg_state_value(state, id);
  bool transposed = computes->left_transposed;
  if (v->kind == TG_VALUE_INPUT && v->matrix == computes->left && v->transposed == transposed &&
      v->row == (transposed ? column : row) && v->column == (transposed ? row : column))
    return true;
  char text[64];
  tg_state_value_text(state, id, text, sizeof text);
  return tg_state_fail(state, failure, id ? TG_CAUSE_FINAL_OTHER : TG_CAUSE_FINAL_MISSING, place->processor,
                       "at the end the place of C(%d, %d) holds %s", row, column, text);
}

bool tg_state_finish(TgState *state, TgError *failure) {
  const bool copies = state->schedule->computes.right == TG_MATRICES;
  state->walk.statement = state->walk.group = -1;
  tg_state_note_all_unread(state);
  for (int64_t p = 0; p < state->c_places; p++)
    if (!tg_state_go_on(state, failure) || !(copies ? check_copy : check_product)(state, &state->c_place[p], failure))
      return false;
  return true;
}

const TgWalk *tg_state_walk(const TgState *state) {
  return &state->walk;
}
int64_t tg_state_step(const TgState *state) {
  return state->step;
}
void tg_state_held(const TgState *state, int64_t processor, int64_t *blocks, int64_t *words) {
  *blocks = state->blocks[processor];
  *words = state->words[processor];
}

const TgStateCounts *tg_state_counts(const TgState *state) {
  return &state->counts;
}

bool tg_state_c_place(const TgState *state, int32_t row, int32_t column, int64_t *processor, int *buffer,
                      int32_t *index) {
  const int32_t *blocks = state->schedule->blocks[TG_MATRIX_C];
  if (row < 0 || row >= blocks[0] || column < 0 || column >= blocks[1]) return false;
  const TgCPlace *place = &state->c_place[state->first_c_place[(int64_t)row * blocks[1] + column] - 1];
  *processor = place->processor;
  *buffer = place->buffer;
  *index = place->index;
  return true;
}

/* Failures in words: which step, which processor, what happened. */

bool tg_state_fail(const TgState *state, TgError *failure, TgCause cause, int64_t processor, const char *format, ...) {
  const TgWalk *walk = &state->walk;
  TgText where = {""};
  char message[360];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[tg_text_fit(message, sizeof message - 1)] = '\0';
  const char *label = tg_walk_label(walk);
  if (processor >= 0) where = tg_schedule_processor_text(state->schedule, processor);
  *failure = (TgError){.cause = cause, .step = state->step, .statement = walk->statement, .processor = processor};
  if (walk->statement >= 0) failure->line = state->schedule->statement[walk->statement].line;
  int used = snprintf(failure->message, sizeof failure->message, "step %lld%s%.*s%s", (long long)state->step,
                      *label ? " (" : "", tg_text_fit(label, 40), label, *label ? ")" : "");
  snprintf(failure->message + used, sizeof failure->message - (size_t)used, "%s%s: %s",
           processor >= 0 ? ", processor " : "", where.s, message);
  return false;
}

bool tg_state_expression_failed(const TgState *state, int64_t processor, const TgError *error, TgError *failure) {
  tg_state_fail(state, failure, TG_CAUSE_EXPRESSION, processor, "%s", error->message);
  failure->line = error->line;
  failure->column = error->column;
  return false;
}

bool tg_state_out_of_memory(const TgState *state, TgError *failure, const char *what) {
  return tg_state_fail(state, failure, TG_CAUSE_MEMORY, -1, "out of memory for %s", what);
}

bool tg_state_watched(TgState *state, TgError *failure) {
  if (tg_watch_go_on(state->hooks.watch, state->counts.statements)) return true;
  return tg_state_fail(state, failure, TG_CAUSE_STOPPED, -1, "stopped");
}

bool tg_state_hook_failed(const TgState *state, TgError *failure, int64_t processor) {
  return tg_state_fail(state, failure, TG_CAUSE_HOOK, processor, "the data could not follow (out of memory?)");
}
