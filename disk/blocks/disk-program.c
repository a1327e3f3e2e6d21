#include "disk-program.h"

#include "blocks-planner.h"
#include "checksum.h"
#include "sim-error.h"

#include <inttypes.h>

/* What is known while the instructions are translated. */
typedef struct Making {
  TgDiskProgram *program;
  const TgDiskProgramJob *job;
  GHashTable *at;       /* offset in the plan -> 1 + number of the block there */
  GHashTable *received; /* number * ranks + rank -> 1 + number of the copy that the rank has */
} Making;

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static int32_t block_at(const Making *making, int64_t offset) {
  return offset < 0 ? TG_DISK_NONE : GPOINTER_TO_INT(g_hash_table_lookup(making->at, &offset)) - 1;
}

static void put_block(Making *making, int64_t offset, int32_t number) {
  g_hash_table_insert(making->at, g_memdup2(&offset, sizeof offset), GINT_TO_POINTER(number + 1));
}

static int32_t add_block(Making *making, const TgDiskBlock *block) {
  g_array_append_val(making->program->blocks, *block);
  return (int32_t)making->program->blocks->len - 1;
}

static int32_t rank_of(const TgDiskProgramJob *job, int64_t processor) {
  const int64_t processors = tg_schedule_processors(job->schedule), used = MIN(processors, job->ranks);
  int32_t rank = 0;
  while (tg_block_begin(processors, used, rank + 1) <= processor) rank++;
  return rank;
}

/* The block that the rank reads: the block itself if it can read that in place, otherwise a received copy. */
static int32_t read_by(Making *making, int32_t number, int32_t rank) {
  const TgDiskProgramJob *job = making->job;
  if (number == TG_DISK_NONE) return number;
  TgDiskBlock *block = tg_disk_block(making->program, number);
  if (block->rank == rank) return number;
  if (job->host_of && job->host_of[block->rank] == job->host_of[rank]) {
    block->is_shared = true;
    return number;
  }
  const int64_t key = (int64_t)number * job->ranks + rank;
  const int32_t known = GPOINTER_TO_INT(g_hash_table_lookup(making->received, &key)) - 1;
  if (known >= 0) return known;
  const TgDiskBlock copy = {.kind = TG_DISK_RECEIVED,
                            .rank = rank,
                            .matrix = block->matrix,
                            .rows = block->rows,
                            .columns = block->columns,
                            .source = number};
  const int32_t added = add_block(making, &copy);
  g_hash_table_insert(making->received, g_memdup2(&key, sizeof key), GINT_TO_POINTER(added + 1));
  return added;
}

/* The position and extents of a placed block in its matrix, in elements. */
static TgDiskBlock part_of(const TgDiskProgramJob *job, const TgBlocksPlaced *placed) {
  const TgBlocksExtent extent = tg_blocks_extent(job->plan, job->schedule, placed);
  const TgStreamFile *a = &job->inputs->all.a, *b = &job->inputs->all.b;
  const bool is_b = placed->matrix == TG_MATRIX_B, is_a = placed->matrix == TG_MATRIX_A;
  const int64_t unit_rows = is_b ? job->unit.y : job->unit.x, unit_columns = is_a ? job->unit.y : job->unit.z;
  const int64_t rows = is_b ? b->rows : a->rows, columns = is_a ? a->columns : b->columns;
  TgDiskBlock block = {.rank = rank_of(job, placed->processor),
                       .matrix = (TgMatrixName)placed->matrix,
                       .row = extent.row * unit_rows,
                       .column = extent.column * unit_columns};
  block.rows = MIN(extent.rows * unit_rows, rows - block.row);
  block.columns = MIN(extent.columns * unit_columns, columns - block.column);
  return block;
}

