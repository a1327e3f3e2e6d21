/* tensor: f32 products on the tensor cores, an emulation. Each f32 x is taken as two TF32 numbers of 11 bits,
 * high = x rounded and low = x - high rounded, and a·b as high·low + low·high + high·high: what is left out, low·low
 * and what low rounds off, is below 2^-21 of |a||b|. The tensor cores add without rounding to nearest, an error that
 * grows with the length of the sum; so sums of 1024 products are added to C by ordinary additions. Measured error:
 * about 7e-6 of the norm at any k (f32 multiply-adds: 1e-7·sqrt(k)).
 *
 * Three products at half the rate of bf16 ones: at most a sixth of that rate, 130 to 165 Tflop/s on an H200, against 67
 * for multiply-adds. A stage of 32 steps of k is 96 KB for 128 x 256 elements of C. Values near the largest f32 may
 * become infinite, those near the smallest lose bits. M. Fasi et al., SIAM J. Sci. Comput. 45(1), 2023. */
#include "rung.h"

#include "copy-engine.cuh"
#include "launch.cuh"
#include "wgmma.cuh"

namespace {

constexpr int rows = 128, columns = 256, depth = 32, stages = 2, threads = 384, group = 8;
constexpr int chunk = 1024 / depth; /* rounds between additions to C */
constexpr uint32_t a_bytes = rows * depth * sizeof(float), b_bytes = columns * depth * sizeof(float);
constexpr uint32_t stage_bytes = 2 * a_bytes + 2 * b_bytes;
constexpr size_t shared_bytes = stages * stage_bytes + 2 * stages * sizeof(uint64_t) + 1024 /* to align */;

struct Problem {
  float *c;
  int64_t ldc;
  int m, n, k;
  int tiles_down, tiles_across;
  int add;
  int pairs; /* C takes stores of 8 bytes */
};

/* --- splitting ---------------------------------------------------------------------------------------------------- */

__device__ __forceinline__ float to_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}

constexpr int side = 32, rows_at_once = 8;

/* high + low = source, or its transpose: 12 bytes an element. `lines` x `length` is what is written, k along `length`.
 */
template <bool TURNED>
__global__ void split(const float *__restrict__ source, int64_t source_row, float *__restrict__ high,
                      float *__restrict__ low, int64_t row, int lines, int length) {
  __shared__ float square[side][side + 1];
  int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y; /* of what is written */
  if (TURNED) {
    int from_x = blockIdx.y * side + threadIdx.x, from_y = blockIdx.x * side + threadIdx.y;
    for (int i = 0; i < side; i += rows_at_once)
      if (from_x < lines && from_y + i < length)
        square[threadIdx.y + i][threadIdx.x] = source[(from_y + i) * source_row + from_x];
    __syncthreads();
  }
  for (int i = 0; i < side; i += rows_at_once) {
    if (x >= length || y + i >= lines) continue;
    float value = TURNED ? square[threadIdx.x][threadIdx.y + i] : source[(y + i) * source_row + x];
    float first = to_tf32(value);
    high[(y + i) * row + x] = first;
    low[(y + i) * row + x] = to_tf32(value - first);
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
__device__ __forceinline__ void store(const Problem &problem, int row, int column, float first, float second,
                                      bool add) {
  if (row >= problem.m || column >= problem.n) return;
  float *c = problem.c + row * problem.ldc + column;
  if (problem.pairs && column + 1 < problem.n) {
    float2 old = add ? *reinterpret_cast<float2 *>(c) : make_float2(0, 0);
    *reinterpret_cast<float2 *>(c) = make_float2(old.x + first, old.y + second);
    return;
  }
  c[0] = add ? c[0] + first : first;
  if (column + 1 < problem.n) c[1] = add ? c[1] + second : second;
}

/* One warpgroup brings the tiles, two multiply, 64 rows each. */
__global__ __launch_bounds__(threads, 1) void multiply(const __grid_constant__ CUtensorMap a_high,
                                                       const __grid_constant__ CUtensorMap a_low,
                                                       const __grid_constant__ CUtensorMap b_high,
                                                       const __grid_constant__ CUtensorMap b_low,
                                                       const __grid_constant__ Problem problem) {
  extern __shared__ unsigned char shared[];
  const uint32_t base = (tg_shared_address(shared) + 1023) & ~1023u;
  const uint32_t full = base + stages * stage_bytes, empty = full + 8 * stages;
  const int warpgroup = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; s++) {
      tg_barrier_init(full + 8 * s, 1);
      tg_barrier_init(empty + 8 * s, 2);
    }
    tg_barrier_fence();
  }
  __syncthreads();
  const int tiles = problem.tiles_down * problem.tiles_across, rounds = (problem.k + depth - 1) / depth;
  int stage = 0, row, column;
  uint32_t parity = 0;
  if (warpgroup == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 0) return;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      place(problem, tile, &row, &column);
      for (int round = 0; round < rounds; round++) {
        const uint32_t to = base + stage * stage_bytes, barrier = full + 8 * stage;
        tg_barrier_wait(empty + 8 * stage, parity ^ 1);
        tg_barrier_expect(barrier, stage_bytes);
        tg_copy_box(to, &a_high, round * depth, row, barrier);
        tg_copy_box(to + a_bytes, &a_low, round * depth, row, barrier);
        tg_copy_box(to + 2 * a_bytes, &b_high, round * depth, column, barrier);
        tg_copy_box(to + 2 * a_bytes + b_bytes, &b_low, round * depth, column, barrier);
        stage = stage + 1 == stages ? 0 : stage + 1;
        parity ^= stage == 0;
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float sums[128];
  const int thread = threadIdx.x % 128, half = (warpgroup - 1) * (rows / 2);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    place(problem, tile, &row, &column);
    for (int begin = 0; begin < rounds; begin += chunk) {
      int last = -1; /* the stage that the products still under way read */
      for (int round = begin; round < rounds && round < begin + chunk; round++) {
        const uint32_t at = base + stage * stage_bytes;
        tg_barrier_wait(full + 8 * stage, parity);
        const uint64_t ah = tg_wgmma_tile(at + half * 128), al = tg_wgmma_tile(at + a_bytes + half * 128);
        const uint64_t bh = tg_wgmma_tile(at + 2 * a_bytes), bl = tg_wgmma_tile(at + 2 * a_bytes + b_bytes);
        tg_wgmma_fence();
#pragma unroll
        for (int step = 0; step < depth / 8; step++) {
          tg_wgmma_tf32(sums, al + 2 * step, bh + 2 * step, (round - begin) | step);
          tg_wgmma_tf32(sums, ah + 2 * step, bl + 2 * step, 1);
          tg_wgmma_tf32(sums, ah + 2 * step, bh + 2 * step, 1);
        }
        tg_wgmma_commit();
        tg_wgmma_wait<1>();
        if (last >= 0 && thread == 0) tg_barrier_arrive(empty + 8 * last);
        last = stage;
        stage = stage + 1 == stages ? 0 : stage + 1;
        parity ^= stage == 0;
      }
      tg_wgmma_wait<0>();
      if (thread == 0) tg_barrier_arrive(empty + 8 * last);
      const bool add = begin > 0 || problem.add;
      const int r = row + half + thread / 32 * 16 + thread % 32 / 4, c = column + thread % 4 * 2;
#pragma unroll
      for (int j = 0; j < columns / 8; j++) {
        store(problem, r, c + 8 * j, sums[4 * j], sums[4 * j + 1], add);
        store(problem, r + 8, c + 8 * j, sums[4 * j + 2], sums[4 * j + 3], add);
      }
    }
  }
}

