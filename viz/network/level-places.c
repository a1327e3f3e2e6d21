#include "level-places.h"

#include <math.h>

#include "cube-place.h"

/* One of those that are placed. */
typedef struct Element {
  double width, height;
} Element;

static double gap(const Element *element) {
  return MAX(element->width < 20 ? 22 : 32, MIN(element->width, element->height) * 0.45);
}

/* All places are sums of the ways that axes take on the page, so the corner nearest to the upper left is found axis by
 * axis. */
static void place_by_ways(TgLevelPlaces *places, const Element *element, const TgPoint *way, double margin) {
  double left = 0, top = 0, right = 0, bottom = 0;
  const TgLevel *level = places->level;
  for (int a = 0; a < level->dims; a++) {
    double x = way[a].x * (level->extents[a] - 1), y = way[a].y * (level->extents[a] - 1);
    left += MIN(x, 0), right += MAX(x, 0), top += MIN(y, 0), bottom += MAX(y, 0);
  }
  for (int32_t e = 0; e < level->nodes; e++) {
    places->at[e] = (TgPoint){margin + element->width / 2 - left, margin + element->height / 2 - top};
    for (int32_t a = level->dims - 1, rest = e; a >= 0; rest /= level->extents[a--]) {
      places->at[e].x += way[a].x * (rest % level->extents[a]);
      places->at[e].y += way[a].y * (rest % level->extents[a]);
    }
  }
  places->width = right - left + element->width + 2 * margin;
  places->height = bottom - top + element->height + 2 * margin;
}

/* Axes 0 and 1 of a plane run down and right; with three, the last runs up, plane over plane, and axis 0 towards the
 * reader; with four, the last two place whole planes, aslant so that their links pass the nodes. */
static void place_grid(TgLevelPlaces *places, const Element *element) {
  const TgLevel *level = places->level;
  double px = element->width + gap(element), py = element->height + gap(element);
  double wide = px * (level->extents[1] + 0.8), high = py * (level->extents[0] + 0.8);
  TgPoint way[TG_MAX_DIMS] = {{0, py}, {px, 0}, {wide, py * 0.4}, {-px * 0.4, high}};
  if (level->dims == 1) way[0] = (TgPoint){px, 0};
  if (level->dims == 3) {
    way[0] = (TgPoint){-px * 0.42, py * 0.8};
    way[1] = (TgPoint){px * MAX(1.1, 0.42 * level->extents[0]), 0};
    way[2] = (TgPoint){0, -py * (0.8 * level->extents[0] + 0.5)};
  }
  place_by_ways(places, element, way, level->kind == TG_TORUS ? 44 : 12);
  places->stubs = level->kind == TG_TORUS;
}

/* The radius at which boxes round a circle leave a gap between neighbours, side by side or one above the other; in a
 * full network of few boxes, cables to the next box but one also miss the box in between. */
static double radius_for_boxes(const TgLevel *level, const Element *element) {
  enum { FEW = 12 }; /* with more, the circle would be far larger than its boxes */
  const double step = 2 * G_PI / level->nodes, apart = gap(element);
  double radius = 0;
  for (int32_t e = 0; e < level->nodes; e++) {
    const double x = cos(e * step - G_PI / 2), y = sin(e * step - G_PI / 2);
    const double dx = fabs(cos((e + 1) * step - G_PI / 2) - x), dy = fabs(sin((e + 1) * step - G_PI / 2) - y);
    radius = MAX(radius, MIN((element->width + apart) / dx, (element->height + apart) / dy));
    const double inwards = (element->width * fabs(x) + element->height * fabs(y)) / 2 + 12;
    if (level->kind == TG_FULL && level->nodes > 3 && level->nodes <= FEW)
      radius = MAX(radius, inwards / (1 - cos(step)));
  }
  return radius;
}

/* Round a circle, the first at the top; the circumference leaves room for every element. */
static void place_circle(TgLevelPlaces *places, const Element *element) {
  int32_t nodes = places->level->nodes;
  double size = MAX(hypot(element->width, element->height) * 0.8, element->width) + 22;
  double radius = nodes == 1 ? 0 : MAX(size / (2 * sin(G_PI / nodes)), size * 0.62);
  if (places->level->span > 1 && nodes > 1) radius = MAX(radius, radius_for_boxes(places->level, element));
  places->width = 2 * radius + element->width + 16;
  places->height = 2 * radius + element->height + 16;
  places->hub = (TgPoint){places->width / 2, places->height / 2};
  for (int32_t e = 0; e < nodes; e++) {
    double angle = 2 * G_PI * e / nodes - G_PI / 2;
    places->at[e] = (TgPoint){places->hub.x + radius * cos(angle), places->hub.y + radius * sin(angle)};
  }
}

