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

/* y (rows) = x (rows x columns) · v */
static void apply(TgElement element, const void *x, int64_t rows, int64_t columns, const double *v, double *y) {
  for (int64_t i = 0; i < rows; i++) {
    double sum = 0;
    if (element == TG_F64) {
      const double *row = (const double *)x + i * columns;
      for (int64_t j = 0; j < columns; j++) sum += row[j] * v[j];
    } else {
      const float *row = (const float *)x + i * columns;
      for (int64_t j = 0; j < columns; j++) sum += (double)row[j] * v[j];
    }
    y[i] = sum;
  }
}

double tg_product_error(TgElement element, const void *a, const void *b, const void *c, int64_t m, int64_t n, int64_t k,
                        int vectors, uint64_t seed) {
  double *v = malloc((size_t)(n + k + 2 * m) * sizeof *v), wrong = 0, all = 0;
  if (!v) return NAN;
  double *bv = v + n, *abv = bv + k, *cv = abv + m;
  for (int s = 0; s < vectors; s++) {
    for (int64_t j = 0; j < n; j++) v[j] = sign(seed, (uint64_t)(s * n + j));
    apply(element, b, k, n, v, bv);
    apply(element, a, m, k, bv, abv);
    apply(element, c, m, n, v, cv);
    for (int64_t i = 0; i < m; i++) {
      wrong += (cv[i] - abv[i]) * (cv[i] - abv[i]);
      all += abv[i] * abv[i];
    }
  }
  free(v);
  return all > 0 ? sqrt(wrong / all) : sqrt(wrong);
}
