/** @file launch.cuh
 * Private to cuda/kernels/: what the host asks before it launches a kernel that the copy engine feeds. */
#ifndef TG_LAUNCH_CUH
#define TG_LAUNCH_CUH

#include "kernel.h"

#include <cstdint>
#include <cuda_runtime_api.h>

/** Whether all rows of a matrix of f32, `row` elements apart, begin at multiples of 16 bytes. */
inline bool tg_is_aligned(const void *matrix, int64_t row) {
  return reinterpret_cast<uintptr_t>(matrix) % 16 == 0 && row % 4 == 0;
}

/** Whether A and B, f32, can be brought by 16 bytes as they lie: neither transposed nor unaligned. */
inline bool tg_lies_as_read(const TgGemm *gemm) {
  return !gemm->transpose_a && !gemm->transpose_b && tg_is_aligned(gemm->a, gemm->lda) &&
         tg_is_aligned(gemm->b, gemm->ldb);
}

/** Of the device in use. */
inline cudaError_t tg_count_processors(int *processors) {
  int device;
  const cudaError_t status = cudaGetDevice(&device);
  return status == cudaSuccess ? cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, device) : status;
}

#endif
