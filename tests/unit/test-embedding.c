/* The contract of embedding.h on networks small enough to check by hand. */
#include "embedding.h"

#include <glib.h>

static TgTopology network(const char *text) {
  TgTopology topology;
  TgError error;
  if (!tg_topology_parse(&topology, text, &error)) g_error("%s", error.message);
  return topology;
}

typedef struct EmbeddingTest {
  TgEmbeddingKind kind;
  int dims;
  int32_t grid[TG_MAX_DIMS];
  const char *network;
  const char *nodes; /* of processors 0, 1, …, or the error */
} EmbeddingTest;

static const EmbeddingTest embeddings[] = {
    {TG_ROWMAJOR, 2, {2, 3}, "torus:2x3", " 0 1 2 3 4 5"},
    {TG_ROWMAJOR, 2, {2, 2}, "torus:3x4", " 0 1 4 5"},                 /* a corner */
    {TG_ROWMAJOR, 2, {4, 3}, "torus:2x2", " 0 0 1 0 0 1 2 2 3 2 2 3"}, /* blocks along each axis */
    {TG_ROWMAJOR, 2, {4, 1}, "torus:2x2", " 0 1 2 3"},                 /* neither: by number */
    {TG_ROWMAJOR, 2, {2, 3}, "ring:3", " 0 0 1 1 2 2"},                /* blocks of numbers */
    {TG_ROWMAJOR, 3, {1, 2, 2}, "switch:2*ring:4", " 0 1 2 3"},
    {TG_ROWMAJOR, 1, {8}, "hypercube:2", " 0 0 1 1 2 2 3 3"},
    {TG_GRAY, 1, {8}, "hypercube:3", " 0 1 3 2 6 7 5 4"},
    {TG_GRAY, 2, {2, 4}, "hypercube:4", " 0 1 3 2 4 5 7 6"}, /* a subcube */
    {TG_GRAY, 2, {2, 4}, "hypercube:2", " 0 0 1 1 2 2 3 3"}, /* the wider axis in blocks */
    {TG_GRAY, 2, {2, 3}, "hypercube:3", "the Gray embedding needs extents that are powers of two, but axis 2 has 3"},
    {TG_GRAY, 2, {2, 2}, "torus:2x2", "the Gray embedding needs a hypercube, such as hypercube:6"},
    {TG_GRAY, 2, {2, 2}, "hypercube:1*ring:2", "the Gray embedding needs a hypercube, such as hypercube:6"},
    {TG_SNAKE, 1, {6}, "mesh:2x3", " 0 1 2 5 4 3"},
    {TG_SNAKE, 2, {2, 4}, "mesh:2x2x2", " 0 1 3 2 6 7 5 4"},
    {TG_SNAKE, 1, {8}, "hypercube:3", " 0 1 3 2 6 7 5 4"},
    {TG_SNAKE, 1, {8}, "mesh:2x2", " 0 0 1 1 3 3 2 2"},
    {TG_FOLD, 1, {6}, "line:6", " 0 2 4 5 3 1"},
    {TG_FOLD, 2, {2, 3}, "mesh:2x4", " 0 2 1 4 6 5"}, /* a corner */
    {TG_FOLD, 1, {8}, "line:4", " 0 0 2 2 3 3 1 1"},  /* blocks */
    {TG_FOLD,
     2,
     {2, 4},
     "line:8",
     "the folded embedding needs a mesh with as many dimensions as the grid, and with extents that are all at most or "
     "all at least the grid's; for a two-dimensional grid, try mesh:8x8"},
    {TG_FOLD, 1, {8}, "ring:8", "the folded embedding needs a mesh or a line, such as mesh:8x8"},
    {TG_SNAKE, 2, {0, 4}, "mesh:2x2", "extent 1 of the grid is 0, expected 1 or more and at most 16777216 processors"},
    {TG_SNAKE,
     2,
     {8192, 4096},
     "mesh:2x2",
     "extent 2 of the grid is 4096, expected 1 or more and at most 16777216 processors"},
    {TG_SNAKE, 5, {1}, "mesh:2x2", "a grid has 1 to 4 extents, not 5"},
    {TG_TILED,
     2,
     {6, 6},
     "switch:4*switch:9",
     " 0 1 4 5 8 9 2 3 6 7 10 11 12 13 16 17 20 21 14 15 18 19 22 23 24 25 28 29 32 33 26 27 30 31 34 35"},
    {TG_TILED, 2, {2, 4}, "switch:4*switch:4", " 0 1 4 5 2 3 6 7"},     /* the first hosts */
    {TG_TILED, 2, {1, 3}, "switch:4*switch:4", " 0 1 2"},               /* a part of one */
    {TG_TILED, 2, {4, 2}, "switch:2*mesh:2x3", " 0 1 2 3 4 5 6 7"},     /* rows stay whole */
    {TG_TILED, 2, {4, 2}, "switch:2*mesh:4x3", " 0 1 6 7 12 13 18 19"}, /* … a column of the mesh */
    {TG_TILED, 2, {2, 4}, "mesh:1x2*switch:4", " 0 1 2 3 4 5 6 7"},     /* the host's own extents */
    {TG_TILED, 1, {8}, "ring:2*ring:2*ring:2", " 0 1 2 3 4 5 6 7"},
    /* 1x2, then 2x1 of these */
    {TG_TILED,
     2,
     {4, 8},
     "full:2*full:2*full:8",
     " 0 1 4 5 8 9 12 13 2 3 6 7 10 11 14 15 16 17 20 21 24 25 28 29 18 19 22 23 26 27 30 31"},
    {TG_TILED, 2, {4, 2}, "full:2*full:2*full:2", " 0 1 2 3 4 5 6 7"},
    {TG_TILED,
     2,
     {3, 3},
     "switch:4*switch:4",
     "the tiled embedding finds no tile of 4 processors whose extents divide the grid's"},
    {TG_TILED,
     2,
     {2, 2},
     "torus:2x2",
     "the tiled embedding needs a network of several levels, such as switch:4*switch:4"},
    {TG_TILED,
     2,
     {2, 5},
     "full:2*full:2",
     "the tiled embedding needs a node for each processor, but there are 4 nodes for 10 processors"},
};

