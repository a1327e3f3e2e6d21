#include "blocks-planner-private.h"

#include <inttypes.h>

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
                "buffer %s has %lld slots on all processors together; the limit is %d",
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

/* While arrays grow they are there twice, and at the end the sorted instructions beside the others. */
static double bytes_so_far(const TgPlanner *planner) {
  const double processors = planner->processors;
  return processors * processors * sizeof *planner->known +
         2.5 * ((double)planner->instructions->len * sizeof(TgBlocksInstruction) +
                (double)planner->waits->len * sizeof(TgBlocksWait) +
                (double)planner->blocks->len * (sizeof(TgPlanBlock) + 64));
}

static bool has_room(TgPlanner *planner) {
  const uint64_t limit = planner->plan->layout.plan_bytes;
  if (limit == 0 || bytes_so_far(planner) <= (double)limit) return true;
  return TG_EXECUTOR_FAIL(&planner->error, TOO_LARGE,
                          "the plan of the run, up to step %" PRId64 ", needs %.0f bytes; the limit is %" PRIu64
                          " bytes",
                          planner->walk.step, bytes_so_far(planner), limit);
}

bool tg_plan_emit(TgPlanner *planner, TgBlocksInstruction instruction) {
  if (planner->instructions->len % 1024 == 0 && !has_room(planner)) return false;
  if (planner->instructions->len >= TG_BLOCKS_MOST || planner->waits->len >= TG_BLOCKS_MOST)
    return TG_EXECUTOR_FAIL(&planner->error, TOO_LARGE,
                            "the run has more than %d instructions or waits on its %d processors", TG_BLOCKS_MOST,
                            planner->processors);
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

enum { MOST_PROCESSORS = 1 << 14 }; /* no device holds as many resident blocks; known[] is their square */

static int64_t padded(int64_t size, int64_t parts, int64_t pad) {
  return tg_divide_up(tg_divide_up(size, parts), pad) * pad;
}

static void measure(TgPlanner *planner) {
  const TgSchedule *schedule = planner->schedule;
  const TgExecutorOptions *options = planner->options;
  TgBlocksPlan *plan = planner->plan;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    tg_schedule_matrix_shape(schedule, (TgMatrixName)matrix, options->m, options->n, options->k, &plan->rows[matrix],
                             &plan->columns[matrix]);
    if (plan->rows[matrix] == 0) continue;
    for (int column = 0; column < 2; column++) {
      const bool inner = plan->paneled[matrix] && column == plan->transposed[matrix]; /* rows as they lie */
      *(column ? &plan->padded_columns[matrix] : &plan->padded_rows[matrix]) =
          padded(column ? plan->columns[matrix] : plan->rows[matrix], schedule->blocks[matrix][column],
                 inner ? MAX(plan->layout.inner, plan->layout.pad) : plan->layout.pad);
    }
    planner->size[matrix].elements = plan->padded_rows[matrix] * plan->padded_columns[matrix];
  }
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    planner->size[matrix].free = g_new0(TgPlanFree, (gsize)planner->processors);
}

bool tg_blocks_can_panel(const TgSchedule *schedule) {
  const TgComputes *computes = &schedule->computes;
  if (computes->right == TG_MATRICES) return false;
  for (int s = 0; s < schedule->statements; s++)
    if (schedule->statement[s].op == TG_OP_TRANSPOSE) return false;
  return computes->left != computes->right || computes->left_transposed != computes->right_transposed;
}

static void lay_factors(TgBlocksPlan *plan, const TgSchedule *schedule) {
  const TgComputes *computes = &schedule->computes;
  g_assert(tg_blocks_can_panel(schedule));
  plan->paneled[computes->left] = plan->paneled[computes->right] = true;
  plan->transposed[computes->left] = !computes->left_transposed;
  plan->transposed[computes->right] = computes->right_transposed; /* the same of a matrix on both sides */
}

