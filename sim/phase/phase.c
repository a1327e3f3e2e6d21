#include "phase.h"

#include "phase-draft.h"
#include "phase-store.h"
#include "sim-error.h"
#include "sum.h"
#include "uniform-blocks.h"
#include "walk-batch.h"

/* --- transfers of a collective along a line, the same for all lines with the same root --------------------------- */

/** All parcels that go from one position to another in one round. */
typedef struct TgLineTransfer {
  int32_t round, from, to;
  bool add;
  int64_t bytes;
} TgLineTransfer;

struct TgPhases {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  TgCollective collective;
  TgShape shape;
  int64_t element_bytes;
  bool sums;
  TgWalk walk;    /* uniform blocks */
  TgState *state; /* blocks of different sizes: followed by name */
  TgError failure;
  TgUniformBlocks blocks;
  GHashTable *patterns;      /* statement and root -> GArray of TgLineTransfer: patterns found so far */
  int64_t pattern_transfers; /* in them */
  GPtrArray *drafts;         /* TgPhaseDraft, one a round */
  GArray *same_as;           /* int32_t, by round: the first of the rounds in a row that do the same */
  GPtrArray *ready;          /* TgPhase of the current statement */
  guint next;
  TgPhaseStore *store;
  GPtrArray *cache[TG_MAX_STATEMENTS]; /* of statements that are the same at every repetition */
};

enum { MOST_KEPT = 1 << 22 }; /* transfers of patterns; with more, they are found anew */

/* Bytes of part `piece` of `pieces` of a block. */
static int64_t piece_bytes(const TgPhases *phases, int64_t block_bytes, int32_t piece, int32_t pieces) {
  if (pieces == 1) return block_bytes;
  return tg_block_size(block_bytes / phases->element_bytes, pieces, piece) * phases->element_bytes;
}

static void add_parcel(GArray *pattern, const TgTransfer *parcel, int64_t bytes) {
  TgLineTransfer *last = pattern->len ? &g_array_index(pattern, TgLineTransfer, pattern->len - 1) : NULL;
  if (last && last->round == parcel->round && last->from == parcel->from && last->to == parcel->to &&
      last->add == parcel->add) {
    last->bytes = tg_sum(last->bytes, bytes);
    return;
  }
  TgLineTransfer transfer = {parcel->round, parcel->from, parcel->to, parcel->add, bytes};
  g_array_append_val(pattern, transfer);
}

