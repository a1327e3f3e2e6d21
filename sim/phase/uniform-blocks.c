#include "uniform-blocks.h"

#include "held-matrices.h"
#include "phase.h"

/* Which matrix's blocks each buffer holds: -1 none yet; false where one holds blocks of several. */
bool tg_phase_matrices(const TgSchedule *schedule, int matrix[TG_MAX_BUFFERS]) {
  bool clear = true;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) matrix[b] = -1;
  for (int p = 0; p < schedule->placements; p++)
    if (schedule->placement[p].matrix != TG_MATRIX_C) {
      int *held = &matrix[schedule->placement[p].buffer];
      clear = clear && (*held < 0 || *held == schedule->placement[p].matrix);
      *held = schedule->placement[p].matrix;
    }
  for (bool changed = true; changed && clear;) {
    changed = false;
    for (int s = 0; s < schedule->statements; s++) {
      const TgStatement *statement = &schedule->statement[s];
      if (statement->op == TG_OP_STEP || statement->op == TG_OP_REPEAT || statement->op == TG_OP_ZERO) continue;
      int from = statement->op == TG_OP_MULTIPLY ? TG_MATRIX_C : matrix[statement->source.buffer];
      int *held = &matrix[statement->target.buffer];
      if (from < 0 || *held == from) continue;
      clear = clear && *held < 0;
      *held = from;
      changed = true;
    }
  }
  return clear;
}

static bool divides(const TgSchedule *schedule, const TgShape *shape, int matrix) {
  const int32_t *parts = schedule->blocks[matrix];
  return parts[0] == 0 || (shape->rows[matrix] % parts[0] == 0 && shape->columns[matrix] % parts[1] == 0);
}

static int64_t bytes_of(const TgSchedule *schedule, const TgShape *shape, int64_t element_bytes, int matrix) {
  if (matrix < 0 || schedule->blocks[matrix][0] == 0) return 0;
  const int32_t *parts = schedule->blocks[matrix];
  return shape->rows[matrix] / parts[0] * (shape->columns[matrix] / parts[1]) * element_bytes;
}

/* By statement. Most buffers hold blocks of one matrix; where one does not, the run is followed. */
static bool find_matrices(const TgSchedule *schedule, const TgScheduleNames *names, int matrix[TG_MAX_STATEMENTS]) {
  int held[TG_MAX_BUFFERS];
  if (!tg_phase_matrices(schedule, held)) return tg_held_matrices(schedule, names, matrix);
  for (int s = 0; s < schedule->statements; s++) matrix[s] = held[schedule->statement[s].source.buffer];
  return true;
}

bool tg_uniform_blocks(const TgSchedule *schedule, const TgScheduleNames *names, const TgShape *shape,
                       int64_t element_bytes, TgUniformBlocks *blocks) {
  int matrix[TG_MAX_STATEMENTS];
  for (int m = 0; m < TG_MATRICES; m++)
    if (!divides(schedule, shape, m)) return false;
  if (!find_matrices(schedule, names, matrix)) return false;
  for (int s = 0; s < schedule->statements; s++) blocks->bytes[s] = bytes_of(schedule, shape, element_bytes, matrix[s]);
  blocks->product = tg_largest_product(schedule, shape);
  return true;
}
