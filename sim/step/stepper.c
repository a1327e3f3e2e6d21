#include "blas.h"
#include "block.h"
#include "spare.h"
#include "stepper-private.h"
#include "sum.h"

#include <inttypes.h>
#include <string.h>

/* --- the data of values, which follow their names by the hooks of the state -------------------------------------- */

/** Extents of block (row, column) of a matrix, and where it begins. */
typedef struct TgExtent {
  int64_t row, column, rows, columns;
} TgExtent;

static TgExtent extent_of(const TgStepper *stepper, int matrix, int32_t row, int32_t column) {
  const int32_t *blocks = stepper->schedule->blocks[matrix];
  const int64_t rows = stepper->shape.rows[matrix], columns = stepper->shape.columns[matrix];
  return (TgExtent){tg_block_begin(rows, blocks[0], row), tg_block_begin(columns, blocks[1], column),
                    tg_block_size(rows, blocks[0], row), tg_block_size(columns, blocks[1], column)};
}

static TgBlock input_block(const TgStepper *stepper, const TgValue *value) {
  const TgBlock whole = tg_block_of(stepper->input[value->matrix], stepper->shape.rows[value->matrix],
                                    stepper->shape.columns[value->matrix]);
  const TgExtent extent = extent_of(stepper, value->matrix, value->row, value->column);
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

/* The data of a value. */
static TgBlock block_of(const TgStepper *stepper, TgValueId id) {
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
  return !stepper->hook_error && TG_SIM_FAIL(&stepper->hook_error, TOO_LARGE,
                                             "out of memory: %" PRIu64 " bytes are held in blocks and %" PRIu64
                                             " more are needed, the limit is %" PRIu64 " bytes",
                                             stepper->sum_bytes, bytes, tg_stepper_limit_bytes(&stepper->options));
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

/* Memory that the system gives is all zeros. */
static void *sum_new(TgStepper *stepper, uint64_t bytes, bool zeros) {
  TgSpare *spare = stepper->options.spare;
  void *data = spare ? tg_spare_take(spare, bytes) : NULL;
  if (data && zeros) memset(data, 0, bytes);
  if (data) return data;
  if (spare && stepper->sum_bytes + spare->bytes + bytes > tg_stepper_limit_bytes(&stepper->options))
    tg_spare_empty(spare);
  return zeros ? g_try_malloc0(MAX(bytes, 1)) : g_try_malloc(MAX(bytes, 1));
}

static void sum_free(TgStepper *stepper, TgValueId id) {
  void *data = g_steal_pointer(&stepper->sum[id]);
  if (data && stepper->options.spare)
    tg_spare_give(stepper->options.spare, data, sum_bytes(stepper, id));
  else
    g_free(data);
}

/** Gives `id` data of its own: zeros, or anything. */
static bool own(TgStepper *stepper, TgValueId id, bool zeros) {
  const uint64_t bytes = sum_bytes(stepper, id);
  if (!make_room(stepper, id)) return false;
  g_assert(!stepper->sum[id]);
  stepper->sum[id] = sum_new(stepper, bytes, zeros);
  if (!stepper->sum[id]) return refuse(stepper, bytes);
  stepper->sum_bytes += bytes;
  return true;
}

/** Gives `id` a copy of the data of sum `from`, transposed where asked; zeros where that has none. */
static bool own_copy(TgStepper *stepper, TgValueId id, TgValueId from, bool transposed) {
  if (!own(stepper, id, !sum_data(stepper, from))) return false;
  if (!sum_data(stepper, from)) return true;
  TgBlock block = block_of(stepper, from);
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
  TgBlock l = block_of(stepper, left), r = block_of(stepper, right);
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
  const TgBlock block = block_of(stepper, result);
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
  sum_free(stepper, id);
}

static void hook_message(void *user, const TgMessage *message, TgValueId id) {
  TgStepper *stepper = user;
  const TgBlock block = block_of(stepper, id);
  const int64_t elements = tg_block_size(block.rows * block.columns, message->pieces, message->piece);
  TgStepperMessage record = {.message = *message,
                             .value = *tg_state_value(stepper->state, id),
                             .statement = tg_state_walk(stepper->state)->statement,
                             .bytes = elements * tg_element_bytes(stepper->options.element)};
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

/* --- steps ------------------------------------------------------------------------------------------------------- */

/* Turns a failed run into an error. */
static bool report(TgStepper *stepper, GError **error) {
  if (stepper->hook_error) {
    g_propagate_error(error, g_steal_pointer(&stepper->hook_error));
    return false;
  }
  g_set_error_literal(error, TG_SIM_ERROR, tg_sim_error_of(stepper->failure.cause), stepper->failure.message);
  return false;
}

/** A block of op(left), op(right) and C must have extents that fit, whatever m, n, k are. */
static bool check_blocks(const TgSchedule *schedule, GError **error) {
  const TgComputes *computes = &schedule->computes;
  const int32_t *left = schedule->blocks[computes->left], *c = schedule->blocks[TG_MATRIX_C];
  const int32_t rows = left[computes->left_transposed], inner = left[!computes->left_transposed];
  if (computes->right >= TG_MATRICES)
    return (rows == c[0] && inner == c[1]) ||
           TG_SIM_FAIL(error, BAD_INPUT, "C is not divided into as many blocks as its source");
  const int32_t *right = schedule->blocks[computes->right];
  const bool fits =
      rows == c[0] && inner == right[computes->right_transposed] && right[!computes->right_transposed] == c[1];
  return fits || TG_SIM_FAIL(error, BAD_INPUT,
                             "the matrices are not divided into blocks that can be multiplied with each other");
}

static bool check_input(const TgSchedule *schedule, const void *a, const void *b, GError **error) {
  if (schedule->bound != TG_BOUND_YES) return TG_SIM_FAIL(error, BAD_INPUT, "the schedule has no grid yet");
  if (tg_computes_uses(&schedule->computes, TG_MATRIX_A) != (a != NULL))
    return TG_SIM_FAIL(error, BAD_INPUT, "%s",
                       a ? "the schedule does not read A" : "the schedule reads A, but there is no A");
  if (tg_computes_uses(&schedule->computes, TG_MATRIX_B) != (b != NULL))
    return TG_SIM_FAIL(error, BAD_INPUT, "%s",
                       b ? "the schedule does not read B" : "the schedule reads B, but there is no B");
  return check_blocks(schedule, error);
}

static bool check_memory(const TgStepper *stepper, const TgScheduleNames *names, GError **error) {
  const uint64_t limit = tg_stepper_limit_bytes(&stepper->options);
  uint64_t need;
  if (!tg_stepper_need_bytes(stepper, names, &need, error)) return false;
  if (need <= limit) return true;
  return TG_SIM_FAIL(error, TOO_LARGE,
                     "m = %" PRId64 ", n = %" PRId64 ", k = %" PRId64 " on %s needs %" PRIu64
                     " bytes besides A and B, the limit is %" PRIu64 " bytes",
                     stepper->shape.m, stepper->shape.n, stepper->shape.k, tg_schedule_grid_text(stepper->schedule).s,
                     need, limit);
}

static bool start_state(TgStepper *stepper, const TgScheduleNames *names, GError **error) {
  TgError reason;
  stepper->steps = tg_walk_count_steps(stepper->schedule, names, &reason);
  if (stepper->steps < 0) return TG_SIM_FAIL(error, SCHEDULE, "%s", reason.message);
  const TgStateHooks hooks = {.user = stepper,
                              .multiply = hook_multiply,
                              .add = hook_add,
                              .transpose = hook_transpose,
                              .drop = hook_drop,
                              .message = hook_message,
                              .product = hook_product,
                              .watch = stepper->options.watch};
  stepper->state = tg_state_new(stepper->schedule, names, stepper->options.collective, &hooks, &stepper->failure);
  if (!stepper->state) return report(stepper, error);
  tg_state_measure(stepper->state, stepper->shape.m, stepper->shape.n, stepper->shape.k);
  return true;
}

static bool start_history(TgStepper *stepper, GError **error) {
  TgHistory *history = &stepper->history;
  history->snapshot = g_try_new0(TgSnapshot *, (size_t)stepper->steps + 1);
  history->steps = stepper->steps;
  history->stride = 1;
  if (history->snapshot) tg_history_save(stepper, 0);
  if (history->snapshot && history->snapshot[0]) return true;
  return TG_SIM_FAIL(error, TOO_LARGE, "out of memory for going back");
}

TgStepper *tg_stepper_new(const TgSchedule *schedule, const TgScheduleNames *names, const TgStepperOptions *options,
                          const void *a, const void *b, GError **error) {
  if (!check_input(schedule, a, b, error)) return NULL;
  g_autoptr(TgStepper) stepper = g_new0(TgStepper, 1);
  stepper->schedule = schedule;
  stepper->label = stepper->note = "";
  stepper->options = *options;
  stepper->input[TG_MATRIX_A] = a;
  stepper->input[TG_MATRIX_B] = b;
  stepper->messages = g_array_new(FALSE, FALSE, sizeof(TgStepperMessage));
  stepper->products = g_array_new(FALSE, FALSE, sizeof(TgStepperProduct));
  if (!tg_shape_init(&stepper->shape, &schedule->computes, options->m, options->n, options->k, error)) return NULL;
  stepper->careful = stepper->shape.m * stepper->shape.n <= TG_FEW_ELEMENTS;
  if (schedule->computes.right != TG_MATRICES && !stepper->careful && !tg_blas_load(error)) return NULL;
  if (!start_state(stepper, names, error) || !check_memory(stepper, names, error)) return NULL;
  if (!tg_tally_init(&stepper->tally, schedule, options, stepper->steps, error)) return NULL;
  return start_history(stepper, error) ? g_steal_pointer(&stepper) : NULL;
}

void tg_stepper_free(TgStepper *stepper) {
  if (!stepper) return;
  for (int32_t i = 0; i < stepper->sums && stepper->options.spare && !stepper->lost; i++)
    if (stepper->sum[i]) sum_free(stepper, i);
  if (stepper->state) {
    tg_history_clear(stepper);
    tg_state_free(stepper->state);
  }
  for (int32_t i = 0; i < stepper->sums; i++) g_free(stepper->sum[i]);
  g_free(stepper->sum);
  tg_tally_clear(&stepper->tally);
  g_array_unref(stepper->messages);
  g_array_unref(stepper->products);
  g_clear_error(&stepper->hook_error);
  g_free(stepper);
}

static void forget_details(TgStepper *stepper) {
  stepper->label = stepper->note = "";
  g_array_set_size(stepper->messages, 0);
  g_array_set_size(stepper->products, 0);
}

static void keep_label(TgStepper *stepper) {
  const TgWalk *walk = tg_state_walk(stepper->state);
  stepper->label = tg_walk_label(walk);
  stepper->note = tg_walk_note(walk);
  stepper->tally.trace.step[stepper->tally.trace.steps - 1].label = stepper->label;
}

static bool counts_fit(const TgStepper *stepper, GError **error) {
  const TgStepperCounts *total = &stepper->tally.total;
  if (!tg_sum_is_full(total->bytes) && !tg_sum_is_full(total->hop_bytes)) return true;
  return TG_SIM_FAIL(error, TOO_LARGE,
                     "messages have more bytes than a 64-bit count can hold (9.2 EB); use smaller matrices");
}

/** Executes the next step; where it fails, state and counts are left in the middle of it. */
static bool execute(TgStepper *stepper, GError **error) {
  const TgShape *shape = &stepper->shape;
  const TgSchedule *schedule = stepper->schedule;
  forget_details(stepper);
  tg_tally_begin(&stepper->tally);
  const int threads =
      tg_blas_threads_begin(shape->m / schedule->blocks[TG_MATRIX_C][0], shape->n / schedule->blocks[TG_MATRIX_C][1],
                            shape->k / MAX(schedule->inner, 1), 0);
  const TgProgress progress = tg_state_next_step(stepper->state, &stepper->failure);
  tg_blas_threads_end(threads);
  if (progress != TG_PROGRESS_MORE) return report(stepper, error);
  if (!counts_fit(stepper, error)) return false;
  keep_label(stepper);
  tg_history_save(stepper, stepper->tally.trace.steps);
  return true;
}

/** Goes to the end of an earlier step, or of this one again: back to a snapshot before it, then forward through it, so
 * that its messages are at hand too. */
static bool rewind_to(TgStepper *stepper, int64_t position, GError **error) {
  const int64_t from = tg_history_restore(stepper, MAX(position - 1, 0));
  if (from < 0) return TG_SIM_FAIL(error, TOO_LARGE, "out of memory for going back");
  while (stepper->tally.trace.steps > from) tg_tally_undo(&stepper->tally);
  forget_details(stepper);
  while (stepper->tally.trace.steps < position) {
    if (!execute(stepper, error)) return false;
  }
  return true;
}

static bool check_sound(const TgStepper *stepper, GError **error) {
  return !stepper->lost || TG_SIM_FAIL(error, TOO_LARGE, "out of memory in an earlier step");
}

TgProgress tg_stepper_next(TgStepper *stepper, GError **error) {
  const int64_t position = stepper->tally.trace.steps;
  stepper->failure = (TgError){.cause = TG_CAUSE_NONE};
  if (!check_sound(stepper, error)) return TG_PROGRESS_ERROR;
  if (position == stepper->steps) return TG_PROGRESS_END;
  if (execute(stepper, error)) return TG_PROGRESS_MORE;
  stepper->lost = !rewind_to(stepper, position, NULL);
  return TG_PROGRESS_ERROR;
}

static bool seek_back(TgStepper *stepper, int64_t step, GError **error) {
  stepper->failure = (TgError){.cause = TG_CAUSE_NONE};
  if (!check_sound(stepper, error)) return false;
  stepper->lost = !rewind_to(stepper, step, error);
  return !stepper->lost;
}

bool tg_stepper_seek(TgStepper *stepper, int64_t step, GError **error) {
  if (step < 0 || step > stepper->steps)
    return TG_SIM_FAIL(error, BAD_INPUT, "there is no step %" PRId64 ": expected 0 to %" PRId64, step, stepper->steps);
  if (step < stepper->tally.trace.steps) return seek_back(stepper, step, error);
  while (stepper->tally.trace.steps < step) {
    if (tg_stepper_next(stepper, error) != TG_PROGRESS_MORE) return false;
  }
  return true;
}

TgProgress tg_stepper_back(TgStepper *stepper, GError **error) {
  const int64_t position = stepper->tally.trace.steps;
  if (position == 0) return TG_PROGRESS_END;
  return tg_stepper_seek(stepper, position - 1, error) ? TG_PROGRESS_MORE : TG_PROGRESS_ERROR;
}

/* --- what there is to read --------------------------------------------------------------------------------------- */

bool tg_stepper_slot(const TgStepper *stepper, int64_t processor, int buffer, int32_t index, TgBlock *block) {
  const TgValueId id = tg_state_slot(stepper->state, processor, buffer, index);
  *block = id ? block_of(stepper, id) : (TgBlock){0};
  return id != 0;
}

/** Copies what stands on the place of C block (row, column), if it has the block's extents. */
static void gather_block(const TgStepper *stepper, char *c, int32_t row, int32_t column) {
  const TgExtent extent = extent_of(stepper, TG_MATRIX_C, row, column);
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
  if (stepper->tally.trace.steps < stepper->steps)
    return TG_SIM_FAIL(error, BAD_INPUT, "C is complete only after the last step: this is step %" PRId64 " of %" PRId64,
                       stepper->tally.trace.steps, stepper->steps);
  return tg_state_finish(stepper->state, &stepper->failure) || report(stepper, error);
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

int64_t tg_stepper_position(const TgStepper *stepper) {
  return stepper->tally.trace.steps;
}

int64_t tg_stepper_steps(const TgStepper *stepper) {
  return stepper->steps;
}

const char *tg_stepper_label(const TgStepper *stepper) {
  return stepper->label;
}

const char *tg_stepper_note(const TgStepper *stepper) {
  return stepper->note;
}

const TgError *tg_stepper_failure(const TgStepper *stepper) {
  return &stepper->failure;
}

const TgShape *tg_stepper_shape(const TgStepper *stepper) {
  return &stepper->shape;
}

TgElement tg_stepper_element(const TgStepper *stepper) {
  return stepper->options.element;
}

const TgState *tg_stepper_state(const TgStepper *stepper) {
  return stepper->state;
}

const TgStepperMessage *tg_stepper_messages(const TgStepper *stepper, int64_t *count) {
  *count = stepper->messages->len;
  return (const void *)stepper->messages->data;
}

const TgStepperProduct *tg_stepper_products(const TgStepper *stepper, int64_t *count) {
  *count = stepper->products->len;
  return (const void *)stepper->products->data;
}

const TgStepperCounts *tg_stepper_counts(const TgStepper *stepper) {
  return &stepper->tally.total;
}

const TgTrace *tg_stepper_trace(const TgStepper *stepper) {
  return &stepper->tally.trace;
}

const int64_t *tg_stepper_link_bytes(const TgStepper *stepper) {
  return stepper->tally.link_bytes;
}

int64_t tg_stepper_link_bytes_max(const TgStepper *stepper) {
  int64_t most = 0;
  for (int64_t l = 0; stepper->tally.link_bytes && l < stepper->tally.trace.links; l++)
    most = MAX(most, stepper->tally.link_bytes[l]);
  return most;
}
