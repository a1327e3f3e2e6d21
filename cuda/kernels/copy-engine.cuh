/** @file copy-engine.cuh
 * Private to cuda/kernels/: mbarriers, the bulk tensor copy engine and its maps, for cards from compute capability 9.0.
 * PTX ISA 8.0, sections on mbarrier and on cp.async.bulk.tensor. */
#ifndef TG_COPY_ENGINE_CUH
#define TG_COPY_ENGINE_CUH

#include "element.h"

#include <atomic>
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

__device__ __forceinline__ uint32_t tg_shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void tg_barrier_init(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

/** Makes the barriers seen by the copy engine and by the cluster. */
__device__ __forceinline__ void tg_barrier_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void tg_barrier_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void tg_barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/** Waits until the phase of this parity is complete. In assembly, loop and all: a C loop around the test costs the
 * kernels that wait in their innermost loop up to 10% by what it does to the order of their instructions. */
__device__ __forceinline__ void tg_barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n"
               "  .reg .pred done;\n"
               "wait_%=:\n"
               "  mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "  @done bra passed_%=;\n"
               "  bra wait_%=;\n"
               "passed_%=:\n"
               "}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

/** Brings the box at column x and row y of the map's matrix; what lies outside it arrives as zeros. */
__device__ __forceinline__ void tg_copy_box(uint32_t target, const CUtensorMap *map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          target),
      "l"(map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

__device__ __forceinline__ void tg_cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/** The map of a row-major matrix, read in boxes of box_columns x box_rows. The matrix and its rows are aligned to 16
 * bytes. `swizzled`: rows of 128 bytes, their 16-byte pieces exchanged as wgmma expects them. */
inline cudaError_t tg_map_matrix(CUtensorMap *map, const void *matrix, TgElement element, int64_t rows, int64_t columns,
                                 int64_t row, int box_rows, int box_columns, bool swizzled) {
  static std::atomic<void *> function; /* looking it up takes as long as all else here */
  if (!function.load()) {
    void *asked = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &asked, 12000, cudaEnableDefault, &found);
    if (status != cudaSuccess) return status;
    if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
    function.store(asked);
  }
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(row * tg_element_bytes(element))};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns), static_cast<cuuint32_t>(box_rows)}, steps[] = {1, 1};
  CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function.load())(
      map, element == TG_F64 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
      const_cast<void *>(matrix), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
