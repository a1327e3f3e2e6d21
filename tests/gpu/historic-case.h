/** @file historic-case.h
 * For tests of the papers' kernels: operands, what their kernel should make of them, and the run in between. */
#ifndef TG_TEST_HISTORIC_CASE_H
#define TG_TEST_HISTORIC_CASE_H

#include "gpu-case.h"
#include "historic.h"

#include <math.h>
#include <string.h>

enum { HISTORIC_POISON = 0xff, HISTORIC_GUARD_BYTES = 512 };

/** A problem: whole numbers from -9 to 9, or uniform in [-1, 1); all of them numbers of f32. */
typedef struct HistoricCase {
  TgHistoricKind kind;
  gboolean whole;
  gint64 m, n, k;
  double *a, *b;         /**< B is NULL where there is no second operand */
  long double *expected; /**< C */
} HistoricCase;

static inline gboolean historic_is_flat(TgHistoricKind kind) {
  return kind == TG_HISTORIC_TRANSPOSE || kind == TG_HISTORIC_COPY;
}

static inline double *historic_numbers(GRand *random, gint64 count, gboolean whole) {
  double *made = g_new(double, MAX(count, 1));
  for (gint64 i = 0; i < count; i++)
    made[i] = whole ? g_rand_int_range(random, -9, 10) : (float)g_rand_double_range(random, -1, 1);
  return made;
}

static inline void historic_expect(HistoricCase *of) {
  of->expected = g_new0(long double, of->m * of->n);
  for (gint64 i = 0; i < of->m; i++) {
    for (gint64 j = 0; j < of->n && historic_is_flat(of->kind); j++)
      of->expected[of->kind == TG_HISTORIC_COPY ? i * of->n + j : j * of->m + i] = of->a[i * of->n + j];
    for (gint64 l = 0; l < of->k && !historic_is_flat(of->kind); l++)
      for (gint64 j = 0; j < of->n; j++)
        of->expected[i * of->n + j] +=
            (long double)of->a[i * of->k + l] * (of->b ? of->b[l * of->n + j] : of->a[j * of->k + l]);
  }
}

static inline HistoricCase *historic_case_new(TgHistoricKind kind, gboolean whole, gint64 m, gint64 n, gint64 k) {
  HistoricCase *made = g_new0(HistoricCase, 1);
  GRand *random = g_rand_new_with_seed((guint32)(m * 31 + n * 17 + k));
  const gboolean flat = historic_is_flat(kind);
  *made = (HistoricCase){.kind = kind, .whole = whole, .m = m, .n = n, .k = k};
  made->a = historic_numbers(random, flat ? m * n : m * k, whole);
  made->b = kind == TG_HISTORIC_PRODUCT ? historic_numbers(random, k * n, whole) : NULL;
  historic_expect(made);
  g_rand_free(random);
  return made;
}

static inline void historic_case_free(HistoricCase *of) {
  g_free(of->a);
  g_free(of->b);
  g_free(of->expected);
  g_free(of);
}

/** Device memory that holds a matrix, poison before it and, of C, behind it, too: behind an operand there is nothing,
 * so that compute-sanitizer sees who reads on. */
typedef struct HistoricBuffer {
  gint64 count, bytes;
  guchar *host, *device;
} HistoricBuffer;

static inline HistoricBuffer historic_buffer_new(gint64 count, gboolean guarded) {
  TgError error;
  HistoricBuffer made = {.count = count};
  made.bytes = HISTORIC_GUARD_BYTES + count * TG_HISTORIC_ELEMENT_BYTES + (guarded ? HISTORIC_GUARD_BYTES : 0);
  made.host = g_malloc((gsize)made.bytes);
  memset(made.host, HISTORIC_POISON, (gsize)made.bytes);
  made.device = tg_device_allocate(made.bytes, &error);
  if (!made.device) g_error("%s", error.message);
  return made;
}

static inline void historic_buffer_set(HistoricBuffer *to, int type, gint64 i, double value) {
  const float f32 = (float)value;
  const gint32 i32 = type == TG_HISTORIC_I32 ? (gint32)value : 0;
  memcpy(to->host + HISTORIC_GUARD_BYTES + i * TG_HISTORIC_ELEMENT_BYTES,
         type == TG_HISTORIC_I32 ? (const void *)&i32 : &f32, TG_HISTORIC_ELEMENT_BYTES);
}

