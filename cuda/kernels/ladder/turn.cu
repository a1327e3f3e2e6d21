/* turn: for small C. A is read as it lies, so nothing is laid out first, and k is divided twice: over the two blocks of
 * a cluster where C has few tiles, and in each block over two groups of eight warps, which take the rounds of 32 steps
 * in turn. So at m = n = k = 1024 all multiprocessors have sixteen warps.
 *
 *   copy engine      raw A 128 x 32 (swizzled)          B 32 x 128
 *   three warps      -> A' 32 x 128, four by four            |
 *   sixteen warps    group 0: rounds 0, 2, 4 …   group 1: rounds 1, 3, 5 …     8 x 8 elements of C a thread
 *   at the end       groups exchange halves of their sums, then blocks do, through (distributed) shared memory
 *
 * A warp turns squares: lane (m, k) reads four pieces of 16 bytes, of rows m, m + 8, m + 16, m + 24, and writes four
 * pieces of their transposes. The engine's swizzle puts rows m of eight lanes on different banks; so within 32 rows the
 * rows of C stand in the order 0, 8, 16, 24, 1, 9, …
 *
 * 2mnk operations, 4(mnk/64 + mn) bytes and, split over two blocks, 32 KB a tile between them. Operands that the engine
 * cannot read as they are (transposed, rows not aligned to 16 bytes) are left to bulk and split. */
#include "rung.h"

#include "apart.cuh"
#include "bulk-core.cuh"
#include "factors.cuh"

namespace {

constexpr int tile = 128, depth = 32, unrolled = 16, groups = 2, stages = 4;
constexpr int multipliers = 256 * groups, threads = multipliers + 128; /* one warp brings tiles, three turn them */
constexpr int turners = 96, squares = tile * depth / 16;
constexpr uint32_t tile_bytes = tile * depth * sizeof(float);
static_assert(stages % groups == 0 && (stages & (stages - 1)) == 0, "a group has stages of its own");
static_assert(stages * 2 * tile_bytes >= multipliers * (128 + 64), "sums on their way fit into the stages");

/* Shared memory, stage by stage: raw tiles of A, aligned for the swizzle; A'; B; then the barriers. Addresses, since
 * pointers take twice the registers. */
struct Shared {
  uint32_t base;

  static constexpr uint32_t raw = 0, turned = stages * tile_bytes, b = 2 * turned;
  static constexpr uint32_t raw_full = 3 * turned, raw_empty = raw_full + 8 * stages, full = raw_empty + 8 * stages;
  static constexpr uint32_t empty = full + 8 * stages, bytes = empty + 8 * stages;

  __device__ void init() const {
    for (int s = 0; s < stages; s++) {
      tg_barrier_init(base + raw_full + 8 * s, 1);
      tg_barrier_init(base + raw_empty + 8 * s, turners);
      tg_barrier_init(base + full + 8 * s, 1 + turners);
      tg_barrier_init(base + empty + 8 * s, 8);
    }
    tg_barrier_fence();
  }
};

constexpr size_t shared_bytes = Shared::bytes + 1024; /* to align */

/* The rounds of one block of a cluster. */
struct Share {
  int begin, rounds;
};

__device__ __forceinline__ void bring(Shared shared, const CUtensorMap *a_map, const CUtensorMap *b_map,
                                      bulk::Place place, Share share) {
  for (int r = 0; r < share.rounds; r++) {
    const uint32_t stage = r % stages, parity = (r / stages & 1) ^ 1, bar = shared.base + 8 * stage;
    const uint32_t to = shared.base + stage * tile_bytes;
    tg_barrier_wait(bar + Shared::raw_empty, parity);
    tg_barrier_expect(bar + Shared::raw_full, tile_bytes);
    tg_copy_box(to + Shared::raw, a_map, (share.begin + r) * depth, place.row, bar + Shared::raw_full);
    tg_barrier_wait(bar + Shared::empty, parity);
    tg_barrier_expect(bar + Shared::full, tile_bytes);
    tg_copy_box(to + Shared::b, b_map, place.column, (share.begin + r) * depth, bar + Shared::full);
  }
}

/* Half a square of A, 4 x 2, by addresses in shared memory: a pointer would take twice the registers. */
__device__ __forceinline__ void turn_half(uint32_t from, uint32_t to) {
  constexpr int apart = 8 * depth * sizeof(float), row = tile * sizeof(float);
  float2 v[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v[i].x), "=f"(v[i].y) : "r"(from + i * apart) : "memory");
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(v[0].x), "f"(v[1].x), "f"(v[2].x), "f"(v[3].x)
               : "memory");
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to + row), "f"(v[0].y), "f"(v[1].y), "f"(v[2].y),
               "f"(v[3].y)
               : "memory");
}