static void place_inputs(Making *making) {
  const TgBlocksPlan *plan = making->job->plan;
  for (int64_t i = 0; i < plan->placed; i++) {
    if (plan->place[i].matrix == TG_MATRIX_C) continue;
    const TgDiskBlock block = part_of(making->job, &plan->place[i]);
    put_block(making, plan->place[i].offset, add_block(making, &block));
  }
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

static bool refuse(const TgBlocksInstruction *instruction, const char *what, GError **error) {
  return TG_SIM_FAIL(error, BAD_INPUT, "step %d: %s", instruction->step, what);
}

static bool add_task(Making *making, const TgBlocksInstruction *instruction, const TgDiskTask *task,
                     const TgDiskBlock *shape) {
  const TgDiskBlock block = {.kind = TG_DISK_RESULT,
                             .rank = task->rank,
                             .matrix = TG_MATRIX_C,
                             .rows = shape->rows,
                             .columns = shape->columns,
                             .task = (int32_t)making->program->tasks->len};
  TgDiskTask added = *task;
  added.target = added.before = add_block(making, &block);
  added.next = TG_DISK_NONE;
  g_array_append_val(making->program->tasks, added);
  put_block(making, instruction->target, added.target);
  return true;
}

static bool follow_product(Making *making, const TgBlocksInstruction *instruction, TgDiskTask *task, GError **error) {
  if (instruction->left_transposed || instruction->right_transposed)
    return refuse(instruction, "blocks on disk cannot be transposed", error);
  if (task->left == TG_DISK_NONE || task->right == TG_DISK_NONE) {
    put_block(making, instruction->target, task->addend);
    return true;
  }
  const TgDiskBlock *left = tg_disk_block(making->program, task->left),
                    *right = tg_disk_block(making->program, task->right);
  const TgDiskBlock shape = {.rows = left->rows, .columns = right->columns};
  if (left->matrix == TG_MATRIX_A && right->matrix == TG_MATRIX_B && left->columns == right->rows)
    return add_task(making, instruction, task, &shape);
  return refuse(instruction, "blocks on disk: only a block of A and a matching block of B can be multiplied", error);
}

static bool follow_sum(Making *making, const TgBlocksInstruction *instruction, const TgDiskTask *task) {
  if (task->addend != TG_DISK_NONE && task->left != TG_DISK_NONE)
    return add_task(making, instruction, task, tg_disk_block(making->program, task->left));
  put_block(making, instruction->target, task->addend == TG_DISK_NONE ? task->left : task->addend);
  return true;
}

/* Whether the instruction covers a whole block. Some algorithms for collectives cut blocks into pieces. */
static bool is_whole(const TgBlocksPlan *plan, const TgBlocksInstruction *instruction) {
  bool whole = false;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    whole = whole || instruction->end == plan->padded_rows[matrix] * plan->padded_columns[matrix];
  return whole && instruction->begin == 0;
}

static bool follow(Making *making, const TgBlocksInstruction *instruction, GError **error) {
  const int32_t rank = rank_of(making->job, instruction->processor);
  TgDiskTask task = {.rank = rank,
                     .addend = read_by(making, block_at(making, instruction->addend), rank),
                     .left = read_by(making, block_at(making, instruction->left), rank),
                     .right = read_by(making, block_at(making, instruction->right), rank)};
  switch ((TgBlocksOperation)instruction->operation) {
  case TG_BLOCKS_MULTIPLY:
    return follow_product(making, instruction, &task, error);
  case TG_BLOCKS_TRANSPOSE:
    return refuse(instruction, "blocks on disk cannot be transposed", error);
  case TG_BLOCKS_ZERO:
  case TG_BLOCKS_COPY:
  case TG_BLOCKS_ADD:
    if (!is_whole(making->job->plan, instruction))
      return refuse(instruction, "blocks on disk travel as a whole; use another --collective", error);
    return follow_sum(making, instruction, &task);
  case TG_BLOCKS_OPERATIONS:
    break;
  }
  g_assert_not_reached();
}

static bool follow_all(Making *making, GError **error) {
  const TgBlocksPlan *plan = making->job->plan;
  g_autofree int64_t *at = g_new(int64_t, (gsize)MAX(plan->instructions, 1));
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  for (int64_t i = 0; i < plan->instructions; i++)
    if (!follow(making, &plan->instruction[at[i]], error)) return false;
  return true;
}

/* --- C ------------------------------------------------------------------------------------------------------------ */

/* Each part of C is written once, by the thread that executes tasks, and no other rank reads it there. A block for
 * which that does not hold is copied to C. */
static int32_t make_own(Making *making, const TgDiskBlock *part, int32_t number) {
  const TgDiskBlock *block = number == TG_DISK_NONE ? NULL : tg_disk_block(making->program, number);
  if (block && block->kind == TG_DISK_RESULT && !block->is_final && !block->is_shared) return number;
  const TgDiskTask task = {
      .rank = block ? block->rank : part->rank, .addend = TG_DISK_NONE, .left = number, .right = TG_DISK_NONE};
  const TgBlocksInstruction nowhere = {.target = -1};
  add_task(making, &nowhere, &task, part);
  return (int32_t)making->program->blocks->len - 1;
}

/* If several processors have the same block of C, that of the first becomes part of C. */
static void find_final(Making *making) {
  const TgBlocksPlan *plan = making->job->plan;
  const int32_t *blocks = making->job->schedule->blocks[TG_MATRIX_C];
  g_autofree bool *done = g_new0(bool, (gsize)blocks[0] * (gsize)blocks[1]);
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    const int64_t which = (int64_t)placed->row * blocks[1] + placed->column;
    if (placed->matrix != TG_MATRIX_C || done[which]) continue;
    done[which] = true;
    const TgDiskBlock part = part_of(making->job, placed);
    TgDiskBlock *block = tg_disk_block(making->program, make_own(making, &part, block_at(making, placed->offset)));
    block->is_final = true;
    block->row = part.row;
    block->column = part.column;
  }
}

/* --- sums of products --------------------------------------------------------------------------------------------- */

/* How often each block is used. */
static int32_t *count_uses(const TgDiskProgram *program) {
  int32_t *uses = g_new0(int32_t, program->blocks->len + 1);
  g_autoptr(GArray) from = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (int32_t b = 0; b < (int32_t)program->blocks->len; b++) tg_disk_made_from(program, b, from);
  for (guint i = 0; i < from->len; i++) uses[g_array_index(from, int32_t, i)]++;
  return uses;
}

