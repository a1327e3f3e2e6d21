/** @file load.h
 * Private to sim/: bytes over the links of a network, gathered from the stretches of routes. Gathering costs no more
 * than the hops, and no more than the stretches and the links together; what follows (the most, emptying) costs no more
 * than the links that carry something. */
#ifndef TG_LOAD_H
#define TG_LOAD_H

#include "topology.h"

#include <glib.h>

/** The bytes over one link. */
typedef struct TgLoadEntry {
  int64_t link, bytes;
} TgLoadEntry;

typedef struct TgLoad {
  const TgTopology *network;
  int64_t *bytes;      /**< by link, without what is in `difference` */
  int64_t *difference; /**< long stretches, by their two ends; see tg_topology_sum_lines(). NULL where there are none */
  int64_t count;       /**< links with bytes */
  int64_t *touched;    /**< these, while there are at most `sparse` */
  int64_t sparse;
  int64_t hops; /**< walked one by one so far */
} TgLoad;

void tg_load_init(TgLoad *load, const TgTopology *network);
void tg_load_clear(TgLoad *load);

void tg_load_add_stretch(TgLoad *load, const TgStretch *stretch, int64_t bytes);
void tg_load_add(TgLoad *load, const TgLoadEntry *entry, int64_t entries);
/** Empties the load: all links that carried something, in no order; free with g_free(). */
TgLoadEntry *tg_load_take(TgLoad *load, int64_t *entries);
/** Empties the load into `total`, by link. Returns the bytes over the busiest link. */
int64_t tg_load_pour(TgLoad *load, int64_t *total);

#endif
