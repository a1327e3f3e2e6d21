#include "walk.h"

#include <string.h>

/* Who sends to a given receiver: the inverse of a move's map. A map that changes one coordinate by an amount that does
 * not depend on it (a shift or a skew, as in MPI_Cart_shift), or flips bits of it (an exchange on a hypercube), is a
 * permutation with a closed inverse; anything else is searched for. */

typedef enum TgMapKind { TG_MAP_OTHER, TG_MAP_SAME, TG_MAP_SHIFT, TG_MAP_XOR } TgMapKind;

/* How an operand of the postfix program depends on the coordinate. */
typedef enum TgDependence { TG_DEPENDS_NOT, TG_DEPENDS_FLIPPED, TG_DEPENDS_OTHERWISE } TgDependence;

static TgDependence combine(uint8_t code, TgDependence a, TgDependence b) {
  if (a == TG_DEPENDS_NOT && b == TG_DEPENDS_NOT) return TG_DEPENDS_NOT;
  bool flips = code == TG_CODE_XOR && a != TG_DEPENDS_OTHERWISE && b != TG_DEPENDS_OTHERWISE && a != b;
  return flips ? TG_DEPENDS_FLIPPED : TG_DEPENDS_OTHERWISE;
}

/* True where the expression is the coordinate itself, xor amounts that do not depend on it. */
static bool flips_bits_of(const TgSchedule *schedule, TgExpression expression, int axis) {
  TgDependence stack[TG_EXPRESSION_STACK];
  int top = -1;
  for (int at = expression; schedule->code[at] != TG_CODE_END; at++) {
    uint8_t code = schedule->code[at];
    if (code >= TG_CODE_SMALL || code == TG_CODE_CONSTANT) {
      stack[++top] = code == TG_CODE_VARIABLE + axis ? TG_DEPENDS_FLIPPED : TG_DEPENDS_NOT;
      if (code == TG_CODE_CONSTANT) at += 8;
    } else if (code == TG_CODE_NEGATE || code == TG_CODE_LOG2) {
      if (stack[top] != TG_DEPENDS_NOT) stack[top] = TG_DEPENDS_OTHERWISE;
    } else {
      top--;
      stack[top] = combine(code, stack[top], stack[top + 1]);
    }
  }
  return stack[top] == TG_DEPENDS_FLIPPED;
}

static TgMapKind kind_of(const TgSchedule *schedule, TgExpression expression, int axis) {
  TgAffine affine;
  if (schedule->code[expression] == TG_CODE_VARIABLE + axis && schedule->code[expression + 1] == TG_CODE_END)
    return TG_MAP_SAME;
  if (!(tg_expression_variables(schedule, expression) >> axis & 1)) return TG_MAP_OTHER;
  if (tg_expression_affine(schedule, expression, &affine))
    return affine.factor[axis] == 1 ? TG_MAP_SHIFT : TG_MAP_OTHER;
  return flips_bits_of(schedule, expression, axis) ? TG_MAP_XOR : TG_MAP_OTHER;
}

/* The one coordinate that the map changes, -1 where it changes none, -2 where there is no closed inverse. */
static int changed_axis(const TgSchedule *schedule, const TgStatement *statement, TgMapKind *kind) {
  int changed = -1;
  for (int c = 0; c < schedule->dims; c++) {
    TgMapKind here = kind_of(schedule, statement->to[c], c);
    if (here == TG_MAP_SAME) continue;
    if (here == TG_MAP_OTHER || changed >= 0) return -2;
    if (here == TG_MAP_XOR && (schedule->extent[c] & (schedule->extent[c] - 1)) != 0) return -2;
    changed = c;
    *kind = here;
  }
  return changed;
}

static bool invert(const TgWalk *walk, int axis, TgMapKind kind, int64_t receiver, int64_t *sender, TgError *error) {
  const TgSchedule *schedule = walk->schedule;
  int64_t variable[TG_LOCAL_VARIABLES], at_zero;
  memcpy(variable, walk->variable, sizeof variable);
  tg_schedule_coordinates(schedule, receiver, variable);
  if (axis >= 0) {
    int64_t wanted = variable[axis], extent = schedule->extent[axis];
    variable[axis] = 0;
    TgEvaluation evaluation =
        tg_expression_evaluate(schedule, schedule->statement[walk->statement].to[axis], variable, &at_zero);
    if (evaluation != TG_EVALUATION_OK) return tg_walk_evaluation_error(walk, evaluation, at_zero, error);
    at_zero = tg_floor_remainder(at_zero, extent);
    variable[axis] = kind == TG_MAP_XOR ? wanted ^ at_zero : tg_floor_remainder(wanted - at_zero, extent);
  }
  *sender = 0;
  for (int c = 0; c < schedule->dims; c++) *sender = *sender * schedule->extent[c] + variable[c];
  return true;
}

