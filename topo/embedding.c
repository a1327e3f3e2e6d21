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

/* False where the network has other coordinates than the grid, or is larger along one axis and smaller along another. */
static bool lay_along_axes(TgEmbedding *embedding, const TgTopology *topology) {
  int32_t machine[TG_MAX_COORDINATES];
  if (tg_topology_extents(topology, machine) != embedding->dims) return false;
  bool larger = true, smaller = true;
  for (int axis = 0; axis < embedding->dims; axis++) {
    larger &= embedding->grid[axis] >= machine[axis];
    smaller &= embedding->grid[axis] <= machine[axis];
  }
  if (!larger && !smaller) return false;
  memcpy(embedding->machine, machine, (size_t)embedding->dims * sizeof *machine);
  lay_by_axis(embedding);
  return true;
}

/* If the axes do not match, maps processors to nodes by number. */
static bool rowmajor_init(TgEmbedding *embedding, const TgTopology *topology, TgError *error) {
  (void)error;
  lay_along_axes(embedding, topology);
  return true;
}

/* A torus has wraparound links already. */
static bool fold_init(TgEmbedding *embedding, const TgTopology *topology, TgError *error) {
  embedding->fold = 1;
  if (topology->levels > 1 || (topology->level[0].kind != TG_MESH && topology->level[0].kind != TG_LINE))
    return tg_error_set(error, 0, 0, "the folded embedding needs a mesh or a line, such as mesh:8x8");
  if (lay_along_axes(embedding, topology)) return true;
  return tg_error_set(
      error, 0, 0,
      "the folded embedding needs a mesh with as many dimensions as the grid, and with extents that are all "
      "at most or all at least the grid's; for a two-dimensional grid, try mesh:8x8");
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

/* The tiles of a level. */
typedef struct Tiling {
  int dims;
  const int32_t *below; /* extents of the tile of the levels below … */
  const int32_t *rest;  /* … and of the grid, in these */
  int32_t tile[TG_MAX_DIMS], best[TG_MAX_DIMS];
  double least; /* messages that leave the best one; below 0 while there is none */
} Tiling;

/* Messages that leave the tile if each of its processors sends one along each axis, divided by the tile's size, which
 * is the same for all. Along an axis that the tile spans none does. */
static double leaving(const Tiling *tiling) {
  double sum = 0;
  for (int axis = 0; axis < tiling->dims; axis++)
    if (tiling->tile[axis] < tiling->rest[axis]) sum += 1.0 / ((double)tiling->tile[axis] * tiling->below[axis]);
  return sum;
}

/* All tiles with `nodes` left for this axis and the later ones. */
static void try_tiles(Tiling *tiling, int axis, int32_t nodes) {
  if (axis == tiling->dims) {
    const double now = leaving(tiling);
    if (nodes > 1 || (tiling->least >= 0 && now >= tiling->least * (1 - 1e-9))) return;
    tiling->least = now;
    memcpy(tiling->best, tiling->tile, sizeof tiling->best);
    return;
  }
  for (int32_t extent = 1; extent <= nodes && extent <= tiling->rest[axis]; extent++) {
    if (nodes % extent || tiling->rest[axis] % extent) continue;
    tiling->tile[axis] = extent;
    try_tiles(tiling, axis + 1, nodes / extent);
  }
}

static int64_t product(int dims, const int32_t *extents) {
  int64_t all = 1;
  for (int axis = 0; axis < dims; axis++) all *= extents[axis];
  return all;
}

/* Whether the level is a grid of as many extents, each of which has room for the tile's. */
static bool has_extents(const TgLevel *level, int dims, const int32_t *tile) {
  if ((level->kind != TG_TORUS && level->kind != TG_MESH) || level->dims != dims) return false;
  for (int axis = 0; axis < dims; axis++)
    if (tile[axis] > level->extents[axis]) return false;
  return true;
}

/* The tile of one copy of the level. */
static bool find_tile(const TgLevel *level, int dims, const int32_t *below, const int32_t *rest, int32_t *tile) {
  Tiling tiling = {.dims = dims, .below = below, .rest = rest, .least = -1};
  bool own = has_extents(level, dims, level->extents);
  if (product(dims, rest) <= level->nodes) {
    memcpy(tile, rest, (size_t)dims * sizeof *tile);
    return true;
  }
  for (int axis = 0; axis < dims && own; axis++) own = rest[axis] % level->extents[axis] == 0;
  if (!own) try_tiles(&tiling, 0, level->nodes);
  memcpy(tile, own ? level->extents : tiling.best, (size_t)dims * sizeof *tile);
  return own || tiling.least >= 0;
}

/* Row-major in the level's own extents, or in the tile's. */
static void lay_tile(TgEmbedding *embedding, int number, const TgLevel *level) {
  const int32_t *tile = embedding->tile[number];
  const int32_t *extents = has_extents(level, embedding->dims, tile) ? level->extents : tile;
  int32_t stride = level->span;
  for (int axis = embedding->dims - 1; axis >= 0; axis--) {
    embedding->tile_stride[number][axis] = stride;
    stride *= extents[axis];
  }
}

static bool tiled_init(TgEmbedding *embedding, const TgTopology *topology, TgError *error) {
  int32_t rest[TG_MAX_DIMS], below[TG_MAX_DIMS] = {1, 1, 1, 1};
  memcpy(rest, embedding->grid, sizeof rest);
  if (topology->levels < 2)
    return tg_error_set(error, 0, 0,
                        "the tiled embedding needs a network of several levels, such as switch:4*switch:4");
  if (embedding->processors > embedding->nodes)
    return tg_error_set(error, 0, 0,
                        "the tiled embedding needs a node for each processor, but there are %d nodes for %d processors",
                        (int)embedding->nodes, (int)embedding->processors);
  for (int number = 0; number < topology->levels; number++) {
    const TgLevel *level = &topology->level[number];
    if (!find_tile(level, embedding->dims, below, rest, embedding->tile[number]))
      return tg_error_set(error, 0, 0,
                          "the tiled embedding finds no tile of %d processors whose extents divide the grid's",
                          (int)level->nodes * level->span);
    for (int axis = 0; axis < embedding->dims; axis++) {
      rest[axis] /= embedding->tile[number][axis];
      below[axis] *= embedding->tile[number][axis];
    }
    lay_tile(embedding, number, level);
  }
  embedding->tile_levels = topology->levels;
  return true;
}

static const EmbeddingRow rows[TG_EMBEDDING_KINDS] = {
    [TG_ROWMAJOR] = {"rowmajor", rowmajor_init},
    [TG_GRAY] = {"gray", gray_init},
    [TG_SNAKE] = {"snake", snake_init},
    [TG_TILED] = {"tiled", tiled_init},
    [TG_FOLD] = {"fold", fold_init},
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
  return tg_error_set(error, 0, 0, "there is no embedding '%.*s', expected rowmajor, gray, snake, tiled or fold",
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
