/** @file cuda_runtime_api.h
 * As much of CUDA as the papers' kernels use, for a C++ compiler: a block's threads are coroutines of one thread of the
 * CPU. Between two barriers they run one after another, in an order drawn anew each time, so that a barrier that lacks
 * shows in the result, without a GPU. A barrier that some never reach stops the program. Blocks run one after another;
 * memory of the device is ordinary memory. */
#ifndef TG_CUDA_ON_CPU_H
#define TG_CUDA_ON_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorInvalidConfiguration } cudaError_t;
typedef struct CUstream_st *cudaStream_t;

/* Names of their own, so that a program may hold the real ones, too. */
#define cudaGetLastError tg_on_cpu_last_error
#define cudaGetErrorString tg_on_cpu_error_string
#define cudaMemsetAsync tg_on_cpu_memset

cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

/* There is as much shared memory as any of them asks for. */
template <typename T> cudaError_t cudaFuncSetAttribute(T *, cudaFuncAttribute, int) {
  return cudaSuccess;
}

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

void __syncthreads();
void __syncwarp(unsigned mask = 0xffffffffu);

template <typename T> T atomicAdd(T *to, T number) {
  const T before = *to;
  *to += number;
  return before;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream);
#endif

#endif
