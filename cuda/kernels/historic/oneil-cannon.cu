/* O'Neil's Cannon, sections 3.1 and 5: thread (tx, ty) computes C(ty, tx) from tiles of A and B in shared memory, and
 * meets its terms in the order of L. E. Cannon's algorithm, from (tx + ty) on. The skew is of indices alone: nothing is
 * shifted. It also keeps the threads of a warp on different banks of A's tile.
 *
 * oneil-cannon, one block: n x n threads for a product of n x n, n up to 32, so that a block holds it.
 * oneil-cannon-tiles: a block for every product of two tiles; those of one tile of C add to it atomically, and C is
 * zero before. With `split` a block takes several products in turn; with a split of 1 nothing is left to add, and it
 * stores. (The printed kernel does not compile: it declares Pvalue and adds to localVal, and stores by a Width that is
 * n.)
 *
 * 2mnk operations; a block reads 2 W^2 words for 2 W^3 operations, W/4 a byte, and adds W^2 words a split. */
#include "historic.cuh"

namespace {

constexpr int most = 32;

template <typename T> __global__ void one_block(const historic::Task task) {
  __shared__ T a[most][most], b[most][most];
  const int n = static_cast<int>(task.n), tx = threadIdx.x, ty = threadIdx.y;
  T sum = 0;
  a[ty][tx] = static_cast<const T *>(task.a)[ty * n + tx];
  b[ty][tx] = static_cast<const T *>(task.b)[ty * n + tx];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    const int at = (tx + ty + k) % n;
    sum += a[ty][at] * b[at][tx];
  }
  static_cast<T *>(task.c)[ty * n + tx] = sum;
}

template <typename T, int W> __global__ __launch_bounds__(W *W) void tiles(const historic::Task task) {
  __shared__ T a[W][W], b[W][W];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int64_t first = static_cast<int64_t>(blockIdx.x % task.split) * task.rounds * W;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * W + ty;
  const int64_t column = static_cast<int64_t>(blockIdx.x / task.split) * W + tx;
  T sum = 0;
  for (int r = 0; r < task.rounds; r++) {
    const int64_t l = first + static_cast<int64_t>(r) * W;
    a[ty][tx] = historic::at<T>(task.a, task.m, task.k, row, l + tx);
    b[ty][tx] = historic::at<T>(task.b, task.k, task.n, l + ty, column);
    __syncthreads();
#pragma unroll 8 /* more, and the indices of 32 steps spill */
    for (int k = 0; k < W; ++k) {
      const int at = (tx + ty + k) % W;
      sum += a[ty][at] * b[at][tx];
    }
    __syncthreads(); /* before the next tiles are loaded */
  }
  historic::give(task, row, column, sum, task.split > 1);
}

template <int W> constexpr historic::Instance instance() {
  return {W, {tiles<float, W>, tiles<int32_t, W>}};
}

} // namespace

extern "C" cudaError_t tg_historic_launch_oneil_cannon(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                       int32_t variant) {
  static const historic::Instance single[] = {{0, {one_block<float>, one_block<int32_t>}}};
  static const historic::Instance tiled[] = {instance<4>(), instance<8>(), instance<16>(), instance<32>()};
  const historic::Task task = historic::task_of(run, shape);
  if (variant == 0) return historic::start(single, task, run, shape);
  return historic::start_sums(tiled, task, run, shape);
}
