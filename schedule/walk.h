/** @file walk.h
 * The walker: runs through a bound schedule statement by statement, and through the messages of a statement processor
 * by processor, without ever holding a list. Nothing here knows what the slots hold; state.h does. */
#ifndef TG_WALK_H
#define TG_WALK_H

#include "collective.h"
#include "expression.h"
#include "schedule.h"

TG_BEGIN_DECLS

enum { TG_MAX_EXECUTED = 1 << 24 }; /**< statements of a whole run, repetitions counted; beyond is an error */

/** The position of a run through the schedule. */
typedef struct TgWalk {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  int64_t variable[TG_LOCAL_VARIABLES]; /**< loop variables now; coordinates are set per processor */
  int64_t count[TG_MAX_NESTING];        /**< repetitions of each open repeat */
  uint16_t open[TG_MAX_NESTING];        /**< the open repeats' statement indices */
  int32_t depth;                        /**< open repeats */
  int32_t next;                         /**< statement to look at next */
  int32_t statement;                    /**< the current leaf statement, -1 before the first */
  int32_t group;                        /**< the step statement it belongs to, or itself outside any step */
  int32_t step_end;                     /**< statement at which the open step ends, -1 outside any */
  int64_t step;                         /**< number of the current step: 0 before the first, counting from 1 */
  int64_t executed;                     /**< leaf statements so far, this one included */
} TgWalk;

typedef enum TgProgress { TG_PROGRESS_ERROR = -1, TG_PROGRESS_END = 0, TG_PROGRESS_MORE = 1 } TgProgress;

void tg_walk_init(TgWalk *walk, const TgSchedule *schedule, const TgScheduleNames *names);
/** Goes to the next leaf statement (anything but step and repeat). */
TgProgress tg_walk_next(TgWalk *walk, TgError *error);
/** False, with `error`, where the schedule executes more than TG_MAX_EXECUTED statements. Other failures of the walk
 * are left for when they happen. */
bool tg_walk_ends(const TgSchedule *schedule, const TgScheduleNames *names, TgError *error);
/** The step's label with its repetition ("multiply and shift"), "" where it has none; and its note. */
const char *tg_walk_label(const TgWalk *walk);
const char *tg_walk_note(const TgWalk *walk);
/** Steps of the whole schedule. Where the walk fails on its way, one more than it reaches: a run gets there, and
 * reports it, unless it fails before. -1 and `error` where the run is too long (see tg_walk_ends()). */
int64_t tg_walk_count_steps(const TgSchedule *schedule, const TgScheduleNames *names, TgError *error);

/** Statements that the whole schedule executes, as tg_walk_next() counts them; fewer where the walk fails. */
int64_t tg_walk_count_statements(const TgSchedule *schedule, const TgScheduleNames *names);

/** What one processor does in the current statement. */
typedef struct TgLocal {
  int64_t to;                    /**< move, add: rank of the receiver */
  int32_t source, other, target; /**< indices in their buffers */
  bool takes_part;               /**< `where` holds */
} TgLocal;

/** Evaluates the current statement (move, add, product, copy, zero, transpose) at `processor`. */
bool tg_walk_local(const TgWalk *walk, int64_t processor, TgLocal *local, TgError *error);

/** One block on its way. `from == to` happens (a move to oneself) and counts as no message. */
typedef struct TgMessage {
  int64_t from, to;                   /**< ranks */
  int32_t source_index, target_index; /**< slots: buffers are those of the statement; -1 inside an expanded collective,
                                           where the block travels between working copies */
  int32_t round;                      /**< expanded collectives: the round, from 0; else 0 */
  int64_t item;                       /**< allgather …: the coordinate whose block this is; else 0 */
  int32_t piece, pieces; /**< part `piece` of the block's `pieces` equal parts by elements; 0 of 1 if whole */
  bool add;              /**< the receiver adds it to what it has */
} TgMessage;

/** Who sends to `receiver` in the current move or add: 0 nobody; 1 *sender; 2 several, *sender being the lowest; -1 and
 * `error` where an expression fails. Constant time where the map has a closed inverse, else a search of all processors.
 */
int tg_walk_sender(const TgWalk *walk, int64_t receiver, int64_t *sender, TgError *error);
/** True where the current move's map has a closed inverse: at most one coordinate changes, by an amount that does not
 * depend on it, or by an exclusive or with such an amount on an extent that is a power of two. */
bool tg_walk_has_inverse(const TgWalk *walk);

/** A line of a collective: ranks base, base + stride, …, `length` of them. */
typedef struct TgLine {
  int64_t base, stride;
  int32_t length;
  int32_t root;           /**< position of the root, 0 where there is none */
  int32_t source, target; /**< indices of X[e] and Y[e] */
} TgLine;

/** The message that a collective's `transfer` along `line` is. */
void tg_message_describe(TgMessage *message, const TgStatement *statement, const TgLine *line,
                         const TgTransfer *transfer, TgCollective collective);

/** Enumerates the messages of the walk's current statement: in order of the sender's rank for move and add; line by
 * line, round by round for collectives. Local statements have none. */
typedef struct TgMessages {
  const TgWalk *walk;
  TgCollective collective;
  int64_t processor; /**< move, add: next sender; collectives: next line */
  int64_t lines;
  TgLine line; /**< collectives: the current one */
  bool in_line;
  TgRounds rounds;
} TgMessages;

void tg_messages_init(TgMessages *messages, const TgWalk *walk, TgCollective collective);
TgProgress tg_messages_next(TgMessages *messages, TgMessage *message, TgError *error);

/** Lines of the current collective, and line number `number` of them. `*takes_part` is false where `where` fails. */
int64_t tg_walk_lines(const TgWalk *walk);
bool tg_walk_line(const TgWalk *walk, int64_t number, TgLine *line, bool *takes_part, TgError *error);

/** Fills `error` at the source position of code offset `offset`. Returns false. */
bool tg_walk_evaluation_error(const TgWalk *walk, TgEvaluation evaluation, int64_t offset, TgError *error);

TG_END_DECLS

#endif
