#include "uniform-blocks.h"

#include "interval.h"

#include <math.h>
#include <string.h>

enum { FOLLOWED = 1 << 20 }; /* slots written, at most */

/* Sets of matrices, a bit each. */
typedef struct TgHeld {
  const TgWalk *walk;
  GByteArray *slot[TG_MAX_BUFFERS];   /* by index */
  uint8_t anywhere[TG_MAX_BUFFERS];   /* in slots whose index is not followed */
  uint8_t everything[TG_MAX_BUFFERS]; /* all that the buffer ever held */
  int64_t left;
} TgHeld;

static bool has_coordinates(const TgSchedule *schedule, TgExpression expression) {
  return tg_expression_variables(schedule, expression) & TG_VARIABLES_COORDINATES;
}

/* The index of a slot that is the same on all processors; -1 where it is not. */
static int64_t index_of(const TgHeld *held, TgExpression index) {
  int64_t value = 0;
  if (!index) return 0;
  if (has_coordinates(held->walk->schedule, index)) return -1;
  TgEvaluation evaluation = tg_expression_evaluate(held->walk->schedule, index, held->walk->variable, &value);
  return evaluation == TG_EVALUATION_OK && value >= 0 && value < TG_MAX_ARRAY ? value : -1;
}

static uint8_t read_slot(const TgHeld *held, TgSlot slot) {
  int64_t index = index_of(held, slot.index);
  if (index < 0) return held->everything[slot.buffer];
  const GByteArray *slots = held->slot[slot.buffer];
  return (uint8_t)(held->anywhere[slot.buffer] | (index < slots->len ? slots->data[index] : 0));
}

static void write_slot(TgHeld *held, int buffer, int64_t index, uint8_t matrices, bool everywhere) {
  GByteArray *slots = held->slot[buffer];
  held->everything[buffer] |= matrices;
  held->left--;
  if (index < 0) {
    held->anywhere[buffer] |= matrices;
    return;
  }
  guint length = slots->len;
  if (index >= length) {
    g_byte_array_set_size(slots, (guint)index + 1);
    for (guint i = length; i <= index; i++) slots->data[i] = 0;
  }
  slots->data[index] = (uint8_t)(everywhere ? matrices : slots->data[index] | matrices);
}

/* A move or a sum may leave what a receiver had; everything else that all processors do writes the slot of all. */
static void write_target(TgHeld *held, const TgStatement *statement, uint8_t matrices) {
  const TgSchedule *schedule = held->walk->schedule;
  const TgOpTraits *traits = tg_op_traits(statement->op);
  bool everywhere = !statement->where && !traits->is_direct && !traits->to_root;
  if (!traits->fills) {
    write_slot(held, statement->target.buffer, index_of(held, statement->target.index), matrices, everywhere);
    return;
  }
  for (int32_t i = 0; i < schedule->extent[statement->axis]; i++)
    write_slot(held, statement->target.buffer, i, matrices, everywhere);
}

static bool follow(TgHeld *held, int statement, int *matrix) {
  const TgStatement *at = &held->walk->schedule->statement[statement];
  if (at->op == TG_OP_ZERO) return true;
  uint8_t read = tg_op_traits(at->op)->splits ? held->everything[at->source.buffer] : read_slot(held, at->source);
  if (read & (read - 1)) return false;
  int found = read ? g_bit_nth_lsf(read, -1) : -1;
  if (*matrix >= 0 && found >= 0 && *matrix != found) return false;
  if (found >= 0) *matrix = found;
  write_target(held, at, at->op == TG_OP_MULTIPLY ? 1u << TG_MATRIX_C : read);
  return held->left > 0;
}

static bool follow_all(TgHeld *held, TgWalk *walk, int matrix[TG_MAX_STATEMENTS]) {
  TgProgress progress;
  TgError unused;
  while ((progress = tg_walk_next(walk, &unused)) == TG_PROGRESS_MORE)
    if (!follow(held, walk->statement, &matrix[walk->statement])) return false;
  return progress == TG_PROGRESS_END;
}

