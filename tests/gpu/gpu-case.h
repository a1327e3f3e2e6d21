/** @file gpu-case.h
 * For tests that need a GPU: the device, or a skip that says why there is none; and what is left of them under a tool
 * that slows kernels down, for which TG_TEST_LARGEST=N leaves out sizes beyond N, TG_TEST_EVERY=N all but every N-th
 * of many cases, and TG_TEST_PRODUCTS=N schedules of more local products than N. */
#ifndef TG_TEST_GPU_CASE_H
#define TG_TEST_GPU_CASE_H

#include "device.h"

#include <glib.h>

/** False, and the test is skipped, where there is no GPU to run it. */
static inline gboolean gpu_or_skip(TgDevice *device) {
  TgError error;
  if (tg_device_open(0, device, &error)) return TRUE;
  g_test_skip(error.message);
  return FALSE;
}

static inline bool is_slowed(void) {
  return g_getenv("TG_TEST_LARGEST") != NULL;
}

/** m, n, k. */
static inline bool is_left_out(const int64_t *size) {
  return is_slowed() && MAX(size[0], MAX(size[1], size[2])) > g_ascii_strtoll(g_getenv("TG_TEST_LARGEST"), NULL, 10);
}

/** Of schedules on grids, by their local products over all processors. */
static inline bool has_too_many_products(gint64 products) {
  const char *most = g_getenv("TG_TEST_PRODUCTS");
  return most && products > g_ascii_strtoll(most, NULL, 10);
}

/** Of cases counted from 0, every N-th is left, from the second on: the first grid has one processor. */
static inline bool is_passed_over(int number) {
  const char *every = g_getenv("TG_TEST_EVERY");
  return every && number % g_ascii_strtoll(every, NULL, 10) != 1;
}

#endif
