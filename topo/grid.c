/* Tori and meshes, and with one axis rings and lines. Element numbers are row-major, the last axis fastest. An axis of
 * extent e has on each of its lines the edges x -> x + 1, e of them where it closes to a ring, otherwise e - 1; edges
 * are numbered last axis first, and on an axis as (coordinates before, x, coordinates after). */
#include "network-kind.h"

static bool grid_closes(const TgLevel *level, int32_t extent) {
  return extent > 2 && (level->kind == TG_TORUS || level->kind == TG_RING);
}

static int32_t grid_line_edges(const TgLevel *level, int32_t extent) {
  return grid_closes(level, extent) ? extent : extent - 1;
}

static int64_t grid_nodes(const TgLevel *level) {
  int64_t nodes = 1;
  for (int axis = 0; axis < level->dims; axis++) {
    nodes *= level->extents[axis];
    if (nodes > TG_MAX_PROCESSORS) break;
  }
  return nodes;
}

static int64_t grid_links(const TgLevel *level) {
  int64_t edges = 0;
  for (int axis = 0; axis < level->dims; axis++) {
    int32_t extent = level->extents[axis];
    edges += (int64_t)grid_line_edges(level, extent) * (level->nodes / extent);
  }
  return 2 * edges;
}

static int32_t axis_distance(int32_t from, int32_t to, int32_t extent, bool closes) {
  int32_t hops = from < to ? to - from : from - to;
  return closes && 2 * hops > extent ? extent - hops : hops;
}

static int32_t grid_distance(const TgLevel *level, int32_t from, int32_t to) {
  int32_t hops = 0;
  for (int axis = level->dims - 1; axis > 0; axis--) {
    int32_t extent = level->extents[axis];
    hops += axis_distance(from % extent, to % extent, extent, grid_closes(level, extent));
    from /= extent;
    to /= extent;
  }
  return hops + axis_distance(from, to, level->extents[0], grid_closes(level, level->extents[0]));
}

/* Sets the stretch from coordinate x to y: which way and how far. */
static void run_direction(const TgLevel *level, int32_t x, int32_t y, int32_t extent, TgRun *run) {
  int32_t hops = x < y ? y - x : x - y;
  bool around = grid_closes(level, extent) && 2 * hops > extent;
  bool tie = grid_closes(level, extent) && 2 * hops == extent;
  run->hops = around ? extent - hops : hops;
  run->forward = tie || ((x < y) != around);
  run->at = x;
  run->extent = extent;
}

static void grid_run(const TgLevel *level, int32_t at, int32_t to, TgRun *run) {
  int32_t rest = at, rest_to = to, stride = 1;
  int64_t link = 0;
  for (int axis = level->dims - 1;; axis--) {
    int32_t extent = level->extents[axis];
    int32_t x = rest % extent, y = rest_to % extent, edges = grid_line_edges(level, extent);
    rest /= extent;
    rest_to /= extent;
    if (x != y) {
      run_direction(level, x, y, extent, run);
      run->axis = axis;
      run->edges = edges;
      int32_t after = at - (rest * extent + x) * stride;
      run->vertex = at - x * stride;
      run->vertex_stride = stride;
      run->end = at + (y - x) * stride;
      run->link = link + 2 * ((int64_t)rest * edges * stride + after) + !run->forward;
      run->link_stride = 2 * (int64_t)stride;
      return;
    }
    link += 2 * (int64_t)edges * (level->nodes / extent);
    stride *= extent;
  }
}

static void grid_sum_lines(const TgLevel *level, int64_t *by_link) {
  int64_t stride = 2, lines = level->nodes; /* both directions of a cable stand side by side */
  for (int axis = level->dims - 1; axis >= 0; axis--) {
    int32_t extent = level->extents[axis], edges = grid_line_edges(level, extent);
    lines /= extent;
    for (int64_t line = 0; line < lines; line++, by_link += edges * stride)
      for (int64_t link = stride; link < edges * stride; link++) by_link[link] += by_link[link - stride];
    stride *= extent;
  }
}

static TgEdge grid_edge(const TgLevel *level, int64_t edge) {
  int32_t stride = 1;
  for (int axis = level->dims - 1;; axis--) {
    int32_t extent = level->extents[axis], edges = grid_line_edges(level, extent);
    int64_t axis_edges = (int64_t)edges * (level->nodes / extent);
    if (edge < axis_edges) {
      int32_t after = (int32_t)(edge % stride), line = (int32_t)(edge / stride);
      int32_t x = line % edges, next = x + 1 < extent ? x + 1 : 0;
      int32_t origin = line / edges * extent * stride + after;
      return (TgEdge){origin + x * stride, origin + next * stride, axis};
    }
    edge -= axis_edges;
    stride *= extent;
  }
}

