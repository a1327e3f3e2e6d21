#include "loggp-message.h"

#include <math.h>

/* L and G of a transfer. */
typedef struct TgWire {
  double latency_s, byte_s, alone_byte_s;
} TgWire;

static TgWire wire_of(const TgLanes *lanes, const TgLane *lane, int64_t transfer, int64_t bytes) {
  const TgMachineProtocol common = tg_link_protocol(&lanes->common, (double)bytes);
  const double common_byte_s = 1 / common.bandwidth_bytes_per_s;
  if (tg_loggp_is_plain(lanes)) return (TgWire){common.latency_s, common_byte_s, common_byte_s};
  TgWire wire = {0, 0, 0};
  TgRoute route;
  TgHop hop;
  tg_route_begin(&route, lanes->network, lane->from[transfer], lane->to[transfer]);
  while (tg_route_next(&route, &hop)) {
    TgLink link;
    tg_topology_link(lanes->network, hop.link, &link);
    const TgMachineProtocol protocol = tg_link_protocol(&lanes->link[link.level][link.axis], (double)bytes);
    wire.latency_s = fmax(wire.latency_s, protocol.latency_s);
    wire.alone_byte_s = fmax(wire.alone_byte_s, 1 / protocol.bandwidth_bytes_per_s);
  }
  wire.byte_s = lane->byte_s ? lane->byte_s[transfer] : wire.alone_byte_s;
  return wire;
}

TgLogGpCost tg_loggp_cost(const TgLanes *lanes, const TgLane *lane, int64_t transfer) {
  const int64_t bytes = tg_lane_bytes(lane, transfer);
  const TgWire wire = wire_of(lanes, lane, transfer, bytes);
  const double rest = (double)MAX(bytes - 1, 0);
  return (TgLogGpCost){lanes->machine->port.overhead_s, wire.latency_s, rest * wire.byte_s, rest * wire.alone_byte_s};
}

/* Before it was sent, the bytes of the node's last message went out; then came the gap. Overhead that falls during a
 * product is charged after it. */
void tg_loggp_note_send(TgAccount *account, const TgLogGpMessage *message, double gap_s, double at_s) {
  TgTimeParts *parts = tg_account_now(account);
  tg_account_to(account, &parts->bytes_s, message->begin_s - gap_s);
  tg_account_to(account, &parts->latency_s, message->begin_s);
  tg_account_to(account, &parts->latency_s, at_s);
}

void tg_loggp_note_receive(TgAccount *account, const TgLogGpMessage *message, double gap_s, double end_s, double at_s) {
  TgTimeParts *parts = tg_account_now(account);
  tg_account_to(account, &parts->waiting_s, message->begin_s);
  tg_account_to(account, &parts->latency_s, message->arrival_s);
  tg_account_to(account, &parts->waiting_s, message->room_s);
  tg_account_to(account, &parts->contention_s, end_s - message->overhead_s - message->rest_s - gap_s);
  tg_account_to(account, &parts->latency_s, end_s - message->overhead_s - message->rest_s);
  tg_account_to(account, &parts->bytes_s, end_s - message->overhead_s - (message->rest_s - message->alone_s));
  tg_account_to(account, &parts->contention_s, end_s - message->overhead_s);
  tg_account_to(account, &parts->latency_s, at_s);
}
