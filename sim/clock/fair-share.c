#include "fair-share.h"

#include "numbers.h"
#include "time-heap.h"

#include <math.h>

typedef struct TgFairFlow {
  int32_t *crossing; /**< the links it crosses */
  int32_t crossings, room;
  uint32_t serial; /**< changes when the flow is taken */
  uint64_t round;  /**< last round that met it; odd once the round has fixed its rate */
  double weight;
  double level; /**< rate / weight; INFINITY before the first update */
  double rate;
  double amount, since_s; /**< what is left at that time */
  double end_s, queued_s; /**< its event is no later than its end */
} TgFairFlow;

typedef struct TgFairLink {
  int32_t *member; /**< the flows that cross it, in no order */
  int32_t members, room;
  double capacity;
  double weights; /**< of all members, but for rounding */
  double cut;     /**< if changed: no member below this level is affected */
  bool changed;   /**< has got or lost members since the last update */
  uint64_t round; /**< last round that met it; the rest belongs to that round */
  int32_t open;   /**< members without a rate … */
  double weight;  /**< … their weights together … */
  double left;    /**< … and what the others leave to them */
} TgFairLink;

struct TgFairShare {
  TgFairLink *link;
  int64_t links;
  TgFairFlow *flow;
  int32_t flows, flow_room;
  TgNumbers unused;          /**< flows whose numbers may be given out again */
  TgNumbers come;            /**< flows, since the last update */
  TgNumbers changed;         /**< links, since the last update */
  TgNumbers reached, joined; /**< links and flows of the round */
  TgTimeHeap levels;         /**< of the round: levels at which links are full, as times */
  TgTimeHeap ends;           /**< stamped with the flow's serial */
  uint64_t round;            /**< even */
};

TgFairShare *tg_fair_share_new(int64_t links, const double *capacity) {
  TgFairShare *fair = g_new0(TgFairShare, 1);
  fair->links = links;
  fair->link = g_new0(TgFairLink, links + 1);
  for (int64_t l = 0; l < links; l++) fair->link[l].capacity = capacity[l];
  return fair;
}

void tg_fair_share_free(TgFairShare *fair) {
  if (!fair) return;
  TgNumbers *numbers[] = {&fair->unused, &fair->come, &fair->changed, &fair->reached, &fair->joined};
  for (gsize n = 0; n < G_N_ELEMENTS(numbers); n++) g_free(numbers[n]->number);
  for (int64_t l = 0; l < fair->links; l++) g_free(fair->link[l].member);
  for (int32_t f = 0; f < fair->flows; f++) g_free(fair->flow[f].crossing);
  g_free(fair->link);
  g_free(fair->flow);
  tg_time_heap_clear(&fair->levels);
  tg_time_heap_clear(&fair->ends);
  g_free(fair);
}

/* --- coming and going -------------------------------------------------------------------------------------------- */

static int32_t new_number(TgFairShare *fair) {
  if (fair->unused.count > 0) return fair->unused.number[--fair->unused.count];
  if (fair->flows == fair->flow_room) {
    fair->flow_room = MAX(2 * fair->flow_room, 64);
    fair->flow = g_renew(TgFairFlow, fair->flow, fair->flow_room);
  }
  fair->flow[fair->flows] = (TgFairFlow){0};
  return fair->flows++;
}

static void change(TgFairShare *fair, int32_t number) {
  TgFairLink *link = &fair->link[number];
  if (link->changed) return;
  link->changed = true;
  link->cut = INFINITY;
  tg_numbers_push(&fair->changed, number);
}

static void cross(TgFairShare *fair, int32_t flow_number, int32_t link_number) {
  TgFairFlow *flow = &fair->flow[flow_number];
  TgFairLink *link = &fair->link[link_number];
  if (link->members == link->room) {
    link->room = MAX(2 * link->room, 2);
    link->member = g_renew(int32_t, link->member, link->room);
  }
  flow->crossing[flow->crossings++] = link_number;
  link->member[link->members++] = flow_number;
  link->weights += flow->weight;
}

/* A link without limit holds nobody up, so that it need not know of the flow. */
int32_t tg_fair_share_add(TgFairShare *fair, const int32_t *link, int32_t count, double weight, double amount,
                          double now_s) {
  int32_t number = new_number(fair);
  TgFairFlow *flow = &fair->flow[number];
  if (flow->room < count) {
    flow->room = MAX(count, 2 * flow->room);
    flow->crossing = g_renew(int32_t, flow->crossing, flow->room);
  }
  flow->crossings = 0;
  flow->weight = weight;
  flow->level = INFINITY;
  flow->rate = 0;
  flow->amount = amount;
  flow->since_s = now_s;
  flow->end_s = flow->queued_s = INFINITY;
  for (int32_t c = 0; c < count; c++)
    if (!isinf(fair->link[link[c]].capacity)) cross(fair, number, link[c]);
  tg_numbers_push(&fair->come, number);
  return number;
}

