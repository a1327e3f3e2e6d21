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

/* product += x · vectors, or x' · vectors, of what one row of a part of x gives */
static void apply_row(TgElement element, const TgProductFactor *x, const TgMatrixPart *part, int64_t row,
                      const double *vectors, double *product) {
  for (int64_t j = part->column; j < part->column + part->columns; j++) {
    const double value = at(element, x->data, row * x->columns + j);
    const double *from = vectors + (x->transposed ? row : j) * LANES;
    double *to = product + (x->transposed ? j : row) * LANES;
    for (int v = 0; v < LANES; v++) to[v] += value * from[v];
  }
}

/* product += x · vectors, or x' · vectors, reading x row by row; of all programs of the job */
static void apply(TgElement element, const TgProductFactor *x, const double *vectors, double *product,
                  const TgMatrixJob *job) {
  const TgMatrixPart whole = tg_matrix_part_whole(x->rows, x->columns);
  const TgMatrixPart *part = job ? x->part : &whole;
  for (int64_t p = 0; p < (job ? x->parts : 1); p++)
    for (int64_t i = part[p].row; part[p].counts && i < part[p].row + part[p].rows; i++)
      apply_row(element, x, &part[p], i, vectors, product);
  if (job) job->sum(job->data, product, (x->transposed ? x->columns : x->rows) * LANES);
}

/* Whether all programs have memory. */
static bool all_have(bool this_one, const TgMatrixJob *job) {
  double without = !this_one;
  if (job) job->sum(job->data, &without, 1);
  return without == 0;
}

static double *lanes_new(int64_t rows) {
  return calloc((size_t)rows * LANES, sizeof(double));
}

static TgProductAction *action_new(TgElement element, const TgProductFactor *left, const TgProductFactor *right,
                                   int vectors, uint64_t seed, const TgMatrixJob *job) {
  const int64_t m = left->transposed ? left->columns : left->rows, k = left->transposed ? left->rows : left->columns;
  const int64_t n = right->transposed ? right->rows : right->columns;
  TgProductAction *action = calloc(1, sizeof *action);
  double *between = lanes_new(k);
  if (action) *action = (TgProductAction){element, m, n, lanes_new(n), lanes_new(m)};
  if (!all_have(action && between && action->vectors && action->product, job)) {
    free(between);
    tg_product_action_free(action);
    return NULL;
  }
  for (int v = 0; v < vectors; v++)
    for (int64_t j = 0; j < n; j++)
      action->vectors[j * LANES + v] = tg_random_at(seed, (uint64_t)(v * n + j)) & 1 ? 1 : -1;
  apply(element, right, action->vectors, between, job);
  apply(element, left, between, action->product, job);
  free(between);
  return action;
}

TgProductAction *tg_product_action_new(TgElement element, const TgProductFactor *left, const TgProductFactor *right,
                                       int vectors, uint64_t seed) {
  return action_new(element, left, right, vectors, seed, NULL);
}

void tg_product_action_free(TgProductAction *action) {
  if (!action) return;
  free(action->vectors);
  free(action->product);
  free(action);
}

static double error_of(const TgProductAction *action, const TgProductFactor *c, const TgMatrixJob *job) {
  double wrong = 0, all = 0, *found = lanes_new(action->m);
  if (!all_have(found, job)) {
    free(found);
    return NAN;
  }
  apply(action->element, c, action->vectors, found, job);
  for (int64_t i = 0; i < action->m * LANES; i++) {
    const double expected = action->product[i], difference = found[i] - expected;
    wrong += difference * difference;
    all += expected * expected;
  }
  free(found);
  return all > 0 ? sqrt(wrong / all) : sqrt(wrong);
}

double tg_product_action_error(const TgProductAction *action, const void *c) {
  const TgProductFactor result = {.data = c, .rows = action->m, .columns = action->n};
  return error_of(action, &result, NULL);
}

double tg_product_error_of(TgElement element, const TgProductFactor *left, const TgProductFactor *right,
                           const TgProductFactor *c, int vectors, uint64_t seed, const TgMatrixJob *job) {
  TgProductAction *action = action_new(element, left, right, vectors, seed, job);
  const double error = action ? error_of(action, c, job) : NAN;
  tg_product_action_free(action);
  return error;
}

double tg_product_error(TgElement element, const void *a, const void *b, const void *c, int64_t m, int64_t n, int64_t k,
                        int vectors, uint64_t seed) {
  const TgProductFactor left = {.data = a, .rows = m, .columns = k}, right = {.data = b, .rows = k, .columns = n};
  const TgProductFactor result = {.data = c, .rows = m, .columns = n};
  return tg_product_error_of(element, &left, &right, &result, vectors, seed, NULL);
}