/* Transfers of the current statement along `line`, in order: a GArray of TgLineTransfer, valid until the next call. */
static const GArray *line_pattern(TgPhases *phases, const TgLine *line) {
  const int number = phases->walk.statement;
  gint64 key = (gint64)number << 32 | line->root;
  GArray *pattern = g_hash_table_lookup(phases->patterns, &key);
  if (pattern) return pattern;
  if (phases->pattern_transfers > MOST_KEPT) {
    g_hash_table_remove_all(phases->patterns);
    phases->pattern_transfers = 0;
  }
  TgRounds rounds;
  TgTransfer parcel;
  pattern = g_array_new(FALSE, FALSE, sizeof(TgLineTransfer));
  tg_rounds_of_statement(&rounds, &phases->schedule->statement[number], phases->collective, line->length, line->root);
  while (tg_rounds_next(&rounds, &parcel))
    add_parcel(pattern, &parcel, piece_bytes(phases, phases->blocks.bytes[number], parcel.piece, parcel.pieces));
  phases->pattern_transfers += pattern->len;
  g_hash_table_insert(phases->patterns, g_memdup2(&key, sizeof key), pattern);
  return pattern;
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

static inline TgPhaseDraft *draft_of_round(TgPhases *phases, int32_t round) {
  while (phases->drafts->len <= (guint)round) g_ptr_array_add(phases->drafts, tg_phase_draft_new());
  return phases->drafts->pdata[round];
}

static void set_uses(const TgStatement *statement, TgPhase *phase) {
  phase->reads = 1u << statement->source.buffer;
  phase->writes = 1u << statement->target.buffer;
  if (statement->op == TG_OP_MULTIPLY) phase->reads |= 1u << statement->other.buffer;
  if (statement->op == TG_OP_ADD || (statement->op == TG_OP_MULTIPLY && !statement->replace))
    phase->reads |= phase->writes;
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
  return phase;
}

/* Rounds of a collective may come again at other repetitions, as others of its rounds. */
static void add_ready(TgPhases *phases, const TgStatement *statement, TgPhase *phase) {
  const bool stored = tg_statement_may_come_again(phases->schedule, statement);
  g_ptr_array_add(phases->ready, stored ? tg_phase_store_find(phases->store, phase) : phase);
}

static void take_draft(TgPhases *phases, const TgStatement *statement, TgPhaseDraft *draft) {
  TgPhase *phase = tg_phase_draft_finish(draft, tg_schedule_processors(phases->schedule));
  set_uses(statement, phase);
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

/* Turns the drafts into the current statement's phases. */
static void take_drafts(TgPhases *phases, const TgStatement *statement) {
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

static bool expression_failed(TgPhases *phases, const TgError *reason, GError **error) {
  phases->failure = *reason;
  phases->failure.cause = TG_CAUSE_EXPRESSION;
  phases->failure.statement = phases->walk.statement;
  return TG_SIM_FAIL(error, SCHEDULE, "%s", reason->message);
}

static bool do_the_same(const TgLineTransfer *one, const TgLineTransfer *other, guint count) {
  for (guint t = 0; t < count; t++)
    if (one[t].from != other[t].from || one[t].to != other[t].to || one[t].add != other[t].add ||
        one[t].bytes != other[t].bytes)
      return false;
  return true;
}

/* Of the rounds of a pattern those in a row that do the same: of a ring all of them, of a chain those in the middle. */
static void find_same_rounds(TgPhases *phases, const GArray *pattern) {
  const TgLineTransfer *transfer = (const TgLineTransfer *)(const void *)pattern->data, *before = NULL;
  guint count_before = 0;
  for (guint t = 0, count; t < pattern->len; t += count) {
    const int32_t round = (int32_t)phases->same_as->len;
    int32_t same_as = round;
    count = 0;
    while (t + count < pattern->len && transfer[t + count].round == round) count++;
    if (count == 0) break; /* a round without transfers */
    if (before && count == count_before && do_the_same(before, &transfer[t], count))
      same_as = g_array_index(phases->same_as, int32_t, round - 1);
    g_array_append_val(phases->same_as, same_as);
    before = &transfer[t];
    count_before = count;
  }
}

/* Whether its rounds are looked at once alone, and are the same on all lines. */
static bool has_same_rounds(const TgPhases *phases, const TgStatement *statement) {
  return (statement->depth == 0 || tg_statement_is_constant(phases->schedule, statement)) &&
         !(tg_expression_variables(phases->schedule, statement->value) & TG_VARIABLES_COORDINATES);
}

static bool is_drafted(const TgPhases *phases, int32_t round) {
  return round >= (int32_t)phases->same_as->len || g_array_index(phases->same_as, int32_t, round) == round;
}

static bool draft_collective(TgPhases *phases, GError **error) {
  bool same = has_same_rounds(phases, &phases->schedule->statement[phases->walk.statement]);
  for (int64_t number = 0; number < tg_walk_lines(&phases->walk); number++) {
    TgLine line;
    TgError failure;
    bool takes_part;
    if (!tg_walk_line(&phases->walk, number, &line, &takes_part, &failure))
      return expression_failed(phases, &failure, error);
    if (!takes_part) continue;
    const GArray *pattern = line_pattern(phases, &line);
    if (same) find_same_rounds(phases, pattern);
    same = false;
    for (guint t = 0; t < pattern->len; t++) {
      const TgLineTransfer *transfer = &g_array_index(pattern, TgLineTransfer, t);
      if (!is_drafted(phases, transfer->round)) continue;
      TgPhaseDraft *draft = draft_of_round(phases, transfer->round);
      const int64_t to = line.base + transfer->to * line.stride;
      tg_phase_draft_transfer(draft, line.base + transfer->from * line.stride, to, transfer->bytes);
      if (phases->sums && transfer->add) tg_phase_draft_addition(draft, to, transfer->bytes);
    }
  }
  return true;
}

/* The current move or product at some processors, one by one. */
static bool ask_each(TgPhases *phases, int64_t first, int count, TgWalkBatch *batch, GError **error) {
  for (int i = 0; i < count; i++) {
    TgLocal local;
    TgError failure;
    if (!tg_walk_local(&phases->walk, first + i, &local, &failure)) return expression_failed(phases, &failure, error);
    batch->takes_part[i] = local.takes_part;
    batch->to[i] = local.takes_part ? (int32_t)local.to : 0;
  }
  return true;
}

static bool draft_local(TgPhases *phases, GError **error) {
  const TgStatement *statement = &phases->schedule->statement[phases->walk.statement];
  int64_t processors = tg_schedule_processors(phases->schedule);
  TgPhaseDraft *draft = draft_of_round(phases, 0);
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
  if (progress == TG_PROGRESS_ERROR) expression_failed(phases, &failure, error);
  if (progress != TG_PROGRESS_MORE) return progress;
  int number = phases->walk.statement;
  const TgStatement *statement = &phases->schedule->statement[number];
  bool travels = tg_op_travels(statement->op);
  if ((!travels && statement->op != TG_OP_MULTIPLY) || is_left_out(phases, statement)) return TG_PROGRESS_MORE;
  if (phases->cache[number]) {
    use_cached(phases, phases->cache[number]);
    return TG_PROGRESS_MORE;
  }
  if (!(tg_op_traits(statement->op)->is_collective ? draft_collective : draft_local)(phases, error))
    return TG_PROGRESS_ERROR;
  take_drafts(phases, statement);
  if (statement->depth > 0 && tg_statement_is_constant(phases->schedule, statement)) keep_cached(phases, number);
  return TG_PROGRESS_MORE;
}

/* --- blocks of different sizes: followed by name ---------------------------------------------------------------- */

static void on_message(void *user, const TgMessage *message, TgValueId value) {
  TgPhases *phases = user;
  int64_t rows, columns;
  tg_state_value_shape(phases->state, value, &rows, &columns);
  TgPhaseDraft *draft = draft_of_round(phases, message->round);
  const int64_t bytes = piece_bytes(phases, rows * columns * phases->element_bytes, message->piece, message->pieces);
  tg_phase_draft_transfer(draft, message->from, message->to, bytes);
  const TgStatement *statement = &phases->schedule->statement[tg_state_walk(phases->state)->statement];
  if (phases->sums && message->add && statement->op != TG_OP_ADD) tg_phase_draft_addition(draft, message->to, bytes);
}

static void on_product(void *user, int64_t processor, TgValueId result, TgValueId left, TgValueId right) {
  TgPhases *phases = user;
  const TgValue *factor = tg_state_value(phases->state, left);
  int64_t rows, columns, left_rows, left_columns;
  (void)right;
  tg_state_value_shape(phases->state, result, &rows, &columns);
  tg_state_value_shape(phases->state, left, &left_rows, &left_columns);
  bool transposed = (bool)phases->schedule->computes.left_transposed != (bool)factor->transposed;
  const TgProductSize size = {rows, columns, transposed ? left_rows : left_columns};
  tg_phase_draft_product(draft_of_round(phases, 0), processor, &size);
}

static bool run_failed(const TgPhases *phases, GError **error) {
  if (phases->failure.cause == TG_CAUSE_MEMORY) return TG_SIM_FAIL(error, TOO_LARGE, "%s", phases->failure.message);
  return TG_SIM_FAIL(error, SCHEDULE, "%s", phases->failure.message);
}

/* An `add` has just been executed: also what stayed on its processor was added. */
static bool draft_additions(TgPhases *phases, GError **error) {
  const TgWalk *walk = tg_state_walk(phases->state);
  const TgStatement *statement = &phases->schedule->statement[walk->statement];
  for (int64_t p = 0; p < tg_schedule_processors(phases->schedule); p++) {
    TgLocal local;
    int64_t rows, columns;
    if (!tg_walk_local(walk, p, &local, &phases->failure)) return run_failed(phases, error);
    if (!local.takes_part) continue;
    const TgValueId sum = tg_state_slot(phases->state, local.to, statement->target.buffer, local.target);
    tg_state_value_shape(phases->state, sum, &rows, &columns);
    tg_phase_draft_addition(draft_of_round(phases, 0), local.to, rows * columns * phases->element_bytes);
  }
  return true;
}

static TgProgress next_named(TgPhases *phases, GError **error) {
  TgProgress progress = tg_state_next(phases->state, &phases->failure);
  if (progress == TG_PROGRESS_ERROR) run_failed(phases, error);
  if (progress != TG_PROGRESS_MORE) return progress;
  const TgStatement *statement = &phases->schedule->statement[tg_state_walk(phases->state)->statement];
  if (phases->sums && statement->op == TG_OP_ADD && !draft_additions(phases, error)) return TG_PROGRESS_ERROR;
  take_drafts(phases, statement);
  return progress;
}

static bool follow_by_name(TgPhases *phases, GError **error) {
  TgStateHooks hooks = {.user = phases, .message = on_message, .product = on_product};
  phases->state = tg_state_new(phases->schedule, phases->names, phases->collective, &hooks, &phases->failure);
  if (!phases->state) return run_failed(phases, error);
  tg_state_measure(phases->state, phases->shape.m, phases->shape.n, phases->shape.k);
  return true;
}

/* --- both ------------------------------------------------------------------------------------------------------- */

TgPhases *tg_phases_new(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective, bool whole,
                        const TgShape *shape, int64_t element_bytes, bool sums, GError **error) {
  TgPhases *phases = g_new0(TgPhases, 1);
  phases->schedule = schedule;
  phases->names = names;
  phases->collective = collective == TG_COLLECTIVE_WHOLE && !whole ? TG_COLLECTIVE_AUTO : collective;
  phases->shape = *shape;
  phases->element_bytes = element_bytes;
  phases->sums = sums;
  phases->drafts = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_draft_free);
  phases->same_as = g_array_new(FALSE, FALSE, sizeof(int32_t));
  phases->ready = g_ptr_array_new_with_free_func((GDestroyNotify)tg_phase_release);
  phases->store = tg_phase_store_new();
  phases->patterns = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  tg_walk_init(&phases->walk, schedule, names);
  TgError failure;
  if (tg_walk_ends(schedule, names, &failure)) {
    if (tg_uniform_blocks(schedule, names, shape, element_bytes, &phases->blocks) || follow_by_name(phases, error))
      return phases;
  } else {
    expression_failed(phases, &failure, error);
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

TgProgress tg_phases_next(TgPhases *phases, TgPhase **phase, TgPhaseAt *at, GError **error) {
  for (;;) {
    while (phases->next < phases->ready->len) {
      const TgWalk *walk = tg_phases_walk(phases);
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
