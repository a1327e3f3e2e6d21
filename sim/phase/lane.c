#include "lane.h"

#include "share.h"
#include "sim-error.h"
#include "sum.h"

#include <math.h>
#include <string.h>

TgLane *tg_lane_hold(TgLane *lane) {
  lane->references++;
  return lane;
}

void tg_lane_release(TgLane *lane) {
  if (--lane->references > 0) return;
  if (lane->receiver != lane->to) g_free(lane->receiver);
  if (!lane->lent) {
    g_free(lane->from);
    g_free(lane->to);
    g_free(lane->sizes);
  }
  g_free(lane->sender);
  g_free(lane->cost_s);
  g_free(lane->byte_s);
  g_free(lane->load);
  g_free(lane->product_s);
  tg_phase_release(lane->phase);
  g_free(lane);
}

static void pair_nodes(TgLane *lane) {
  bool in_order = true;
  for (int64_t t = 0; t < lane->transfers && in_order; t++) in_order = lane->from[t] == t;
  lane->receiver = in_order ? lane->to : g_new(int32_t, lane->transfers);
  lane->sender = g_new(int32_t, lane->transfers);
  for (int64_t t = 0; t < lane->transfers; t++) {
    if (!in_order) lane->receiver[lane->from[t]] = lane->to[t];
    lane->sender[lane->to[t]] = lane->from[t];
  }
}

static void look_up_links(TgLanes *lanes) {
  for (int level = 0; level < lanes->network->levels; level++)
    for (int axis = 0; axis < tg_level_axes(&lanes->network->level[level]); axis++)
      lanes->link[level][axis] = tg_machine_link(lanes->machine, lanes->network, level, axis);
  lanes->half = tg_machine_has_half_duplex(lanes->machine, lanes->network);
  lanes->common = lanes->link[0][0];
}

void tg_lanes_list_links(TgLanes *lanes) {
  if (lanes->one_link) return;
  lanes->by_link = g_new(const TgMachineLink *, lanes->network->links);
  for (int64_t l = 0; l < lanes->network->links; l++) {
    TgLink link;
    tg_topology_link(lanes->network, l, &link);
    lanes->by_link[l] = &lanes->link[link.level][link.axis];
  }
}

static void place_processors(TgLanes *lanes) {
  bool by_number = true;
  lanes->node = g_new(int32_t, lanes->processors);
  for (int64_t p = 0; p < lanes->processors; p++) {
    lanes->node[p] = (int32_t)tg_embedding_node(&lanes->embedding, p);
    by_number = by_number && lanes->node[p] == p;
  }
  if (by_number) g_clear_pointer(&lanes->node, g_free);
}

bool tg_links_alike(const TgMachine *machine) {
  for (int level = 0; level < TG_MAX_LEVELS; level++)
    if (machine->level[level].given) return false;
  for (int axis = 0; axis < TG_MACHINE_AXES; axis++)
    if (machine->axis[axis].given) return false;
  return true;
}

static void find_idle(TgLanes *lanes) {
  int64_t idle = lanes->network->nodes;
  lanes->idle = g_malloc((gsize)idle);
  memset(lanes->idle, 1, (size_t)idle);
  for (int64_t p = 0; p < lanes->processors; p++) {
    uint8_t *at = &lanes->idle[lanes->node ? lanes->node[p] : p];
    idle -= *at;
    *at = 0;
  }
  if (idle == 0) g_clear_pointer(&lanes->idle, g_free);
}

bool tg_lanes_init(TgLanes *lanes, const TgSchedule *schedule, const TgTopology *network, TgEmbeddingKind embedding,
                   const TgMachine *machine, bool links_apart, GError **error) {
  TgError failure;
  lanes->shares = links_apart && network->levels > 1;
  lanes->network = network;
  lanes->machine = machine;
  lanes->processors = tg_schedule_processors(schedule);
  lanes->known = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)tg_lane_release);
  if (tg_embedding_init(&lanes->embedding, embedding, schedule->dims, schedule->extent, network, &failure) &&
      tg_machine_fits(machine, network, &failure)) {
    lanes->one_link = tg_links_alike(machine);
    look_up_links(lanes);
    place_processors(lanes);
    find_idle(lanes);
    lanes->sends = g_new0(uint32_t, network->nodes);
    lanes->receives = g_new0(uint32_t, network->nodes);
    tg_load_init(&lanes->load, network);
    if (lanes->shares) tg_lanes_share_begin(lanes);
    return true;
  }
  return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure.message);
}

