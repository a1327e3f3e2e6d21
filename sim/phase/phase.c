#include "phase-private.h"

#include "sim-error.h"
#include "sum.h"
#include "walk-batch.h"

int64_t tg_phases_piece_bytes(const TgPhases *phases, int64_t block_bytes, int32_t piece, int32_t pieces) {
  if (pieces == 1) return block_bytes;
  return tg_block_size(block_bytes / phases->element_bytes, pieces, piece) * phases->element_bytes;
}

/* --- phases ------------------------------------------------------------------------------------------------------ */

TgProductSize tg_largest_product(const TgSchedule *schedule, const TgShape *shape) {
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  return (TgProductSize){tg_divide_up(shape->m, c[0]), tg_divide_up(shape->n, c[1]),
                         tg_divide_up(shape->k, schedule->inner)};
}

double tg_product_flops(const TgProductSize *size) {
  return 2.0 * (double)size->m * (double)size->n * (double)size->k;
}

const TgProductSize *tg_phase_product(const TgPhase *phase, int64_t i) {
  return phase->size ? &phase->size[i] : &phase->uniform_size;
}

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
  g_free(phase->size);
  g_free(phase);
}

TgPhaseDraft *tg_phases_draft(TgPhases *phases, int32_t round) {
  while (phases->drafts->len <= (guint)round) g_ptr_array_add(phases->drafts, tg_phase_draft_new());
  return phases->drafts->pdata[round];
}

static uint32_t origins_of(const TgPhases *phases, uint32_t buffers) {
  uint32_t origins = 0;
  for (; buffers; buffers &= buffers - 1) origins |= phases->uses.origins[__builtin_ctz(buffers)];
  return origins;
}

/* What is added to a block need not wait for it: it arrives beside it. */
void tg_phases_set_uses(const TgPhases *phases, const TgStatement *statement, TgPhase *phase) {
  phase->reads = 1u << statement->source.buffer;
  phase->writes = 1u << statement->target.buffer;
  if (statement->op == TG_OP_MULTIPLY) phase->reads |= 1u << statement->other.buffer;
  if (statement->op == TG_OP_ADD || (statement->op == TG_OP_MULTIPLY && !statement->replace))
    phase->reads |= phase->writes;
  if (!tg_op_traits(statement->op)->adds && statement->op != TG_OP_MULTIPLY) phase->fills = phase->writes;
  phase->needs = origins_of(phases, 1u << statement->source.buffer);
  if (statement->op == TG_OP_MULTIPLY) phase->needs = origins_of(phases, phase->reads) | phase->writes;
}

static int by_processor(const void *a, const void *b) {
  const int64_t one = ((const TgAdded *)a)->processor, other = ((const TgAdded *)b)->processor;
  return (one > other) - (one < other);
}

/* What the draft's transfers bring is added, on each processor all of it at once. */
static TgPhase *sum_up(const TgPhases *phases, GArray *added, const TgStatement *statement) {
  TgPhaseDraft *draft = tg_phase_draft_new();
  g_array_sort(added, by_processor);
  for (guint i = 0; i < added->len;) {
    const int64_t processor = g_array_index(added, TgAdded, i).processor;
    TgProductSize size = {0, 1, 0};
    for (; i < added->len && g_array_index(added, TgAdded, i).processor == processor; i++)
      size.m = tg_sum(size.m, g_array_index(added, TgAdded, i).bytes / phases->element_bytes);
    if (size.m > 0)
      tg_phase_draft_product(draft, processor, &size); /* `zero X` leaves a block that travels as nothing */
  }
  TgPhase *phase = tg_phase_draft_finish(draft, tg_schedule_processors(phases->schedule));
  tg_phase_draft_free(draft);
  phase->sums = true;
  phase->writes = 1u << statement->target.buffer;
  if (statement->op != TG_OP_ADD) phase->writes |= 1u << statement->source.buffer; /* what is passed on in parts */
  phase->reads = 1u << statement->source.buffer | phase->writes;
  phase->needs = origins_of(phases, phase->reads);
  return phase;
}

