#include "product-error.h"

#include <math.h>
#include <stdlib.h>

/* splitmix64 */
static double sign(uint64_t seed, uint64_t count) {
  uint64_t z = seed + (count + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (z ^ z >> 31) & 1 ? 1 : -1;
}

static double at(TgElement element, const void *x, int64_t i) {
  return element == TG_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

/* y = x · v, or x' · v, reading x row by row */
static void apply(TgElement element, const TgProductFactor *x, const double *v, double *y) {
  for (int64_t j = 0; x->transposed && j < x->columns; j++) y[j] = 0;
  for (int64_t i = 0; i < x->rows; i++) {
    const int64_t row = i * x->columns;
    double sum = 0;
    if (x->transposed)
      for (int64_t j = 0; j < x->columns; j++) y[j] += at(element, x->data, row + j) * v[i];
    else
      for (int64_t j = 0; j < x->columns; j++) sum += at(element, x->data, row + j) * v[j];
    if (!x->transposed) y[i] = sum;
  }
}

double tg_product_error_of(TgElement element, const TgProductFactor *left, const TgProductFactor *right, const void *c,
                           int vectors, uint64_t seed) {
  const int64_t m = left->transposed ? left->columns : left->rows, k = left->transposed ? left->rows : left->columns;
  const int64_t n = right->transposed ? right->rows : right->columns;
  const TgProductFactor result = {c, m, n, false};
  double *v = malloc((size_t)(n + k + 2 * m) * sizeof *v), wrong = 0, all = 0;
  if (!v) return NAN;
  double *bv = v + n, *abv = bv + k, *cv = abv + m;
  for (int s = 0; s < vectors; s++) {
    for (int64_t j = 0; j < n; j++) v[j] = sign(seed, (uint64_t)(s * n + j));
    apply(element, right, v, bv);
    apply(element, left, bv, abv);
    apply(element, &result, v, cv);
    for (int64_t i = 0; i < m; i++) {
      wrong += (cv[i] - abv[i]) * (cv[i] - abv[i]);
      all += abv[i] * abv[i];
    }
  }
  free(v);
  return all > 0 ? sqrt(wrong / all) : sqrt(wrong);
}

double tg_product_error(TgElement element, const void *a, const void *b, const void *c, int64_t m, int64_t n, int64_t k,
                        int vectors, uint64_t seed) {
  const TgProductFactor left = {a, m, k, false}, right = {b, k, n, false};
  return tg_product_error_of(element, &left, &right, c, vectors, seed);
}
