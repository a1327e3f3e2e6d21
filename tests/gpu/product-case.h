/** @file product-case.h
 * A product to check a kernel with: random operands in host memory, their product in long double, and matrices laid out
 * on the device with poison around them and in their gaps. */
#ifndef TG_TEST_PRODUCT_CASE_H
#define TG_TEST_PRODUCT_CASE_H

#include "device.h"
#include "element.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { POISON = 0xff, GUARD_BYTES = 1024 };

/** op(A) and op(B), the C before, all rounded to the element, and A·B. */
typedef struct Case {
  TgElement element;
  gint64 m, n, k;
  double *a, *b, *c;
  long double *product;
} Case;

static inline double *random_matrix(GRand *random, TgElement element, gint64 elements) {
  double *x = g_new(double, elements);
  for (gint64 i = 0; i < elements; i++) {
    x[i] = g_rand_double_range(random, -1, 1);
    if (element == TG_F32) x[i] = (float)x[i];
  }
  return x;
}

static inline void multiply_in_full(Case *of) {
  of->product = g_new0(long double, of->m * of->n);
  for (gint64 i = 0; i < of->m; i++)
    for (gint64 l = 0; l < of->k; l++)
      for (gint64 j = 0; j < of->n; j++)
        of->product[i * of->n + j] += (long double)of->a[i * of->k + l] * of->b[l * of->n + j];
}

static inline Case *case_new(TgElement element, gint64 m, gint64 n, gint64 k) {
  Case *made = g_new0(Case, 1);
  GRand *random = g_rand_new_with_seed((guint32)(m * 31 + n * 17 + k));
  *made = (Case){.element = element, .m = m, .n = n, .k = k};
  made->a = random_matrix(random, element, m * k);
  made->b = random_matrix(random, element, k * n);
  made->c = random_matrix(random, element, m * n);
  multiply_in_full(made);
  g_rand_free(random);
  return made;
}

static inline void case_free(Case *of) {
  g_free(of->a);
  g_free(of->b);
  g_free(of->c);
  g_free(of->product);
  g_free(of);
}

/** How rows lie: without gaps; an odd element apart and before, so that nothing is aligned; with gaps, aligned. */
typedef enum Layout { LAYOUT_TIGHT, LAYOUT_ODD, LAYOUT_GAPS, LAYOUTS } Layout;

/** A stored matrix. Everything that is not an element is POISON: NaN to whoever reads it. */
typedef struct Stored {
  TgElement element;
  gint64 rows, columns, row, first, bytes;
  guchar *host, *device;
} Stored;

static inline gint64 stored_at(const Stored *of, gint64 i, gint64 j) {
  return of->first + (i * of->row + j) * tg_element_bytes(of->element);
}

static inline double stored_get(const Stored *of, gint64 i, gint64 j) {
  float f32;
  double f64;
  memcpy(&f32, of->host + stored_at(of, i, j), sizeof f32);
  if (of->element == TG_F32) return f32;
  memcpy(&f64, of->host + stored_at(of, i, j), sizeof f64);
  return f64;
}

static inline void stored_set(const Stored *of, gint64 i, gint64 j, double value) {
  float f32 = (float)value;
  if (of->element == TG_F32)
    memcpy(of->host + stored_at(of, i, j), &f32, sizeof f32);
  else
    memcpy(of->host + stored_at(of, i, j), &value, sizeof value);
}

/** Lays out x (rows x columns), or its transpose; NULL: nothing but poison. The tight layout has nothing behind it, so
 * that compute-sanitizer sees who reads on. */
static inline Stored stored_new(TgElement element, const double *x, gint64 rows, gint64 columns, gboolean transposed,
                                Layout layout) {
  gint64 element_bytes = tg_element_bytes(element);
  Stored made = {.element = element, .rows = transposed ? columns : rows, .columns = transposed ? rows : columns};
  made.row = layout == LAYOUT_TIGHT ? made.columns : layout == LAYOUT_ODD ? made.columns + 1 : made.columns / 4 * 4 + 8;
  made.first = GUARD_BYTES + (layout == LAYOUT_ODD ? element_bytes : 0);
  made.bytes = made.first + made.rows * made.row * element_bytes + (layout == LAYOUT_TIGHT ? 0 : GUARD_BYTES);
  made.host = g_malloc((gsize)made.bytes);
  memset(made.host, POISON, (gsize)made.bytes);
  for (gint64 i = 0; x && i < rows; i++)
    for (gint64 j = 0; j < columns; j++) stored_set(&made, transposed ? j : i, transposed ? i : j, x[i * columns + j]);
  TgError error;
  made.device = tg_device_allocate(made.bytes, &error);
  if (!made.device || !tg_device_copy_in(made.device, made.host, made.bytes, &error)) g_error("%s", error.message);
  return made;
}

static inline void stored_fetch(Stored *of) {
  TgError error;
  if (!tg_device_copy_out(of->host, of->device, of->bytes, &error)) g_error("%s", error.message);
}

static inline void stored_free(Stored *of) {
  tg_device_free(of->device);
  g_free(of->host);
}

/** Whether all that is no element still is POISON. */
static inline gboolean stored_is_whole(const Stored *of) {
  gint64 element_bytes = tg_element_bytes(of->element), at = 0;
  for (gint64 i = 0; i <= of->rows; i++) {
    gint64 until = i < of->rows ? stored_at(of, i, 0) : of->bytes;
    for (; at < until; at++)
      if (of->host[at] != POISON) return FALSE;
    at = until + of->columns * element_bytes;
  }
  return TRUE;
}

/** ||C - (A·B [+ the C before])|| over the norm of what it should be, Frobenius; NaN where C has one. */
static inline double error_of(const Case *of, const Stored *c, gboolean add) {
  long double wrong = 0, right = 0;
  for (gint64 i = 0; i < of->m; i++)
    for (gint64 j = 0; j < of->n; j++) {
      long double expected = of->product[i * of->n + j] + (add ? of->c[i * of->n + j] : 0);
      long double difference = (long double)stored_get(c, i, j) - expected;
      wrong += difference * difference;
      right += expected * expected;
    }
  return (double)sqrtl(wrong / right);
}

#endif
