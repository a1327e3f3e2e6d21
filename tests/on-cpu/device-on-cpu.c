/* device.h for kernels that run on the CPU: memory of the device is ordinary memory. */
#include "device.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool tg_device_open(int number, TgDevice *device, TgError *error) {
  (void)error;
  *device = (TgDevice){.number = number,
                       .capability = 90,
                       .processors = 1,
                       .clock_mhz = 1000,
                       .threads_per_processor = 2048,
                       .blocks_per_processor = 32,
                       .shared_per_processor_bytes = 1 << 17,
                       .l2_bytes = 1 << 20,
                       .name = "the CPU, threads as coroutines"};
  return true;
}

void *tg_device_allocate(int64_t bytes, TgError *error) {
  void *memory = aligned_alloc(256, ((size_t)bytes + 255) / 256 * 256 + 256);
  if (!memory) tg_error_set(error, 0, 0, "out of memory");
  return memory;
}

void tg_device_free(void *memory) {
  free(memory);
}

bool tg_device_copy_in(void *device, const void *host, int64_t bytes, TgError *error) {
  (void)error;
  memcpy(device, host, (size_t)bytes);
  return true;
}

bool tg_device_copy_out(void *host, const void *device, int64_t bytes, TgError *error) {
  (void)error;
  memcpy(host, device, (size_t)bytes);
  return true;
}

bool tg_device_hold(double seconds, TgError *error) {
  (void)seconds;
  (void)error;
  return true;
}

bool tg_device_wait(TgError *error) {
  (void)error;
  return true;
}

bool tg_device_copy_across(void *to, const void *from, int64_t bytes, TgError *error) {
  (void)error;
  memcpy(to, from, (size_t)bytes);
  return true;
}

bool tg_device_fill(void *device, int byte, int64_t bytes, TgError *error) {
  (void)error;
  memset(device, byte, (size_t)bytes);
  return true;
}

int tg_device_clock_mhz(int device) {
  (void)device;
  return 0;
}

struct TgStopwatch {
  struct timespec begun;
};

TgStopwatch *tg_stopwatch_new(TgError *error) {
  (void)error;
  return calloc(1, sizeof(TgStopwatch));
}

void tg_stopwatch_free(TgStopwatch *watch) {
  free(watch);
}

bool tg_stopwatch_start(TgStopwatch *watch, TgError *error) {
  (void)error;
  return clock_gettime(CLOCK_MONOTONIC, &watch->begun) == 0;
}

bool tg_stopwatch_stop(TgStopwatch *watch, double *seconds, TgError *error) {
  struct timespec now;
  (void)error;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *seconds = (double)(now.tv_sec - watch->begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - watch->begun.tv_nsec);
  return true;
}
