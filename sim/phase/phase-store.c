#include "phase-store.h"

#include <string.h>

struct TgPhaseStore {
  GHashTable *phases; /* TgPhase, by what is in it */
  GHashTable *rounds; /* TgLineRound -> TgPhase, whose reference `phases` holds */
  gsize bytes;        /* that phases and keys hold */
};

/* Of a few of its numbers: phases with the same ones are compared. */
static guint hash_phase(gconstpointer key) {
  enum { LOOKED_AT = 4 };
  const TgPhase *phase = key;
  uint64_t hash = (uint64_t)phase->transfers ^ (uint64_t)phase->products << 32;
  hash = hash * 31 + (uint64_t)phase->uniform_bytes;
  hash = hash * 31 + (phase->reads ^ (uint64_t)phase->writes << 32);
  if (phase->transfers > 0) hash = hash * 31 + (uint64_t)phase->from[phase->transfers - 1];
  for (int64_t t = 0; t < MIN(phase->transfers, LOOKED_AT); t++)
    hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)phase->from[t] + ((uint64_t)phase->to[t] << 32);
  return (guint)(hash >> 32 ^ hash);
}

static bool same_numbers(const void *one, const void *other, int64_t count, size_t each) {
  if (!one || !other) return one == other;
  return memcmp(one, other, (size_t)count * each) == 0;
}

static gboolean is_same(gconstpointer a, gconstpointer b) {
  const TgPhase *one = a, *other = b;
  const TgProductSize *size = &one->uniform_size, *other_size = &other->uniform_size;
  return one->transfers == other->transfers && one->uniform_bytes == other->uniform_bytes &&
         one->products == other->products && one->sums == other->sums && one->reads == other->reads &&
         one->writes == other->writes && one->fills == other->fills && one->needs == other->needs &&
         size->m == other_size->m && size->n == other_size->n && size->k == other_size->k &&
         same_numbers(one->from, other->from, one->transfers, sizeof *one->from) &&
         same_numbers(one->to, other->to, one->transfers, sizeof *one->to) &&
         same_numbers(one->bytes, other->bytes, one->transfers, sizeof *one->bytes) &&
         same_numbers(one->processor, other->processor, one->products, sizeof *one->processor) &&
         same_numbers(one->size, other->size, one->products, sizeof *one->size);
}

static gsize bytes_of(const TgPhase *phase) {
  const gsize transfer = sizeof *phase->from + sizeof *phase->to + (phase->bytes ? sizeof *phase->bytes : 0);
  const gsize product = (phase->processor ? sizeof *phase->processor : 0) + (phase->size ? sizeof *phase->size : 0);
  return sizeof *phase + (gsize)phase->transfers * transfer + (gsize)phase->products * product;
}

bool tg_line_transfers_same(const TgLineTransfer *one, const TgLineTransfer *other, guint count) {
  for (guint t = 0; t < count; t++)
    if (one[t].from != other[t].from || one[t].to != other[t].to || one[t].add != other[t].add ||
        one[t].bytes != other[t].bytes)
      return false;
  return true;
}

static guint hash_round(gconstpointer key) {
  const TgLineRound *round = key;
  uint64_t hash = (uint64_t)round->statement ^ (uint64_t)round->transfers << 32;
  for (guint t = 0; t < round->transfers; t++) {
    const TgLineTransfer *transfer = &round->transfer[t];
    hash = (hash + (uint64_t)transfer->from + ((uint64_t)transfer->to << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) + (uint64_t)transfer->bytes;
  }
  return (guint)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static gboolean is_same_round(gconstpointer a, gconstpointer b) {
  const TgLineRound *one = a, *other = b;
  return one->statement == other->statement && one->transfers == other->transfers &&
         tg_line_transfers_same(one->transfer, other->transfer, one->transfers);
}

/* The transfers follow in the same allocation. */
static TgLineRound *copy_round(const TgLineRound *round) {
  const gsize bytes = round->transfers * sizeof *round->transfer;
  TgLineRound *copy = g_malloc(sizeof *copy + bytes);
  *copy = *round;
  copy->transfer = memcpy(copy + 1, round->transfer, bytes);
  return copy;
}

TgPhaseStore *tg_phase_store_new(void) {
  TgPhaseStore *store = g_new0(TgPhaseStore, 1);
  store->rounds = g_hash_table_new_full(hash_round, is_same_round, g_free, NULL);
  store->phases = g_hash_table_new_full(hash_phase, is_same, (GDestroyNotify)tg_phase_release, NULL);
  return store;
}

void tg_phase_store_free(TgPhaseStore *store) {
  if (!store) return;
  g_hash_table_unref(store->rounds);
  g_hash_table_unref(store->phases);
  g_free(store);
}

/* Reserves so many bytes; false where the store is full. */
static bool take_room(TgPhaseStore *store, gsize bytes) {
  if (store->bytes + bytes > TG_PHASE_STORE_BYTES) return false;
  store->bytes += bytes;
  return true;
}

/* The stored phase that is like this one; stores this one where there is none. NULL where there is no room for it. */
static TgPhase *find_stored(TgPhaseStore *store, TgPhase *phase) {
  TgPhase *known = g_hash_table_lookup(store->phases, phase);
  if (known) {
    known->recurs = true;
    return known;
  }
  if (!take_room(store, bytes_of(phase))) return NULL;
  g_hash_table_add(store->phases, tg_phase_hold(phase));
  return phase;
}

/* Gives one reference for another. */
static TgPhase *exchange(TgPhase *phase, TgPhase *stored) {
  if (!stored || stored == phase) return phase;
  tg_phase_release(phase);
  return tg_phase_hold(stored);
}

TgPhase *tg_phase_store_find(TgPhaseStore *store, TgPhase *phase) {
  return exchange(phase, find_stored(store, phase));
}

TgPhase *tg_phase_store_find_round(TgPhaseStore *store, TgPhase *phase, const TgLineRound *round) {
  TgPhase *stored = find_stored(store, phase);
  if (stored && take_room(store, sizeof *round + round->transfers * sizeof *round->transfer))
    g_hash_table_insert(store->rounds, copy_round(round), stored);
  return exchange(phase, stored);
}

TgPhase *tg_phase_store_known_round(TgPhaseStore *store, const TgLineRound *round) {
  TgPhase *known = g_hash_table_lookup(store->rounds, round);
  if (!known) return NULL;
  known->recurs = true;
  return tg_phase_hold(known);
}