__device__ __forceinline__ void turn(Shared shared, int rounds) {
  for (int r = 0; r < rounds; r++) {
    const uint32_t stage = r % stages, parity = r / stages & 1, bar = shared.base + 8 * stage;
    const uint32_t at = shared.base + stage * tile_bytes;
    tg_barrier_wait(bar + Shared::raw_full, parity);
    tg_barrier_wait(bar + Shared::empty, parity ^ 1);
    /* Not unrolled: a thread that takes few registers leaves the compiler the choice of those of the others. */
#pragma unroll 1
    for (uint32_t half = threadIdx.x - multipliers - 32; half < 2 * squares; half += turners) {
      const uint32_t m = half % 8, k = half / 8 % 8, rows = half / 64 % 4 * 32,
                     right = half / 256; /* row rows + 8 i + m */
      turn_half(at + Shared::raw +
                    ((rows + m) * depth + (k ^ m) * 4 + 2 * right) * 4, /* whose piece k stands at k ^ m */
                at + Shared::turned + ((4 * k + 2 * right) * tile + rows + 4 * m) * 4);
    }
    tg_barrier_arrive(bar + Shared::raw_empty);
    tg_barrier_arrive(bar + Shared::full);
  }
}

__device__ __forceinline__ void multiply_rounds(const float *memory, Shared shared, int rounds, float (*sums)[8]) {
  const int warp = threadIdx.x / 32 % 8, lane = threadIdx.x % 32, group = threadIdx.x / 256;
  const float *const a_mine = memory + Shared::turned / 4 + warp / 4 * 64 + lane / 4 * 4;
  const float *const b_mine = memory + Shared::b / 4 + warp % 4 * 32 + lane % 4 * 4;
  TgFactors factors;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sums[i][j] = 0;
  for (int round = group; round < rounds; round += groups) {
    const int stage = round % stages;
    /* Warps that are far apart in the code drive each other's instructions out of the caches. */
    tg_group_sync(group + 2, 256);
    tg_barrier_wait(shared.base + Shared::full + 8 * stage, round / stages & 1);
    const float *a_now = a_mine + stage * depth * tile, *b_now = b_mine + stage * depth * tile;
    const float *const a_end = a_now + depth * tile;
    factors.load(0, a_now, b_now);
#pragma unroll 1
    do {
#pragma unroll
      for (int step = 0; step < unrolled; step++) {
        if (step < unrolled - 1) {
          factors.load((step & 1) ^ 1, a_now + (step + 1) * tile, b_now + (step + 1) * tile);
        } else {
          a_now += unrolled * tile;
          b_now += unrolled * tile;
          if (a_now != a_end) factors.load((step & 1) ^ 1, a_now, b_now);
        }
        factors.multiply<true>(step & 1, sums);
      }
    } while (a_now != a_end);
    __syncwarp(); /* lane 0 speaks for all that have read */
    if (lane == 0) tg_barrier_arrive(shared.base + Shared::empty + 8 * stage);
  }
}

/* Adds up the groups' sums: group g ends with the rows h = g of every thread (of four each). Sums on their way lie
 * [piece][thread]. */
__device__ __forceinline__ void add_groups(float *for_group, float zero, float (*sums)[8], float (*mine)[8]) {
  const int group = threadIdx.x / 256;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float other[4]; /* what the other group ends with */
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const float upper = tg_apart(sums[i][4 * h + j], zero);
        const float lower = tg_apart(sums[4 + i][4 * h + j], zero);
        other[j] = group ? upper : lower;
        mine[i][4 * h + j] = group ? lower : upper;
      }
      *reinterpret_cast<float4 *>(for_group + ((i * 2 + h) * multipliers + threadIdx.x) * 4) =
          make_float4(other[0], other[1], other[2], other[3]);
    }
  tg_cluster_sync();
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const float4 other =
          *reinterpret_cast<const float4 *>(for_group + ((i * 2 + h) * multipliers + (threadIdx.x ^ 256)) * 4);
      mine[i][4 * h] += other.x;
      mine[i][4 * h + 1] += other.y;
      mine[i][4 * h + 2] += other.z;
      mine[i][4 * h + 3] += other.w;
    }
}

/* Adds up the groups' sums, then the blocks', and stores C: block p of a cluster of two ends with the rows i = 2p,
 * 2p + 1 of a thread's four. */
