/* Blocks of the planner: references, free lists, and the waits that their readers and writers need. */
#include "blocks-planner-private.h"

#include <string.h>

static TgPlanSize *size_of(TgPlanner *planner, int64_t elements) {
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    if (planner->size[matrix].elements == elements) return &planner->size[matrix];
  }
  g_assert_not_reached(); /* every block is one of A, B or C, perhaps transposed */
}

static int32_t take_free(TgPlanner *planner, TgPlanFree *free) {
  const int32_t block = free->first;
  if (block == TG_BLOCK_NONE) return block;
  const TgPlanBlock *b = tg_plan_block(planner, block);
  const bool late = planner->plan->layout.late_reuse && free->count < TG_PLAN_WAITING;
  if (late && b->freed_step == planner->walk.step) return TG_BLOCK_NONE;
  free->first = b->next_free;
  free->count--;
  return block;
}

static void put_free(TgPlanner *planner, TgPlanFree *free, int32_t block) {
  TgPlanBlock *b = tg_plan_block(planner, block);
  const bool is_last = planner->plan->layout.late_reuse && free->first != TG_BLOCK_NONE;
  b->freed_step = planner->walk.step;
  b->next_free = is_last ? TG_BLOCK_NONE : free->first;
  if (is_last)
    tg_plan_block(planner, free->last)->next_free = block;
  else
    free->first = block;
  free->last = block;
  free->count++;
}

int32_t tg_plan_block_new(TgPlanner *planner, int32_t owner, int64_t rows, int64_t columns, bool transposed) {
  TgPlanSize *size = size_of(planner, rows * columns);
  int32_t block = take_free(planner, &size->free[owner]);
  if (block == TG_BLOCK_NONE) {
    const TgPlanBlock fresh = {.owner = owner, .elements = rows * columns};
    block = (int32_t)planner->blocks->len;
    g_array_append_val(planner->blocks, fresh);
  }
  TgPlanBlock *b = tg_plan_block(planner, block);
  b->references = 1;
  b->rows = (int32_t)rows;
  b->columns = (int32_t)columns;
  b->transposed = transposed;
  return block;
}

int32_t tg_plan_hold(TgPlanner *planner, int32_t block) {
  if (tg_plan_has_memory(block)) tg_plan_block(planner, block)->references++;
  return block;
}

void tg_plan_release(TgPlanner *planner, int32_t block) {
  if (!tg_plan_has_memory(block)) return;
  TgPlanBlock *b = tg_plan_block(planner, block);
  if (--b->references > 0) return;
  put_free(planner, &size_of(planner, b->elements)->free[b->owner], block);
}

bool tg_plan_is_own(const TgPlanner *planner, int32_t processor, int32_t block) {
  const TgPlanBlock *b = tg_plan_block(planner, block);
  return b->references == 1 && b->owner == processor;
}

int32_t tg_plan_slot(const TgPlanner *planner, int32_t processor, int buffer, int32_t index) {
  const int64_t at = (int64_t)index * planner->processors + processor;
  const GArray *slots = planner->slots[buffer];
  return at < slots->len ? g_array_index(slots, int32_t, (guint)at) : TG_BLOCK_NONE;
}

int32_t tg_plan_take(TgPlanner *planner, int32_t processor, int buffer, int32_t index) {
  const int32_t block = tg_plan_slot(planner, processor, buffer, index);
  if (block != TG_BLOCK_NONE)
    g_array_index(planner->slots[buffer], int32_t, (guint)index * (guint)planner->processors + (guint)processor) =
        TG_BLOCK_NONE;
  return block;
}

bool tg_plan_set(TgPlanner *planner, int32_t processor, int buffer, int32_t index, int32_t block) {
  GArray *slots = planner->slots[buffer];
  const int64_t needed = ((int64_t)index + 1) * planner->processors;
  if (needed > TG_BLOCKS_MOST) {
    g_set_error(&planner->error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "buffer %s has %lld slots on all processors together, at most %d are planned",
                tg_name(planner->names, planner->names->buffer[buffer]), (long long)needed, TG_BLOCKS_MOST);
    tg_plan_release(planner, block);
    return false;
  }
  if (needed > slots->len) g_array_set_size(slots, (guint)needed); /* clears what is new: TG_BLOCK_NONE */
  int32_t *slot = &g_array_index(slots, int32_t, (guint)(needed - planner->processors + processor));
  tg_plan_release(planner, *slot);
  *slot = block;
  return true;
}

/* `processor` goes on once `other` has finished `count` instructions, unless it waited for as much before. */
static void wait_for(TgPlanner *planner, int32_t processor, int32_t other, int32_t count,
                     TgBlocksInstruction *instruction) {
  int32_t *known = &planner->known[(int64_t)processor * planner->processors + other];
  if (processor == other || *known >= count) return;
  *known = count;
  const TgBlocksWait wait = {other, count};
  g_array_append_val(planner->waits, wait);
  instruction->waits++;
}

static void note_reader(TgPlanBlock *block, int32_t processor, int32_t count) {
  if (!block->readers) block->readers = g_array_new(FALSE, FALSE, sizeof(TgBlocksWait));
  for (guint i = 0; i < block->readers->len; i++) {
    TgBlocksWait *reader = &g_array_index(block->readers, TgBlocksWait, i);
    if (reader->processor != processor) continue;
    reader->count = count;
    return;
  }
  const TgBlocksWait reader = {processor, count};
  g_array_append_val(block->readers, reader);
}

static void read_block(TgPlanner *planner, int64_t number, TgBlocksInstruction *instruction) {
  if (!tg_plan_has_memory((int32_t)number)) return;
  TgPlanBlock *block = tg_plan_block(planner, (int32_t)number);
  const int32_t processor = instruction->processor;
  if (block->owner == processor) return;
  wait_for(planner, processor, block->owner, block->written, instruction);
  note_reader(block, processor, planner->count[processor] + 1);
}

static void write_block(TgPlanner *planner, TgPlanBlock *block, TgBlocksInstruction *instruction) {
  for (guint i = 0; block->readers && i < block->readers->len; i++) {
    const TgBlocksWait *reader = &g_array_index(block->readers, TgBlocksWait, i);
    wait_for(planner, instruction->processor, reader->processor, reader->count, instruction);
  }
  if (block->readers) g_array_set_size(block->readers, 0);
  block->written = planner->count[instruction->processor] + 1;
}

bool tg_plan_emit(TgPlanner *planner, TgBlocksInstruction instruction) {
  if (planner->instructions->len >= TG_BLOCKS_MOST || planner->waits->len >= TG_BLOCKS_MOST) {
    g_set_error(&planner->error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "the run has more than %d instructions or waits over its %d processors", TG_BLOCKS_MOST,
                planner->processors);
    return false;
  }
  instruction.processor = tg_plan_block(planner, (int32_t)instruction.target)->owner;
  instruction.statement = planner->walk.statement;
  instruction.step = (int32_t)planner->walk.step;
  instruction.first_wait = planner->waits->len;
  instruction.order = planner->instructions->len;
  read_block(planner, instruction.addend, &instruction);
  read_block(planner, instruction.left, &instruction);
  read_block(planner, instruction.right, &instruction);
  write_block(planner, tg_plan_block(planner, (int32_t)instruction.target), &instruction);
  planner->count[instruction.processor]++;
  g_array_append_val(planner->instructions, instruction);
  return true;
}
