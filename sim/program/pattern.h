/** @file pattern.h
 * Private to sim/: what is the same at every execution of a stage: the transfers of one phase, or of several that run
 * together, and which of them each node takes part in. */
#ifndef TG_PATTERN_H
#define TG_PATTERN_H

#include "lane.h"

enum { TG_PATTERN_LANES = 32 /**< phases that run together */ };

typedef struct TgPatternEnds {
  int32_t from, to;
} TgPatternEnds;

typedef struct TgPatternFirst {
  int32_t out, in;
  int32_t to, from; /**< their other ends */
} TgPatternFirst;

/** Linked lists hold the transfers of one node in program order, by number; -1 ends one. */
typedef struct TgPattern {
  TgLane *lane[TG_PATTERN_LANES];
  int lanes;
  int32_t offset[TG_PATTERN_LANES + 1]; /**< by lane: its first transfer */
  int32_t transfers;
  TgPatternEnds *ends;         /**< by transfer: its nodes */
  uint8_t *which;              /**< by transfer: its lane; NULL where there is one */
  TgPatternFirst *first;       /**< NULL where there are no transfers; see tg_pattern_first() */
  int32_t *key;                /**< by place in `first`: its node, -1 none; NULL where `first` is by node */
  int shift;                   /**< of the hash of a node, where there are keys */
  int32_t places;              /**< of `first`, then a power of two */
  int32_t *next_out, *next_in; /**< by transfer; NULL where no node sends twice and none receives twice */
  uint32_t *first_link;        /**< by transfer; see tg_pattern_route() */
  bool one_hop;                /**< all transfers take one hop */
  double hop_s;                /**< forward.c's: time of every hop, 0 not known yet, negative where they differ */
  int references;
} TgPattern;

/** Where few nodes take part, `first` is a hash table with linear probing: this is where the node's place may begin. */
static inline int32_t tg_pattern_place(const TgPattern *pattern, int64_t node) {
  return pattern->key ? (int32_t)((uint32_t)node * UINT32_C(2654435769) >> pattern->shift) : (int32_t)node;
}

/** The transfers of a node, where there are transfers at all. */
static inline const TgPatternFirst *tg_pattern_first(const TgPattern *pattern, int64_t node) {
  static const TgPatternFirst none = {-1, -1, -1, -1};
  int32_t place = tg_pattern_place(pattern, node);
  if (!pattern->key) return &pattern->first[place];
  for (; pattern->key[place] >= 0; place = (place + 1) & (pattern->places - 1))
    if (pattern->key[place] == node) return &pattern->first[place];
  return &none;
}

/** The pattern of `lanes` phases. */
TgPattern *tg_pattern_new(TgLane *const *lane, int lanes, int64_t nodes);
void tg_pattern_release(TgPattern *pattern);
/** Finds the first link of every transfer. */
void tg_pattern_route(TgPattern *pattern, const TgTopology *network);

static inline const TgLane *tg_pattern_lane(const TgPattern *pattern, int32_t transfer) {
  return pattern->lane[pattern->which ? pattern->which[transfer] : 0];
}

static inline int64_t tg_pattern_bytes(const TgPattern *pattern, int32_t transfer) {
  int number = pattern->which ? pattern->which[transfer] : 0;
  const TgLane *lane = pattern->lane[number];
  return tg_lane_bytes(lane, transfer - pattern->offset[number]);
}

#endif
