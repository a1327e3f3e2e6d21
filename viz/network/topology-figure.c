#include "topology-figure.h"

#include <math.h>

#include "cube-place.h"

/* What a figure is made of. */
typedef struct Element {
  double width, height;
} Element;

/* An axis on the page. Axes 0 and 1 of a plane run down and right; with three, the last runs up, plane over plane, and
 * axis 0 towards the reader; with four, the last two place whole planes, aslant so that their links pass the nodes. */
typedef struct Way {
  double x, y;
} Way;

static double gap(const Element *element) {
  return MAX(element->width < 20 ? 22 : 32, MIN(element->width, element->height) * 0.45);
}

/* All places are sums of ways, so the corner nearest to the upper left is found axis by axis. */
static void place_by_ways(TgFigure *figure, const Element *element, const Way *way, double margin) {
  double left = 0, top = 0, right = 0, bottom = 0;
  const TgLevel *level = figure->level;
  for (int a = 0; a < level->dims; a++) {
    double x = way[a].x * (level->extents[a] - 1), y = way[a].y * (level->extents[a] - 1);
    left += MIN(x, 0), right += MAX(x, 0), top += MIN(y, 0), bottom += MAX(y, 0);
  }
  for (int32_t e = 0; e < level->nodes; e++) {
    figure->at[e] = (TgPoint){margin + element->width / 2 - left, margin + element->height / 2 - top};
    for (int32_t a = level->dims - 1, rest = e; a >= 0; rest /= level->extents[a--]) {
      figure->at[e].x += way[a].x * (rest % level->extents[a]);
      figure->at[e].y += way[a].y * (rest % level->extents[a]);
    }
  }
  figure->width = right - left + element->width + 2 * margin;
  figure->height = bottom - top + element->height + 2 * margin;
}

static void place_grid(TgFigure *figure, const Element *element) {
  const TgLevel *level = figure->level;
  double px = element->width + gap(element), py = element->height + gap(element);
  double wide = px * (level->extents[1] + 0.8), high = py * (level->extents[0] + 0.8);
  Way way[TG_MAX_DIMS] = {{0, py}, {px, 0}, {wide, py * 0.4}, {-px * 0.4, high}};
  if (level->dims == 1) way[0] = (Way){px, 0};
  if (level->dims == 3) {
    way[0] = (Way){-px * 0.42, py * 0.8};
    way[1] = (Way){px * MAX(1.1, 0.42 * level->extents[0]), 0};
    way[2] = (Way){0, -py * (0.8 * level->extents[0] + 0.5)};
  }
  place_by_ways(figure, element, way, level->kind == TG_TORUS ? 44 : 12);
  figure->stubs = level->kind == TG_TORUS;
}

/* Round a circle, the first at the top; the circumference leaves room for every element. */
static void place_circle(TgFigure *figure, const Element *element) {
  int32_t nodes = figure->level->nodes;
  double size = MAX(hypot(element->width, element->height) * 0.8, element->width) + 22;
  double radius = nodes == 1 ? 0 : MAX(size / (2 * sin(G_PI / nodes)), size * 0.62);
  figure->width = 2 * radius + element->width + 16;
  figure->height = 2 * radius + element->height + 16;
  figure->hub = (TgPoint){figure->width / 2, figure->height / 2};
  for (int32_t e = 0; e < nodes; e++) {
    double angle = 2 * G_PI * e / nodes - G_PI / 2;
    figure->at[e] = (TgPoint){figure->hub.x + radius * cos(angle), figure->hub.y + radius * sin(angle)};
  }
}

/* The switch above, its elements in rows below, with room between them for the cables to lower rows: none between nodes
 * without labels, which hide little. */
static void place_switch(TgFigure *figure, const Element *element) {
  int32_t nodes = figure->level->nodes, columns = nodes <= 8 ? nodes : (int32_t)ceil(sqrt(2.0 * nodes));
  int32_t rows = (nodes + columns - 1) / columns;
  figure->columns = columns;
  figure->rows = rows;
  figure->lane = figure->level->span > 1 ? 6 : element->width < 20 ? 0 : 3;
  double px = element->width + 12 + figure->lane * (rows - 1), py = element->height + 26, top = 30 + 46;
  figure->width = columns * px + 12;
  figure->height = top + rows * py;
  figure->hub = (TgPoint){figure->width / 2, 24};
  for (int32_t e = 0; e < nodes; e++) {
    int32_t in_row = MIN(columns, nodes - e / columns * columns);
    figure->at[e] = (TgPoint){figure->width / 2 + (e % columns - (in_row - 1) / 2.0) * px,
                              top + element->height / 2 + e / columns * py};
  }
}

static void place_hypercube(TgFigure *figure, const Element *element) {
  TgCubePlace cube;
  double height = MAX(element->height, element->width / 3);
  tg_cube_place(&cube, figure->level->extents[0], MAX(element->width, height * 2), height);
  figure->width = cube.width;
  figure->height = cube.height;
  for (int32_t e = 0; e < figure->level->nodes; e++) tg_cube_at(&cube, e, &figure->at[e].x, &figure->at[e].y);
}

static void place_line(TgFigure *figure, const Element *element) {
  Way way[TG_MAX_DIMS] = {{element->width + gap(element), 0}};
  place_by_ways(figure, element, way, 12);
}

void tg_figure_init(TgFigure *figure, const TgLevel *level, double width, double height) {
  static void (*const place[TG_NETWORK_KINDS])(TgFigure *, const Element *) = {
      [TG_TORUS] = place_grid,          [TG_MESH] = place_grid,   [TG_RING] = place_circle,   [TG_LINE] = place_line,
      [TG_HYPERCUBE] = place_hypercube, [TG_FULL] = place_circle, [TG_SWITCH] = place_switch,
  };
  *figure = (TgFigure){.level = level, .at = g_new0(TgPoint, (gsize)level->nodes)};
  Element element = {width, height};
  bool ring = level->kind == TG_TORUS && level->dims == 1;
  (ring ? place_circle : place[level->kind])(figure, &element);
}

void tg_figure_clear(TgFigure *figure) {
  g_free(figure->at);
}
