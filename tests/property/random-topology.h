/* Random networks, and what the tests build from their links alone. */
#ifndef RANDOM_TOPOLOGY_H
#define RANDOM_TOPOLOGY_H

#include "topology.h"

#include <glib.h>

static inline int random_extent(int kind, int largest) {
  return kind == TG_HYPERCUBE ? g_test_rand_int_range(1, 7) : g_test_rand_int_range(1, largest + 1);
}

/* Appends a random level; a later level is set apart by a star. Around a dragonfly there is none. */
static inline void append_level(GString *text, int largest, bool last) {
  int kind = g_test_rand_int_range(0, last ? TG_NETWORK_KINDS : TG_DRAGONFLY);
  const TgNetworkKindInfo *info = tg_network_kind_info(kind);
  int dims = g_test_rand_int_range(info->min_dims, info->max_dims + 1);
  g_string_append_printf(text, "%s%s", text->len ? "*" : "", info->name);
  for (int axis = 0; axis < dims; axis++)
    g_string_append_printf(text, "%c%d", axis ? 'x' : ':', random_extent(kind, dims > 2 ? largest - 2 : largest));
}

/* A network of 1..levels levels with at most `nodes` nodes; returns its text. */
static inline char *random_topology(TgTopology *topology, int levels, int nodes) {
  for (;;) {
    GString *text = g_string_new(NULL);
    int count = g_test_rand_int_range(1, levels + 1);
    for (int level = 0; level < count; level++) append_level(text, count > 1 ? 4 : 7, level == count - 1);
    TgError error;
    if (!tg_topology_parse(topology, text->str, &error)) g_error("%s", error.message);
    if (topology->nodes <= nodes) return g_string_free(text, FALSE);
    g_string_free(text, TRUE);
  }
}

/* Hops from one vertex to all others along the links, -1 where there is no way. */
static inline int *breadth_first(const TgTopology *topology, int start) {
  int *hops = g_new(int, topology->vertices);
  for (int v = 0; v < topology->vertices; v++) hops[v] = -1;
  hops[start] = 0;
  for (int distance = 0, found = 1; found; distance++) {
    found = 0;
    for (int64_t id = 0; id < topology->links; id++) {
      TgLink link;
      tg_topology_link(topology, id, &link);
      if (hops[link.from] != distance || hops[link.to] >= 0) continue;
      hops[link.to] = distance + 1;
      found = 1;
    }
  }
  return hops;
}

#endif
