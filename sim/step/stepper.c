#include "stepper-private.h"

#include "blas.h"
#include "sum.h"
#include "block.h"

#include <inttypes.h>

static bool bad(GError **error, const char *message) {
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT, message);
  return false;
}

/** A block of op(left), op(right) and C must have extents that fit, whatever m, n, k are. */
static bool check_blocks(const TgSchedule *schedule, GError **error) {
  const TgComputes *computes = &schedule->computes;
  const int32_t *left = schedule->blocks[computes->left], *c = schedule->blocks[TG_MATRIX_C];
  const int32_t rows = left[computes->left_transposed], inner = left[!computes->left_transposed];
  if (computes->right >= TG_MATRICES)
    return (rows == c[0] && inner == c[1]) || bad(error, "C is not cut into as many blocks as what it is to be");
  const int32_t *right = schedule->blocks[computes->right];
  const bool fits =
      rows == c[0] && inner == right[computes->right_transposed] && right[!computes->right_transposed] == c[1];
  return fits || bad(error, "the matrices are not cut into blocks that can be multiplied with each other");
}

static bool check_input(const TgSchedule *schedule, const void *a, const void *b, GError **error) {
  if (schedule->bound != TG_BOUND_YES) return bad(error, "the schedule has no grid yet");
  if (tg_computes_uses(&schedule->computes, TG_MATRIX_A) != (a != NULL))
    return bad(error, a ? "the schedule does not read A" : "the schedule reads A, but there is none");
  if (tg_computes_uses(&schedule->computes, TG_MATRIX_B) != (b != NULL))
    return bad(error, b ? "the schedule does not read B" : "the schedule reads B, but there is none");
  return check_blocks(schedule, error);
}

static bool check_memory(const TgStepper *stepper, const TgScheduleNames *names, GError **error) {
  const uint64_t limit = tg_stepper_limit_bytes(&stepper->options);
  uint64_t need;
  if (!tg_stepper_need_bytes(stepper, names, &need, error)) return false;
  if (need <= limit) return true;
  char grid[64];
  tg_schedule_grid_text(stepper->schedule, grid, sizeof grid);
  g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE,
              "m = %" PRId64 ", n = %" PRId64 ", k = %" PRId64 " on %s needs %" PRIu64
              " bytes besides A and B, the limit is %" PRIu64 " bytes",
              stepper->shape.m, stepper->shape.n, stepper->shape.k, grid, need, limit);
  return false;
}

void tg_stepper_report(TgStepper *stepper, GError **error) {
  if (stepper->hook_error) {
    g_propagate_error(error, g_steal_pointer(&stepper->hook_error));
    return;
  }
  const TgSimError code = stepper->failure.cause == TG_CAUSE_MEMORY    ? TG_SIM_ERROR_TOO_LARGE
                          : stepper->failure.cause == TG_CAUSE_STOPPED ? TG_SIM_ERROR_STOPPED
                                                                       : TG_SIM_ERROR_SCHEDULE;
  g_set_error_literal(error, TG_SIM_ERROR, code, stepper->failure.message);
}

static bool start_state(TgStepper *stepper, const TgScheduleNames *names, GError **error) {
  TgError reason;
  stepper->steps = tg_walk_count_steps(stepper->schedule, names, &reason);
  if (stepper->steps < 0) {
    g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE, reason.message);
    return false;
  }
  TgStateHooks hooks = tg_stepper_hooks;
  hooks.user = stepper;
  hooks.watch = stepper->options.watch;
  stepper->state = tg_state_new(stepper->schedule, names, stepper->options.collective, &hooks, &stepper->failure);
  if (!stepper->state) {
    tg_stepper_report(stepper, error);
    return false;
  }
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
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE, "out of memory for going back");
  return false;
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
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE,
                      "messages have more bytes than a 64-bit count can hold (9.2 EB); use smaller matrices");
  return false;
}

/** Executes the next step; where it fails, state and counts are left in the middle of it. */
static bool execute(TgStepper *stepper, GError **error) {
  const TgShape *shape = &stepper->shape;
  const TgSchedule *schedule = stepper->schedule;
  forget_details(stepper);
  tg_tally_begin(&stepper->tally);
  const int threads =
      tg_blas_threads_begin(shape->m / schedule->blocks[TG_MATRIX_C][0], shape->n / schedule->blocks[TG_MATRIX_C][1],
                            shape->k / MAX(schedule->inner, 1));
  const TgProgress progress = tg_state_next_step(stepper->state, &stepper->failure);
  tg_blas_threads_end(threads);
  if (progress != TG_PROGRESS_MORE) {
    tg_stepper_report(stepper, error);
    return false;
  }
  if (!counts_fit(stepper, error)) return false;
  keep_label(stepper);
  tg_history_save(stepper, stepper->tally.trace.steps);
  return true;
}

/** Goes to the end of an earlier step, or of this one again: back to a snapshot before it, then forward through it, so
 * that its messages are at hand too. */
static bool rewind_to(TgStepper *stepper, int64_t position, GError **error) {
  const int64_t from = tg_history_restore(stepper, MAX(position - 1, 0));
  if (from < 0) {
    g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE, "out of memory for going back");
    return false;
  }
  while (stepper->tally.trace.steps > from) tg_tally_undo(&stepper->tally);
  forget_details(stepper);
  while (stepper->tally.trace.steps < position) {
    if (!execute(stepper, error)) return false;
  }
  return true;
}

static bool check_sound(const TgStepper *stepper, GError **error) {
  if (stepper->lost)
    g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE, "out of memory in an earlier step");
  return !stepper->lost;
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
  if (step < 0 || step > stepper->steps) {
    g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT, "there is no step %" PRId64 ": expected 0 to %" PRId64,
                step, stepper->steps);
    return false;
  }
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
