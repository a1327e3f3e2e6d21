/* A kernel that lets time pass: what is started meanwhile waits on the device, and begins there without the host. */
#include "device.h"

#include <cuda_runtime.h>

namespace {

__global__ void hold(uint64_t nanoseconds) {
  uint64_t begun, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begun));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begun < nanoseconds);
}

} // namespace

bool tg_device_hold(double seconds, TgError *error) {
  if (!(seconds >= 0 && seconds <= 1)) return tg_error_set(error, 0, 0, "the device cannot be held for %g s", seconds);
  hold<<<1, 1>>>(static_cast<uint64_t>(seconds * 1e9));
  const cudaError_t status = cudaGetLastError();
  return status == cudaSuccess || tg_error_set(error, 0, 0, "the device was not held: %s", cudaGetErrorString(status));
}
