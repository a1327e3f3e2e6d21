#include "stepper-private.h"

static const uint64_t default_limit_bytes = UINT64_C(1) << 30;

uint64_t tg_stepper_held_bytes(const TgStepper *stepper) {
  return stepper->sum_bytes + (uint64_t)stepper->history.kept * tg_stepper_snapshot_bytes(stepper);
}

static uint64_t history_limit_bytes(const TgStepper *stepper) {
  const uint64_t limit =
      stepper->options.history_limit_bytes ? stepper->options.history_limit_bytes : default_limit_bytes;
  return MIN(limit, tg_stepper_limit_bytes(&stepper->options));
}

static void forget(TgStepper *stepper, int64_t position) {
  TgHistory *history = &stepper->history;
  if (!history->snapshot[position]) return;
  tg_snapshot_free(stepper->state, history->snapshot[position]);
  history->snapshot[position] = NULL;
  history->kept--;
}

/** Frees every other snapshot until what is held fits the budget, or only step 0 is left. */
static void thin(TgStepper *stepper) {
  TgHistory *history = &stepper->history;
  while (history->kept > 1 && tg_stepper_held_bytes(stepper) > history_limit_bytes(stepper)) {
    history->stride *= 2;
    for (int64_t position = 1; position <= history->steps; position++) {
      if (position % history->stride) forget(stepper, position);
    }
  }
}

void tg_history_save(TgStepper *stepper, int64_t position) {
  TgHistory *history = &stepper->history;
  const bool wanted = position == 0 || (stepper->options.keep_history && position % history->stride == 0);
  if (wanted && !history->snapshot[position]) {
    history->snapshot[position] = tg_state_save(stepper->state);
    history->kept += history->snapshot[position] != NULL;
  }
  thin(stepper);
}

int64_t tg_history_restore(TgStepper *stepper, int64_t position) {
  while (!stepper->history.snapshot[position]) position--;
  return tg_state_restore(stepper->state, stepper->history.snapshot[position]) ? position : -1;
}

void tg_history_clear(TgStepper *stepper) {
  for (int64_t position = 0; stepper->history.snapshot && position <= stepper->history.steps; position++)
    forget(stepper, position);
  g_clear_pointer(&stepper->history.snapshot, g_free);
}
