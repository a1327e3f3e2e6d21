#include "rank-messages.h"

#include <string.h>

/** A part of a block that an instruction reads or writes; block -1: none. */
typedef struct Part {
  int64_t block, begin, end;
} Part;

enum { MOST_READ = 3 };

static Part part_of(int64_t block, int64_t begin, int64_t end) {
  return (Part){block, begin, end};
}

static int find_read(const TgBlocksInstruction *at, Part read[MOST_READ]) {
  const int64_t rows = at->rows, columns = at->columns, inner = at->inner;
  int count = 0;
  switch ((TgBlocksOperation)at->operation) {
  case TG_BLOCKS_ZERO:
    break;
  case TG_BLOCKS_ADD:
    read[count++] = part_of(at->addend, at->begin, at->end);
    /* fall through */
  case TG_BLOCKS_COPY:
    read[count++] = part_of(at->left, at->begin, at->end);
    break;
  case TG_BLOCKS_TRANSPOSE:
    read[count++] = part_of(at->left, 0, rows * columns);
    break;
  case TG_BLOCKS_MULTIPLY:
    if (at->addend >= 0) read[count++] = part_of(at->addend, 0, rows * columns);
    read[count++] = part_of(at->left, 0, rows * inner);
    read[count++] = part_of(at->right, 0, inner * columns);
    break;
  case TG_BLOCKS_OPERATIONS:
    g_assert_not_reached();
  }
  return count;
}

static Part find_written(const TgBlocksInstruction *at) {
  const bool whole = at->operation == TG_BLOCKS_MULTIPLY || at->operation == TG_BLOCKS_TRANSPOSE;
  return whole ? part_of(at->target, 0, (int64_t)at->rows * at->columns) : part_of(at->target, at->begin, at->end);
}

void tg_rank_writes(const TgBlocksInstruction *instruction, int64_t *block, int64_t *begin, int64_t *end) {
  const Part part = find_written(instruction);
  *block = part.block;
  *begin = part.begin;
  *end = part.end;
}

/* --- what is known of a block while instructions are gone through ------------------------------------------------- */

/** A part as it was written last. */
typedef struct Written {
  int64_t begin, end, place;
} Written;

/** What a rank received of a block of another. */
typedef struct Held {
  int32_t rank;
  int64_t begin, end;
  int64_t written; /* place of the instruction after which it was sent */
} Held;

typedef struct Block {
  int32_t rank;     /* of its owner */
  GArray *written;  /* Written */
  GArray *held;     /* Held */
  GArray *last;     /* by rank: place of the last instruction that reads it there, -1 none; only of other ranks */
  GArray *outgoing; /* guint: messages since it was written last */
} Block;

static void free_block(gpointer data) {
  Block *block = data;
  g_array_unref(block->written);
  g_array_unref(block->held);
  g_array_unref(block->last);
  g_array_unref(block->outgoing);
  g_free(block);
}

typedef struct Making {
  TgRankMessages *messages;
  const int32_t *host_of; /* by rank, or NULL */
  GHashTable *block;      /* offset -> Block */
  int64_t *tag;           /* [from * ranks + to] */
} Making;

static Block *block_at(Making *making, int64_t offset, int32_t rank) {
  Block *block = g_hash_table_lookup(making->block, &offset);
  if (block) return block;
  block = g_new0(Block, 1);
  block->rank = rank;
  block->written = g_array_new(FALSE, FALSE, sizeof(Written));
  block->held = g_array_new(FALSE, FALSE, sizeof(Held));
  block->last = g_array_new(FALSE, FALSE, sizeof(int64_t));
  block->outgoing = g_array_new(FALSE, FALSE, sizeof(guint));
  g_hash_table_insert(making->block, g_memdup2(&offset, sizeof offset), block);
  return block;
}

static void note_written(Making *making, Part part, int32_t rank, int64_t place) {
  Block *block = block_at(making, part.block, rank);
  for (guint w = block->written->len; w > 0; w--) {
    const Written *before = &g_array_index(block->written, Written, w - 1);
    if (part.begin <= before->begin && before->end <= part.end) g_array_remove_index_fast(block->written, w - 1);
  }
  const Written written = {part.begin, part.end, place};
  g_array_append_val(block->written, written);
  for (guint i = 0; i < block->outgoing->len; i++) {
    TgRankMessage *message =
        &g_array_index(making->messages->message, TgRankMessage, g_array_index(block->outgoing, guint, i));
    message->rewritten = place;
  }
  g_array_set_size(block->outgoing, 0);
}

/* Place of the last instruction that wrote some of the part; -1: it was there from the beginning. */
static int64_t last_written(const Block *block, Part part) {
  int64_t last = -1;
  for (guint w = 0; w < block->written->len; w++) {
    const Written *written = &g_array_index(block->written, Written, w);
    if (written->begin < part.end && part.begin < written->end) last = MAX(last, written->place);
  }
  return last;
}

