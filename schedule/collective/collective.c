/* Collectives as rounds of transfers: each algorithm is computed, without a table.
 *
 * Algorithms are written for broadcast, scatter, allgather and alltoall only. Reduce, gather and reducescatter use the
 * same functions: tg_rounds_next() mirrors the rounds and swaps the ends. An algorithm's `round`, `from` and `to` are
 * always those of the forward operation; just the numbering of the messages in a round goes by receiver when it runs
 * backwards, so that messages come in order of the true sender either way. */
#include "collective.h"

#include <stdio.h>
#include <string.h>

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

static inline bool is_cube(const TgRounds *rounds) {
  return (rounds->length & (rounds->length - 1)) == 0;
}

static inline int32_t ring_wrap(int64_t position, int32_t length) {
  int64_t rest = position % length;
  return (int32_t)(rest < 0 ? rest + length : rest);
}

/** A message of one parcel from `near`, which the message's number names, to `far`; the other way round when the
 * operation runs backwards. */
static inline TgBundle bundle_between(const TgRounds *rounds, int64_t near, int64_t far) {
  return (TgBundle){(int32_t)(rounds->backwards ? far : near), (int32_t)(rounds->backwards ? near : far), 0, 0, 1};
}

/** The same to the position `distance` ahead of `near`, behind it when the operation runs backwards. */
static inline TgBundle bundle_ahead(const TgRounds *rounds, int64_t near, int64_t distance) {
  return bundle_between(rounds, near, ring_wrap(near + (rounds->backwards ? -distance : distance), rounds->length));
}

/* Number `index` in rising order of (first + step*y) modulo length, y = 0 … count-1; 0 <= first < length, and the
 * progression goes less than once round. */
static int64_t ring_nth(int64_t first, int64_t step, int64_t count, int64_t length, int64_t index) {
  int64_t before = tg_divide_up(length - first, step); /* terms before the wrap */
  if (before > count) before = count;
  int64_t after = count - before;
  return index < after ? first + (before + index) * step - length : first + (index - after) * step;
}

static void parcel_item(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                        TgTransfer *transfer) {
  (void)round;
  transfer->item = message->base + ring_nth(message->first, 1, message->parcels, rounds->length, index);
  transfer->piece = 0;
  transfer->pieces = 1;
}

static void parcel_piece(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                         TgTransfer *transfer) {
  parcel_item(rounds, round, message, index, transfer);
  transfer->piece = (int32_t)transfer->item;
  transfer->pieces = rounds->pieces;
  transfer->item = 0;
}

/* Rounds, and messages of a round, that many algorithms share. */
static int32_t rounds_steps(const TgRounds *rounds) {
  return rounds->length - 1;
}

static int32_t rounds_depth(const TgRounds *rounds) {
  return rounds->depth;
}

static int64_t bundles_one(const TgRounds *rounds, int32_t round) {
  (void)rounds, (void)round;
  return 1;
}

static int64_t bundles_all(const TgRounds *rounds, int32_t round) {
  (void)round;
  return rounds->length;
}

/* --- direct ------------------------------------------------------------------------------------------------------ */

/* Blocks go straight from owner to receiver: all at once (whole), or one partner a round (pairwise). */

static void name_item(const TgRounds *rounds, TgBundle *message) {
  message->base = rounds->backwards ? tg_op_item(rounds->op, rounds->length, message->to, message->from)
                                    : tg_op_item(rounds->op, rounds->length, message->from, message->to);
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
  TgBundle message = bundle_between(rounds, near, other + (other >= near));
  name_item(rounds, &message);
  return message;
}

/* The partner at distance round+1: by xor on 2^d positions (A. Grama et al., Introduction to Parallel Computing, 2003,
 * section 4.5.3: free of contention in a hypercube under e-cube routes), else by addition. */
static TgBundle pairwise_all(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message =
      is_cube(rounds) ? bundle_between(rounds, index, index ^ (round + 1)) : bundle_ahead(rounds, index, round + 1);
  name_item(rounds, &message);
  return message;
}

static TgBundle pairwise_rooted(const TgRounds *rounds, int32_t round, int64_t index) {
  (void)index;
  int32_t distance = round + 1;
  int32_t other =
      is_cube(rounds) ? rounds->root ^ distance : ring_wrap((int64_t)rounds->root + distance, rounds->length);
  TgBundle message = {rounds->root, other, 0, 0, 1};
  name_item(rounds, &message);
  return message;
}

