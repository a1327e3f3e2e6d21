#include "least-squares.h"

#include <math.h>
#include <string.h>

enum { MOST = TG_LEAST_SQUARES_UNKNOWNS };

/** The normal equations of some of the unknowns, columns scaled to length 1. */
typedef struct Normal {
  int count, unknown[MOST];
  double scale[MOST], matrix[MOST][MOST + 1];
} Normal;

static double weight_of(const double *weight, int row) {
  return weight ? weight[row] : 1;
}

static bool set_up(Normal *normal, const double *term, const double *y, const double *weight, int rows, int unknowns) {
  for (int a = 0; a < normal->count; a++) {
    double squares = 0;
    for (int r = 0; r < rows; r++) squares += pow(weight_of(weight, r) * term[r * unknowns + normal->unknown[a]], 2);
    if (!(squares > 0)) return false;
    normal->scale[a] = 1 / sqrt(squares);
  }
  for (int a = 0; a < normal->count; a++)
    for (int b = 0; b <= normal->count; b++) {
      double sum = 0;
      for (int r = 0; r < rows; r++) {
        const double other = b == normal->count ? y[r] : term[r * unknowns + normal->unknown[b]] * normal->scale[b];
        sum += pow(weight_of(weight, r), 2) * term[r * unknowns + normal->unknown[a]] * normal->scale[a] * other;
      }
      normal->matrix[a][b] = sum;
    }
  return true;
}

/* Gauss and Jordan; false where the columns depend on one another. */
static bool solve(Normal *normal) {
  for (int p = 0; p < normal->count; p++) {
    if (!(normal->matrix[p][p] > 1e-10)) return false; /* of 1: columns have that length */
    for (int a = 0; a < normal->count; a++) {
      const double factor = normal->matrix[a][p] / normal->matrix[p][p];
      for (int b = p; a != p && b <= normal->count; b++) normal->matrix[a][b] -= factor * normal->matrix[p][b];
    }
  }
  return true;
}

static double residual_of(const double *term, const double *y, const double *weight, int rows, int unknowns,
                          const double *value) {
  double squares = 0;
  for (int r = 0; r < rows; r++) {
    double off = -y[r];
    for (int u = 0; u < unknowns; u++) off += term[r * unknowns + u] * value[u];
    squares += pow(weight_of(weight, r) * off, 2);
  }
  return rows > 0 ? sqrt(squares / rows) : 0;
}

static bool try_choice(int choice, const double *term, const double *y, const double *weight, int rows, int unknowns,
                       double *value) {
  Normal normal = {0};
  for (int u = 0; u < unknowns; u++) {
    value[u] = 0;
    if (choice >> u & 1) normal.unknown[normal.count++] = u;
  }
  if (normal.count > rows || !set_up(&normal, term, y, weight, rows, unknowns) || !solve(&normal)) return false;
  for (int a = 0; a < normal.count; a++) {
    const double found = normal.matrix[a][normal.count] / normal.matrix[a][a] * normal.scale[a];
    if (!(found >= 0)) return false;
    value[normal.unknown[a]] = found;
  }
  return true;
}

double tg_least_squares(const double *term, const double *y, const double *weight, int rows, int unknowns,
                        double *value) {
  double trial[MOST], least = INFINITY;
  for (int choice = 0; choice < 1 << unknowns; choice++) {
    if (!try_choice(choice, term, y, weight, rows, unknowns, trial)) continue;
    const double residual = residual_of(term, y, weight, rows, unknowns, trial);
    if (!(residual < least * (1 - 1e-9))) continue;
    least = residual;
    memcpy(value, trial, (size_t)unknowns * sizeof *value);
  }
  return least;
}
