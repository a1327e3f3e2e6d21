/* Blocks go straight from owner to receiver: all at once (whole), or one partner a round (pairwise). */
#include "collective-algorithm.h"

static void name_item(const TgRounds *rounds, TgBundle *message) {
  if (rounds->op == TG_OP_SCATTER || rounds->op == TG_OP_GATHER) message->base = message->to;
  if (rounds->op == TG_OP_ALLGATHER || rounds->op == TG_OP_REDUCESCATTER) message->base = message->from;
  if (rounds->op == TG_OP_ALLTOALL) message->base = (int64_t)message->from * rounds->length + message->to;
}

static int32_t one_round(const TgRounds *rounds) {
  (void)rounds;
  return 1;
}

static int64_t to_others(const TgRounds *rounds, int32_t round) {
  (void)round;
  return rounds->length - 1;
}

static TgBundle whole_rooted(const TgRounds *rounds, int32_t round, int64_t index) {
  (void)round;
  TgBundle message = {rounds->root, (int32_t)index + (index >= rounds->root), 0, 0, 1};
  name_item(rounds, &message);
  return message;
}

static int64_t ordered_pairs(const TgRounds *rounds, int32_t round) {
  (void)round;
  return (int64_t)rounds->length * (rounds->length - 1);
}

static TgBundle whole_all(const TgRounds *rounds, int32_t round, int64_t index) {
  (void)round;
  int64_t near = index / (rounds->length - 1), other = index % (rounds->length - 1);
  TgBundle message = tg_bundle_ahead(rounds, near, 0);
  int32_t *far = tg_rounds_backwards(rounds) ? &message.from : &message.to;
  *far = (int32_t)(other + (other >= near));
  name_item(rounds, &message);
  return message;
}

/* The partner at distance round+1: by xor on 2^d positions (A. Grama et al., Introduction to Parallel Computing, 2003,
 * section 4.5.3: free of contention in a hypercube under e-cube routes), else by addition. */
static TgBundle pairwise_all(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message =
      tg_rounds_cube(rounds) ? tg_bundle_across(rounds, index, round + 1) : tg_bundle_ahead(rounds, index, round + 1);
  name_item(rounds, &message);
  return message;
}

static TgBundle pairwise_rooted(const TgRounds *rounds, int32_t round, int64_t index) {
  (void)index;
  int32_t distance = round + 1;
  int32_t other =
      tg_rounds_cube(rounds) ? rounds->root ^ distance : tg_ring_wrap((int64_t)rounds->root + distance, rounds->length);
  TgBundle message = {rounds->root, other, 0, 0, 1};
  name_item(rounds, &message);
  return message;
}

const TgCollectiveAlgorithm tg_collective_whole_rooted = {one_round, to_others, whole_rooted, tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_whole_all = {one_round, ordered_pairs, whole_all, tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_pairwise_rooted = {tg_rounds_steps, tg_bundles_one, pairwise_rooted,
                                                             tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_pairwise_all = {tg_rounds_steps, tg_bundles_all, pairwise_all,
                                                          tg_parcel_item};
