/* Embeddings on random grids and networks: in range, balanced where promised, and neighbours stay neighbours. */
#include "embedding.h"
#include "random-topology.h"

enum { ROUNDS = 300, MAX_NODES = 200 };

typedef struct Grid {
  int dims;
  int32_t extents[TG_MAX_DIMS];
  int processors;
} Grid;

static Grid random_grid(int largest) {
  Grid grid = {.dims = g_test_rand_int_range(1, TG_MAX_DIMS + 1), .processors = 1};
  for (int axis = 0; axis < grid.dims; axis++)
    grid.processors *= grid.extents[axis] = g_test_rand_int_range(1, largest + 1);
  return grid;
}

/* At most as large along each axis, or at least. */
static Grid random_machine(const Grid *grid, bool smaller) {
  Grid machine = *grid;
  for (int axis = 0; axis < grid->dims; axis++)
    machine.extents[axis] = smaller ? g_test_rand_int_range(1, grid->extents[axis] + 1)
                                    : grid->extents[axis] + g_test_rand_int_range(0, 3);
  return machine;
}

static TgEmbedding embed(TgEmbeddingKind kind, const Grid *grid, const TgTopology *topology) {
  TgEmbedding embedding;
  TgError error;
  if (!tg_embedding_init(&embedding, kind, grid->dims, grid->extents, topology, &error)) g_error("%s", error.message);
  return embedding;
}

static int *processors_per_node(const TgEmbedding *embedding) {
  int *count = g_new0(int, embedding->nodes);
  for (int p = 0; p < embedding->processors; p++) {
    int64_t node = tg_embedding_node(embedding, p);
    g_assert_cmpint(node, >=, 0);
    g_assert_cmpint(node, <, embedding->nodes);
    count[node]++;
  }
  return count;
}

/* A grid that fits has a node for each processor; by numbers, a larger one loads all nodes alike to within one. */
static void nodes_are_shared_evenly(void) {
  for (int round = 0; round < ROUNDS; round++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, MAX_NODES);
    g_test_message("%s", text);
    Grid grid = random_grid(7);
    for (int kind = 0; kind < TG_EMBEDDING_KINDS; kind++) {
      if (kind == TG_GRAY || kind == TG_TILED || kind == TG_FOLD) continue; /* of some networks alone */
      TgEmbedding embedding = embed((TgEmbeddingKind)kind, &grid, &topology);
      g_autofree int *count = processors_per_node(&embedding);
      for (int node = 0; node < topology.nodes; node++) {
        if (grid.processors <= topology.nodes) g_assert_cmpint(count[node], <=, 1);
        if (grid.processors < topology.nodes || embedding.by_axis) continue;
        g_assert_cmpint(count[node], >=, grid.processors / topology.nodes);
        g_assert_cmpint(count[node], <=, (grid.processors - 1) / topology.nodes + 1);
      }
    }
  }
}

/* On a network with the grid's own axes a processor's node has the blocks of its coordinates. */
static void rowmajor_maps_blocks_along_each_axis(void) {
  for (int round = 0; round < ROUNDS; round++) {
    const Grid grid = random_grid(6);
    const bool shrink = g_test_rand_bit();
    const Grid machine = random_machine(&grid, shrink);
    TgTopology logical, topology;
    g_assert_true(tg_topology_init(&logical, TG_MESH, grid.dims, grid.extents, NULL));
    g_assert_true(tg_topology_init(&topology, TG_TORUS, grid.dims, machine.extents, NULL));
    TgEmbedding embedding = embed(TG_ROWMAJOR, &grid, &topology);
    for (int p = 0; p < grid.processors; p++) {
      int32_t c[TG_MAX_COORDINATES];
      tg_topology_coordinates(&logical, p, c);
      for (int axis = 0; axis < grid.dims; axis++)
        if (shrink) c[axis] = c[axis] * machine.extents[axis] / grid.extents[axis];
      g_assert_cmpint(tg_embedding_node(&embedding, p), ==, tg_topology_node(&topology, c));
    }
  }
}

/* Gray: one step along an axis of the grid, also around its end, is one hop; on a smaller cube at most one. */
static void gray_neighbours_are_hypercube_neighbours(void) {
  for (int round = 0; round < ROUNDS; round++) {
    Grid grid = {.dims = g_test_rand_int_range(1, TG_MAX_DIMS + 1)};
    int bits = 0, cube = g_test_rand_int_range(1, 10);
    for (int axis = 0; axis < grid.dims; axis++) {
      int axis_bits = g_test_rand_int_range(0, 4);
      grid.extents[axis] = 1 << axis_bits;
      bits += axis_bits;
    }
    TgTopology logical, topology;
    g_assert_true(tg_topology_init(&logical, TG_TORUS, grid.dims, grid.extents, NULL));
    g_assert_true(tg_topology_init(&topology, TG_HYPERCUBE, 1, (int32_t[]){cube}, NULL));
    TgEmbedding embedding = embed(TG_GRAY, &grid, &topology);
    g_autofree int *count = processors_per_node(&embedding);
    int share = bits > cube ? 1 << (bits - cube) : 1;
    for (int node = 0; node < topology.nodes; node++) g_assert_cmpint(count[node], ==, node >> bits ? 0 : share);
    for (int64_t id = 0; id < logical.links; id++) {
      TgLink link;
      tg_topology_link(&logical, id, &link);
      int64_t from = tg_embedding_node(&embedding, link.from), to = tg_embedding_node(&embedding, link.to);
      g_assert_cmpint(tg_topology_distance(&topology, from, to), <=, 1);
      if (bits <= cube) g_assert_cmpint(from, !=, to);
    }
  }
}

