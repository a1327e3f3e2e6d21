/* One statement on all processors, collectives apart. */
#include "state-private.h"

#include <stdio.h>

static bool expression_failed(const TgState *state, int64_t processor, const TgError *error, TgError *failure) {
  return tg_state_fail(state, failure, TG_CAUSE_EXPRESSION, processor, "%d:%d: %s", error->line, error->column,
                       error->message);
}

static bool execute_move(TgState *state, TgError *failure) {
  const TgStatement *statement = &state->schedule->statement[state->walk.statement];
  TgMessages messages;
  TgMessage message;
  TgError error;
  TgProgress progress;
  tg_messages_init(&messages, &state->walk, TG_COLLECTIVE_WHOLE);
  while ((progress = tg_messages_next(&messages, &message, &error)) == TG_PROGRESS_MORE) {
    TgValueId value;
    if (!tg_state_go_on(state, failure) ||
        !tg_slot_read(state, message.from, statement->source.buffer, message.source_index, &value, failure))
      return false;
    TgWrite write = {.processor = message.to,
                     .buffer = statement->target.buffer,
                     .index = message.target_index,
                     .value = tg_value_hold(state, value),
                     .add = message.add,
                     .arrived = message.from != message.to};
    if (!tg_state_push_write(state, write, failure)) return false;
    tg_state_count_message(state, &message, value);
  }
  if (progress == TG_PROGRESS_ERROR) return expression_failed(state, messages.processor - 1, &error, failure);
  return true;
}

/* What a factor contributes to C's indices: its outer index (row of the left, column of the right) and the inner one.
 */
static bool factor(const TgState *state, int64_t processor, TgValueId value, const TgSlot *slot, bool left,
                   int32_t *outer, int32_t *inner, TgError *failure) {
  const TgComputes *computes = &state->schedule->computes;
  const TgValue *v = &state->value[value];
  uint8_t matrix = left ? computes->left : computes->right;
  bool wanted = left ? computes->left_transposed : computes->right_transposed;
  if (computes->right == TG_MATRICES || v->kind != TG_VALUE_INPUT || v->matrix != matrix ||
      (v->transposed != slot->transposed) != wanted) {
    char text[64];
    tg_state_value_text(state, value, text, sizeof text);
    return tg_state_fail(state, failure, TG_CAUSE_WRONG_FACTOR, processor,
                         "`%s` takes %s%s as its %s factor, expected a block of %s",
                         tg_name(state->names, state->names->source[state->walk.statement]), text,
                         slot->transposed ? "'" : "", left ? "left" : "right",
                         computes->right == TG_MATRICES ? "nothing: no product is to be computed"
                                                        : (const char *[]){"A", "A'", "B", "B'"}[2 * matrix + wanted]);
  }
  *outer = left != wanted ? v->row : v->column;
  *inner = left != wanted ? v->column : v->row;
  return true;
}

typedef struct TgTerm {
  TgValueId left, right;
  int32_t row, column, inner;
} TgTerm;

static bool make_term(TgState *state, int64_t processor, const TgLocal *local, TgTerm *term, TgError *failure) {
  const TgStatement *statement = &state->schedule->statement[state->walk.statement];
  int32_t right_inner;
  if (!tg_slot_read(state, processor, statement->source.buffer, local->source, &term->left, failure) ||
      !tg_slot_read(state, processor, statement->other.buffer, local->other, &term->right, failure) ||
      !factor(state, processor, term->left, &statement->source, true, &term->row, &term->inner, failure) ||
      !factor(state, processor, term->right, &statement->other, false, &term->column, &right_inner, failure))
    return false;
  if (term->inner == right_inner) return true;
  char left[64], right[64];
  tg_state_value_text(state, term->left, left, sizeof left);
  tg_state_value_text(state, term->right, right, sizeof right);
  return tg_state_fail(state, failure, TG_CAUSE_INNER_MISMATCH, processor,
                       "`%s` multiplies %s by %s, whose inner indices %d and %d differ",
                       tg_name(state->names, state->names->source[state->walk.statement]), left, right, term->inner,
                       right_inner);
}

static bool check_summand(const TgState *state, int64_t processor, TgValueId sum, const TgTerm *term,
                          TgError *failure) {
  const TgValue *v = &state->value[sum];
  if (v->kind == TG_VALUE_SUM && !v->transposed && v->row == term->row && v->column == term->column) return true;
  char text[64];
  tg_state_value_text(state, sum, text, sizeof text);
  return tg_state_fail(state, failure, TG_CAUSE_WRONG_SUM, processor, "`%s` adds a term of C(%d, %d) to %s",
                       tg_name(state->names, state->names->source[state->walk.statement]), term->row, term->column,
                       text);
}

static TgValueId new_sum(TgState *state, const TgTerm *term, TgValueId sum, bool *in_place) {
  *in_place = sum && state->value[sum].references == 1;
  if (*in_place) return sum;
  if (sum) return tg_value_copy(state, sum);
  TgValueId result = tg_value_new(state, TG_VALUE_SUM);
  if (!result) return 0;
  state->value[result].row = term->row;
  state->value[result].column = term->column;
  return result;
}