static int32_t axis_degree(int32_t x, int32_t extent, bool closes) {
  return closes ? 2 : (x + 1 < extent) + (x > 0);
}

static int32_t grid_degree(const TgLevel *level, int32_t at) {
  int32_t degree = 0;
  for (int axis = level->dims - 1; axis >= 0; axis--) {
    int32_t extent = level->extents[axis];
    degree += axis_degree(at % extent, extent, grid_closes(level, extent));
    at /= extent;
  }
  return degree;
}

static int32_t grid_neighbour(const TgLevel *level, int32_t at, int32_t index, int64_t *link) {
  int32_t rest = at, stride = 1;
  for (int axis = level->dims - 1;; axis--) {
    int32_t extent = level->extents[axis], x = rest % extent;
    bool closes = grid_closes(level, extent);
    int32_t degree = axis_degree(x, extent, closes);
    if (index < degree) {
      bool forward = index == 0 && (closes || x + 1 < extent);
      int32_t y = forward ? (x + 1) % extent : (x + extent - 1) % extent;
      TgRun run;
      grid_run(level, at, at + (y - x) * stride, &run);
      *link = run.link + (forward ? x : y) * run.link_stride;
      return run.end;
    }
    index -= degree;
    rest /= extent;
    stride *= extent;
  }
}

static int32_t grid_diameter(const TgLevel *level) {
  int32_t hops = 0;
  for (int axis = 0; axis < level->dims; axis++) {
    int32_t extent = level->extents[axis];
    hops += grid_closes(level, extent) ? extent / 2 : extent - 1;
  }
  return hops;
}

static int32_t grid_degree_max(const TgLevel *level) {
  int32_t degree = 0;
  for (int axis = 0; axis < level->dims; axis++) {
    int32_t extent = level->extents[axis];
    degree += extent > 2 ? 2 : extent - 1;
  }
  return degree;
}

/* The sum of Arjona Aroca and Fernandez Anta for extents in falling order: cut the widest axis in the middle; where its
 * extent is odd, cut its middle layer likewise. */
static int64_t mesh_bisection(const int32_t sorted[TG_MAX_DIMS], int64_t nodes) {
  int64_t links = 0;
  for (int axis = 0; axis < TG_MAX_DIMS && sorted[axis] > 1; axis++) {
    nodes /= sorted[axis];
    links += nodes;
    if (sorted[axis] % 2 == 0) break;
  }
  return links;
}

static void sort_falling(const TgLevel *level, int32_t sorted[TG_MAX_DIMS]) {
  for (int axis = 0; axis < TG_MAX_DIMS; axis++) {
    int32_t extent = axis < level->dims ? level->extents[axis] : 1;
    int place = axis;
    for (; place > 0 && sorted[place - 1] < extent; place--) sorted[place] = sorted[place - 1];
    sorted[place] = extent;
  }
}

static int64_t grid_bisection(const TgLevel *level) {
  int32_t sorted[TG_MAX_DIMS];
  sort_falling(level, sorted);
  int64_t mesh = mesh_bisection(sorted, level->nodes);
  if (!grid_closes(level, sorted[0])) return mesh;
  bool has_two = false;
  for (int axis = 0; axis < TG_MAX_DIMS; axis++) has_two |= sorted[axis] == 2;
  if (!has_two) return 2 * mesh;
  int32_t widest = sorted[0] > 4 ? sorted[0] : 4;
  return widest % 2 == 0 ? 2 * (int64_t)level->nodes / widest : -1;
}

#define GRID_FUNCTIONS                                                                                                 \
  .nodes = grid_nodes, .links = grid_links, .distance = grid_distance, .run = grid_run, .edge = grid_edge,             \
  .sum_lines = grid_sum_lines, .degree = grid_degree, .neighbour = grid_neighbour, .diameter = grid_diameter,          \
  .degree_max = grid_degree_max, .bisection = grid_bisection

const TgNetworkKindRow tg_torus = {
    .info = {"torus", "torus:4x4",
             "grid with wraparound links; dimension-ordered routes, last coordinate first, the shorter way round", 1,
             TG_MAX_DIMS, NULL, true},
    GRID_FUNCTIONS,
};

const TgNetworkKindRow tg_mesh = {
    .info = {"mesh", "mesh:8x8", "grid without wraparound links; dimension-ordered routes, last coordinate first", 1,
             TG_MAX_DIMS, NULL, true},
    GRID_FUNCTIONS,
};

const TgNetworkKindRow tg_ring = {
    .info = {"ring", "ring:8", "torus of one axis", 1, 1, NULL, false},
    GRID_FUNCTIONS,
};

const TgNetworkKindRow tg_line = {
    .info = {"line", "line:8", "mesh of one axis", 1, 1, NULL, false},
    GRID_FUNCTIONS,
};
