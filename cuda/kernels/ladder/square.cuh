/** @file square.cuh
 * Private to cuda/kernels/: the kernel of tiled.cu and padded.cu. A block of 1024 threads computes 32 x 32 elements of
 * C from squares of A and B in shared memory, whose rows are PADDING elements longer than they are filled. */
#ifndef TG_SQUARE_CUH
#define TG_SQUARE_CUH

#include "product.cuh"

namespace rung {

constexpr int square = 32;

/* Brings the square of an operand at (i, j), each warp a stored row of it. */
template <typename T, int LINE>
__device__ __forceinline__ void bring(const Operand<T> &operand, int64_t i, int64_t j, T (*to)[LINE]) {
  const int slow = threadIdx.x / square, fast = threadIdx.x % square;
  const int row = operand.column == 1 ? slow : fast, column = operand.column == 1 ? fast : slow;
  to[row][column] = operand.at(i + row, j + column);
}

template <typename T, int PADDING>
__global__ __launch_bounds__(square *square) void multiply_squares(const Product<T> product) {
  __shared__ T a[square][square + PADDING], b[square][square + PADDING];
  const Place place = place_of(product, square, square);
  const int row = threadIdx.x / square, column = threadIdx.x % square;
  T sum = 0;
  for (int64_t first = 0; first < product.k; first += square) {
    bring(product.a, place.row, first, a);
    bring(product.b, first, place.column, b);
    __syncthreads();
#pragma unroll 1
    for (int l = 0; l < square; l++) sum += a[row][l] * b[l][column];
    __syncthreads(); /* before the next squares are written */
  }
  product.store(place.row + row, place.column + column, sum);
}

template <int PADDING> cudaError_t start_squares(const TgGemm *gemm) {
  return start(gemm, multiply_squares<float, PADDING>, multiply_squares<double, PADDING>, square, square,
               square * square);
}

} // namespace rung

#endif
