/* What a network is like, and the way of a message through it: network-facts [NETWORK [FROM TO]] */
#include <stdio.h>
#include <stdlib.h>

#include <topogemm/topogemm.h>

static void print_node(const TgTopology *topology, int64_t vertex) {
  int32_t coordinates[TG_MAX_COORDINATES];
  if (vertex >= topology->nodes) { /* behind the nodes are the switches */
    printf("switch %lld", (long long)(vertex - topology->nodes));
    return;
  }
  int count = tg_topology_coordinates(topology, vertex, coordinates);
  for (int i = 0; i < count; i++) printf("%s%d", i ? "," : "(", coordinates[i]);
  printf(")");
}

static void print_facts(const TgTopology *topology) {
  TgTopologyFacts facts;
  char text[TG_TOPOLOGY_TEXT_BYTES];
  tg_topology_format(topology, text, sizeof text);
  tg_topology_facts(topology, &facts);
  printf("%s: %lld nodes, %lld cables, diameter %lld hops", text, (long long)facts.nodes, (long long)facts.cables,
         (long long)facts.diameter_hops);
  if (facts.bisection_links >= 0) printf(", bisection %lld cables", (long long)facts.bisection_links);
  printf("\n");
}

/* A route needs no memory: it is walked, hop by hop. */
static void print_route(const TgTopology *topology, int64_t from, int64_t to) {
  TgRoute route;
  TgHop hop;
  printf("%lld hops: ", (long long)tg_topology_distance(topology, from, to));
  print_node(topology, from);
  tg_route_begin(&route, topology, from, to);
  while (tg_route_next(&route, &hop)) {
    printf(" → ");
    print_node(topology, hop.vertex);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  TgTopology topology;
  TgError error;
  const char *network = argc > 1 ? argv[1] : "torus:5x6";
  if (!tg_topology_parse(&topology, network, &error)) {
    fprintf(stderr, "%s:%d: %s\n", network, error.column, error.message);
    return 2;
  }
  int64_t from = argc > 3 ? atoll(argv[2]) : 0, to = argc > 3 ? atoll(argv[3]) : topology.nodes / 2;
  if (from < 0 || to < 0 || from >= topology.nodes || to >= topology.nodes) {
    fprintf(stderr, "%s has nodes 0 to %d\n", network, topology.nodes - 1);
    return 2;
  }
  print_facts(&topology);
  print_route(&topology, from, to);
  return 0;
}
