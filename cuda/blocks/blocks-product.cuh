/** @file blocks-product.cuh
 * The local product of executor `blocks`: one thread block multiplies whole padded blocks that lie in global memory.
 *
 *            TILE_N                    C is cut into tiles. A tile's inner dimension runs in stages of TILE_K: while a
 *          +--------+                  stage is multiplied from shared memory, the next one is on its way to registers,
 *   TILE_K |   B    |                  and is stored into the other half of shared memory (two stages, one barrier).
 *          +--------+
 *   +----+ +--------+                  In shared memory both factors lie with the inner index slowest, so that a thread
 *   | A  | |   C    | TILE_M           reads the elements of its outer product by vectors. A thread's elements of C are
 *   +----+ +--------+                  groups of 4 x 4, a quarter or all of the tile apart (Volkov and Demmel, 2008).
 *
 * Rows and columns of blocks are multiples of 4 and padded with zeros: the only tests are for the ends of tiles. */
#ifndef TG_BLOCKS_PRODUCT_CUH
#define TG_BLOCKS_PRODUCT_CUH

#include "blocks-plan.h"

template <typename T> struct alignas(16) TgFour { T at[4]; };

/** Loads past L1: other processors of the grid write what is read here. */
__device__ inline TgFour<float> tg_load_four(const float *from) {
  float4 v = __ldcg(reinterpret_cast<const float4 *>(from));
  return {{v.x, v.y, v.z, v.w}};
}
__device__ inline TgFour<double> tg_load_four(const double *from) {
  double2 v = __ldcg(reinterpret_cast<const double2 *>(from)), w = __ldcg(reinterpret_cast<const double2 *>(from) + 1);
  return {{v.x, v.y, w.x, w.y}};
}
template <typename T> __device__ inline void tg_store_four(T *to, const TgFour<T> &value) {
  *reinterpret_cast<TgFour<T> *>(to) = value;
}

/** One shape of tile. GROUPS_M x GROUPS_N groups of 4 x 4 elements of C a thread. The pitches are 4 wider than the
 * tile, so that stores of a transposed stage spread over the banks. */
template <typename T, int ROWS, int COLUMNS, int INNER, int GROUPS_M, int GROUPS_N> struct TgTile {
  using Element = T;
  static constexpr int rows = ROWS, columns = COLUMNS, inner = INNER, groups_m = GROUPS_M, groups_n = GROUPS_N;
  static constexpr int across = COLUMNS / (4 * GROUPS_N), threads = ROWS / (4 * GROUPS_M) * across;
  static constexpr int pitch_a = ROWS + 4, pitch_b = COLUMNS + 4;
  static constexpr int stage = INNER * (pitch_a + pitch_b);
  static constexpr int elements = 2 * stage; /* of shared memory */

  /* First row and column of a thread. A warp is 4 x 8 threads: what it reads of either factor at once is at most 128
   * bytes of f32, which shared memory gives in one go. */
  static __device__ int row() { return (threadIdx.x / 32 / (across / 8) * 4 + threadIdx.x % 32 / 8) * 4; }
  static __device__ int column() { return (threadIdx.x / 32 % (across / 8) * 8 + threadIdx.x % 8) * 4; }
};

/** A stage of one factor on its way from global to shared memory, in registers: pieces of four elements. The inner
 * index is the faster one in memory where FAST; it must then be transposed on the way. */
template <typename T, int OUTER, int INNER, int THREADS, bool FAST> struct TgPortion {
  static constexpr int pieces = OUTER * INNER / 4 / THREADS;
  static constexpr int across = FAST ? INNER / 4 : OUTER / 4; /* pieces in a row of memory */
  static constexpr int apart = THREADS / across; /* rows of memory from one piece of a thread to the next */
  static_assert(pieces * THREADS * 4 == OUTER * INNER && THREADS % across == 0, "whole pieces, in columns");
  TgFour<T> piece[pieces];
  const T *at;
  int pitch, fast, slow; /* elements left from the first piece on, along the faster and the slower index */

  /* The factor has `outer` rows if it is the left one, columns if the right one. */
  __device__ void begin(const T *factor, int outer, int inner, int outer0) {
    const int column = threadIdx.x % across * 4, row = threadIdx.x / across;
    pitch = FAST ? inner : outer;
    fast = pitch - column - (FAST ? 0 : outer0);
    slow = (FAST ? outer - outer0 : inner) - row;
    at = factor + (int64_t)(row + (FAST ? outer0 : 0)) * pitch + column + (FAST ? 0 : outer0);
  }
  __device__ void load() {
#pragma unroll
    for (int p = 0; p < pieces; p++) {
      piece[p] = TgFour<T>{};
      if (fast > 0 && p * apart < slow) piece[p] = tg_load_four(at + (int64_t)(p * apart) * pitch);
    }
    (FAST ? fast : slow) -= INNER;
    at += FAST ? INNER : (int64_t)INNER * pitch;
  }
  __device__ void store(T *shared, int shared_pitch) const {
    const int column = threadIdx.x % across * 4, row = threadIdx.x / across;
#pragma unroll
    for (int p = 0; p < pieces; p++) {
      if (!FAST) tg_store_four(shared + (row + p * apart) * shared_pitch + column, piece[p]);
#pragma unroll
      for (int i = 0; i < 4 && FAST; i++) shared[(column + i) * shared_pitch + row + p * apart] = piece[p].at[i];
    }
  }
};