template <int SPLIT>
__device__ __forceinline__ void finish(float *memory, const bulk::Problem &problem, bulk::Place place, int part,
                                       float (*sums)[8]) {
  const int thread = threadIdx.x % 256, group = threadIdx.x / 256;
  const int warp = thread / 32, lane = thread % 32;
  float *const for_group = memory + Shared::turned / 4, *const for_block = for_group + multipliers * 32;
  float mine[4][8];
  tg_cluster_sync(); /* all stages have been read */
  add_groups(for_group, problem.zero, sums, mine);
  if (SPLIT == 2) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        *reinterpret_cast<float4 *>(for_block + ((i * 2 + h) * multipliers + threadIdx.x) * 4) =
            part ? make_float4(mine[i][4 * h], mine[i][4 * h + 1], mine[i][4 * h + 2], mine[i][4 * h + 3])
                 : make_float4(mine[2 + i][4 * h], mine[2 + i][4 * h + 1], mine[2 + i][4 * h + 2],
                               mine[2 + i][4 * h + 3]);
    tg_cluster_sync();
  }
  const int row0 = place.row + warp / 4 * 64 + group * 32 + lane / 4,
            column0 = place.column + warp % 4 * 32 + lane % 4 * 4;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (SPLIT == 2 && i / 2 != part) continue;
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float4 value = make_float4(mine[i][4 * h], mine[i][4 * h + 1], mine[i][4 * h + 2], mine[i][4 * h + 3]);
      if (SPLIT == 2) {
        const float *address = for_block + ((i % 2 * 2 + h) * multipliers + threadIdx.x) * 4;
        const float4 other = tg_load_remote(tg_shared_address(address), part ^ 1);
        value = make_float4(value.x + other.x, value.y + other.y, value.z + other.z, value.w + other.w);
      }
      bulk::store(problem, row0 + 8 * i, column0 + 16 * h, value);
    }
  }
}

template <int SPLIT>
__global__ __launch_bounds__(threads, 1) void multiply(const __grid_constant__ CUtensorMap a_map,
                                                       const __grid_constant__ CUtensorMap b_map,
                                                       const __grid_constant__ bulk::Problem problem) {
  extern __shared__ unsigned char bytes[];
  const uint32_t skip = (1024 - tg_shared_address(bytes) % 1024) % 1024;
  float *const memory = reinterpret_cast<float *>(bytes + skip);
  const Shared shared = {tg_shared_address(bytes) + skip};
  const int part = blockIdx.x % SPLIT, all = (problem.k + depth - 1) / depth, each = (all + SPLIT - 1) / SPLIT;
  const int begin = min(part * each, all), rounds = min(each, all - begin);
  const bulk::Place place = bulk::place_of(problem, blockIdx.x / SPLIT);
  if (threadIdx.x == 0) shared.init();
  __syncthreads();
  if (threadIdx.x >= multipliers) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
#endif
    if (threadIdx.x == multipliers) bring(shared, &a_map, &b_map, place, Share{begin, rounds});
    if (threadIdx.x >= multipliers + 32) turn(shared, rounds);
    __syncwarp();
    tg_cluster_sync();
    tg_cluster_sync();
    if (SPLIT == 2) tg_cluster_sync();
  } else {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 112;");
#endif
    float sums[8][8];
    multiply_rounds(memory, shared, rounds, sums);
    finish<SPLIT>(memory, problem, place, part, sums);
  }
  if (SPLIT == 2) tg_cluster_sync(); /* no block leaves while the other reads its sums */
}

/* How many blocks share a tile: two, where that takes fewer rounds of the multiprocessors. */
cudaError_t choose_split(int64_t tiles, int *split) {
  int processors;
  const cudaError_t status = tg_count_processors(&processors);
  if (status != cudaSuccess) return status;
  const int64_t one = (tiles + processors - 1) / processors, two = (2 * tiles + processors - 1) / processors;
  *split = two < 2 * one ? 2 : 1;
  return cudaSuccess;
}

template <int SPLIT> cudaError_t start(const TgGemm *gemm) {
  CUtensorMap a_map, b_map;
  const int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  const bulk::Problem problem = bulk::problem_of(gemm, tile, tile);
  cudaError_t status = tg_map_matrix(&a_map, gemm->a, TG_F32, m, k, gemm->lda, tile, depth, true);
  if (status == cudaSuccess) status = tg_map_matrix(&b_map, gemm->b, TG_F32, k, n, gemm->ldb, depth, tile, false);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply<SPLIT>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (status != cudaSuccess) return status;
  const int64_t blocks = static_cast<int64_t>(problem.tiles_down) * problem.tiles_across * SPLIT;
  const TgLaunch launch = {blocks, threads, shared_bytes, SPLIT, false};
  return tg_launch(launch, gemm->stream, multiply<SPLIT>, a_map, b_map, problem);
}

} // namespace

extern "C" cudaError_t tg_rung_turn(const TgGemm *gemm) {
  int split;
  const cudaError_t status = choose_split(((gemm->m + tile - 1) / tile) * ((gemm->n + tile - 1) / tile), &split);
  if (status != cudaSuccess) return status;
  if (!tg_lies_as_read(gemm)) return split == 2 ? bulk::start<2>(gemm) : bulk::start<1>(gemm);
  return split == 2 ? start<2>(gemm) : start<1>(gemm);
}

extern "C" int64_t tg_rung_turn_workspace(const TgGemm *gemm) {
  return tg_lies_as_read(gemm) ? 0 : bulk::workspace(gemm);
}