/* --- the same from the text alone, for all values of loop variables at once --------------------------------------- */

/* What a buffer can hold: in its first slots, and in the others. */
typedef struct TgContent {
  double length; /* of the first slots */
  uint8_t first, others;
} TgContent;

typedef struct TgOutline {
  const TgSchedule *schedule;
  TgInterval variable[TG_LOCAL_VARIABLES];
  uint8_t read[TG_MAX_STATEMENTS]; /* by statement */
} TgOutline;

static TgInterval indices_of(const TgOutline *outline, TgExpression index) {
  if (!index) return (TgInterval){0, 0};
  return tg_interval_evaluate(outline->schedule, index, outline->variable);
}

static uint8_t outline_read(const TgOutline *outline, const TgContent *content, const TgStatement *statement) {
  const TgContent *source = &content[statement->source.buffer];
  const bool within =
      !tg_op_traits(statement->op)->splits && indices_of(outline, statement->source.index).high < source->length;
  return within ? source->first : source->first | source->others;
}

static void outline_write(const TgOutline *outline, TgContent *content, const TgStatement *statement,
                          uint8_t matrices) {
  const TgOpTraits *traits = tg_op_traits(statement->op);
  const bool everywhere = !statement->where && !traits->is_direct && !traits->to_root;
  TgContent *target = &content[statement->target.buffer];
  const double length = traits->fills ? outline->schedule->extent[statement->axis] : statement->target.index ? 0 : 1;
  if (everywhere && length > 0) { /* these slots hold nothing else then */
    if (target->length > length) target->others |= target->first;
    *target = (TgContent){length, matrices, target->others};
    return;
  }
  target->first |= matrices;
  if (traits->fills || indices_of(outline, statement->target.index).high >= target->length) target->others |= matrices;
}

/* What may be there where either may. True where that is more than `a`. */
static bool join(TgContent a[TG_MAX_BUFFERS], const TgContent b[TG_MAX_BUFFERS]) {
  bool more = false;
  for (int i = 0; i < TG_MAX_BUFFERS; i++) {
    TgContent both = {fmin(a[i].length, b[i].length), a[i].first | b[i].first, a[i].others | b[i].others};
    if (a[i].length > both.length) both.others |= a[i].first;
    if (b[i].length > both.length) both.others |= b[i].first;
    more = more || both.length != a[i].length || both.first != a[i].first || both.others != a[i].others;
    a[i] = both;
  }
  return more;
}

static void outline_statements(TgOutline *outline, TgContent *content, int begin, int end) {
  const TgSchedule *schedule = outline->schedule;
  for (int s = begin; s < end; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (statement->op == TG_OP_STEP || statement->op == TG_OP_ZERO) continue;
    if (statement->op == TG_OP_REPEAT) {
      const double times = tg_interval_evaluate(schedule, statement->value, outline->variable).high;
      TgContent after[TG_MAX_BUFFERS];
      outline->variable[TG_VARIABLE_LOOP + statement->depth] = (TgInterval){0, fmax(times - 1, 0)};
      do {
        memcpy(after, content, sizeof after);
        outline_statements(outline, after, s + 1, statement->end);
      } while (join(content, after));
      s = statement->end - 1;
    } else {
      const uint8_t read = outline_read(outline, content, statement);
      outline->read[s] |= read;
      outline_write(outline, content, statement, statement->op == TG_OP_MULTIPLY ? 1u << TG_MATRIX_C : read);
    }
  }
}

/* False where it takes a run to tell. */
static bool outline_matrices(const TgSchedule *schedule, int matrix[TG_MAX_STATEMENTS]) {
  TgOutline outline = {.schedule = schedule};
  TgContent content[TG_MAX_BUFFERS] = {{0, 0, 0}};
  for (int c = 0; c < schedule->dims; c++) outline.variable[c].high = schedule->extent[c] - 1;
  for (int p = 0; p < schedule->placements; p++)
    if (schedule->placement[p].matrix != TG_MATRIX_C)
      content[schedule->placement[p].buffer].others |= (uint8_t)(1u << schedule->placement[p].matrix);
  outline_statements(&outline, content, 0, schedule->statements);
  for (int s = 0; s < schedule->statements; s++) {
    if (outline.read[s] & (outline.read[s] - 1)) return false;
    matrix[s] = outline.read[s] ? g_bit_nth_lsf(outline.read[s], -1) : -1;
  }
  return true;
}

