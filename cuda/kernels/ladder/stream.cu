/* stream: bulk, with the multiplications of the last tiles of C divided evenly (stream-K). The device has `slots`
 * blocks at once, and tiles that do not fill its last wave would leave most of them idle: of 576 tiles (n = 3000) on
 * 264 slots the third wave has 48. Here every block takes as many whole tiles as there are for all, and of the last one
 * or two waves, laid end to end along k, an equal run of rounds of 32 steps. A run that begins inside of a tile leaves
 * its sums in the workspace; a second kernel adds them to C, in the order of k. Two waves, not one, are divided, so
 * that a run is no shorter than a tile and the second kernel has at most one run a block to add.
 *
 * 2mnk operations, 4(mnk/64 + mn) bytes, and 16 bytes for each of at most 128 x 128 x slots sums. M. Osama et al.,
 * Stream-K: work-centric parallel decomposition for dense matrix-matrix multiplication on the GPU, PPoPP 2023. */
#include "rung.h"

#include "bulk-core.cuh"
#include "factors.cuh"
#include "stream-deal.h"

namespace {

using bulk::depth;
using bulk::Place;
using bulk::Problem;
using bulk::threads;
using bulk::tile;

constexpr int64_t tile_elements = tile * tile;
constexpr int blocks_a_multiprocessor = 2, stages = 3, unrolled = 16;
constexpr size_t shared_bytes = stages * (bulk::stage_bytes + 16) + sizeof(TgStreamWork);

__device__ __forceinline__ void fill(const CUtensorMap *a_map, const CUtensorMap *b_map, const Problem &problem,
                                     const TgStreamWork &work, int round, uint32_t tiles, uint32_t full) {
  const Place place = bulk::place_of(problem, tg_stream_tile(&work, round));
  const int stage = round % stages, k = tg_stream_within(&work, round) * depth;
  constexpr uint32_t one = depth * tile * sizeof(float);
  tg_barrier_expect(full + 8 * stage, bulk::stage_bytes);
  tg_copy_box(tiles + stage * one, a_map, place.row, k, full + 8 * stage);
  tg_copy_box(tiles + (stages + stage) * one, b_map, place.column, k, full + 8 * stage);
}

/* Rows and columns of a thread: four, and four more. */
struct Lane {
  int row, column;

  __device__ __forceinline__ Lane() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, across = tile / bulk::warp_columns;
    row = warp / across * bulk::warp_rows + lane / bulk::lanes_across * 4;
    column = warp % across * bulk::warp_columns + lane % bulk::lanes_across * 4;
  }
};

/* Stores the sums, in C or in the block's part of the workspace. */
__device__ __forceinline__ void flush(const Problem &problem, const TgStreamWork &work, int round, float *partial,
                                      const Lane &mine, float (*sums)[8]) {
  const bool is_partial = tg_stream_is_partial(&work, round);
  const Place place = bulk::place_of(problem, tg_stream_tile(&work, round));
  float *const own = partial + work.slot * tile_elements;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float value[4];
#pragma unroll
      for (int j = 0; j < 4; j++) value[j] = tg_apart(sums[i][4 * h + j], problem.zero);
      const float4 four = make_float4(value[0], value[1], value[2], value[3]);
      const int row = mine.row + i / 4 * bulk::lanes_down * 4 + i % 4,
                column = mine.column + h * bulk::lanes_across * 4;
      if (is_partial)
        *reinterpret_cast<float4 *>(own + row * tile + column) = four;
      else
        bulk::store(problem, place.row + row, place.column + column, four);
    }
}

