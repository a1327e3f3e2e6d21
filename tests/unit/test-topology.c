/* The contract of topology.h on networks small enough to check by hand. */
#include "topology.h"

#include <glib.h>
#include <string.h>

static TgTopology network(const char *text) {
  TgTopology topology;
  TgError error;
  if (!tg_topology_parse(&topology, text, &error)) g_error("%s", error.message);
  return topology;
}

typedef struct BadText {
  const char *text;
  int column;
  const char *message;
} BadText;

static const BadText bad_texts[] = {
    {"", 1,
     ": column 1: the text ends, expected torus, mesh, ring, line, hypercube, full, switch, spine, ecmp or dragonfly"},
    {"tours:4", 1, "tours:4: column 1: there is no network 'tours'; did you mean torus?"},
    {"switch:4*Ring:4", 10, "switch:4*Ring:4: column 10: there is no network 'Ring'; did you mean ring?"},
    {"star:4", 1,
     "star:4: column 1: there is no network 'star', expected torus, mesh, ring, line, hypercube, full, switch, spine, "
     "ecmp or dragonfly"},
    {"mesh", 5, "mesh: column 5: the text ends, expected ':' and the extents"},
    {"mesh:8y8", 7,
     "mesh:8y8: column 7: found 'y', expected 'x' and another extent, '*' and the next level, or the end"},
    {"mesh:8x", 8, "mesh:8x: column 8: the text ends, expected an extent, a whole number of at least 1"},
    {"ring:-3", 6, "ring:-3: column 6: found '-', expected an extent, a whole number of at least 1"},
    {"ring:\t3", 6, "ring:?3: column 6: found byte 0x09, expected an extent, a whole number of at least 1"},
    {"torus:4x0", 9, "torus:4x0: column 9: the extent is 0, expected 1 to 16777216"},
    {"torus:1000000000x2", 7, "torus:1000000000x2: column 7: the extent is 1000000000, expected 1 to 16777216"},
    {"line:99999999999999999999999", 6,
     "line:99999999999999999999999: column 6: the extent is 99999999999999999999999, expected 1 to 16777216"},
    {"line:18446744073709551620", 6, /* 2^64 + 4 */
     "line:18446744073709551620: column 6: the extent is 18446744073709551620, expected 1 to 16777216"},
    {"torus:16777216x16777216x16777216x16777216", 1,
     "torus:16777216x16777216x16777216x16777216: column 1: the network grows beyond 16777216 nodes (torus: grid "
     "with wraparound links; dimension-ordered routes, last coordinate first, the shorter way round)"},
    {"hypercube:64", 1,
     "hypercube:64: column 1: the network grows beyond 16777216 nodes (hypercube: 2^d nodes, neighbours differ in "
     "one "
     "bit; e-cube routes, lowest bit first)"},
    {"switch:4097*full:4096", 13,
     "switch:4097*full:4096: column 13: the network grows beyond 16777216 nodes (full: a link from every node to "
     "every "
     "other)"},
    {"mesh:1x2x3x4x5", 13,
     "mesh:1x2x3x4x5: column 13: there is one extent too many, expected at most 4 for mesh, as in mesh:8x8"},
    {"ring:4x4", 7, "ring:4x4: column 7: there is one extent too many, expected at most 1 for ring, as in ring:8"},
    {"ring:2*ring:2*ring:2*ring:2", 22,
     "ring:2*ring:2*ring:2*ring:2: column 22: there is a fourth level, expected at most three"},
    {"spine:8", 8, "spine:8: column 8: spine has 2 extents, as in switch:4*spine:8x2"},
    {"dragonfly:2x2*switch:2", 14,
     "dragonfly:2x2*switch:2: column 14: dragonfly must be the outermost level, as in switch:2*dragonfly:9x4"},
    {"spine:4X2", 8, "spine:4X2: column 8: found 'X', expected 'x' and another extent"},
    {"fat-tree:4", 1,
     "fat-tree:4: column 1: there is no network 'fat'; a fat tree is made of levels, as in switch:4*spine:8x2"},
    {"switch:1*spine:1x60000000", 18,
     "switch:1*spine:1x60000000: column 18: the extent is 60000000, expected 1 to 16777216"},
    {"spine:2x16777216*spine:2x4", 18,
     "spine:2x16777216*spine:2x4: column 18: the network grows beyond 50331648 switches (spine: several switches, each "
     "with a cable to every node or group; the destination selects the switch (D-mod-K))"},
    {"ring:2*", 8,
     "ring:2*: column 8: the text ends, expected torus, mesh, ring, line, hypercube, full, switch, spine, ecmp or "
     "dragonfly"},
};

