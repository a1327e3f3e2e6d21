#include "blocks-planner.h"
#include "threads-compiler.h"

#include <stdlib.h>
#include <string.h>

/* Versions of a block: bit 0 for plane 0, bit 1 for plane 1. */
enum { TG_THREADS_STRAIGHT = 1, TG_THREADS_CROSSED = 2, TG_THREADS_PLANES_MOST = 2 };

typedef struct TgThreadsCompiler {
  const TgSchedule *schedule;
  const TgBlocksPlan *plan;
  TgThreadsProgram *program;
  int64_t *in_order; /* the plan's instructions in the order of a single processor, by number */
  int32_t *level;    /* of each of the plan's instructions */
  uint8_t *versions; /* of what each of them makes */
  bool *crosses;     /* it makes a version from the other one: sums that are transposed */
  uint8_t *needed;   /* by element: versions of what was placed there */
} TgThreadsCompiler;

/* --- versions: followed back from the places of C to those of A, see threads-program.h ---------------------------- */

static uint8_t crossed(uint8_t versions) {
  return (uint8_t)((versions & TG_THREADS_STRAIGHT) * TG_THREADS_CROSSED + (versions & TG_THREADS_CROSSED) / 2);
}

/* Forward: what is a sum, and hence which transposes turn one. A transposed block of A stays what it was. */
static void find_crossings(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  g_autofree bool *is_sum = g_new0(bool, MAX(plan->elements, 1));
  for (int64_t i = 0; i < plan->instructions; i++) {
    const int64_t number = compiler->in_order[i];
    const TgBlocksInstruction *x = &plan->instruction[number];
    compiler->crosses[number] = x->operation == TG_BLOCKS_TRANSPOSE && is_sum[x->left];
    if (x->operation == TG_BLOCKS_MULTIPLY)
      is_sum[x->target] = true;
    else
      is_sum[x->target] = (x->left >= 0 && is_sum[x->left]) || (x->addend >= 0 && is_sum[x->addend]);
  }
}

/* Backward: what an instruction makes is what is read of it later; what nobody reads is made straight. */
static void find_needs(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  uint8_t *needed = compiler->needed;
  for (int64_t i = plan->instructions; i-- > 0;) {
    const int64_t number = compiler->in_order[i];
    const TgBlocksInstruction *x = &plan->instruction[number];
    const uint8_t made = needed[x->target] ? needed[x->target] : TG_THREADS_STRAIGHT;
    compiler->versions[number] = made;
    needed[x->target] = 0;
    if (x->addend >= 0) needed[x->addend] |= made;
    if (x->left >= 0) needed[x->left] |= compiler->crosses[number] ? crossed(made) : made;
    if (x->right >= 0) needed[x->right] |= crossed(made);
  }
}

/* Which versions each instruction makes, and which of the placed blocks are read. */
static void threads_find_versions(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  if (compiler->program->planes == 1) {
    memset(compiler->versions, TG_THREADS_STRAIGHT, (size_t)plan->instructions);
    memset(compiler->needed, TG_THREADS_STRAIGHT, (size_t)plan->elements);
    return;
  }
  for (int64_t p = 0; p < plan->placed; p++)
    if (plan->place[p].matrix == TG_MATRIX_C) compiler->needed[plan->place[p].offset] = TG_THREADS_STRAIGHT;
  find_crossings(compiler);
  find_needs(compiler);
}

/* --- waits become levels, and instructions go into the rows of their warps ---------------------------------------- */

static bool too_many(GError **error, const char *what, int64_t count) {
  return TG_EXECUTOR_FAIL(error, TOO_LARGE, "the program has %lld %s; the limit is %d", (long long)count, what,
                          TG_THREADS_MOST_ENTRIES);
}

/* The level after those of other threads that it waits for. */
static int32_t level_after_waits(const TgThreadsCompiler *compiler, const TgBlocksInstruction *x, int32_t least) {
  const TgBlocksPlan *plan = compiler->plan;
  int32_t level = least;
  for (int32_t w = 0; w < x->waits; w++) {
    const TgBlocksWait *wait = &plan->wait[x->first_wait + w];
    level = MAX(level, compiler->level[plan->first[wait->processor] + wait->count - 1] + 1);
  }
  return level;
}

