/* matrixMulDG: a thread an element of C, straight from device memory (T. Dobravec, P. Bulić, 2017, listing 2, from
 * NVIDIA's samples). A block of W x W threads, threadIdx.x along a row of C. 2mnk operations. At a step of k a warp
 * reads one element of A for each row of the block that it holds, 32 / W of them, and W neighbours of a row of B: at W
 * = 8 four sectors of 32 bytes and one, at W = 16 two and two, for 64 operations.
 *
 * As printed the grid is n / W by m / W blocks, without a remainder, and nothing is asked: rows and columns beyond the
 * last whole block are never computed. Corrected, the grid is rounded up, and threads beyond C end. */
#include "historic.cuh"

namespace {

template <int W, bool PRINTED> __global__ __launch_bounds__(W *W) void multiply(const historic::Task task) {
  const auto *a = static_cast<const float *>(task.a), *b = static_cast<const float *>(task.b);
  const int64_t i = static_cast<int64_t>(blockIdx.y) * W + threadIdx.y;
  const int64_t j = static_cast<int64_t>(blockIdx.x) * W + threadIdx.x;
  if (!PRINTED && (i >= task.m || j >= task.n)) return;
  float sum = 0;
  for (int64_t l = 0; l < task.k; l++) sum += a[i * task.k + l] * b[l * task.n + j];
  static_cast<float *>(task.c)[i * task.n + j] = sum;
}

template <bool PRINTED> cudaError_t start(const TgHistoricRun *run, const TgHistoricShape *shape) {
  const historic::Instance instances[] = {{8, {multiply<8, PRINTED>}}, {16, {multiply<16, PRINTED>}}};
  return historic::start(instances, historic::task_of(run, shape), run, shape);
}

} // namespace

extern "C" cudaError_t tg_historic_launch_dobravec_global(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                          int32_t variant) {
  return variant == 0 ? start<true>(run, shape) : start<false>(run, shape);
}