/* --- trees ------------------------------------------------------------------------------------------------------- */

/* Binomial trees, highest dimension first: in round r of d, v = 0 modulo 2h sends to v+h, h = 2^(d-1-r), and v is the
 * position xor the root on 2^d positions, else (position - root) modulo length. The subtree of v+h is v+h … v+2h-1. */

static int64_t half_of(const TgRounds *rounds, int32_t round) {
  return (int64_t)1 << (rounds->depth - 1 - round);
}

static int64_t tree_messages(const TgRounds *rounds, int32_t round) {
  int64_t half = half_of(rounds, round);
  return (rounds->length + half - 1) / (2 * half);
}

static TgBundle tree_edge(const TgRounds *rounds, int32_t round, int64_t index) {
  int64_t half = half_of(rounds, round);
  int64_t near_v = rounds->backwards ? half : 0; /* v modulo 2h of the ends that the index numbers */
  int64_t near = index * 2 * half + ((rounds->root ^ near_v) & (2 * half - 1));
  if (is_cube(rounds)) return bundle_between(rounds, near, near ^ half);
  int64_t first = ring_wrap(rounds->root + near_v, rounds->length);
  near = ring_nth(first, 2 * half, tree_messages(rounds, round), rounds->length, index);
  return bundle_ahead(rounds, near, half);
}

static int64_t relative(const TgRounds *rounds, int32_t position) {
  return is_cube(rounds) ? position ^ rounds->root : ring_wrap((int64_t)position - rounds->root, rounds->length);
}

static TgBundle tree_subtree(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = tree_edge(rounds, round, index);
  int64_t half = half_of(rounds, round), left = rounds->length - relative(rounds, message.to);
  bool cube = is_cube(rounds);
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
  TgBundle message = bundle_ahead(rounds, index, 1);
  int32_t piece = ring_wrap((int64_t)message.from - (round - rounds->depth), rounds->length);
  message.base = piece;
  message.parcels = !scatter_left(rounds, message.to, piece);
  return message;
}

/* --- rings ------------------------------------------------------------------------------------------------------- */

/* Round the ring, neighbour to neighbour. Positions relative to the root are called v. */

static TgBundle ring_broadcast(const TgRounds *rounds, int32_t round, int64_t index) {
  (void)index;
  int32_t from = ring_wrap((int64_t)rounds->root + round, rounds->length);
  return (TgBundle){from, ring_wrap((int64_t)from + 1, rounds->length), 0, 0, 1};
}

/* Message `index` of a round in which v = low … low+count-1 each send to v+1. */
static TgBundle from_interval(const TgRounds *rounds, int32_t low, int64_t count, int64_t index) {
  int64_t first = (int64_t)rounds->root + low + rounds->backwards;
  int64_t near = ring_nth(ring_wrap(first, rounds->length), 1, count, rounds->length, index);
  return bundle_ahead(rounds, near, 1);
}

/* The item for v = L-1 leaves first, so that all arrive in round L-2: in round r, v <= r passes on that for v+L-1-r. */
static int64_t ring_scatter_messages(const TgRounds *rounds, int32_t round) {
  (void)rounds;
  return (int64_t)round + 1;
}

static TgBundle ring_scatter(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = from_interval(rounds, 0, (int64_t)round + 1, index);
  message.base = ring_wrap((int64_t)message.from - 1 - round, rounds->length);
  return message;
}

static TgBundle ring_allgather(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = bundle_ahead(rounds, index, 1);
  message.base = ring_wrap((int64_t)message.from - round, rounds->length);
  return message;
}

/* What set out r positions back still has to reach the next L-1-r positions (A. Grama et al., Introduction to Parallel
 * Computing, 2003, section 4.5.1). */
static TgBundle ring_alltoall(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = bundle_ahead(rounds, index, 1);
  message.base = (int64_t)ring_wrap((int64_t)message.from - round, rounds->length) * rounds->length;
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
  message.base = round - ring_wrap((int64_t)message.from - rounds->root, rounds->length);
  return message;
}

/* --- doubling ---------------------------------------------------------------------------------------------------- */

