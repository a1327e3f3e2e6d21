/** @file state.h
 * What every slot of every processor holds, by name, while a schedule runs. The prover is this and nothing else; the
 * stepper hangs real data on the same names through TgStateHooks; pictures read the slots between two steps. */
#ifndef TG_STATE_H
#define TG_STATE_H

#include "walk.h"
#include "watch.h"

TG_BEGIN_DECLS

typedef enum TgValueKind {
  TG_VALUE_EMPTY,
  TG_VALUE_INPUT, /**< a block of A or B (for `computes C = A'` also what becomes C) */
  TG_VALUE_SUM,   /**< a sum of products that belong to one block of C */
  TG_VALUE_ZERO   /**< what `zero X` leaves: adds nothing to anything */
} TgValueKind;

/** The name of what slots hold. Immutable but for a sum that only one slot holds. */
typedef struct TgValue {
  uint8_t kind;
  uint8_t matrix;     /**< TgMatrixName */
  uint8_t transposed; /**< input: holds block (row, column) of `matrix` transposed */
  uint8_t unused;
  int32_t row, column; /**< block of `matrix`; of C for a sum */
  int32_t terms;       /**< sum: inner indices in it */
  int32_t twice;       /**< sum: an inner index that is in it twice, or -1 */
  int32_t references;
} TgValue;

/** A value's number; 0 is no value (an empty slot). */
typedef int32_t TgValueId;

typedef struct TgState TgState;

/** Called as values come and go. Any may be NULL. Those that return bool may refuse (false): the run stops with
 * TG_CAUSE_HOOK. `result == sum` means: in place. */
typedef struct TgStateHooks {
  void *user;
  /** result = sum + left * right (sum 0: no summand). The flags tell which factors are read transposed. */
  bool (*multiply)(void *user, TgValueId result, TgValueId sum, TgValueId left, bool left_transposed, TgValueId right,
                   bool right_transposed);
  /** result = a + b on part `piece` of `pieces` of their elements; other parts of result are those of a. a 0 is all
   * zeros of b's shape. */
  bool (*add)(void *user, TgValueId result, TgValueId a, TgValueId b, int32_t piece, int32_t pieces);
  bool (*transpose)(void *user, TgValueId result, TgValueId a);
  /** A block was placed: called once for each block of A and B before step 0. */
  bool (*place)(void *user, TgValueId value);
  /** No slot and no snapshot holds it any more. */
  void (*drop)(void *user, TgValueId value);
  /** A message arrived (never from == to). `value` is what travelled. */
  void (*message)(void *user, const TgMessage *message, TgValueId value);
  /** A product was executed at `processor`. */
  void (*product)(void *user, int64_t processor, TgValueId result, TgValueId left, TgValueId right);
  /** Told the statements executed, in each of them and every few thousand messages; where it stops the run, that fails
   * with TG_CAUSE_STOPPED, perhaps in the middle of a statement. Outlives the state. */
  const TgWatch *watch;
} TgStateHooks;

/** Counts of a run so far. */
typedef struct TgStateCounts {
  int64_t statements;               /**< leaf statements executed */
  int64_t products;                 /**< local products, over all processors */
  int64_t messages;                 /**< blocks (or pieces) that arrived from another processor */
  int64_t blocks_per_processor_max; /**< most slots filled at once on one processor, between statements */
  int64_t words_per_processor_max;  /**< most elements in them at once, as tg_sum(); 0 unless sizes were given */
} TgStateCounts;

/** A warning: moves of one statement whose blocks nobody reads. */
typedef struct TgUnread {
  int32_t statement;
  int64_t times;     /**< blocks that arrived and were never read */
  int64_t step;      /**< first such arrival … */
  int64_t processor; /**< … and where */
} TgUnread;

/** Bytes that tg_prove() and a state take, at most and about, from the schedule alone: what its slots and values come
 * to, as they are allocated. Nothing is run; `where` counts as met. */
double tg_state_need_bytes(const TgSchedule *schedule);
/** Values made in a run (sums of products, and what operations make of them) that are there at once, at most, from the
 * schedule alone. */
double tg_state_most_values(const TgSchedule *schedule);

/** A bound schedule with its blocks placed (step 0). `hooks` may be NULL and is copied. NULL and `failure` on error. */
TgState *tg_state_new(const TgSchedule *schedule, const TgScheduleNames *names, TgCollective collective,
                      const TgStateHooks *hooks, TgError *failure);
void tg_state_free(TgState *state);

/** Gives the matrices sizes (C is m×n, inner dimension k), so that values have elements and words are counted from here
 * on. Call it before the first statement. */
void tg_state_measure(TgState *state, int64_t m, int64_t n, int64_t k);
/** Rows and columns of a value's block as it is held; 0×0 for zero and where no sizes were given. */
void tg_state_value_shape(const TgState *state, TgValueId value, int64_t *rows, int64_t *columns);

/** Executes the next statement. */
TgProgress tg_state_next(TgState *state, TgError *failure);
/** Executes all statements of the next step (there may be none). Do not mix with tg_state_next() inside a step. */
TgProgress tg_state_next_step(TgState *state, TgError *failure);
/** Checks that every C block is in its place with every inner index exactly once. */
bool tg_state_finish(TgState *state, TgError *failure);

const TgWalk *tg_state_walk(const TgState *state);
/** The last step begun; 0 after tg_state_new(). */
int64_t tg_state_step(const TgState *state);
const TgStateCounts *tg_state_counts(const TgState *state);
/** The slots that are filled on a processor now, and the elements in them (0 unless sizes were given). */
void tg_state_held(const TgState *state, int64_t processor, int64_t *blocks, int64_t *words);
/** Slots X[0] … of `buffer` that exist on every processor. */
int32_t tg_state_length(const TgState *state, int buffer);
/** What a slot holds; 0 where it is empty or beyond the buffer. */
TgValueId tg_state_slot(const TgState *state, int64_t processor, int buffer, int32_t index);
const TgValue *tg_state_value(const TgState *state, TgValueId value);
/** True where inner index `term` is in the sum. */
bool tg_state_value_has(const TgState *state, TgValueId value, int32_t term);
/** "A(0, 1)", "A(0, 1)'", "C(0, 1) of 3 of 4 terms", "zero". */
void tg_state_value_text(const TgState *state, TgValueId value, char *text, size_t size);
/** The slot in which block (row, column) of C must end: processor, buffer, index. */
bool tg_state_c_place(const TgState *state, int32_t row, int32_t column, int64_t *processor, int *buffer,
                      int32_t *index);
/** Warnings so far, complete after tg_state_finish(); returns their number, `unread` may be NULL. */
int tg_state_unread(const TgState *state, TgUnread *unread, int capacity);

/** All slots at one moment, to go back to. Holds its values alive; NULL from tg_state_save() where memory is out. */
typedef struct TgSnapshot TgSnapshot;
TgSnapshot *tg_state_save(TgState *state);
/** False, with the state as it was, where memory is out. */
bool tg_state_restore(TgState *state, const TgSnapshot *snapshot);
void tg_snapshot_free(TgState *state, TgSnapshot *snapshot);

TG_END_DECLS

#endif
