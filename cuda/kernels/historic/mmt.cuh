/** @file mmt.cuh
 * Private to cuda/kernels/historic/: what v002 to v007 of R = M·M' share (D. Zhao, 2013, see mmt.c). M and R are d x d,
 * f32. A block of W x W threads computes a tile of R, a thread an element. Both operands are rows of M, whose tiles
 * pass through shared memory, two at a time:
 *
 *          M, d columns               R
 *      +----+----+----+-+        +----------+-+
 *    x | s0 | s1 | s2 |.|      x |   +--+   | |    R(x, y) = sum over s of M(x, s) · M(y, s)'
 *      +----+----+----+-+  ->    |   |  |<-------- block (x, y)
 *    y | s0 | s1 | s2 |.|        |   +--+   | |    for each s: load two tiles, barrier,
 *      +----+----+----+-+        +----------+-+                W multiply-adds a thread, barrier
 *                                     y
 * The variants of one version differ in this alone:
 *
 *   printed     the last tile has d % W columns, which is none where W divides d
 *   corrected   it has what is left
 *   coalesced   corrected, and threadIdx.x counts along the rows of M instead of down: a warp loads neighbours. Rows in
 *               shared memory are one element longer, so that a warp that reads down a column meets no bank twice
 *
 * Bank conflicts: in the first two ways the lanes of a warp read W different rows of a tile at the same column, W words
 * apart. Of 32 banks they meet 32 / W: at W = 8 four, two rows at each; at W = 16 two, eight at each; at W = 32 one. */
#ifndef TG_MMT_CUH
#define TG_MMT_CUH

#include "historic.cuh"
#include "mmt-count.h"

namespace mmt {

/** The variants of launch.h, too. */
enum Way { printed, corrected, coalesced };

/** M and R; indices fit an int up to TG_MMT_MOST rows. */
struct Problem {
  const float *m;
  float *r;
  int d;
};

__device__ __forceinline__ Problem problem_of(const historic::Task &task) {
  return {static_cast<const float *>(task.a), static_cast<float *>(task.c), static_cast<int>(task.m)};
}

/** Columns of the last tile. */
template <Way WAY> __device__ __forceinline__ int last_columns(int d, int width) {
  return static_cast<int>(WAY == printed ? tg_mmt_last_printed(d, width) : tg_mmt_last(d, width));
}

/** A tile of M in shared memory. */
template <int W, Way WAY> struct Tile { float at[W][W + (WAY == coalesced)]; };

/** Where a thread is in its tile, and which element of R is its own. */
struct Place {
  int down, along;
  int i, j;
  bool inside;
};

template <int W, Way WAY> __device__ __forceinline__ Place place_of(int d) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int down = WAY == coalesced ? y : x, along = WAY == coalesced ? x : y;
  const int i = static_cast<int>(blockIdx.x) * W + down, j = static_cast<int>(blockIdx.y) * W + along;
  return {down, along, i, j, i < d && j < d};
}

/** Each thread loads its element of the tile whose first row is `row` and first column s, where M has it. What M has
 * not stays as it was and is not used: no sum runs beyond column d, and no thread beyond row d sums. */
template <int W, Way WAY>
__device__ __forceinline__ void fetch(Tile<W, WAY> &tile, const Problem &of, int row, int s, const Place &at) {
  const int i = row + at.down, j = s + at.along;
  if (i < of.d && j < of.d) tile.at[at.down][at.along] = of.m[i * of.d + j];
}

/** Adds to a thread's element what the first columns of a pair of tiles give. */
template <int W, Way WAY>
__device__ __forceinline__ void add(float &sum, const Tile<W, WAY> &a, const Tile<W, WAY> &b, const Place &at,
                                    int columns) {
  for (int k = 0; k < columns; k++) sum += a.at[at.down][k] * b.at[at.along][k];
}

} // namespace mmt

#endif
