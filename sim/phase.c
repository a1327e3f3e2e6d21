#include "phase.h"

#include "sim-error.h"
#include "state.h"

/** A growing phase. */
typedef struct TgPhaseDraft {
  GArray *from, *to; /* int32_t */
  GArray *bytes;     /* int64_t */
  GArray *processor; /* int32_t */
  GArray *flops;     /* double */
} TgPhaseDraft;

struct TgPhases {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  TgCollective collective;
  TgShape shape;
  int64_t element_bytes;
  TgWalk walk;    /* uniform blocks */
  TgState *state; /* blocks of different sizes: followed by name */
  TgFailure failure;
  int64_t block_bytes[TG_MAX_BUFFERS];
  double product_flops;
  GPtrArray *drafts; /* TgPhaseDraft, one a round */
  GPtrArray *ready;  /* TgPhase of the current statement */
  guint next;
  GPtrArray *cache[TG_MAX_STATEMENTS]; /* of statements that are the same at every repetition */
};

TgPhase *tg_phase_hold(TgPhase *phase) {
  phase->references++;
  return phase;
}

void tg_phase_release(TgPhase *phase) {
  if (--phase->references > 0) return;
  g_free(phase->from);
  g_free(phase->to);
  g_free(phase->bytes);
  g_free(phase->processor);
  g_free(phase->flops);
  g_free(phase);
}

static void free_draft(TgPhaseDraft *draft) {
  g_array_unref(draft->from);
  g_array_unref(draft->to);
  g_array_unref(draft->bytes);
  g_array_unref(draft->processor);
  g_array_unref(draft->flops);
  g_free(draft);
}

static TgPhaseDraft *draft_of_round(TgPhases *phases, int32_t round) {
  while (phases->drafts->len <= (guint)round) {
    TgPhaseDraft *draft = g_new(TgPhaseDraft, 1);
    draft->from = g_array_new(FALSE, FALSE, sizeof(int32_t));
    draft->to = g_array_new(FALSE, FALSE, sizeof(int32_t));
    draft->bytes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    draft->processor = g_array_new(FALSE, FALSE, sizeof(int32_t));
    draft->flops = g_array_new(FALSE, FALSE, sizeof(double));
    g_ptr_array_add(phases->drafts, draft);
  }
  return phases->drafts->pdata[round];
}

/* Parcels of one sender to one receiver in one round follow each other, and are one transfer. */
static void add_transfer(TgPhases *phases, const TgMessage *message, int64_t bytes) {
  TgPhaseDraft *draft = draft_of_round(phases, message->round);
  int32_t from = (int32_t)message->from, to = (int32_t)message->to;
  guint last = draft->from->len;
  if (last > 0 && g_array_index(draft->from, int32_t, last - 1) == from &&
      g_array_index(draft->to, int32_t, last - 1) == to) {
    g_array_index(draft->bytes, int64_t, last - 1) += bytes;
    return;
  }
  g_array_append_val(draft->from, from);
  g_array_append_val(draft->to, to);
  g_array_append_val(draft->bytes, bytes);
}

static void add_product(TgPhases *phases, int64_t processor, double flops) {
  TgPhaseDraft *draft = draft_of_round(phases, 0);
  int32_t rank = (int32_t)processor;
  g_array_append_val(draft->processor, rank);
  g_array_append_val(draft->flops, flops);
}

static int64_t part(int64_t bytes, int64_t element_bytes, const TgMessage *message) {
  int64_t elements = bytes / element_bytes;
  return (tg_block_begin(elements, message->pieces, message->piece + 1) -
          tg_block_begin(elements, message->pieces, message->piece)) *
         element_bytes;
}

static void set_uses(const TgStatement *statement, TgPhase *phase) {
  phase->reads = 1u << statement->source.buffer;
  phase->writes = 1u << statement->target.buffer;
  if (statement->op == TG_OP_MULTIPLY) phase->reads |= 1u << statement->other.buffer;
  if (statement->op == TG_OP_ADD || (statement->op == TG_OP_MULTIPLY && !statement->replace))
    phase->reads |= phase->writes;
}

