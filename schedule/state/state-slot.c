#include "state-private.h"
#include "sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slots: reading, writing after all have read, and the bookkeeping of memory and of arrivals nobody reads. */

enum { STATEMENT_BITS = 7 };

void tg_state_slot_text(const TgState *state, int buffer, int32_t index, char *text, size_t size) {
  const char *name = tg_name(state->names, state->names->buffer[buffer]);
  if (state->buffer[buffer].length > 1 || index > 0)
    snprintf(text, size, "%s[%d]", name, index);
  else
    snprintf(text, size, "%s", name);
}

static bool widen(void **array, int64_t old, int64_t count, size_t size) {
  void *wider = realloc(*array, (size_t)count * size);
  if (!wider) return false;
  *array = wider;
  memset((char *)wider + (size_t)old * size, 0, (size_t)(count - old) * size);
  return true;
}

bool tg_slot_reserve(TgState *state, int buffer, int32_t index, TgError *failure) {
  TgStateBuffer *b = &state->buffer[buffer];
  if (index < b->length) return true;
  if (index >= b->capacity) {
    int32_t capacity = b->capacity ? 2 * b->capacity : index + 1;
    if (capacity <= index) capacity = index + 1;
    int64_t old = b->capacity * state->processors, count = capacity * state->processors;
    if (count > INT64_C(1) << 31 || !widen((void **)&b->value, old, count, sizeof *b->value) ||
        !widen((void **)&b->written, old, count, sizeof *b->written) ||
        !widen((void **)&b->arrival, old, count, sizeof *b->arrival))
      return tg_state_fail(state, failure, TG_CAUSE_MEMORY, -1, "%lld slots of %s do not fit in memory",
                           (long long)count, tg_name(state->names, state->names->buffer[buffer]));
    b->capacity = capacity;
  }
  b->length = index + 1;
  return true;
}

int32_t tg_state_length(const TgState *state, int buffer) {
  return state->buffer[buffer].length;
}

TgValueId tg_state_slot(const TgState *state, int64_t processor, int buffer, int32_t index) {
  const TgStateBuffer *b = &state->buffer[buffer];
  return index < b->length ? b->value[index * state->processors + processor] : 0;
}

bool tg_slot_read(TgState *state, int64_t processor, int buffer, int32_t index, TgValueId *value, TgError *failure) {
  *value = tg_state_slot(state, processor, buffer, index);
  if (*value) {
    state->buffer[buffer].arrival[index * state->processors + processor] = 0;
    return true;
  }
  char slot[64];
  tg_state_slot_text(state, buffer, index, slot, sizeof slot);
  return tg_state_fail(state, failure, TG_CAUSE_EMPTY_READ, processor, "`%s` reads %s, which is empty",
                       tg_state_source(state), slot);
}

static void note_unread(TgState *state, int64_t processor, uint32_t *arrival) {
  if (!*arrival) return;
  int statement = (int)(*arrival & ((1u << STATEMENT_BITS) - 1)) - 1;
  TgUnread *unread = &state->unread[statement];
  if (unread->times++ == 0)
    *unread = (TgUnread){.times = 1, .step = *arrival >> STATEMENT_BITS, .processor = processor};
  unread->statement = statement;
  *arrival = 0;
}

/** Takes the value out of the slot with its reference. */
static TgValueId slot_take(TgState *state, int64_t processor, int buffer, int32_t index) {
  int64_t at = index * state->processors + processor;
  TgValueId value = state->buffer[buffer].value[at];
  state->buffer[buffer].value[at] = 0;
  if (value) {
    state->blocks[processor]--;
    state->words[processor] -= tg_value_elements(state, value);
  }
  return value;
}

void tg_slot_set(TgState *state, int64_t processor, int buffer, int32_t index, TgValueId value) {
  int64_t at = index * state->processors + processor;
  TgStateBuffer *b = &state->buffer[buffer];
  note_unread(state, processor, &b->arrival[at]);
  tg_value_release(state, slot_take(state, processor, buffer, index));
  b->value[at] = value;
  b->written[at] = (uint32_t)state->walk.executed;
  if (!value) return;
  state->words[processor] = tg_sum(state->words[processor], tg_value_elements(state, value));
  if (++state->blocks[processor] > state->counts.blocks_per_processor_max)
    state->counts.blocks_per_processor_max = state->blocks[processor];
  if (state->words[processor] > state->counts.words_per_processor_max)
    state->counts.words_per_processor_max = state->words[processor];
}

void tg_state_count_message(TgState *state, const TgMessage *message, TgValueId value) {
  if (message->from == message->to) return;
  state->counts.messages++;
  if (state->hooks.message) state->hooks.message(state->hooks.user, message, value);
}

bool tg_state_push_write(TgState *state, TgWrite write, TgError *failure) {
  if (state->writes == state->write_capacity) {
    int64_t capacity = state->write_capacity ? 2 * state->write_capacity : 256;
    TgWrite *wider = realloc(state->write, (size_t)capacity * sizeof *wider);
    if (!wider) {
      tg_value_release(state, write.value);
      return tg_state_out_of_memory(state, failure, "messages");
    }
    state->write = wider;
    state->write_capacity = capacity;
  }
  state->write[state->writes++] = write;
  return tg_slot_reserve(state, write.buffer, write.index, failure);
}

