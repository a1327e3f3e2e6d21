/** @file gpu-case.h
 * For tests that need a GPU: the device, or a skip that says why there is none. */
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

#endif