static bool all_equal(const GArray *bytes) {
  for (guint i = 1; i < bytes->len; i++)
    if (g_array_index(bytes, int64_t, i) != g_array_index(bytes, int64_t, 0)) return false;
  return true;
}

static TgPhase *finish(const TgPhases *phases, TgPhaseDraft *draft, const TgStatement *statement) {
  TgPhase *phase = g_new0(TgPhase, 1);
  phase->references = 1;
  phase->transfers = draft->from->len;
  phase->products = draft->processor->len;
  set_uses(statement, phase);
  if (phase->transfers) {
    phase->uniform_bytes = g_array_index(draft->bytes, int64_t, 0);
    if (!all_equal(draft->bytes)) phase->bytes = g_array_steal(draft->bytes, NULL);
    phase->from = g_array_steal(draft->from, NULL);
    phase->to = g_array_steal(draft->to, NULL);
  }
  if (!phase->products) return phase;
  phase->uniform_flops = g_array_index(draft->flops, double, 0);
  for (guint i = 1; i < draft->flops->len && !phase->flops; i++)
    if (g_array_index(draft->flops, double, i) != phase->uniform_flops)
      phase->flops = g_array_steal(draft->flops, NULL);
  if (phase->products < tg_schedule_processors(phases->schedule))
    phase->processor = g_array_steal(draft->processor, NULL);
  return phase;
}

/* Turns the drafts into the current statement's phases. */
static void take_drafts(TgPhases *phases, const TgStatement *statement) {
  for (guint round = 0; round < phases->drafts->len; round++)
    g_ptr_array_add(phases->ready, finish(phases, phases->drafts->pdata[round], statement));
  g_ptr_array_set_size(phases->drafts, 0);
}

/* --- uniform blocks: bytes follow from the buffer ------------------------------------------------------------- */

/* Which matrix's blocks each buffer holds: -1 none yet; false where one holds blocks of several. */
static bool infer_matrices(const TgSchedule *schedule, int *matrix) {
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

static bool divides(const TgPhases *phases, int matrix) {
  const int32_t *blocks = phases->schedule->blocks[matrix];
  return blocks[0] == 0 ||
         (phases->shape.rows[matrix] % blocks[0] == 0 && phases->shape.columns[matrix] % blocks[1] == 0);
}

static int64_t bytes_of(const TgPhases *phases, int matrix) {
  if (matrix < 0 || phases->schedule->blocks[matrix][0] == 0) return 0;
  const int32_t *blocks = phases->schedule->blocks[matrix];
  return phases->shape.rows[matrix] / blocks[0] * (phases->shape.columns[matrix] / blocks[1]) * phases->element_bytes;
}

static bool is_uniform(TgPhases *phases) {
  int matrix[TG_MAX_BUFFERS];
  if (!infer_matrices(phases->schedule, matrix)) return false;
  for (int m = 0; m < TG_MATRICES; m++)
    if (!divides(phases, m)) return false;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) phases->block_bytes[b] = bytes_of(phases, matrix[b]);
  const int32_t *c = phases->schedule->blocks[TG_MATRIX_C];
  phases->product_flops = 2.0 * (double)(phases->shape.m / c[0]) * (double)(phases->shape.n / c[1]) *
                          (double)(phases->shape.k / phases->schedule->inner);
  return true;
}

enum { COORDINATES = (1 << TG_MAX_DIMS) - 1, LOOPS = ((1 << TG_MAX_NESTING) - 1) << TG_VARIABLE_LOOP };