bool tg_state_check_sum(const TgState *state, int64_t processor, TgValueId a, TgValueId b, TgError *failure) {
  const TgValue *x = &state->value[a], *y = &state->value[b];
  if (x->kind == TG_VALUE_SUM && y->kind == TG_VALUE_SUM && x->row == y->row && x->column == y->column &&
      x->transposed == y->transposed)
    return true;
  char term[64], sum[64];
  tg_state_value_text(state, b, term, sizeof term);
  tg_state_value_text(state, a, sum, sizeof sum);
  return tg_state_fail(state, failure, TG_CAUSE_WRONG_SUM, processor,
                       "`%s` adds %s to %s, which is not a sum for one block of C", tg_state_source(state), term, sum);
}

/** *sum (whose reference it takes and gives) becomes *sum + term. */
static bool state_sum(TgState *state, int64_t processor, TgValueId *sum, TgValueId term, TgError *failure) {
  TgValueId old = *sum;
  if (old && state->value[term].kind == TG_VALUE_ZERO) return true;
  if (!old || state->value[old].kind == TG_VALUE_ZERO) {
    *sum = tg_value_hold(state, term);
    tg_value_release(state, old);
    return true;
  }
  if (!tg_state_check_sum(state, processor, old, term, failure)) return false;
  bool in_place = state->value[old].references == 1 && old != term;
  TgValueId result = in_place ? old : tg_value_copy(state, old);
  if (!result) return tg_state_out_of_memory(state, failure, "sums");
  tg_value_add_terms(state, result, term);
  *sum = result;
  bool followed = !state->hooks.add || state->hooks.add(state->hooks.user, result, old, term, 0, 1);
  if (!in_place) tg_value_release(state, old);
  return followed || tg_state_hook_failed(state, failure, processor);
}

static bool apply(TgState *state, TgWrite *write, TgError *failure) {
  int64_t at = write->index * state->processors + write->processor;
  TgStateBuffer *b = &state->buffer[write->buffer];
  TgValueId value = write->value;
  if (!write->add && b->written[at] == (uint32_t)state->walk.executed) {
    char slot[64];
    tg_state_slot_text(state, write->buffer, write->index, slot, sizeof slot);
    return tg_state_fail(state, failure, TG_CAUSE_WRITTEN_TWICE, write->processor, "`%s` writes %s twice",
                         tg_state_source(state), slot);
  }
  if (write->add) {
    TgValueId sum = slot_take(state, write->processor, write->buffer, write->index);
    bool summed = state_sum(state, write->processor, &sum, value, failure);
    tg_value_release(state, value);
    value = sum;
    if (!summed) {
      write->value = value;
      return false;
    }
  }
  write->value = 0;
  uint32_t unread = write->add ? b->arrival[at] : 0; /* what is added to is not lost */
  if (write->add) b->arrival[at] = 0;
  tg_slot_set(state, write->processor, write->buffer, write->index, value);
  uint32_t now = (uint32_t)state->step << STATEMENT_BITS | (uint32_t)(state->walk.statement + 1);
  b->arrival[at] = write->arrived ? now : unread;
  return true;
}

bool tg_state_apply_writes(TgState *state, TgError *failure) {
  bool fine = true;
  for (int64_t w = 0; w < state->writes; w++)
    if (fine) fine = apply(state, &state->write[w], failure);
  for (int64_t w = 0; w < state->writes; w++) tg_value_release(state, state->write[w].value);
  state->writes = 0;
  return fine;
}

static void forgive_results(TgState *state) {
  for (int64_t c = 0; c < state->c_places; c++) {
    const TgCPlace *place = &state->c_place[c];
    if (place->index < state->buffer[place->buffer].length)
      state->buffer[place->buffer].arrival[place->index * state->processors + place->processor] = 0;
  }
}

/* At the end a result on its place counts as read; every other arrival still unread is reported. */
void tg_state_note_all_unread(TgState *state) {
  forgive_results(state);
  for (int b = 0; b < state->schedule->buffers; b++)
    for (int64_t s = 0; s < state->buffer[b].length * state->processors; s++)
      note_unread(state, s % state->processors, &state->buffer[b].arrival[s]);
}

int tg_state_unread(const TgState *state, TgUnread *unread, int capacity) {
  int count = 0;
  for (int s = 0; s < state->schedule->statements; s++) {
    if (!state->unread[s].times) continue;
    if (unread && count < capacity) unread[count] = state->unread[s];
    count++;
  }
  return count;
}

/* The table of values: names with reference counts, and the sets of inner indices of the sums among them. */