static void bad_text_is_refused_in_words(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(bad_texts); i++) {
    TgTopology topology, before;
    memset(&topology, 0x5a, sizeof topology);
    before = topology;
    TgError error = {0};
    g_assert_false(tg_topology_parse(&topology, bad_texts[i].text, &error));
    g_assert_cmpstr(error.message, ==, bad_texts[i].message);
    g_assert_cmpint(error.line, ==, 1);
    g_assert_cmpint(error.column, ==, bad_texts[i].column);
    g_assert_cmpmem(&topology, sizeof topology, &before, sizeof before);
    g_assert_false(tg_topology_parse(&topology, bad_texts[i].text, NULL));
  }
}

static void long_text_is_cut_in_the_message(void) {
  GString *text = g_string_new("ring:");
  for (int i = 0; i < 100000; i++) g_string_append_c(text, '7');
  TgTopology topology;
  TgError error;
  g_assert_false(tg_topology_parse(&topology, text->str, &error));
  g_assert_cmpint(error.column, ==, 6);
  g_assert_cmpint(strlen(error.message), <, 250);
  g_assert_true(g_str_has_suffix(error.message, "..., expected 1 to 16777216"));
  g_string_free(text, TRUE);
}

static void init_refuses_as_parse_does(void) {
  TgTopology topology;
  TgError error;
  g_assert_false(tg_topology_init(&topology, TG_RING, 2, (int32_t[]){2, 2}, &error));
  g_assert_cmpstr(error.message, ==, "ring has 1 to 1 extents, not 2");
  g_assert_false(tg_topology_init(&topology, TG_TORUS, 2, (int32_t[]){2, -2}, &error));
  g_assert_cmpstr(error.message, ==, "extent 2 of torus is -2, expected 1 to 16777216");
  g_assert_false(tg_topology_init(&topology, TG_MESH, 2, (int32_t[]){1 << 13, 1 << 12}, &error));
  g_assert_cmpstr(error.message, ==, "mesh would have more than 16777216 nodes");
  g_assert_true(tg_topology_init(&topology, TG_MESH, 2, (int32_t[]){1 << 12, 1 << 12}, &error));
  TgTopology parsed = network("mesh:4096x4096");
  g_assert_cmpmem(&topology, sizeof topology, &parsed, sizeof parsed);
}

typedef struct FactsRow {
  const char *text;
  TgTopologyFacts facts; /* nodes, switches, links, cables, diameter, degree, bisection */
} FactsRow;

static const FactsRow facts_rows[] = {
    {"ring:1", {1, 0, 0, 0, 0, 0, 0}},
    {"ring:2", {2, 0, 2, 1, 1, 1, 1}},
    {"ring:8", {8, 0, 16, 8, 4, 2, 2}},
    {"line:8", {8, 0, 14, 7, 7, 2, 1}},
    {"torus:4x4", {16, 0, 64, 32, 4, 4, 8}},
    {"torus:5x5", {25, 0, 100, 50, 4, 4, 12}}, /* 2 (5 + 1) */
    {"torus:2x2", {4, 0, 8, 4, 2, 2, 2}},
    {"torus:8x8x8", {512, 0, 3072, 1536, 12, 6, 128}},
    {"torus:5x5x2", {50, 0, 250, 125, 5, 5, -1}},
    {"mesh:8x8", {64, 0, 224, 112, 14, 4, 8}},
    {"mesh:5x5", {25, 0, 80, 40, 8, 4, 6}},
    {"mesh:3x3x3", {27, 0, 108, 54, 6, 6, 13}}, /* (27 - 1) / (3 - 1), Efe and Feng */
    {"hypercube:6", {64, 0, 384, 192, 6, 6, 32}},
    {"full:8", {8, 0, 56, 28, 1, 7, 16}},
    {"full:7", {7, 0, 42, 21, 1, 6, 12}},
    {"switch:8", {8, 1, 16, 8, 2, 1, 4}},
    {"spine:4x3", {4, 3, 24, 12, 2, 3, 6}},
    {"switch:4*spine:8x2", {32, 10, 96, 48, 4, 1, 8}},
    {"switch:2*spine:3x2", {6, 5, 24, 12, 4, 1, -1}},
    {"switch:2*spine:2x2*spine:4x2", {16, 20, 96, 48, 6, 1, 8}}, /* k = 4 of Al-Fares, Loukissas and Vahdat */
    {"switch:2*dragonfly:9x4", {72, 36, 324, 162, 5, 1, -1}},    /* p = 2, a = 4, h = 2 of Kim and others */
    {"switch:1", {1, 1, 2, 1, 0, 1, 0}},
    {"switch:4*torus:2x4", {32, 8, 88, 44, 5, 1, 4}},
    {"ring:4*switch:8", {32, 1, 80, 40, 6, 3, 4}},
    {"ring:1*torus:4x4", {16, 0, 64, 32, 4, 4, 8}},
    {"line:4*full:8", {32, 0, 104, 52, 7, 8, -1}},
    {"switch:16777216", {16777216, 1, 33554432, 16777216, 2, 1, 8388608}},
    {"full:16777216", {16777216, 0, 281474959933440, 140737479966720, 1, 16777215, 70368744177664}},
};