static int search(const TgWalk *walk, int64_t receiver, int64_t *sender, TgError *error) {
  int64_t processors = tg_schedule_processors(walk->schedule);
  int found = 0;
  for (int64_t p = 0; p < processors && found < 2; p++) {
    TgLocal local;
    if (!tg_walk_local(walk, p, &local, error)) return -1;
    if (!local.takes_part || local.to != receiver) continue;
    if (found++ == 0) *sender = p;
  }
  return found;
}

int tg_walk_sender(const TgWalk *walk, int64_t receiver, int64_t *sender, TgError *error) {
  TgMapKind kind = TG_MAP_SAME;
  TgLocal local;
  int64_t candidate;
  int axis = changed_axis(walk->schedule, &walk->schedule->statement[walk->statement], &kind);
  if (axis == -2) return search(walk, receiver, sender, error);
  if (!invert(walk, axis, kind, receiver, &candidate, error) || !tg_walk_local(walk, candidate, &local, error))
    return -1;
  if (!local.takes_part || local.to != receiver) return 0;
  *sender = candidate;
  return 1;
}

bool tg_walk_has_inverse(const TgWalk *walk) {
  TgMapKind kind;
  return changed_axis(walk->schedule, &walk->schedule->statement[walk->statement], &kind) != -2;
}

void tg_messages_init(TgMessages *messages, const TgWalk *walk, TgCollective collective) {
  const TgStatement *statement = &walk->schedule->statement[walk->statement];
  memset(messages, 0, sizeof *messages);
  messages->walk = walk;
  messages->collective = collective;
  if (tg_op_traits(statement->op)->is_collective) messages->lines = tg_walk_lines(walk);
}

static TgProgress next_move(TgMessages *messages, TgMessage *message, TgError *error) {
  const TgWalk *walk = messages->walk;
  const TgStatement *statement = &walk->schedule->statement[walk->statement];
  int64_t processors = tg_schedule_processors(walk->schedule);
  while (messages->processor < processors) {
    TgLocal local;
    int64_t from = messages->processor++;
    if (!tg_walk_local(walk, from, &local, error)) return TG_PROGRESS_ERROR;
    if (!local.takes_part) continue;
    *message = (TgMessage){.from = from,
                           .to = local.to,
                           .source_index = local.source,
                           .target_index = local.target,
                           .pieces = 1,
                           .add = statement->op == TG_OP_ADD};
    return TG_PROGRESS_MORE;
  }
  return TG_PROGRESS_END;
}

static TgProgress enter_line(TgMessages *messages, TgError *error) {
  const TgStatement *statement = &messages->walk->schedule->statement[messages->walk->statement];
  while (messages->processor < messages->lines) {
    bool takes_part;
    if (!tg_walk_line(messages->walk, messages->processor++, &messages->line, &takes_part, error))
      return TG_PROGRESS_ERROR;
    if (!takes_part) continue;
    tg_rounds_of_statement(&messages->rounds, statement, messages->collective, messages->line.length,
                           messages->line.root);
    messages->in_line = true;
    return TG_PROGRESS_MORE;
  }
  return TG_PROGRESS_END;
}

/* The slots of a whole transfer. Where X or Y is an array, the block's index in it follows from the operation. */
static void name_slots(const TgStatement *statement, const TgLine *line, const TgTransfer *transfer,
                       TgMessage *message) {
  const TgOpTraits *traits = tg_op_traits(statement->op);
  message->source_index = traits->splits ? transfer->to : line->source;
  message->target_index = traits->fills ? transfer->from : line->target;
}

void tg_message_describe(TgMessage *message, const TgStatement *statement, const TgLine *line,
                         const TgTransfer *transfer, TgCollective collective) {
  *message = (TgMessage){.from = line->base + transfer->from * line->stride,
                         .to = line->base + transfer->to * line->stride,
                         .source_index = -1,
                         .target_index = -1,
                         .round = transfer->round,
                         .item = transfer->item,
                         .piece = transfer->piece,
                         .pieces = transfer->pieces,
                         .add = transfer->add};
  if (collective == TG_COLLECTIVE_WHOLE) name_slots(statement, line, transfer, message);
}

static TgProgress next_collective(TgMessages *messages, TgMessage *message, TgError *error) {
  TgTransfer transfer;
  for (;;) {
    if (messages->in_line && tg_rounds_next(&messages->rounds, &transfer)) {
      const TgStatement *statement = &messages->walk->schedule->statement[messages->walk->statement];
      tg_message_describe(message, statement, &messages->line, &transfer, messages->collective);
      return TG_PROGRESS_MORE;
    }
    TgProgress progress = enter_line(messages, error);
    if (progress != TG_PROGRESS_MORE) return progress;
  }
}

TgProgress tg_messages_next(TgMessages *messages, TgMessage *message, TgError *error) {
  const TgOpTraits *traits = tg_op_traits(messages->walk->schedule->statement[messages->walk->statement].op);
  if (traits->is_direct) return next_move(messages, message, error);
  return traits->is_collective ? next_collective(messages, message, error) : TG_PROGRESS_END;
}
