/* naive: a thread an element of C, its warp's 32 elements down a column. 2mnk operations; at each step of k a warp
 * loads 32 sectors of 32 bytes of A, one a row, and one of B: 33 bytes for two operations, and only the caches help. A
 * transposed A lies the right way. */
#include "product.cuh"

namespace {

constexpr int rows = 32, columns = 8;

template <typename T> __global__ void multiply(const rung::Product<T> product) {
  const rung::Place place = rung::place_of(product, rows, columns);
  const int64_t i = place.row + threadIdx.x % rows, j = place.column + threadIdx.x / rows;
  if (i >= product.m || j >= product.n) return;
  T sum = 0;
  for (int64_t l = 0; l < product.k; l++) sum += product.a.at(i, l) * product.b.at(l, j);
  product.store(i, j, sum);
}

} // namespace

extern "C" cudaError_t tg_rung_naive(const TgGemm *gemm) {
  return rung::start(gemm, multiply<float>, multiply<double>, rows, columns, rows * columns);
}
