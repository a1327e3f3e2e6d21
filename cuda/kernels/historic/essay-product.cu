/* The essay's first four products, an element of C a thread, blocks of W x W threads.
 *
 * naive: a row of A and a column of B from global memory, 8 bytes for two operations: 1/4 a byte.
 * tiled: tiles of W x W through shared memory, 8 / W bytes for two operations. As the essay has it, neighbours of a
 * warp load B down a column, a word of each row. coalesced: the CPU has transposed B, so that neighbours load along a
 * row; stored down a column of the tile, they meet on its banks. no-conflicts: the same with a column of padding. (The
 * essay counts 16 banks, by half warps; its own card has 32.) */
#include "historic.cuh"

namespace {

template <int W> __global__ __launch_bounds__(W *W) void naive(const historic::Task task) {
  const int64_t row = static_cast<int64_t>(blockIdx.y) * W + threadIdx.y;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * W + threadIdx.x;
  const float *a = static_cast<const float *>(task.a), *b = static_cast<const float *>(task.b);
  float sum = 0;
  if (row >= task.m || column >= task.n) return;
  for (int64_t l = 0; l < task.k; l++) sum += a[row * task.k + l] * b[l * task.n + column];
  static_cast<float *>(task.c)[row * task.n + column] = sum;
}

/* TRANSPOSED: B comes as its transpose. */
template <int W, bool TRANSPOSED, int PADDING>
__global__ __launch_bounds__(W *W) void tiled(const historic::Task task) {
  __shared__ float a[W][W], b[W][W + PADDING];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * W, column = static_cast<int64_t>(blockIdx.x) * W;
  float sum = 0;
  for (int64_t first = 0; first < task.k; first += W) {
    a[ty][tx] = historic::at<float>(task.a, task.m, task.k, row + ty, first + tx);
    b[tx][ty] = TRANSPOSED ? historic::at<float>(task.b, task.n, task.k, column + ty, first + tx)
                           : historic::at<float>(task.b, task.k, task.n, first + tx, column + ty);
    __syncthreads();
    for (int l = 0; l < W; l++) sum += a[ty][l] * b[l][tx];
    __syncthreads(); /* before the next tiles are loaded */
  }
  historic::give(task, row + ty, column + tx, sum, false);
}

} // namespace

extern "C" cudaError_t tg_historic_launch_essay_product(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                        int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {naive<4>, naive<8>, naive<16>, naive<32>},
      {tiled<4, false, 0>, tiled<8, false, 0>, tiled<16, false, 0>, tiled<32, false, 0>},
      {tiled<4, true, 0>, tiled<8, true, 0>, tiled<16, true, 0>, tiled<32, true, 0>},
      {tiled<4, true, 1>, tiled<8, true, 1>, tiled<16, true, 1>, tiled<32, true, 1>},
  };
  return historic::start(run, shape, kernels[variant]);
}
