#include "device.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct TgStopwatch {
  cudaEvent_t begin, end;
};

/* Says what failed. An error of one call is taken from the runtime, so that no later call reports it once more. */
static bool fine(cudaError_t status, const char *what, TgError *error) {
  if (status == cudaSuccess) return true;
  cudaGetLastError();
  return tg_error_set(error, 0, 0, "%s: %s", what, cudaGetErrorString(status));
}

static bool count_devices(int *devices, TgError *error) {
  cudaError_t status = cudaGetDeviceCount(devices);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && *devices == 0)) {
    cudaGetLastError();
    return tg_error_set(error, 0, 0, "there is no GPU that CUDA can use");
  }
  if (status == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    return tg_error_set(error, 0, 0, "there is no NVIDIA driver, or it is older than this build's CUDA %d.%d",
                        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  }
  return fine(status, "GPUs cannot be counted", error);
}

static bool read_attributes(TgDevice *device, TgError *error) {
  int major = 0, minor = 0, clock_khz = 0, memory_khz = 0, memory_bits = 0;
  const struct {
    enum cudaDeviceAttr attribute;
    int *value;
  } wanted[] = {
      {cudaDevAttrComputeCapabilityMajor, &major},
      {cudaDevAttrComputeCapabilityMinor, &minor},
      {cudaDevAttrMultiProcessorCount, &device->processors},
      {cudaDevAttrClockRate, &clock_khz},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, &device->shared_bytes},
      {cudaDevAttrMaxThreadsPerMultiProcessor, &device->threads_per_processor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, &device->blocks_per_processor},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &device->shared_per_processor_bytes},
      {cudaDevAttrL2CacheSize, &device->l2_bytes},
      {cudaDevAttrMemoryClockRate, &memory_khz},
      {cudaDevAttrGlobalMemoryBusWidth, &memory_bits},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!fine(cudaDeviceGetAttribute(wanted[i].value, wanted[i].attribute, device->number), "a GPU's limits", error))
      return false;
  device->capability = major * 10 + minor;
  device->clock_mhz = clock_khz / 1000;
  device->memory_bytes_per_s = 2e3 * memory_khz * memory_bits / 8; /* twice a cycle */
  return true;
}

static bool read_name(TgDevice *device, TgError *error) {
  struct cudaDeviceProp properties;
  size_t free_bytes, total_bytes;
  if (!fine(cudaGetDeviceProperties(&properties, device->number), "a GPU's name", error) ||
      !fine(cudaMemGetInfo(&free_bytes, &total_bytes), "a GPU's memory", error))
    return false;
  int length = tg_text_fit(properties.name, sizeof device->name - 1);
  memcpy(device->name, properties.name, (size_t)length);
  device->name[length] = '\0';
  device->memory_bytes = (int64_t)total_bytes;
  return fine(cudaDriverGetVersion(&device->driver), "the driver's version", error) &&
         fine(cudaRuntimeGetVersion(&device->runtime), "CUDA's version", error);
}

bool tg_device_open(int number, TgDevice *device, TgError *error) {
  int devices = 0;
  *device = (TgDevice){.number = number};
  if (!count_devices(&devices, error)) return false;
  if (number < 0 || number >= devices)
    return tg_error_set(error, 0, 0, "there is no GPU %d: there are %d, counted from 0", number, devices);
  if (!fine(cudaSetDevice(number), "the GPU cannot be used", error)) return false;
  return read_attributes(device, error) && read_name(device, error);
}

void *tg_device_allocate(int64_t bytes, TgError *error) {
  void *memory = NULL;
  size_t free_bytes = 0, total_bytes = 0;
  if (bytes < 0) {
    tg_error_set(error, 0, 0, "%" PRId64 " bytes of device memory were requested", bytes);
    return NULL;
  }
  cudaError_t status = cudaMalloc(&memory, bytes > 0 ? (size_t)bytes : 1);
  if (status == cudaSuccess) return memory;
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
    tg_error_set(error, 0, 0, "not enough device memory: %" PRId64 " bytes requested, %zu of %zu free", bytes,
                 free_bytes, total_bytes);
  else
    tg_error_set(error, 0, 0, "%" PRId64 " bytes of device memory cannot be allocated: %s", bytes,
                 cudaGetErrorString(status));
  return NULL;
}

/* What failed before shows in the next call that can say so. */
void tg_device_free(void *memory) {
  cudaFree(memory);
}

static bool copy(void *to, const void *from, int64_t bytes, enum cudaMemcpyKind kind, const char *where,
                 TgError *error) {
  cudaError_t status = cudaMemcpy(to, from, (size_t)bytes, kind);
  if (status == cudaSuccess) return true;
  cudaGetLastError();
  return tg_error_set(error, 0, 0, "%" PRId64 " bytes were not copied %s the device: %s", bytes, where,
                      cudaGetErrorString(status));
}

bool tg_device_copy_in(void *device, const void *host, int64_t bytes, TgError *error) {
  return copy(device, host, bytes, cudaMemcpyHostToDevice, "to", error);
}

bool tg_device_copy_out(void *host, const void *device, int64_t bytes, TgError *error) {
  return copy(host, device, bytes, cudaMemcpyDeviceToHost, "from", error);
}

bool tg_device_copy_across(void *to, const void *from, int64_t bytes, TgError *error) {
  return fine(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, NULL), "no copy on the device", error);
}

bool tg_device_fill(void *device, int byte, int64_t bytes, TgError *error) {
  return fine(cudaMemset(device, byte, (size_t)bytes), "device memory was not filled", error);
}

bool tg_device_wait(TgError *error) {
  return fine(cudaDeviceSynchronize(), "the device failed", error);
}

TgStopwatch *tg_stopwatch_new(TgError *error) {
  TgStopwatch *watch = calloc(1, sizeof *watch);
  if (!watch) {
    tg_error_set(error, 0, 0, "out of memory");
    return NULL;
  }
  if (fine(cudaEventCreate(&watch->begin), "cannot make a stopwatch", error) &&
      fine(cudaEventCreate(&watch->end), "cannot make a stopwatch", error))
    return watch;
  tg_stopwatch_free(watch);
  return NULL;
}

void tg_stopwatch_free(TgStopwatch *watch) {
  if (!watch) return;
  if (watch->begin) cudaEventDestroy(watch->begin);
  if (watch->end) cudaEventDestroy(watch->end);
  free(watch);
}

bool tg_stopwatch_start(TgStopwatch *watch, TgError *error) {
  return fine(cudaEventRecord(watch->begin, NULL), "the stopwatch was not started", error);
}

bool tg_stopwatch_stop(TgStopwatch *watch, double *seconds, TgError *error) {
  float milliseconds = 0;
  if (!fine(cudaEventRecord(watch->end, NULL), "the stopwatch was not stopped", error) ||
      !fine(cudaEventSynchronize(watch->end), "the device failed", error) ||
      !fine(cudaEventElapsedTime(&milliseconds, watch->begin, watch->end), "the stopwatch has no time", error))
    return false;
  *seconds = milliseconds * 1e-3;
  return true;
}
