#include "stepper-private.h"
#include "block.h"

#include <inttypes.h>
#include <string.h>

bool tg_stepper_slot(const TgStepper *stepper, int64_t processor, int buffer, int32_t index, TgBlock *block) {
  const TgValueId id = tg_state_slot(stepper->state, processor, buffer, index);
  *block = id ? tg_stepper_block(stepper, id) : (TgBlock){0};
  return id != 0;
}

/** Copies what stands on the place of C block (row, column), if it has the block's extents. */
static void gather_block(const TgStepper *stepper, char *c, int32_t row, int32_t column) {
  const TgExtent extent = tg_stepper_extent(stepper, TG_MATRIX_C, row, column);
  int64_t processor;
  int buffer;
  int32_t index;
  TgBlock block;
  if (!tg_state_c_place(stepper->state, row, column, &processor, &buffer, &index)) return;
  if (!tg_stepper_slot(stepper, processor, buffer, index, &block)) return;
  if (!block.data || block.rows != extent.rows || block.columns != extent.columns) return;
  const int64_t first = extent.row * stepper->shape.n + extent.column;
  tg_block_copy(stepper->options.element, c + first * tg_element_bytes(stepper->options.element), stepper->shape.n,
                &block);
}

static bool check_complete(TgStepper *stepper, GError **error) {
  if (stepper->tally.trace.steps < stepper->steps) {
    g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT,
                "C is complete only after the last step: this is step %" PRId64 " of %" PRId64,
                stepper->tally.trace.steps, stepper->steps);
    return false;
  }
  if (tg_state_finish(stepper->state, &stepper->failure)) return true;
  tg_stepper_report(stepper, error);
  return false;
}

bool tg_stepper_result(TgStepper *stepper, void *c, TgResultFlags flags, GError **error) {
  if (!(flags & TG_RESULT_AS_IT_STANDS) && !check_complete(stepper, error)) return false;
  const int32_t *blocks = stepper->schedule->blocks[TG_MATRIX_C];
  const int64_t elements = stepper->shape.m * stepper->shape.n;
  memset(c, 0, (size_t)(elements * tg_element_bytes(stepper->options.element)));
  for (int32_t row = 0; row < blocks[0]; row++) {
    for (int32_t column = 0; column < blocks[1]; column++) gather_block(stepper, c, row, column);
  }
  return true;
}
