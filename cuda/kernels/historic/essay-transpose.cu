/* The essay's transposes: blocks of W x W/4 threads, four elements each, of a tile of W x W. `repeats` moves all of it
 * again within the launch, as the essay's nreps does, so that the launch can be told from the work. Pointers may be
 * alias of each other for all that the compiler knows: it may not leave a repetition out.
 *
 * copy: the same loop without the exchange, what a transpose can reach.
 * naive: a thread takes elements of a column of A to a row of C; neighbours store one row of C apart.
 * unpadded: a tile in shared memory, so that both loads and stores are along rows; its columns lie on one bank.
 * shared: the tile has a column of padding.
 *
 * 8 bytes an element, each read and written once. */
#include "historic.cuh"

namespace {

constexpr int each = 4;

/* Where a thread's first element lies: tile, row and column. */
template <int W> struct Spot {
  static constexpr int step = W / each;
  int64_t tile_row, tile_column;
  int tx, ty;

  __device__ __forceinline__ Spot()
      : tile_row(static_cast<int64_t>(blockIdx.y) * W), tile_column(static_cast<int64_t>(blockIdx.x) * W),
        tx(threadIdx.x), ty(threadIdx.y) {}
};

template <int W> __global__ void copy(const historic::Task task) {
  const Spot<W> spot;
  const float *from = static_cast<const float *>(task.a);
  float *to = static_cast<float *>(task.c);
  const int64_t column = spot.tile_column + spot.tx;
  for (int r = 0; r < task.repeats; r++)
    for (int i = 0; i < W; i += spot.step) {
      const int64_t row = spot.tile_row + spot.ty + i;
      if (row < task.m && column < task.n) to[row * task.n + column] = from[row * task.n + column];
    }
}

template <int W> __global__ void naive(const historic::Task task) {
  const Spot<W> spot;
  const float *from = static_cast<const float *>(task.a);
  float *to = static_cast<float *>(task.c);
  const int64_t column = spot.tile_column + spot.tx;
  for (int r = 0; r < task.repeats; r++)
    for (int i = 0; i < W; i += spot.step) {
      const int64_t row = spot.tile_row + spot.ty + i;
      if (row < task.m && column < task.n) to[column * task.m + row] = from[row * task.n + column];
    }
}

template <int W, int PADDING> __global__ void through_tile(const historic::Task task) {
  __shared__ float tile[W][W + PADDING];
  const Spot<W> spot;
  const float *from = static_cast<const float *>(task.a);
  float *to = static_cast<float *>(task.c);
  const int64_t column = spot.tile_column + spot.tx, transposed = spot.tile_row + spot.tx;
  for (int r = 0; r < task.repeats; r++) {
    for (int i = 0; i < W; i += spot.step) {
      const int64_t row = spot.tile_row + spot.ty + i;
      if (row < task.m && column < task.n) tile[spot.ty + i][spot.tx] = from[row * task.n + column];
    }
    __syncthreads();
    for (int i = 0; i < W; i += spot.step) {
      const int64_t row = spot.tile_column + spot.ty + i; /* of C */
      if (row < task.n && transposed < task.m) to[row * task.m + transposed] = tile[spot.tx][spot.ty + i];
    }
    __syncthreads(); /* before the tile is filled again */
  }
}

} // namespace

extern "C" cudaError_t tg_historic_launch_essay_transpose(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                          int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {copy<4>, copy<8>, copy<16>, copy<32>},
      {naive<4>, naive<8>, naive<16>, naive<32>},
      {through_tile<4, 0>, through_tile<8, 0>, through_tile<16, 0>, through_tile<32, 0>},
      {through_tile<4, 1>, through_tile<8, 1>, through_tile<16, 1>, through_tile<32, 1>},
  };
  return historic::start(run, shape, kernels[variant]);
}
