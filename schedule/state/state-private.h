/** @file state-private.h
 * Inside of TgState, shared by the state-*.c files only. */
#ifndef TG_STATE_PRIVATE_H
#define TG_STATE_PRIVATE_H

#include "state.h"

/** One buffer on all processors; slot (processor, index) is at [index * processors + processor]. */
typedef struct TgStateBuffer {
  int32_t length;   /**< slots in use: one more than the highest index ever written */
  int32_t capacity; /**< slots allocated, those beyond `length` empty */
  TgValueId *value;
  uint32_t *written; /**< number of the statement execution that wrote it last */
  uint32_t *arrival; /**< unread arrival by message: step << 7 | statement + 1; 0 for none */
} TgStateBuffer;

/** A slot to be written once all processors have read. Holds a reference of `value`. */
typedef struct TgWrite {
  int64_t processor;
  int32_t buffer, index;
  TgValueId value; /**< 0 empties the slot */
  bool add, arrived;
} TgWrite;

/** Where a block of C must end. */
typedef struct TgCPlace {
  int64_t processor;
  int32_t buffer, index;
  int32_t row, column;
} TgCPlace;

struct TgState {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  TgCollective collective;
  TgStateHooks hooks;
  TgWalk walk;
  int64_t step;
  int64_t processors;
  int64_t m, n, k;
  TgStateCounts counts;
  TgStateBuffer buffer[TG_MAX_BUFFERS];
  int32_t *blocks; /**< filled slots of each processor */
  int64_t *words;  /**< their elements */
  TgValue *value;
  TgValueId values, value_capacity, free_value;
  uint64_t *terms; /**< set of inner indices of value v: set_words words at v * set_words */
  int32_t set_words;
  TgWrite *write;
  int64_t writes, write_capacity;
  TgValueId *scratch; /**< a collective's values along one line */
  int64_t scratch_capacity;
  TgCPlace *c_place;      /**< all of them, in order of the placements … */
  int64_t c_places, c_place_capacity;
  int64_t *first_c_place; /**< … and 1 + the first of C block (row, column) at row * columns + column */
  uint32_t since_watched; /**< processors, messages and blocks since the watch was asked */
  TgUnread unread[TG_MAX_STATEMENTS];
};

/** The text of the current statement, for messages. */
static inline const char *tg_state_source(const TgState *state) {
  return tg_name(state->names, state->names->source[state->walk.statement]);
}

bool tg_state_fail(const TgState *state, TgError *failure, TgCause cause, int64_t processor, const char *format, ...)
    TG_PRINTF(5, 6);
/** An expression fails, at a place in the text. */
bool tg_state_expression_failed(const TgState *state, int64_t processor, const TgError *error, TgError *failure);
/** A hook returned false. */
bool tg_state_hook_failed(const TgState *state, TgError *failure, int64_t processor);
bool tg_state_out_of_memory(const TgState *state, TgError *failure, const char *what);
/** Asks the watch. */
bool tg_state_watched(TgState *state, TgError *failure);
/** The same now and then: called for every processor, message and block of what may be long. */
static inline bool tg_state_go_on(TgState *state, TgError *failure) {
  return ++state->since_watched % 4096 || tg_state_watched(state, failure);
}
/** "A" or "C[3]". */
void tg_state_slot_text(const TgState *state, int buffer, int32_t index, char *text, size_t size);

/** A new value with one reference; 0 where memory is out. */
TgValueId tg_value_new(TgState *state, TgValueKind kind);
TgValueId tg_value_hold(TgState *state, TgValueId value);
void tg_value_release(TgState *state, TgValueId value);
static inline uint64_t *tg_value_terms(const TgState *state, TgValueId value) {
  return state->terms + (int64_t)value * state->set_words;
}
/** Puts one inner index into a sum. */
void tg_value_add_term(TgState *state, TgValueId value, int32_t term);
/** Puts all inner indices of `other` into the sum. */
void tg_value_add_terms(TgState *state, TgValueId value, TgValueId other);
/** A new sum with the name of `other`. */
TgValueId tg_value_copy(TgState *state, TgValueId other);
int64_t tg_value_elements(const TgState *state, TgValueId value);

/** Makes slots up to `index` exist. */
bool tg_slot_reserve(TgState *state, int buffer, int32_t index, TgError *failure);
/** What the slot holds, marking it read; fails where it is empty. */
bool tg_slot_read(TgState *state, int64_t processor, int buffer, int32_t index, TgValueId *value, TgError *failure);
/** Puts `value` (whose reference it takes) into an existing slot. */
void tg_slot_set(TgState *state, int64_t processor, int buffer, int32_t index, TgValueId value);
bool tg_state_push_write(TgState *state, TgWrite write, TgError *failure);
/** Carries out all pending writes in order. */
bool tg_state_apply_writes(TgState *state, TgError *failure);
/** Fails unless the two may be added. */
bool tg_state_check_sum(const TgState *state, int64_t processor, TgValueId a, TgValueId b, TgError *failure);

/** At the end: notes every arrival nobody read; a result on its place counts as read. */
void tg_state_note_all_unread(TgState *state);

/** Executes the walk's current statement. */
bool tg_state_execute(TgState *state, TgError *failure);
void tg_state_count_message(TgState *state, const TgMessage *message, TgValueId value);

#endif
