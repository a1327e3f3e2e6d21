/* prefetch: outer, with the next 16 steps of A and B on their way into registers while these are multiplied, and the
 * steps unrolled. Bytes and operations are those of outer; what changes is that 16 loads of B are under way at once. */
#include "strip.cuh"

namespace {

template <typename T> __global__ __launch_bounds__(rung::strip_columns) void multiply(const rung::Product<T> product) {
  __shared__ rung::StripPanel<T> panel;
  const rung::Place place = rung::place_of(product, rung::strip_rows, rung::strip_columns);
  const rung::Side<T> a = rung::side_a(product.a);
  rung::StripShare<T> share;
  rung::Strip<T> strip;
  T b[rung::strip_deep], next[rung::strip_deep];
  auto fetch = [&](int64_t first) {
    share.fetch(a, place.row, first);
#pragma unroll
    for (int l = 0; l < rung::strip_deep; l++) next[l] = product.b.at(first + l, place.column + threadIdx.x);
  };
  fetch(0);
  for (int64_t first = 0; first < product.k; first += rung::strip_deep) {
    share.put(a, panel.at);
#pragma unroll
    for (int l = 0; l < rung::strip_deep; l++) b[l] = next[l];
    __syncthreads();
    if (first + rung::strip_deep < product.k) fetch(first + rung::strip_deep);
#pragma unroll
    for (int l = 0; l < rung::strip_deep; l++) strip.add(panel.at[l], b[l]);
    __syncthreads();
  }
  strip.store(product, place);
}

} // namespace

extern "C" cudaError_t tg_rung_prefetch(const TgGemm *gemm) {
  return rung::start(gemm, multiply<float>, multiply<double>, rung::strip_rows, rung::strip_columns,
                     rung::strip_columns);
}