static void facts_are_those_of_the_textbook(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(facts_rows); i++) {
    TgTopology topology = network(facts_rows[i].text);
    const TgTopologyFacts *expected = &facts_rows[i].facts;
    TgTopologyFacts facts;
    tg_topology_facts(&topology, &facts);
    g_test_message("%s", facts_rows[i].text);
    g_assert_cmpint(facts.nodes, ==, expected->nodes);
    g_assert_cmpint(facts.switches, ==, expected->switches);
    g_assert_cmpint(facts.links, ==, expected->links);
    g_assert_cmpint(facts.cables, ==, expected->cables);
    g_assert_cmpint(facts.diameter_hops, ==, expected->diameter_hops);
    g_assert_cmpint(facts.degree_max, ==, expected->degree_max);
    g_assert_cmpint(facts.bisection_links, ==, expected->bisection_links);
  }
}

typedef struct RouteRow {
  const char *text;
  int from, to;
  const char *vertices;
} RouteRow;

static const RouteRow route_rows[] = {
    {"torus:4x4", 0, 0, ""},
    {"torus:4x4", 0, 5, " 1 5"},        /* last coordinate first */
    {"torus:4x4", 0, 15, " 3 15"},      /* the shortest way is round */
    {"torus:4x4", 0, 10, " 1 2 6 10"},  /* ties go up */
    {"torus:4x4", 10, 0, " 11 8 12 0"}, /* and up again, round the end */
    {"torus:5x5", 0, 13, " 4 3 8 13"},  /* (0,0) to (2,3): no ties in an odd ring */
    {"torus:2x2", 3, 0, " 2 0"},        /* extent 2: the one cable, whichever way */
    {"mesh:4x4", 0, 15, " 1 2 3 7 11 15"},
    {"mesh:2x3x4", 23, 0, " 22 21 20 16 12 0"},
    {"ring:6", 5, 2, " 0 1 2"},
    {"line:6", 5, 2, " 4 3 2"},
    {"hypercube:4", 0, 13, " 1 5 13"}, /* bits 0, 2, 3 */
    {"hypercube:4", 13, 0, " 12 8 0"}, /* the same order back */
    {"full:8", 6, 1, " 1"},
    {"switch:8", 6, 1, " 8 1"},
    {"switch:4*torus:2x4", 1, 2, " 32 2"},
    {"switch:4*torus:2x4", 1, 23, " 32 33 37 23"}, /* group 0 to group 5 = (1,1) */
    {"line:3*ring:4", 2, 11, " 1 0 9 10 11"},      /* by node 0 of each line */
    {"line:3*switch:4", 2, 5, " 1 0 12 3 4 5"},
    {"switch:2*spine:3x2", 0, 1, " 6 1"},
    {"switch:2*spine:3x2", 0, 4, " 6 9 8 4"}, /* leaves 6, 7, 8; spines 9 and 10, even and odd destinations */
    {"switch:2*spine:3x2", 0, 5, " 6 10 8 5"},
    {"switch:2*spine:3x2", 3, 5, " 7 10 8 5"},
    {"switch:2*spine:2x2*spine:2x2", 0, 2, " 8 12 9 2"},
    {"switch:2*spine:2x2*spine:2x2", 0, 4, " 8 12 16 14 10 4"}, /* binary digits of 4: 0, then 0 */
    {"switch:2*spine:2x2*spine:2x2", 0, 6, " 8 12 18 14 11 6"}, /* of 6: 0, then 1 */
    {"switch:2*spine:2x2*spine:2x2", 0, 7, " 8 13 19 15 11 7"}, /* of 7: 1, then 1 */
    {"dragonfly:4x3", 5, 3, " 3"},
    {"dragonfly:4x3", 0, 11, " 2 9 11"},  /* groups 0 and 3 are joined by routers 2 and 0 */
    {"dragonfly:4x3", 1, 6, " 6"},        /* groups 0 and 2 by routers 1 and 0 */
    {"dragonfly:7x3", 0, 20, " 2 18 20"}, /* two cables each: group 6 is with the last router of group 0 */
    {"switch:2*switch:2*ring:3", 0, 11, " 12 18 20 17 11"},
};

static void routes_go_as_stated(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(route_rows); i++) {
    TgTopology topology = network(route_rows[i].text);
    g_autoptr(GString) vertices = g_string_new(NULL);
    TgRoute route;
    TgHop hop;
    tg_route_begin(&route, &topology, route_rows[i].from, route_rows[i].to);
    while (tg_route_next(&route, &hop)) g_string_append_printf(vertices, " %d", (int)hop.vertex);
    g_assert_cmpstr(vertices->str, ==, route_rows[i].vertices);
  }
}

