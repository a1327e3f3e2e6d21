/** @file bulk-core.cuh
 * Private to cuda/kernels/: the kernel of bulk.cu and split.cu. C (m x n) = A·B in f32 from A', which is k x m, and B,
 * k x n: both lie as the multiply-adds read them, so that the copy engine fills the tiles and no register carries a
 * load.
 *
 * A block of 256 threads computes 128 x 128 elements of C, a thread 8 x 8 of them: per step of k, 64 multiply-adds for
 * 4 loads of 16 bytes, so at most 94% of the issue slots are multiply-adds. Two stages of 32 steps (64 KB), two blocks
 * a multiprocessor: 16 warps hide the latency of shared memory.
 *
 * SPLIT blocks of a cluster share a tile of C, each an equal part of k; their sums meet in distributed shared memory,
 * in the order of the parts. */
#ifndef TG_BULK_CORE_CUH
#define TG_BULK_CORE_CUH

#include "apart.cuh"
#include "copy-engine.cuh"
#include "factors.cuh"
#include "launch.cuh"
#include "remote.cuh"

namespace bulk {

constexpr int tile = 128, depth = 32, stages = 2, threads = 256, warps = threads / 32;
constexpr int warp_rows = 64, warp_columns = 32; /* of C */
constexpr int lanes_down = warp_rows / 8, lanes_across = warp_columns / 8;
constexpr int group = 8; /* rows of tiles that are walked together, so that the cache holds what they share */
constexpr uint32_t stage_bytes = 2 * tile * depth * sizeof(float);
constexpr size_t shared_bytes = stages * stage_bytes + 2 * stages * sizeof(uint64_t);
/* More than half of a multiprocessor has. Blocks start while the layout of A still fills most multiprocessors, and
 * where there are few, two would share one and leave others empty. */
constexpr size_t alone_bytes = 116 * 1024;
static_assert(lanes_down * lanes_across == 32, "a warp's lanes cover its part of the tile");

struct Problem {
  float *c;
  int64_t ldc;
  int m, n, k;
  int tiles_down, tiles_across;
  int add;    /* C += */
  int whole;  /* C takes stores of 16 bytes */
  float zero; /* 0: what the compiler cannot know, see apart.cuh */
};

struct Place {
  int row, column; /* of the tile's first element */
};

__device__ __forceinline__ Place place_of(const Problem &problem, int number, int tile_rows = tile,
                                          int tile_columns = tile) {
  int per_group = group * problem.tiles_across, first = number / per_group * group;
  int rows = min(group, problem.tiles_down - first), inside = number % per_group;
  return {(first + inside % rows) * tile_rows, inside / rows * tile_columns};
}

/* Four neighbours of a row of C. */
__device__ __forceinline__ void store(const Problem &problem, int row, int column, float4 value) {
  if (row >= problem.m) return;
  float *c = problem.c + row * problem.ldc + column;
  if (problem.whole && column + 4 <= problem.n) {
    float4 old = problem.add ? *reinterpret_cast<float4 *>(c) : make_float4(0, 0, 0, 0);
    *reinterpret_cast<float4 *>(c) = make_float4(value.x + old.x, value.y + old.y, value.z + old.z, value.w + old.w);
    return;
  }
  const float values[] = {value.x, value.y, value.z, value.w};
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (column + i < problem.n) c[i] = values[i] + (problem.add ? c[i] : 0.0f);
}

/* Stores a thread's sums, the first of which is at this row and column of the tile; with SPLIT blocks to a tile each
 * adds up and stores its part of it. `mine`: room for a tile. */
template <int SPLIT>
__device__ __forceinline__ void finish(float *mine, const Problem &problem, Place place, int part, int row, int column,
                                       float (*sums)[8]) {
  auto four = [&](int i, int h) {
    return make_float4(sums[i][4 * h], sums[i][4 * h + 1], sums[i][4 * h + 2], sums[i][4 * h + 3]);
  };
  auto four_apart = [&](int i, int h) {
    return make_float4(tg_apart(sums[i][4 * h], problem.zero), tg_apart(sums[i][4 * h + 1], problem.zero),
                       tg_apart(sums[i][4 * h + 2], problem.zero), tg_apart(sums[i][4 * h + 3], problem.zero));
  };
  if (SPLIT == 1) {
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        store(problem, place.row + row + i / 4 * lanes_down * 4 + i % 4, place.column + column + h * lanes_across * 4,
              four(i, h));
    return;
  }
  __syncthreads(); /* all stages have been read: 128 x 128 sums fit into them */
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int h = 0; h < 2; h++)
      *reinterpret_cast<float4 *>(mine + (row + i / 4 * lanes_down * 4 + i % 4) * tile + column +
                                  h * lanes_across * 4) = four_apart(i, h);
  tg_cluster_sync();
  constexpr int rows = tile / SPLIT; /* each block sums and stores so many */
  for (int i = threadIdx.x; i < rows * tile / 4; i += threads) {
    const int r = part * rows + i / (tile / 4), c = i % (tile / 4) * 4;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int block = 0; block < SPLIT; block++) {
      const float4 value = tg_load_remote(tg_shared_address(mine + r * tile + c), block);
      sum = make_float4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
    }
    store(problem, place.row + r, place.column + c, sum);
  }
  tg_cluster_sync(); /* no block leaves while another reads its sums */
}

