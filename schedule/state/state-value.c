/* The table of values: names with reference counts, and the sets of inner indices of the sums among them. */
#include "state-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  height = tg_block_begin(height, blocks[0], v->row + 1) - tg_block_begin(height, blocks[0], v->row);
  width = tg_block_begin(width, blocks[1], v->column + 1) - tg_block_begin(width, blocks[1], v->column);
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