/* The finalizer of MurmurHash3, by an independent reckoning, and what follows for two uplinks. */
static void ecmp_goes_by_the_hash(void) {
  TgTopology topology = network("switch:2*ecmp:4x2");
  static const struct {
    int from, to;
    int32_t hash;
  } rows[] = {{0, 7, 973313253},  {7, 0, 1992992791}, {0, 6, 1952078296},
              {3, 4, 1450742842}, {5, 2, 2077972706}, {1, 6, 443131273}};
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++) {
    TgRoute route;
    TgHop hop;
    g_assert_cmpint(tg_route_hash(rows[r].from, rows[r].to), ==, rows[r].hash);
    tg_route_begin(&route, &topology, rows[r].from, rows[r].to);
    g_assert_true(tg_route_next(&route, &hop));
    g_assert_true(tg_route_next(&route, &hop));
    g_assert_cmpint(hop.vertex, ==, 12 + rows[r].hash % 2);
  }
}

static void links_name_level_and_axis(void) {
  TgTopology topology = network("switch:4*torus:2x4");
  TgLink link;
  tg_topology_link(&topology, 9, &link); /* of switch 1 the way down to its first node */
  g_assert_cmpint(link.from, ==, 33);
  g_assert_cmpint(link.to, ==, 4);
  g_assert_cmpint(link.level, ==, 0);
  tg_topology_link(&topology, 64, &link); /* the first of the torus, on its last axis */
  g_assert_cmpint(link.from, ==, 32);
  g_assert_cmpint(link.to, ==, 33);
  g_assert_cmpint(link.level, ==, 1);
  g_assert_cmpint(link.axis, ==, 1);
  tg_topology_link(&topology, 87, &link); /* the last: (1,3) to (0,3) */
  g_assert_cmpint(link.from, ==, 39);
  g_assert_cmpint(link.to, ==, 35);
  g_assert_cmpint(link.axis, ==, 0);
  topology = network("hypercube:3");
  tg_topology_link(&topology, 23, &link);
  g_assert_cmpint(link.from, ==, 7);
  g_assert_cmpint(link.to, ==, 3);
  g_assert_cmpint(link.axis, ==, 2);
}

static void coordinates_are_outermost_first(void) {
  TgTopology topology = network("switch:4*torus:2x3");
  int32_t c[TG_MAX_COORDINATES];
  g_assert_cmpint(tg_topology_coordinates(&topology, 22, c), ==, 3);
  g_assert_cmpint(c[0], ==, 1);
  g_assert_cmpint(c[1], ==, 2);
  g_assert_cmpint(c[2], ==, 2);
  topology = network("hypercube:5");
  g_assert_cmpint(tg_topology_extents(&topology, c), ==, 1);
  g_assert_cmpint(c[0], ==, 32);
}

/* What --network names: nothing, a kind, or a whole network. */
static void networks_fit_the_grid(void) {
  static const struct {
    const char *text, *network, *error;
  } cases[] = {{NULL, "torus:4x2", NULL},
               {"mesh", "mesh:4x2", NULL},
               {"hypercube", "hypercube:3", NULL},
               {"full", "full:8", NULL},
               {"ring:12", "ring:12", NULL},
               {"spine", NULL, "give the whole network, as in"},
               {"star", NULL, "there is no network 'star'"}};
  const int32_t extents[] = {4, 2}, uneven[] = {3, 3};
  char text[TG_TOPOLOGY_TEXT_BYTES];
  TgTopology topology;
  TgError error;
  for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
    const bool found = tg_topology_for_grid(&topology, cases[c].text, 2, extents, &error);
    if (cases[c].error) {
      g_assert_nonnull(strstr(error.message, cases[c].error));
      continue;
    }
    g_assert_true(found);
    tg_topology_format(&topology, text, sizeof text);
    g_assert_cmpstr(text, ==, cases[c].network);
  }
  g_assert_false(tg_topology_for_grid(&topology, "hypercube", 2, uneven, &error));
  g_assert_nonnull(strstr(error.message, "9 processors, not a power of two"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/topology/bad-text", bad_text_is_refused_in_words);
  g_test_add_func("/topology/long-text", long_text_is_cut_in_the_message);
  g_test_add_func("/topology/init", init_refuses_as_parse_does);
  g_test_add_func("/topology/facts", facts_are_those_of_the_textbook);
  g_test_add_func("/topology/routes", routes_go_as_stated);
  g_test_add_func("/topology/ecmp", ecmp_goes_by_the_hash);
  g_test_add_func("/topology/links", links_name_level_and_axis);
  g_test_add_func("/topology/for-grid", networks_fit_the_grid);
  g_test_add_func("/topology/coordinates", coordinates_are_outermost_first);
  return g_test_run();
}
