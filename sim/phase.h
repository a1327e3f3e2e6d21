/** @file phase.h
 * A schedule as what the cost models see of it: phases, in program order. A phase is one communication statement, one
 * round of an expanded collective, or one product statement, on all processors that take part. Phases are made lazily
 * and shared: a shift that is repeated a thousand times is one list of transfers. */
#ifndef TG_PHASE_H
#define TG_PHASE_H

#include "shape.h"
#include "state.h"

TG_BEGIN_DECLS

/** A local product of m x k by k x n; in a phase of sums, where k is 0, the addition of m x n elements to others. */
typedef struct TgProductSize {
  int64_t m, n, k;
} TgProductSize;

/** What all processors do. Arrays are the phase's own. */
typedef struct TgPhase {
  int64_t transfers;  /**< between different processors; all parcels of one sender to one receiver are one transfer */
  int32_t *from, *to; /**< processors, in order of the sender within each line */
  int64_t *bytes;     /**< NULL where all are uniform_bytes */
  int64_t uniform_bytes;
  int64_t products;    /**< local products */
  int32_t *processor;  /**< where they happen, ascending; NULL: on every processor */
  TgProductSize *size; /**< NULL where all are uniform_size */
  TgProductSize uniform_size;
  bool sums;       /**< they are additions instead: of what a phase before it brought */
  uint32_t reads;  /**< buffers that its transfers or products read, a bit each */
  uint32_t writes; /**< … and write */
  uint32_t fills;  /**< buffers that its transfers overwrite, not those that they add to */
  uint32_t needs;  /**< buffers whose blocks have to be there, and those from which these blocks may have come */
  bool recurs;     /**< the same phase may come again */
  int references;
} TgPhase;

/** Whether what reads and writes these buffers, a bit each, needs nothing of what uses the others, nor this of it. */
static inline bool tg_uses_apart(uint32_t reads, uint32_t writes, uint32_t other_reads, uint32_t other_writes) {
  return !(reads & other_writes) && !(writes & (other_reads | other_writes));
}

/** Variables of expressions, a bit each as tg_expression_variables() has them. */
enum {
  TG_VARIABLES_COORDINATES = (1 << TG_MAX_DIMS) - 1,
  TG_VARIABLES_LOOPS = ((1 << TG_MAX_NESTING) - 1) << TG_VARIABLE_LOOP
};

/** True where the statement is the same at every repetition, but for a `where` that all processors answer alike. */
bool tg_statement_is_constant(const TgSchedule *schedule, const TgStatement *statement);

/** True for a collective whose rounds differ from repetition to repetition: some of them may be rounds of others. */
bool tg_statement_may_come_again(const TgSchedule *schedule, const TgStatement *statement);

/** The processor to which a move sends the block of processor `rank`, with all loop variables at 0; -1 where the
 * expression fails. */
int64_t tg_statement_receiver(const TgSchedule *schedule, const TgStatement *statement, int64_t rank);

/** Whether all blocks of each matrix have one size: the blocks divide its extents. */
bool tg_blocks_alike(const TgSchedule *schedule, const TgShape *shape);
/** Rounds the sizes up so that all blocks of the bound schedule are as large as the largest. */
void tg_whole_blocks(const TgSchedule *schedule, int64_t *m, int64_t *n, int64_t *k);

/** The largest local product of a bound schedule at these extents, sizes rounded up; all are like it where they divide.
 */
TgProductSize tg_largest_product(const TgSchedule *schedule, const TgShape *shape);
/** Floating-point operations. */
double tg_product_flops(const TgProductSize *size);
/** Of the phase's product number `i`. */
const TgProductSize *tg_phase_product(const TgPhase *phase, int64_t i);

void tg_phase_release(TgPhase *phase);
TgPhase *tg_phase_hold(TgPhase *phase);

/** The position of a phase in the run. */
typedef struct TgPhaseAt {
  int64_t step; /**< from 1 */
  int32_t statement;
  int32_t round;     /**< of an expanded collective */
  const char *label; /**< the step's */
} TgPhaseAt;

typedef struct TgPhases TgPhases;

/** The run whose phases tg_phases_new() makes. Everything that it points to must outlive the phases. */
typedef struct TgPhasesOf {
  const TgSchedule *schedule; /**< bound */
  const TgScheduleNames *names;
  const TgShape *shape;
  int64_t element_bytes;
  TgCollective collective;
  bool whole;           /**< TG_COLLECTIVE_WHOLE is one round, each receiver straight from the owner; else as AUTO */
  bool sums;            /**< each phase whose blocks are added to others is followed by one with these additions */
  bool together;        /**< statements in a row of one step that do not need each other come round by round: the first
                           rounds of all, then the second ones */
  const TgWatch *watch; /**< told the statements begun, and can stop a statement midway; NULL: nobody */
} TgPhasesOf;

/** Begins the phases. Where every block of a matrix has the same size, bytes follow from the buffers; otherwise the run
 * is followed by name, which costs about ten times more. Errors: BAD_INPUT where sizes do not fit; SCHEDULE where the
 * run fails; TOO_LARGE where there is no memory for it; STOPPED by the watch. */
TgPhases *tg_phases_new(const TgPhasesOf *of, GError **error);
void tg_phases_free(TgPhases *phases);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgPhases, tg_phases_free)

/** The next phase, whose reference the caller gets. Phases without transfers and products are left out. */
TgProgress tg_phases_next(TgPhases *phases, TgPhase **phase, TgPhaseAt *at, GError **error);

/** The position of the run: at the statement of the phase that tg_phases_next() returned last. */
const TgWalk *tg_phases_walk(const TgPhases *phases);
/** True where blocks differ in size, and each is followed by name. */
bool tg_phases_by_name(const TgPhases *phases);
/** Why the run failed, where that is the schedule's fault; else its cause is TG_CAUSE_NONE. */
const TgError *tg_phases_failure(const TgPhases *phases);
/** The extents that the run has. */
const TgShape *tg_phases_shape(const TgPhases *phases);

/** Bit m of `held[b]` set: buffer b may hold blocks of matrix m; sums are C's. */
void tg_phase_held(const TgSchedule *schedule, uint32_t held[TG_MAX_BUFFERS]);
/** Which matrix's blocks each buffer holds, by buffer: a TgMatrixName, or -1 for none; sums are C's. False where a
 * buffer holds blocks of several. */
bool tg_phase_matrices(const TgSchedule *schedule, int matrix[TG_MAX_BUFFERS]);

TG_END_DECLS

#endif
