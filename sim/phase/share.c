#include "share.h"

#include <math.h>

/** A message on a link of an outer level. */
typedef struct Crossing {
  int64_t link;
  int64_t transfer;
  int64_t before; /* the one before it on the link, -1 where there is none */
} Crossing;

void tg_lanes_share_begin(TgLanes *lanes) {
  const int64_t links = lanes->network->links - lanes->network->level[1].link_base;
  lanes->crossing = g_new(int64_t, links + 1);
  for (int64_t l = 0; l < links; l++) lanes->crossing[l] = -1;
}

static const TgMachineLink *numbers_of(const TgLanes *lanes, int64_t link) {
  TgLink at;
  tg_topology_link(lanes->network, link, &at);
  return &lanes->link[at.level][at.axis];
}

/* One for both directions of a cable that is half duplex. */
static int64_t shared_link(const TgLanes *lanes, int64_t link) {
  return lanes->half && numbers_of(lanes, link)->duplex == TG_DUPLEX_HALF ? link / 2 * 2 : link;
}

/* The narrowest link of each message by itself, and what crosses the outer levels; of each link the last is noted. */
static GArray *follow_routes(TgLanes *lanes, TgLane *lane) {
  GArray *crossings = g_array_new(FALSE, FALSE, sizeof(Crossing));
  const int64_t outer = lanes->network->level[1].link_base;
  for (int64_t t = 0; t < lane->transfers; t++) {
    TgRoute route;
    TgStretch stretch;
    TgHop hop;
    const double bytes = (double)tg_lane_bytes(lane, t);
    double byte_s = 0;
    tg_route_begin(&route, lanes->network, lane->from[t], lane->to[t]);
    while (tg_route_next(&route, &hop)) {
      if (hop.link < outer) continue;
      const int64_t link = shared_link(lanes, hop.link);
      const Crossing crossing = {link, t, lanes->crossing[link - outer]};
      lanes->crossing[link - outer] = crossings->len;
      g_array_append_val(crossings, crossing);
    }
    tg_route_begin(&route, lanes->network, lane->from[t], lane->to[t]);
    while (tg_route_next_stretch(&route, &stretch))
      byte_s =
          MAX(byte_s, 1 / tg_link_protocol(&lanes->link[stretch.level][stretch.axis], bytes).bandwidth_bytes_per_s);
    lane->byte_s[t] = byte_s;
  }
  return crossings;
}

/* How many of a link's messages are under way at once: a node with one port has one, as sender and as receiver. */
static int64_t at_once(TgLanes *lanes, const TgLane *lane, const Crossing *crossing, int64_t last) {
  const TgPorts ports = lanes->machine->port.ports;
  int64_t messages = 0, senders = 0, receivers = 0;
  lanes->laid++;
  for (int64_t c = last; c >= 0; c = crossing[c].before) {
    const int32_t from = lane->from[crossing[c].transfer], to = lane->to[crossing[c].transfer];
    messages++;
    senders += lanes->sends[from] != lanes->laid;
    receivers += lanes->receives[to] != lanes->laid;
    lanes->sends[from] = lanes->receives[to] = lanes->laid;
  }
  return ports == TG_PORTS_ALL ? messages : ports == TG_PORTS_FETCH ? receivers : MIN(senders, receivers);
}

/* What each message takes now. */
static void find_costs(const TgLanes *lanes, TgLane *lane) {
  for (int64_t t = 0; t < lane->transfers; t++) {
    const int64_t bytes = tg_lane_bytes(lane, t);
    const TgWay way = tg_lanes_way(lanes, lane->from[t], lane->to[t], bytes, false);
    tg_lane_set_cost(lane, t, way.latency_s + (double)bytes * lane->byte_s[t]);
  }
}

void tg_lane_share(TgLanes *lanes, TgLane *lane) {
  lane->byte_s = g_new(double, lane->transfers + 1);
  g_autoptr(GArray) crossings = follow_routes(lanes, lane);
  const Crossing *crossing = (const Crossing *)crossings->data;
  for (guint i = 0; i < crossings->len; i++) {
    int64_t *last = &lanes->crossing[crossing[i].link - lanes->network->level[1].link_base];
    if (*last < 0) continue; /* its link is done */
    const TgMachineLink *link = numbers_of(lanes, crossing[i].link);
    const double byte_s = (double)at_once(lanes, lane, crossing, *last) / tg_link_capacity(link);
    for (int64_t c = *last; c >= 0; c = crossing[c].before) {
      const int64_t t = crossing[c].transfer;
      if (isinf(tg_link_protocol(link, (double)tg_lane_bytes(lane, t)).bandwidth_bytes_per_s)) continue;
      lane->byte_s[t] = MAX(lane->byte_s[t], byte_s);
    }
    *last = -1;
  }
  find_costs(lanes, lane);
}