static void embeddings_go_as_stated(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(embeddings); i++) {
    const EmbeddingTest *test = &embeddings[i];
    TgTopology topology = network(test->network);
    TgEmbedding embedding;
    TgError error;
    g_autoptr(GString) nodes = g_string_new(NULL);
    if (tg_embedding_init(&embedding, test->kind, test->dims, test->grid, &topology, &error))
      for (int p = 0; p < embedding.processors; p++)
        g_string_append_printf(nodes, " %d", (int)tg_embedding_node(&embedding, p));
    else
      g_string_assign(nodes, error.message);
    g_assert_cmpstr(nodes->str, ==, test->nodes);
  }
}

static void large_grids_do_not_overflow(void) {
  TgTopology topology = network("torus:2048x4096");
  TgEmbedding embedding;
  g_assert_true(tg_embedding_init(&embedding, TG_ROWMAJOR, 2, (int32_t[]){2048, 8192}, &topology, NULL));
  g_assert_cmpint(tg_embedding_node(&embedding, (1 << 24) - 1), ==, (1 << 23) - 1);
  g_assert_true(tg_embedding_init(&embedding, TG_SNAKE, 1, (int32_t[]){1 << 24}, &topology, NULL));
  g_assert_cmpint(tg_embedding_node(&embedding, (1 << 24) - 1), ==, (1 << 23) - 4096);
}

static void embedding_names_are_read_back(void) {
  TgEmbeddingKind kind;
  TgError error;
  for (int row = 0; row < TG_EMBEDDING_KINDS; row++) {
    g_assert_true(tg_embedding_kind_parse(&kind, tg_embedding_name(row), &error));
    g_assert_cmpint((int)kind, ==, row);
  }
  g_assert_false(tg_embedding_kind_parse(&kind, "grey", &error));
  g_assert_cmpstr(error.message, ==, "there is no embedding 'grey', expected rowmajor, gray, snake, tiled or fold");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/embedding/examples", embeddings_go_as_stated);
  g_test_add_func("/embedding/large", large_grids_do_not_overflow);
  g_test_add_func("/embedding/names", embedding_names_are_read_back);
  return g_test_run();
}
