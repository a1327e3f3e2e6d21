/** @file launch.cuh
 * Private to cuda/: how the host launches a kernel that the copy engine feeds, what it asks before, and what it says
 * where that fails. */
#ifndef TG_LAUNCH_CUH
#define TG_LAUNCH_CUH

#include "kernel.h"

#include <cstdint>
#include <cuda_runtime.h>

/** Whether all rows of a matrix of f32, `row` elements apart, begin at multiples of 16 bytes. */
inline bool tg_is_aligned(const void *matrix, int64_t row) {
  return reinterpret_cast<uintptr_t>(matrix) % 16 == 0 && row % 4 == 0;
}

/** Whether A and B, f32, can be loaded by 16 bytes as they are: neither transposed nor unaligned. */
inline bool tg_lies_as_read(const TgGemm *gemm) {
  return !gemm->transpose_a && !gemm->transpose_b && tg_is_aligned(gemm->a, gemm->lda) &&
         tg_is_aligned(gemm->b, gemm->ldb);
}

/** Of the device in use. */
inline cudaError_t tg_ask_device(cudaDeviceAttr attribute, int *value) {
  int device;
  const cudaError_t status = cudaGetDevice(&device);
  return status == cudaSuccess ? cudaDeviceGetAttribute(value, attribute, device) : status;
}
inline cudaError_t tg_count_processors(int *processors) {
  return tg_ask_device(cudaDevAttrMultiProcessorCount, processors);
}

/** Sets "CALL: why", and takes the error from the runtime, so that no later call reports it once more. Returns false.
 */
inline bool tg_call_failed(TgError *error, const char *call, cudaError_t status) {
  cudaGetLastError();
  return tg_error_set(error, 0, 0, "%s: %s", call, cudaGetErrorString(status));
}

struct TgLaunch {
  int64_t blocks;
  int threads;
  size_t shared_bytes;
  int cluster; /**< blocks of one; 0: none */
  bool early;  /**< may begin before the kernel before it has ended: cudaGridDependencySynchronize() then waits for that
                */
};

template <typename... Parameters, typename... Arguments>
cudaError_t tg_launch(const TgLaunch &launch, void *stream, void (*kernel)(Parameters...),
                      const Arguments &...arguments) {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
  config.blockDim = dim3(launch.threads);
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = attributes;
  if (launch.early) {
    cudaLaunchAttribute &attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  if (launch.cluster > 0) {
    cudaLaunchAttribute &attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
  }
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
