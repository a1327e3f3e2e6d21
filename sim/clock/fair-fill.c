/* Progressive filling: all levels rise together until a link is full, which fixes the flows on it, and so on.
 *
 * What comes or goes changes nothing below some level, its cut: the filling goes the same way up to there. For a flow
 * that has gone this is its level, since none of its links was full before; for one that has come it is the lowest
 * level at which any of its links can be full. So flows below the cut stay as they are, and what they join is not
 * reached. */
#include "fair-share-private.h"

#include <math.h>

/* Levels that differ by less than this part are one. */
static const double rounding = 1e-12;

static void reach(TgFairShare *fair, int32_t number) {
  TgFairLink *link = &fair->link[number];
  if (link->round == fair->round) return;
  link->round = fair->round;
  tg_numbers_push(&fair->reached, number);
}

static void join(TgFairShare *fair, int32_t number, TgFairFlow *flow) {
  if (flow->round == fair->round) return;
  flow->round = fair->round;
  tg_numbers_push(&fair->joined, number);
  for (int32_t c = 0; c < flow->crossings; c++) reach(fair, flow->crossing[c]);
}

static void open_link(TgFairShare *fair, TgFairLink *link, double cut) {
  link->open = 0;
  link->weight = 0;
  link->left = link->capacity;
  for (int32_t m = 0; m < link->members; m++) {
    TgFairFlow *flow = &fair->flow[link->member[m]];
    if (flow->level < cut) {
      link->left -= flow->rate;
      continue;
    }
    link->open++;
    link->weight += flow->weight;
    join(fair, link->member[m], flow);
  }
}

/* Reaches all links, and joins all flows, that flows from the cut on join to the link. Returns the lowest cut among the
 * links that have changed: if it is lower, this has to be done again with that. */
static double spread(TgFairShare *fair, int32_t number, double cut) {
  double lowest = cut;
  fair->round += 2;
  fair->reached.count = fair->joined.count = 0;
  reach(fair, number);
  for (gsize i = 0; i < fair->reached.count; i++) {
    TgFairLink *link = &fair->link[fair->reached.number[i]];
    if (link->changed) lowest = fmin(lowest, link->cut);
    open_link(fair, link, cut * (1 - rounding));
  }
  return lowest;
}

static void fix(TgFairShare *fair, int32_t number, double level, double now_s) {
  TgFairFlow *flow = &fair->flow[number];
  double rate = level * flow->weight;
  flow->round++;
  for (int32_t c = 0; c < flow->crossings; c++) {
    TgFairLink *link = &fair->link[flow->crossing[c]];
    link->left -= rate;
    link->weight -= flow->weight;
    link->open--;
  }
  if (fabs(level - flow->level) > rounding * level) tg_fair_flow_set(fair, number, level, now_s);
}

static void fix_members(TgFairShare *fair, const TgFairLink *link, double level, double now_s) {
  for (int32_t m = 0; m < link->members; m++)
    if (fair->flow[link->member[m]].round == fair->round) fix(fair, link->member[m], level, now_s);
}

static void queue_levels(TgFairShare *fair) {
  fair->levels.count = 0;
  for (gsize i = 0; i < fair->reached.count; i++) {
    TgFairLink *link = &fair->link[fair->reached.number[i]];
    link->changed = false;
    if (link->open > 0)
      tg_time_heap_push(&fair->levels,
                        (TgTimed){.time_s = link->left / link->weight, .number = fair->reached.number[i]});
  }
}

/* A link's level never falls while others are fixed, but for rounding, so that a stale one in the queue comes up in
 * time.
 */
static void fill(TgFairShare *fair, double level, double now_s) {
  gsize left = fair->joined.count;
  queue_levels(fair);
  while (left > 0) {
    TgTimed lowest = tg_time_heap_pop(&fair->levels);
    TgFairLink *link = &fair->link[lowest.number];
    if (link->open == 0) continue;
    double full = fmax(level, link->left / link->weight);
    if (fair->levels.count > 0 && full > fair->levels.entry[0].time_s) {
      tg_time_heap_push(&fair->levels, (TgTimed){.time_s = full, .number = lowest.number});
      continue;
    }
    level = full;
    left -= (gsize)link->open;
    fix_members(fair, link, level, now_s);
  }
}

void tg_fair_share_refill(TgFairShare *fair, int32_t link, double now_s) {
  double cut = fair->link[link].cut, lowest;
  while ((lowest = spread(fair, link, cut)) < cut) cut = lowest;
  fill(fair, cut, now_s);
}