template <typename TILE, typename T> __device__ inline void tg_multiply_stage(const T *a, const T *b, T (*sum)[4][4]) {
  constexpr int apart_m = TILE::rows / TILE::groups_m, apart_n = TILE::columns / TILE::groups_n;
  const int row = TILE::row(), column = TILE::column();
#pragma unroll
  for (int k = 0; k < TILE::inner; k++) {
    TgFour<T> left[TILE::groups_m], right[TILE::groups_n];
#pragma unroll
    for (int g = 0; g < TILE::groups_m; g++)
      left[g] = *reinterpret_cast<const TgFour<T> *>(a + k * TILE::pitch_a + row + g * apart_m);
#pragma unroll
    for (int g = 0; g < TILE::groups_n; g++)
      right[g] = *reinterpret_cast<const TgFour<T> *>(b + k * TILE::pitch_b + column + g * apart_n);
#pragma unroll
    for (int g = 0; g < TILE::groups_m * TILE::groups_n; g++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[g][i][j] += left[g / TILE::groups_n].at[i] * right[g % TILE::groups_n].at[j];
  }
}

template <typename TILE, typename T>
__device__ inline void tg_store_tile(T *c, const T *addend, int rows, int columns, int row0, int column0,
                                     const T (*sum)[4][4]) {
  constexpr int apart_m = TILE::rows / TILE::groups_m, apart_n = TILE::columns / TILE::groups_n;
#pragma unroll
  for (int g = 0; g < TILE::groups_m * TILE::groups_n; g++) {
    const int row = row0 + TILE::row() + g / TILE::groups_n * apart_m;
    const int column = column0 + TILE::column() + g % TILE::groups_n * apart_n;
    if (row >= rows || column >= columns) continue;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int64_t at = (int64_t)(row + i) * columns + column;
      TgFour<T> value = {{sum[g][i][0], sum[g][i][1], sum[g][i][2], sum[g][i][3]}};
      if (addend) {
        const TgFour<T> before = tg_load_four(addend + at);
#pragma unroll
        for (int j = 0; j < 4; j++) value.at[j] += before.at[j];
      }
      tg_store_four(c + at, value);
    }
  }
}

/** One tile of the product that `x`, which lies in shared memory, asks for. What only the end needs is read from `x` at
 * the end: the barriers between keep it from taking registers all the while. */
template <typename TILE, bool LEFT_FAST, bool RIGHT_FAST, typename T>
__device__ inline void tg_product_tile(T *memory, const TgBlocksInstruction &x, int row, int column, T *shared) {
  TgPortion<T, TILE::rows, TILE::inner, TILE::threads, LEFT_FAST> a;
  TgPortion<T, TILE::columns, TILE::inner, TILE::threads, RIGHT_FAST> b;
  T sum[TILE::groups_m * TILE::groups_n][4][4] = {};
  int half = 0;
  a.begin(memory + x.left, x.rows, x.inner, row);
  b.begin(memory + x.right, x.columns, x.inner, column);
  a.load();
  b.load();
  for (int k = x.inner; k > 0; k -= TILE::inner, half ^= TILE::stage) {
    T *const here = shared + half, *const there = here + TILE::inner * TILE::pitch_a;
    a.store(here, TILE::pitch_a);
    b.store(there, TILE::pitch_b);
    __syncthreads();
    if (k > TILE::inner) {
      a.load();
      b.load();
    }
    tg_multiply_stage<TILE>(here, there, sum);
  }
  __syncthreads(); /* the next tile begins in the first half again, which may be the one just read */
  tg_store_tile<TILE>(memory + x.target, x.addend < 0 ? nullptr : memory + x.addend, x.rows, x.columns, row, column,
                      sum);
}

/** target = addend + left * right; the target may be the addend. */
template <typename TILE, bool LEFT_FAST, bool RIGHT_FAST, typename T = typename TILE::Element>
__device__ inline void tg_block_product(T *memory, const TgBlocksInstruction &x, T *shared) {
  for (int row = 0; row < x.rows; row += TILE::rows)
    for (int column = 0; column < x.columns; column += TILE::columns)
      tg_product_tile<TILE, LEFT_FAST, RIGHT_FAST>(memory, x, row, column, shared);
}

#endif
