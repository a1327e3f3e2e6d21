/* coalesced: naive, with a warp's 32 elements along a row of C. The loads of B and the stores of C are whole lines, the
 * load of A is one element for all: for a warp's 64 operations a step, 128 + 4 bytes in f32, 2 bytes an operation. A
 * transposed B loses this again. */
#include "product.cuh"

namespace {

constexpr int rows = 8, columns = 32;

template <typename T> __global__ void multiply(const rung::Product<T> product) {
  const rung::Place place = rung::place_of(product, rows, columns);
  const int64_t i = place.row + threadIdx.x / columns, j = place.column + threadIdx.x % columns;
  if (i >= product.m || j >= product.n) return;
  T sum = 0;
  for (int64_t l = 0; l < product.k; l++) sum += product.a.at(i, l) * product.b.at(l, j);
  product.store(i, j, sum);
}

} // namespace

extern "C" cudaError_t tg_rung_coalesced(const TgGemm *gemm) {
  return rung::start(gemm, multiply<float>, multiply<double>, rows, columns, rows * columns);
}
