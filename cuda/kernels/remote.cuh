/** @file remote.cuh
 * Private to cuda/kernels/: sums on their way from block to block of a cluster, and barriers of a part of a block. */
#ifndef TG_REMOTE_CUH
#define TG_REMOTE_CUH

#include <cstdint>
#include <cuda_runtime.h>

/** What lies at this address in the shared memory of a block of the cluster. */
__device__ __forceinline__ float4 tg_load_remote(uint32_t address, int block) {
  float4 value;
  asm volatile("{\n"
               "  .reg .b32 remote;\n"
               "  mapa.shared::cluster.u32 remote, %4, %5;\n"
               "  ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n"
               "}"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(address), "r"(block)
               : "memory");
  return value;
}

__device__ __forceinline__ void tg_store_shared(uint32_t address, float4 value) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(value.x), "f"(value.y), "f"(value.z),
               "f"(value.w)
               : "memory");
}

/** Of `threads` threads of the block. 0 is the number of __syncthreads(). */
__device__ __forceinline__ void tg_group_sync(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

#endif
