/** @file embedding.h
 * Lays a logical grid of processors on the nodes of a network.
 *
 * Processors are numbered row-major, the last coordinate fastest. The grid may be larger than the network: then
 * several processors share a node. It may be smaller: then some nodes have none. */
#ifndef TG_EMBEDDING_H
#define TG_EMBEDDING_H

#include "topology.h"

TG_BEGIN_DECLS

/** How; also the row of tg_embedding_name(). */
typedef enum TgEmbeddingKind {
  TG_ROWMAJOR, /**< coordinate by coordinate, or processor numbers in order of node numbers */
  TG_GRAY,     /**< the Gray code of each coordinate: neighbours in the grid, also around, are hypercube neighbours */
  TG_SNAKE,    /**< processor numbers to and fro through the network: consecutive processors are neighbours */
  TG_TILED,    /**< a tile of the grid on each host of a network of several levels */
  TG_FOLD,     /**< to and back along each axis: neighbours in the grid, also around, are at most two hops apart */
  TG_EMBEDDING_KINDS
} TgEmbeddingKind;

/** An embedding. Plain bytes without pointers: may be copied to a device or sent in a message.
 *
 * `by_axis`: coordinate c of axis i goes to machine coordinate floor(c * machine[i] / grid[i]) where the grid is
 * larger, otherwise c; Gray-coded then if `gray`, folded if `fold`; node = the sum of these times stride[i]. Otherwise by number:
 * processor p goes to place floor(p * nodes / processors) where there are more processors than nodes, otherwise p; a
 * place is a node number, or a step of the snake through `machine`. With tiles, coordinate c of axis i has a digit for
 * each level, the innermost first: c % tile[0][i], then that of c / tile[0][i] and so on; node = the sum of these times
 * tile_stride[level][i]. */
typedef struct TgEmbedding {
  int32_t kind;       /**< a TgEmbeddingKind */
  int32_t by_axis;    /**< 1 or 0 */
  int32_t gray;       /**< 1 or 0 */
  int32_t fold;       /**< 1 or 0 */
  int32_t dims;       /**< of the grid */
  int32_t processors; /**< of the grid */
  int32_t nodes;      /**< of the network */
  int32_t grid[TG_MAX_DIMS];
  int32_t machine_dims; /**< axes that the snake runs through; 0 without a snake */
  int32_t machine[TG_MAX_COORDINATES];
  int32_t stride[TG_MAX_DIMS];
  int32_t tile_levels; /**< 0 without tiles */
  int32_t tile[TG_MAX_LEVELS][TG_MAX_DIMS];
  int32_t tile_stride[TG_MAX_LEVELS][TG_MAX_DIMS];
} TgEmbedding;

/** The name of a kind, as the command takes it; `kind` in 0..TG_EMBEDDING_KINDS-1. */
const char *tg_embedding_name(int kind);

/** The kind of that name, or an error that lists them. */
bool tg_embedding_kind_parse(TgEmbeddingKind *kind, const char *name, TgError *error);

/** Lays a grid on a network.
 *
 * rowmajor: where the network has as many coordinates as the grid and each extent of the grid is at least the
 * network's, blocks along each axis; where each is at most the network's, a corner of it; otherwise processor numbers
 * in order: blocks of them, or the first nodes.
 * gray: each axis of the grid gets its own bits of a hypercube's label, the first axis the highest; needs a hypercube
 * and extents that are powers of two. Where the grid is larger, the axis with the most blocks is halved (of equal ones
 * the first) until it fits.
 * snake: processor numbers in order along the reflected row-major path; on a hypercube that is the Gray code of the
 * number. Neighbours stay neighbours where the network is a single torus, mesh, ring, line, hypercube or full.
 * tiled: level by level, from the innermost, each copy of the level gets a tile of the grid, and then of the grid of
 * tiles. If the rest of the grid fits into one copy, it is one tile. If the level is a grid whose extents divide the
 * rest's, the tile has these extents. Otherwise it is, of all tiles of that many processors whose extents divide, the
 * one that sends the fewest messages to others when every processor sends one along each axis. Needs several levels, a
 * node for each processor, and tiles that divide.
 * fold: as rowmajor along each axis, but the first half of the coordinates goes to every other place, and the second
 * half comes back on the places between: 0 5 1 4 2 3. A ring becomes a line without a long way around. Needs a mesh
 * or line with as many coordinates as the grid, each of whose extents is at most the grid's, or each at least.
 * Source: C. He et al., WaferLLM: Large Language Model Inference at Wafer Scale, OSDI 2025 (MeshGEMM).
 *
 * @param grid `dims` extents, 1..TG_MAX_DIMS of them. */
