#include "pattern.h"

#include <string.h>

/* One list of transfers from those of all lanes. */
static void join(TgPattern *pattern) {
  pattern->ends = g_new(TgPatternEnds, pattern->transfers);
  if (pattern->lanes > 1) pattern->which = g_new(uint8_t, pattern->transfers);
  for (int l = 0; l < pattern->lanes; l++)
    for (int64_t t = 0; t < pattern->lane[l]->transfers; t++) {
      pattern->ends[pattern->offset[l] + t] = (TgPatternEnds){pattern->lane[l]->from[t], pattern->lane[l]->to[t]};
      if (pattern->which) pattern->which[pattern->offset[l] + t] = (uint8_t)l;
    }
}

/* An array by node where many take part, otherwise a table. A transfer has two nodes, which others may have, too. */
static void make_places(TgPattern *pattern, int64_t nodes) {
  enum { ROOM = 3, BITS = 32 };
  int64_t places = nodes;
  if (2 * ROOM * (int64_t)pattern->transfers < nodes) {
    int bits = 1;
    while ((INT64_C(1) << bits) < ROOM * (int64_t)pattern->transfers) bits++;
    places = INT64_C(1) << bits;
    pattern->places = (int32_t)places;
    pattern->shift = BITS - bits;
    pattern->key = g_new(int32_t, places);
    memset(pattern->key, 0xff, (size_t)places * sizeof *pattern->key);
  }
  pattern->first = g_new(TgPatternFirst, places);
  memset(pattern->first, 0xff, (size_t)places * sizeof *pattern->first);
}

/* The node's place, taken if need be. */
static TgPatternFirst *place_of(TgPattern *pattern, int32_t node) {
  int32_t place = tg_pattern_place(pattern, node);
  if (!pattern->key) return &pattern->first[place];
  while (pattern->key[place] >= 0 && pattern->key[place] != node) place = (place + 1) & (pattern->places - 1);
  pattern->key[place] = node;
  return &pattern->first[place];
}

/* From the back, so that each list is in program order. */
static void find_lists(TgPattern *pattern, int64_t nodes) {
  bool several = false;
  make_places(pattern, nodes);
  pattern->next_out = g_new(int32_t, pattern->transfers);
  pattern->next_in = g_new(int32_t, pattern->transfers);
  for (int32_t t = pattern->transfers - 1; t >= 0; t--) {
    const TgPatternEnds ends = pattern->ends[t];
    TgPatternFirst *sender = place_of(pattern, ends.from), *receiver = place_of(pattern, ends.to);
    pattern->next_out[t] = sender->out;
    pattern->next_in[t] = receiver->in;
    several = several || sender->out >= 0 || receiver->in >= 0;
    sender->out = receiver->in = t;
    sender->to = ends.to;
    receiver->from = ends.from;
  }
  if (several) return;
  g_clear_pointer(&pattern->next_out, g_free);
  g_clear_pointer(&pattern->next_in, g_free);
}

TgPattern *tg_pattern_new(TgLane *const *lane, int lanes, int64_t nodes) {
  TgPattern *pattern = g_new0(TgPattern, 1);
  pattern->references = 1;
  pattern->lanes = lanes;
  pattern->one_hop = true;
  for (int l = 0; l < lanes; l++) {
    pattern->lane[l] = tg_lane_hold(lane[l]);
    pattern->offset[l] = pattern->transfers;
    pattern->transfers += (int32_t)lane[l]->transfers;
    pattern->one_hop = pattern->one_hop && lane[l]->hops_max <= 1;
  }
  pattern->offset[lanes] = pattern->transfers;
  if (pattern->transfers == 0) return pattern;
  join(pattern);
  find_lists(pattern, nodes);
  return pattern;
}

void tg_pattern_release(TgPattern *pattern) {
  if (!pattern || --pattern->references > 0) return;
  g_free(pattern->ends);
  g_free(pattern->which);
  for (int l = 0; l < pattern->lanes; l++) tg_lane_release(pattern->lane[l]);
  g_free(pattern->first);
  g_free(pattern->key);
  g_free(pattern->next_out);
  g_free(pattern->next_in);
  g_free(pattern->first_link);
  g_free(pattern);
}

void tg_pattern_route(TgPattern *pattern, const TgTopology *network) {
  TgRoute route;
  TgHop hop;
  if (pattern->first_link || pattern->transfers == 0) return;
  pattern->first_link = g_new(uint32_t, pattern->transfers);
  for (int32_t t = 0; t < pattern->transfers; t++) {
    tg_route_begin(&route, network, pattern->ends[t].from, pattern->ends[t].to);
    tg_route_next(&route, &hop);
    pattern->first_link[t] = (uint32_t)hop.link;
  }
}
