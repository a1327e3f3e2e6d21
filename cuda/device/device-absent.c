/* In place of device.c in a build without CUDA: all takes what the real one takes. */
#include "device.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static bool absent(TgError *error) {
  return tg_error_set(error, 0, 0, "this build has no CUDA (%s)", TG_CUDA_LACKS);
}

bool tg_device_open(int number, TgDevice *device, TgError *error) {
  return absent(error);
}

void *tg_device_allocate(int64_t bytes, TgError *error) {
  absent(error);
  return NULL;
}

void tg_device_free(void *memory) {}

bool tg_device_copy_in(void *device, const void *host, int64_t bytes, TgError *error) {
  return absent(error);
}

bool tg_device_copy_out(void *host, const void *device, int64_t bytes, TgError *error) {
  return absent(error);
}

bool tg_device_copy_across(void *to, const void *from, int64_t bytes, TgError *error) {
  return absent(error);
}

bool tg_device_fill(void *device, int byte, int64_t bytes, TgError *error) {
  return absent(error);
}

bool tg_device_hold(double seconds, TgError *error) {
  return absent(error);
}

bool tg_device_wait(TgError *error) {
  return absent(error);
}

TgStopwatch *tg_stopwatch_new(TgError *error) {
  absent(error);
  return NULL;
}

void tg_stopwatch_free(TgStopwatch *watch) {}

bool tg_stopwatch_start(TgStopwatch *watch, TgError *error) {
  return absent(error);
}

bool tg_stopwatch_stop(TgStopwatch *watch, double *seconds, TgError *error) {
  return absent(error);
}