/* Everybody exchanges at distance h = 2^r in round r: by xor on 2^d positions, else by addition modulo length (J. Bruck
 * et al., Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997). */

static TgBundle exchange(const TgRounds *rounds, int32_t round, int64_t index) {
  int64_t half = (int64_t)1 << round;
  return is_cube(rounds) ? bundle_between(rounds, index, index ^ half) : bundle_ahead(rounds, index, half);
}

/* Before round r a position holds its aligned 2^r items (xor), or its own and the 2^r - 1 behind it. */
static TgBundle doubling_allgather(const TgRounds *rounds, int32_t round, int64_t index) {
  TgBundle message = exchange(rounds, round, index);
  int64_t half = (int64_t)1 << round, missing = rounds->length - half;
  message.parcels = half < missing ? half : missing;
  message.first =
      is_cube(rounds) ? message.from & ~(half - 1) : ring_wrap(message.from - message.parcels + 1, rounds->length);
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
  int64_t source = ring_wrap(message->from - x, rounds->length);
  int64_t count = rows.many - (x >= rows.wide), within = items_below(&rows, x + 1) - 1 - item;
  return source * rounds->length + ring_nth(message->to, 2 * rows.half, count, rounds->length, within);
}

static void parcel_alltoall(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                            TgTransfer *transfer) {
  transfer->item =
      is_cube(rounds) ? parcel_across(rounds, round, message, index) : parcel_ahead(rounds, round, message, index);
  transfer->piece = 0;
  transfer->pieces = 1;
}

/* --- the table --------------------------------------------------------------------------------------------------- */

/* The operations that have algorithms; the other three are these run backwards. */
enum { NONE, BROADCAST, SCATTER, ALLGATHER, ALLTOALL, FORWARDS };

static const char *const names[TG_COLLECTIVES] = {
    [TG_COLLECTIVE_AUTO] = "auto",
    [TG_COLLECTIVE_WHOLE] = "native",
    [TG_COLLECTIVE_BINOMIAL] = "binomial",
    [TG_COLLECTIVE_RING] = "ring",
    [TG_COLLECTIVE_CHAIN] = "chain",
    [TG_COLLECTIVE_RECURSIVE_DOUBLING] = "recursive-doubling",
    [TG_COLLECTIVE_SCATTER_ALLGATHER] = "scatter-allgather",
    [TG_COLLECTIVE_PAIRWISE] = "pairwise",
};

static const TgCollectiveAlgorithm algorithms[FORWARDS][TG_COLLECTIVES] = {
    [BROADCAST][TG_COLLECTIVE_WHOLE] = {one_round, to_others, whole_rooted, parcel_item},
    [BROADCAST][TG_COLLECTIVE_BINOMIAL] = {rounds_depth, tree_messages, tree_edge, parcel_item},
    [BROADCAST][TG_COLLECTIVE_RING] = {rounds_steps, bundles_one, ring_broadcast, parcel_item},
    [BROADCAST][TG_COLLECTIVE_CHAIN] = {chain_rounds, chain_messages, chain_broadcast, parcel_piece},
    [BROADCAST][TG_COLLECTIVE_SCATTER_ALLGATHER] = {scatter_allgather_rounds, scatter_allgather_messages,
                                                    scatter_allgather, parcel_piece},
    [BROADCAST][TG_COLLECTIVE_PAIRWISE] = {rounds_steps, bundles_one, pairwise_rooted, parcel_item},
    [SCATTER][TG_COLLECTIVE_WHOLE] = {one_round, to_others, whole_rooted, parcel_item},
    [SCATTER][TG_COLLECTIVE_BINOMIAL] = {rounds_depth, tree_messages, tree_subtree, parcel_item},
    [SCATTER][TG_COLLECTIVE_RING] = {rounds_steps, ring_scatter_messages, ring_scatter, parcel_item},
    [SCATTER][TG_COLLECTIVE_PAIRWISE] = {rounds_steps, bundles_one, pairwise_rooted, parcel_item},
    [ALLGATHER][TG_COLLECTIVE_WHOLE] = {one_round, ordered_pairs, whole_all, parcel_item},
    [ALLGATHER][TG_COLLECTIVE_RING] = {rounds_steps, bundles_all, ring_allgather, parcel_item},
    [ALLGATHER][TG_COLLECTIVE_RECURSIVE_DOUBLING] = {rounds_depth, bundles_all, doubling_allgather, parcel_item},
    [ALLGATHER][TG_COLLECTIVE_PAIRWISE] = {rounds_steps, bundles_all, pairwise_all, parcel_item},
    [ALLTOALL][TG_COLLECTIVE_WHOLE] = {one_round, ordered_pairs, whole_all, parcel_item},
    [ALLTOALL][TG_COLLECTIVE_RING] = {rounds_steps, bundles_all, ring_alltoall, parcel_item},
    [ALLTOALL][TG_COLLECTIVE_RECURSIVE_DOUBLING] = {rounds_depth, bundles_all, doubling_alltoall, parcel_alltoall},
    [ALLTOALL][TG_COLLECTIVE_PAIRWISE] = {rounds_steps, bundles_all, pairwise_all, parcel_item},
};

