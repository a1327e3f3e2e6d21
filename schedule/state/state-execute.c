#include "state-private.h"

#include <stdlib.h>
#include <string.h>

static bool state_execute_collective(TgState *state, TgError *failure);

/* One statement on all processors, collectives apart. */

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
  if (progress == TG_PROGRESS_ERROR) return tg_state_expression_failed(state, messages.processor - 1, &error, failure);
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
                         "`%s` takes %s%s as its %s factor, expected a block of %s", tg_state_source(state), text,
                         slot->transposed ? "'" : "", left ? "left" : "right",
                         computes->right == TG_MATRICES ? "nothing, because no product is computed"
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
                       "`%s` multiplies %s by %s, whose inner indices %d and %d differ", tg_state_source(state), left,
                       right, term->inner, right_inner);
}

static bool check_summand(const TgState *state, int64_t processor, TgValueId sum, const TgTerm *term,
                          TgError *failure) {
  const TgValue *v = &state->value[sum];
  if (v->kind == TG_VALUE_SUM && !v->transposed && v->row == term->row && v->column == term->column) return true;
  char text[64];
  tg_state_value_text(state, sum, text, sizeof text);
  return tg_state_fail(state, failure, TG_CAUSE_WRONG_SUM, processor, "`%s` adds a term of C(%d, %d) to %s",
                       tg_state_source(state), term->row, term->column, text);
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
      return tg_state_expression_failed(state, processor, &error, failure);
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
  bool fine = local[op]                         ? execute_local(state, local[op], failure)
              : tg_op_traits(op)->is_collective ? state_execute_collective(state, failure)
                                                : execute_move(state, failure);
  if (fine) return tg_state_apply_writes(state, failure);
  for (int64_t w = 0; w < state->writes; w++) tg_value_release(state, state->write[w].value);
  state->writes = 0;
  return false;
}

/* Collectives, whole or in rounds. The blocks that start on a line are read first; then the transfers run in the order
 * of the rounds, adding data where partial sums meet; then the slots are written. Names and data thus follow the
 * expansion that was asked for, and the result must not depend on it. */

enum { MAX_HELD = 1 << 28 }; /* blocks of one collective on one line */

/** One line's blocks: item t at position p is at [p * items + t]; items that only travel stand at position 0. */
typedef struct TgLineRun {
  TgState *state;
  const TgStatement *statement;
  const TgOpTraits *traits; /**< of its operation; where it adds, every position has a partial sum of every item */
  TgLine line;
  int64_t items;
  TgValueId *held; /**< references are the run's own where the operation adds */
} TgLineRun;

static int64_t rank(const TgLineRun *run, int64_t position) {
  return run->line.base + position * run->line.stride;
}

static TgValueId *held(const TgLineRun *run, int64_t position, int64_t item) {
  return &run->held[(run->traits->adds ? position * run->items : 0) + item];
}

static bool read(const TgLineRun *run, int64_t position, int64_t index, TgValueId *value, TgError *failure) {
  return tg_slot_read(run->state, rank(run, position), run->statement->source.buffer, (int32_t)index, value, failure);
}

static bool reserve_scratch(TgState *state, int64_t count, TgError *failure) {
  if (count > state->scratch_capacity) {
    TgValueId *wider = realloc(state->scratch, (size_t)count * sizeof *wider);
    if (!wider) return tg_state_out_of_memory(state, failure, "a collective");
    state->scratch = wider;
    state->scratch_capacity = count;
  }
  memset(state->scratch, 0, (size_t)count * sizeof *state->scratch);
  return true;
}

/* Where each operation's blocks start: which position and slot holds item t. */
static bool read_items(TgLineRun *run, TgError *failure) {
  int32_t length = run->line.length;
  const TgOpTraits *traits = run->traits;
  for (int64_t item = 0; item < run->items; item++) {
    int64_t position = traits->from_root ? run->line.root : traits->splits ? item / length : item;
    int64_t index = traits->splits ? item % length : run->line.source;
    if (!read(run, position, index, held(run, 0, item), failure)) return false;
  }
  return true;
}

static bool read_contributions(TgLineRun *run, TgError *failure) {
  for (int32_t position = 0; position < run->line.length; position++)
    for (int64_t item = 0; item < run->items; item++) {
      TgValueId *value = held(run, position, item);
      int64_t index = run->traits->splits ? item : run->line.source;
      if (!read(run, position, index, value, failure)) {
        *value = 0;
        return false;
      }
      tg_value_hold(run->state, *value);
    }
  return true;
}

static void forget_terms(TgState *state, TgValueId sum) {
  state->value[sum].terms = 0;
  state->value[sum].twice = -1;
  memset(tg_value_terms(state, sum), 0, (size_t)state->set_words * sizeof(uint64_t));
}

/* One partial sum arrives at another. The first arrival makes the receiver's sum its own; names follow piece 0, which
 * travels as every piece does. */
