#include "stepper-private.h"

#include "executor-kind.h"

#include <math.h>

/** a * b + c, UINT64_MAX where that overflows. */
static uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product, sum;
  if (!g_uint64_checked_mul(&product, a, b) || !g_uint64_checked_add(&sum, product, c)) return UINT64_MAX;
  return sum;
}

/** What a run without data would hold. */
typedef struct Ledger {
  TgState *state;
  uint64_t element_bytes;
  uint64_t bytes, peak_bytes;
} Ledger;

static uint64_t value_bytes(const Ledger *ledger, TgValueId id) {
  int64_t rows, columns;
  if (!ledger->state || tg_state_value(ledger->state, id)->kind != TG_VALUE_SUM) return 0;
  tg_state_value_shape(ledger->state, id, &rows, &columns);
  return (uint64_t)(rows * columns) * ledger->element_bytes;
}

static bool ledger_enter(Ledger *ledger, TgValueId result, TgValueId base) {
  const uint64_t more = result != base ? value_bytes(ledger, result) : 0;
  ledger->bytes = multiply_add(more, 1, ledger->bytes);
  ledger->peak_bytes = MAX(ledger->peak_bytes, ledger->bytes);
  return true;
}

static bool ledger_multiply(void *user, TgValueId result, TgValueId sum, TgValueId left, bool left_transposed,
                            TgValueId right, bool right_transposed) {
  (void)left, (void)left_transposed, (void)right, (void)right_transposed;
  return ledger_enter(user, result, sum);
}

static bool ledger_add(void *user, TgValueId result, TgValueId a, TgValueId b, int32_t piece, int32_t pieces) {
  (void)b, (void)piece, (void)pieces;
  return ledger_enter(user, result, a);
}

static bool ledger_transpose(void *user, TgValueId result, TgValueId a) {
  (void)a;
  return ledger_enter(user, result, 0);
}

static void ledger_drop(void *user, TgValueId id) {
  Ledger *ledger = user;
  if (ledger->bytes < UINT64_MAX) ledger->bytes -= value_bytes(ledger, id); /* beyond, it stays there */
}

/** Slots of one state: a value, and two numbers that the proof keeps beside it. */
static uint64_t slot_bytes(const TgSchedule *schedule, const TgState *state) {
  uint64_t slots = 0;
  for (int buffer = 0; buffer < schedule->buffers; buffer++) slots += (uint64_t)tg_state_length(state, buffer);
  return slots * (uint64_t)tg_schedule_processors(schedule) * 3 * sizeof(int32_t);
}

uint64_t tg_stepper_snapshot_bytes(const TgStepper *stepper) {
  return slot_bytes(stepper->schedule, stepper->state);
}

/* Of a sum; a careful one carries its rounding errors along. */
static int element_bytes(const TgStepper *stepper) {
  return (stepper->careful ? 2 : 1) * (int)tg_element_bytes(stepper->options.element);
}

/* Runs the schedule on names alone. A run that fails needs what it needed until then. */
bool tg_stepper_peak_bytes(const TgStepper *stepper, const TgScheduleNames *names, uint64_t *bytes, GError **error) {
  Ledger ledger = {.element_bytes = (uint64_t)element_bytes(stepper)};
  const TgStateHooks hooks = {.user = &ledger,
                              .multiply = ledger_multiply,
                              .add = ledger_add,
                              .transpose = ledger_transpose,
                              .drop = ledger_drop,
                              .watch = stepper->options.watch};
  const TgShape *shape = &stepper->shape;
  TgError failure = {0};
  TgState *state = tg_state_new(stepper->schedule, names, stepper->options.collective, &hooks, &failure);
  *bytes = 0;
  if (!state) return true;
  tg_state_measure(state, shape->m, shape->n, shape->k);
  ledger.state = state;
  while (tg_state_next(state, &failure) == TG_PROGRESS_MORE) continue;
  const uint64_t slots = slot_bytes(stepper->schedule, state);
  tg_state_free(state);
  *bytes = multiply_add(slots, 1, ledger.peak_bytes);
  if (failure.cause != TG_CAUSE_STOPPED) return true;
  return TG_SIM_FAIL(error, STOPPED, "%s", failure.message);
}

/** What the counts of every step take. */
static uint64_t tally_bytes(const TgStepper *stepper) {
  const bool loads = stepper->options.link_loads && stepper->options.network;
  const uint64_t links = loads ? (uint64_t)stepper->options.network->links : 0, steps = (uint64_t)stepper->steps;
  const uint64_t counts = multiply_add(steps, sizeof(TgTraceStep) + sizeof(int64_t), 0);
  return multiply_add(steps + 1, links * sizeof(int64_t), counts);
}

/* Where every value that there may be at once has the largest block of C, no run is needed to know that they fit. */
static double most_bytes(const TgStepper *stepper) {
  const TgSchedule *schedule = stepper->schedule;
  const TgShape *shape = &stepper->shape;
  const int32_t *blocks = schedule->blocks[TG_MATRIX_C];
  const double rows = ceil((double)shape->m / blocks[0]), columns = ceil((double)shape->n / blocks[1]);
  return tg_state_need_bytes(schedule) + tg_state_most_values(schedule) * rows * columns * element_bytes(stepper);
}

bool tg_stepper_need_bytes(const TgStepper *stepper, const TgScheduleNames *names, uint64_t *bytes, GError **error) {
  const uint64_t tally = tally_bytes(stepper), limit = tg_stepper_limit_bytes(&stepper->options);
  const double most = most_bytes(stepper) + (double)tally;
  if (most <= (double)limit) {
    *bytes = (uint64_t)most;
    return true;
  }
  if (!tg_stepper_peak_bytes(stepper, names, bytes, error)) return false;
  *bytes = multiply_add(*bytes, 1, tally);
  return true;
}

uint64_t tg_stepper_limit_bytes(const TgStepperOptions *options) {
  return options->memory_limit_bytes ? options->memory_limit_bytes : tg_physical_memory_bytes();
}
