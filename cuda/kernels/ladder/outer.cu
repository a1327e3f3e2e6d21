/* outer: a thread a strip of 16 rows of a column of C. An element of B goes from device memory to a register and is
 * used 16 times, so that only A, 1 KB for 16 steps in f32, passes through shared memory, in loads of 16 bytes: one for
 * four multiply-adds. Per tile of 16 x 128 and 16 steps, 9 KB for 65536 operations: 7 a byte. */
#include "strip.cuh"

namespace {

template <typename T> __global__ __launch_bounds__(rung::strip_columns) void multiply(const rung::Product<T> product) {
  __shared__ rung::StripPanel<T> panel;
  const rung::Place place = rung::place_of(product, rung::strip_rows, rung::strip_columns);
  const rung::Side<T> a = rung::side_a(product.a);
  rung::StripShare<T> share;
  rung::Strip<T> strip;
  for (int64_t first = 0; first < product.k; first += rung::strip_deep) {
    share.fetch(a, place.row, first);
    share.put(a, panel.at);
    __syncthreads();
#pragma unroll 1
    for (int l = 0; l < rung::strip_deep; l++)
      strip.add(panel.at[l], product.b.at(first + l, place.column + threadIdx.x));
    __syncthreads();
  }
  strip.store(product, place);
}

} // namespace

extern "C" cudaError_t tg_rung_outer(const TgGemm *gemm) {
  return rung::start(gemm, multiply<float>, multiply<double>, rung::strip_rows, rung::strip_columns,
                     rung::strip_columns);
}