static TgPlanner *planner_new(const TgSchedule *schedule, const TgScheduleNames *names,
                              const TgExecutorOptions *options, const TgBlocksLayout *layout) {
  TgPlanner *planner = g_new0(TgPlanner, 1);
  const int64_t processors = tg_schedule_processors(schedule);
  planner->schedule = schedule;
  planner->names = names;
  planner->options = options;
  planner->plan = g_new0(TgBlocksPlan, 1);
  planner->plan->processors = processors;
  planner->plan->layout = *layout;
  if (layout->panel) lay_factors(planner->plan, schedule);
  planner->processors = (int32_t)processors;
  tg_walk_init(&planner->walk, schedule, names);
  planner->blocks = g_array_new(FALSE, TRUE, sizeof(TgPlanBlock));
  g_array_set_size(planner->blocks, TG_BLOCK_FIRST);
  for (int b = 0; b < TG_MAX_BUFFERS; b++) planner->slots[b] = g_array_new(FALSE, TRUE, sizeof(int32_t));
  planner->instructions = g_array_new(FALSE, FALSE, sizeof(TgBlocksInstruction));
  planner->waits = g_array_new(FALSE, FALSE, sizeof(TgBlocksWait));
  planner->placed = g_array_new(FALSE, FALSE, sizeof(TgBlocksPlaced));
  planner->count = g_new0(int32_t, (gsize)processors);
  planner->known = g_new0(int32_t, (gsize)(processors * processors));
  measure(planner);
  return planner;
}

static void planner_free(TgPlanner *planner) {
  for (guint i = TG_BLOCK_FIRST; i < planner->blocks->len; i++) {
    GArray *readers = tg_plan_block(planner, (int32_t)i)->readers;
    if (readers) g_array_unref(readers);
  }
  g_array_unref(planner->blocks);
  for (int b = 0; b < TG_MAX_BUFFERS; b++) g_array_unref(planner->slots[b]);
  g_array_unref(planner->instructions);
  g_array_unref(planner->waits);
  g_array_unref(planner->placed);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) g_free(planner->size[matrix].free);
  g_free(planner->count);
  g_free(planner->known);
  tg_blocks_plan_free(planner->plan);
  g_clear_error(&planner->error);
  g_free(planner);
}

/* Before the run: A and B on their places, held for good so that they are there for the next run too. After it: C. */
static bool place(TgPlanner *planner, bool inputs) {
  TgPlacing placing;
  TgPlaced placed;
  TgError error = {0};
  int more;
  tg_placing_init(&placing, planner->schedule);
  while ((more = tg_placing_next(&placing, planner->names, &placed, &error)) == 1) {
    if ((placed.matrix != TG_MATRIX_C) != inputs) continue;
    const int32_t processor = (int32_t)placed.processor;
    TgBlocksPlaced entry = {
        .matrix = placed.matrix, .row = placed.row, .column = placed.column, .processor = processor};
    if (inputs) {
      const TgBlocksPlan *plan = planner->plan;
      const int64_t rows = plan->padded_rows[placed.matrix], columns = plan->padded_columns[placed.matrix];
      const bool transposed = plan->transposed[placed.matrix];
      const int32_t block =
          tg_plan_block_new(planner, processor, transposed ? columns : rows, transposed ? rows : columns, transposed);
      entry.offset = block;
      if (!tg_plan_set(planner, processor, placed.buffer, placed.index, tg_plan_hold(planner, block))) return false;
    } else {
      entry.offset = tg_plan_slot(planner, processor, placed.buffer, placed.index);
      g_assert(tg_plan_has_memory((int32_t)entry.offset)); /* proved: C ends there */
    }
    g_array_append_val(planner->placed, entry);
  }
  return more == 0 || tg_executor_fail(&planner->error, TG_EXECUTOR_ERROR_SCHEDULE, &error);
}

static bool plan_all(TgPlanner *planner) {
  TgError error;
  TgProgress progress;
  if (!place(planner, true)) return false;
  planner->plan->input_elements = planner->blocks->len; /* a number of blocks until resolve() */
  while ((progress = tg_walk_next(&planner->walk, &error)) == TG_PROGRESS_MORE) {
    if (!tg_plan_statement(planner)) return false;
  }
  planner->plan->steps = planner->walk.step;
  if (progress == TG_PROGRESS_END) return place(planner, false);
  return tg_executor_fail(&planner->error, TG_EXECUTOR_ERROR_SCHEDULE, &error);
}

/* Where each block begins. False where they overflow. */
static bool lay_out(const TgPlanner *planner, int64_t *offset) {
  TgBlocksPlan *plan = planner->plan;
  const int64_t inputs = plan->input_elements;
  for (guint i = 0; i <= planner->blocks->len; i++) {
    if (i == inputs) plan->input_elements = plan->elements;
    if (i == planner->blocks->len) break;
    offset[i] = i < TG_BLOCK_FIRST ? -1 : plan->elements;
    const int64_t elements = tg_plan_block(planner, (int32_t)i)->elements;
    if (elements > INT64_MAX / 16 - plan->elements) return false;
    plan->elements += tg_divide_up(elements, plan->layout.align) * plan->layout.align;
  }
  return true;
}

