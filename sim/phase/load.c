#include "load.h"

enum {
  SHORT_STRETCH = 2, /* hops that cost no more than the two ends would */
  FEW = 8            /* links / FEW: so many are listed, and so many hops walked, before all links are gone through */
};

void tg_load_init(TgLoad *load, const TgTopology *network) {
  *load = (TgLoad){.network = network, .sparse = network->links / FEW};
  load->bytes = g_new0(int64_t, network->links + 1);
  load->touched = g_new(int64_t, load->sparse + 1);
}

void tg_load_clear(TgLoad *load) {
  g_free(load->bytes);
  g_free(load->difference);
  g_free(load->touched);
}

static inline void add_to_link(TgLoad *load, int64_t link, int64_t bytes) {
  if (load->bytes[link] == 0) {
    if (load->count < load->sparse) load->touched[load->count] = link;
    load->count++;
  }
  load->bytes[link] += bytes;
}

static void walk_stretch(TgLoad *load, const TgStretch *stretch, int64_t bytes) {
  int32_t place = stretch->low;
  for (int32_t hop = 0; hop < stretch->hops; hop++) {
    add_to_link(load, stretch->line + place * stretch->stride, bytes);
    if (++place == stretch->places) place = 0;
  }
  load->hops += stretch->hops;
}

void tg_load_add_stretch(TgLoad *load, const TgStretch *stretch, int64_t bytes) {
  if (bytes == 0) return;
  if (stretch->hops <= SHORT_STRETCH || load->hops + stretch->hops <= load->sparse) {
    walk_stretch(load, stretch, bytes);
    return;
  }
  if (!load->difference) load->difference = g_new0(int64_t, load->network->links + 1);
  tg_stretch_note_ends(stretch, bytes, load->difference);
}

void tg_load_add(TgLoad *load, const TgLoadEntry *entry, int64_t entries) {
  for (int64_t e = 0; e < entries; e++) add_to_link(load, entry[e].link, entry[e].bytes);
}

/* After this `bytes` is all there is. */
static void settle(TgLoad *load) {
  if (!load->difference) return;
  int64_t *more = load->difference;
  tg_topology_sum_lines(load->network, more);
  for (int64_t l = 0; l < load->network->links; l++) {
    load->count += load->bytes[l] == 0 && more[l] != 0;
    load->bytes[l] += more[l];
  }
  load->count = MAX(load->count, load->sparse + 1); /* the list misses some */
  g_clear_pointer(&load->difference, g_free);
}

/* What may carry something: the list while it is whole, otherwise all links. */
static bool is_listed(const TgLoad *load) {
  return load->count <= load->sparse;
}

static int64_t candidates(const TgLoad *load) {
  return is_listed(load) ? load->count : load->network->links;
}

TgLoadEntry *tg_load_take(TgLoad *load, int64_t *entries) {
  settle(load);
  TgLoadEntry *entry = g_new(TgLoadEntry, load->count + 1);
  int64_t used = 0, most = candidates(load);
  bool listed = is_listed(load);
  for (int64_t i = 0; i < most; i++) {
    int64_t link = listed ? load->touched[i] : i;
    if (load->bytes[link] == 0) continue;
    entry[used++] = (TgLoadEntry){link, load->bytes[link]};
    load->bytes[link] = 0;
  }
  *entries = used;
  load->count = load->hops = 0;
  return entry;
}

int64_t tg_load_pour(TgLoad *load, int64_t *total) {
  settle(load);
  int64_t busiest = 0, most = candidates(load);
  bool listed = is_listed(load);
  for (int64_t i = 0; i < most; i++) {
    int64_t link = listed ? load->touched[i] : i, bytes = load->bytes[link];
    if (bytes == 0) continue;
    busiest = MAX(busiest, bytes);
    total[link] += bytes;
    load->bytes[link] = 0;
  }
  load->count = load->hops = 0;
  return busiest;
}
