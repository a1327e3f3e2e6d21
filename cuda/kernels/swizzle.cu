/* swizzle: for small C. A is read as it lies, so nothing is laid out first, and k is divided twice: over the two blocks
 * of a cluster where C has few tiles, and in each block over two groups of eight warps, which take the rounds of 32
 * steps in turn. So at m = n = k = 1024 all multiprocessors but four have sixteen warps.
 *
 *   copy engine      A 128 x 32 (swizzled)     B 32 x 128
 *   sixteen warps    group 0: rounds 0, 2, 4 …   group 1: rounds 1, 3, 5 …     8 x 8 elements of C a thread
 *   at the end       groups exchange halves of their sums, then blocks do, through (distributed) shared memory
 *
 * A thread's rows are eight apart, and it reads two steps of a row at a time: the engine has put piece k of row m, 16
 * bytes, at k ^ m, so the eight rows that a warp reads at once lie on different banks.
 *
 * 2mnk operations, 4(mnk/64 + mn) bytes and, split over two blocks, 32 KB a tile between them. Operands that the engine
 * cannot read as they are (transposed, rows not aligned to 16 bytes) are left to bulk and split. */
#include "rung.h"

#include "apart.cuh"
#include "bulk-core.cuh"

namespace {

constexpr int tile = 128, depth = 32, unrolled = 8, groups = 2, stages = 6;
constexpr int width = 8; /* columns of C of a thread, which has eight rows */
constexpr int each = tile * tile / (8 * width), threads = each * groups; /* threads of a group */
constexpr int warps_across = tile / (4 * width);
constexpr uint32_t tile_bytes = tile * depth * sizeof(float);
static_assert(stages % groups == 0, "a group has stages of its own");
static_assert(stages * 2 * tile_bytes >= threads * 8 * width * 3, "sums on their way fit into the stages");

/* Shared memory, as addresses, since pointers take twice the registers: tiles of A, aligned for the swizzle, tiles of
 * B, then the barriers. */
struct Shared {
  uint32_t base;

  static constexpr uint32_t b = stages * tile_bytes, full = 2 * b, bytes = full + 8 * stages;

  __device__ void init() const {
    for (int s = 0; s < stages; s++) tg_barrier_init(base + full + 8 * s, 1);
    tg_barrier_fence();
  }
};

constexpr size_t shared_bytes = Shared::bytes + 1024; /* to align */

/* What the engine brings. */
struct Source {
  const CUtensorMap *a, *b;
  bulk::Place place;
  int begin, rounds; /* of this block of a cluster */

  __device__ __forceinline__ void bring(Shared shared, int round, uint32_t stage) const {
    const uint32_t full = shared.base + Shared::full + 8 * stage, to = shared.base + stage * tile_bytes;
    tg_barrier_expect(full, 2 * tile_bytes);
    tg_copy_box(to, a, (begin + round) * depth, place.row, full);
    tg_copy_box(to + Shared::b, b, place.column, (begin + round) * depth, full);
  }
};

/* What a thread has of A and B: four steps of eight rows, and one step and the next of `width` columns. */
struct Factors {
  float4 a[8], b[2][width / 4];

