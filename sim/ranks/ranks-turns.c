/* What this rank does, from the plan of all: its instructions in order, and the messages before and after each. */
#include "ranks-private.h"

#include <string.h>

typedef int64_t Place(const TgRanks *ranks, const TgRankMessage *message); /* -1: none */

static int64_t place_of_send(const TgRanks *ranks, const TgRankMessage *message) {
  return message->from == ranks->job->rank ? message->written + 1 : -1;
}

static int64_t place_of_receive(const TgRanks *ranks, const TgRankMessage *message) {
  return message->to == ranks->job->rank ? message->free + 1 : -1;
}

static int64_t place_of_need(const TgRanks *ranks, const TgRankMessage *message) {
  return message->to == ranks->job->rank ? message->read : -1;
}

static int64_t place_of_guard(const TgRanks *ranks, const TgRankMessage *message) {
  return message->from == ranks->job->rank && message->rewritten < INT64_MAX ? message->rewritten : -1;
}

static void make_index(const TgRanks *ranks, TgRankIndex *index, Place *place) {
  const int64_t places = ranks->turns + 1;
  index->first = g_new0(int64_t, (gsize)places + 1);
  index->number = g_new(int64_t, (gsize)MAX(ranks->own->len, 1));
  for (int64_t m = 0; m < ranks->own->len; m++) {
    const int64_t at = place(ranks, message_at(ranks, m));
    if (at >= 0) index->first[at + 1]++;
  }
  for (int64_t p = 0; p < places; p++) index->first[p + 1] += index->first[p];
  g_autofree int64_t *next = g_memdup2(index->first, (gsize)(places + 1) * sizeof *next);
  for (int64_t m = 0; m < ranks->own->len; m++) {
    const int64_t at = place(ranks, message_at(ranks, m));
    if (at >= 0) index->number[next[at]++] = m;
  }
}

static void find_messages(TgRanks *ranks) {
  const int32_t used = (int32_t)ranks->base.facts.at_once, rank = ranks->job->rank;
  ranks->messages =
      tg_rank_messages_new(ranks->plan, used, ranks->rank_of, ranks->memory.shared ? ranks->job->leader : NULL);
  ranks->own = g_array_new(FALSE, FALSE, sizeof(int64_t));
  if (rank < used) ranks->turns = ranks->messages->first[rank + 1] - ranks->messages->first[rank];
  for (int64_t m = 0; m < ranks->messages->message->len; m++) {
    const TgRankMessage *message = &g_array_index(ranks->messages->message, TgRankMessage, m);
    if (message->from == rank || message->to == rank) g_array_append_val(ranks->own, m);
  }
  make_index(ranks, &ranks->sends, place_of_send);
  make_index(ranks, &ranks->receives, place_of_receive);
  make_index(ranks, &ranks->needs, place_of_need);
  make_index(ranks, &ranks->guards, place_of_guard);
}

/* This rank's instructions, with the blocks that come in messages where they come to. */
static void find_turns(TgRanks *ranks) {
  const int64_t shift = ranks->memory.far_bytes / element_bytes(ranks);
  g_autoptr(GHashTable) far = g_hash_table_new(g_int64_hash, g_int64_equal);
  for (guint m = 0; m < ranks->own->len; m++) {
    TgRankMessage *message =
        &g_array_index(ranks->messages->message, TgRankMessage, g_array_index(ranks->own, int64_t, m));
    if (message->to == ranks->job->rank) g_hash_table_add(far, &message->block);
  }
  ranks->turn = g_new(TgBlocksInstruction, (gsize)ranks->turns + 1);
  const int64_t *turn = ranks->turns ? &ranks->messages->turn[ranks->messages->first[ranks->job->rank]] : NULL;
  for (int64_t place = 0; place < ranks->turns; place++) {
    TgBlocksInstruction *instruction = &ranks->turn[place];
    *instruction = ranks->plan->instruction[turn[place]];
    int64_t *const reads[] = {&instruction->left, &instruction->right, &instruction->addend};
    for (size_t r = 0; r < G_N_ELEMENTS(reads); r++)
      if (g_hash_table_contains(far, reads[r])) *reads[r] += shift;
  }
}

