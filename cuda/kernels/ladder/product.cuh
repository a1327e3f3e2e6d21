/** @file product.cuh
 * Private to cuda/kernels/: what every rung shares. The operands as op(A) and op(B), stored transposed or not, the
 * stores to C, and the launch with a block for each tile of C. */
#ifndef TG_PRODUCT_CUH
#define TG_PRODUCT_CUH

#include "rung.h"

namespace rung {

/** op(X): element (i, j) is x[i * row + j * column]; one of the steps is 1. */
template <typename T> struct Operand {
  const T *x;
  int64_t rows, columns;
  int64_t row, column;
  bool whole; /**< stored rows are aligned to 16 bytes */

  /** Zero outside. */
  __device__ __forceinline__ T at(int64_t i, int64_t j) const {
    return i < rows && j < columns ? x[i * row + j * column] : T(0);
  }
};

/** WIDTH neighbours of a stored row, moved at once. */
template <typename T, int WIDTH> struct alignas(WIDTH * sizeof(T)) Piece { T at[WIDTH]; };

template <typename T> struct Product {
  Operand<T> a, b;
  T *c;
  int64_t m, n, k, ldc;
  bool add, whole;
  float zero; /**< 0: what the compiler cannot know, see apart.cuh */

  /** C(i, j) takes a sum; nothing happens outside C. C is not read unless it is added to. */
  __device__ __forceinline__ void store(int64_t i, int64_t j, T sum) const {
    if (i >= m || j >= n) return;
    T *to = c + i * ldc + j;
    *to = add ? *to + sum : sum;
  }

  /** Likewise WIDTH neighbours of a row; j is a multiple of WIDTH. */
  template <int WIDTH> __device__ __forceinline__ void store(int64_t i, int64_t j, Piece<T, WIDTH> sums) const {
    if (whole && i < m && j + WIDTH <= n) {
      auto *to = reinterpret_cast<Piece<T, WIDTH> *>(c + i * ldc + j);
      if (add) {
        const Piece<T, WIDTH> old = *to;
#pragma unroll
        for (int w = 0; w < WIDTH; w++) sums.at[w] += old.at[w];
      }
      *to = sums;
      return;
    }
#pragma unroll
    for (int w = 0; w < WIDTH; w++) store(i, j + w, sums.at[w]);
  }
};

/** First element of the block's tile: tiles are numbered along the rows of C. */
struct Place {
  int64_t row, column;
};

template <typename T> __device__ __forceinline__ Place place_of(const Product<T> &product, int rows, int columns) {
  const int64_t across = (product.n + columns - 1) / columns;
  return {blockIdx.x / across * rows, blockIdx.x % across * columns};
}

inline bool is_whole(const void *matrix, int64_t row_bytes) {
  return reinterpret_cast<uintptr_t>(matrix) % 16 == 0 && row_bytes % 16 == 0;
}

template <typename T>
Operand<T> operand(const void *x, int64_t rows, int64_t columns, int64_t row, int32_t transposed) {
  const bool whole = is_whole(x, row * static_cast<int64_t>(sizeof(T)));
  return {static_cast<const T *>(x), rows, columns, transposed ? 1 : row, transposed ? row : 1, whole};
}

template <typename T> Product<T> product_of(const TgGemm *gemm) {
  return {operand<T>(gemm->a, gemm->m, gemm->k, gemm->lda, gemm->transpose_a),
          operand<T>(gemm->b, gemm->k, gemm->n, gemm->ldb, gemm->transpose_b),
          static_cast<T *>(gemm->c),
          gemm->m,
          gemm->n,
          gemm->k,
          gemm->ldc,
          gemm->add != 0,
          is_whole(gemm->c, gemm->ldc * static_cast<int64_t>(sizeof(T))),
          0};
}

/** Starts the kernel of the product's type, with a block of so many threads for each rows x columns of C. */
inline cudaError_t start(const TgGemm *gemm, void (*f32)(Product<float>), void (*f64)(Product<double>), int rows,
                         int columns, int threads) {
  const int64_t blocks = ((gemm->m + rows - 1) / rows) * ((gemm->n + columns - 1) / columns);
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  const auto grid = static_cast<unsigned>(blocks);
  const auto stream = static_cast<cudaStream_t>(gemm->stream);
  if (gemm->element == TG_F64)
    f64<<<grid, threads, 0, stream>>>(product_of<double>(gemm));
  else
    f32<<<grid, threads, 0, stream>>>(product_of<float>(gemm));
  return cudaGetLastError();
}

} // namespace rung

#endif