  __device__ __forceinline__ void load_b(int which, const float *from) {
#pragma unroll
    for (int h = 0; h < width / 4; h++) b[which][h] = *reinterpret_cast<const float4 *>(from + h * 16);
  }
  __device__ __forceinline__ void load_a(int i, const float *from) {
    a[i] = *reinterpret_cast<const float4 *>(from + i * 8 * depth);
  }
};

__device__ __forceinline__ void multiply_row(const Factors &factors, int step, int i, float *sums) {
  const float left = reinterpret_cast<const float *>(&factors.a[i])[step];
  const float *right = reinterpret_cast<const float *>(factors.b[step & 1]);
#pragma unroll
  for (int t = 0; t < width; t++) {
    /* There and back: the operand of the turn is reused. The lower rows begin with the other half of the columns: then
     * fewer factors lie in the bank of their sum. */
    const int j = (i & 1 ? width - 1 - t : t) ^ (i < 4 ? 0 : width / 2);
    sums[j] = fmaf(left, right[j], sums[j]);
  }
}

__device__ __forceinline__ void multiply_rounds(const float *memory, Shared shared, const Source &source,
                                                float (*sums)[width]) {
  const int warp = threadIdx.x % each / 32, lane = threadIdx.x % 32, group = threadIdx.x / each;
  const uint32_t a_mine = (warp / warps_across * 64 + lane / 4) * depth + lane / 4 * 4; /* its piece 0 */
  const uint32_t b_mine = Shared::b / 4 + warp % warps_across * 4 * width + lane % 4 * 4;
  Factors factors;
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < width; j++) sums[i][j] = 0;
  uint32_t stage = group, parity = 0;
  for (int round = group; round < source.rounds; round += groups) {
    /* All of the group have read its stage before: it is filled anew. Nor may warps be far apart in the code: they
     * would drive out each other's instructions. Threads take turns. */
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(each) : "memory");
    const int ahead = round + stages - groups;
    if (threadIdx.x % each == round / groups % (each / 32) * 32 && round >= groups && ahead < source.rounds)
      source.bring(shared, ahead, stage < groups ? stage + stages - groups : stage - groups);
    tg_barrier_wait(shared.base + Shared::full + 8 * stage, parity);
    const uint32_t a_now = a_mine + stage * depth * tile;
    const float *b_now = memory + b_mine + stage * depth * tile;
#pragma unroll
    for (int i = 0; i < 8; i++) factors.load_a(i, memory + a_now);
    factors.load_b(0, b_now);
#pragma unroll 1
    for (uint32_t begin = 0; begin < depth / 4; begin += unrolled) { /* a piece of A: four steps */
#pragma unroll
      for (uint32_t piece = 0; piece < unrolled; piece++) {
        const bool more = piece < unrolled - 1 || begin + unrolled < depth / 4;
        const float *const a_next = memory + (a_now ^ ((begin + piece + 1) * 4));
#pragma unroll
        for (int step = 0; step < 4; step++) {
          if (step < 3 || more) factors.load_b((step & 1) ^ 1, b_now + (4 * piece + step + 1) * tile);
#pragma unroll
          for (int i = 0; i < 8; i++) {
            multiply_row(factors, step, i, sums[i]);
            if (step == 3 && more) factors.load_a(i, a_next);
          }
        }
      }
      b_now += 4 * unrolled * tile;
    }
    if ((stage += groups) >= stages) stage -= stages, parity ^= 1;
  }
}

/* Adds up the groups' and the blocks' sums and stores C. Group g ends with the rows i / 4 = g of every thread, block p
 * of a cluster of two with the rows i = 2p, 2p + 1 of those four. Sums on their way lie [piece][thread]. */
template <int SPLIT>
__device__ __forceinline__ void finish(float *memory, const bulk::Problem &problem, bulk::Place place, int part,
                                       float (*sums)[width]) {
  const int warp = threadIdx.x % each / 32, lane = threadIdx.x % 32, group = threadIdx.x / each;
  float *const for_group = memory, *const for_block = for_group + threads * 4 * width;
  float mine[4][width];
  __syncthreads(); /* all stages have been read */
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int h = 0; h < width / 4; h++) {
      float other[4]; /* what the other group ends with */
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const float upper = tg_apart(sums[i][4 * h + j], problem.zero);
        const float lower = tg_apart(sums[4 + i][4 * h + j], problem.zero);
        other[j] = group ? upper : lower;
        mine[i][4 * h + j] = group ? lower : upper;
      }
      *reinterpret_cast<float4 *>(for_group + ((i * (width / 4) + h) * threads + threadIdx.x) * 4) =
          make_float4(other[0], other[1], other[2], other[3]);
    }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int h = 0; h < width / 4; h++) {
      const float4 other =
          *reinterpret_cast<const float4 *>(for_group + ((i * (width / 4) + h) * threads + (threadIdx.x ^ each)) * 4);
      mine[i][4 * h] += other.x;
      mine[i][4 * h + 1] += other.y;
      mine[i][4 * h + 2] += other.z;
      mine[i][4 * h + 3] += other.w;
    }
  if (SPLIT == 2) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int h = 0; h < width / 4; h++)
        *reinterpret_cast<float4 *>(for_block + ((i * (width / 4) + h) * threads + threadIdx.x) * 4) =
            part ? make_float4(mine[i][4 * h], mine[i][4 * h + 1], mine[i][4 * h + 2], mine[i][4 * h + 3])
                 : make_float4(mine[2 + i][4 * h], mine[2 + i][4 * h + 1], mine[2 + i][4 * h + 2],
                               mine[2 + i][4 * h + 3]);
    tg_cluster_sync();
  }
  const int row0 = place.row + warp / warps_across * 64 + group * 32 + lane / 4,
            column0 = place.column + warp % warps_across * 4 * width + lane % 4 * 4;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (SPLIT == 2 && i / 2 != part) continue;
