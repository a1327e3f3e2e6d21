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

#include "bulk-core.cuh"

namespace {

constexpr int tile = 128, depth = 32, groups = 2, stages = 4, raws = 3;
constexpr int consumers = 256 * groups, threads = consumers + 128; /* one warp brings tiles, three turn them */
constexpr int turners = 96, squares = tile * depth / 16;
constexpr uint32_t tile_bytes = tile * depth * sizeof(float);
constexpr int barriers = 2 * raws + 2 * stages;
constexpr size_t shared_bytes = raws * tile_bytes + 2 * stages * tile_bytes + barriers * sizeof(uint64_t) + 1024;
static_assert(stages * 2 * tile_bytes >= consumers * 128 + consumers * 64, "sums on their way fit into the stages");

/* Shared memory: raw tiles of A, aligned for the swizzle; A' and B of each stage; barriers. */
struct Shared {
  float *raw, *turned, *b;
  uint32_t raw_full, raw_empty, full, empty;

  __device__ Shared() {
    extern __shared__ unsigned char memory[];
    const uint32_t skip = (1024 - tg_shared_address(memory) % 1024) % 1024;
    raw = reinterpret_cast<float *>(memory + skip);
    turned = raw + raws * tile * depth;
    b = turned + stages * tile * depth;
    raw_full = tg_shared_address(b + stages * tile * depth);
    raw_empty = raw_full + 8 * raws;
    full = raw_empty + 8 * raws;
    empty = full + 8 * stages;
  }
  __device__ void init() const {
    for (int r = 0; r < raws; r++) {
      tg_barrier_init(raw_full + 8 * r, 1);
      tg_barrier_init(raw_empty + 8 * r, turners / 32);
    }
    for (int s = 0; s < stages; s++) {
      tg_barrier_init(full + 8 * s, 1 + turners / 32);
      tg_barrier_init(empty + 8 * s, 8);
    }
    tg_barrier_fence();
  }
};

/* The rounds of one block of a cluster. */
struct Share {
  int begin, rounds;
};

__device__ void bring(const Shared &shared, const CUtensorMap *a_map, const CUtensorMap *b_map, bulk::Place place,
                      Share share) {
  for (int r = 0; r < share.rounds; r++) {
    const int raw = r % raws, stage = r % stages, k = (share.begin + r) * depth;
    tg_barrier_wait(shared.raw_empty + 8 * raw, (r / raws & 1) ^ 1);
    tg_barrier_expect(shared.raw_full + 8 * raw, tile_bytes);
    tg_copy_box(tg_shared_address(shared.raw + raw * tile * depth), a_map, k, place.row, shared.raw_full + 8 * raw);
    tg_barrier_wait(shared.empty + 8 * stage, (r / stages & 1) ^ 1);
    tg_barrier_expect(shared.full + 8 * stage, tile_bytes);
    tg_copy_box(tg_shared_address(shared.b + stage * tile * depth), b_map, place.column, k, shared.full + 8 * stage);
  }
}

__device__ void turn(const Shared &shared, Share share) {
  const int thread = threadIdx.x - consumers - 32;
  for (int r = 0; r < share.rounds; r++) {
    const int raw = r % raws, stage = r % stages;
    const float *from = shared.raw + raw * tile * depth;
    float *to = shared.turned + stage * tile * depth;
    tg_barrier_wait(shared.raw_full + 8 * raw, r / raws & 1);
    tg_barrier_wait(shared.empty + 8 * stage, (r / stages & 1) ^ 1);
    for (int square = thread; square < squares; square += turners) {
      const int m = square % 8, k = square / 8 % 8, group = square / 64;
      float4 row[4];
#pragma unroll
      for (int i = 0; i < 4; i++) /* row group * 32 + 8 i + m; its piece k stands at k ^ m */
        row[i] = *reinterpret_cast<const float4 *>(from + (group * 32 + i * 8 + m) * depth + (k ^ m) * 4);
      float *at = to + 4 * k * tile + group * 32 + 4 * m;
      *reinterpret_cast<float4 *>(at) = make_float4(row[0].x, row[1].x, row[2].x, row[3].x);
      *reinterpret_cast<float4 *>(at + tile) = make_float4(row[0].y, row[1].y, row[2].y, row[3].y);
      *reinterpret_cast<float4 *>(at + 2 * tile) = make_float4(row[0].z, row[1].z, row[2].z, row[3].z);
      *reinterpret_cast<float4 *>(at + 3 * tile) = make_float4(row[0].w, row[1].w, row[2].w, row[3].w);
    }
    __syncwarp();
    if (thread % 32 != 0) continue;
    tg_barrier_arrive(shared.raw_empty + 8 * raw);
    tg_barrier_arrive(shared.full + 8 * stage);
  }
}

__device__ __forceinline__ void multiply_rounds(const Shared &shared, Share share, float (*sums)[8]) {
  const int warp = threadIdx.x / 32 % 8, lane = threadIdx.x % 32, group = threadIdx.x / 256;
  const float *const a_mine = shared.turned + warp / 4 * 64 + lane / 4 * 4;
  const float *const b_mine = shared.b + warp % 4 * 32 + lane % 4 * 4;
  float4 a[2][2], b[2][2]; /* this step's and the next one's */
  auto load = [&](int half, int stage, int step) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      a[half][h] = *reinterpret_cast<const float4 *>(a_mine + (stage * depth + step) * tile + h * 32);
      b[half][h] = *reinterpret_cast<const float4 *>(b_mine + (stage * depth + step) * tile + h * 16);
    }
  };
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sums[i][j] = 0;
  if (group >= share.rounds) return;
  tg_barrier_wait(shared.full + 8 * (group % stages), 0);
  load(0, group % stages, 0);
  for (int round = group; round < share.rounds; round += groups) {
    const int stage = round % stages, after = round + groups, next = after % stages;
#pragma unroll
    for (int step = 0; step < depth; step++) {
      if (step < depth - 1) {
        load((step & 1) ^ 1, stage, step + 1);
      } else {
        __syncwarp(); /* lane 0 speaks for all that have read */
        if (lane == 0) tg_barrier_arrive(shared.empty + 8 * stage);
        if (after < share.rounds) {
          tg_barrier_wait(shared.full + 8 * next, after / stages & 1);
          load(0, next, 0);
        }
      }
      const float *left = reinterpret_cast<const float *>(a[step & 1]);
      const float *right = reinterpret_cast<const float *>(b[step & 1]);
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int t = 0; t < 8; t++) {
          const int j = i & 1 ? 7 - t : t; /* there and back: the operand of the turn is reused */
          sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
        }
    }
  }
}

