#include "embedding.h"

#include <string.h>

/* How each kind sets an embedding whose grid, processors and nodes are known. */
typedef struct EmbeddingRow {
  const char *name;
  bool (*init)(TgEmbedding *embedding, const TgTopology *topology, TgError *error);
} EmbeddingRow;

static bool is_hypercube(const TgTopology *topology) {
  return topology->levels == 1 && topology->level[0].kind == TG_HYPERCUBE;
}

/* Along each axis by itself: row-major in the machine's extents. */
static void lay_by_axis(TgEmbedding *embedding) {
  int32_t stride = 1;
  for (int axis = embedding->dims - 1; axis >= 0; axis--) {
    embedding->stride[axis] = stride;
    stride *= embedding->machine[axis];
  }
  embedding->by_axis = 1;
}

static bool rowmajor_init(TgEmbedding *embedding, const TgTopology *topology, TgError *error) {
  (void)error;
  int32_t machine[TG_MAX_COORDINATES];
  if (tg_topology_extents(topology, machine) != embedding->dims) return true;
  bool larger = true, smaller = true;
  for (int axis = 0; axis < embedding->dims; axis++) {
    larger &= embedding->grid[axis] >= machine[axis];
    smaller &= embedding->grid[axis] <= machine[axis];
  }
  if (!larger && !smaller) return true;
  memcpy(embedding->machine, machine, (size_t)embedding->dims * sizeof *machine);
  lay_by_axis(embedding);
  return true;
}

static int widest_axis(const TgEmbedding *embedding) {
  int widest = 0;
  for (int axis = 1; axis < embedding->dims; axis++)
    if (embedding->machine[axis] > embedding->machine[widest]) widest = axis;
  return widest;
}

static bool gray_init(TgEmbedding *embedding, const TgTopology *topology, TgError *error) {
  if (!is_hypercube(topology))
    return tg_error_set(error, 0, 0, "the Gray embedding needs a hypercube, such as hypercube:6");
  for (int axis = 0; axis < embedding->dims; axis++) {
    int32_t extent = embedding->grid[axis];
    if (extent & (extent - 1))
      return tg_error_set(error, 0, 0, "the Gray embedding needs extents that are powers of two, but axis %d has %d",
                          axis + 1, (int)extent);
    embedding->machine[axis] = extent;
  }
  for (int64_t blocks = embedding->processors; blocks > topology->nodes; blocks /= 2)
    embedding->machine[widest_axis(embedding)] /= 2;
  lay_by_axis(embedding);
  embedding->gray = 1;
  return true;
}

static bool snake_init(TgEmbedding *embedding, const TgTopology *topology, TgError *error) {
  (void)error;
  embedding->gray = is_hypercube(topology);
  if (!embedding->gray) embedding->machine_dims = tg_topology_extents(topology, embedding->machine);
  return true;
}

static const EmbeddingRow rows[TG_EMBEDDING_KINDS] = {
    [TG_ROWMAJOR] = {"rowmajor", rowmajor_init},
    [TG_GRAY] = {"gray", gray_init},
    [TG_SNAKE] = {"snake", snake_init},
};

const char *tg_embedding_name(int kind) {
  return rows[kind].name;
}

bool tg_embedding_kind_parse(TgEmbeddingKind *kind, const char *name, TgError *error) {
  for (int row = 0; row < TG_EMBEDDING_KINDS; row++) {
    if (strcmp(rows[row].name, name) != 0) continue;
    *kind = (TgEmbeddingKind)row;
    return true;
  }
  return tg_error_set(error, 0, 0, "there is no embedding '%.*s', expected rowmajor, gray or snake",
                      tg_text_fit(name, 40), name);
}

bool tg_embedding_init(TgEmbedding *embedding, TgEmbeddingKind kind, int dims, const int32_t *grid,
                       const TgTopology *topology, TgError *error) {
  if (dims < 1 || dims > TG_MAX_DIMS)
    return tg_error_set(error, 0, 0, "a grid has 1 to %d extents, not %d", TG_MAX_DIMS, dims);
  TgEmbedding built = {.kind = (int32_t)kind, .dims = dims, .nodes = topology->nodes, .grid = {1, 1, 1, 1}};
  int64_t processors = 1;
  for (int axis = 0; axis < dims; axis++) {
    if (grid[axis] < 1 || grid[axis] > TG_MAX_PROCESSORS || (processors *= grid[axis]) > TG_MAX_PROCESSORS)
      return tg_error_set(error, 0, 0, "extent %d of the grid is %d, expected 1 or more and at most %d processors",
                          axis + 1, (int)grid[axis], TG_MAX_PROCESSORS);
    built.grid[axis] = grid[axis];
  }
  built.processors = (int32_t)processors;
  if (!rows[kind].init(&built, topology, error)) return false;
  *embedding = built;
  return true;
}
