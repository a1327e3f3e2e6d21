#include "cube-place.h"

#include <glib.h>

/* In widths and heights of a node's box. Found by a search for the least number of links that pass behind boxes. */
static const double first_ways[][2] = {{1.75, 0},  {0, -4.1}, {0.72, -2.15}, {3.75, 2.6}, {0, -10},
                                       {8.4, 1.2}, {18, 9},   {0, -34},      {37, 5}};
enum { FIRST_WAYS = 9, CUBE = 3 };
static const double larger = 4.3; /* from one cube to the cube of such cubes */

static void find_way(int bit, double *x, double *y) {
  double scale = 1;
  for (; bit >= FIRST_WAYS; bit -= CUBE) scale *= larger;
  *x = first_ways[bit][0] * scale;
  *y = first_ways[bit][1] * scale;
}

void tg_cube_at(const TgCubePlace *cube, int node, double *x, double *y) {
  *x = cube->left;
  *y = cube->top;
  for (int bit = 0; bit < cube->dimension; bit++) {
    if ((node >> bit & 1) == 0) continue;
    *x += cube->x[bit];
    *y += cube->y[bit];
  }
}

void tg_cube_place(TgCubePlace *cube, int dimension, double node_width, double node_height) {
  double left = 0, right = 0, top = 0, bottom = 0;
  const double margin = 14;
  *cube = (TgCubePlace){.dimension = dimension};
  for (int bit = 0; bit < dimension; bit++) {
    find_way(bit, &cube->x[bit], &cube->y[bit]);
    cube->x[bit] *= node_width;
    cube->y[bit] *= node_height;
    right += MAX(cube->x[bit], 0);
    left += MIN(cube->x[bit], 0);
    bottom += MAX(cube->y[bit], 0);
    top += MIN(cube->y[bit], 0);
  }
  cube->left = margin + node_width / 2 - left;
  cube->top = margin + node_height / 2 - top;
  cube->width = right - left + node_width + 2 * margin;
  cube->height = bottom - top + node_height + 2 * margin;
}