static TgDiskTask *task_at(const TgDiskProgram *program, int32_t number) {
  return &g_array_index(program->tasks, TgDiskTask, number);
}

/* For each block: how many received sums come before it. */
static int32_t *count_received_sums(const TgDiskProgram *program) {
  int32_t *count = g_new0(int32_t, program->blocks->len + 1);
  for (int32_t b = 0; b < (int32_t)program->blocks->len; b++) {
    const TgDiskBlock *block = tg_disk_block(program, b);
    count[b + 1] = count[b] + (block->kind == TG_DISK_RECEIVED && block->matrix == TG_MATRIX_C);
  }
  return count;
}

/* Joins the products of a sum into one task. Factors are blocks of A and B, which no task makes, so the first product
 * can wait for the factors of all the others. Products are not joined if a sum is received between them: it is received
 * first, and may need a task that waits for this one. */
static void join_sums(TgDiskProgram *program) {
  g_autofree int32_t *uses = count_uses(program), *received = count_received_sums(program);
  for (int32_t t = 0; t < (int32_t)program->tasks->len; t++) {
    TgDiskTask *task = task_at(program, t);
    TgDiskBlock *addend = task->addend == TG_DISK_NONE ? NULL : tg_disk_block(program, task->addend);
    if (task->right == TG_DISK_NONE || !addend || addend->kind != TG_DISK_RESULT || addend->is_final ||
        addend->is_shared || addend->rank != task->rank || uses[task->addend] > 1)
      continue;
    int32_t last = addend->task;
    TgDiskTask *first = task_at(program, last);
    if (first->right == TG_DISK_NONE || received[first->before] != received[task->target]) continue;
    while (task_at(program, last)->next != TG_DISK_NONE) last = task_at(program, last)->next;
    task_at(program, last)->next = t;
    task->follows = true;
    first->target = task->target;
    tg_disk_block(program, task->target)->task = addend->task;
  }
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

bool tg_disk_program_make(TgDiskProgram *program, const TgDiskProgramJob *job, GError **error) {
  Making making = {.program = program,
                   .job = job,
                   .at = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                   .received = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL)};
  program->blocks = g_array_new(FALSE, TRUE, sizeof(TgDiskBlock));
  program->tasks = g_array_new(FALSE, TRUE, sizeof(TgDiskTask));
  place_inputs(&making);
  const bool fine = follow_all(&making, error);
  if (fine) find_final(&making);
  if (fine) join_sums(program);
  g_hash_table_unref(making.at);
  g_hash_table_unref(making.received);
  return fine;
}

void tg_disk_program_clear(TgDiskProgram *program) {
  if (program->blocks) g_array_unref(program->blocks);
  if (program->tasks) g_array_unref(program->tasks);
  *program = (TgDiskProgram){0};
}

static void append(GArray *from, int32_t number) {
  if (number != TG_DISK_NONE) g_array_append_val(from, number);
}

void tg_disk_made_from(const TgDiskProgram *program, int32_t number, GArray *from) {
  const TgDiskBlock *block = tg_disk_block(program, number);
  if (block->kind == TG_DISK_RECEIVED) append(from, block->source);
  if (block->kind != TG_DISK_RESULT) return;
  append(from, tg_disk_task(program, block->task)->addend);
  for (int32_t t = block->task; t != TG_DISK_NONE; t = tg_disk_task(program, t)->next) {
    append(from, tg_disk_task(program, t)->left);
    append(from, tg_disk_task(program, t)->right);
  }
}

bool *tg_disk_program_todo(const TgDiskProgram *program, const double *available) {
  bool *todo = g_new0(bool, program->blocks->len + 1);
  g_autoptr(GArray) from = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (int32_t b = (int32_t)program->blocks->len - 1; b >= 0; b--) {
    const TgDiskBlock *block = tg_disk_block(program, b);
    todo[b] = (todo[b] || block->is_final) && block->kind != TG_DISK_INPUT && available[b] <= 0;
    g_array_set_size(from, 0);
    if (todo[b]) tg_disk_made_from(program, b, from);
    for (guint i = 0; i < from->len; i++) todo[g_array_index(from, int32_t, i)] = true;
  }
  return todo;
}

uint64_t tg_disk_program_identity(const TgDiskProgram *program) {
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int32_t));
  g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (int32_t b = 0; b < (int32_t)program->blocks->len; b++) {
    const TgDiskBlock *block = tg_disk_block(program, b);
    const int32_t about[] = {block->kind, block->rank, block->is_final, (int32_t)numbers->len};
    const int64_t extents[] = {block->row, block->column, block->rows, block->columns};
    g_array_append_vals(numbers, about, G_N_ELEMENTS(about));
    g_array_append_vals(sizes, extents, G_N_ELEMENTS(extents));
    tg_disk_made_from(program, b, numbers);
  }
  return tg_checksum(numbers->data, numbers->len * sizeof(int32_t),
                     tg_checksum(sizes->data, sizes->len * sizeof(int64_t), 0));
}
