/* tensor: f32 products on the tensor cores, an emulation. Each f32 x is taken as two TF32 numbers of 11 bits, high = x
 * rounded and low = x - high rounded, and a·b as low·high + high·low + high·high: what is left out, low·low and what
 * low rounds off, is below 2^-21 of |a||b|, and of either sign. The tensor cores cut off what does not fit into a sum,
 * always towards zero, so sums there are short: of 32 steps of k, the small products first. They are added up by
 * ordinary additions, as many as k / 32. So the error is smaller than that of k multiply-adds in f32.
 *
 * B is split beforehand, 12 bytes an element, and lies there as the tensor cores read it. A comes as it is: a warpgroup
 * splits the 64 x 32 elements that it multiplies on their way into registers, while the other one keeps the tensor
 * cores busy. A stage of 32 steps is 48 KB for 128 x 128 elements of C. Where its tiles fill waves badly, k is
 * divided over the two or four blocks of a cluster, which add their sums through distributed shared memory.
 *
 * Three products at 2048 operations a cycle: at most 178 Tflop/s on the 132 multiprocessors of an H200 at 1980 MHz,
 * against 67 for multiply-adds. Values near the largest f32 may become infinite and infinite ones NaN; those near the
 * smallest lose bits. M. Fasi et al., SIAM J. Sci. Comput. 45(1), 2023; on the sums H. Ootomo, R. Yokota, Int. J. High
 * Perform. Comput. Appl. 36(4), 2022. */
#include "rung.h"

#include "copy-engine.cuh"
#include "launch.cuh"
#include "remote.cuh"
#include "tensor-layout.cuh"
#include "wgmma.cuh"

namespace {

using tensor::rows, tensor::columns, tensor::depth;

constexpr int stages = 4, group = 8;
constexpr int each = 128, threads = 3 * each; /* of a warpgroup; one brings the tiles, two multiply, 64 rows each */
constexpr int warps = 8;                      /* that multiply */
constexpr int steps = depth / 8, eights = columns / 8;
constexpr uint32_t a_bytes = rows * depth * sizeof(float), b_bytes = columns * depth * sizeof(float);
constexpr uint32_t stage_bytes = a_bytes + 2 * b_bytes;
constexpr size_t shared_bytes = stages * stage_bytes + 2 * stages * sizeof(uint64_t) + 1024 /* to align */;

struct Problem {
  float *c;
  int64_t ldc;
  int m, n, k;
  int tiles_down, tiles_across;
  int add;
  int pairs; /* C takes stores of 8 bytes */
};

/* What a thread gives to the products of a round: of rows r and r + 8 of its warp's 16, a quarter of the columns. */
struct Fragments {
  uint32_t high[steps][4], low[steps][4];