template <int SPLIT>
__global__ __launch_bounds__(threads, 2) void multiply(const __grid_constant__ CUtensorMap a_map,
                                                       const __grid_constant__ CUtensorMap b_map,
                                                       const __grid_constant__ Problem problem) {
  extern __shared__ __align__(128) unsigned char shared[];
  float *a_tiles = reinterpret_cast<float *>(shared), *b_tiles = a_tiles + stages * depth * tile;
  uint64_t *barriers = reinterpret_cast<uint64_t *>(b_tiles + stages * depth * tile);
  const uint32_t full = tg_shared_address(barriers), empty = tg_shared_address(barriers + stages);
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int lane_down = lane / lanes_across, lane_across = lane % lanes_across;
  const int warp_down = warp / (tile / warp_columns), warp_across = warp % (tile / warp_columns);
  const int part = blockIdx.x % SPLIT;
  const Place place = place_of(problem, blockIdx.x / SPLIT);
  const int all = (problem.k + depth - 1) / depth, share = (all + SPLIT - 1) / SPLIT;
  const int begin = min(part * share, all), rounds = min(share, all - begin);

  if (thread == 0) {
    for (int s = 0; s < stages; s++) {
      tg_barrier_init(full + 8 * s, 1);
      tg_barrier_init(empty + 8 * s, warps);
    }
    tg_barrier_fence();
  }
  __syncthreads();
  cudaGridDependencySynchronize(); /* the kernel before this one may still be laying A' out */

  auto fill = [&](int stage, int round) {
    tg_barrier_expect(full + 8 * stage, stage_bytes);
    tg_copy_box(tg_shared_address(a_tiles + stage * depth * tile), &a_map, place.row, (begin + round) * depth,
                full + 8 * stage);
    tg_copy_box(tg_shared_address(b_tiles + stage * depth * tile), &b_map, place.column, (begin + round) * depth,
                full + 8 * stage);
  };
  if (thread == 0)
    for (int s = 0; s < stages && s < rounds; s++) fill(s, s);

  float sums[8][8];
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sums[i][j] = 0;

  /* A thread's 8 rows and columns are two groups of four, so that a warp's loads are whole lines of shared memory. */
  const float *a_mine = a_tiles + warp_down * warp_rows + lane_down * 4;
  const float *b_mine = b_tiles + warp_across * warp_columns + lane_across * 4;
  TgFactors factors;
  int stage = 0;
  uint32_t parity = 0;
  if (rounds > 0) {
    tg_barrier_wait(full, 0);
    factors.load(0, a_mine, b_mine);
  }
  for (int round = 0; round < rounds; round++) {
    const float *a_now = a_mine + stage * depth * tile, *b_now = b_mine + stage * depth * tile;
    const int next = stage + 1 == stages ? 0 : stage + 1;
    const uint32_t next_parity = stage + 1 == stages ? parity ^ 1 : parity;
#pragma unroll
    for (int step = 0; step < depth; step++) {
      const int slot = step & 1;
      if (step < depth - 1) {
        factors.load(slot ^ 1, a_now + (step + 1) * tile, b_now + (step + 1) * tile);
      } else {
        __syncwarp(); /* lane 0 speaks for all that have read */
        if (lane == 0) tg_barrier_arrive(empty + 8 * stage);
        if (round + 1 < rounds) {
          tg_barrier_wait(full + 8 * next, next_parity);
          factors.load(slot ^ 1, a_mine + next * depth * tile, b_mine + next * depth * tile);
        }
      }
      if (step == depth / 2 && round > 0 && round - 1 + stages < rounds && thread == 0) {
        const int read =
            stage == 0 ? stages - 1 : stage - 1; /* in the last round; all warps are through with it soon */
        tg_barrier_wait(empty + 8 * read, stage == 0 ? parity ^ 1 : parity);
        fill(read, round - 1 + stages);
      }
      factors.multiply<false>(slot, sums);
    }
    stage = next;
    parity = next_parity;
  }

  const int row = warp_down * warp_rows + lane_down * 4, column = warp_across * warp_columns + lane_across * 4;
  finish<SPLIT>(a_tiles, problem, place, part, row, column, sums);
}

/** The product in tiles of rows x columns. */
inline Problem problem_of(const TgGemm *gemm, int rows, int columns) {
  const int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n);
  return {static_cast<float *>(gemm->c),
          gemm->ldc,
          m,
          n,
          static_cast<int>(gemm->k),
          (m + rows - 1) / rows,
          (n + columns - 1) / columns,
          gemm->add,
          tg_is_aligned(gemm->c, gemm->ldc),
          0};
}

/** Bytes of workspace for the operands that do not lie as the kernel reads them. */
int64_t workspace(const TgGemm *gemm);

/** Lays the operands out where need be, and fills in maps and problem. */
cudaError_t prepare(const TgGemm *gemm, CUtensorMap *a_map, CUtensorMap *b_map, Problem *problem);

template <int SPLIT> cudaError_t start(const TgGemm *gemm) {
  CUtensorMap a_map, b_map;
  Problem problem;
  cudaError_t status = prepare(gemm, &a_map, &b_map, &problem);
  if (status != cudaSuccess) return status;
  const int64_t blocks = static_cast<int64_t>(problem.tiles_down) * problem.tiles_across * SPLIT;
  int processors;
  status = tg_count_processors(&processors);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply<SPLIT>, cudaFuncAttributeMaxDynamicSharedMemorySize, alone_bytes);
  if (status != cudaSuccess) return status;
  const TgLaunch launch = {blocks, threads, blocks <= processors ? alone_bytes : shared_bytes, SPLIT > 1 ? SPLIT : 0,
                           true};
  return tg_launch(launch, gemm->stream, multiply<SPLIT>, a_map, b_map, problem);
}

} // namespace bulk

#endif