/* For predictions: what each instruction of all ranks gets. */
static void note_arrivals(TgRanks *ranks) {
  const TgRankMessages *messages = ranks->messages;
  ranks->base.facts.plan = ranks->plan;
  if (ranks->job->hosts > 1) ranks->base.facts.host = ranks->job->leader;
  ranks->base.facts.shares_host = ranks->memory.shared; /* there every reader fetches what it reads */
  if (ranks->memory.shared && ranks->job->hosts == 1) return;
  ranks->arrives = g_new0(uint8_t, (gsize)MAX(ranks->plan->instructions, 1));
  for (guint m = 0; m < messages->message->len; m++) {
    const TgRankMessage *message = &g_array_index(messages->message, TgRankMessage, m);
    const int64_t number = messages->turn[messages->first[message->to] + message->read];
    const TgBlocksInstruction *instruction = &ranks->plan->instruction[number];
    if (message->block == instruction->left) ranks->arrives[number] |= TG_BLOCKS_READS_LEFT;
    if (message->block == instruction->right) ranks->arrives[number] |= TG_BLOCKS_READS_RIGHT;
  }
  ranks->base.facts.arrives = ranks->arrives;
}

void tg_ranks_find_turns(TgRanks *ranks) {
  find_messages(ranks);
  find_turns(ranks);
  note_arrivals(ranks);
}

static void clear_index(TgRankIndex *index) {
  g_free(index->first);
  g_free(index->number);
}

void tg_ranks_clear_turns(TgRanks *ranks) {
  TgRankIndex *const all[] = {&ranks->sends, &ranks->receives, &ranks->needs, &ranks->guards};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) clear_index(all[i]);
  if (ranks->own) g_array_unref(ranks->own);
  tg_rank_messages_free(ranks->messages);
  g_free(ranks->turn);
  g_free(ranks->arrives);
}

/* --- the memory that it touches ----------------------------------------------------------------------------------- */

double tg_ranks_touched_bytes(const TgRanks *ranks) {
  g_autoptr(GHashTable) most = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  double elements = 0;
  for (int64_t place = 0; place < ranks->turns; place++) {
    int64_t block, begin, end;
    tg_rank_writes(&ranks->turn[place], &block, &begin, &end);
    const int64_t *before = g_hash_table_lookup(most, &block);
    if (before && *before >= end) continue;
    elements += (double)(end - (before ? *before : 0));
    g_hash_table_insert(most, g_memdup2(&block, sizeof block), g_memdup2(&end, sizeof end));
  }
  for (guint m = 0; m < ranks->own->len; m++) {
    const TgRankMessage *message = message_at(ranks, m);
    if (message->to == ranks->job->rank) elements += (double)(message->end - message->begin);
  }
  for (int64_t i = 0; i < ranks->plan->placed; i++) {
    const TgBlocksPlaced *placed = &ranks->plan->place[i];
    if (placed->matrix != TG_MATRIX_C && ranks->rank_of[placed->processor] == ranks->job->rank)
      elements += (double)(ranks->plan->padded_rows[placed->matrix] * ranks->plan->padded_columns[placed->matrix]);
  }
  return elements * (double)element_bytes(ranks);
}

void tg_ranks_poison(const TgRanks *ranks) {
  const int64_t bytes = element_bytes(ranks);
  int64_t block, begin, end;
  for (int64_t place = 0; place < ranks->turns; place++) {
    tg_rank_writes(&ranks->turn[place], &block, &begin, &end);
    memset(ranks->memory.blocks + (block + begin) * bytes, 0xff, (size_t)((end - begin) * bytes));
  }
  for (guint m = 0; m < ranks->own->len; m++) {
    const TgRankMessage *message = message_at(ranks, m);
    if (message->to == ranks->job->rank)
      memset(ranks->memory.blocks + ranks->memory.far_bytes + (message->block + message->begin) * bytes, 0xff,
             (size_t)((message->end - message->begin) * bytes));
  }
}
