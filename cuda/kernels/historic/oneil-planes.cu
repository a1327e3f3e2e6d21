/* O'Neil's DNS by planes, sections 3.2 and 5: a block computes elements of one column of C, thread (tx, ty) the term
 * A(tx, ty) B(ty, column), and the terms are summed along ty. Blocks of 8 x 8, 4 x 8 and 2 x 8 threads compute 8, 4 and
 * 2 elements (the paper says columns). All of A, or the block's rows of it, and one column of B go through shared
 * memory.
 *
 * oneil-dns-planes: a product of 8 x 8 by 8, 16 or 32 blocks in a row.
 * oneil-dns-planes-tiles: the same for every product of two tiles, so 8, 16 or 32 blocks for each; blocks that share a
 * tile of C add to it atomically, and C is zero before. With `split` a block takes several products in turn.
 *
 * A block reads 8 R + 8 words for 16 R operations, half an operation a byte: B is hardly used again. */
#include "historic.cuh"

namespace {

constexpr int deep = 8;

/* After the first step the terms that are read lie within the threads ty < 4, 4 R neighbours: one warp up to R = 8. */
template <int R> __device__ __forceinline__ void settle() {
  if constexpr (R * deep / 2 <= 32)
    __syncwarp();
  else
    __syncthreads();
}

template <typename T, int R>
__device__ __forceinline__ void plane(const historic::Task &task, int64_t row, int64_t column, int64_t first) {
  __shared__ T a[R][deep], b[deep], term[R][deep];
  const int tx = threadIdx.x, ty = threadIdx.y;
  T mine = 0;
  for (int r = 0; r < task.rounds; r++) {
    const int64_t l = first + static_cast<int64_t>(r) * deep;
    a[tx][ty] = historic::at<T>(task.a, task.m, task.k, row + tx, l + ty);
    if (tx == 0) b[ty] = historic::at<T>(task.b, task.k, task.n, l + ty, column);
    __syncthreads();
    mine += a[tx][ty] * b[ty];
    __syncthreads(); /* before the next tiles are loaded */
  }
  term[tx][ty] = mine;
  __syncthreads();
#pragma unroll
  for (int half = deep / 2; half > 0; half /= 2) {
    if (ty < half) term[tx][ty] += term[tx][ty + half];
    settle<R>();
  }
  if (ty == 0) historic::give(task, row + tx, column, term[tx][0], task.split > 1);
}

/* Blocks of one column of C are neighbours. */
template <typename T, int R> __global__ __launch_bounds__(R *deep) void in_a_row(const historic::Task task) {
  const int64_t groups = (task.m + R - 1) / R;
  plane<T, R>(task, blockIdx.x % groups * R, blockIdx.x / groups, 0);
}

template <typename T, int R> __global__ __launch_bounds__(R *deep) void tiles(const historic::Task task) {
  plane<T, R>(task, static_cast<int64_t>(blockIdx.y) * R, blockIdx.x / task.split,
              static_cast<int64_t>(blockIdx.x % task.split) * task.rounds * deep);
}

template <int R> constexpr historic::Instance row_form() {
  return {R, {in_a_row<float, R>, in_a_row<int32_t, R>}};
}

template <int R> constexpr historic::Instance tile_instance() {
  return {R, {tiles<float, R>, tiles<int32_t, R>}};
}

} // namespace

extern "C" cudaError_t tg_historic_launch_oneil_planes(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                       int32_t variant) {
  static const historic::Instance single[] = {row_form<2>(), row_form<4>(), row_form<8>()};
  static const historic::Instance tiled[] = {tile_instance<2>(), tile_instance<4>(), tile_instance<8>(),
                                             tile_instance<16>(), tile_instance<32>()};
  const historic::Task task = historic::task_of(run, shape);
  if (variant == 0) return historic::start(single, task, run, shape);
  return historic::start_sums(tiled, task, run, shape);
}
