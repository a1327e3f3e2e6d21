/* Any bytes as a network: refused with a column, or read; what was read has the same text and bytes once written and
 * read again, and a route across it is as long as its distance. */
#include "fuzz.h"
#include "topology.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_ROUTE_HOPS = 1 << 16 };

static void expect(bool holds) {
  if (!holds) abort();
}

static void check_route(const TgTopology *topology, int64_t from, int64_t to) {
  const int64_t distance = tg_topology_distance(topology, from, to);
  TgTopologyFacts facts;
  tg_topology_facts(topology, &facts);
  expect(distance <= facts.diameter_hops);
  if (distance > LONGEST_ROUTE_HOPS) return;
  TgRoute route;
  TgHop hop;
  int64_t at = from, hops = 0;
  for (tg_route_begin(&route, topology, from, to); hops <= distance && tg_route_next(&route, &hop); hops++) {
    TgLink link;
    tg_topology_link(topology, hop.link, &link);
    expect(link.from == at && link.to == hop.vertex);
    at = hop.vertex;
  }
  expect(hops == distance && at == to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char *text = malloc(size + 1), again[TG_TOPOLOGY_TEXT_BYTES];
  expect(text != NULL);
  memcpy(text, bytes, size);
  text[size] = 0;
  TgTopology topology, back;
  TgError error = {0};
  if (tg_topology_parse(&topology, text, &error)) {
    expect(tg_topology_format(&topology, again, sizeof again) < (int)sizeof again);
    expect(tg_topology_parse(&back, again, NULL) && memcmp(&topology, &back, sizeof back) == 0);
    check_route(&topology, 0, topology.nodes - 1);
    check_route(&topology, topology.nodes / 3, topology.nodes / 2);
  } else {
    expect(error.message[0] && error.column >= 1 && (size_t)error.column <= size + 1);
  }
  free(text);
  return 0;
}
