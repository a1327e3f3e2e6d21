#include "collective-algorithm.h"

#include <stdio.h>
#include <string.h>

/* The operations that have algorithms; the other three are these run backwards. */
enum { BROADCAST, SCATTER, ALLGATHER, ALLTOALL, FORWARDS, NONE = FORWARDS };

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

static const TgCollectiveAlgorithm *const algorithms[FORWARDS][TG_COLLECTIVES] = {
    [BROADCAST][TG_COLLECTIVE_WHOLE] = &tg_collective_whole_rooted,
    [BROADCAST][TG_COLLECTIVE_BINOMIAL] = &tg_collective_binomial_broadcast,
    [BROADCAST][TG_COLLECTIVE_RING] = &tg_collective_ring_broadcast,
    [BROADCAST][TG_COLLECTIVE_CHAIN] = &tg_collective_chain_broadcast,
    [BROADCAST][TG_COLLECTIVE_SCATTER_ALLGATHER] = &tg_collective_scatter_allgather,
    [BROADCAST][TG_COLLECTIVE_PAIRWISE] = &tg_collective_pairwise_rooted,
    [SCATTER][TG_COLLECTIVE_WHOLE] = &tg_collective_whole_rooted,
    [SCATTER][TG_COLLECTIVE_BINOMIAL] = &tg_collective_binomial_scatter,
    [SCATTER][TG_COLLECTIVE_RING] = &tg_collective_ring_scatter,
    [SCATTER][TG_COLLECTIVE_PAIRWISE] = &tg_collective_pairwise_rooted,
    [ALLGATHER][TG_COLLECTIVE_WHOLE] = &tg_collective_whole_all,
    [ALLGATHER][TG_COLLECTIVE_RING] = &tg_collective_ring_allgather,
    [ALLGATHER][TG_COLLECTIVE_RECURSIVE_DOUBLING] = &tg_collective_doubling_allgather,
    [ALLGATHER][TG_COLLECTIVE_PAIRWISE] = &tg_collective_pairwise_all,
    [ALLTOALL][TG_COLLECTIVE_WHOLE] = &tg_collective_whole_all,
    [ALLTOALL][TG_COLLECTIVE_RING] = &tg_collective_ring_alltoall,
    [ALLTOALL][TG_COLLECTIVE_RECURSIVE_DOUBLING] = &tg_collective_doubling_alltoall,
    [ALLTOALL][TG_COLLECTIVE_PAIRWISE] = &tg_collective_pairwise_all,
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

static int forward_of(TgOp op) {
  static const struct {
    uint8_t op, forward;
  } table[] = {{TG_OP_BROADCAST, BROADCAST}, {TG_OP_REDUCE, BROADCAST},    {TG_OP_SCATTER, SCATTER},
               {TG_OP_GATHER, SCATTER},      {TG_OP_ALLGATHER, ALLGATHER}, {TG_OP_REDUCESCATTER, ALLGATHER},
               {TG_OP_ALLTOALL, ALLTOALL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].op == op) return table[i].forward;
  return NONE;
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

static TgCollective resolve(int forward, TgCollective collective, bool cube) {
  if (algorithms[forward][collective]) return collective;
  /* Without a hypercube to fit, doubling congests a ring network for no fewer bytes. */
  if (collective == TG_COLLECTIVE_AUTO && forward == ALLGATHER && !cube) return TG_COLLECTIVE_RING;
  return (TgCollective)nearest[forward][collective];
}

static int32_t pieces_of(TgCollective collective, int32_t length, int32_t pieces) {
  if (collective == TG_COLLECTIVE_SCATTER_ALLGATHER) return length;
  if (collective != TG_COLLECTIVE_CHAIN) return 1;
  if (pieces < 1) return length;
  return pieces < TG_MAX_PROCESSORS ? pieces : TG_MAX_PROCESSORS;
}

void tg_rounds_init(TgRounds *rounds, TgOp op, TgCollective collective, int32_t length, int32_t root, int32_t pieces) {
  int forward = forward_of(op);
  *rounds = (TgRounds){.op = (uint8_t)op, .collective = (uint8_t)collective, .pieces = 1};
  if (forward == NONE || (unsigned)collective >= TG_COLLECTIVES || length < 2) return;
  rounds->length = length;
  rounds->depth = ceil_log2(length);
  rounds->root = tg_ring_wrap(root, length);
  TgCollective resolved = resolve(forward, collective, tg_rounds_cube(rounds));
  rounds->collective = (uint8_t)resolved;
  rounds->pieces = pieces_of(resolved, length, pieces);
}

static const TgCollectiveAlgorithm *algorithm_of(const TgRounds *rounds) {
  return algorithms[forward_of((TgOp)rounds->op)][rounds->collective];
}

int32_t tg_rounds_count(const TgRounds *rounds) {
  return rounds->length < 2 ? 0 : algorithm_of(rounds)->rounds(rounds);
}

static void fill(const TgRounds *rounds, const TgCollectiveAlgorithm *algorithm, int32_t round, const TgBundle *message,
                 TgTransfer *transfer) {
  bool backwards = tg_rounds_backwards(rounds);
  transfer->round = rounds->round;
  transfer->from = backwards ? message->to : message->from;
  transfer->to = backwards ? message->from : message->to;
  transfer->add = rounds->op == TG_OP_REDUCE || rounds->op == TG_OP_REDUCESCATTER;
  algorithm->parcel(rounds, round, message, rounds->cursor, transfer);
}

bool tg_rounds_next(TgRounds *rounds, TgTransfer *transfer) {
  int32_t count = tg_rounds_count(rounds);
  if (rounds->round >= count) return false;
  const TgCollectiveAlgorithm *algorithm = algorithm_of(rounds);
  for (; rounds->round < count; rounds->round++, rounds->message = 0) {
    int32_t round = tg_rounds_backwards(rounds) ? count - 1 - rounds->round : rounds->round;
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
