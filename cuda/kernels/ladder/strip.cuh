/** @file strip.cuh
 * Private to cuda/kernels/: what outer.cu and prefetch.cu share. A thread computes a strip of C, 16 rows of one column,
 * as a sum of outer products: a column of A, from shared memory, times an element of B, in a register. */
#ifndef TG_STRIP_CUH
#define TG_STRIP_CUH

#include "panel.cuh"

namespace rung {

constexpr int strip_rows = 16, strip_columns = 128, strip_deep = 16;
/* Rows of the panel stay aligned to 16 bytes, and those that a warp writes at once lie in different banks. */
constexpr int strip_line = strip_rows + 4;

template <typename T> using StripShare = Share<T, strip_rows, strip_deep, strip_columns, 1>;

template <typename T> struct alignas(16) StripPanel { T at[strip_deep][strip_line]; };

template <typename T> struct Strip {
  T sums[strip_rows];

  __device__ __forceinline__ Strip() {
#pragma unroll
    for (int i = 0; i < strip_rows; i++) sums[i] = 0;
  }

  /** All threads of a warp read the same column of A: a broadcast. */
  __device__ __forceinline__ void add(const T (&a)[strip_line], T b) {
#pragma unroll
    for (int i = 0; i < strip_rows; i++) sums[i] += a[i] * b;
  }

  __device__ __forceinline__ void store(const Product<T> &product, const Place &place) const {
#pragma unroll
    for (int i = 0; i < strip_rows; i++) product.store(place.row + i, place.column + threadIdx.x, sums[i]);
  }
};

} // namespace rung

#endif