static bool add_partial(TgLineRun *run, const TgTransfer *transfer, TgError *failure) {
  TgState *state = run->state;
  TgValueId *to = held(run, transfer->to, transfer->item), from = *held(run, transfer->from, transfer->item);
  int64_t processor = rank(run, transfer->to);
  bool is_sum = state->value[from].kind == TG_VALUE_SUM, zero = state->value[*to].kind == TG_VALUE_ZERO;
  if (state->value[from].kind == TG_VALUE_ZERO || (!is_sum && transfer->piece != 0)) return true;
  if (!zero && !tg_state_check_sum(state, processor, *to, from, failure)) return false;
  if (zero && !is_sum) {
    tg_value_release(state, *to);
    *to = tg_value_hold(state, from);
    return true;
  }
  TgValueId old = *to;
  bool own = state->value[old].references == 1 && !zero;
  TgValueId sum = own ? old : tg_value_copy(state, zero ? from : old);
  if (!sum) return tg_state_out_of_memory(state, failure, "sums");
  if (zero) forget_terms(state, sum);
  if (transfer->piece == 0) tg_value_add_terms(state, sum, from);
  *to = sum;
  bool followed = !state->hooks.add ||
                  state->hooks.add(state->hooks.user, sum, zero ? 0 : old, from, transfer->piece, transfer->pieces);
  if (!own) tg_value_release(state, old);
  return followed || tg_state_hook_failed(state, failure, processor);
}

static bool transfer_all(TgLineRun *run, TgError *failure) {
  TgState *state = run->state;
  TgRounds rounds;
  TgTransfer transfer;
  tg_rounds_of_statement(&rounds, run->statement, state->collective, run->line.length, run->line.root);
  while (tg_rounds_next(&rounds, &transfer)) {
    TgMessage message;
    if (!tg_state_go_on(state, failure)) return false;
    tg_message_describe(&message, run->statement, &run->line, &transfer, state->collective);
    tg_state_count_message(state, &message, *held(run, transfer.from, transfer.item));
    if (transfer.add && !add_partial(run, &transfer, failure)) return false;
  }
  return true;
}

/* Writes item `item` into slot Y[index] of `position`; what stays on its own processor is no arrival. */
static bool write(TgLineRun *run, int32_t position, int32_t index, TgValueId value, bool arrived, TgError *failure) {
  TgWrite entry = {.processor = rank(run, position),
                   .buffer = run->statement->target.buffer,
                   .index = index,
                   .value = tg_value_hold(run->state, value),
                   .arrived = arrived};
  return tg_state_push_write(run->state, entry, failure);
}

static bool write_position(TgLineRun *run, int32_t position, TgError *failure) {
  int32_t length = run->line.length;
  bool at_root = position == run->line.root, receives = !run->traits->to_root || at_root;
  if (!run->traits->fills) {
    bool arrived = run->traits->adds ? receives && length > 1 : !at_root;
    int64_t item = tg_op_item(run->statement->op, length, run->line.root, position);
    return write(run, position, run->line.target, receives ? *held(run, position, item) : 0, arrived, failure);
  }
  for (int32_t t = 0; receives && t < length; t++) {
    int64_t item = tg_op_item(run->statement->op, length, t, position);
    if (!write(run, position, t, *held(run, 0, item), t != position, failure)) return false;
  }
  return true;
}

static bool run_line(TgLineRun *run, TgError *failure) {
  const bool adds = run->traits->adds;
  bool fine = adds ? read_contributions(run, failure) : read_items(run, failure);
  fine = fine && transfer_all(run, failure);
  for (int32_t position = 0; fine && position < run->line.length; position++)
    fine = write_position(run, position, failure);
  if (adds)
    for (int64_t i = 0; i < run->line.length * run->items; i++) tg_value_release(run->state, run->held[i]);
  return fine;
}

static bool state_execute_collective(TgState *state, TgError *failure) {
  const TgStatement *statement = &state->schedule->statement[state->walk.statement];
  const TgOpTraits *traits = tg_op_traits(statement->op);
  int64_t lines = tg_walk_lines(&state->walk);
  for (int64_t number = 0; number < lines; number++) {
    TgLineRun run = {.state = state, .statement = statement, .traits = traits};
    bool takes_part;
    TgError error;
    if (!tg_walk_line(&state->walk, number, &run.line, &takes_part, &error))
      return tg_state_expression_failed(state, run.line.base, &error, failure);
    if (!takes_part) continue;
    run.items = tg_op_items(statement->op, run.line.length);
    if (run.items > MAX_HELD || run.items * (traits->adds ? run.line.length : 1) > MAX_HELD)
      return tg_state_fail(state, failure, TG_CAUSE_MEMORY, -1,
                           "a collective over %d processors holds more than %d blocks", run.line.length, MAX_HELD);
    if (!reserve_scratch(state, run.items * (traits->adds ? run.line.length : 1), failure)) return false;
    run.held = state->scratch;
    if (!run_line(&run, failure)) return false;
  }
  return true;
}