/* All waits are for instructions earlier in the order, whose levels are known. */
static void find_levels(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  g_autofree int32_t *last = g_new0(int32_t, (gsize)plan->processors);
  int32_t levels = 0, floor = 0;
  int64_t steps = 0;
  for (int64_t i = 0; i < plan->instructions; i++) {
    const int64_t number = compiler->in_order[i];
    const TgBlocksInstruction *x = &plan->instruction[number];
    if (x->step > steps) floor = levels;
    while (steps < x->step) program->step_level[steps++] = floor;
    const int32_t level = level_after_waits(compiler, x, MAX(floor, last[x->processor]));
    compiler->level[number] = last[x->processor] = level;
    levels = MAX(levels, level + 1);
  }
  while (steps <= plan->steps) program->step_level[steps++] = levels;
  program->levels = levels;
}

static int64_t cell_of(const TgThreadsCompiler *compiler, int64_t processor, int64_t instruction) {
  return processor / TG_THREADS_WARP * compiler->program->levels + compiler->level[instruction];
}

/* A sum under two names is copied before something is added to one of them. */
static bool copies_first(const TgBlocksInstruction *x) {
  return x->operation == TG_BLOCKS_MULTIPLY && x->addend >= 0 && x->addend != x->target;
}

static int32_t count_entries(const TgThreadsCompiler *compiler, int64_t number) {
  const int32_t both = compiler->versions[number] == (TG_THREADS_STRAIGHT | TG_THREADS_CROSSED);
  return (1 + both) << copies_first(&compiler->plan->instruction[number]);
}

static bool count_rows(TgThreadsCompiler *compiler, GError **error) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  const int64_t cells = program->levels * program->warps;
  if (cells > TG_THREADS_MOST_ENTRIES) return too_many(error, "levels of a warp", cells);
  program->level_row = g_new0(int32_t, (gsize)cells + 2);
  for (int64_t p = 0; p < plan->processors; p++) {
    int32_t entries = 0;
    for (int64_t i = plan->first[p]; i < plan->first[p + 1]; i++) {
      if (i > plan->first[p] && compiler->level[i] != compiler->level[i - 1]) entries = 0;
      entries += count_entries(compiler, i);
      int32_t *rows = &program->level_row[cell_of(compiler, p, i)];
      *rows = MAX(*rows, entries);
    }
  }
  for (int64_t cell = 0; cell < cells + 2; cell++) {
    const int32_t rows = program->level_row[cell];
    program->level_row[cell] = (int32_t)program->rows;
    program->rows += rows;
    if (program->rows > TG_THREADS_MOST_ENTRIES / TG_THREADS_WARP)
      return too_many(error, "instructions or more", program->rows * TG_THREADS_WARP);
  }
  return true;
}

/* The instruction in one version. Returns how many it has become. */
static int32_t compress(const TgThreadsCompiler *compiler, int64_t number, int version, TgThreadsInstruction made[2]) {
  static const uint16_t operations[TG_BLOCKS_OPERATIONS] = {[TG_BLOCKS_ZERO] = TG_THREADS_ZERO,
                                                            [TG_BLOCKS_COPY] = TG_THREADS_COPY,
                                                            [TG_BLOCKS_ADD] = TG_THREADS_ADD,
                                                            [TG_BLOCKS_TRANSPOSE] = TG_THREADS_COPY,
                                                            [TG_BLOCKS_MULTIPLY] = TG_THREADS_MULTIPLY};
  const TgBlocksInstruction *x = &compiler->plan->instruction[number];
  const int64_t plane = compiler->plan->elements, here = version * plane;
  const int64_t there = compiler->program->planes == 2 ? plane - here : 0;
  const uint16_t target = (uint16_t)(x->target + here);
  TgThreadsInstruction one = {.operation = operations[x->operation], .target = target};
  int32_t count = 0;
  if (x->left >= 0) one.left = (uint16_t)(x->left + (compiler->crosses[number] ? there : here));
  if (x->operation == TG_BLOCKS_ADD) one.right = (uint16_t)(x->addend + here);
  if (x->operation == TG_BLOCKS_MULTIPLY) one.right = (uint16_t)(x->right + there);
  if (x->operation == TG_BLOCKS_MULTIPLY && x->addend >= 0) one.operation = TG_THREADS_MULTIPLY_ADD;
  if (copies_first(x)) made[count++] = (TgThreadsInstruction){TG_THREADS_COPY, target, (uint16_t)(x->addend + here), 0};
  made[count++] = one;
  return count;
}

