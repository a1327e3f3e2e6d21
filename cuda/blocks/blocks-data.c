/* What goes to the device and comes back: blocks of A and B, blocks of C, times. */
#include "blocks-private.h"

#include <math.h>
#include <string.h>

/** A block of a whole matrix: its first row and column, and how many there are. */
typedef struct Extent {
  int64_t row, column, rows, columns;
} Extent;

static Extent extent_of(const TgBlocks *blocks, const TgBlocksPlaced *placed) {
  const int32_t *parts = blocks->base.schedule->blocks[placed->matrix];
  const int64_t rows = blocks->plan->rows[placed->matrix], columns = blocks->plan->columns[placed->matrix];
  Extent extent = {tg_block_begin(rows, parts[0], placed->row), tg_block_begin(columns, parts[1], placed->column), 0,
                   0};
  extent.rows = tg_block_begin(rows, parts[0], placed->row + 1) - extent.row;
  extent.columns = tg_block_begin(columns, parts[1], placed->column + 1) - extent.column;
  return extent;
}

/* Where an element of a block lies that is given as row `r` and column `c` of the matrix. */
static int64_t place_in_block(const TgBlocksPlan *plan, int matrix, int64_t r, int64_t c) {
  const bool transposed = plan->transposed[matrix];
  const int64_t rows = transposed ? plan->padded_columns[matrix] : plan->padded_rows[matrix];
  const int64_t columns = transposed ? plan->padded_rows[matrix] : plan->padded_columns[matrix];
  const int64_t row = transposed ? c : r, column = transposed ? r : c;
  return plan->paneled[matrix] ? tg_blocks_panel_offset(rows, columns, plan->layout.panel, row, column)
                               : row * columns + column;
}

/* A block into its place in the staging memory. Runs of neighbours that stay neighbours are copied at once: to the end
 * of the row, or of the panel. */
static void pack(const TgBlocks *blocks, const TgBlocksPlaced *placed, const Extent *extent, const char *from) {
  const TgBlocksPlan *plan = blocks->plan;
  const int matrix = placed->matrix;
  const int64_t bytes = tg_blocks_element_bytes(blocks), row_bytes = plan->columns[matrix] * bytes;
  const int64_t run = plan->transposed[matrix] ? 1 : plan->paneled[matrix] ? plan->layout.panel : extent->columns;
  char *to = blocks->staging + placed->offset * bytes;
  for (int64_t r = 0; r < extent->rows; r++)
    for (int64_t c = 0; c < extent->columns; c += run)
      memcpy(to + place_in_block(plan, matrix, r, c) * bytes, from + r * row_bytes + c * bytes,
             (size_t)(MIN(run, extent->columns - c) * bytes));
}

/* Packs the placed blocks with their padding, which the staging memory's zeros are. */
bool tg_blocks_load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgBlocks *blocks = (TgBlocks *)executor;
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t bytes = tg_blocks_element_bytes(blocks);
  const char *const whole[] = {a, b};
  TgError reason;
  memset(blocks->staging, 0, (size_t)(plan->input_elements * bytes));
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    if (placed->matrix == TG_MATRIX_C) continue;
    const Extent extent = extent_of(blocks, placed);
    const char *from = whole[placed->matrix] + (extent.row * plan->columns[placed->matrix] + extent.column) * bytes;
    pack(blocks, placed, &extent, from);
  }
  return tg_device_copy_in(blocks->part[TG_PART_MEMORY], blocks->staging, plan->input_elements * bytes, &reason) ||
         tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
}

bool tg_blocks_gather(TgExecutor *executor, void *c, GError **error) {
  TgBlocks *blocks = (TgBlocks *)executor;
  const TgBlocksPlan *plan = blocks->plan;
  const int64_t bytes = tg_blocks_element_bytes(blocks), pitch = plan->padded_columns[TG_MATRIX_C];
  TgError reason;
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    if (placed->matrix != TG_MATRIX_C) continue;
    const Extent extent = extent_of(blocks, placed);
    if (extent.rows == 0 || extent.columns == 0) continue;
    if (!tg_device_copy_out(blocks->staging, (const char *)blocks->part[TG_PART_MEMORY] + placed->offset * bytes,
                            extent.rows * pitch * bytes, &reason))
      return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
    for (int64_t r = 0; r < extent.rows; r++)
      memcpy((char *)c + ((extent.row + r) * plan->columns[TG_MATRIX_C] + extent.column) * bytes,
             blocks->staging + r * pitch * bytes, (size_t)(extent.columns * bytes));
  }
  return true;
}

/* Means over the processors that took part in step `s`; times count from `zero_ns`. */
static void sum_up_step(const TgBlocks *blocks, int64_t s, uint64_t zero_ns) {
  TgExecutorStep *step = &blocks->base.steps[s];
  uint64_t begin = UINT64_MAX, end = 0, busy = 0, waited = 0, took_part = 0;
  for (int64_t p = 0; p < blocks->plan->processors; p++) {
    const TgBlocksTime *time = &blocks->times[p * blocks->plan->steps + s];
    if (!time->begin_ns) continue;
    begin = MIN(begin, time->begin_ns);
    end = MAX(end, time->end_ns);
    busy += time->end_ns - time->begin_ns - time->waited_ns;
    waited += time->waited_ns;
    took_part++;
  }
  step->runs = took_part ? 1 : 0;
  step->begin_s = took_part ? (double)(begin - zero_ns) * 1e-9 : NAN;
  step->end_s = took_part ? (double)(end - zero_ns) * 1e-9 : NAN;
  step->busy_s = took_part ? (double)busy / (double)took_part * 1e-9 : NAN;
  step->waited_s = took_part ? (double)waited / (double)took_part * 1e-9 : NAN;
}

bool tg_blocks_take_times(TgBlocks *blocks, TgError *reason) {
  const int64_t times = blocks->plan->processors * blocks->plan->steps;
  uint64_t zero_ns = UINT64_MAX;
  if (!blocks->times || times == 0) return true;
  if (!tg_device_copy_out(blocks->times, blocks->part[TG_PART_TIMES], times * (int64_t)sizeof *blocks->times, reason))
    return false;
  for (int64_t t = 0; t < times; t++) {
    if (blocks->times[t].begin_ns) zero_ns = MIN(zero_ns, blocks->times[t].begin_ns);
  }
  for (int64_t s = 0; s < blocks->plan->steps; s++) sum_up_step(blocks, s, zero_ns);
  return true;
}
