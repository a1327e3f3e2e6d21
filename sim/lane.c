#include "lane.h"

#include "sim-error.h"

#include <math.h>

static void free_lane(gpointer data) {
  TgLane *lane = data;
  tg_phase_release(lane->phase);
  g_free(lane->from);
  g_free(lane->to);
  g_free(lane->cost_s);
  g_free(lane->link_bytes);
  g_free(lane->product_s);
  g_free(lane);
}

static TgMachineLink link_numbers(const TgLanes *lanes, int64_t number) {
  TgLink link;
  tg_topology_link(lanes->network, number, &link);
  return tg_machine_link(lanes->machine, lanes->network, link.level, link.axis);
}

/* True where the file gives no level and no axis numbers of its own. */
static bool all_links_alike(const TgMachine *machine) {
  for (int level = 0; level < TG_MAX_LEVELS; level++)
    if (machine->level[level].given) return false;
  for (int axis = 0; axis < TG_MACHINE_AXES; axis++)
    if (machine->axis[axis].given) return false;
  return true;
}

bool tg_lanes_init(TgLanes *lanes, const TgSchedule *schedule, const TgTopology *network, TgEmbeddingKind embedding,
                   const TgMachine *machine, GError **error) {
  TgError failure;
  lanes->network = network;
  lanes->machine = machine;
  lanes->processors = tg_schedule_processors(schedule);
  lanes->known = g_hash_table_new_full(NULL, NULL, NULL, free_lane);
  if (tg_embedding_init(&lanes->embedding, embedding, schedule->dims, schedule->extent, network, &failure) &&
      tg_machine_fits(machine, network, &failure)) {
    lanes->one_link = all_links_alike(machine);
    if (network->links > 0) lanes->common = link_numbers(lanes, 0);
    return true;
  }
  g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT, failure.message);
  return false;
}

void tg_lanes_clear(TgLanes *lanes) {
  if (lanes->known) g_hash_table_unref(lanes->known);
}

typedef struct TgRouteCost {
  double latency_s, per_hop_s, bandwidth_bytes_per_s;
} TgRouteCost;

/* Walks the route: loads its links, and finds the latency of its first link, the hop times of those after it, and the
 * bandwidth of its narrowest. */
static int64_t walk(const TgLanes *lanes, TgLane *lane, int64_t from, int64_t to, int64_t bytes, TgRouteCost *cost) {
  TgRoute route;
  TgHop hop;
  int64_t hops = 0;
  *cost = (TgRouteCost){.bandwidth_bytes_per_s = INFINITY};
  tg_route_begin(&route, lanes->network, from, to);
  while (tg_route_next(&route, &hop)) {
    TgMachineLink numbers = lanes->one_link ? lanes->common : link_numbers(lanes, hop.link);
    lane->link_bytes[hop.link] += bytes;
    if (hops == 0) cost->latency_s = numbers.latency_s;
    if (hops > 0) cost->per_hop_s += numbers.per_hop_s;
    cost->bandwidth_bytes_per_s = fmin(cost->bandwidth_bytes_per_s, numbers.bandwidth_bytes_per_s);
    hops++;
  }
  return hops;
}

static void lay_transfers(const TgLanes *lanes, TgLane *lane) {
  const TgPhase *phase = lane->phase;
  lane->from = g_new(int32_t, phase->transfers + 1);
  lane->to = g_new(int32_t, phase->transfers + 1);
  lane->cost_s = g_new(double, phase->transfers + 1);
  lane->link_bytes = g_new0(int64_t, lanes->network->links + 1);
  for (int64_t t = 0; t < phase->transfers; t++) {
    int64_t from = tg_embedding_node(&lanes->embedding, phase->from[t]);
    int64_t to = tg_embedding_node(&lanes->embedding, phase->to[t]);
    int64_t bytes = phase->bytes ? phase->bytes[t] : phase->uniform_bytes;
    if (from == to) continue;
    TgRouteCost cost;
    int64_t hops = walk(lanes, lane, from, to, bytes, &cost);
    lane->from[lane->transfers] = (int32_t)from;
    lane->to[lane->transfers] = (int32_t)to;
    lane->cost_s[lane->transfers] = cost.latency_s + cost.per_hop_s + (double)bytes / cost.bandwidth_bytes_per_s;
    lane->bytes += bytes;
    lane->hop_bytes += bytes * hops;
    lane->transfers++;
  }
}

static void make_uniform(TgLane *lane) {
  lane->uniform_cost_s = lane->transfers ? lane->cost_s[0] : 0;
  for (int64_t t = 1; t < lane->transfers; t++)
    if (lane->cost_s[t] != lane->uniform_cost_s) return;
  g_clear_pointer(&lane->cost_s, g_free);
}

static void find_form(const TgLanes *lanes, TgLane *lane) {
  int64_t nodes = lanes->network->nodes;
  g_autofree uint8_t *sends = g_new0(uint8_t, nodes), *receives = g_new0(uint8_t, nodes);
  lane->permutation = true;
  for (int64_t t = 0; t < lane->transfers && lane->permutation; t++)
    lane->permutation = !sends[lane->from[t]]++ && !receives[lane->to[t]]++;
  lane->complete = lane->permutation && lane->transfers == nodes && !lane->cost_s;
}

static double product_time(const TgMachine *machine, double flops) {
  int64_t size = (int64_t)llround(cbrt(flops / 2));
  return flops == 0 ? 0 : flops / tg_machine_flops_per_s(machine, MAX(size, 1), MAX(size, 1), MAX(size, 1));
}

static void lay_products(const TgLanes *lanes, TgLane *lane) {
  const TgPhase *phase = lane->phase;
  double uniform = product_time(lanes->machine, phase->uniform_flops);
  lane->product_s = g_new0(double, lanes->network->nodes);
  for (int64_t i = 0; i < phase->products; i++) {
    double flops = phase->flops ? phase->flops[i] : phase->uniform_flops;
    int64_t processor = phase->processor ? phase->processor[i] : i;
    lane->product_s[tg_embedding_node(&lanes->embedding, processor)] +=
        phase->flops ? product_time(lanes->machine, flops) : uniform;
    lane->flops += flops;
  }
  lane->uniform_product_s = lane->product_s[0];
  for (int64_t n = 1; n < lanes->network->nodes; n++)
    if (lane->product_s[n] != lane->uniform_product_s) return;
  g_clear_pointer(&lane->product_s, g_free);
}

TgLane *tg_lanes_find(TgLanes *lanes, TgPhase *phase) {
  TgLane *lane = g_hash_table_lookup(lanes->known, phase);
  if (lane) return lane;
  lane = g_new0(TgLane, 1);
  lane->phase = tg_phase_hold(phase);
  lane->keep = phase->recurs;
  if (phase->transfers) {
    lay_transfers(lanes, lane);
    make_uniform(lane);
    find_form(lanes, lane);
  }
  if (phase->products) lay_products(lanes, lane);
  if (lane->keep) g_hash_table_insert(lanes->known, phase, lane);
  return lane;
}

void tg_lane_done(TgLane *lane) {
  if (!lane->keep) free_lane(lane);
}
