/** @file stepper.h
 * The stepper: executes a bound schedule on real matrices, block by block, a step at a time, forward and back.
 *
 * It runs the names of TgState, the very run that the prover accepts or rejects, and hangs data on them: a block of A
 * or B is a view of the caller's matrix, a sum of products is memory of its own, shared by all slots that hold it. So
 * a move costs nothing here, and a run fails exactly where the proof fails.
 *
 * All arithmetic is in the element's type, local products by BLAS. Only where C has at most TG_FEW_ELEMENTS elements do
 * sums carry their rounding errors along (see block.h); what a slot shows is then the sum rounded once.
 *
 * Block i of R block rows of a matrix with `rows` rows is rows [tg_block_begin(rows, R, i), tg_block_begin(rows, R,
 * i + 1)): nothing need divide, and where there are more blocks than rows some blocks are empty. Their messages count.
 */
#ifndef TG_STEPPER_H
#define TG_STEPPER_H

#include "collective.h"
#include "element.h"
#include "embedding.h"
#include "shape.h"
#include "state.h"
#include "trace.h"

TG_BEGIN_DECLS

typedef struct TgStepper TgStepper;

/** How to run. All zero is valid but for m, n, k. */
typedef struct TgStepperOptions {
  int64_t m, n, k;              /**< see TgShape */
  TgElement element;            /**< of A, B and C, and of all arithmetic */
  TgCollective collective;      /**< TG_COLLECTIVE_WHOLE counts what verify counts */
  const TgTopology *network;    /**< what hops and loads are counted on; NULL: they stay 0 */
  TgEmbeddingKind embedding;    /**< of the grid on the network */
  bool link_loads;              /**< keep the bytes over every link at every step: steps * links * 8 bytes */
  bool keep_details;            /**< keep the messages and products of the last step */
  bool keep_history;            /**< keep snapshots: going back then replays few steps instead of all */
  uint64_t history_limit_bytes; /**< of all data while snapshots are held; 0: 1 GiB */
  uint64_t memory_limit_bytes;  /**< of all that the stepper allocates; 0: the machine's physical memory */
  struct TgSpare *spare;        /**< where sums take their memory from and leave it, for runs to come; NULL: nowhere */
  const TgWatch *watch;         /**< told the statements of a run, from 0 in each, and can stop it; NULL: nobody. Where
                                   memory is short, tg_stepper_new() makes a run without data first. */
} TgStepperOptions;

/** Totals from step 1 to the current one. */
typedef struct TgStepperCounts {
  int64_t messages;  /**< arrivals from another processor; whole, or pieces where collectives are expanded */
  int64_t bytes;     /**< payload of those messages; a block that `zero X` left travels as nothing */
  int64_t hops;      /**< links crossed; 0 between processors of one node */
  int64_t hop_bytes; /**< bytes times links crossed */
  int64_t products;  /**< local products */
} TgStepperCounts;

/** A message of the last step. */
typedef struct TgStepperMessage {
  TgMessage message;
  TgValue value;     /**< the name of what travelled */
  int32_t statement; /**< index in the schedule */
  int32_t unused;
  int64_t bytes;
  int64_t hops;
} TgStepperMessage;

/** A product of the last step. */
typedef struct TgStepperProduct {
  int64_t processor;
  TgValue result, left, right; /**< their names, the result's after it */
} TgStepperProduct;

/** Stands before step 1, with A and B in place. `a`: rows x columns of A in tg_shape_init()'s sense, row-major and
 * contiguous; `b` likewise, NULL if and only if the schedule does not read B. Schedule, names, network, A and B are not
 * copied and must outlive the stepper.
 * Errors: BAD_INPUT where sizes do not fit `computes` or the grid does not fit the network; TOO_LARGE with the need and
 * the limit in bytes, before anything large is allocated; SCHEDULE where blocks cannot be placed; STOPPED by the watch;
 * MISSING where OpenBLAS is needed and not installed. */
TgStepper *tg_stepper_new(const TgSchedule *schedule, const TgScheduleNames *names, const TgStepperOptions *options,
                          const void *a, const void *b, GError **error);
void tg_stepper_free(TgStepper *stepper);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgStepper, tg_stepper_free)

/** Executes the next step: TG_PROGRESS_MORE; TG_PROGRESS_END where there is none, TG_PROGRESS_ERROR where it fails, and
 * then the stepper is still before that step.
 * Errors: SCHEDULE, see tg_stepper_failure(); TOO_LARGE; STOPPED. */
TgProgress tg_stepper_next(TgStepper *stepper, GError **error);
/** Goes back one step, exactly: all data and all counts are what they were. TG_PROGRESS_END at step 0. */
TgProgress tg_stepper_back(TgStepper *stepper, GError **error);
/** Goes to the end of `step`, from 0 to tg_stepper_steps(). Errors: BAD_INPUT for a step out of range; as next(). */
bool tg_stepper_seek(TgStepper *stepper, int64_t step, GError **error);

/** Steps executed, and steps there are. */
int64_t tg_stepper_position(const TgStepper *stepper);
int64_t tg_stepper_steps(const TgStepper *stepper);
/** Label and note of the last step; "" where it has none, and at step 0. */
const char *tg_stepper_label(const TgStepper *stepper);
const char *tg_stepper_note(const TgStepper *stepper);
/** Why the last call failed with TG_SIM_ERROR_SCHEDULE; cause TG_CAUSE_NONE where none did. */
const TgError *tg_stepper_failure(const TgStepper *stepper);
const TgShape *tg_stepper_shape(const TgStepper *stepper);
TgElement tg_stepper_element(const TgStepper *stepper);

/** The names in all slots, for the tg_state_… functions that read. */
const TgState *tg_stepper_state(const TgStepper *stepper);
/** The data in a slot; false where it is empty. The view holds until the next step, back or seek. */
bool tg_stepper_slot(const TgStepper *stepper, int64_t processor, int buffer, int32_t index, TgBlock *block);
/** Messages and products of the last step, in order; none unless `keep_details`. NULL may mean none. */
const TgStepperMessage *tg_stepper_messages(const TgStepper *stepper, int64_t *count);
const TgStepperProduct *tg_stepper_products(const TgStepper *stepper, int64_t *count);

const TgStepperCounts *tg_stepper_counts(const TgStepper *stepper);
/** Counts of each step so far; `link_bytes` unless loads were not asked for. Times are NaN. */
const TgTrace *tg_stepper_trace(const TgStepper *stepper);
/** Bytes over each link of the network so far: tg_stepper_trace()->links of them, NULL unless `link_loads`. */
const int64_t *tg_stepper_link_bytes(const TgStepper *stepper);
/** The largest of them; 0 where there are none. */
int64_t tg_stepper_link_bytes_max(const TgStepper *stepper);
/** Bytes of block data and snapshots now held, the caller's A and B not among them. */
uint64_t tg_stepper_held_bytes(const TgStepper *stepper);

typedef enum TgResultFlags {
  TG_RESULT_COMPLETE = 0,    /**< the run must be at its end, with every C block complete and in its place */
  TG_RESULT_AS_IT_STANDS = 1 /**< take what is in the places now; zeros where nothing is, or something of other
                                  extents than the C block */
} TgResultFlags;

/** Gathers C into `c`, m x n, row-major and contiguous.
 * Errors, with TG_RESULT_COMPLETE: BAD_INPUT before the last step; SCHEDULE where C is not complete. */
bool tg_stepper_result(TgStepper *stepper, void *c, TgResultFlags flags, GError **error);

TG_END_DECLS

#endif
