/* Round the ring, neighbour to neighbour. Positions relative to the root are called v. */
#include "collective-algorithm.h"

static TgBundle ring_broadcast(const TgRounds *rounds, int32_t round, int64_t index) {
  (void)index;
  int32_t from = tg_ring_wrap((int64_t)rounds->root + round, rounds->length);
  return (TgBundle){from, tg_ring_wrap((int64_t)from + 1, rounds->length), 0, 0, 1};
}

/* Message `index` of a round in which v = low … low+count-1 each send to v+1. */
static TgBundle from_interval(const TgRounds *rounds, int32_t low, int64_t count, int64_t index) {
  int64_t first = (int64_t)rounds->root + low + tg_rounds_backwards(rounds);
  int64_t near = tg_ring_nth(tg_ring_wrap(first, rounds->length), 1, count, rounds->length, index);
  return tg_bundle_ahead(rounds, near, 1);
}

/* The item for v = L-1 leaves first, so that all arrive in round L-2: in round r, v <= r passes on that for v+L-1-r. */
static int64_t ring_scatter_messages(const TgRounds *rounds, int32_t round) {
  (void)rounds;
  return (int64_t)round + 1;
}

static TgBundle ring_scatter(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = from_interval(rounds, 0, (int64_t)round + 1, index);
  message.base = tg_ring_wrap((int64_t)message.from - 1 - round, rounds->length);
  return message;
}

static TgBundle ring_allgather(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = tg_bundle_ahead(rounds, index, 1);
  message.base = tg_ring_wrap((int64_t)message.from - round, rounds->length);
  return message;
}

/* What set out r positions back still has to reach the next L-1-r positions (A. Grama et al., Introduction to Parallel
 * Computing, 2003, section 4.5.1). */
static TgBundle ring_alltoall(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = tg_bundle_ahead(rounds, index, 1);
  message.base = (int64_t)tg_ring_wrap((int64_t)message.from - round, rounds->length) * rounds->length;
  message.first = message.to;
  message.parcels = rounds->length - 1 - round;
  return message;
}

/* Pipelined chain: in round r, v passes piece r-v on to v+1. */
static int32_t chain_low(const TgRounds *rounds, int32_t round) {
  return round < rounds->pieces ? 0 : round - rounds->pieces + 1;
}

static int32_t chain_rounds(const TgRounds *rounds) {
  return rounds->length - 1 + (rounds->pieces - 1);
}

static int64_t chain_messages(const TgRounds *rounds, int32_t round) {
  int32_t high = round < rounds->length - 2 ? round : rounds->length - 2;
  return (int64_t)high - chain_low(rounds, round) + 1;
}

static TgBundle chain_broadcast(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = from_interval(rounds, chain_low(rounds, round), chain_messages(rounds, round), index);
  message.base = round - tg_ring_wrap((int64_t)message.from - rounds->root, rounds->length);
  return message;
}

const TgCollectiveAlgorithm tg_collective_ring_broadcast = {tg_rounds_steps, tg_bundles_one, ring_broadcast,
                                                            tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_ring_scatter = {tg_rounds_steps, ring_scatter_messages, ring_scatter,
                                                          tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_ring_allgather = {tg_rounds_steps, tg_bundles_all, ring_allgather,
                                                            tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_ring_alltoall = {tg_rounds_steps, tg_bundles_all, ring_alltoall,
                                                           tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_chain_broadcast = {chain_rounds, chain_messages, chain_broadcast,
                                                             tg_parcel_piece};
