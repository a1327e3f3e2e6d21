#include "stepper-private.h"
#include "block.h"

#include <inttypes.h>

TgExtent tg_stepper_extent(const TgStepper *stepper, int matrix, int32_t row, int32_t column) {
  const int32_t *blocks = stepper->schedule->blocks[matrix];
  const int64_t rows = stepper->shape.rows[matrix], columns = stepper->shape.columns[matrix];
  TgExtent extent = {tg_block_begin(rows, blocks[0], row), tg_block_begin(columns, blocks[1], column), 0, 0};
  extent.rows = tg_block_begin(rows, blocks[0], row + 1) - extent.row;
  extent.columns = tg_block_begin(columns, blocks[1], column + 1) - extent.column;
  return extent;
}

static TgBlock input_block(const TgStepper *stepper, const TgValue *value) {
  const TgBlock whole = tg_block_of(stepper->input[value->matrix], stepper->shape.rows[value->matrix],
                                    stepper->shape.columns[value->matrix]);
  const TgExtent extent = tg_stepper_extent(stepper, value->matrix, value->row, value->column);
  const TgBlock block =
      tg_block_part(stepper->options.element, &whole, extent.row, extent.column, extent.rows, extent.columns);
  return value->transposed ? tg_block_transposed(block) : block;
}

static void *sum_data(const TgStepper *stepper, TgValueId id) {
  return id > 0 && id < stepper->sums ? stepper->sum[id] : NULL;
}

/** The view of a sum, whose data are laid out as it is held, transposed or not. */
static TgBlock sum_block(const TgStepper *stepper, TgValueId id, const void *data) {
  int64_t rows, columns;
  tg_state_value_shape(stepper->state, id, &rows, &columns);
  return tg_block_of(data, rows, columns);
}

TgBlock tg_stepper_block(const TgStepper *stepper, TgValueId id) {
  const TgValue *value = tg_state_value(stepper->state, id);
  if (value->kind == TG_VALUE_INPUT) return input_block(stepper, value);
  const void *data = sum_data(stepper, id);
  return data ? sum_block(stepper, id, data) : (TgBlock){0};
}

/** Bytes of the elements of a sum, its low parts not among them. */
static uint64_t element_bytes(const TgStepper *stepper, TgValueId id) {
  const TgBlock block = sum_block(stepper, id, NULL);
  return (uint64_t)(block.rows * block.columns * tg_element_bytes(stepper->options.element));
}

static uint64_t sum_bytes(const TgStepper *stepper, TgValueId id) {
  return element_bytes(stepper, id) * (stepper->careful ? 2 : 1);
}

/** Where the low parts of a sum begin; NULL where it has none. */
static void *low_part(const TgStepper *stepper, TgValueId id) {
  void *data = sum_data(stepper, id);
  return stepper->careful && data ? (char *)data + element_bytes(stepper, id) : NULL;
}

static bool refuse(TgStepper *stepper, uint64_t bytes) {
  if (!stepper->hook_error)
    g_set_error(&stepper->hook_error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE,
                "out of memory: %" PRIu64 " bytes are held in blocks and %" PRIu64
                " more are needed, the limit is %" PRIu64 " bytes",
                stepper->sum_bytes, bytes, tg_stepper_limit_bytes(&stepper->options));
  return false;
}

static bool make_room(TgStepper *stepper, TgValueId id) {
  if (id < stepper->sums) return true;
  const int32_t room = (int32_t)MIN((int64_t)id * 2 + 64, INT32_MAX);
  void **sum = g_try_realloc_n(stepper->sum, (size_t)room, sizeof *sum);
  if (!sum) return refuse(stepper, sizeof *sum * (uint64_t)room);
  for (int32_t i = stepper->sums; i < room; i++) sum[i] = NULL;
  stepper->sum = sum;
  stepper->sums = room;
  return true;
}

/** Gives `id` data of its own: zeros. */
static bool own(TgStepper *stepper, TgValueId id) {
  const uint64_t bytes = sum_bytes(stepper, id);
  if (!make_room(stepper, id)) return false;
  g_assert(!stepper->sum[id]);
  stepper->sum[id] = g_try_malloc0(MAX(bytes, 1));
  if (!stepper->sum[id]) return refuse(stepper, bytes);
  stepper->sum_bytes += bytes;
  return true;
}