/* Where `algorithms` has no entry: the algorithm to take instead. */
static const uint8_t nearest[FORWARDS][TG_COLLECTIVES] = {
    [BROADCAST][TG_COLLECTIVE_AUTO] = TG_COLLECTIVE_BINOMIAL,
    [BROADCAST][TG_COLLECTIVE_RECURSIVE_DOUBLING] = TG_COLLECTIVE_BINOMIAL,
    [SCATTER][TG_COLLECTIVE_AUTO] = TG_COLLECTIVE_BINOMIAL,
    [SCATTER][TG_COLLECTIVE_CHAIN] = TG_COLLECTIVE_RING,
    [SCATTER][TG_COLLECTIVE_RECURSIVE_DOUBLING] = TG_COLLECTIVE_BINOMIAL,
    [SCATTER][TG_COLLECTIVE_SCATTER_ALLGATHER] = TG_COLLECTIVE_BINOMIAL,
    [ALLGATHER][TG_COLLECTIVE_AUTO] = TG_COLLECTIVE_RECURSIVE_DOUBLING,
    [ALLGATHER][TG_COLLECTIVE_BINOMIAL] = TG_COLLECTIVE_RECURSIVE_DOUBLING,
    [ALLGATHER][TG_COLLECTIVE_CHAIN] = TG_COLLECTIVE_RING,
    [ALLGATHER][TG_COLLECTIVE_SCATTER_ALLGATHER] = TG_COLLECTIVE_RING,
    [ALLTOALL][TG_COLLECTIVE_AUTO] = TG_COLLECTIVE_PAIRWISE,
    [ALLTOALL][TG_COLLECTIVE_BINOMIAL] = TG_COLLECTIVE_RECURSIVE_DOUBLING,
    [ALLTOALL][TG_COLLECTIVE_CHAIN] = TG_COLLECTIVE_RING,
    [ALLTOALL][TG_COLLECTIVE_SCATTER_ALLGATHER] = TG_COLLECTIVE_PAIRWISE,
};

static int family_of(const TgOpTraits *traits) {
  if (!traits->is_collective) return NONE;
  if (traits->from_root || traits->to_root) return traits->splits || traits->fills ? SCATTER : BROADCAST;
  return traits->splits && traits->fills ? ALLTOALL : ALLGATHER;
}

const char *tg_collective_name(TgCollective collective) {
  return (unsigned)collective < TG_COLLECTIVES ? names[collective] : "unknown";
}

bool tg_collective_parse(const char *text, TgCollective *collective, TgError *error) {
  char list[160] = "";
  size_t used = 0;
  for (int c = 0; c < TG_COLLECTIVES; c++) {
    if (strcmp(text, names[c]) == 0) {
      *collective = (TgCollective)c;
      return true;
    }
    used += (size_t)snprintf(list + used, sizeof list - used, c ? ", %s" : "%s", names[c]);
  }
  return tg_error_set(error, 0, 0, "unknown collective '%.*s'; expected one of %s", tg_text_fit(text, 64), text, list);
}

static uint8_t ceil_log2(int32_t length) {
  uint8_t depth = 0;
  while (((int64_t)1 << depth) < length) depth++;
  return depth;
}

static TgCollective resolve(int family, TgCollective collective, bool cube) {
  if (algorithms[family][collective].rounds) return collective;
  /* Without a hypercube to fit, doubling congests a ring network for no fewer bytes. */
  if (collective == TG_COLLECTIVE_AUTO && family == ALLGATHER && !cube) return TG_COLLECTIVE_RING;
  return (TgCollective)nearest[family][collective];
}

