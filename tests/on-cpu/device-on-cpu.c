/* device.h for kernels that run on the CPU: memory of the device is ordinary memory. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

bool tg_device_open(int number, TgDevice *device, TgError *error) {
  (void)error;
  *device = (TgDevice){.number = number, .capability = 90, .processors = 1, .name = "the CPU, threads as coroutines"};
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

bool tg_device_fill(void *device, int byte, int64_t bytes, TgError *error) {
  (void)error;
  memset(device, byte, (size_t)bytes);
  return true;
}

bool tg_device_wait(TgError *error) {
  (void)error;
  return true;
}
