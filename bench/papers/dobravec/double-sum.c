#include "double-sum.h"

void tg_double_sum_product(float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k, int64_t row) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++) sum += (double)a[i * row + l] * (double)b[l * row + j];
      c[i * row + j] = (float)sum;
    }
}
