/** @file collective.h
 * Collectives over a line of `length` processors as rounds of point-to-point transfers. Knows nothing of schedules or
 * networks: positions are 0 … length-1 along the line. */
#ifndef TG_COLLECTIVE_H
#define TG_COLLECTIVE_H

#include "schedule.h"

TG_BEGIN_DECLS

typedef enum TgCollective {
  TG_COLLECTIVE_WHOLE,              /**< unexpanded: each receiver of a block once, each contribution once, one round */
  TG_COLLECTIVE_AUTO,               /**< the statement's own, or the usual one of those below (see tg_rounds_init()) */
  TG_COLLECTIVE_BINOMIAL,           /**< binomial tree, highest dimension first */
  TG_COLLECTIVE_RING,               /**< neighbour to neighbour round the ring, whole blocks */
  TG_COLLECTIVE_CHAIN,              /**< pipelined chain: the block in pieces, one behind the other */
  TG_COLLECTIVE_RECURSIVE_DOUBLING, /**< exchanges at distance 1, 2, 4, … (halving for reduce-scatter) */
  TG_COLLECTIVE_SCATTER_ALLGATHER,  /**< broadcast: scatter pieces, then all-gather them; reduce: the reverse */
  TG_COLLECTIVE_PAIRWISE,           /**< straight from owner to receiver, one partner a round, nothing passed on */
  TG_COLLECTIVES
} TgCollective;

/** "binomial", "ring", … as `--collective` takes them; `native` is TG_COLLECTIVE_WHOLE. "unknown" outside the enum. */
const char *tg_collective_name(TgCollective collective);
/** Reads such a name; the error lists all of them. */
bool tg_collective_parse(const char *text, TgCollective *collective, TgError *error);

/** One transfer of one round. All transfers of a round happen at once: they read the state before the round. Those of
 * one round with equal `from` and `to` follow one another and travel as one message. */
typedef struct TgTransfer {
  int32_t round;
  int32_t from, to;      /**< positions, never equal: what a position keeps for itself is no transfer */
  int64_t item;          /**< which block: of the position it comes from (allgather, gather), is meant for (scatter,
                              reducescatter), or its number from*length+to (alltoall); 0 for broadcast and reduce */
  int32_t piece, pieces; /**< part of the block's elements: [piece*size/pieces, (piece+1)*size/pieces) */
  bool add;              /**< the receiver adds it to its own partial sum of that item; the sender's is used up */
} TgTransfer;

/** A lazy enumeration of the rounds: constant size, constant time a transfer. */
typedef struct TgRounds {
  uint8_t op;         /**< TgOp: one of the collectives */
  uint8_t collective; /**< after TG_COLLECTIVE_AUTO and algorithms that the operation lacks are resolved */
  uint8_t depth;      /**< ⌈log2 length⌉ */
  uint8_t family;     /**< of operations that have the same rounds, forwards or backwards */
  bool backwards;     /**< from many towards one, as a reduction is a broadcast backwards */
  bool adds;          /**< TgTransfer.add */
  int32_t length, root;
  int32_t pieces;          /**< parts that a block travels in */
  int32_t round;           /**< of the next transfer */
  int64_t message, cursor; /**< within the round, and within the message */
} TgRounds;

/** Begins. `pieces`: parts of a block in a pipelined chain, at most TG_MAX_PROCESSORS; 0 chooses `length`. The root
 * wraps. No rounds where `op` is no collective, and none where `length` is below 2.
 *
 * An operation without such an algorithm takes the nearest that it has, named by `rounds->collective`. With
 * L = length, rounds are counted in brackets; d = ⌈log2 L⌉, P = pieces:
 *
 *                     | broadcast, reduce           | scatter, gather | allgather,         | alltoall
 *                     |                             |                 | reducescatter      |
 *   whole             | direct [1]                  | direct [1]      | direct [1]         | direct [1]
 *   auto              | binomial                    | binomial        | recursive doubling | pairwise
 *                     |                             |                 | if L = 2^d or ring |
 *   binomial          | tree [d]                    | tree [d]        | recursive doubling | recursive doubling
 *   ring              | passed round whole [L-1]    | passed on, the  | passed round [L-1] | passed on, what is
 *                     |                             | farthest first  |                    | still to travel in one
 *                     |                             | [L-1]           |                    | message [L-1]
 *   chain             | P pieces [L-1+P-1]          | ring            | ring               | ring
 *   recursive doubling| binomial                    | binomial        | doubling [d]       | store and forward [d]
 *   scatter-allgather | L pieces: binomial scatter, | binomial        | ring               | pairwise
 *                     | ring allgather [d+L-1]      |                 |                    |
 *   pairwise          | one receiver a round [L-1]  | likewise [L-1]  | likewise [L-1]     | likewise [L-1]
 *
 * Reduce, gather and reduce-scatter are broadcast, scatter and allgather run backwards, transfer for transfer.
 * Where L = 2^d, partners of trees, doubling and pairwise differ by xor, so that those of trees and doubling are
 * neighbours in a hypercube; else by addition modulo L, counted from the root in a tree (for doubling: Bruck et al.,
 * 1997). Everything but `whole` is one-port: in a round a position sends to at most one other and receives from at
 * most one. Nobody receives a block or piece that it has: scatter-allgather leaves out those that the scatter left
 * behind on its way (Zhou et al., 2015). No position sends and receives one item's piece in one round, so transfers
 * applied one after another give the same result. Scatter, gather and alltoall pass items through positions that have
 * no slot for them: at most `length` at a time. */
void tg_rounds_init(TgRounds *rounds, TgOp op, TgCollective collective, int32_t length, int32_t root, int32_t pieces);
/** Begins the collective of a statement along a line, as tg_rounds_init() does. Where `collective` is
 * TG_COLLECTIVE_AUTO and the statement names an algorithm, it uses that one. */
void tg_rounds_of_statement(TgRounds *rounds, const TgStatement *statement, TgCollective collective, int32_t length,
                            int32_t root);
/** The next transfer, in order of round, from, to, item, piece (within a sender, to and item rise together); false
 * after the last. */
bool tg_rounds_next(TgRounds *rounds, TgTransfer *transfer);
/** Number of rounds; none of them is empty. */
int32_t tg_rounds_count(const TgRounds *rounds);

/** The messages of one round. */
typedef struct TgRound {
  int64_t messages; /**< one for each pair that exchanges something; at most: some may carry nothing */
  int32_t from, to; /**< of the first that carries something */
  double blocks;    /**< that it carries; a piece counts as its part of one */
} TgRound;

/** Looks at round `round`, 0 to tg_rounds_count() - 1, without walking to it. */
TgRound tg_rounds_at(const TgRounds *rounds, int32_t round);

TG_END_DECLS

#endif