/** Gives `id` a copy of the data of sum `from`, transposed where asked; zeros where that has none. */
static bool own_copy(TgStepper *stepper, TgValueId id, TgValueId from, bool transposed) {
  if (!own(stepper, id)) return false;
  if (!sum_data(stepper, from)) return true;
  TgBlock block = tg_stepper_block(stepper, from);
  if (transposed) block = tg_block_transposed(block);
  tg_block_copy(stepper->options.element, stepper->sum[id], block.columns, &block);
  block.data = low_part(stepper, from);
  if (block.data) tg_block_copy(stepper->options.element, low_part(stepper, id), block.columns, &block);
  return true;
}

/** Makes `id` ready to be added to: in place where it is `base`, otherwise a copy of it. */
static bool start_sum(TgStepper *stepper, TgValueId id, TgValueId base) {
  return id == base || own_copy(stepper, id, base, false);
}

static bool hook_multiply(void *user, TgValueId result, TgValueId sum, TgValueId left, bool left_transposed,
                          TgValueId right, bool right_transposed) {
  TgStepper *stepper = user;
  TgBlock l = tg_stepper_block(stepper, left), r = tg_stepper_block(stepper, right);
  if (left_transposed) l = tg_block_transposed(l);
  if (right_transposed) r = tg_block_transposed(r);
  if (!start_sum(stepper, result, sum)) return false;
  g_assert(l.columns == r.rows);
  tg_block_multiply_add(stepper->options.element, stepper->sum[result], low_part(stepper, result), &l, &r);
  return true;
}

static bool hook_add(void *user, TgValueId result, TgValueId a, TgValueId b, int32_t piece, int32_t pieces) {
  TgStepper *stepper = user;
  const void *term = sum_data(stepper, b);
  if (!start_sum(stepper, result, a)) return false;
  if (!term) return true;
  const TgBlock block = tg_stepper_block(stepper, result);
  const int64_t elements = block.rows * block.columns;
  tg_block_add(stepper->options.element, stepper->sum[result], low_part(stepper, result), term, low_part(stepper, b),
               tg_block_begin(elements, pieces, piece), tg_block_begin(elements, pieces, piece + 1));
  return true;
}

/** Blocks of A and B are read through their names; only a sum has data that must follow. */
static bool hook_transpose(void *user, TgValueId result, TgValueId a) {
  TgStepper *stepper = user;
  return tg_state_value(stepper->state, result)->kind != TG_VALUE_SUM || own_copy(stepper, result, a, true);
}

static void hook_drop(void *user, TgValueId id) {
  TgStepper *stepper = user;
  if (!sum_data(stepper, id)) return;
  stepper->sum_bytes -= sum_bytes(stepper, id);
  g_clear_pointer(&stepper->sum[id], g_free);
}

static void hook_message(void *user, const TgMessage *message, TgValueId id) {
  TgStepper *stepper = user;
  const TgBlock block = tg_stepper_block(stepper, id);
  const int64_t elements = block.rows * block.columns;
  const int64_t begin = tg_block_begin(elements, message->pieces, message->piece);
  const int64_t end = tg_block_begin(elements, message->pieces, message->piece + 1);
  TgStepperMessage record = {.message = *message,
                             .value = *tg_state_value(stepper->state, id),
                             .statement = tg_state_walk(stepper->state)->statement,
                             .bytes = (end - begin) * tg_element_bytes(stepper->options.element)};
  tg_tally_message(&stepper->tally, message->from, message->to, record.bytes, &record.hops);
  if (stepper->options.keep_details) g_array_append_val(stepper->messages, record);
}

static void hook_product(void *user, int64_t processor, TgValueId result, TgValueId left, TgValueId right) {
  TgStepper *stepper = user;
  tg_tally_product(&stepper->tally);
  if (!stepper->options.keep_details) return;
  const TgStepperProduct record = {processor, *tg_state_value(stepper->state, result),
                                   *tg_state_value(stepper->state, left), *tg_state_value(stepper->state, right)};
  g_array_append_val(stepper->products, record);
}

const TgStateHooks tg_stepper_hooks = {.multiply = hook_multiply,
                                       .add = hook_add,
                                       .transpose = hook_transpose,
                                       .drop = hook_drop,
                                       .message = hook_message,
                                       .product = hook_product};