/* True where the statement is the same at every repetition, but for a `where` that all processors answer alike. */
static bool is_constant(const TgSchedule *schedule, const TgStatement *statement) {
  uint32_t used = tg_expression_variables(schedule, statement->value);
  uint32_t where = tg_expression_variables(schedule, statement->where);
  for (int c = 0; c < schedule->dims; c++) used |= tg_expression_variables(schedule, statement->to[c]);
  if (where & COORDINATES) used |= where;
  return !(used & LOOPS);
}

static bool expression_failed(const TgError *failure, GError **error) {
  g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE, "%d:%d: %s", failure->line, failure->column,
              failure->message);
  return false;
}

static bool draft_messages(TgPhases *phases, GError **error) {
  const TgStatement *statement = &phases->schedule->statement[phases->walk.statement];
  TgMessages messages;
  TgMessage message;
  TgError failure;
  TgProgress progress;
  tg_messages_init(&messages, &phases->walk, phases->collective);
  while ((progress = tg_messages_next(&messages, &message, &failure)) == TG_PROGRESS_MORE)
    if (message.from != message.to)
      add_transfer(phases, &message,
                   part(phases->block_bytes[statement->source.buffer], phases->element_bytes, &message));
  return progress == TG_PROGRESS_END || expression_failed(&failure, error);
}

static bool draft_products(TgPhases *phases, GError **error) {
  for (int64_t processor = 0; processor < tg_schedule_processors(phases->schedule); processor++) {
    TgLocal local;
    TgError failure;
    if (!tg_walk_local(&phases->walk, processor, &local, &failure)) return expression_failed(&failure, error);
    if (local.takes_part) add_product(phases, processor, phases->product_flops);
  }
  return true;
}

/* A `where` without coordinates is asked once; false leaves the whole statement out. */
static bool is_left_out(const TgPhases *phases, const TgStatement *statement) {
  int64_t holds = 1;
  if (!statement->where || (tg_expression_variables(phases->schedule, statement->where) & COORDINATES)) return false;
  return tg_expression_evaluate(phases->schedule, statement->where, phases->walk.variable, &holds) ==
             TG_EVALUATION_OK &&
         !holds;
}

static void use_cached(TgPhases *phases, const GPtrArray *cached) {
  for (guint i = 0; i < cached->len; i++) g_ptr_array_add(phases->ready, tg_phase_hold(cached->pdata[i]));
}

static void keep_cached(TgPhases *phases, int statement) {
  phases->cache[statement] = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_release);
  for (guint i = 0; i < phases->ready->len; i++) {
    TgPhase *phase = phases->ready->pdata[i];
    phase->recurs = true;
    g_ptr_array_add(phases->cache[statement], tg_phase_hold(phase));
  }
}

static TgProgress next_uniform(TgPhases *phases, GError **error) {
  TgError failure;
  TgProgress progress = tg_walk_next(&phases->walk, &failure);
  if (progress == TG_PROGRESS_ERROR) expression_failed(&failure, error);
  if (progress != TG_PROGRESS_MORE) return progress;
  int number = phases->walk.statement;
  const TgStatement *statement = &phases->schedule->statement[number];
  bool travels = statement->op == TG_OP_MOVE || statement->op == TG_OP_ADD || tg_op_is_collective(statement->op);
  if ((!travels && statement->op != TG_OP_MULTIPLY) || is_left_out(phases, statement)) return TG_PROGRESS_MORE;
  if (phases->cache[number]) {
    use_cached(phases, phases->cache[number]);
    return TG_PROGRESS_MORE;
  }
  if (!(travels ? draft_messages : draft_products)(phases, error)) return TG_PROGRESS_ERROR;
  take_drafts(phases, statement);
  if (is_constant(phases->schedule, statement)) keep_cached(phases, number);
  return TG_PROGRESS_MORE;
}

/* --- blocks of different sizes: followed by name ---------------------------------------------------------------- */

static void on_message(void *user, const TgMessage *message, TgValueId value) {
  TgPhases *phases = user;
  int64_t rows, columns;
  tg_state_value_shape(phases->state, value, &rows, &columns);
  add_transfer(phases, message, part(rows * columns * phases->element_bytes, phases->element_bytes, message));
}

