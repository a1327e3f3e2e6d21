/** @file historic.cuh
 * Private to cuda/kernels/historic/: what all families share. A kernel is a template over the element and its width,
 * and takes one Task. */
#ifndef TG_HISTORIC_CUH
#define TG_HISTORIC_CUH

#include "launch.h"

namespace historic {

/** What a kernel gets; untyped, so that all kernels have one signature. */
struct Task {
  const void *a, *b;
  void *c;
  int64_t m, n, k;
  int32_t split;   /**< blocks that share the inner extent */
  int32_t rounds;  /**< tiles of it that each of them takes, at most */
  int32_t repeats; /**< how often data are moved */
};

using Kernel = void (*)(Task);

/** The kernels of one width, one a type; nullptr: not of this type. */
struct Instance {
  int32_t width;
  Kernel of[TG_HISTORIC_TYPES];
};

/** Element (i, j) of a matrix of rows x columns; zero outside. */
template <typename T>
__device__ __forceinline__ T at(const void *x, int64_t rows, int64_t columns, int64_t i, int64_t j) {
  return i < rows && j < columns ? static_cast<const T *>(x)[i * columns + j] : T(0);
}

/** Gives C(i, j) its value, or adds to it where other blocks do so, too; nothing happens outside C. */
template <typename T> __device__ __forceinline__ void give(const Task &task, int64_t i, int64_t j, T sum, bool add) {
  if (i >= task.m || j >= task.n) return;
  T *to = static_cast<T *>(task.c) + i * task.n + j;
  if (add)
    atomicAdd(to, sum);
  else
    *to = sum;
}

/** The shared memory that the launch asked for (dynamic_bytes of its shape). */
#ifdef __CUDACC__
template <typename T> __device__ __forceinline__ T *dynamic_memory() {
  extern __shared__ int4 historic_dynamic_memory[];
  return reinterpret_cast<T *>(historic_dynamic_memory);
}
#else
void *dynamic_memory();
template <typename T> T *dynamic_memory() {
  return static_cast<T *>(dynamic_memory());
}
#endif

inline Task task_of(const TgHistoricRun *run, const TgHistoricShape *shape) {
  return {run->a,
          run->b,
          run->c,
          run->m,
          run->n,
          run->k,
          static_cast<int32_t>(shape->split),
          static_cast<int32_t>(shape->rounds),
          run->repeats};
}

inline cudaError_t start(Kernel kernel, const Task &task, const TgHistoricRun *run, const TgHistoricShape *shape) {
  const dim3 grid(static_cast<unsigned>(shape->grid[0]), static_cast<unsigned>(shape->grid[1]),
                  static_cast<unsigned>(shape->grid[2]));
  const dim3 block(shape->block[0], shape->block[1], shape->block[2]);
  void *arguments[] = {const_cast<Task *>(&task)};
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments,
                          static_cast<size_t>(shape->dynamic_bytes), static_cast<cudaStream_t>(run->stream));
}

/** All of C becomes zero, in the order of the stream. */
inline cudaError_t zero(const TgHistoricRun *run) {
  const size_t bytes = static_cast<size_t>(run->m) * static_cast<size_t>(run->n) * TG_HISTORIC_ELEMENT_BYTES;
  return cudaMemsetAsync(run->c, 0, bytes, static_cast<cudaStream_t>(run->stream));
}

/** Starts the kernel of the run's width and type. */
template <size_t COUNT>
cudaError_t start(const Instance (&instances)[COUNT], const Task &task, const TgHistoricRun *run,
                  const TgHistoricShape *shape) {
  for (const Instance &instance : instances)
    if (instance.width == run->width && instance.of[run->type]) return start(instance.of[run->type], task, run, shape);
  return cudaErrorInvalidValue;
}

/** The same; C becomes zero before where several blocks add to one element. */
template <size_t COUNT>
cudaError_t start_sums(const Instance (&instances)[COUNT], const Task &task, const TgHistoricRun *run,
                       const TgHistoricShape *shape) {
  const cudaError_t status = shape->split > 1 ? zero(run) : cudaSuccess;
  return status == cudaSuccess ? start(instances, task, run, shape) : status;
}

/** Starts a kernel of f32, given in widths 4, 8 and on, each twice the one before, in the width of the run. */
template <size_t COUNT>
cudaError_t start(const TgHistoricRun *run, const TgHistoricShape *shape, const Kernel (&kernels)[COUNT]) {
  Instance instances[COUNT] = {};
  for (size_t w = 0; w < COUNT; w++) instances[w] = {4 << w, {kernels[w]}};
  return start(instances, task_of(run, shape), run, shape);
}

} // namespace historic

#endif