static inline double historic_buffer_get(const HistoricBuffer *from, int type, gint64 i) {
  float f32;
  gint32 i32;
  const guchar *at = from->host + HISTORIC_GUARD_BYTES + i * TG_HISTORIC_ELEMENT_BYTES;
  memcpy(&f32, at, sizeof f32);
  memcpy(&i32, at, sizeof i32);
  return type == TG_HISTORIC_I32 ? i32 : f32;
}

static inline void historic_buffer_send(HistoricBuffer *buffer) {
  TgError error;
  if (!tg_device_copy_in(buffer->device, buffer->host, buffer->bytes, &error)) g_error("%s", error.message);
}

/** Whether the poison around a matrix is as it was. */
static inline gboolean historic_buffer_is_whole(const HistoricBuffer *buffer) {
  const gint64 end = HISTORIC_GUARD_BYTES + buffer->count * TG_HISTORIC_ELEMENT_BYTES;
  for (gint64 i = 0; i < buffer->bytes; i++)
    if ((i < HISTORIC_GUARD_BYTES || i >= end) && buffer->host[i] != HISTORIC_POISON) return FALSE;
  return TRUE;
}

static inline void historic_buffer_free(HistoricBuffer *buffer) {
  tg_device_free(buffer->device);
  g_free(buffer->host);
}

/** Runs a kernel on a poisoned C; the buffer with what came out is the caller's. `settings`: type, width, split … */
static inline HistoricBuffer historic_run(const HistoricCase *of, const TgHistoric *kernel, TgHistoricRun settings) {
  TgError error;
  const gint64 a_count = historic_is_flat(of->kind) ? of->m * of->n : of->m * of->k;
  HistoricBuffer a = historic_buffer_new(a_count, FALSE), b = historic_buffer_new(of->b ? of->k * of->n : 0, FALSE);
  HistoricBuffer c = historic_buffer_new(of->m * of->n, TRUE);
  for (gint64 i = 0; i < a.count; i++) historic_buffer_set(&a, settings.type, i, of->a[i]);
  for (gint64 l = 0; of->b && l < of->k; l++)
    for (gint64 j = 0; j < of->n; j++)
      historic_buffer_set(&b, settings.type, kernel->transposed_b ? j * of->k + l : l * of->n + j,
                          of->b[l * of->n + j]);
  historic_buffer_send(&a);
  historic_buffer_send(&b);
  historic_buffer_send(&c);
  settings.m = of->m, settings.n = of->n, settings.k = of->k;
  settings.a = a.device + HISTORIC_GUARD_BYTES;
  settings.b = b.device + HISTORIC_GUARD_BYTES;
  settings.c = c.device + HISTORIC_GUARD_BYTES;
  if (!tg_historic_start(kernel, &settings, &error) || !tg_device_wait(&error) ||
      !tg_device_copy_out(c.host, c.device, c.bytes, &error))
    g_error("%s, width %d, split %d, %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ": %s", kernel->name,
            settings.width, settings.split, of->m, of->n, of->k, error.message);
  historic_buffer_free(&a);
  historic_buffer_free(&b);
  return c;
}

/** norm(C - expected) / norm(expected), Frobenius; NaN where C has one. */
static inline double historic_error(const HistoricCase *of, const HistoricBuffer *c, int type) {
  long double wrong = 0, right = 0;
  for (gint64 i = 0; i < of->m * of->n; i++) {
    const long double difference = (long double)historic_buffer_get(c, type, i) - of->expected[i];
    wrong += difference * difference;
    right += of->expected[i] * of->expected[i];
  }
  return (double)(right > 0 ? sqrtl(wrong / right) : sqrtl(wrong));
}

/** What a right kernel may be wrong by: nothing on whole numbers, whose sums are numbers of both types. */
static inline double historic_limit(const HistoricCase *of) {
  return of->whole || historic_is_flat(of->kind) ? 0 : 5e-7 * sqrt((double)of->k);
}

#endif