  __device__ __forceinline__ void split(const float (&values)[steps][4]) {
#pragma unroll
    for (int s = 0; s < steps; s++)
#pragma unroll
      for (int v = 0; v < 4; v++) {
        high[s][v] = tg_tf32(values[s][v]);
        low[s][v] = tg_tf32(values[s][v] - __uint_as_float(high[s][v]));
      }
  }
};

/* `tile`: of A in a stage, rows of 128 bytes whose 16-byte pieces are exchanged; `mine`: where the thread's first value
 * would be, were its row's number 0 modulo 8, with that number where the piece's is. */
__device__ __forceinline__ void load_a(uint32_t tile, uint32_t mine, float (&values)[steps][4]) {
#pragma unroll
  for (int s = 0; s < steps; s++)
#pragma unroll
    for (int v = 0; v < 4; v++) {
      const uint32_t piece = 2 * s + v / 2, below = v % 2 * 8 * 128;
      asm volatile("ld.shared.f32 %0, [%1];"
                   : "=f"(values[s][v])
                   : "r"(tile + (mine ^ (piece << 4)) + below)
                   : "memory");
    }
}

/* --- multiplying -------------------------------------------------------------------------------------------------- */

__device__ __forceinline__ void place(const Problem &problem, int tile, int *row, int *column) {
  int per_group = group * problem.tiles_across, first = tile / per_group * group;
  int down = min(group, problem.tiles_down - first), inside = tile % per_group;
  *row = (first + inside % down) * rows;
  *column = inside / down * columns;
}

/* Two neighbours of a row of C. */
__device__ __forceinline__ void store(const Problem &problem, int row, int column, float first, float second) {
  if (row >= problem.m || column >= problem.n) return;
  float *c = problem.c + row * problem.ldc + column;
  if (problem.pairs && column + 1 < problem.n) {
    float2 old = problem.add ? *reinterpret_cast<float2 *>(c) : make_float2(0, 0);
    *reinterpret_cast<float2 *>(c) = make_float2(old.x + first, old.y + second);
    return;
  }
  c[0] = problem.add ? c[0] + first : first;
  if (column + 1 < problem.n) c[1] = problem.add ? c[1] + second : second;
}

/* The stages of a block, and the barriers of each: it is full, all warps have read it. */
struct Stages {
  uint32_t base, full, empty;
};

/* A block's tile of C, and its rounds. */
struct Work {
  int row, column, begin, rounds;
};

__device__ __forceinline__ void bring(const Stages &stage_at, const Work &work, const CUtensorMap *a,
                                      const CUtensorMap *b_high, const CUtensorMap *b_low) {
  for (int round = 0; round < work.rounds; round++) {
    const int stage = round % stages, from = (work.begin + round) * depth;
    const uint32_t to = stage_at.base + stage * stage_bytes, barrier = stage_at.full + 8 * stage;
    tg_barrier_wait(stage_at.empty + 8 * stage, (round / stages & 1) ^ 1);
    tg_barrier_expect(barrier, stage_bytes);
    tg_copy_box(to, a, from, work.row, barrier);
    tg_copy_box(to + a_bytes, b_high, from, work.column, barrier);
    tg_copy_box(to + a_bytes + b_bytes, b_low, from, work.column, barrier);
  }
}

/* sums += what a warpgroup, 0 or 1, has of the block's rounds. */
__device__ __forceinline__ void multiply_rounds(const Stages &stage_at, const Work &work, int warpgroup,
                                                float (&sums)[4 * eights]) {
  const int thread = threadIdx.x % each, lane = thread % 32;
  const uint32_t mine = (warpgroup * 64 + thread / 32 * 16 + lane / 4) * 128 + (lane / 4 << 4) + lane % 4 * 4;
  float now[4 * eights], values[steps][4];
  Fragments a;
  if (work.rounds > 0) {
    tg_barrier_wait(stage_at.full, 0);
    load_a(stage_at.base, mine, values);
  }
  for (int round = 0; round < work.rounds; round++) {
    const int stage = round % stages, next = (round + 1) % stages;
    const uint32_t b = stage_at.base + stage * stage_bytes + a_bytes;
    const uint64_t high = tg_wgmma_tile(b), low = tg_wgmma_tile(b + b_bytes);
    a.split(values);
    tg_wgmma_fence();
#pragma unroll
    for (int s = 0; s < steps; s++) tg_wgmma_tf32(now, a.low[s], high + 2 * s, s);
#pragma unroll
    for (int s = 0; s < steps; s++) tg_wgmma_tf32(now, a.high[s], low + 2 * s, 1);
#pragma unroll
    for (int s = 0; s < steps; s++) tg_wgmma_tf32(now, a.high[s], high + 2 * s, 1);
    tg_wgmma_commit();
    if (round + 1 < work.rounds) {
      tg_barrier_wait(stage_at.full + 8 * next, (round + 1) / stages & 1);
      load_a(stage_at.base + next * stage_bytes, mine, values);
    }
    tg_wgmma_wait<0>();
    tg_wgmma_keep(now);
#pragma unroll
    for (int s = 0; s < steps; s++) tg_wgmma_keep(values[s]);
    if (lane == 0) tg_barrier_arrive(stage_at.empty + 8 * stage);
#pragma unroll
    for (int i = 0; i < 4 * eights; i++) sums[i] += now[i];
  }
}

/* Adds up what the blocks of a cluster have, a part of the columns each, and stores it. `memory`: all of it has been
 * read. */
template <int PARTS>
__device__ __forceinline__ void finish(uint32_t memory, const Problem &problem, const Work &work, int part,
                                       const float (&sums)[4 * eights]) {
  constexpr int kept = eights / PARTS;
  const int thread = threadIdx.x - each, lane = thread % 32;
  const uint32_t to = memory + thread * 16;
  const int row = work.row + thread / 32 * 16 + lane / 4;
  const int column = work.column + part * kept * 8 + lane % 4 * 2;
  float4 mine[kept];
  if (PARTS > 1) tg_group_sync(1, threads - each);
#pragma unroll
  for (int j = 0; j < eights; j++) {
    const float4 value = make_float4(sums[4 * j], sums[4 * j + 1], sums[4 * j + 2], sums[4 * j + 3]);
    if (PARTS == 1 || j / kept == part)
      mine[j % kept] = value;
    else
      tg_store_shared(to + j * (threads - each) * 16, value);
  }
  if (PARTS > 1) tg_cluster_sync();
#pragma unroll
  for (int o = 1; o < PARTS; o++)
#pragma unroll
    for (int j = 0; j < kept; j++) {
      const float4 theirs = tg_load_remote(to + (part * kept + j) * (threads - each) * 16, part ^ o);
      mine[j] = make_float4(mine[j].x + theirs.x, mine[j].y + theirs.y, mine[j].z + theirs.z, mine[j].w + theirs.w);
    }
  if (PARTS > 1) tg_cluster_sync(); /* no block leaves while another reads its sums */
#pragma unroll
  for (int j = 0; j < kept; j++) {
    store(problem, row, column + 8 * j, mine[j].x, mine[j].y);
    store(problem, row + 8, column + 8 * j, mine[j].z, mine[j].w);
  }
}

template <int PARTS>
__global__ __launch_bounds__(threads, 1) void multiply(const __grid_constant__ CUtensorMap a,
                                                       const __grid_constant__ CUtensorMap b_high,
                                                       const __grid_constant__ CUtensorMap b_low,
                                                       const __grid_constant__ Problem problem) {
  extern __shared__ unsigned char shared[];
  const uint32_t base = (tg_shared_address(shared) + 1023) & ~1023u;
  const Stages stage_at = {base, base + stages * stage_bytes, base + stages * stage_bytes + 8 * stages};
  const int warpgroup = threadIdx.x / each, part = blockIdx.x % PARTS;
  const int all = (problem.k + depth - 1) / depth, share = (all + PARTS - 1) / PARTS;
  Work work = {0, 0, min(part * share, all), 0};
  work.rounds = min(share, all - work.begin);
  place(problem, blockIdx.x / PARTS, &work.row, &work.column);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; s++) {
      tg_barrier_init(stage_at.full + 8 * s, 1);
      tg_barrier_init(stage_at.empty + 8 * s, warps);
    }
    tg_barrier_fence();
  }
  __syncthreads();
  if (warpgroup == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 0) return;
    cudaGridDependencySynchronize(); /* the kernel before this one may still be laying B out */
    bring(stage_at, work, &a, &b_high, &b_low);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float sums[4 * eights];