__global__ __launch_bounds__(threads, blocks_a_multiprocessor) void multiply(const __grid_constant__ CUtensorMap a_map,
                                                                             const __grid_constant__ CUtensorMap b_map,
                                                                             const __grid_constant__ Problem problem,
                                                                             const __grid_constant__ TgStreamDeal deal,
                                                                             float *partial) {
  extern __shared__ __align__(128) unsigned char shared[];
  float *const a_tiles = reinterpret_cast<float *>(shared), *const b_tiles = a_tiles + stages * depth * tile;
  const uint32_t tiles = tg_shared_address(a_tiles), full = tiles + stages * bulk::stage_bytes;
  /* In shared memory, since its numbers would take registers that the sums need. */
  TgStreamWork &work = *reinterpret_cast<TgStreamWork *>(b_tiles + stages * depth * tile + 2 * stages);
  if (threadIdx.x == 0) {
    work = tg_stream_work(&deal, blockIdx.x);
    for (int s = 0; s < stages; s++) tg_barrier_init(full + 8 * s, 1);
    tg_barrier_fence();
  }
  __syncthreads();
  cudaGridDependencySynchronize(); /* the kernel before this one may still be laying A' out */
  if (threadIdx.x == 0)
    for (int r = 0; r < stages - 1 && r < work.rounds; r++) fill(&a_map, &b_map, problem, work, r, tiles, full);

  const Lane mine;
  float sums[8][8];
  TgFactors factors;
  for (int round = 0; round < work.rounds;) { /* the sums of one tile */
    const int end = min(round + deal.all - tg_stream_within(&work, round), work.rounds);
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) sums[i][j] = 0;
#pragma unroll 1
    for (; round < end; round++) {
      const int stage = round % stages, ahead = round + stages - 1;
      const float *a_now = a_tiles + stage * depth * tile + mine.row, *const a_end = a_now + depth * tile;
      const float *b_now = b_tiles + stage * depth * tile + mine.column;
      /* All have read the stage of the round before: it is filled anew. Nor may warps be far apart in the code: they
       * would drive out each other's instructions. Warps take turns, or one would always be the last. */
      __syncthreads();
      if (threadIdx.x == 32 * (round % bulk::warps) && ahead < work.rounds)
        fill(&a_map, &b_map, problem, work, ahead, tiles, full);
      tg_barrier_wait(full + 8 * stage, round / stages & 1);
      factors.load(0, a_now, b_now);
#pragma unroll 1
      do {
#pragma unroll
        for (int step = 0; step < unrolled; step++) {
          const int slot = step & 1;
          if (step < unrolled - 1) {
            factors.load(slot ^ 1, a_now + (step + 1) * tile, b_now + (step + 1) * tile);
          } else {
            a_now += unrolled * tile;
            b_now += unrolled * tile;
            if (a_now != a_end) factors.load(slot ^ 1, a_now, b_now);
          }
          factors.multiply<true>(slot, sums);
        }
      } while (a_now != a_end);
    }
    flush(problem, work, round - 1, partial, mine, sums);
  }
}

/* C += the runs that began inside of a tile; a tile is 16 blocks, a thread has four neighbours. */
__global__ void add_runs(const __grid_constant__ Problem problem, const __grid_constant__ TgStreamDeal deal,
                         const float *partial) {
  const int row = (blockIdx.y * blockDim.x + threadIdx.x) / (tile / 4), column = threadIdx.x % (tile / 4) * 4;
  const int64_t end = (blockIdx.x + int64_t(1)) * deal.all;
  int slot = tg_stream_inside(&deal, blockIdx.x);
  if (slot == deal.slots) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (; slot < deal.slots && tg_stream_first(&deal, slot) < end; slot++) {
    const float4 run = *reinterpret_cast<const float4 *>(partial + slot * tile_elements + row * tile + column);
    sum = make_float4(sum.x + run.x, sum.y + run.y, sum.z + run.z, sum.w + run.w);
  }
  Problem more = problem;
  more.add = 1;
  const Place place = bulk::place_of(problem, deal.whole * deal.slots + static_cast<int>(blockIdx.x));
  bulk::store(more, place.row + row, place.column + column, sum);
}

cudaError_t count_slots(int *slots) {
  int processors;
  const cudaError_t status = tg_count_processors(&processors);
  *slots = status == cudaSuccess ? processors * blocks_a_multiprocessor : 0;
  return status;
}

} // namespace

extern "C" cudaError_t tg_rung_stream(const TgGemm *gemm) {
  CUtensorMap a_map, b_map;
  Problem problem;
  int slots;
  const cudaStream_t stream = static_cast<cudaStream_t>(gemm->stream);
  cudaError_t status = count_slots(&slots);
  if (status == cudaSuccess) status = bulk::prepare(gemm, &a_map, &b_map, &problem);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (status != cudaSuccess) return status;
  const int64_t tiles = int64_t(problem.tiles_down) * problem.tiles_across;
  const TgStreamDeal deal = tg_stream_deal(tiles, (problem.k + depth - 1) / depth, slots);
  float *const partial = reinterpret_cast<float *>(static_cast<char *>(gemm->workspace) + bulk::workspace(gemm));
  const TgLaunch launch = {deal.slots, threads, shared_bytes, 0, true};
  status = tg_launch(launch, gemm->stream, multiply, a_map, b_map, problem, deal, partial);
  if (status != cudaSuccess || deal.tiles == 0) return status;
  constexpr int at_once = 256;
  add_runs<<<dim3(static_cast<unsigned>(deal.tiles), tile_elements / 4 / at_once), at_once, 0, stream>>>(problem, deal,
                                                                                                         partial);
  return cudaGetLastError();
}

extern "C" int64_t tg_rung_stream_workspace(const TgGemm *gemm) {
  int slots;
  if (count_slots(&slots) != cudaSuccess) return 0;
  return bulk::workspace(gemm) + slots * tile_elements * static_cast<int64_t>(sizeof(float));
}