/* Sorts the instructions by processor and puts offsets for numbers of blocks. */
static void resolve(const TgPlanner *planner, const int64_t *offset) {
  TgBlocksPlan *plan = planner->plan;
  plan->instructions = planner->instructions->len;
  plan->instruction = g_new(TgBlocksInstruction, MAX(plan->instructions, 1));
  plan->first = g_new0(int64_t, (gsize)plan->processors + 1);
  g_autofree int64_t *next = g_new(int64_t, (gsize)plan->processors);
  for (int64_t p = 0; p < plan->processors; p++) {
    next[p] = plan->first[p];
    plan->first[p + 1] = plan->first[p] + planner->count[p];
  }
  for (int64_t i = 0; i < plan->instructions; i++) {
    TgBlocksInstruction instruction = g_array_index(planner->instructions, TgBlocksInstruction, (guint)i);
    instruction.target = offset[instruction.target];
    instruction.addend = offset[instruction.addend];
    instruction.left = offset[instruction.left];
    instruction.right = offset[instruction.right];
    plan->instruction[next[instruction.processor]++] = instruction;
  }
  for (guint i = 0; i < planner->placed->len; i++) {
    TgBlocksPlaced *placed = &g_array_index(planner->placed, TgBlocksPlaced, i);
    placed->offset = offset[placed->offset];
  }
}

static TgBlocksPlan *finish(TgPlanner *planner, GError **error) {
  TgBlocksPlan *plan = planner->plan;
  g_autofree int64_t *offset = g_new(int64_t, planner->blocks->len);
  if (!lay_out(planner, offset)) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "the blocks have more than %lld elements together, more than any device can hold",
                (long long)(INT64_MAX / 16));
    return NULL;
  }
  resolve(planner, offset);
  plan->waits = planner->waits->len;
  plan->wait = g_memdup2(planner->waits->data, (gsize)plan->waits * sizeof(TgBlocksWait));
  plan->placed = planner->placed->len;
  plan->place = g_memdup2(planner->placed->data, (gsize)plan->placed * sizeof(TgBlocksPlaced));
  return g_steal_pointer(&planner->plan);
}

TgBlocksPlan *tg_blocks_plan_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                 const TgExecutorOptions *options, const TgBlocksLayout *layout, GError **error) {
  const int64_t processors = tg_schedule_processors(schedule);
  if (processors > MOST_PROCESSORS) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE, "%lld processors; the limit is %d",
                (long long)processors, MOST_PROCESSORS);
    return NULL;
  }
  if (!tg_executor_prove(schedule, names, options, error)) return NULL;
  TgPlanner *planner = planner_new(schedule, names, options, layout);
  TgBlocksPlan *plan = plan_all(planner) ? finish(planner, error) : NULL;
  if (planner->error) g_propagate_error(error, g_steal_pointer(&planner->error));
  planner_free(planner);
  return plan;
}

TgBlocksExtent tg_blocks_extent(const TgBlocksPlan *plan, const TgSchedule *schedule, const TgBlocksPlaced *placed) {
  const int32_t *parts = schedule->blocks[placed->matrix];
  const int64_t rows = plan->rows[placed->matrix], columns = plan->columns[placed->matrix];
  TgBlocksExtent extent = {.row = tg_block_begin(rows, parts[0], placed->row),
                           .column = tg_block_begin(columns, parts[1], placed->column)};
  extent.rows = tg_block_begin(rows, parts[0], placed->row + 1) - extent.row;
  extent.columns = tg_block_begin(columns, parts[1], placed->column + 1) - extent.column;
  return extent;
}

int64_t tg_blocks_plan_bytes(const TgBlocksPlan *plan) {
  return plan->instructions * (int64_t)sizeof *plan->instruction + plan->waits * (int64_t)sizeof *plan->wait +
         plan->placed * (int64_t)sizeof *plan->place + (plan->processors + 1) * (int64_t)sizeof *plan->first;
}

void tg_blocks_plan_free(TgBlocksPlan *plan) {
  if (!plan) return;
  g_free(plan->instruction);
  g_free(plan->first);
  g_free(plan->wait);
  g_free(plan->place);
  g_free(plan);
}