/* Rounds of a collective may come again at other repetitions, as others of its rounds. */
static void add_ready(TgPhases *phases, const TgStatement *statement, TgPhase *phase) {
  const bool stored = tg_statement_may_come_again(phases->schedule, statement);
  g_ptr_array_add(phases->ready, stored ? tg_phase_store_find(phases->store, phase) : phase);
}

static void take_draft(TgPhases *phases, const TgStatement *statement, TgPhaseDraft *draft) {
  TgPhase *phase = tg_phase_draft_finish(draft, tg_schedule_processors(phases->schedule));
  tg_phases_set_uses(phases, statement, phase);
  add_ready(phases, statement, phase);
  if (draft->added) g_ptr_array_add(phases->ready, sum_up(phases, draft->added, statement));
}

/* The phases from `first` up to `end` of those that are ready come again. */
static void repeat_ready(TgPhases *phases, guint first, guint end) {
  for (guint i = first; i < end; i++) {
    TgPhase *phase = phases->ready->pdata[i];
    phase->recurs = true;
    g_ptr_array_add(phases->ready, tg_phase_hold(phase));
  }
}

void tg_phases_take_drafts(TgPhases *phases, const TgStatement *statement) {
  guint first = 0, end = 0; /* of the round that was drafted last */
  const guint rounds = MAX(phases->drafts->len, phases->same_as->len);
  for (guint round = 0; round < rounds; round++) {
    const bool again = round < phases->same_as->len && g_array_index(phases->same_as, int32_t, round) != (int32_t)round;
    if (again) {
      repeat_ready(phases, first, end);
      continue;
    }
    first = phases->ready->len;
    take_draft(phases, statement, phases->drafts->pdata[round]);
    end = phases->ready->len;
  }
  g_ptr_array_set_size(phases->drafts, 0);
  g_array_set_size(phases->same_as, 0);
}

/* --- uniform blocks: bytes follow from the buffer ------------------------------------------------------------- */

bool tg_statement_is_constant(const TgSchedule *schedule, const TgStatement *statement) {
  uint32_t used = tg_expression_variables(schedule, statement->value);
  uint32_t where = tg_expression_variables(schedule, statement->where);
  for (int c = 0; c < schedule->dims; c++) used |= tg_expression_variables(schedule, statement->to[c]);
  if (where & TG_VARIABLES_COORDINATES) used |= where;
  return !(used & TG_VARIABLES_LOOPS);
}

bool tg_statement_may_come_again(const TgSchedule *schedule, const TgStatement *statement) {
  return statement->depth > 0 && tg_op_traits(statement->op)->is_collective &&
         !tg_statement_is_constant(schedule, statement);
}

int64_t tg_statement_receiver(const TgSchedule *schedule, const TgStatement *statement, int64_t rank) {
  int64_t variable[TG_LOCAL_VARIABLES] = {0}, at, receiver = 0;
  tg_schedule_coordinates(schedule, rank, variable);
  for (int c = 0; c < schedule->dims; c++) {
    if (tg_expression_evaluate(schedule, statement->to[c], variable, &at) != TG_EVALUATION_OK) return -1;
    receiver = receiver * schedule->extent[c] + tg_floor_remainder(at, schedule->extent[c]);
  }
  return receiver;
}

bool tg_phases_expression_failed(TgPhases *phases, const TgError *reason, GError **error) {
  phases->failure = *reason;
  phases->failure.cause = TG_CAUSE_EXPRESSION;
  phases->failure.statement = phases->walk.statement;
  return TG_SIM_FAIL(error, SCHEDULE, "%s", reason->message);
}

bool tg_phases_go_on(TgPhases *phases, guint transfers, GError **error) {
  enum { ASKED = 1 << 16 };
  phases->since_watched += transfers;
  if (phases->since_watched < ASKED) return true;
  phases->since_watched = 0;
  return tg_watch_go_on(phases->watch, phases->walk.executed) || TG_SIM_FAIL(error, STOPPED, "stopped");
}

