/** @file tensor-layout.cuh
 * Private to cuda/kernels/: operands as tensor.cu reads them, A (m x k) and B' (n x k), rows along k and a multiple of
 * 16 bytes apart, B' split into two matrices of TF32 numbers. */
#ifndef TG_TENSOR_LAYOUT_CUH
#define TG_TENSOR_LAYOUT_CUH

#include "copy-engine.cuh"
#include "kernel.h"

namespace tensor {

constexpr int rows = 128, columns = 128, depth = 32; /* of a tile of C; steps of k at a time */

/** Of both, in boxes of a tile's rows and `depth` elements, swizzled. */
struct Maps {
  CUtensorMap a, b_high, b_low;
};

/** Bytes of gemm->workspace that prepare() needs. */
int64_t workspace(const TgGemm *gemm);

/** Starts the kernels that copy B, and A where it is transposed or not aligned. The last kernel lets the next one of
 * the stream begin before its own end: cudaGridDependencySynchronize() before reading. */
cudaError_t prepare(const TgGemm *gemm, Maps *maps);

} // namespace tensor

#endif