static void on_product(void *user, int64_t processor, TgValueId result, TgValueId left, TgValueId right) {
  TgPhases *phases = user;
  const TgValue *factor = tg_state_value(phases->state, left);
  int64_t rows, columns, left_rows, left_columns;
  (void)right;
  tg_state_value_shape(phases->state, result, &rows, &columns);
  tg_state_value_shape(phases->state, left, &left_rows, &left_columns);
  bool turned = (bool)phases->schedule->computes.left_transposed != (bool)factor->transposed;
  int64_t inner = turned ? left_rows : left_columns;
  add_product(phases, processor, 2.0 * (double)rows * (double)columns * (double)inner);
}

static TgProgress next_named(TgPhases *phases, GError **error) {
  TgProgress progress = tg_state_next(phases->state, &phases->failure);
  if (progress == TG_PROGRESS_ERROR)
    g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE, phases->failure.message);
  if (progress == TG_PROGRESS_MORE)
    take_drafts(phases, &phases->schedule->statement[tg_state_walk(phases->state)->statement]);
  return progress;
}

static bool follow_by_name(TgPhases *phases, GError **error) {
  TgStateHooks hooks = {.user = phases, .message = on_message, .product = on_product};
  phases->state = tg_state_new(phases->schedule, phases->names, phases->collective, &hooks, &phases->failure);
  if (!phases->state) {
    g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE, phases->failure.message);
    return false;
  }
  tg_state_measure(phases->state, phases->shape.m, phases->shape.n, phases->shape.k);
  return true;
}

/* --- both ------------------------------------------------------------------------------------------------------- */

TgPhases *tg_phases_new(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective,
                        const TgShape *shape, int64_t element_bytes, GError **error) {
  TgPhases *phases = g_new0(TgPhases, 1);
  phases->schedule = schedule;
  phases->names = names;
  phases->collective = collective == TG_COLLECTIVE_WHOLE ? TG_COLLECTIVE_AUTO : collective;
  phases->shape = *shape;
  phases->element_bytes = element_bytes;
  phases->drafts = g_ptr_array_new_with_free_func((GDestroyNotify)free_draft);
  phases->ready = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_release);
  tg_walk_init(&phases->walk, schedule, names);
  TgError failure;
  if (tg_walk_ends(schedule, names, &failure)) {
    if (is_uniform(phases) || follow_by_name(phases, error)) return phases;
  } else {
    expression_failed(&failure, error);
  }
  tg_phases_free(phases);
  return NULL;
}

void tg_phases_free(TgPhases *phases) {
  if (!phases) return;
  tg_state_free(phases->state);
  g_ptr_array_unref(phases->drafts);
  g_ptr_array_unref(phases->ready);
  for (int s = 0; s < TG_MAX_STATEMENTS; s++)
    if (phases->cache[s]) g_ptr_array_unref(phases->cache[s]);
  g_free(phases);
}

TgProgress tg_phases_next(TgPhases *phases, TgPhase **phase, TgPhaseAt *at, GError **error) {
  for (;;) {
    while (phases->next < phases->ready->len) {
      const TgWalk *walk = phases->state ? tg_state_walk(phases->state) : &phases->walk;
      int32_t round = (int32_t)phases->next;
      TgPhase *found = phases->ready->pdata[phases->next++];
      if (!found->transfers && !found->products) continue;
      *phase = tg_phase_hold(found);
      *at = (TgPhaseAt){.step = walk->step, .statement = walk->statement, .round = round, .label = tg_walk_label(walk)};
      return TG_PROGRESS_MORE;
    }
    g_ptr_array_set_size(phases->ready, 0);
    phases->next = 0;
    TgProgress progress = phases->state ? next_named(phases, error) : next_uniform(phases, error);
    if (progress != TG_PROGRESS_MORE) return progress;
  }
}
