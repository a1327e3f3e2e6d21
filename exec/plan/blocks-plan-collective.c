/* Collectives in the rounds of schedule/collective.h, line by line. What each position holds of each item is kept in a
 * table of its own, so that items pass through positions that have no slot for them. */
#include "blocks-planner-private.h"

typedef struct Line {
  TgPlanner *planner;
  const TgStatement *statement;
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
  const int32_t length = run->line.length, root = run->line.root, source = run->line.source;
  const int op = run->statement->op;
  if (op == TG_OP_BROADCAST) read(run, root, 0, source);
  for (int32_t p = 0; p < length && op != TG_OP_BROADCAST; p++) {
    if (op == TG_OP_REDUCE) read(run, p, 0, source);
    if (op == TG_OP_ALLGATHER || op == TG_OP_GATHER) read(run, p, p, source);
    if (op == TG_OP_SCATTER) read(run, root, p, p);
    for (int32_t t = 0; t < length && op == TG_OP_REDUCESCATTER; t++) read(run, p, t, t);
    for (int32_t t = 0; t < length && op == TG_OP_ALLTOALL; t++) read(run, p, (int64_t)p * length + t, t);
  }
}

/* What is sent on has no further use where it was, but for blocks that all get. */
static bool is_used_up(int op) {
  return op != TG_OP_BROADCAST && op != TG_OP_ALLGATHER;
}

static bool transfer_all(Line *run) {
  TgPlanner *planner = run->planner;
  TgRounds rounds;
  TgTransfer transfer;
  tg_rounds_init(&rounds, (TgOp)run->statement->op, planner->options->collective, run->line.length, run->line.root, 0);
  while (!planner->error && tg_rounds_next(&rounds, &transfer)) {
    const int32_t to = rank(run, transfer.to), block = held(run, transfer.from, transfer.item);
    const int32_t there = held(run, transfer.to, transfer.item);
    const int32_t result = transfer.add
                               ? tg_plan_add(planner, to, there, block, transfer.piece, transfer.pieces)
                               : tg_plan_arrive_piece(planner, to, there, block, transfer.piece, transfer.pieces);
    keep(run, transfer.to, transfer.item, result);
    if (transfer.pieces > 1 || !is_used_up(run->statement->op)) continue;
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
  const int32_t length = run->line.length, target = run->line.target;
  const int op = run->statement->op;
  const bool at_root = position == run->line.root;
  if (op == TG_OP_BROADCAST) return write(run, position, target, 0);
  if (op == TG_OP_REDUCE) return write(run, position, target, at_root ? 0 : -1);
  if (op == TG_OP_SCATTER || op == TG_OP_REDUCESCATTER) return write(run, position, target, position);
  if (op == TG_OP_GATHER && !at_root) return true;
  for (int32_t t = 0; t < length; t++) {
    if (!write(run, position, t, op == TG_OP_ALLTOALL ? (int64_t)t * length + position : t)) return false;
  }
  return true;
}

static bool plan_line(Line *run) {
  GHashTableIter at;
  gpointer block;
  const int op = run->statement->op;
  const int64_t length = run->line.length;
  run->items = op == TG_OP_BROADCAST || op == TG_OP_REDUCE ? 1 : op == TG_OP_ALLTOALL ? length * length : length;
  run->held = g_hash_table_new(NULL, NULL);
  read_all(run);
  bool fine = transfer_all(run);
  for (int32_t position = 0; fine && position < run->line.length; position++) fine = write_position(run, position);
  g_hash_table_iter_init(&at, run->held);
  while (g_hash_table_iter_next(&at, NULL, &block)) tg_plan_release(run->planner, GPOINTER_TO_INT(block));
  g_hash_table_unref(run->held);
  return fine;
}

bool tg_plan_collective(TgPlanner *planner) {
  const int64_t lines = tg_walk_lines(&planner->walk);
  for (int64_t number = 0; number < lines; number++) {
    Line run = {.planner = planner, .statement = &planner->schedule->statement[planner->walk.statement]};
    TgError error;
    bool takes_part;
    if (!tg_walk_line(&planner->walk, number, &run.line, &takes_part, &error)) {
      g_set_error(&planner->error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_SCHEDULE, "%d:%d: %s", error.line, error.column,
                  error.message);
      return false;
    }
    if (takes_part && !plan_line(&run)) return false;
  }
  return true;
}
