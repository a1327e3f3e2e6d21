/* One statement as instructions: every read is held first, then blocks are made, then slots are renamed, so that all
 * processors read the state before the statement, as the language says. */
#include "blocks-planner-private.h"

#include "expression.h"

int64_t tg_plan_piece(const TgPlanner *planner, int32_t block, int64_t piece, int64_t pieces) {
  const int64_t pad = planner->plan->layout.pad;
  return tg_block_begin(tg_plan_block(planner, block)->elements / pad, pieces, piece) * pad;
}

static int32_t like(TgPlanner *planner, int32_t processor, int32_t block) {
  const TgPlanBlock *b = tg_plan_block(planner, block);
  return tg_plan_block_new(planner, processor, b->rows, b->columns, b->transposed);
}

static bool emit_part(TgPlanner *planner, TgBlocksOperation operation, int32_t target, int32_t addend, int32_t left,
                      int64_t piece, int64_t pieces) {
  const TgBlocksInstruction instruction = {.operation = operation,
                                           .target = target,
                                           .addend = addend,
                                           .left = left,
                                           .begin = tg_plan_piece(planner, target, piece, pieces),
                                           .end = tg_plan_piece(planner, target, piece + 1, pieces)};
  return instruction.begin == instruction.end || tg_plan_emit(planner, instruction);
}

int32_t tg_plan_arrive(TgPlanner *planner, int32_t processor, int32_t block) {
  const bool stays = planner->options->transport == TG_TRANSPORT_PULL;
  if (stays || !tg_plan_has_memory(block) || tg_plan_block(planner, block)->owner == processor)
    return tg_plan_hold(planner, block);
  const int32_t copy = like(planner, processor, block);
  emit_part(planner, TG_BLOCKS_COPY, copy, 0, block, 0, 1);
  return copy;
}

/* Something of `there`'s contents, or zeros, that `processor` may write. Takes a reference and gives one. */
static int32_t make_own(TgPlanner *planner, int32_t processor, int32_t there, int32_t shape) {
  if (tg_plan_has_memory(there) && tg_plan_is_own(planner, processor, there)) return there;
  const int32_t own = like(planner, processor, shape);
  if (tg_plan_has_memory(there)) emit_part(planner, TG_BLOCKS_COPY, own, 0, there, 0, 1);
  if (there == TG_BLOCK_ZERO) emit_part(planner, TG_BLOCKS_ZERO, own, 0, 0, 0, 1);
  tg_plan_release(planner, there);
  return own;
}

int32_t tg_plan_arrive_piece(TgPlanner *planner, int32_t processor, int32_t there, int32_t from, int32_t piece,
                             int32_t pieces) {
  if (pieces == 1 || !tg_plan_has_memory(from)) {
    tg_plan_release(planner, there);
    return tg_plan_arrive(planner, processor, from);
  }
  const int32_t own = make_own(planner, processor, there, from);
  emit_part(planner, TG_BLOCKS_COPY, own, 0, from, piece, pieces);
  return own;
}

int32_t tg_plan_add(TgPlanner *planner, int32_t processor, int32_t sum, int32_t term, int32_t piece, int32_t pieces) {
  if (!tg_plan_has_memory(term)) return sum;
  if (!tg_plan_has_memory(sum)) {
    if (pieces == 1) return tg_plan_arrive(planner, processor, term);
    sum = TG_BLOCK_ZERO;
  }
  if (pieces == 1 && !tg_plan_is_own(planner, processor, sum)) {
    const int32_t result = like(planner, processor, sum);
    emit_part(planner, TG_BLOCKS_ADD, result, sum, term, 0, 1);
    tg_plan_release(planner, sum);
    return result;
  }
  const int32_t own = make_own(planner, processor, sum, term);
  emit_part(planner, TG_BLOCKS_ADD, own, own, term, piece, pieces);
  return own;
}

static bool walk_failed(TgPlanner *planner, const TgError *error) {
  g_set_error(&planner->error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE, "%d:%d: %s", error->line, error->column,
              error->message);
  return false;
}

/* A message whose block is held: what it carries is what was there before the statement. */
typedef struct Sent {
  int32_t to, index, block;
} Sent;

static bool hold_messages(TgPlanner *planner, const TgStatement *statement, GArray *sent) {
  TgMessages messages;
  TgMessage message;
  TgError error;
  TgProgress progress;
  tg_messages_init(&messages, &planner->walk, TG_COLLECTIVE_WHOLE);
  while ((progress = tg_messages_next(&messages, &message, &error)) == TG_PROGRESS_MORE) {
    const int32_t block = tg_plan_slot(planner, (int32_t)message.from, statement->source.buffer, message.source_index);
    const Sent one = {(int32_t)message.to, message.target_index, tg_plan_hold(planner, block)};
    g_array_append_val(sent, one);
  }
  return progress == TG_PROGRESS_END || walk_failed(planner, &error);
}

static bool receive(TgPlanner *planner, const TgStatement *statement, const Sent *sent) {
  const int buffer = statement->target.buffer;
  int32_t block;
  if (statement->op == TG_OP_ADD) {
    const int32_t sum = tg_plan_take(planner, sent->to, buffer, sent->index);
    block = tg_plan_add(planner, sent->to, sum, sent->block, 0, 1);
  } else {
    block = tg_plan_arrive(planner, sent->to, sent->block);
  }
  return !planner->error && tg_plan_set(planner, sent->to, buffer, sent->index, block);
}