static void leave(TgFairShare *fair, int32_t flow_number, int32_t link_number) {
  const TgFairFlow *flow = &fair->flow[flow_number];
  TgFairLink *link = &fair->link[link_number];
  int32_t place = --link->members;
  if (place == 0) {
    link->weights = 0;
    return;
  }
  while (link->member[place] != flow_number) place--;
  link->member[place] = link->member[link->members];
  link->weights -= flow->weight;
  change(fair, link_number);
  link->cut = fmin(link->cut, flow->level);
}

/* --- rates ------------------------------------------------------------------------------------------------------- */

static void set_level(TgFairShare *fair, int32_t number, double level, double now_s) {
  TgFairFlow *flow = &fair->flow[number];
  if (flow->rate > 0) flow->amount = fmax(0, flow->amount - flow->rate * (now_s - flow->since_s));
  flow->level = level;
  flow->rate = level * flow->weight;
  flow->since_s = now_s;
  flow->end_s = now_s + flow->amount / flow->rate;
  if (flow->end_s >= flow->queued_s) return;
  flow->queued_s = flow->end_s;
  tg_time_heap_push(&fair->ends, (TgTimed){.time_s = flow->end_s, .number = number, .stamp = flow->serial});
}

/* --- filling ----------------------------------------------------------------------------------------------------- */

/* Progressive filling: all levels rise together until a link is full, which fixes the flows on it, and so on.
 *
 * What comes or goes changes nothing below some level, its cut: the filling goes the same way up to there. For a flow
 * that has gone this is its level, since none of its links was full before; for one that has come it is the lowest
 * level at which any of its links can be full. So flows below the cut stay as they are, and what they join is not
 * reached. */

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
  if (fabs(level - flow->level) > rounding * level) set_level(fair, number, level, now_s);
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

/* New rates for all that the change of this link, or the new flow, affects; what the change of another link affects
 * together with it is done, too. */
static void refill(TgFairShare *fair, int32_t link, double now_s) {
  double cut = fair->link[link].cut, lowest;
  while ((lowest = spread(fair, link, cut)) < cut) cut = lowest;
  fill(fair, cut, now_s);
}

/* --- updates ----------------------------------------------------------------------------------------------------- */

/* The flow alone on its links: its narrowest link is all its own. */
static bool run_alone(TgFairShare *fair, int32_t number, double now_s) {
  const TgFairFlow *flow = &fair->flow[number];
  double rate = INFINITY;
  for (int32_t c = 0; c < flow->crossings; c++) {
    const TgFairLink *link = &fair->link[flow->crossing[c]];
    if (link->members > 1) return false;
    rate = fmin(rate, link->capacity);
  }
  set_level(fair, number, rate / flow->weight, now_s);
  return true;
}

/* At the lowest, a link is full when all its members are held up by it alone; a little lower, for rounding in the sum
 * of the weights. */
static void note_come(TgFairShare *fair, int32_t number) {
  const TgFairFlow *flow = &fair->flow[number];
  for (int32_t c = 0; c < flow->crossings; c++) {
    TgFairLink *link = &fair->link[flow->crossing[c]];
    change(fair, flow->crossing[c]);
    link->cut = fmin(link->cut, (1 - 1e-6) * link->capacity / link->weights);
  }
}

void tg_fair_share_update(TgFairShare *fair, double now_s) {
  for (gsize i = 0; i < fair->come.count; i++)
    if (!run_alone(fair, fair->come.number[i], now_s)) note_come(fair, fair->come.number[i]);
  for (gsize i = 0; i < fair->changed.count; i++)
    if (fair->link[fair->changed.number[i]].changed) refill(fair, fair->changed.number[i], now_s);
  fair->come.count = fair->changed.count = 0;
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

/* Whether the first event is of no account; one that comes too early for its flow is queued anew. */
static bool is_stale(TgFairShare *fair) {
  TgTimed first = fair->ends.entry[0];
  TgFairFlow *flow = &fair->flow[first.number];
  if (flow->serial != first.stamp || flow->queued_s != first.time_s) return true;
  if (flow->end_s <= first.time_s) return false;
  flow->queued_s = flow->end_s;
  tg_time_heap_push(&fair->ends, (TgTimed){.time_s = flow->end_s, .number = first.number, .stamp = first.stamp});
  return true;
}

double tg_fair_share_next_s(TgFairShare *fair) {
  while (fair->ends.count > 0 && is_stale(fair)) tg_time_heap_pop(&fair->ends);
  return fair->ends.count > 0 ? fair->ends.entry[0].time_s : INFINITY;
}

bool tg_fair_share_take(TgFairShare *fair, double until_s, int32_t *number, double *end_s) {
  if (tg_fair_share_next_s(fair) > until_s || fair->ends.count == 0) return false;
  *number = tg_time_heap_pop(&fair->ends).number;
  TgFairFlow *flow = &fair->flow[*number];
  *end_s = flow->end_s;
  flow->serial++;
  for (int32_t c = 0; c < flow->crossings; c++) leave(fair, *number, flow->crossing[c]);
  tg_numbers_push(&fair->unused, *number);
  return true;
}

double tg_fair_share_rate(const TgFairShare *fair, int32_t flow) {
  return fair->flow[flow].rate;
}