void tg_lanes_clear(TgLanes *lanes) {
  if (lanes->known) g_hash_table_unref(lanes->known);
  g_free(lanes->by_link);
  g_free(lanes->node);
  g_free(lanes->idle);
  g_free(lanes->crossing);
  g_free(lanes->sends);
  g_free(lanes->receives);
  tg_load_clear(&lanes->load);
  tg_load_clear(&lanes->scratch);
}

/** What a message meets on its way. */
typedef struct Links {
  int64_t hops;
  double latency_s;             /* the largest of any link … */
  double per_hop_s;             /* … and the hop times of all but the first, together */
  double bandwidth_bytes_per_s; /* the smallest of any link */
} Links;

static TgMachineProtocol add_stretch(const TgLanes *lanes, const TgStretch *stretch, int64_t bytes, Links *links) {
  const TgMachineLink *link = &lanes->link[stretch->level][stretch->axis];
  const TgMachineProtocol protocol = tg_link_protocol(link, (double)bytes);
  links->latency_s = fmax(links->latency_s, protocol.latency_s);
  links->per_hop_s += (double)(stretch->hops - (links->hops == 0)) * link->per_hop_s;
  if (protocol.bandwidth_bytes_per_s < links->bandwidth_bytes_per_s)
    links->bandwidth_bytes_per_s = protocol.bandwidth_bytes_per_s;
  links->hops += stretch->hops;
  return protocol;
}

/* The route, stretch by stretch: loads its links, and finds what the message takes. */
static int64_t follow_route(const TgLanes *lanes, TgLoad *load, int64_t from, int64_t to, int64_t bytes,
                            double *cost_s) {
  TgRoute route;
  TgStretch stretch;
  Links links = {0, 0, 0, INFINITY};
  tg_route_begin(&route, lanes->network, from, to);
  while (tg_route_next_stretch(&route, &stretch)) {
    add_stretch(lanes, &stretch, bytes, &links);
    tg_load_add_stretch(load, &stretch, bytes);
  }
  *cost_s = links.latency_s + links.per_hop_s + (double)bytes / links.bandwidth_bytes_per_s;
  return links.hops;
}

TgWay tg_lanes_way(const TgLanes *lanes, int64_t from, int64_t to, int64_t bytes, bool each_hop) {
  TgWay way = {0, 0};
  TgRoute route;
  TgStretch stretch;
  Links links = {0, 0, 0, INFINITY};
  tg_route_begin(&route, lanes->network, from, to);
  while (tg_route_next_stretch(&route, &stretch)) {
    const TgMachineProtocol protocol = add_stretch(lanes, &stretch, bytes, &links);
    way.latency_s += stretch.hops * protocol.latency_s;
    way.bytes_s += stretch.hops * ((double)bytes / protocol.bandwidth_bytes_per_s);
  }
  return each_hop ? way : (TgWay){links.latency_s + links.per_hop_s, (double)bytes / links.bandwidth_bytes_per_s};
}

/* Where processors and nodes have the same numbers, the lane's lists are the phase's. */
static void begin_lists(const TgLanes *lanes, TgLane *lane) {
  const TgPhase *phase = lane->phase;
  lane->lent = !lanes->node;
  if (lane->lent) {
    lane->from = phase->from;
    lane->to = phase->to;
    lane->sizes = phase->bytes;
    return;
  }
  lane->from = g_new(int32_t, phase->transfers + 1);
  lane->to = g_new(int32_t, phase->transfers + 1);
  lane->sizes = phase->bytes ? g_new(int64_t, phase->transfers + 1) : NULL;
}

