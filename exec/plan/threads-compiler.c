#include "threads-compiler-private.h"

#include <stdlib.h>

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

static int64_t count_tiles(int64_t size, int64_t tile) {
  return size / tile + (size % tile != 0);
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
  tiling.tile_rows = count_tiles(options->m, tiling.tile[TG_THREADS_TILE_ROW]);
  tiling.tile_columns = count_tiles(options->n, tiling.tile[TG_THREADS_TILE_COLUMN]);
  tiling.panels = product ? count_tiles(options->k, tiling.tile[TG_THREADS_PANEL]) : 1;
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
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
              "the run needs %lld elements of shared memory, a block of threads has %d at most",
              (long long)program->elements, TG_THREADS_MOST_ELEMENTS);
  return false;
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
  tg_threads_find_versions(compiler);
  list_inputs(compiler);
  list_results(compiler);
  return tg_threads_lay_levels(compiler, error);
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
                "%lld processors, at most %d threads are in a block", (long long)processors,
                TG_THREADS_MOST_PROCESSORS);
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
