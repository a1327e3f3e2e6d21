#include "walk.h"

#include <string.h>

void tg_messages_init(TgMessages *messages, const TgWalk *walk, TgCollective collective) {
  const TgStatement *statement = &walk->schedule->statement[walk->statement];
  memset(messages, 0, sizeof *messages);
  messages->walk = walk;
  messages->collective = collective;
  if (tg_op_is_collective(statement->op)) messages->lines = tg_walk_lines(walk);
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
    tg_rounds_init(&messages->rounds, (TgOp)statement->op, messages->collective, messages->line.length,
                   messages->line.root, 0);
    messages->in_line = true;
    return TG_PROGRESS_MORE;
  }
  return TG_PROGRESS_END;
}

/* The slots of a whole transfer. Where X or Y is an array, the block's index in it follows from the operation. */
static void name_slots(const TgStatement *statement, const TgLine *line, const TgTransfer *transfer,
                       TgMessage *message) {
  int op = statement->op;
  message->source_index = line->source;
  message->target_index = line->target;
  if (op == TG_OP_SCATTER || op == TG_OP_REDUCESCATTER || op == TG_OP_ALLTOALL) message->source_index = transfer->to;
  if (op == TG_OP_GATHER || op == TG_OP_ALLGATHER || op == TG_OP_ALLTOALL) message->target_index = transfer->from;
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
  TgOp op = (TgOp)messages->walk->schedule->statement[messages->walk->statement].op;
  if (op == TG_OP_MOVE || op == TG_OP_ADD) return next_move(messages, message, error);
  return tg_op_is_collective(op) ? next_collective(messages, message, error) : TG_PROGRESS_END;
}
