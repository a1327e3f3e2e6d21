/** @file collective-algorithm.h
 * Private to collective*.c: one algorithm of one collective, computed without a table.
 *
 * Algorithms are written for broadcast, scatter, allgather and alltoall only. Reduce, gather and reducescatter use the
 * same functions: collective.c mirrors the rounds and swaps the ends. `round`, `from` and `to` here are always those of
 * the forward operation; just the numbering of the messages in a round goes by receiver when it runs backwards, so that
 * messages come in order of the true sender either way. */
#ifndef TG_COLLECTIVE_ALGORITHM_H
#define TG_COLLECTIVE_ALGORITHM_H

#include "collective.h"

/** What one position sends another in one round: parcels base + (first … first+parcels-1 modulo length), in rising
 * order, items or pieces as TgCollectiveAlgorithm::parcel takes them. No parcels: no message. (TgMessage in walk.h is
 * one block of one statement.) */
typedef struct TgBundle {
  int32_t from, to;
  int64_t base, first, parcels;
} TgBundle;

typedef struct TgCollectiveAlgorithm {
  int32_t (*rounds)(const TgRounds *rounds);
  int64_t (*messages)(const TgRounds *rounds, int32_t round);
  TgBundle (*message)(const TgRounds *rounds, int32_t round, int64_t index);
  /** Fills item, piece and pieces of parcel `index` of the message. */
  void (*parcel)(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index, TgTransfer *transfer);
} TgCollectiveAlgorithm;

extern const TgCollectiveAlgorithm tg_collective_whole_rooted, tg_collective_whole_all;
extern const TgCollectiveAlgorithm tg_collective_pairwise_rooted, tg_collective_pairwise_all;
extern const TgCollectiveAlgorithm tg_collective_binomial_broadcast, tg_collective_binomial_scatter,
    tg_collective_scatter_allgather;
extern const TgCollectiveAlgorithm tg_collective_ring_broadcast, tg_collective_ring_scatter,
    tg_collective_ring_allgather, tg_collective_ring_alltoall;
extern const TgCollectiveAlgorithm tg_collective_chain_broadcast;
extern const TgCollectiveAlgorithm tg_collective_doubling_allgather, tg_collective_doubling_alltoall;

void tg_parcel_item(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                    TgTransfer *transfer);
void tg_parcel_piece(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                     TgTransfer *transfer);

/** Number `index` in rising order of (first + step*y) modulo length, y = 0 … count-1; 0 <= first < length, and the
 * progression goes less than once round. */
int64_t tg_ring_nth(int64_t first, int64_t step, int64_t count, int64_t length, int64_t index);

/** Rounds, and messages of a round, that many algorithms share. */
int32_t tg_rounds_steps(const TgRounds *rounds); /**< length-1 */
int32_t tg_rounds_depth(const TgRounds *rounds); /**< ⌈log2 length⌉ */
int64_t tg_bundles_one(const TgRounds *rounds, int32_t round);
int64_t tg_bundles_all(const TgRounds *rounds, int32_t round); /**< every position sends: length */

static inline bool tg_rounds_backwards(const TgRounds *rounds) {
  return rounds->op == TG_OP_REDUCE || rounds->op == TG_OP_REDUCESCATTER || rounds->op == TG_OP_GATHER;
}

static inline bool tg_rounds_cube(const TgRounds *rounds) {
  return (rounds->length & (rounds->length - 1)) == 0;
}

static inline int32_t tg_ring_wrap(int64_t position, int32_t length) {
  int64_t rest = position % length;
  return (int32_t)(rest < 0 ? rest + length : rest);
}

/** A message of one parcel between `near`, which the message's number names, and the position `distance` ahead of it
 * (behind it when the operation runs backwards). */
static inline TgBundle tg_bundle_ahead(const TgRounds *rounds, int64_t near, int64_t distance) {
  bool backwards = tg_rounds_backwards(rounds);
  int32_t far = tg_ring_wrap(backwards ? near - distance : near + distance, rounds->length);
  return (TgBundle){backwards ? far : (int32_t)near, backwards ? (int32_t)near : far, 0, 0, 1};
}

/** The same between `near` and near xor mask. */
static inline TgBundle tg_bundle_across(const TgRounds *rounds, int64_t near, int64_t mask) {
  bool backwards = tg_rounds_backwards(rounds);
  int32_t far = (int32_t)(near ^ mask);
  return (TgBundle){backwards ? far : (int32_t)near, backwards ? (int32_t)near : far, 0, 0, 1};
}

#endif