static bool plan_move(TgPlanner *planner, const TgStatement *statement) {
  g_autoptr(GArray) sent = g_array_new(FALSE, FALSE, sizeof(Sent));
  bool fine = hold_messages(planner, statement, sent);
  for (guint i = 0; fine && i < sent->len; i++) {
    const Sent *one = &g_array_index(sent, Sent, i);
    fine = receive(planner, statement, one);
    tg_plan_release(planner, one->block);
  }
  return fine;
}

static bool plan_copy(TgPlanner *planner, const TgStatement *statement, int32_t processor, const TgLocal *local) {
  const int32_t block = tg_plan_slot(planner, processor, statement->source.buffer, local->source);
  return tg_plan_set(planner, processor, statement->target.buffer, local->target, tg_plan_hold(planner, block));
}

static bool plan_zero(TgPlanner *planner, const TgStatement *statement, int32_t processor, const TgLocal *local) {
  return tg_plan_set(planner, processor, statement->target.buffer, local->target, TG_BLOCK_ZERO);
}

static bool plan_transpose(TgPlanner *planner, const TgStatement *statement, int32_t processor, const TgLocal *local) {
  const int32_t block = tg_plan_slot(planner, processor, statement->source.buffer, local->source);
  if (!tg_plan_has_memory(block)) return true;
  const TgPlanBlock from = *tg_plan_block(planner, block);
  const int32_t transposed = tg_plan_block_new(planner, processor, from.columns, from.rows, from.transposed);
  const TgBlocksInstruction instruction = {.operation = TG_BLOCKS_TRANSPOSE,
                                           .target = transposed,
                                           .left = block,
                                           .rows = from.rows,
                                           .columns = from.columns};
  return tg_plan_emit(planner, instruction) &&
         tg_plan_set(planner, processor, statement->target.buffer, local->target, transposed);
}

/* Whether a factor lies transposed: as its statement says, but for how its block lies. */
static bool lies_transposed(const TgPlanBlock *block, const TgSlot *factor) {
  return (factor->transposed != 0) != block->transposed;
}

static bool emit_product(TgPlanner *planner, const TgStatement *statement, int32_t target, int32_t addend, int32_t left,
                         int32_t right) {
  const TgPlanBlock *l = tg_plan_block(planner, left), *r = tg_plan_block(planner, right);
  const TgPlanBlock *t = tg_plan_block(planner, target);
  const bool left_transposed = lies_transposed(l, &statement->source);
  const TgBlocksInstruction instruction = {.operation = TG_BLOCKS_MULTIPLY,
                                           .target = target,
                                           .addend = addend,
                                           .left = left,
                                           .right = right,
                                           .rows = t->rows,
                                           .columns = t->columns,
                                           .inner = left_transposed ? l->rows : l->columns,
                                           .left_transposed = left_transposed,
                                           .right_transposed = lies_transposed(r, &statement->other)};
  return tg_plan_emit(planner, instruction);
}

static bool plan_multiply(TgPlanner *planner, const TgStatement *statement, int32_t processor, const TgLocal *local) {
  const int buffer = statement->target.buffer;
  const int32_t left = tg_plan_hold(planner, tg_plan_slot(planner, processor, statement->source.buffer, local->source));
  const int32_t right = tg_plan_hold(planner, tg_plan_slot(planner, processor, statement->other.buffer, local->other));
  int32_t sum = tg_plan_take(planner, processor, buffer, local->target), target = sum;
  if (statement->replace) {
    tg_plan_release(planner, sum);
    sum = TG_BLOCK_NONE;
  }
  const bool adds = tg_plan_has_memory(sum), in_place = adds && tg_plan_is_own(planner, processor, sum);
  if (!in_place) {
    const TgPlanBlock l = *tg_plan_block(planner, left), r = *tg_plan_block(planner, right);
    target = tg_plan_block_new(planner, processor, lies_transposed(&l, &statement->source) ? l.columns : l.rows,
                               lies_transposed(&r, &statement->other) ? r.rows : r.columns, false);
  }
  const bool fine = emit_product(planner, statement, target, adds ? sum : TG_BLOCK_NONE, left, right);
  if (!in_place) tg_plan_release(planner, sum);
  tg_plan_release(planner, left);
  tg_plan_release(planner, right);
  return tg_plan_set(planner, processor, buffer, local->target, target) && fine;
}

typedef bool (*LocalPlan)(TgPlanner *planner, const TgStatement *statement, int32_t processor, const TgLocal *local);

static bool plan_local(TgPlanner *planner, const TgStatement *statement, LocalPlan plan) {
  for (int32_t processor = 0; processor < planner->processors; processor++) {
    TgLocal local;
    TgError error;
    if (!tg_walk_local(&planner->walk, processor, &local, &error)) return walk_failed(planner, &error);
    if (local.takes_part && !plan(planner, statement, processor, &local)) return false;
  }
  return true;
}

bool tg_plan_statement(TgPlanner *planner) {
  static const LocalPlan local[TG_OPS] = {[TG_OP_MULTIPLY] = plan_multiply,
                                          [TG_OP_COPY] = plan_copy,
                                          [TG_OP_ZERO] = plan_zero,
                                          [TG_OP_TRANSPOSE] = plan_transpose};
  const TgStatement *statement = &planner->schedule->statement[planner->walk.statement];
  if (local[statement->op]) return plan_local(planner, statement, local[statement->op]);
  return tg_op_is_collective(statement->op) ? tg_plan_collective(planner) : plan_move(planner, statement);
}
