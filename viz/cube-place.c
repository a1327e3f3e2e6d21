#include "cube-place.h"

#include <glib.h>

/* In widths and heights of a node's box. Found by a search for the least number of links that pass behind boxes. */
static const double way[TG_CUBE_MOST][2] = {{1.5, 0}, {0, -3.05}, {0.64, -1.53}, {3.3, 2.1}, {0, -7.2}, {7.4, 0.9}};

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
    cube->x[bit] = way[bit][0] * node_width;
    cube->y[bit] = way[bit][1] * node_height;
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
