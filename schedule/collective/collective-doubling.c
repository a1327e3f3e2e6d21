/* Everybody exchanges at distance h = 2^r in round r: by xor on 2^d positions, else by addition modulo length (J. Bruck
 * et al., Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997). */
#include "collective-algorithm.h"

static TgBundle exchange(const TgRounds *rounds, int32_t round, int64_t index) {
  int64_t half = (int64_t)1 << round;
  return tg_rounds_cube(rounds) ? tg_bundle_across(rounds, index, half) : tg_bundle_ahead(rounds, index, half);
}

/* Before round r a position holds its aligned 2^r items (xor), or its own and the 2^r - 1 behind it. */
static TgBundle doubling_allgather(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = exchange(rounds, round, index);
  int64_t half = (int64_t)1 << round, missing = rounds->length - half;
  message.parcels = half < missing ? half : missing;
  message.first = tg_rounds_cube(rounds) ? message.from & ~(half - 1)
                                         : tg_ring_wrap(message.from - message.parcels + 1, rounds->length);
  return message;
}

/* Store and forward: an item with distance D from its source to its target moves on by 2^r in round r where bit r of D
 * is set. Position p so sends, for every x = D modulo 2^r, what came from x behind it: n(x) items, whose D are
 * x + 2^r + y*2^(r+1), y = 0 … n(x)-1. n(x) is `many` for x < wide and many-1 from there on. */
typedef struct Rows {
  int64_t half; /* 2^r */
  int64_t many, wide;
  int64_t sources; /* number of x with n(x) > 0 */
} Rows;

static Rows rows_of(const TgRounds *rounds, int32_t round) {
  int64_t half = (int64_t)1 << round, last = rounds->length - 1 - half; /* greatest D - 2^r */
  int64_t many = last / (2 * half) + 1, wide = last % (2 * half) + 1;
  if (wide > half) wide = half;
  return (Rows){half, many, wide, many > 1 ? half : wide};
}

/* Items of all x below the given one. */
static int64_t items_below(const Rows *rows, int64_t x) {
  return x * (rows->many - 1) + (x < rows->wide ? x : rows->wide);
}

static int64_t row_of(const Rows *rows, int64_t item) {
  int64_t in_wide = rows->wide * rows->many;
  return item < in_wide ? item / rows->many : rows->wide + (item - in_wide) / (rows->many - 1);
}

static TgBundle doubling_alltoall(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = exchange(rounds, round, index);
  Rows rows = rows_of(rounds, round);
  message.parcels = items_below(&rows, rows.sources);
  return message;
}

static int64_t parcel_across(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index) {
  int64_t half = (int64_t)1 << round, targets = rounds->length / (2 * half);
  int64_t source = (message->from & ~(half - 1)) + index / targets;
  return source * rounds->length + index % targets * 2 * half + (message->to & (2 * half - 1));
}

/* In order of the source p-x: first x = p … 0, then, wrapped below 0, x = sources-1 … p+1. */
static int64_t parcel_ahead(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index) {
  Rows rows = rows_of(rounds, round);
  int64_t top = message->from + 1 < rows.sources ? message->from + 1 : rows.sources;
  int64_t unwrapped = items_below(&rows, top);
  int64_t end = index < unwrapped ? unwrapped : message->parcels + unwrapped;
  int64_t item = end - 1 - index, x = row_of(&rows, item);
  int64_t source = tg_ring_wrap(message->from - x, rounds->length);
  int64_t count = rows.many - (x >= rows.wide), within = items_below(&rows, x + 1) - 1 - item;
  return source * rounds->length + tg_ring_nth(message->to, 2 * rows.half, count, rounds->length, within);
}

static void parcel_alltoall(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                            TgTransfer *transfer) {
  transfer->item = tg_rounds_cube(rounds) ? parcel_across(rounds, round, message, index)
                                          : parcel_ahead(rounds, round, message, index);
  transfer->piece = 0;
  transfer->pieces = 1;
}

const TgCollectiveAlgorithm tg_collective_doubling_allgather = {tg_rounds_depth, tg_bundles_all, doubling_allgather,
                                                                tg_parcel_item};
const TgCollectiveAlgorithm tg_collective_doubling_alltoall = {tg_rounds_depth, tg_bundles_all, doubling_alltoall,
                                                               parcel_alltoall};