bool tg_held_matrices(const TgSchedule *schedule, const TgScheduleNames *names, int matrix[TG_MAX_STATEMENTS]) {
  if (outline_matrices(schedule, matrix)) return true;
  TgWalk walk;
  TgHeld held = {.walk = &walk, .left = FOLLOWED};
  for (int s = 0; s < TG_MAX_STATEMENTS; s++) matrix[s] = -1;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) held.slot[b] = g_byte_array_new();
  for (int p = 0; p < schedule->placements; p++) {
    const TgPlacement *placement = &schedule->placement[p];
    if (placement->matrix == TG_MATRIX_C) continue;
    held.anywhere[placement->buffer] |= (uint8_t)(1u << placement->matrix);
    held.everything[placement->buffer] |= (uint8_t)(1u << placement->matrix);
  }
  tg_walk_init(&walk, schedule, names);
  bool clear = follow_all(&held, &walk, matrix);
  for (int b = 0; b < TG_MAX_BUFFERS; b++) g_byte_array_unref(held.slot[b]);
  return clear;
}

void tg_phase_held(const TgSchedule *schedule, uint32_t held[TG_MAX_BUFFERS]) {
  for (int b = 0; b < TG_MAX_BUFFERS; b++) held[b] = 0;
  for (int p = 0; p < schedule->placements; p++)
    if (schedule->placement[p].matrix != TG_MATRIX_C)
      held[schedule->placement[p].buffer] |= 1u << schedule->placement[p].matrix;
  for (bool changed = true; changed;) {
    changed = false;
    for (int s = 0; s < schedule->statements; s++) {
      const TgStatement *statement = &schedule->statement[s];
      if (tg_op_traits(statement->op)->is_block || statement->op == TG_OP_ZERO) continue;
      uint32_t from = statement->op == TG_OP_MULTIPLY ? 1u << TG_MATRIX_C : held[statement->source.buffer];
      uint32_t *to = &held[statement->target.buffer];
      changed = changed || (*to | from) != *to;
      *to |= from;
    }
  }
}

bool tg_phase_matrices(const TgSchedule *schedule, int matrix[TG_MAX_BUFFERS]) {
  uint32_t held[TG_MAX_BUFFERS];
  bool clear = true;
  tg_phase_held(schedule, held);
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    clear = clear && !(held[b] & (held[b] - 1));
    matrix[b] = held[b] ? g_bit_nth_lsf(held[b], -1) : -1;
  }
  return clear;
}

bool tg_blocks_alike(const TgSchedule *schedule, const TgShape *shape) {
  bool alike = true;
  for (int m = 0; m < TG_MATRICES; m++) {
    const int32_t *parts = schedule->blocks[m];
    alike = alike && (parts[0] == 0 || (shape->rows[m] % parts[0] == 0 && shape->columns[m] % parts[1] == 0));
  }
  return alike;
}

void tg_whole_blocks(const TgSchedule *schedule, int64_t *m, int64_t *n, int64_t *k) {
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  *m = tg_divide_up(*m, c[0]) * c[0];
  *n = tg_divide_up(*n, c[1]) * c[1];
  *k = tg_divide_up(*k, schedule->inner) * schedule->inner;
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
  if (!tg_blocks_alike(schedule, shape) || !find_matrices(schedule, names, matrix)) return false;
  for (int s = 0; s < schedule->statements; s++) blocks->bytes[s] = bytes_of(schedule, shape, element_bytes, matrix[s]);
  blocks->product = tg_largest_product(schedule, shape);
  return true;
}
