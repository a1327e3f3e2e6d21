#include "product-error.h"

#include "counter-random.h"

#include <math.h>
#include <stdlib.h>

static double at(TgElement element, const void *x, int64_t i) {
  return element == TG_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

enum { LANES = TG_PRODUCT_VECTORS };

struct TgProductAction {
  TgElement element;
  int64_t m, n;
  double *vectors, *product; /* [element * LANES + vector]; vectors that are not wanted are 0 */
};

/* sums += x[row] · vectors */
static void apply_row(TgElement element, const TgProductFactor *x, int64_t row, const double *vectors, double *sums) {
  for (int64_t j = 0; j < x->columns; j++) {
    const double value = at(element, x->data, row * x->columns + j);
    for (int v = 0; v < LANES; v++) sums[v] += value * vectors[j * LANES + v];
  }
}

/* product += x' · vectors, of what one row of x gives */
static void apply_turned(TgElement element, const TgProductFactor *x, int64_t row, const double *vector,
                         double *product) {
  for (int64_t j = 0; j < x->columns; j++) {
    const double value = at(element, x->data, row * x->columns + j);
    for (int v = 0; v < LANES; v++) product[j * LANES + v] += value * vector[v];
  }
}

/* product = x · vectors, or x' · vectors, reading x row by row; product is 0 before */
static void apply(TgElement element, const TgProductFactor *x, const double *vectors, double *product) {
  for (int64_t i = 0; i < x->rows; i++) {
    if (x->transposed)
      apply_turned(element, x, i, vectors + i * LANES, product);
    else
      apply_row(element, x, i, vectors, product + i * LANES);
  }
}

static double *lanes_new(int64_t rows) {
  return calloc((size_t)rows * LANES, sizeof(double));
}

TgProductAction *tg_product_action_new(TgElement element, const TgProductFactor *left, const TgProductFactor *right,
                                       int vectors, uint64_t seed) {
  const int64_t m = left->transposed ? left->columns : left->rows, k = left->transposed ? left->rows : left->columns;
  const int64_t n = right->transposed ? right->rows : right->columns;
  TgProductAction *action = calloc(1, sizeof *action);
  double *between = lanes_new(k);
  if (action) *action = (TgProductAction){element, m, n, lanes_new(n), lanes_new(m)};
  if (!action || !between || !action->vectors || !action->product) {
    free(between);
    tg_product_action_free(action);
    return NULL;
  }
  for (int v = 0; v < vectors; v++)
    for (int64_t j = 0; j < n; j++)
      action->vectors[j * LANES + v] = tg_random_at(seed, (uint64_t)(v * n + j)) & 1 ? 1 : -1;
  apply(element, right, action->vectors, between);
  apply(element, left, between, action->product);
  free(between);
  return action;
}

void tg_product_action_free(TgProductAction *action) {
  if (!action) return;
  free(action->vectors);
  free(action->product);
  free(action);
}

double tg_product_action_error(const TgProductAction *action, const void *c) {
  const TgProductFactor result = {c, action->m, action->n, false};
  double wrong = 0, all = 0;
  for (int64_t i = 0; i < action->m; i++) {
    double row[LANES] = {0};
    apply_row(action->element, &result, i, action->vectors, row);
    for (int v = 0; v < LANES; v++) {
      const double expected = action->product[i * LANES + v], difference = row[v] - expected;
      wrong += difference * difference;
      all += expected * expected;
    }
  }
  return all > 0 ? sqrt(wrong / all) : sqrt(wrong);
}

double tg_product_error_of(TgElement element, const TgProductFactor *left, const TgProductFactor *right, const void *c,
                           int vectors, uint64_t seed) {
  TgProductAction *action = tg_product_action_new(element, left, right, vectors, seed);
  const double error = action ? tg_product_action_error(action, c) : NAN;
  tg_product_action_free(action);
  return error;
}

double tg_product_error(TgElement element, const void *a, const void *b, const void *c, int64_t m, int64_t n, int64_t k,
                        int vectors, uint64_t seed) {
  const TgProductFactor left = {a, m, k, false}, right = {b, k, n, false};
  return tg_product_error_of(element, &left, &right, c, vectors, seed);
}