enum { SWITCH_PITCH = 80 };

/* The switches of all planes above, the elements in rows below, with room between them for the cables to lower rows:
 * none between nodes without labels, which hide little. */
static void place_switch(TgLevelPlaces *places, const Element *element) {
  const int32_t nodes = places->level->nodes, hubs = places->level->switches * places->level->planes;
  const int32_t columns = nodes <= (hubs > 1 ? 16 : 8) ? nodes : (int32_t)ceil(sqrt(2.0 * nodes));
  const int32_t rows = (nodes + columns - 1) / columns;
  places->hubs = hubs;
  places->columns = columns;
  places->rows = rows;
  places->lane = places->level->span > 1 ? 6 : element->width < 20 ? 0 : 3;
  const double px = element->width + 12 + places->lane * (rows - 1), py = element->height + 26;
  places->width = MAX(columns * px, hubs > 1 ? hubs * SWITCH_PITCH : 0) + 12;
  const double aside =
      places->width / MAX(hubs, 1) - TG_SWITCH_WIDTH / 2.0; /* to the next switch, whose corner cables pass */
  const double drop = hubs > 1 ? MAX(66, TG_SWITCH_HEIGHT / 2.0 * places->width / aside) : 46, top = 30 + drop;
  places->height = top + rows * py;
  places->hub = (TgPoint){places->width / 2, 24};
  for (int32_t e = 0; e < nodes; e++) {
    int32_t in_row = MIN(columns, nodes - e / columns * columns);
    places->at[e] = (TgPoint){places->width / 2 + (e % columns - (in_row - 1) / 2.0) * px,
                              top + element->height / 2 + e / columns * py};
  }
}

/* Groups round a circle, and the routers of each round a circle of their own, those first, from the outside clockwise,
 * whose cables go to the groups that follow clockwise. */
static void place_dragonfly(TgLevelPlaces *places, const Element *element) {
  const int32_t groups = places->level->extents[0], routers = places->level->extents[1];
  const double size = hypot(element->width, element->height) + 20;
  const double inner = routers == 1 ? 0 : size / (2 * sin(G_PI / routers)), whole = 2 * inner + size + 24;
  const double outer = groups == 1 ? 0 : whole / (2 * sin(G_PI / groups));
  places->width = 2 * outer + whole;
  places->height = 2 * outer + whole;
  for (int32_t e = 0; e < places->level->nodes; e++) {
    const int32_t group = e / routers;
    const int32_t first = groups == 1 ? 0 : tg_dragonfly_router(places->level, group, (group + 1) % groups);
    const double angle = 2 * G_PI * group / groups - G_PI / 2;
    const double turn = angle + 2 * G_PI * ((e + routers - first) % routers + 0.5) / routers;
    places->at[e] = (TgPoint){places->width / 2 + outer * cos(angle) + inner * cos(turn),
                              places->height / 2 + outer * sin(angle) + inner * sin(turn)};
  }
}

static void place_hypercube(TgLevelPlaces *places, const Element *element) {
  TgCubePlace cube;
  double height = MAX(element->height, element->width / 3);
  tg_cube_place(&cube, places->level->extents[0], MAX(element->width, height * 2), height);
  places->width = cube.width;
  places->height = cube.height;
  for (int32_t e = 0; e < places->level->nodes; e++) places->at[e] = tg_cube_at(&cube, e);
}

static void place_line(TgLevelPlaces *places, const Element *element) {
  TgPoint way[TG_MAX_DIMS] = {{element->width + gap(element), 0}};
  place_by_ways(places, element, way, 12);
}

void tg_level_places_init(TgLevelPlaces *places, const TgLevel *level, double width, double height) {
  static void (*const place[])(TgLevelPlaces *, const Element *) = {
      [TG_TORUS] = place_grid,          [TG_MESH] = place_grid,           [TG_RING] = place_circle,
      [TG_LINE] = place_line,           [TG_HYPERCUBE] = place_hypercube, [TG_FULL] = place_circle,
      [TG_SWITCH] = place_switch,       [TG_SPINE] = place_switch,        [TG_ECMP] = place_switch,
      [TG_DRAGONFLY] = place_dragonfly,
  };
  G_STATIC_ASSERT(G_N_ELEMENTS(place) == TG_NETWORK_KINDS);
  *places = (TgLevelPlaces){.level = level, .at = g_new0(TgPoint, (gsize)level->nodes)};
  Element element = {width, height};
  bool ring = level->kind == TG_TORUS && level->dims == 1;
  (ring ? place_circle : place[level->kind])(places, &element);
}

void tg_level_places_clear(TgLevelPlaces *places) {
  g_clear_pointer(&places->at, g_free);
}