static bool multiply_at(TgState *state, int64_t processor, const TgLocal *local, TgError *failure) {
  const TgStatement *statement = &state->schedule->statement[state->walk.statement];
  const TgStateHooks *hooks = &state->hooks;
  int buffer = statement->target.buffer;
  TgTerm term;
  bool in_place;
  if (!make_term(state, processor, local, &term, failure) || !tg_slot_reserve(state, buffer, local->target, failure))
    return false;
  TgValueId sum = statement->replace ? 0 : tg_state_slot(state, processor, buffer, local->target);
  if (sum && state->value[sum].kind == TG_VALUE_ZERO) sum = 0;
  if (sum && !check_summand(state, processor, sum, &term, failure)) return false;
  TgValueId result = new_sum(state, &term, sum, &in_place);
  if (!result) return tg_state_out_of_memory(state, failure, "products");
  tg_value_add_term(state, result, term.inner);
  bool followed = !hooks->multiply || hooks->multiply(hooks->user, result, sum, term.left, statement->source.transposed,
                                                      term.right, statement->other.transposed);
  if (hooks->product) hooks->product(hooks->user, processor, result, term.left, term.right);
  if (sum) state->buffer[buffer].arrival[local->target * state->processors + processor] = 0;
  if (!in_place) tg_slot_set(state, processor, buffer, local->target, result);
  state->counts.products++;
  return followed || tg_state_hook_failed(state, failure, processor);
}

static bool copy_at(TgState *state, int64_t processor, const TgLocal *local, TgError *failure) {
  const TgStatement *statement = &state->schedule->statement[state->walk.statement];
  TgValueId value;
  if (!tg_slot_read(state, processor, statement->source.buffer, local->source, &value, failure) ||
      !tg_slot_reserve(state, statement->target.buffer, local->target, failure))
    return false;
  tg_slot_set(state, processor, statement->target.buffer, local->target, tg_value_hold(state, value));
  return true;
}

static bool zero_at(TgState *state, int64_t processor, const TgLocal *local, TgError *failure) {
  int buffer = state->schedule->statement[state->walk.statement].target.buffer;
  if (!tg_slot_reserve(state, buffer, local->target, failure)) return false;
  TgValueId zero = tg_value_new(state, TG_VALUE_ZERO);
  if (!zero) return tg_state_out_of_memory(state, failure, "zeros");
  tg_slot_set(state, processor, buffer, local->target, zero);
  return true;
}

/* For C = A·A' a block's transpose is the mirrored block; otherwise the value just carries the flag. */
static void name_transpose(const TgState *state, TgValue *to, const TgValue *from) {
  const TgComputes *computes = &state->schedule->computes;
  bool symmetric = computes->left == computes->right && computes->left_transposed != computes->right_transposed;
  int32_t references = to->references;
  *to = *from;
  to->references = references;
  if (from->kind == TG_VALUE_SUM && symmetric) {
    to->row = from->column;
    to->column = from->row;
  } else {
    to->transposed = !from->transposed;
  }
}

static bool transpose_at(TgState *state, int64_t processor, const TgLocal *local, TgError *failure) {
  const TgStatement *statement = &state->schedule->statement[state->walk.statement];
  TgValueId value;
  if (!tg_slot_read(state, processor, statement->source.buffer, local->source, &value, failure)) return false;
  if (state->value[value].kind == TG_VALUE_ZERO) return true;
  TgValueId result = tg_value_copy(state, value);
  if (!result) return tg_state_out_of_memory(state, failure, "transposes");
  name_transpose(state, &state->value[result], &state->value[value]);
  bool followed = !state->hooks.transpose || state->hooks.transpose(state->hooks.user, result, value);
  tg_slot_set(state, processor, statement->target.buffer, local->target, result);
  return followed || tg_state_hook_failed(state, failure, processor);
}

typedef bool (*LocalOperation)(TgState *state, int64_t processor, const TgLocal *local, TgError *failure);

static bool execute_local(TgState *state, LocalOperation operation, TgError *failure) {
  for (int64_t processor = 0; processor < state->processors; processor++) {
    TgLocal local;
    TgError error;
    if (!tg_walk_local(&state->walk, processor, &local, &error))
      return expression_failed(state, processor, &error, failure);
    if (local.takes_part && !operation(state, processor, &local, failure)) return false;
    if (!tg_state_go_on(state, failure)) return false;
  }
  return true;
}

bool tg_state_execute(TgState *state, TgError *failure) {
  static const LocalOperation local[TG_OPS] = {
      [TG_OP_MULTIPLY] = multiply_at, [TG_OP_COPY] = copy_at, [TG_OP_ZERO] = zero_at, [TG_OP_TRANSPOSE] = transpose_at};
  int op = state->schedule->statement[state->walk.statement].op;
  if (!tg_state_watched(state, failure)) return false;
  state->counts.statements++;
  bool fine = local[op]                 ? execute_local(state, local[op], failure)
              : tg_op_is_collective(op) ? tg_state_execute_collective(state, failure)
                                        : execute_move(state, failure);
  if (fine) return tg_state_apply_writes(state, failure);
  for (int64_t w = 0; w < state->writes; w++) tg_value_release(state, state->write[w].value);
  state->writes = 0;
  return false;
}