/* Adds up the groups' and the blocks' sums and stores C. Group g ends with the rows h = g of every thread (of four
 * each), block p of a cluster of two with the rows i = 2p, 2p + 1 of those. Sums on their way lie [piece][thread]. */
template <int SPLIT>
__device__ __forceinline__ void finish(const Shared &shared, const bulk::Problem &problem, bulk::Place place, int part,
                                       float (*sums)[8]) {
  const int thread = threadIdx.x % 256, group = threadIdx.x / 256;
  const int warp = thread / 32, lane = thread % 32;
  float *const for_group = shared.turned, *const for_block = for_group + consumers * 32;
  float mine[4][8];
  tg_cluster_sync(); /* all stages have been read */
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float other[4]; /* what the other group ends with */
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const float upper = sums[i][4 * h + j], lower = sums[4 + i][4 * h + j];
        other[j] = group ? upper : lower;
        mine[i][4 * h + j] = group ? lower : upper;
      }
      *reinterpret_cast<float4 *>(for_group + ((i * 2 + h) * consumers + threadIdx.x) * 4) =
          make_float4(other[0], other[1], other[2], other[3]);
    }
  asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const float4 other =
          *reinterpret_cast<const float4 *>(for_group + ((i * 2 + h) * consumers + (threadIdx.x ^ 256)) * 4);
      mine[i][4 * h] += other.x;
      mine[i][4 * h + 1] += other.y;
      mine[i][4 * h + 2] += other.z;
      mine[i][4 * h + 3] += other.w;
    }
  if (SPLIT == 2) {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        *reinterpret_cast<float4 *>(for_block + ((i * 2 + h) * consumers + threadIdx.x) * 4) =
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
        const float *address = for_block + ((i % 2 * 2 + h) * consumers + threadIdx.x) * 4;
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
  const Shared shared;
  const int part = blockIdx.x % SPLIT, all = (problem.k + depth - 1) / depth, each = (all + SPLIT - 1) / SPLIT;
  const int begin = min(part * each, all);
  const Share share = {begin, min(each, all - begin)};
  const bulk::Place place = bulk::place_of(problem, blockIdx.x / SPLIT);
  if (threadIdx.x == 0) shared.init();
  __syncthreads();
  if (threadIdx.x >= consumers) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
#endif
    if (threadIdx.x == consumers) bring(shared, &a_map, &b_map, place, share);
    if (threadIdx.x >= consumers + 32) turn(shared, share);
    __syncwarp();
    tg_cluster_sync();
    if (SPLIT == 2) tg_cluster_sync();
  } else {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 112;");
#endif
    float sums[8][8];
    multiply_rounds(shared, share, sums);
    finish<SPLIT>(shared, problem, place, part, sums);
  }
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
      static_cast<float *>(gemm->c), gemm->ldc, m, n, k, (m + tile - 1) / tile, (n + tile - 1) / tile, gemm->add,
      is_aligned(gemm->c, gemm->ldc)};
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

extern "C" cudaError_t tg_rung_turn(const TgGemm *gemm) {
  int split;
  const cudaError_t status = choose_split(((gemm->m + tile - 1) / tile) * ((gemm->n + tile - 1) / tile), &split);
  if (status != cudaSuccess) return status;
  if (!takes(gemm)) return split == 2 ? bulk::start<2>(gemm) : bulk::start<1>(gemm);
  return split == 2 ? start<2>(gemm) : start<1>(gemm);
}

extern "C" int64_t tg_rung_turn_workspace(const TgGemm *gemm) {
  return takes(gemm) ? 0 : bulk::workspace(gemm);
}