static void fill_rows(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  program->instruction = g_new0(TgThreadsInstruction, (gsize)(program->rows + 1) * TG_THREADS_WARP);
  for (int64_t p = 0; p < plan->processors; p++) {
    int64_t row = 0;
    for (int64_t i = plan->first[p]; i < plan->first[p + 1]; i++) {
      const bool first = i == plan->first[p] || compiler->level[i] != compiler->level[i - 1];
      if (first) row = program->level_row[cell_of(compiler, p, i)];
      for (int version = 0; version < TG_THREADS_PLANES_MOST; version++) {
        TgThreadsInstruction made[2];
        if (!(compiler->versions[i] >> version & 1)) continue;
        const int32_t count = compress(compiler, i, version, made);
        for (int32_t c = 0; c < count; c++)
          program->instruction[row++ * TG_THREADS_WARP + p % TG_THREADS_WARP] = made[c];
      }
    }
  }
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static bool has_product(const TgSchedule *schedule) {
  return schedule->computes.right != TG_MATRICES;
}

static bool is_on_both_sides(const TgSchedule *schedule) {
  return schedule->computes.left == schedule->computes.right;
}

static int64_t count_blocks(const TgSchedule *schedule, int matrix) {
  return (int64_t)schedule->blocks[matrix][0] * schedule->blocks[matrix][1];
}

int64_t tg_threads_least_elements(const TgSchedule *schedule) {
  const int64_t c = count_blocks(schedule, TG_MATRIX_C), planes = 1 + is_on_both_sides(schedule);
  int64_t elements = has_product(schedule) ? c : 0;
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++) {
    if (schedule->computes.left == matrix || schedule->computes.right == matrix)
      elements += count_blocks(schedule, matrix);
  }
  return planes * elements + c;
}

static TgThreadsRole role_of(const TgSchedule *schedule, const TgExecutorOptions *options, int matrix, int32_t row_from,
                             int32_t column_from, bool transposed) {
  TgThreadsRole role = {.row_from = transposed ? column_from : row_from,
                        .column_from = transposed ? row_from : column_from};
  tg_schedule_matrix_shape(schedule, (TgMatrixName)matrix, options->m, options->n, options->k, &role.rows,
                           &role.columns);
  return role;
}

TgThreadsTiling tg_threads_tiling(const TgSchedule *schedule, const TgExecutorOptions *options) {
  const TgComputes *computes = &schedule->computes;
  const bool product = has_product(schedule);
  TgThreadsTiling tiling = {
      .m = options->m,
      .n = options->n,
      .tile = {schedule->blocks[TG_MATRIX_C][0], schedule->blocks[TG_MATRIX_C][1], product ? schedule->inner : 1}};
  tiling.tile_rows = tg_divide_up(options->m, tiling.tile[TG_THREADS_TILE_ROW]);
  tiling.tile_columns = tg_divide_up(options->n, tiling.tile[TG_THREADS_TILE_COLUMN]);
  tiling.panels = product ? tg_divide_up(options->k, tiling.tile[TG_THREADS_PANEL]) : 1;
  tiling.role[0] = role_of(schedule, options, computes->left, TG_THREADS_TILE_ROW,
                           product ? TG_THREADS_PANEL : TG_THREADS_TILE_COLUMN, computes->left_transposed);
  if (product)
    tiling.role[1] = role_of(schedule, options, computes->right, TG_THREADS_PANEL, TG_THREADS_TILE_COLUMN,
                             computes->right_transposed);
  return tiling;
}

static int compare_inputs(const void *a, const void *b) {
  const TgThreadsInput *x = a, *y = b;
  if (x->role != y->role) return x->role < y->role ? -1 : 1;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return (x->target > y->target) - (x->target < y->target);
}

static void list_inputs(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  program->input = g_new(TgThreadsInput, (gsize)MAX(plan->placed, 1) * TG_THREADS_PLANES_MOST);
  for (int64_t p = 0; p < plan->placed; p++) {
    const TgBlocksPlaced *placed = &plan->place[p];
    for (int plane = 0; plane < program->planes && placed->matrix != TG_MATRIX_C; plane++) {
      if (!(compiler->needed[placed->offset] >> plane & 1)) continue;
      const int role = program->planes == 2 ? plane : placed->matrix != compiler->schedule->computes.left;
      program->input[program->inputs++] =
          (TgThreadsInput){.target = (uint16_t)(placed->offset + plane * plan->elements),
                           .role = (uint16_t)role,
                           .row = (uint16_t)placed->row,
                           .column = (uint16_t)placed->column};
    }
  }
  qsort(program->input, (size_t)program->inputs, sizeof *program->input, compare_inputs);
}