/* --- both --------------------------------------------------------------------------------------------------------- */

int64_t padded(int64_t k) {
  return (k + 3) / 4 * 4;
}

int64_t bytes(int64_t lines, int64_t k) {
  return (lines * padded(k) * static_cast<int64_t>(sizeof(float)) + 255) / 256 * 256;
}

cudaError_t lay_out(const void *source, int64_t source_row, bool turned, int lines, int k, unsigned char *to, int box,
                    CUtensorMap *high_map, CUtensorMap *low_map, cudaStream_t stream) {
  auto *high = reinterpret_cast<float *>(to), *low = reinterpret_cast<float *>(to + bytes(lines, k));
  dim3 grid(static_cast<unsigned>((k + side - 1) / side), static_cast<unsigned>((lines + side - 1) / side));
  auto kernel = turned ? split<true> : split<false>;
  kernel<<<grid, dim3(side, rows_at_once), 0, stream>>>(static_cast<const float *>(source), source_row, high, low,
                                                        padded(k), lines, k);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) status = tg_map_matrix(high_map, high, TG_F32, lines, k, padded(k), box, depth, true);
  if (status == cudaSuccess) status = tg_map_matrix(low_map, low, TG_F32, lines, k, padded(k), box, depth, true);
  return status;
}

} // namespace

extern "C" int64_t tg_rung_tensor_workspace(const TgGemm *gemm) {
  return 2 * (bytes(gemm->m, gemm->k) + bytes(gemm->n, gemm->k));
}

extern "C" cudaError_t tg_rung_tensor(const TgGemm *gemm) {
  CUtensorMap a_high, a_low, b_high, b_low;
  auto stream = static_cast<cudaStream_t>(gemm->stream);
  auto *space = static_cast<unsigned char *>(gemm->workspace);
  int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  Problem problem = {static_cast<float *>(gemm->c),
                     gemm->ldc,
                     m,
                     n,
                     k,
                     (m + rows - 1) / rows,
                     (n + columns - 1) / columns,
                     gemm->add,
                     gemm->ldc % 2 == 0 && reinterpret_cast<uintptr_t>(gemm->c) % 8 == 0};
  cudaError_t status = lay_out(gemm->a, gemm->lda, gemm->transpose_a, m, k, space, rows, &a_high, &a_low, stream);
  if (status == cudaSuccess)
    status = lay_out(gemm->b, gemm->ldb, !gemm->transpose_b, n, k, space + 2 * bytes(m, k), columns, &b_high, &b_low,
                     stream);
  int processors = 0;
  if (status == cudaSuccess) status = tg_count_processors(&processors);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (status != cudaSuccess) return status;
  int blocks =
      problem.tiles_down * problem.tiles_across < processors ? problem.tiles_down * problem.tiles_across : processors;
  multiply<<<static_cast<unsigned>(blocks), threads, shared_bytes, stream>>>(a_high, a_low, b_high, b_low, problem);
  return cudaGetLastError();
}