/* The current move or product at some processors, one by one. */
static bool ask_each(TgPhases *phases, int64_t first, int count, TgWalkBatch *batch, GError **error) {
  for (int i = 0; i < count; i++) {
    TgLocal local;
    TgError failure;
    if (!tg_walk_local(&phases->walk, first + i, &local, &failure))
      return tg_phases_expression_failed(phases, &failure, error);
    batch->takes_part[i] = local.takes_part;
    batch->to[i] = local.takes_part ? (int32_t)local.to : 0;
  }
  return true;
}

static bool draft_local(TgPhases *phases, GError **error) {
  const TgStatement *statement = &phases->schedule->statement[phases->walk.statement];
  int64_t processors = tg_schedule_processors(phases->schedule);
  TgPhaseDraft *draft = tg_phases_draft(phases, 0);
  if (statement->op != TG_OP_MULTIPLY) tg_phase_draft_make_room(draft, processors);
  for (int64_t first = 0; first < processors; first += TG_WALK_BATCH_PROCESSORS) {
    TgWalkBatch batch;
    int count = (int)MIN(TG_WALK_BATCH_PROCESSORS, processors - first);
    if (!tg_walk_batch(&phases->walk, first, count, &batch) && !ask_each(phases, first, count, &batch, error))
      return false;
    if (statement->op != TG_OP_MULTIPLY)
      tg_phase_draft_transfers(draft, first, count, batch.to, batch.takes_part,
                               phases->blocks.bytes[phases->walk.statement]);
    else
      for (int i = 0; i < count; i++)
        if (batch.takes_part[i]) tg_phase_draft_product(draft, first + i, &phases->blocks.product);
    for (int i = 0; phases->sums && statement->op == TG_OP_ADD && i < count; i++)
      if (batch.takes_part[i])
        tg_phase_draft_addition(draft, batch.to[i], phases->blocks.bytes[phases->walk.statement]);
  }
  return true;
}

/* A `where` without coordinates is asked once; false leaves the whole statement out. */
static bool is_left_out(const TgPhases *phases, const TgStatement *statement) {
  int64_t holds = 1;
  if (!statement->where || (tg_expression_variables(phases->schedule, statement->where) & TG_VARIABLES_COORDINATES))
    return false;
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
  if (progress == TG_PROGRESS_ERROR) tg_phases_expression_failed(phases, &failure, error);
  if (progress != TG_PROGRESS_MORE) return progress;
  int number = phases->walk.statement;
  const TgStatement *statement = &phases->schedule->statement[number];
  bool travels = tg_op_travels(statement->op);
  if ((!travels && statement->op != TG_OP_MULTIPLY) || is_left_out(phases, statement)) return TG_PROGRESS_MORE;
  if (phases->cache[number]) {
    use_cached(phases, phases->cache[number]);
    return TG_PROGRESS_MORE;
  }
  if (!(tg_op_traits(statement->op)->is_collective ? tg_phases_draft_collective : draft_local)(phases, error))
    return TG_PROGRESS_ERROR;
  tg_phases_take_drafts(phases, statement);
  if (statement->depth > 0 && tg_statement_is_constant(phases->schedule, statement)) keep_cached(phases, number);
  return TG_PROGRESS_MORE;
}

/* --- both ------------------------------------------------------------------------------------------------------- */

TgPhases *tg_phases_new(const TgPhasesOf *of, GError **error) {
  TgPhases *phases = g_new0(TgPhases, 1);
  phases->schedule = of->schedule;
  phases->names = of->names;
  phases->collective = of->collective == TG_COLLECTIVE_WHOLE && !of->whole ? TG_COLLECTIVE_AUTO : of->collective;
  phases->shape = *of->shape;
  phases->element_bytes = of->element_bytes;
  phases->sums = of->sums;
  phases->watch = of->watch;
  phases->drafts = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_draft_free);
  phases->same_as = g_array_new(FALSE, FALSE, sizeof(int32_t));
  phases->ready = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_release);
  phases->together = of->together ? tg_together_new() : NULL;
  phases->store = tg_phase_store_new();
  phases->patterns = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  tg_walk_init(&phases->walk, of->schedule, of->names);
  tg_buffer_uses(of->schedule, NULL, &phases->uses);
  TgError failure;
  if (tg_walk_ends(of->schedule, of->names, &failure)) {
    if (tg_uniform_blocks(of->schedule, of->names, of->shape, of->element_bytes, &phases->blocks) ||
        tg_phases_follow_by_name(phases, error))
      return phases;
  } else {
    tg_phases_expression_failed(phases, &failure, error);
  }
  tg_phases_free(phases);
  return NULL;
}