/* Where a block of C ends on several processors, any of them has it. */
static void list_results(TgThreadsCompiler *compiler) {
  const TgBlocksPlan *plan = compiler->plan;
  compiler->program->result = g_new0(uint16_t, (gsize)(plan->rows[TG_MATRIX_C] * plan->columns[TG_MATRIX_C]));
  for (int64_t p = 0; p < plan->placed; p++) {
    const TgBlocksPlaced *placed = &plan->place[p];
    if (placed->matrix == TG_MATRIX_C)
      compiler->program->result[placed->row * plan->columns[TG_MATRIX_C] + placed->column] = (uint16_t)placed->offset;
  }
}

static bool check_elements(const TgThreadsProgram *program, GError **error) {
  if (program->elements <= TG_THREADS_MOST_ELEMENTS) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                          "the run needs %lld elements of shared memory; a block of threads has at most %d",
                          (long long)program->elements, TG_THREADS_MOST_ELEMENTS);
}

static bool compile(TgThreadsCompiler *compiler, GError **error) {
  const TgBlocksPlan *plan = compiler->plan;
  TgThreadsProgram *program = compiler->program;
  program->processors = (int32_t)plan->processors;
  program->warps = (program->processors + TG_THREADS_WARP - 1) / TG_THREADS_WARP;
  program->planes = 1 + is_on_both_sides(compiler->schedule);
  program->elements = plan->elements * program->planes;
  program->steps = plan->steps;
  program->instructions = plan->instructions;
  program->waits = plan->waits;
  if (!check_elements(program, error)) return false;
  program->step_level = g_new0(int32_t, (gsize)plan->steps + 1);
  for (int64_t i = 0; i < plan->instructions; i++) compiler->in_order[plan->instruction[i].order] = i;
  threads_find_versions(compiler);
  list_inputs(compiler);
  list_results(compiler);
  find_levels(compiler);
  if (!count_rows(compiler, error)) return false;
  fill_rows(compiler);
  return true;
}

/* The problem at which every block is one element. */
static TgBlocksPlan *plan_elements(const TgSchedule *schedule, const TgScheduleNames *names,
                                   const TgExecutorOptions *options, GError **error) {
  const TgBlocksLayout layout = {.pad = 1, .align = 1, .late_reuse = 1};
  TgExecutorOptions small = *options;
  small.m = schedule->blocks[TG_MATRIX_C][0];
  small.n = schedule->blocks[TG_MATRIX_C][1];
  small.k = has_product(schedule) ? schedule->inner : 1;
  small.transport = TG_TRANSPORT_COPY;
  TgBlocksPlan *plan = tg_blocks_plan_new(schedule, names, &small, &layout, error);
  for (int matrix = 0; plan && matrix < TG_MATRICES; matrix++)
    g_assert(plan->rows[matrix] == 0 || (plan->padded_rows[matrix] == 1 && plan->padded_columns[matrix] == 1));
  return plan;
}

TgThreadsProgram *tg_threads_program_new(const TgSchedule *schedule, const TgScheduleNames *names,
                                         const TgExecutorOptions *options, GError **error) {
  const int64_t processors = tg_schedule_processors(schedule);
  if (processors > TG_THREADS_MOST_PROCESSORS) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "%lld processors; a block has at most %d threads", (long long)processors, TG_THREADS_MOST_PROCESSORS);
    return NULL;
  }
  g_autoptr(TgBlocksPlan) plan = plan_elements(schedule, names, options, error);
  if (!plan) return NULL;
  const gsize instructions = (gsize)MAX(plan->instructions, 1);
  g_autoptr(TgThreadsProgram) program = g_new0(TgThreadsProgram, 1);
  g_autofree int64_t *in_order = g_new(int64_t, instructions);
  g_autofree int32_t *level = g_new(int32_t, instructions);
  g_autofree uint8_t *versions = g_new0(uint8_t, instructions);
  g_autofree bool *crosses = g_new0(bool, instructions);
  g_autofree uint8_t *needed = g_new0(uint8_t, (gsize)MAX(plan->elements, 1));
  TgThreadsCompiler compiler = {.schedule = schedule,
                                .plan = plan,
                                .program = program,
                                .in_order = in_order,
                                .level = level,
                                .versions = versions,
                                .crosses = crosses,
                                .needed = needed};
  return compile(&compiler, error) ? g_steal_pointer(&program) : NULL;
}

void tg_threads_program_free(TgThreadsProgram *program) {
  if (!program) return;
  g_free(program->step_level);
  g_free(program->level_row);
  g_free(program->instruction);
  g_free(program->input);
  g_free(program->result);
  g_free(program);
}
