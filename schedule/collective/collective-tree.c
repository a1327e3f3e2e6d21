/* Binomial trees, highest dimension first: in round r of d, v = 0 modulo 2h sends to v+h, h = 2^(d-1-r), and v is the
 * position xor the root on 2^d positions, else (position - root) modulo length. The subtree of v+h is v+h … v+2h-1. */
#include "collective-algorithm.h"

static int64_t half_of(const TgRounds *rounds, int32_t round) {
  return (int64_t)1 << (rounds->depth - 1 - round);
}

static int64_t tree_messages(const TgRounds *rounds, int32_t round) {
  int64_t half = half_of(rounds, round);
  return (rounds->length + half - 1) / (2 * half);
}

static TgBundle tree_edge(const TgRounds *rounds, int32_t round, int64_t index) {
  int64_t half = half_of(rounds, round);
  int64_t near_v = tg_rounds_backwards(rounds) ? half : 0; /* v modulo 2h of the ends that the index numbers */
  if (tg_rounds_cube(rounds))
    return tg_bundle_across(rounds, index * 2 * half + ((rounds->root ^ near_v) & (2 * half - 1)), half);
  int64_t first = tg_ring_wrap(rounds->root + near_v, rounds->length);
  int64_t near = tg_ring_nth(first, 2 * half, tree_messages(rounds, round), rounds->length, index);
  return tg_bundle_ahead(rounds, near, half);
}

static int64_t relative(const TgRounds *rounds, int32_t position) {
  return tg_rounds_cube(rounds) ? position ^ rounds->root
                                : tg_ring_wrap((int64_t)position - rounds->root, rounds->length);
}

static TgBundle tree_subtree(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = tree_edge(rounds, round, index);
  int64_t half = half_of(rounds, round), left = rounds->length - relative(rounds, message.to);
  bool cube = tg_rounds_cube(rounds);
  message.first = cube ? message.to & ~(half - 1) : message.to;
  message.parcels = cube || half < left ? half : left;
  return message;
}

/* True where `position` passed on, or kept, the block for `target` in a binomial scatter. */
static bool scatter_left(const TgRounds *rounds, int32_t position, int32_t target) {
  int64_t v = relative(rounds, position), offset = relative(rounds, target) - v;
  return v == 0 || (offset >= 0 && offset < (v & -v));
}

/* Barnett, Shuler, van de Geijn et al., 1994: scatter of L pieces, then ring allgather of them. */
static int32_t scatter_allgather_rounds(const TgRounds *rounds) {
  return rounds->depth + rounds->length - 1;
}

static int64_t scatter_allgather_messages(const TgRounds *rounds, int32_t round) {
  return round < rounds->depth ? tree_messages(rounds, round) : rounds->length;
}

static TgBundle scatter_allgather(const TgRounds *rounds, int32_t round, int64_t index) {
  if (round < rounds->depth) return tree_subtree(rounds, round, index);
  TgBundle message = tg_bundle_ahead(rounds, index, 1);
  int32_t piece = tg_ring_wrap((int64_t)message.from - (round - rounds->depth), rounds->length);
  message.base = piece;
  message.parcels = !scatter_left(rounds, message.to, piece);
  return message;
}

const TgCollectiveAlgorithm tg_collective_binomial_broadcast = {tg_rounds_depth, tree_messages, tree_edge,
                                                                tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_binomial_scatter = {tg_rounds_depth, tree_messages, tree_subtree,
                                                              tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_scatter_allgather = {scatter_allgather_rounds, scatter_allgather_messages,
                                                               scatter_allgather, tg_parcel_piece};