void tg_phases_free(TgPhases *phases) {
  if (!phases) return;
  tg_state_free(phases->state);
  g_hash_table_unref(phases->patterns);
  g_ptr_array_unref(phases->drafts);
  g_array_unref(phases->same_as);
  g_ptr_array_unref(phases->ready);
  tg_together_free(phases->together);
  tg_phase_store_free(phases->store);
  for (int s = 0; s < TG_MAX_STATEMENTS; s++)
    if (phases->cache[s]) g_ptr_array_unref(phases->cache[s]);
  g_free(phases);
}

const TgWalk *tg_phases_walk(const TgPhases *phases) {
  return phases->state ? tg_state_walk(phases->state) : &phases->walk;
}

bool tg_phases_by_name(const TgPhases *phases) {
  return phases->state != NULL;
}

const TgError *tg_phases_failure(const TgPhases *phases) {
  return &phases->failure;
}

const TgShape *tg_phases_shape(const TgPhases *phases) {
  return &phases->shape;
}

static TgPhaseAt position(const TgPhases *phases, guint round) {
  const TgWalk *walk = tg_phases_walk(phases);
  return (TgPhaseAt){
      .step = walk->step, .statement = walk->statement, .round = (int32_t)round, .label = tg_walk_label(walk)};
}

/* The next statement is of the same step and can begin with those that were taken. */
static bool goes_together(const TgPhases *phases) {
  const TgWalk *now = tg_phases_walk(phases);
  TgWalk next = *now;
  TgError unused;
  return tg_walk_next(&next, &unused) == TG_PROGRESS_MORE && next.step == now->step &&
         tg_together_takes(phases->together, &phases->schedule->statement[next.statement]);
}

/* Makes the phases of the next statement. */
static TgProgress next_statement(TgPhases *phases, GError **error) {
  return phases->state ? tg_phases_next_named(phases, error) : next_uniform(phases, error);
}

/* Takes the statement that is ready, and those after it that can begin with it. */
static bool take_together(TgPhases *phases, GError **error) {
  for (;;) {
    const TgPhaseAt at = position(phases, 0);
    tg_together_add(phases->together, &phases->schedule->statement[at.statement], phases->ready, &at);
    if (!goes_together(phases)) break;
    if (next_statement(phases, error) != TG_PROGRESS_MORE) return false;
  }
  tg_together_merge(phases->together);
  return true;
}

static TgPhase *next_ready(TgPhases *phases, TgPhaseAt *at) {
  TgPhase *phase = phases->together ? tg_together_next(phases->together, at) : NULL;
  if (phase || phases->next >= phases->ready->len) return phase;
  *at = position(phases, phases->next);
  return tg_phase_hold(phases->ready->pdata[phases->next++]);
}

TgProgress tg_phases_next(TgPhases *phases, TgPhase **phase, TgPhaseAt *at, GError **error) {
  for (;;) {
    while ((*phase = next_ready(phases, at))) {
      if ((*phase)->transfers || (*phase)->products) return TG_PROGRESS_MORE;
      tg_phase_release(*phase);
    }
    g_ptr_array_set_size(phases->ready, 0);
    phases->next = 0;
    const TgProgress progress = next_statement(phases, error);
    if (progress != TG_PROGRESS_MORE) return progress;
    const int op = phases->schedule->statement[tg_phases_walk(phases)->statement].op;
    if (phases->together && tg_op_travels(op) && !take_together(phases, error)) return TG_PROGRESS_ERROR;
  }
}
