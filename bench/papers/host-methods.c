#include "host-methods.h"

#define DEFINE_PRODUCT(NAME, TYPE)                                                                                     \
  static void NAME(const TgOperands *operands) {                                                                       \
    const int64_t m = operands->m, n = operands->n, k = operands->k;                                                   \
    const TYPE *a = operands->host[0], *b = operands->host[1];                                                         \
    TYPE *c = operands->host[2];                                                                                       \
    for (int64_t i = 0; i < m; i++)                                                                                    \
      for (int64_t j = 0; j < n; j++) {                                                                                \
        c[i * n + j] = 0;                                                                                              \
        for (int64_t l = 0; l < k; l++) c[i * n + j] += a[i * k + l] * b[l * n + j];                                   \
      }                                                                                                                \
  }

DEFINE_PRODUCT(product_f32, float)
DEFINE_PRODUCT(product_f64, double)
DEFINE_PRODUCT(product_i32, int32_t)

void tg_host_product(const TgOperands *operands) {
  static void (*const of[TG_NUMBERS])(const TgOperands *) = {product_f32, product_f64, product_i32};
  of[operands->number](operands);
}

void tg_host_transpose(const TgOperands *operands) {
  tg_number_transpose(operands->number, operands->host[2], operands->host[0], operands->m, operands->n);
}
