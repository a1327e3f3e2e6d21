/* Facts against brute force: diameter and degree from the links, bisection width over every partition. */
#include "random-topology.h"

enum { NETWORKS = 200, LARGEST = 100, PARTED_VERTICES = 14 };

static void diameter_and_degree_are_exact(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    TgTopologyFacts facts;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    tg_topology_facts(&topology, &facts);
    int64_t diameter = 0, longest = 0, degree = 0;
    for (int from = 0; from < topology.nodes; from++) {
      g_autofree int *hops = breadth_first(&topology, from);
      for (int to = 0; to < topology.nodes; to++) {
        diameter = MAX(diameter, hops[to]);
        longest = MAX(longest, tg_topology_distance(&topology, from, to));
      }
      degree = MAX(degree, tg_topology_degree(&topology, from));
    }
    g_assert_cmpint(facts.diameter_hops, ==, longest);
    if (topology.level[topology.levels - 1].kind != TG_DRAGONFLY) g_assert_cmpint(diameter, ==, longest);
    g_assert_cmpint(facts.degree_max, ==, degree);
    g_assert_cmpint(facts.nodes + facts.switches, ==, topology.vertices);
    g_assert_cmpint(2 * facts.cables, ==, facts.links);
  }
}

static int64_t cut_links(const TgLink *links, int64_t count, unsigned side) {
  int64_t cut = 0;
  for (int64_t i = 0; i < count; i++) cut += (side >> links[i].from ^ side >> links[i].to) & 1;
  return cut;
}

/* Every way to put floor(nodes/2) nodes, and any switches, on one side. */
static int64_t least_cut(const TgTopology *topology) {
  g_autofree TgLink *links = g_new(TgLink, topology->links / 2 + 1);
  for (int64_t id = 0; id < topology->links; id += 2) tg_topology_link(topology, id, &links[id / 2]);
  unsigned nodes = (1u << topology->nodes) - 1;
  int64_t least = G_MAXINT64;
  for (unsigned side = 0; side < 1u << topology->vertices; side++) {
    if (__builtin_popcount(side & nodes) != topology->nodes / 2) continue;
    least = MIN(least, cut_links(links, topology->links / 2, side));
  }
  return least;
}

/* Returns false where the facts claim nothing. */
static bool check_bisection(const TgTopology *topology) {
  TgTopologyFacts facts;
  tg_topology_facts(topology, &facts);
  if (facts.bisection_links < 0) return false;
  int64_t least = least_cut(topology);
  if (facts.bisection_links == least) return true;
  char text[TG_TOPOLOGY_TEXT_BYTES];
  tg_topology_format(topology, text, sizeof text);
  g_error("%s: %" G_GINT64_FORMAT " claimed, %" G_GINT64_FORMAT " found", text, facts.bisection_links, least);
}

/* Of one level everything is claimed but dragonflies, and tori that mix an axis of two with a widest one that is odd
 * and above four. */
static bool may_be_unknown(const TgLevel *level) {
  int widest = 0, twos = 0;
  for (int axis = 0; axis < level->dims; axis++) {
    widest = MAX(widest, level->extents[axis]);
    twos += level->extents[axis] == 2;
  }
  return level->kind == TG_DRAGONFLY || (level->kind == TG_TORUS && twos > 0 && widest > 4 && widest % 2 == 1);
}

static void bisection_of_one_level_is_exact(void) {
  for (int network = 0; network < NETWORKS;) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, 1, PARTED_VERTICES - 1);
    g_test_message("%s", text);
    if (!check_bisection(&topology)) g_assert_true(may_be_unknown(&topology.level[0]));
    network++;
  }
}

static void bisection_of_compositions_is_exact_or_unknown(void) {
  int claimed = 0;
  for (int network = 0; network < NETWORKS;) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, PARTED_VERTICES);
    g_test_message("%s", text);
    if (topology.levels == 1 || topology.vertices > PARTED_VERTICES) continue;
    claimed += check_bisection(&topology);
    network++;
  }
  g_assert_cmpint(claimed, >, NETWORKS / 10);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/facts/diameter-and-degree", diameter_and_degree_are_exact);
  g_test_add_func("/facts/bisection-of-one-level", bisection_of_one_level_is_exact);
  g_test_add_func("/facts/bisection-of-compositions", bisection_of_compositions_is_exact_or_unknown);
  return g_test_run();
}
