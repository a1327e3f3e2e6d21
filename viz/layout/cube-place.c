#include "cube-place.h"

/* In widths and heights of a node's box. Found by a search for the least number of links that pass behind boxes. */
static const TgPoint first_ways[] = {{1.75, 0},  {0, -4.1}, {0.72, -2.15}, {3.75, 2.6}, {0, -10},
                                     {8.4, 1.2}, {18, 9},   {0, -34},      {37, 5}};
enum { FIRST_WAYS = 9, CUBE = 3 };
static const double larger = 4.3; /* from one cube to the cube of such cubes */

static TgPoint find_way(int bit, double node_width, double node_height) {
  double scale = 1;
  for (; bit >= FIRST_WAYS; bit -= CUBE) scale *= larger;
  return (TgPoint){first_ways[bit].x * scale * node_width, first_ways[bit].y * scale * node_height};
}

TgPoint tg_cube_at(const TgCubePlace *cube, int node) {
  TgPoint at = cube->first;
  for (int bit = 0; bit < cube->dimension; bit++) {
    if ((node >> bit & 1) == 0) continue;
    at.x += cube->way[bit].x;
    at.y += cube->way[bit].y;
  }
  return at;
}

void tg_cube_place(TgCubePlace *cube, int dimension, double node_width, double node_height) {
  double left = 0, right = 0, top = 0, bottom = 0;
  const double margin = 14;
  *cube = (TgCubePlace){.dimension = dimension};
  for (int bit = 0; bit < dimension; bit++) {
    const TgPoint way = cube->way[bit] = find_way(bit, node_width, node_height);
    right += MAX(way.x, 0);
    left += MIN(way.x, 0);
    bottom += MAX(way.y, 0);
    top += MIN(way.y, 0);
  }
  cube->first = (TgPoint){margin + node_width / 2 - left, margin + node_height / 2 - top};
  cube->width = right - left + node_width + 2 * margin;
  cube->height = bottom - top + node_height + 2 * margin;
}
