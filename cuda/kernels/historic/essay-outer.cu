/* The essay's outer product: a block of 4 W threads computes W x 4 W elements of C, a thread a column of them in
 * registers. Only A goes through shared memory: for each step of k a thread takes one element of B from global memory
 * to a register, and multiplies it by a column of A's tile, which the whole warp reads at once.
 *
 * prefetch: the next tile of A is on its way to registers while this one is multiplied, then goes to a second tile, and
 * the tiles change places; the steps are unrolled.
 *
 * A block reads W^2 words of A and 4 W^2 of B for 8 W^3 operations: 0.4 W a byte. */
#include "historic.cuh"

namespace {

/* The tile of A, a row a step of k; the padding keeps the words of a stored row of A on different banks. */
template <int W> struct Tile { float at[W][W + 1]; };

/* A thread's share of a tile: neighbours load neighbours of a row. */
template <int W> struct Share {
  static constexpr int count = W / 4;
  float held[count];

  __device__ __forceinline__ void fetch(const historic::Task &task, int64_t row, int64_t first) {
#pragma unroll
    for (int s = 0; s < count; s++) {
      const int e = static_cast<int>(threadIdx.x) + s * 4 * W;
      held[s] = historic::at<float>(task.a, task.m, task.k, row + e / W, first + e % W);
    }
  }

  __device__ __forceinline__ void put(Tile<W> &tile) const {
#pragma unroll
    for (int s = 0; s < count; s++) {
      const int e = static_cast<int>(threadIdx.x) + s * 4 * W;
      tile.at[e % W][e / W] = held[s];
    }
  }
};

template <int W> struct Column {
  float sums[W];

  __device__ __forceinline__ Column() {
#pragma unroll
    for (int i = 0; i < W; i++) sums[i] = 0;
  }

  __device__ __forceinline__ void add(const float (&a)[W + 1], float b) {
#pragma unroll
    for (int i = 0; i < W; i++) sums[i] += a[i] * b;
  }

  __device__ __forceinline__ void store(const historic::Task &task, int64_t row, int64_t column) const {
#pragma unroll
    for (int i = 0; i < W; i++) historic::give(task, row + i, column, sums[i], false);
  }
};

template <int W> __global__ __launch_bounds__(4 * W) void outer(const historic::Task task) {
  __shared__ Tile<W> tile;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * W;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * 4 * W + threadIdx.x;
  Share<W> share;
  Column<W> mine;
  for (int64_t first = 0; first < task.k; first += W) {
    share.fetch(task, row, first);
    share.put(tile);
    __syncthreads();
#pragma unroll 1
    for (int l = 0; l < W; l++) mine.add(tile.at[l], historic::at<float>(task.b, task.k, task.n, first + l, column));
    __syncthreads(); /* before the next tile is loaded */
  }
  mine.store(task, row, column);
}

template <int W> __global__ __launch_bounds__(4 * W) void prefetch(const historic::Task task) {
  __shared__ Tile<W> tiles[2];
  Tile<W> *now = &tiles[0], *next = &tiles[1];
  const int64_t row = static_cast<int64_t>(blockIdx.y) * W;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * 4 * W + threadIdx.x;
  Share<W> share;
  Column<W> mine;
  share.fetch(task, row, 0);
  share.put(*now);
  __syncthreads();
  for (int64_t first = 0; first < task.k; first += W) {
    share.fetch(task, row, first + W);
#pragma unroll
    for (int l = 0; l < W; l++) mine.add(now->at[l], historic::at<float>(task.b, task.k, task.n, first + l, column));
    share.put(*next); /* which nobody reads since the last barrier */
    __syncthreads();
    Tile<W> *const done = now;
    now = next;
    next = done;
  }
  mine.store(task, row, column);
}

} // namespace

extern "C" cudaError_t tg_historic_launch_essay_outer(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                      int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {outer<4>, outer<8>, outer<16>, outer<32>},
      {prefetch<4>, prefetch<8>, prefetch<16>, prefetch<32>},
  };
  return historic::start(run, shape, kernels[variant]);
}