/* From the first cost that differs on, there is an array. */
void tg_lane_set_cost(TgLane *lane, int64_t transfer, double cost_s) {
  if (transfer == 0) lane->uniform_cost_s = cost_s;
  if (!lane->cost_s) {
    if (cost_s == lane->uniform_cost_s) return;
    lane->cost_s = g_new(double, lane->phase->transfers + 1);
    for (int64_t t = 0; t < transfer; t++) lane->cost_s[t] = lane->uniform_cost_s;
  }
  lane->cost_s[transfer] = cost_s;
}

static void lay_transfer(TgLanes *lanes, TgLane *lane, int32_t from, int32_t to, int64_t bytes) {
  double cost_s;
  lanes->bytes = tg_sum(lanes->bytes, bytes);
  if (tg_sum_is_full(lanes->bytes)) return;
  int64_t hops = follow_route(lanes, lane->keep ? &lanes->scratch : &lanes->load, from, to, bytes, &cost_s);
  if (!lanes->shares) tg_lane_set_cost(lane, lane->transfers, cost_s);
  if (!lane->lent) {
    lane->from[lane->transfers] = from;
    lane->to[lane->transfers] = to;
    if (lane->sizes) lane->sizes[lane->transfers] = bytes;
  }
  lane->permutation = lane->permutation && lanes->sends[from] != lanes->laid && lanes->receives[to] != lanes->laid;
  lanes->sends[from] = lanes->receives[to] = lanes->laid;
  lane->bytes += bytes;
  lane->hop_bytes = tg_sum(lane->hop_bytes, tg_sum_times(bytes, hops));
  lane->hops_max = MAX(lane->hops_max, (int32_t)hops);
  lane->transfers++;
}

static void lay_transfers(TgLanes *lanes, TgLane *lane) {
  const TgPhase *phase = lane->phase;
  lanes->laid++;
  lane->permutation = true;
  begin_lists(lanes, lane);
  if (lane->keep && !lanes->scratch.network) tg_load_init(&lanes->scratch, lanes->network);
  for (int64_t t = 0; t < phase->transfers; t++) {
    int32_t from = lanes->node ? lanes->node[phase->from[t]] : phase->from[t];
    int32_t to = lanes->node ? lanes->node[phase->to[t]] : phase->to[t];
    if (from != to) lay_transfer(lanes, lane, from, to, phase->bytes ? phase->bytes[t] : phase->uniform_bytes);
  }
  if (lanes->shares && lane->transfers > 0) tg_lane_share(lanes, lane);
  lane->complete = lane->permutation && lane->transfers == lanes->network->nodes && !lane->cost_s;
  if (!lane->keep) return;
  if (lane->complete) pair_nodes(lane);
  lane->load = tg_load_take(&lanes->scratch, &lane->loads);
}

static double product_time(const TgMachine *machine, const TgPhase *phase, const TgProductSize *size) {
  return phase->sums ? tg_machine_sum_s(machine, (double)size->m * (double)size->n)
                     : tg_machine_product_s(machine, size->m, size->n, size->k);
}

static void lay_products(const TgLanes *lanes, TgLane *lane) {
  const TgPhase *phase = lane->phase;
  double uniform = product_time(lanes->machine, phase, &phase->uniform_size);
  if (!lanes->node && !phase->processor && !phase->size && phase->products == lanes->network->nodes) {
    lane->uniform_product_s = uniform;
    lane->flops = (double)phase->products * tg_product_flops(&phase->uniform_size);
    return;
  }
  lane->product_s = g_new0(double, lanes->network->nodes);
  for (int64_t i = 0; i < phase->products; i++) {
    const TgProductSize *size = tg_phase_product(phase, i);
    int64_t processor = phase->processor ? phase->processor[i] : i;
    lane->product_s[(lanes->node ? lanes->node[processor] : processor)] +=
        phase->size ? product_time(lanes->machine, phase, size) : uniform;
    lane->flops += tg_product_flops(size);
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
  lane->references = 1;
  lane->phase = tg_phase_hold(phase);
  lane->keep = phase->recurs;
  if (phase->transfers) lay_transfers(lanes, lane);
  if (phase->products) lay_products(lanes, lane);
  if (lane->keep) g_hash_table_insert(lanes->known, phase, lane);
  return lane;
}