static bool grow(TgState *state) {
  TgValueId capacity = state->value_capacity ? state->value_capacity * 2 : 256;
  if (state->value_capacity > INT32_MAX / 2) return false;
  TgValue *value = realloc(state->value, (size_t)capacity * sizeof *value);
  if (!value) return false;
  state->value = value;
  uint64_t *terms = realloc(state->terms, (size_t)capacity * (size_t)state->set_words * sizeof *terms);
  if (!terms) return false;
  state->terms = terms;
  for (TgValueId v = capacity - 1; v >= state->value_capacity && v > 0; v--) {
    state->value[v] = (TgValue){.row = state->free_value};
    state->free_value = v;
  }
  state->value[0] = (TgValue){.kind = TG_VALUE_EMPTY};
  state->value_capacity = capacity;
  return true;
}

TgValueId tg_value_new(TgState *state, TgValueKind kind) {
  if (!state->free_value && !grow(state)) return 0;
  TgValueId v = state->free_value;
  state->free_value = state->value[v].row;
  state->value[v] = (TgValue){.kind = (uint8_t)kind, .twice = -1, .references = 1};
  if (kind == TG_VALUE_SUM) memset(tg_value_terms(state, v), 0, (size_t)state->set_words * sizeof(uint64_t));
  state->values++;
  return v;
}

TgValueId tg_value_hold(TgState *state, TgValueId value) {
  if (value) state->value[value].references++;
  return value;
}

void tg_value_release(TgState *state, TgValueId value) {
  if (!value || --state->value[value].references > 0) return;
  if (state->hooks.drop) state->hooks.drop(state->hooks.user, value);
  state->value[value] = (TgValue){.row = state->free_value};
  state->free_value = value;
  state->values--;
}

void tg_value_add_term(TgState *state, TgValueId value, int32_t term) {
  uint64_t *word = tg_value_terms(state, value) + term / 64, bit = UINT64_C(1) << (term % 64);
  TgValue *sum = &state->value[value];
  if (*word & bit) {
    if (sum->twice < 0) sum->twice = term;
    return;
  }
  *word |= bit;
  sum->terms++;
}

static int32_t lowest_bit(uint64_t word) {
  int32_t bit = 0;
  while (!(word >> bit & 1)) bit++;
  return bit;
}

static int32_t count_bits(uint64_t word) {
  int32_t bits = 0;
  for (; word; word &= word - 1) bits++;
  return bits;
}

void tg_value_add_terms(TgState *state, TgValueId value, TgValueId other) {
  TgValue *sum = &state->value[value];
  const TgValue *term = &state->value[other];
  uint64_t *to = tg_value_terms(state, value);
  const uint64_t *from = tg_value_terms(state, other);
  if (sum->twice < 0) sum->twice = term->twice;
  sum->terms = 0;
  for (int32_t w = 0; w < state->set_words; w++) {
    if (sum->twice < 0 && (to[w] & from[w])) sum->twice = 64 * w + lowest_bit(to[w] & from[w]);
    to[w] |= from[w];
    sum->terms += count_bits(to[w]);
  }
}

TgValueId tg_value_copy(TgState *state, TgValueId other) {
  TgValueId v = tg_value_new(state, TG_VALUE_SUM);
  if (!v) return 0;
  state->value[v] = state->value[other];
  state->value[v].references = 1;
  memcpy(tg_value_terms(state, v), tg_value_terms(state, other), (size_t)state->set_words * sizeof(uint64_t));
  return v;
}

const TgValue *tg_state_value(const TgState *state, TgValueId value) {
  return &state->value[value];
}

bool tg_state_value_has(const TgState *state, TgValueId value, int32_t term) {
  return state->value[value].kind == TG_VALUE_SUM && (tg_value_terms(state, value)[term / 64] >> (term % 64) & 1);
}

void tg_state_value_shape(const TgState *state, TgValueId value, int64_t *rows, int64_t *columns) {
  const TgValue *v = &state->value[value];
  *rows = *columns = 0;
  if (!value || v->kind == TG_VALUE_ZERO || state->m == 0) return;
  TgMatrixName matrix = v->kind == TG_VALUE_SUM ? TG_MATRIX_C : (TgMatrixName)v->matrix;
  const int32_t *blocks = state->schedule->blocks[matrix];
  int64_t height, width;
  tg_schedule_matrix_shape(state->schedule, matrix, state->m, state->n, state->k, &height, &width);
  height = tg_block_size(height, blocks[0], v->row);
  width = tg_block_size(width, blocks[1], v->column);
  *rows = v->transposed ? width : height;
  *columns = v->transposed ? height : width;
}

int64_t tg_value_elements(const TgState *state, TgValueId value) {
  int64_t rows, columns;
  tg_state_value_shape(state, value, &rows, &columns);
  return rows * columns;
}

void tg_state_value_text(const TgState *state, TgValueId value, char *text, size_t size) {
  const TgValue *v = &state->value[value];
  if (!value)
    snprintf(text, size, "nothing");
  else if (v->kind == TG_VALUE_ZERO)
    snprintf(text, size, "zero");
  else if (v->kind == TG_VALUE_INPUT)
    snprintf(text, size, "%c(%d, %d)%s", "ABC"[v->matrix], v -> row, v -> column, v -> transposed ? "'" : "");
  else
    snprintf(text, size, "C(%d, %d)%s with %d of %d terms", v->row, v->column, v->transposed ? "'" : "", v->terms,
             state->schedule->inner);
}