#pragma unroll
    for (int h = 0; h < width / 4; h++) {
      float4 value = make_float4(mine[i][4 * h], mine[i][4 * h + 1], mine[i][4 * h + 2], mine[i][4 * h + 3]);
      if (SPLIT == 2) {
        const float *address = for_block + ((i % 2 * (width / 4) + h) * threads + threadIdx.x) * 4;
        const float4 other = bulk::load_remote(tg_shared_address(address), part ^ 1);
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
  const int part = blockIdx.x % SPLIT, all = (problem.k + depth - 1) / depth, share = (all + SPLIT - 1) / SPLIT;
  const int begin = min(part * share, all), rounds = min(share, all - begin);
  const bulk::Place place = bulk::place_of(problem, blockIdx.x / SPLIT);
  const Source source = {&a_map, &b_map, place, begin, rounds};
  if (threadIdx.x == 0) {
    shared.init();
    for (int r = 0; r < stages && r < rounds; r++) source.bring(shared, r, r);
  }
  __syncthreads();
  float sums[8][width];
  multiply_rounds(memory, shared, source, sums);
  finish<SPLIT>(memory, problem, place, part, sums);
  if (SPLIT == 2) tg_cluster_sync(); /* no block leaves while the other reads its sums */
}

bool is_aligned(const void *matrix, int64_t row) {
  return reinterpret_cast<uintptr_t>(matrix) % 16 == 0 && row % 4 == 0;
}

bool takes(const TgGemm *gemm) {
  return !gemm->transpose_a && !gemm->transpose_b && is_aligned(gemm->a, gemm->lda) && is_aligned(gemm->b, gemm->ldb);
}

/* How many blocks share a tile: two, where that takes fewer rounds of the multiprocessors. */
cudaError_t choose_split(int64_t tiles, int *split) {
  int device, processors;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  const int64_t one = (tiles + processors - 1) / processors, two = (2 * tiles + processors - 1) / processors;
  *split = two < 2 * one ? 2 : 1;
  return cudaSuccess;
}

template <int SPLIT> cudaError_t start(const TgGemm *gemm) {
  CUtensorMap a_map, b_map;
  const int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  const bulk::Problem problem = {
      static_cast<float *>(gemm->c),  gemm->ldc, m, n, k, (m + tile - 1) / tile, (n + tile - 1) / tile, gemm->add,
      is_aligned(gemm->c, gemm->ldc), 0};
  cudaError_t status = tg_map_matrix(&a_map, gemm->a, TG_F32, m, k, gemm->lda, tile, depth, true);
  if (status == cudaSuccess) status = tg_map_matrix(&b_map, gemm->b, TG_F32, k, n, gemm->ldb, depth, tile, false);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply<SPLIT>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (status != cudaSuccess) return status;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {SPLIT, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(problem.tiles_down * problem.tiles_across * SPLIT));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = static_cast<cudaStream_t>(gemm->stream);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, multiply<SPLIT>, a_map, b_map, problem);
}

} // namespace

extern "C" cudaError_t tg_rung_swizzle(const TgGemm *gemm) {
  int split;
  const cudaError_t status = choose_split(((gemm->m + tile - 1) / tile) * ((gemm->n + tile - 1) / tile), &split);
  if (status != cudaSuccess) return status;
  if (!takes(gemm)) return split == 2 ? bulk::start<2>(gemm) : bulk::start<1>(gemm);
  return split == 2 ? start<2>(gemm) : start<1>(gemm);
}

extern "C" int64_t tg_rung_swizzle_workspace(const TgGemm *gemm) {
  return takes(gemm) ? 0 : bulk::workspace(gemm);
}