static int32_t pieces_of(TgCollective collective, int32_t length, int32_t pieces) {
  if (collective == TG_COLLECTIVE_SCATTER_ALLGATHER) return length;
  if (collective != TG_COLLECTIVE_CHAIN) return 1;
  if (pieces < 1) return length;
  return pieces < TG_MAX_PROCESSORS ? pieces : TG_MAX_PROCESSORS;
}

void tg_rounds_init(TgRounds *rounds, TgOp op, TgCollective collective, int32_t length, int32_t root, int32_t pieces) {
  const TgOpTraits *traits = tg_op_traits(op);
  const int family = family_of(traits);
  *rounds = (TgRounds){.op = (uint8_t)op, .collective = (uint8_t)collective, .pieces = 1};
  if (family == NONE || (unsigned)collective >= TG_COLLECTIVES || length < 2) return;
  rounds->family = (uint8_t)family;
  rounds->backwards = traits->adds || traits->to_root;
  rounds->adds = traits->adds;
  rounds->length = length;
  rounds->depth = ceil_log2(length);
  rounds->root = ring_wrap(root, length);
  TgCollective resolved = resolve(family, collective, is_cube(rounds));
  rounds->collective = (uint8_t)resolved;
  rounds->pieces = pieces_of(resolved, length, pieces);
}

void tg_rounds_of_statement(TgRounds *rounds, const TgStatement *statement, TgCollective collective, int32_t length,
                            int32_t root) {
  const bool own = collective == TG_COLLECTIVE_AUTO && statement->collective != TG_COLLECTIVE_WHOLE;
  const TgCollective algorithm = own ? (TgCollective)statement->collective : collective;
  tg_rounds_init(rounds, (TgOp)statement->op, algorithm, length, root, statement->pieces);
}

static const TgCollectiveAlgorithm *algorithm_of(const TgRounds *rounds) {
  return &algorithms[rounds->family][rounds->collective];
}

int32_t tg_rounds_count(const TgRounds *rounds) {
  return rounds->length < 2 ? 0 : algorithm_of(rounds)->rounds(rounds);
}

static void fill(const TgRounds *rounds, const TgCollectiveAlgorithm *algorithm, int32_t round, const TgBundle *message,
                 TgTransfer *transfer) {
  transfer->round = rounds->round;
  transfer->from = rounds->backwards ? message->to : message->from;
  transfer->to = rounds->backwards ? message->from : message->to;
  transfer->add = rounds->adds;
  algorithm->parcel(rounds, round, message, rounds->cursor, transfer);
}

bool tg_rounds_next(TgRounds *rounds, TgTransfer *transfer) {
  int32_t count = tg_rounds_count(rounds);
  if (rounds->round >= count) return false;
  const TgCollectiveAlgorithm *algorithm = algorithm_of(rounds);
  for (; rounds->round < count; rounds->round++, rounds->message = 0) {
    int32_t round = rounds->backwards ? count - 1 - rounds->round : rounds->round;
    int64_t messages = algorithm->messages(rounds, round);
    for (; rounds->message < messages; rounds->message++, rounds->cursor = 0) {
      TgBundle message = algorithm->message(rounds, round, rounds->message);
      if (rounds->cursor >= message.parcels) continue;
      fill(rounds, algorithm, round, &message, transfer);
      rounds->cursor++;
      return true;
    }
  }
  return false;
}

TgRound tg_rounds_at(const TgRounds *rounds, int32_t round) {
  const TgCollectiveAlgorithm *algorithm = algorithm_of(rounds);
  const int32_t forwards = rounds->backwards ? tg_rounds_count(rounds) - 1 - round : round;
  const int64_t messages = algorithm->messages(rounds, forwards);
  TgBundle first = algorithm->message(rounds, forwards, 0);
  for (int64_t m = 1; m < messages && first.parcels == 0; m++) first = algorithm->message(rounds, forwards, m);
  return (TgRound){.messages = messages,
                   .from = rounds->backwards ? first.to : first.from,
                   .to = rounds->backwards ? first.from : first.to,
                   .blocks = (double)first.parcels / rounds->pieces};
}
