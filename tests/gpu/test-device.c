/* The device's own errors, in words with both numbers. */
#include "gpu-case.h"

#include <math.h>
#include <string.h>

static void test_facts(void) {
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  g_assert_cmpint(device.capability, >=, 10);
  g_assert_cmpint(device.processors, >, 0);
  g_assert_cmpint(device.clock_mhz, >, 0);
  g_assert_cmpint(device.shared_bytes, >=, 48 << 10);
  g_assert_cmpint(device.l2_bytes, >, 0);
  g_assert_cmpint(device.threads_per_processor, >=, 1024);
  g_assert_cmpint(device.blocks_per_processor, >=, 8);
  g_assert_cmpint(device.shared_per_processor_bytes, >=, device.shared_bytes);
  g_assert_cmpfloat(device.memory_bytes_per_s, >, 1e9);
  g_assert_cmpint(device.memory_bytes, >, 1 << 20);
  g_assert_cmpint(device.driver, >=, device.runtime / 1000 * 1000);
  g_assert_cmpint((int)strlen(device.name), >, 0);
}

static void test_no_such_device(void) {
  TgDevice device;
  TgError error;
  if (!gpu_or_skip(&device)) return;
  g_assert_false(tg_device_open(4096, &device, &error));
  g_assert_true(g_str_has_prefix(error.message, "there is no GPU 4096: there are "));
  g_assert_false(tg_device_open(-1, &device, &error));
}

static void test_copies(void) {
  TgDevice device;
  TgError error;
  unsigned char out[300], in[300];
  if (!gpu_or_skip(&device)) return;
  for (int i = 0; i < 300; i++) out[i] = (unsigned char)(i * 7);
  unsigned char *memory = tg_device_allocate(300, &error);
  g_assert_nonnull(memory);
  g_assert_cmpuint((guintptr)memory % 256, ==, 0);
  g_assert_true(tg_device_copy_in(memory, out, 300, &error));
  g_assert_true(tg_device_fill(memory + 100, 0xff, 100, &error));
  g_assert_true(tg_device_copy_across(memory + 256, memory + 90, 20, &error));
  g_assert_true(tg_device_copy_out(in, memory, 300, &error));
  memset(out + 100, 0xff, 100);
  memcpy(out + 256, out + 90, 20);
  g_assert_cmpmem(in, 300, out, 300);
  tg_device_free(memory);
}

static void test_out_of_memory(void) {
  TgDevice device;
  TgError error;
  if (!gpu_or_skip(&device)) return;
  g_assert_null(tg_device_allocate(INT64_C(1) << 50, &error));
  g_assert_true(g_str_has_prefix(error.message, "not enough device memory: 1125899906842624 bytes requested, "));
  g_autofree char *total = g_strdup_printf(" of %" G_GINT64_FORMAT " free", device.memory_bytes);
  g_assert_true(g_str_has_suffix(error.message, total));
  g_assert_null(tg_device_allocate(-1, &error));
  void *memory = tg_device_allocate(0, &error); /* the error before is not reported once more */
  g_assert_nonnull(memory);
  g_assert_true(tg_device_wait(&error));
  tg_device_free(memory);
}

static void test_wrong_copy(void) {
  TgDevice device;
  TgError error;
  char here[8];
  if (!gpu_or_skip(&device)) return;
  void *memory = tg_device_allocate(8, &error);
  g_assert_false(tg_device_copy_out(here, memory, INT64_C(1) << 40, &error));
  g_assert_true(g_str_has_prefix(error.message, "1099511627776 bytes were not copied from the device: "));
  g_assert_true(tg_device_wait(&error));
  tg_device_free(memory);
}

static void test_stopwatch(void) {
  TgDevice device;
  TgError error;
  double brief = -1, longer = -1;
  const int64_t bytes = INT64_C(64) << 20;
  if (!gpu_or_skip(&device)) return;
  TgStopwatch *watch = tg_stopwatch_new(&error);
  void *memory = tg_device_allocate(bytes, &error);
  g_assert_true(watch && memory);
  g_assert_true(tg_device_fill(memory, 0, bytes, &error) && tg_device_wait(&error));
  g_assert_true(tg_stopwatch_start(watch, &error) && tg_stopwatch_stop(watch, &brief, &error));
  g_assert_true(tg_stopwatch_start(watch, &error));
  for (int i = 0; i < 20; i++) g_assert_true(tg_device_fill(memory, i, bytes, &error));
  g_assert_true(tg_stopwatch_stop(watch, &longer, &error));
  g_assert_cmpfloat(brief, >=, 0);
  g_assert_cmpfloat(longer, >, brief);
  g_assert_cmpfloat(longer, >, 20 * (double)bytes / 1e14); /* no memory writes 100 TB/s */
  tg_device_free(memory);
  tg_stopwatch_free(watch);
}

/* What is started while the device is held waits for it; the call does not. */
static void test_hold(void) {
  TgDevice device;
  TgError error;
  double seconds = 0;
  if (!gpu_or_skip(&device)) return;
  TgStopwatch *watch = tg_stopwatch_new(&error);
  g_assert_nonnull(watch);
  g_assert_true(tg_device_hold(0, &error) && tg_device_wait(&error));
  const gint64 begun_us = g_get_monotonic_time();
  g_assert_true(tg_stopwatch_start(watch, &error) && tg_device_hold(0.02, &error));
  g_assert_cmpint(g_get_monotonic_time() - begun_us, <, 15000);
  g_assert_true(tg_stopwatch_stop(watch, &seconds, &error));
  g_assert_cmpfloat(seconds, >, 0.019);
  g_assert_cmpfloat(seconds, <, 0.2);
  g_assert_false(tg_device_hold(2, &error));
  g_assert_cmpstr(error.message, ==, "the device cannot be held for 2 s");
  g_assert_false(tg_device_hold(NAN, &error));
  tg_stopwatch_free(watch);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/gpu/device/facts", test_facts);
  g_test_add_func("/gpu/device/no-such-device", test_no_such_device);
  g_test_add_func("/gpu/device/copies", test_copies);
  g_test_add_func("/gpu/device/out-of-memory", test_out_of_memory);
  g_test_add_func("/gpu/device/wrong-copy", test_wrong_copy);
  g_test_add_func("/gpu/device/stopwatch", test_stopwatch);
  g_test_add_func("/gpu/device/hold", test_hold);
  return g_test_run();
}
