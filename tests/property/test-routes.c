/* On random networks: routes, distances, links, neighbours, coordinates and text agree with each other and with a
 * model built straight from the definitions. */
#include "random-topology.h"

#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 300, LARGEST = 150 };

static void check_route(const TgTopology *topology, int from, int to) {
  TgRoute route;
  TgHop hop;
  int64_t at = from, hops = 0;
  for (tg_route_begin(&route, topology, from, to); tg_route_next(&route, &hop); hops++) {
    TgLink link;
    g_assert_cmpint(hop.link, >=, 0);
    g_assert_cmpint(hop.link, <, topology->links);
    tg_topology_link(topology, hop.link, &link);
    g_assert_cmpint(link.from, ==, at);
    g_assert_cmpint(link.to, ==, hop.vertex);
    at = hop.vertex;
  }
  g_assert_cmpint(at, ==, to);
  g_assert_cmpint(hops, ==, tg_topology_distance(topology, from, to));
  g_assert_false(tg_route_next(&route, &hop));
}

/* On a dragonfly two cables between groups may be shorter than one and those to and from it. */
static void check_distance(const TgTopology *topology, int from, int to, int least) {
  const bool minimal = topology->level[topology->levels - 1].kind == TG_DRAGONFLY;
  const int64_t distance = tg_topology_distance(topology, from, to);
  g_assert_cmpint(distance, >=, least);
  g_assert_cmpint(distance, <=, minimal ? least + 1 : least);
}

static void routes_are_shortest(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    for (int from = 0; from < topology.nodes; from += g_test_rand_int_range(1, 9)) {
      g_autofree int *hops = breadth_first(&topology, from);
      for (int to = 0; to < topology.nodes; to++) {
        check_route(&topology, from, to);
        check_distance(&topology, from, to, hops[to]);
        check_distance(&topology, to, from, hops[to]);
      }
    }
  }
}

/* The model: do two elements of a level share a cable, by definition of its kind? */
static bool grid_adjacent(const TgLevel *level, int a, int b, bool closed) {
  int differing = 0, steps = 0;
  for (int axis = level->dims - 1; axis >= 0; axis--) {
    int extent = level->extents[axis], apart = abs(a % extent - b % extent);
    differing += apart != 0;
    steps += closed && extent - apart < apart ? extent - apart : apart;
    a /= extent;
    b /= extent;
  }
  return differing == 1 && steps == 1;
}

/* The router of a group that has the cable to another: the groups but for its own in order, dealt out in equal lots. */
static int model_router(const TgLevel *level, int group, int other) {
  const int lot = (level->extents[0] - 1 + level->extents[1] - 1) / level->extents[1];
  int place = 0;
  for (int g = 0; g < other; g++) place += g != group;
  return group * level->extents[1] + place / lot;
}

static bool dragonfly_adjacent(const TgLevel *level, int a, int b) {
  const int group = a / level->extents[1], other = b / level->extents[1];
  if (group == other) return a != b;
  return a == model_router(level, group, other) && b == model_router(level, other, group);
}

static bool adjacent(const TgLevel *level, int a, int b) {
  switch (level->kind) {
  case TG_TORUS:
  case TG_RING:
    return grid_adjacent(level, a, b, true);
  case TG_MESH:
  case TG_LINE:
    return grid_adjacent(level, a, b, false);
  case TG_HYPERCUBE:
    return __builtin_popcount((unsigned)(a ^ b)) == 1;
  case TG_FULL:
    return a != b;
  case TG_DRAGONFLY:
    return dragonfly_adjacent(level, a, b);
  default: /* switches are the elements after the last node */
    return (a >= level->nodes) != (b >= level->nodes);
  }
}

static int model_switches(const TgLevel *level) {
  return level->kind == TG_SWITCH ? 1 : level->kind == TG_SPINE || level->kind == TG_ECMP ? level->extents[1] : 0;
}

/* One for each of the switches that the elements of a level have below them. */
static int model_planes(const TgTopology *topology, int l) {
  int planes = 1;
  for (int below = 0; below < l; below++) planes *= MAX(model_switches(&topology->level[below]), 1);
  return planes;
}

/* Where an element stands in a plane: at the gateway of the group below, found from the definition. */
static int model_vertex(const TgTopology *topology, int l, int copy, int plane, int element) {
  const TgLevel *level = &topology->level[l];
  int before = topology->nodes;
  for (int below = 0; below < l; below++)
    before += topology->nodes / topology->level[below + 1].span * model_switches(&topology->level[below]) *
              model_planes(topology, below);
  if (element >= level->nodes)
    return before + (copy * model_switches(level) + element - level->nodes) * model_planes(topology, l) + plane;
  int group = copy * level->nodes + element;
  if (l == 0) return group;
  const TgLevel *inner = &topology->level[l - 1];
  const int planes = model_planes(topology, l - 1);
  return model_vertex(topology, l - 1, group, plane % planes,
                      model_switches(inner) ? inner->nodes + plane / planes : 0);
}

