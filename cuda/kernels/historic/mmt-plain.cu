/* v001: a thread an element of R, the inner product of two rows of M straight from device memory. 2d^3 operations. At a
 * step of k a warp, W threads wide and 32 / W high, reads column k of W rows, a sector of 32 bytes each, and of the
 * 32 / W rows of its other operand: without caches (W + 32 / W) · 32 bytes for 64 operations. The seven other elements
 * of each sector are what the next seven steps want. Stores go along the rows of R. */
#include "mmt.cuh"

namespace {

template <int W> __global__ __launch_bounds__(W *W) void multiply(const historic::Task task) {
  const mmt::Problem of = mmt::problem_of(task);
  const int j = static_cast<int>(blockIdx.x) * W + static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.y) * W + static_cast<int>(threadIdx.y);
  if (i >= of.d || j >= of.d) return;
  float sum = 0;
  for (int k = 0; k < of.d; k++) sum += of.m[i * of.d + k] * of.m[j * of.d + k];
  of.r[i * of.d + j] = sum;
}

} // namespace

extern "C" cudaError_t tg_historic_launch_mmt_plain(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                    int32_t variant) {
  (void)variant;
  return historic::start(run, shape, {multiply<4>, multiply<8>, multiply<16>, multiply<32>});
}
