#include "collective-algorithm.h"

int64_t tg_ring_nth(int64_t first, int64_t step, int64_t count, int64_t length, int64_t index) {
  int64_t before = (length - first + step - 1) / step; /* terms before the wrap */
  if (before > count) before = count;
  int64_t after = count - before;
  return index < after ? first + (before + index) * step - length : first + (index - after) * step;
}

void tg_parcel_item(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                    TgTransfer *transfer) {
  (void)round;
  transfer->item = message->base + tg_ring_nth(message->first, 1, message->parcels, rounds->length, index);
  transfer->piece = 0;
  transfer->pieces = 1;
}

void tg_parcel_piece(const TgRounds *rounds, int32_t round, const TgBundle *message, int64_t index,
                     TgTransfer *transfer) {
  tg_parcel_item(rounds, round, message, index, transfer);
  transfer->piece = (int32_t)transfer->item;
  transfer->pieces = rounds->pieces;
  transfer->item = 0;
}

int32_t tg_rounds_steps(const TgRounds *rounds) {
  return rounds->length - 1;
}

int32_t tg_rounds_depth(const TgRounds *rounds) {
  return rounds->depth;
}

int64_t tg_bundles_one(const TgRounds *rounds, int32_t round) {
  (void)rounds, (void)round;
  return 1;
}

int64_t tg_bundles_all(const TgRounds *rounds, int32_t round) {
  (void)round;
  return rounds->length;
}