/* expected[from * vertices + to] = level + 1 of the link, 0 where there is none. */
static char *model_links(const TgTopology *topology, int64_t *count) {
  char *expected = g_malloc0((size_t)topology->vertices * (size_t)topology->vertices);
  int outside = topology->nodes;
  *count = 0;
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    int elements = level->nodes + model_switches(level), planes = model_planes(topology, l);
    outside /= level->nodes;
    for (int copy = 0; copy < outside * planes; copy++)
      for (int pair = 0; pair < elements * elements; pair++) {
        int a = pair / elements, b = pair % elements;
        if (!adjacent(level, a, b)) continue;
        int from = model_vertex(topology, l, copy / planes, copy % planes, a);
        int to = model_vertex(topology, l, copy / planes, copy % planes, b);
        expected[from * topology->vertices + to] = (char)(l + 1);
        ++*count;
      }
  }
  return expected;
}

static void links_are_those_of_the_definition(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    int64_t count;
    g_autofree char *expected = model_links(&topology, &count);
    g_assert_cmpint(topology.links, ==, count);
    for (int64_t id = 0; id < topology.links; id++) {
      TgLink link, reverse;
      tg_topology_link(&topology, id, &link);
      tg_topology_link(&topology, id ^ 1, &reverse);
      g_assert_cmpint(link.from, ==, reverse.to);
      g_assert_cmpint(link.to, ==, reverse.from);
      char *place = &expected[link.from * topology.vertices + link.to];
      g_assert_cmpint(*place, ==, link.level + 1);
      *place = 0; /* so that a second id of the same link fails */
    }
  }
}

static void neighbours_are_the_links_that_leave(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    g_autofree char *seen = g_malloc0((size_t)topology.links + 1);
    int64_t total = 0;
    for (int vertex = 0; vertex < topology.vertices; vertex++) {
      int64_t degree = tg_topology_degree(&topology, vertex);
      TgHop hop;
      for (int64_t index = 0; index < degree; index++, total++) {
        TgLink link;
        g_assert_true(tg_topology_neighbour(&topology, vertex, index, &hop));
        tg_topology_link(&topology, hop.link, &link);
        g_assert_cmpint(link.from, ==, vertex);
        g_assert_cmpint(link.to, ==, hop.vertex);
        g_assert_cmpint(seen[hop.link]++, ==, 0);
      }
      g_assert_false(tg_topology_neighbour(&topology, vertex, degree, &hop));
      g_assert_false(tg_topology_neighbour(&topology, vertex, -1, &hop));
    }
    g_assert_cmpint(total, ==, topology.links);
  }
}

static void text_and_network_are_inverse(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology, again;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    char formatted[TG_TOPOLOGY_TEXT_BYTES], cut[8];
    int length = tg_topology_format(&topology, formatted, sizeof formatted);
    g_assert_cmpstr(formatted, ==, text);
    g_assert_cmpint(length, ==, (int)strlen(text));
    g_assert_true(tg_topology_parse(&again, formatted, NULL));
    g_assert_cmpmem(&again, sizeof again, &topology, sizeof topology);
    g_assert_cmpint(tg_topology_format(&topology, cut, sizeof cut), ==, length);
    g_assert_cmpint(strlen(cut), ==, MIN(length, 7));
  }
}

/* Row-major: counting the nodes up turns the coordinates like an odometer. */
static void coordinates_count_up(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    int32_t extents[TG_MAX_COORDINATES], expected[TG_MAX_COORDINATES] = {0}, coordinates[TG_MAX_COORDINATES];
    int count = tg_topology_extents(&topology, extents);
    for (int node = 0; node < topology.nodes; node++) {
      g_assert_cmpint(tg_topology_coordinates(&topology, node, coordinates), ==, count);
      g_assert_cmpmem(coordinates, sizeof *coordinates * (gsize)count, expected, sizeof *expected * (gsize)count);
      g_assert_cmpint(tg_topology_node(&topology, coordinates), ==, node);
      for (int place = count - 1; place >= 0 && ++expected[place] == extents[place]; place--) expected[place] = 0;
    }
    for (int place = 0; place < count; place++) g_assert_cmpint(expected[place], ==, 0);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/routes/are-shortest", routes_are_shortest);
  g_test_add_func("/links/are-those-of-the-definition", links_are_those_of_the_definition);
  g_test_add_func("/neighbours/are-the-links-that-leave", neighbours_are_the_links_that_leave);
  g_test_add_func("/text/and-network-are-inverse", text_and_network_are_inverse);
  g_test_add_func("/coordinates/count-up", coordinates_count_up);
  return g_test_run();
}