bool tg_embedding_init(TgEmbedding *embedding, TgEmbeddingKind kind, int dims, const int32_t *grid,
                       const TgTopology *topology, TgError *error);

/** The block of `machine` parts that entry `c` of `grid` falls into; with fewer entries than parts, c itself. */
static inline TG_SHARED int32_t tg_embedding_block(int32_t c, int32_t grid, int32_t machine) {
  return grid > machine ? (int32_t)((int64_t)c * machine / grid) : c;
}

/** Step `place` of the path to and fro: a coordinate runs backwards where the number before it is odd. */
static inline TG_SHARED int64_t tg_embedding_snake(const TgEmbedding *embedding, int32_t place) {
  int64_t node = 0, stride = 1;
  for (int axis = embedding->machine_dims - 1; axis >= 0; axis--) {
    int32_t extent = embedding->machine[axis], x = place % extent;
    place /= extent;
    node += (place % 2 ? extent - 1 - x : x) * stride;
    stride *= extent;
  }
  return node;
}

/** Where coordinate `c` of a folded axis stands. */
static inline TG_SHARED int32_t tg_embedding_fold(int32_t c, int32_t extent) {
  return c < (extent + 1) / 2 ? 2 * c : 2 * (extent - c) - 1;
}

static inline TG_SHARED int64_t tg_embedding_by_axis(const TgEmbedding *embedding, int32_t processor) {
  int64_t node = 0;
  for (int axis = embedding->dims - 1; axis >= 0; axis--) {
    int32_t extent = embedding->grid[axis], places = embedding->machine[axis];
    int32_t x = tg_embedding_block(processor % extent, extent, places);
    processor /= extent;
    if (embedding->fold) x = tg_embedding_fold(x, extent < places ? extent : places);
    node += (int64_t)(embedding->gray ? x ^ (x >> 1) : x) * embedding->stride[axis];
  }
  return node;
}

static inline TG_SHARED int64_t tg_embedding_tiled(const TgEmbedding *embedding, int32_t processor) {
  int64_t node = 0;
  for (int axis = embedding->dims - 1; axis >= 0; axis--) {
    int32_t x = processor % embedding->grid[axis];
    processor /= embedding->grid[axis];
    for (int level = 0; level < embedding->tile_levels; level++) {
      int32_t extent = embedding->tile[level][axis];
      node += (int64_t)(x % extent) * embedding->tile_stride[level][axis];
      x /= extent;
    }
  }
  return node;
}

/** The node of a processor, 0..processors-1. */
static inline TG_SHARED int64_t tg_embedding_node(const TgEmbedding *embedding, int64_t processor) {
  if (embedding->tile_levels) return tg_embedding_tiled(embedding, (int32_t)processor);
  if (embedding->by_axis) return tg_embedding_by_axis(embedding, (int32_t)processor);
  int32_t place = tg_embedding_block((int32_t)processor, embedding->processors, embedding->nodes);
  if (embedding->gray) return place ^ (place >> 1);
  return embedding->machine_dims ? tg_embedding_snake(embedding, place) : place;
}

TG_END_DECLS

#endif
