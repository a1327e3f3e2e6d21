#include "fair-share-private.h"

#include <math.h>

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

/* --- coming and going ----------------------------------------------------------------------------------------------
 */

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

/* --- rates ---------------------------------------------------------------------------------------------------------
 */

void tg_fair_flow_set(TgFairShare *fair, int32_t number, double level, double now_s) {
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

/* The flow alone on its links: its narrowest link is all its own. */
static bool run_alone(TgFairShare *fair, int32_t number, double now_s) {
  const TgFairFlow *flow = &fair->flow[number];
  double rate = INFINITY;
  for (int32_t c = 0; c < flow->crossings; c++) {
    const TgFairLink *link = &fair->link[flow->crossing[c]];
    if (link->members > 1) return false;
    rate = fmin(rate, link->capacity);
  }
  tg_fair_flow_set(fair, number, rate / flow->weight, now_s);
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
    if (fair->link[fair->changed.number[i]].changed) tg_fair_share_refill(fair, fair->changed.number[i], now_s);
  fair->come.count = fair->changed.count = 0;
}

/* --- ends ----------------------------------------------------------------------------------------------------------
 */

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
