/* Written against the interface S4U of SimGrid 3.32 and 4.0 (H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter,
 * Versatile, scalable, and accurate simulation of distributed applications and platforms, JPDC 74(10), 2014). */
#include "simgrid-run.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#if SIMGRID_VERSION < 40000
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace s4u = simgrid::s4u;

namespace {

/* The transfers of a phase, by processor. */
struct Parts {
  std::vector<std::vector<int64_t>> out, in;
};

struct Run {
  const TgTopology *network;
  std::vector<TgPhase *> phases;
  std::map<const TgPhase *, Parts> parts;
};

Parts parts_of(const TgPhase &phase, int32_t nodes) {
  Parts parts{std::vector<std::vector<int64_t>>(nodes), std::vector<std::vector<int64_t>>(nodes)};
  for (int64_t t = 0; t < phase.transfers; t++) {
    parts.out[phase.from[t]].push_back(t);
    parts.in[phase.to[t]].push_back(t);
  }
  return parts;
}

/* One directed link each way, and the routes of topo/ for the pairs that occur. */
void build_platform(const Run &run, const PeerLinks &numbers) {
#if SIMGRID_VERSION >= 40000
  auto *zone = s4u::Engine::get_instance()->get_netzone_root()->add_netzone_full("network");
#else
  auto *zone = s4u::create_full_zone("network");
#endif
  std::vector<s4u::Host *> host;
  std::vector<s4u::LinkInRoute> link;
  for (int32_t n = 0; n < run.network->nodes; n++) host.push_back(zone->create_host(std::to_string(n), 1e9)->seal());
  for (int64_t l = 0; l < run.network->links; l++)
    link.emplace_back(zone->create_link("link " + std::to_string(l), numbers.bandwidth_bytes_per_s)
                          ->set_latency(numbers.latency_s)
                          ->seal());
  std::map<std::pair<int32_t, int32_t>, bool> known;
  for (const auto &entry : run.parts)
    for (int64_t t = 0; t < entry.first->transfers; t++) {
      int32_t from = entry.first->from[t], to = entry.first->to[t];
      if (!known.emplace(std::make_pair(from, to), true).second) continue;
      std::vector<s4u::LinkInRoute> route;
      TgRoute way;
      TgHop hop;
      tg_route_begin(&way, run.network, from, to);
      while (tg_route_next(&way, &hop)) route.push_back(link[hop.link]);
      zone->add_route(host[from]->get_netpoint(), host[to]->get_netpoint(), nullptr, nullptr, route, false);
    }
  zone->seal();
}

/* SimGrid reads its clusters from files; since 4.0 a cluster is part of a zone. */
void load_fat_tree(s4u::Engine &engine, int32_t nodes, const PeerLinks &numbers) {
  const char *path = "fat-tree.xml";
  std::ofstream file(path);
  file << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform "
          "version='4.1'>\n"
       << "<zone id='world' routing='Full'><cluster id='tree' prefix='' suffix='' radical='0-" << nodes - 1
       << "' speed='1Gf' topology='FAT_TREE' "
       << "topo_parameters='" << numbers.fat_tree << "' bw='" << numbers.bandwidth_bytes_per_s << "Bps' lat='"
       << numbers.latency_s << "s' sharing_policy='SPLITDUPLEX'/></zone>\n</platform>\n";
  file.close();
  engine.load_platform(path);
  std::remove(path);
}

s4u::Mailbox *mailbox_of(const TgPhase &phase, int64_t transfer) {
  return s4u::Mailbox::by_name(std::to_string(phase.from[transfer]) + ">" + std::to_string(phase.to[transfer]));
}

void take_part(const TgPhase &phase, const std::vector<int64_t> &out, const std::vector<int64_t> &in) {
  static char parcel;
  char *arrived;
  size_t sent = 0, received = 0;
  std::vector<s4u::CommPtr> under_way;
  std::vector<bool> sends;
  auto send = [&] {
    if (sent == out.size()) return;
    int64_t t = out[sent++];
    uint64_t bytes = static_cast<uint64_t>(phase.bytes ? phase.bytes[t] : phase.uniform_bytes);
    under_way.push_back(mailbox_of(phase, t)->put_async(&parcel, bytes));
    sends.push_back(true);
  };
  auto receive = [&] {
    if (received == in.size()) return;
    under_way.push_back(mailbox_of(phase, in[received++])->get_async(&arrived));
    sends.push_back(false);
  };
  send();
  receive();
  while (!under_way.empty()) {
    auto done = s4u::Comm::wait_any(under_way);
    bool sending = sends[done];
    under_way.erase(under_way.begin() + done);
    sends.erase(sends.begin() + done);
    if (sending)
      send();
    else
      receive();
  }
}

} // namespace

double simgrid_time_s(const TgTopology *network, const PeerLinks *links, const double *start_s, TgPhase *const *phase,
                      gsize phases) {
  std::vector<std::string> words{"peer", "--log=root.threshold:error", "--cfg=network/model:CM02",
                                 "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:0",
                                 /* the default updates part of the shares, and is up to 1% off on crowded lines */
                                 "--cfg=network/optim:Full",
                                 /* seconds; by default more than a message takes here */
                                 "--cfg=surf/precision:1e-12", "--cfg=maxmin/precision:1e-9",
                                 "--cfg=contexts/stack-size:256"};
  std::vector<char *> argv;
  for (auto &word : words) argv.push_back(&word[0]);
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  s4u::Engine engine(&argc, argv.data());
  Run run{network, {phase, phase + phases}, {}};
  for (auto *p : run.phases)
    if (!run.parts.count(p)) run.parts.emplace(p, parts_of(*p, network->nodes));
  if (links->fat_tree)
    load_fat_tree(engine, network->nodes, *links);
  else
    build_platform(run, *links);
  auto part = [links](double size, const s4u::Host *, const s4u::Host *, const std::vector<s4u::Link *> &,
                      const std::unordered_set<s4u::NetZone *> &) {
    return links->large_part == 0 || size < links->large_bytes ? 1.0 : links->large_part;
  };
#if SIMGRID_VERSION >= 40000
  engine.get_netzone_root()->set_bandwidth_factor_cb(part);
#else
  engine.get_netzone_root()->get_network_model()->set_bw_factor_cb(part);
#endif
  for (int32_t n = 0; n < network->nodes; n++)
    s4u::Actor::create("processor", engine.host_by_name(std::to_string(n)), [&run, n, start_s] {
      s4u::this_actor::sleep_until(start_s[n]);
      for (auto *p : run.phases) {
        const Parts &parts = run.parts.at(p);
        take_part(*p, parts.out[n], parts.in[n]);
      }
    });
  engine.run();
  return s4u::Engine::get_clock();
}
