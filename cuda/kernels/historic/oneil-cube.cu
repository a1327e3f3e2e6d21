/* O'Neil's DNS on a cube of threads, sections 3.1 and 5: thread (tx, ty, tz) multiplies A(tx, ty) by B(ty, tz), and the
 * terms are summed along ty in shared memory, a half of them at a time, every step written out.
 *
 * As printed, nothing keeps the threads of a warp together between the steps of the sum: for one tz those with ty < 4
 * are one warp, and a warp was taken to run in step. Since compute capability 7.0 (2017) it need not, and the compiler
 * may order the accesses as if it did not: the kernel is right only where both happen to agree. Run adversely, the
 * threads of the first ty end before those of the next begin, which the card is free to do, and the sum misses terms.
 * Corrected: __syncwarp() between the steps.
 *
 * The tiles: a block for every product of two tiles of W x W, with W^3 threads; those of one tile of C add to it
 * atomically, and C is zero before. With `split` a block takes several products in turn, each thread adding up its own
 * terms, and sums once.
 *
 * The cube term[tx][ty][tz] of 8 x 8 x 8 puts all tx of a warp on one bank: 8 accesses for one. The variant `banks`
 * stores it, and A, as the threads are numbered: none waits for another.
 *
 * A block reads 2 W^2 words for 2 W^3 operations, W/4 a byte; a thread multiplies once a tile. */
#include "historic.cuh"

namespace {

constexpr int side = 8;

/* The statements after the second barrier of the printed kernel. */
template <typename T>
__device__ __forceinline__ void printed_sum(T (&term)[side][side][side], T *c, int tx, int ty, int tz) {
  if (ty < 4) {
    term[tx][ty][tz] += term[tx][ty + 4][tz];
    if (ty < 2) term[tx][ty][tz] += term[tx][ty + 2][tz];
    if (ty == 0) c[tx * side + tz] = term[tx][ty][tz] + term[tx][ty + 1][tz];
  }
}

/* ADVERSE: a barrier between the turns of ty, which each thread takes alone. */
template <typename T, bool ADVERSE> __global__ void as_printed(const historic::Task task) {
  __shared__ T a[side][side], b[side][side], term[side][side][side];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  if (tz == 0) {
    a[tx][ty] = static_cast<const T *>(task.a)[tx * side + ty];
    b[tx][ty] = static_cast<const T *>(task.b)[tx * side + ty];
  }
  __syncthreads();
  term[tx][ty][tz] = a[tx][ty] * b[ty][tz];
  __syncthreads();
  if constexpr (ADVERSE) {
    for (int turn = 0; turn < side; turn++) {
      if (ty == turn) printed_sum(term, static_cast<T *>(task.c), tx, ty, tz);
      __syncthreads();
    }
  } else {
    printed_sum(term, static_cast<T *>(task.c), tx, ty, tz);
  }
}

/* The cube of terms, and where a term of it lies. */
template <typename T, int W, bool BANKS> struct Cube {
  T at[W][W][W];

  __device__ __forceinline__ T &operator()(int tx, int ty, int tz) { return BANKS ? at[tz][ty][tx] : at[tx][ty][tz]; }
};

template <typename T, int W, bool BANKS> __global__ __launch_bounds__(W *W *W) void tiles(const historic::Task task) {
  __shared__ T a[W][W], b[W][W];
  __shared__ Cube<T, W, BANKS> term;
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int64_t first = static_cast<int64_t>(blockIdx.x % task.split) * task.rounds * W;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * W;
  const int64_t column = static_cast<int64_t>(blockIdx.x / task.split) * W;
  T mine = 0;
  for (int r = 0; r < task.rounds; r++) {
    const int64_t l = first + static_cast<int64_t>(r) * W;
    if (tz == 0) {
      (BANKS ? a[ty][tx] : a[tx][ty]) = historic::at<T>(task.a, task.m, task.k, row + tx, l + ty);
      b[tx][ty] = historic::at<T>(task.b, task.k, task.n, l + tx, column + ty);
    }
    __syncthreads();
    mine += (BANKS ? a[ty][tx] : a[tx][ty]) * b[ty][tz];
    __syncthreads(); /* before the next tiles are loaded */
  }
  term(tx, ty, tz) = mine;
  __syncthreads();
  /* What is read after the first step lies within a warp: W^2 / 2 neighbours, aligned to as many, 32 at most. */
#pragma unroll
  for (int half = W / 2; half > 0; half /= 2) {
    if (ty < half) term(tx, ty, tz) += term(tx, ty + half, tz);
    __syncwarp();
  }
  if (ty == 0) historic::give(task, row + tx, column + tz, term(tx, 0, tz), task.split > 1);
}

template <int W, bool BANKS> constexpr historic::Instance instance() {
  return {W, {tiles<float, W, BANKS>, tiles<int32_t, W, BANKS>}};
}

} // namespace

extern "C" cudaError_t tg_historic_launch_oneil_cube(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                     int32_t variant) {
  static const historic::Instance printed[] = {{0, {as_printed<float, false>, as_printed<int32_t, false>}}};
  static const historic::Instance adverse[] = {{0, {as_printed<float, true>, as_printed<int32_t, true>}}};
  static const historic::Instance plain[] = {instance<2, false>(), instance<4, false>(), instance<8, false>()};
  static const historic::Instance banks[] = {instance<2, true>(), instance<4, true>(), instance<8, true>()};
  const historic::Task task = historic::task_of(run, shape);
  if (variant == 0)
    return run->adverse ? historic::start(adverse, task, run, shape) : historic::start(printed, task, run, shape);
  return variant == 3 ? historic::start_sums(banks, task, run, shape) : historic::start_sums(plain, task, run, shape);
}