static int64_t *last_read(Block *block, int32_t ranks, int32_t rank) {
  const int64_t none = -1;
  while (block->last->len < (guint)ranks) g_array_append_val(block->last, none);
  return &g_array_index(block->last, int64_t, (guint)rank);
}

/* Whether the rank has the part as it was written last. */
static bool has_part(const Block *block, int32_t rank, Part part, int64_t written) {
  for (guint h = block->held->len; h > 0; h--) {
    const Held *held = &g_array_index(block->held, Held, h - 1);
    if (held->rank == rank && held->begin <= part.begin && part.end <= held->end) return held->written >= written;
  }
  return false;
}

static void note_read(Making *making, Part part, int32_t rank, int64_t place) {
  TgRankMessages *messages = making->messages;
  Block *block = g_hash_table_lookup(making->block, &part.block);
  if (!block || block->rank == rank || part.begin == part.end) return;
  if (making->host_of && making->host_of[block->rank] == making->host_of[rank]) return;
  const int64_t written = last_written(block, part);
  int64_t *last = last_read(block, messages->ranks, rank);
  if (!has_part(block, rank, part, written)) {
    TgRankMessage message = {.from = block->rank,
                             .to = rank,
                             .tag = making->tag[(int64_t)block->rank * messages->ranks + rank]++,
                             .block = part.block,
                             .begin = part.begin,
                             .end = part.end,
                             .written = written,
                             .read = place,
                             .free = *last,
                             .rewritten = INT64_MAX};
    const Held held = {rank, part.begin, part.end, written};
    for (guint h = block->held->len; h > 0; h--) {
      const Held *before = &g_array_index(block->held, Held, h - 1);
      if (before->rank == rank && part.begin <= before->begin && before->end <= part.end)
        g_array_remove_index_fast(block->held, h - 1);
    }
    g_array_append_val(block->held, held);
    g_array_append_val(block->outgoing, messages->message->len);
    g_array_append_val(messages->message, message);
  }
  *last = place;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void deal_out(TgRankMessages *messages, const TgBlocksPlan *plan, const int32_t *rank_of, const int64_t *at) {
  messages->first = g_new0(int64_t, (gsize)messages->ranks + 1);
  messages->turn = g_new(int64_t, (gsize)MAX(plan->instructions, 1));
  for (int64_t p = 0; p < plan->processors; p++) messages->first[rank_of[p] + 1] += plan->first[p + 1] - plan->first[p];
  for (int32_t r = 0; r < messages->ranks; r++) messages->first[r + 1] += messages->first[r];
  g_autofree int64_t *next = g_memdup2(messages->first, (gsize)messages->ranks * sizeof *next);
  for (int64_t order = 0; order < plan->instructions; order++)
    messages->turn[next[rank_of[plan->instruction[at[order]].processor]]++] = at[order];
}

static void follow(Making *making, const TgBlocksPlan *plan, const int32_t *rank_of, const int64_t *at) {
  TgRankMessages *messages = making->messages;
  g_autofree int64_t *place = g_new0(int64_t, (gsize)messages->ranks);
  for (int64_t i = 0; i < plan->placed; i++)
    if (plan->place[i].matrix != TG_MATRIX_C)
      block_at(making, plan->place[i].offset, rank_of[plan->place[i].processor]);
  for (int64_t order = 0; order < plan->instructions; order++) {
    const TgBlocksInstruction *instruction = &plan->instruction[at[order]];
    const int32_t rank = rank_of[instruction->processor];
    Part read[MOST_READ];
    const int count = find_read(instruction, read);
    for (int r = 0; r < count; r++) note_read(making, read[r], rank, place[rank]);
    note_written(making, find_written(instruction), rank, place[rank]);
    place[rank]++;
  }
}

TgRankMessages *tg_rank_messages_new(const TgBlocksPlan *plan, int32_t ranks, const int32_t *rank_of,
                                     const int32_t *host_of) {
  g_autofree int64_t *at = g_new(int64_t, (gsize)MAX(plan->instructions, 1));
  TgRankMessages *messages = g_new0(TgRankMessages, 1);
  Making making = {.messages = messages,
                   .host_of = host_of,
                   .block = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_block),
                   .tag = g_new0(int64_t, (gsize)ranks * (gsize)ranks)};
  messages->ranks = ranks;
  messages->message = g_array_new(FALSE, FALSE, sizeof(TgRankMessage));
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  deal_out(messages, plan, rank_of, at);
  follow(&making, plan, rank_of, at);
  g_hash_table_unref(making.block);
  g_free(making.tag);
  return messages;
}

void tg_rank_messages_free(TgRankMessages *messages) {
  if (!messages) return;
  g_free(messages->first);
  g_free(messages->turn);
  g_array_unref(messages->message);
  g_free(messages);
}
