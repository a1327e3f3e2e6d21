#include "host-programs.h"

#include <math.h>

void tg_mmt_sequential(float *r, const float *m, int64_t d) {
  for (int64_t i = 0; i < d; i++)
    for (int64_t j = 0; j < d; j++) {
      float sum = 0;
      for (int64_t k = 0; k < d; k++) sum += m[i * d + k] * m[j * d + k];
      r[i * d + j] = sum;
    }
}

float tg_l2_difference_printed(const float *x, const float *y, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; i++) {
    const float difference = x[i] - y[i];
    sum += difference * difference;
  }
  return sum;
}

double tg_l2_difference(const float *x, const float *y, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) {
    const double difference = (double)x[i] - (double)y[i];
    sum += difference * difference;
  }
  return sqrt(sum);
}

void tg_mmt_count_up(float *m, int64_t d) {
  for (int64_t i = 0; i < d * d; i++) m[i] = (float)i;
}

void tg_double_sum_product(float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k, int64_t row) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++) sum += (double)a[i * row + l] * (double)b[l * row + j];
      c[i * row + j] = (float)sum;
    }
}
