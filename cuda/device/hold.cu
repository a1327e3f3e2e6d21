/* A kernel that lets time pass: what is started meanwhile waits on the device, and begins there without the host. */
#include "hold.h"

namespace {

__global__ void hold(uint64_t nanoseconds) {
  uint64_t begun, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begun));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begun < nanoseconds);
}

} // namespace

extern "C" cudaError_t tg_hold_start(uint64_t nanoseconds) {
  hold<<<1, 1>>>(nanoseconds);
  return cudaGetLastError();
}
