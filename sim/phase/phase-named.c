/* Blocks of different sizes: each is followed by its name. */
#include "phase-private.h"

#include "sim-error.h"

static void on_message(void *user, const TgMessage *message, TgValueId value) {
  TgPhases *phases = user;
  int64_t rows, columns;
  tg_state_value_shape(phases->state, value, &rows, &columns);
  TgPhaseDraft *draft = tg_phases_draft(phases, message->round);
  const int64_t bytes =
      tg_phases_piece_bytes(phases, rows * columns * phases->element_bytes, message->piece, message->pieces);
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
  tg_phase_draft_product(tg_phases_draft(phases, 0), processor, &size);
}

static bool run_failed(TgPhases *phases, GError **error) {
  g_set_error_literal(error, TG_SIM_ERROR, tg_sim_error_of(phases->failure.cause), phases->failure.message);
  if (phases->failure.cause == TG_CAUSE_STOPPED) phases->failure.cause = TG_CAUSE_NONE; /* no fault of the schedule */
  return false;
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
    tg_phase_draft_addition(tg_phases_draft(phases, 0), local.to, rows * columns * phases->element_bytes);
  }
  return true;
}

TgProgress tg_phases_next_named(TgPhases *phases, GError **error) {
  TgProgress progress = tg_state_next(phases->state, &phases->failure);
  if (progress == TG_PROGRESS_ERROR) run_failed(phases, error);
  if (progress != TG_PROGRESS_MORE) return progress;
  const TgStatement *statement = &phases->schedule->statement[tg_state_walk(phases->state)->statement];
  if (phases->sums && statement->op == TG_OP_ADD && !draft_additions(phases, error)) return TG_PROGRESS_ERROR;
  tg_phases_take_drafts(phases, statement);
  return progress;
}

bool tg_phases_follow_by_name(TgPhases *phases, GError **error) {
  TgStateHooks hooks = {.user = phases, .message = on_message, .product = on_product, .watch = phases->watch};
  phases->state = tg_state_new(phases->schedule, phases->names, phases->collective, &hooks, &phases->failure);
  if (!phases->state) return run_failed(phases, error);
  tg_state_measure(phases->state, phases->shape.m, phases->shape.n, phases->shape.k);
  return true;
}
