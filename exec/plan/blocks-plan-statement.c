/* One statement as instructions: every read is held first, then blocks are made, then slots are renamed, so that all
 * processors read the state before the statement, as the language says. */
#include "blocks-planner-private.h"

/* Part `piece` of `pieces` of the block: where it begins. */
static int64_t plan_piece(const TgPlanner *planner, int32_t block, int64_t piece, int64_t pieces) {
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
                                           .begin = plan_piece(planner, target, piece, pieces),
                                           .end = plan_piece(planner, target, piece + 1, pieces)};
  return instruction.begin == instruction.end || tg_plan_emit(planner, instruction);
}

/* What `processor` has once `block` has come to it, with a reference: a copy, or the block itself. */
static int32_t plan_arrive(TgPlanner *planner, int32_t processor, int32_t block) {
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

/* Part of `from` comes to `processor`, into what is there of it (a reference taken and given). */
static int32_t plan_arrive_piece(TgPlanner *planner, int32_t processor, int32_t there, int32_t from, int32_t piece,
                                 int32_t pieces) {
  if (pieces == 1 || !tg_plan_has_memory(from)) {
    tg_plan_release(planner, there);
    return plan_arrive(planner, processor, from);
  }
  const int32_t own = make_own(planner, processor, there, from);
  emit_part(planner, TG_BLOCKS_COPY, own, 0, from, piece, pieces);
  return own;
}

/* Part of `term` is added to `sum` (a reference taken and given) on `processor`. */
static int32_t plan_add(TgPlanner *planner, int32_t processor, int32_t sum, int32_t term, int32_t piece,
                        int32_t pieces) {
  if (!tg_plan_has_memory(term)) return sum;
  if (!tg_plan_has_memory(sum)) {
    if (pieces == 1) return plan_arrive(planner, processor, term);
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

/* --- collectives -------------------------------------------------------------------------------------------------- */

/* In the rounds of schedule/collective.h, line by line. What each position holds of each item is kept in a table of its
 * own, so that items pass through positions that have no slot for them. */

typedef struct Line {
  TgPlanner *planner;
  const TgStatement *statement;
  const TgOpTraits *traits; /* of its operation */
  TgLine line;
  int64_t items;
  GHashTable *held; /* position * items + item: block, with a reference */
} Line;

static int32_t rank(const Line *run, int32_t position) {
  return (int32_t)(run->line.base + position * run->line.stride);
}

static gpointer key(const Line *run, int32_t position, int64_t item) {
  return GSIZE_TO_POINTER((gsize)(position * run->items + item));
}

static int32_t held(const Line *run, int32_t position, int64_t item) {
  return GPOINTER_TO_INT(g_hash_table_lookup(run->held, key(run, position, item)));
}

/* Takes the reference of `block`; what was there is not released. */
static void keep(Line *run, int32_t position, int64_t item, int32_t block) {
  if (block == TG_BLOCK_NONE)
    g_hash_table_remove(run->held, key(run, position, item));
  else
    g_hash_table_insert(run->held, key(run, position, item), GINT_TO_POINTER(block));
}

static void read(Line *run, int32_t position, int64_t item, int64_t index) {
  const int32_t block = tg_plan_slot(run->planner, rank(run, position), run->statement->source.buffer, (int32_t)index);
  keep(run, position, item, tg_plan_hold(run->planner, block));
}

/* Where each operation's blocks start. */
static void read_all(Line *run) {
  const int32_t length = run->line.length, root = run->line.root;
  for (int32_t p = 0; p < length; p++) {
    if (run->traits->from_root && p != root) continue;
    for (int32_t t = 0; t < (run->traits->splits ? length : 1); t++)
      read(run, p, tg_op_item(run->statement->op, length, p, t), run->traits->splits ? t : run->line.source);
  }
}

/* What is sent on has no further use where it was, but for blocks that all get. */
static bool is_used_up(const TgOpTraits *traits) {
  return traits->splits || traits->to_root;
}

static bool transfer_all(Line *run) {
  TgPlanner *planner = run->planner;
  TgRounds rounds;
  TgTransfer transfer;
  tg_rounds_of_statement(&rounds, run->statement, planner->options->collective, run->line.length, run->line.root);
  while (!planner->error && tg_rounds_next(&rounds, &transfer)) {
    const int32_t to = rank(run, transfer.to), block = held(run, transfer.from, transfer.item);
    const int32_t there = held(run, transfer.to, transfer.item);
    const int32_t result = transfer.add ? plan_add(planner, to, there, block, transfer.piece, transfer.pieces)
                                        : plan_arrive_piece(planner, to, there, block, transfer.piece, transfer.pieces);
    keep(run, transfer.to, transfer.item, result);
    if (transfer.pieces > 1 || !is_used_up(run->traits)) continue;
    keep(run, transfer.from, transfer.item, TG_BLOCK_NONE);
    tg_plan_release(planner, block);
  }
  return !planner->error;
}

static bool write(Line *run, int32_t position, int64_t index, int64_t item) {
  const int32_t block = item < 0 ? TG_BLOCK_NONE : held(run, position, item);
  return tg_plan_set(run->planner, rank(run, position), run->statement->target.buffer, (int32_t)index,
                     tg_plan_hold(run->planner, block));
}

static bool write_position(Line *run, int32_t position) {
  const int32_t length = run->line.length;
  const bool receives = !run->traits->to_root || position == run->line.root;
  if (!run->traits->fills)
    return write(run, position, run->line.target,
                 receives ? tg_op_item(run->statement->op, length, run->line.root, position) : -1);
  for (int32_t t = 0; receives && t < length; t++)
    if (!write(run, position, t, tg_op_item(run->statement->op, length, t, position))) return false;
  return true;
}

static bool plan_line(Line *run) {
  GHashTableIter at;
  gpointer block;
  run->items = tg_op_items(run->statement->op, run->line.length);
  run->held = g_hash_table_new(NULL, NULL);
  read_all(run);
  bool fine = transfer_all(run);
  for (int32_t position = 0; fine && position < run->line.length; position++) fine = write_position(run, position);
  g_hash_table_iter_init(&at, run->held);
  while (g_hash_table_iter_next(&at, NULL, &block)) tg_plan_release(run->planner, GPOINTER_TO_INT(block));
  g_hash_table_unref(run->held);
  return fine;
}

static bool walk_failed(TgPlanner *planner, const TgError *error) {
  return TG_EXECUTOR_FAIL(&planner->error, SCHEDULE, "%d:%d: %s", error->line, error->column, error->message);
}

static bool plan_collective(TgPlanner *planner) {
  const int64_t lines = tg_walk_lines(&planner->walk);
  for (int64_t number = 0; number < lines; number++) {
    const TgStatement *statement = &planner->schedule->statement[planner->walk.statement];
    Line run = {.planner = planner, .statement = statement, .traits = tg_op_traits(statement->op)};
    TgError error;
    bool takes_part;
    if (!tg_walk_line(&planner->walk, number, &run.line, &takes_part, &error)) return walk_failed(planner, &error);
    if (takes_part && !plan_line(&run)) return false;
  }
  return true;
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
    block = plan_add(planner, sent->to, sum, sent->block, 0, 1);
  } else {
    block = plan_arrive(planner, sent->to, sent->block);
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
  return tg_op_traits(statement->op)->is_collective ? plan_collective(planner) : plan_move(planner, statement);
}