/* Snake: consecutive processors are one hop apart on a single network without switches or groups, or share a
 * node. */
static void snake_neighbours_are_neighbours(void) {
  for (int round = 0; round < ROUNDS; round++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, 1, MAX_NODES);
    g_test_message("%s", text);
    if (topology.level[0].kind >= TG_SWITCH) continue;
    Grid grid = random_grid(7);
    TgEmbedding embedding = embed(TG_SNAKE, &grid, &topology);
    for (int p = 0; p + 1 < grid.processors; p++) {
      int64_t from = tg_embedding_node(&embedding, p), to = tg_embedding_node(&embedding, p + 1);
      g_assert_cmpint(tg_topology_distance(&topology, from, to), <=, 1);
      if (grid.processors <= topology.nodes) g_assert_cmpint(from, !=, to);
    }
  }
}

/* Folded: one step along an axis of the grid, also around its end, is at most two hops on a mesh of at least its
 * extents, and the mesh's corner is filled; where the mesh is smaller, neighbours share a node or are at most two hops
 * apart. */
static void folded_neighbours_are_near(void) {
  for (int round = 0; round < ROUNDS; round++) {
    const Grid grid = random_grid(9);
    const bool shrink = g_test_rand_bit();
    const Grid machine = random_machine(&grid, shrink);
    TgTopology logical, topology;
    g_assert_true(tg_topology_init(&logical, TG_TORUS, grid.dims, grid.extents, NULL));
    g_assert_true(tg_topology_init(&topology, TG_MESH, grid.dims, machine.extents, NULL));
    const TgEmbedding embedding = embed(TG_FOLD, &grid, &topology);
    const TgEmbedding plain = embed(TG_ROWMAJOR, &grid, &topology);
    g_autofree int *count = processors_per_node(&embedding), *usual = processors_per_node(&plain);
    if (!shrink)
      for (int node = 0; node < topology.nodes; node++) g_assert_cmpint(count[node], ==, usual[node]);
    for (int64_t id = 0; id < logical.links; id++) {
      TgLink link;
      tg_topology_link(&logical, id, &link);
      const int64_t from = tg_embedding_node(&embedding, link.from), to = tg_embedding_node(&embedding, link.to);
      g_assert_cmpint(tg_topology_distance(&topology, from, to), <=, 2);
      if (!shrink) g_assert_cmpint(from, !=, to);
    }
  }
}

/* Tiled: each processor has a node of its own, and a host that is full has a tile of the grid: as many of its
 * processors as its extents multiply to, between its first and last coordinates. */
static void hosts_have_tiles(void) {
  int tiled = 0;
  while (tiled < ROUNDS) {
    TgTopology topology;
    TgEmbedding embedding;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, MAX_NODES);
    const Grid grid = random_grid(8);
    if (!tg_embedding_init(&embedding, TG_TILED, grid.dims, grid.extents, &topology, NULL)) continue;
    g_test_message("%s", text);
    g_autofree int *count = processors_per_node(&embedding);
    for (int node = 0; node < topology.nodes; node++) g_assert_cmpint(count[node], <=, 1);
    const int host_nodes = topology.level[0].nodes;
    TgTopology logical;
    g_assert_true(tg_topology_init(&logical, TG_MESH, grid.dims, grid.extents, NULL));
    for (int host = 0; host < topology.nodes / host_nodes; host++) {
      int32_t first[TG_MAX_COORDINATES], last[TG_MAX_COORDINATES], c[TG_MAX_COORDINATES];
      int here = 0, room = 1;
      for (int p = 0; p < grid.processors; p++) {
        if (tg_embedding_node(&embedding, p) / host_nodes != host) continue;
        tg_topology_coordinates(&logical, p, c);
        for (int axis = 0; axis < grid.dims; axis++) {
          first[axis] = here ? MIN(first[axis], c[axis]) : c[axis];
          last[axis] = here ? MAX(last[axis], c[axis]) : c[axis];
        }
        here++;
      }
      for (int axis = 0; here && axis < grid.dims; axis++) room *= last[axis] - first[axis] + 1;
      g_assert_true(here == 0 || here == MIN(host_nodes, grid.processors));
      g_assert_true(here == 0 || here == room);
    }
    tiled++;
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/embedding/nodes-are-shared-evenly", nodes_are_shared_evenly);
  g_test_add_func("/embedding/rowmajor-maps-blocks", rowmajor_maps_blocks_along_each_axis);
  g_test_add_func("/embedding/gray-neighbours", gray_neighbours_are_hypercube_neighbours);
  g_test_add_func("/embedding/snake-neighbours", snake_neighbours_are_neighbours);
  g_test_add_func("/embedding/folded-neighbours", folded_neighbours_are_near);
  g_test_add_func("/embedding/hosts-have-tiles", hosts_have_tiles);
  return g_test_run();
}
