#include "product-action.h"

#include "counter-random.h"

#include <math.h>

enum { VECTORS = 8 }; /* all at once, so that a matrix is read once */

struct TgProductAction {
  TgElement element;
  int64_t n;
  double *vectors, *product; /* [element * VECTORS + vector] */
};

static double at(TgElement element, const void *x, int64_t i) {
  return element == TG_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

/* to = row · vectors */
static void apply_row(const TgProductAction *action, const void *matrix, int64_t row, const double *from, double *to) {
  double sum[VECTORS] = {0};
  for (int64_t j = 0; j < action->n; j++) {
    const double x = at(action->element, matrix, row * action->n + j);
    for (int v = 0; v < VECTORS; v++) sum[v] += x * from[j * VECTORS + v];
  }
  for (int v = 0; v < VECTORS; v++) to[v] = sum[v];
}

static void apply(const TgProductAction *action, const void *matrix, const double *from, double *to) {
  for (int64_t i = 0; i < action->n; i++) apply_row(action, matrix, i, from, to + i * VECTORS);
}

TgProductAction *tg_product_action_new(TgElement element, const void *a, const void *b, int64_t n, uint64_t seed) {
  g_autoptr(TgProductAction) action = g_new0(TgProductAction, 1);
  g_autofree double *between = g_try_new(double, (gsize)n *VECTORS);
  action->element = element;
  action->n = n;
  action->vectors = g_try_new(double, (gsize)n *VECTORS);
  action->product = g_try_new(double, (gsize)n *VECTORS);
  if (!between || !action->vectors || !action->product) return NULL;
  for (int64_t i = 0; i < n * VECTORS; i++) action->vectors[i] = tg_random_bits(seed, (uint64_t)i) & 1 ? 1 : -1;
  apply(action, b, action->vectors, between);
  apply(action, a, between, action->product);
  return g_steal_pointer(&action);
}

void tg_product_action_free(TgProductAction *action) {
  if (!action) return;
  g_free(action->vectors);
  g_free(action->product);
  g_free(action);
}

double tg_product_action_error(const TgProductAction *action, const void *c) {
  double wrong = 0, all = 0, row[VECTORS];
  for (int64_t i = 0; i < action->n; i++) {
    apply_row(action, c, i, action->vectors, row);
    for (int v = 0; v < VECTORS; v++) {
      const double expected = action->product[i * VECTORS + v], difference = row[v] - expected;
      wrong += difference * difference;
      all += expected * expected;
    }
  }
  return all > 0 ? sqrt(wrong / all) : sqrt(wrong);
}
