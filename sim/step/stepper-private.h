/** @file stepper-private.h
 * Private to sim/: the stepper's parts. */
#ifndef TG_STEPPER_PRIVATE_H
#define TG_STEPPER_PRIVATE_H

#include "tally.h"

/** Snapshots of steps 0, stride, 2 * stride, …; the stride doubles whenever they hold too much. Step 0 always stays. */
typedef struct TgHistory {
  TgSnapshot **snapshot; /**< by step; NULL where there is none */
  int64_t steps, stride;
  int64_t kept;
} TgHistory;

struct TgStepper {
  const TgSchedule *schedule;
  TgStepperOptions options;
  TgShape shape;
  const void *input[TG_MATRICES]; /**< the caller's A and B */
  TgState *state;
  bool careful;       /**< C has at most TG_FEW_ELEMENTS: sums have a second half, their low parts */
  void **sum;         /**< by value: the data of sums, row-major and contiguous; NULL for all others */
  int32_t sums;       /**< room in it */
  uint64_t sum_bytes; /**< held by all of them */
  int64_t steps;
  const char *label, *note; /**< of the last step */
  TgTally tally;
  TgHistory history;
  GArray *messages; /**< TgStepperMessage, of the last step */
  GArray *products; /**< TgStepperProduct, of the last step */
  TgError failure;
  bool lost;          /**< memory ran out in the middle of a step: the state is unknown */
  GError *hook_error; /**< why a hook refused */
  int blas_threads;   /**< what tg_blas_threads_begin() returned */
};

/** Bytes that a run needs besides A and B at its fullest, snapshots not counted: exact, or a bound below the limit.
 * Errors: STOPPED by the watch. */
bool tg_stepper_need_bytes(const TgStepper *stepper, const TgScheduleNames *names, uint64_t *bytes, GError **error);
/** Bytes of blocks and slots at the fullest moment of a run, exactly. Errors: STOPPED by the watch. */
bool tg_stepper_peak_bytes(const TgStepper *stepper, const TgScheduleNames *names, uint64_t *bytes, GError **error);
/** Bytes of one snapshot of the slots as they are now. */
uint64_t tg_stepper_snapshot_bytes(const TgStepper *stepper);
/** The options' limit, or the machine's memory. */
uint64_t tg_stepper_limit_bytes(const TgStepperOptions *options);

/** Saves the state as that of step `position` where the stride and the budget allow. */
void tg_history_save(TgStepper *stepper, int64_t position);
/** Restores the latest snapshot of at most step `position` and returns its step; -1, with nothing changed, where memory
 * is out. */
int64_t tg_history_restore(TgStepper *stepper, int64_t position);
void tg_history_clear(TgStepper *stepper);

#endif
