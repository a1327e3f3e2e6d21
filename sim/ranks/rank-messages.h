/** @file rank-messages.h
 * Private to sim/ranks: what ranks send each other so that each can execute the instructions of its own processors.
 *
 * Ranks of one host share memory, and read each other's blocks where they are. Whoever reads a block of another host's
 * rank gets what was written last before that, once for each rank however many of its processors read it. */
#ifndef TG_RANK_MESSAGES_H
#define TG_RANK_MESSAGES_H

#include "blocks-plan.h"

#include <glib.h>

typedef struct TgRankMessage {
  int32_t from, to;   /**< ranks */
  int64_t tag;        /**< number among the messages of this pair */
  int64_t block;      /**< offset in elements … */
  int64_t begin, end; /**< … and the part of the block that is sent */
  int64_t written;    /**< place of the instruction after which it can be sent, among those of `from`; -1: at once */
  int64_t read;       /**< … of the one that reads it first, among those of `to` */
  int64_t free; /**< … of the last one that reads what was received there before, among those of `to`; -1: none */
  int64_t rewritten; /**< … of the one that writes the block again, among those of `from`; INT64_MAX: none */
} TgRankMessage;

typedef struct TgRankMessages {
  int32_t ranks;
  int64_t *first;  /**< of each rank, and one more: where its instructions begin in `turn` */
  int64_t *turn;   /**< numbers of instructions, rank by rank, in the order in which it executes them */
  GArray *message; /**< TgRankMessage, in the order of their readers */
} TgRankMessages;

/** `rank_of[p]` is the rank of processor p, `host_of[r]` the number of rank r's host; NULL: no two ranks share one. */
TgRankMessages *tg_rank_messages_new(const TgBlocksPlan *plan, int32_t ranks, const int32_t *rank_of,
                                     const int32_t *host_of);
void tg_rank_messages_free(TgRankMessages *messages);

/** The part of a block that an instruction writes. */
void tg_rank_writes(const TgBlocksInstruction *instruction, int64_t *block, int64_t *begin, int64_t *end);

#endif