#pragma unroll
  for (int i = 0; i < 4 * eights; i++) sums[i] = 0;
  multiply_rounds(stage_at, work, warpgroup - 1, sums);
  finish<PARTS>(base, problem, work, part, sums);
}

template <int PARTS> cudaError_t start(const TgGemm *gemm, const Problem &problem) {
  tensor::Maps maps;
  cudaError_t status = tensor::prepare(gemm, &maps);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply<PARTS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (status != cudaSuccess) return status;
  const int64_t blocks = static_cast<int64_t>(problem.tiles_down) * problem.tiles_across * PARTS;
  const TgLaunch launch = {blocks, threads, shared_bytes, PARTS > 1 ? PARTS : 0, true};
  return tg_launch(launch, gemm->stream, multiply<PARTS>, maps.a, maps.b_high, maps.b_low, problem);
}

/* Into how many parts k is divided, so that the tiles take the least time: in rounds, of which a tile takes some more
 * to begin and to end. A cluster of two finds room everywhere, one of four does not: an H200 has up to 18
 * multiprocessors in a group of them, where four clusters of four fit. */
int parts_of(int64_t tiles, int rounds, int processors) {
  static const struct { int parts, more; } splits[] = {{1, 4}, {2, 6}, {4, 7}};
  int best = 1;
  int64_t least = INT64_MAX;
  for (const auto &split : splits) {
    const int64_t at_once = split.parts == 4 ? processors / 18 * 4 : processors / split.parts;
    if (at_once == 0 || rounds < 4 * split.parts) continue;
    const int64_t time = (tiles + at_once - 1) / at_once * ((rounds + split.parts - 1) / split.parts + split.more);
    if (time < least) least = time, best = split.parts;
  }
  return best;
}

} // namespace

extern "C" int64_t tg_rung_tensor_workspace(const TgGemm *gemm) {
  return tensor::workspace(gemm);
}

extern "C" cudaError_t tg_rung_tensor(const TgGemm *gemm) {
  const int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  Problem problem = {static_cast<float *>(gemm->c),
                     gemm->ldc,
                     m,
                     n,
                     k,
                     (m + rows - 1) / rows,
                     (n + columns - 1) / columns,
                     gemm->add,
                     gemm->ldc % 2 == 0 && reinterpret_cast<uintptr_t>(gemm->c) % 8 == 0};
  int processors = 0;
  const cudaError_t status = tg_count_processors(&processors);
  if (status != cudaSuccess) return status;
  const int64_t tiles = static_cast<int64_t>(problem.tiles_down) * problem.tiles_across;
  switch (parts_of(tiles, (k + depth - 1) / depth, processors)) {
  case 4:
    return start<4>(gemm, problem);
  case 2:
    return start<2>(gemm, problem);
  default:
    return start<1>(gemm, problem);
  }
}
