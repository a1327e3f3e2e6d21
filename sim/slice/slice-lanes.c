#include "slice-lanes.h"

/* Numbers the nodes that run up to the cut. */
static void number_nodes(TgSliceLanes *slice) {
  slice->nodes = 0;
  for (int64_t n = 0; n < slice->all; n++)
    slice->number[n] =
        tg_slices_stand_in(&slice->slices, slice->schedule, n, slice->cut) == n ? (int32_t)slice->nodes++ : -1;
}

static void free_lane(gpointer data) {
  TgLane *lane = data;
  g_free(lane->from);
  g_free(lane->to);
  g_free(lane->sizes);
  g_free(lane->cost_s);
  g_free(lane->receiver);
  g_free(lane->sender);
  g_free(lane->product_s);
  g_free(lane);
}

void tg_slice_lanes_init(TgSliceLanes *slice, const TgSlices *slices, const TgSchedule *schedule, int64_t all) {
  *slice = (TgSliceLanes){.schedule = schedule, .slices = *slices, .all = all, .nodes = all};
  slice->cut = tg_slices_next(slices, schedule, 0);
  if (slice->cut == INT32_MAX) return;
  slice->lanes = g_hash_table_new_full(NULL, NULL, NULL, free_lane);
  slice->number = g_new(int32_t, slice->all);
  number_nodes(slice);
}

void tg_slice_lanes_clear(TgSliceLanes *slice) {
  if (slice->lanes) g_hash_table_unref(slice->lanes);
  g_free(slice->number);
}

static void take_transfers(const TgSliceLanes *slice, const TgLane *lane, TgLane *own) {
  const gsize room = (gsize)MIN(lane->transfers, slice->nodes * slice->nodes);
  own->from = g_new(int32_t, room);
  own->to = g_new(int32_t, room);
  own->sizes = lane->sizes ? g_new(int64_t, room) : NULL;
  own->cost_s = lane->cost_s ? g_new(double, room) : NULL;
  own->transfers = 0;
  for (int64_t t = 0; t < lane->transfers; t++) {
    const int64_t at = own->transfers;
    if (slice->number[lane->from[t]] < 0) continue;
    own->from[at] = slice->number[lane->from[t]];
    own->to[at] = slice->number[lane->to[t]];
    if (lane->sizes) own->sizes[at] = lane->sizes[t];
    if (lane->cost_s) own->cost_s[at] = lane->cost_s[t];
    own->transfers++;
  }
}

/* The partners of those that run, which run, too. */
static int32_t *take_partners(const TgSliceLanes *slice, const int32_t *partner) {
  int32_t *own = partner ? g_new(int32_t, slice->nodes) : NULL;
  for (int64_t n = 0; own && n < slice->all; n++)
    if (slice->number[n] >= 0) own[slice->number[n]] = slice->number[partner[n]];
  return own;
}

static double *take_times(const TgSliceLanes *slice, const double *time_s) {
  double *own = time_s ? g_new(double, slice->nodes) : NULL;
  for (int64_t n = 0; own && n < slice->all; n++)
    if (slice->number[n] >= 0) own[slice->number[n]] = time_s[n];
  return own;
}

const TgLane *tg_slice_lane(TgSliceLanes *slice, const TgLane *lane) {
  if (!slice->number) return lane;
  TgLane *own = lane->keep ? g_hash_table_lookup(slice->lanes, lane) : NULL;
  if (own) return own;
  own = g_memdup2(lane, sizeof *lane);
  take_transfers(slice, lane, own);
  own->receiver = take_partners(slice, lane->receiver);
  own->sender = take_partners(slice, lane->sender);
  own->product_s = take_times(slice, lane->product_s);
  if (lane->keep) g_hash_table_insert(slice->lanes, (gpointer)lane, own);
  return own;
}

void tg_slice_lane_free(const TgSliceLanes *slice, const TgLane *own) {
  if (slice->number && !own->keep) free_lane((gpointer)own);
}

int32_t *tg_slice_lanes_widen(TgSliceLanes *slice) {
  g_autofree int32_t *before = g_memdup2(slice->number, (gsize)slice->all * sizeof *before);
  const int32_t cut = slice->cut;
  slice->cut = tg_slices_next(&slice->slices, slice->schedule, cut);
  number_nodes(slice);
  g_hash_table_remove_all(slice->lanes);
  int32_t *from = g_new(int32_t, slice->nodes);
  for (int64_t n = 0; n < slice->all; n++)
    if (slice->number[n] >= 0)
      from[slice->number[n]] = before[tg_slices_stand_in(&slice->slices, slice->schedule, n, cut)];
  if (slice->cut == INT32_MAX) g_clear_pointer(&slice->number, g_free);
  return from;
}
