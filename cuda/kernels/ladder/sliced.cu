/* sliced: for small C. Tiles of 64 x 128 are as many at m = n = 1024 as an H200 has multiprocessors, less four; the
 * sixteen warps that each of them needs come from slicing k: four groups of four warps take the rounds of 32 steps in
 * turn, and their sums meet in shared memory at the end. No cluster, and no kernel before this one.
 *
 *   registers, turned     A' 32 x 64, of the group's next round      8 x 8 elements of C a thread
 *   copy engine           B 32 x 128
 *   at the end            a thread of group g keeps two of its eight rows and adds the other groups' sums to them
 *
 * A thread brings four pieces of 16 bytes of A a round, between its multiply-adds, and stores each as a column of A';
 * with four words of padding a row the lanes of a warp, sixteen rows and two pieces, meet all banks.
 *
 * 2mnk operations, 4(3mnk/128 + mn) bytes; of 2206 instructions a round 2048 are multiply-adds. It takes whole tiles of
 * A, 64 rows and 32 steps, and rows aligned to 16 bytes; the others are left to turn. */
#include "rung.h"

#include "apart.cuh"
#include "bulk-core.cuh"
#include "factors.cuh"

namespace {

constexpr int rows = 64, columns = 128, depth = 32, groups = 4, stages = 2; /* of a group */
constexpr int each = rows * columns / 64, threads = each * groups;          /* threads of a group */
constexpr int pitch = rows + 4, kept = 8 / groups;                          /* rows of a thread */
constexpr uint32_t a_bytes = pitch * depth * 4, b_bytes = columns * depth * 4, stage_bytes = a_bytes + b_bytes;
constexpr uint32_t group_bytes = stages * stage_bytes, full = groups * group_bytes;
constexpr size_t shared_bytes = full + groups * stages * 8;
static_assert(stages == 2, "a group has the stage that it reads and the one that it fills");
static_assert(a_bytes % 128 == 0, "what the copy engine fills is aligned");
static_assert(group_bytes >= each * 64 * 4, "a group's sums fit into its stages");

/* What a thread brings of A, and the block's leaders of B. */
struct Source {
  const char *a;         /* its first piece of round 0 */
  int64_t sixteen, jump; /* bytes: to the next piece, sixteen rows on; from a round's fifth to the group's next round */
  const CUtensorMap *b;
  int column, rounds;

  __device__ __forceinline__ void bring_b(uint32_t base, int round, int group, int stage) const {
    const uint32_t barrier = base + full + 8 * (group * stages + stage);
    tg_barrier_expect(barrier, b_bytes);
    tg_copy_box(base + group * group_bytes + stage * stage_bytes + a_bytes, b, column, round * depth, barrier);
  }
};

/* In assembly, to stay where it is written: the compiler would fetch all pieces at once, into more registers. */
__device__ __forceinline__ float4 fetch(const char *from) {
  float4 piece;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(piece.x), "=f"(piece.y), "=f"(piece.z), "=f"(piece.w)
               : "l"(from));
  return piece;
}

/* Piece NUMBER of a round. A barrier stands between this and all that read it, so the loads around it may move. */
template <int NUMBER> __device__ __forceinline__ void lay(uint32_t to, float4 piece) {
  constexpr int at = NUMBER * 64;
  asm volatile("st.shared.f32 [%0 + %1], %2;" ::"r"(to), "n"(at), "f"(piece.x));
  asm volatile("st.shared.f32 [%0 + %1], %2;" ::"r"(to), "n"(at + pitch * 4), "f"(piece.y));
  asm volatile("st.shared.f32 [%0 + %1], %2;" ::"r"(to), "n"(at + pitch * 8), "f"(piece.z));
  asm volatile("st.shared.f32 [%0 + %1], %2;" ::"r"(to), "n"(at + pitch * 12), "f"(piece.w));
}

__device__ __forceinline__ void group_sync(int group) {
  tg_group_sync(group + 1, each);
}

/* The rounds of one group. `piece`: those of A of its first. */
__device__ __forceinline__ void multiply_rounds(const float *memory, uint32_t base, const Source &source,
                                                const float4 *piece, float (*sums)[8]) {
  const int group = __shfl_sync(~0u, threadIdx.x / each, 0);
  const int warp = threadIdx.x % each / 32, lane = threadIdx.x % 32;
  uint32_t a_at = (group * group_bytes) / 4 + lane / 4 * 4;
  uint32_t b_at = (group * group_bytes + a_bytes) / 4 + warp * 32 + lane % 4 * 4;
  uint32_t to = base + group * group_bytes + ((8 * warp + lane / 16 * 4) * pitch + lane % 16) * 4;
  uint32_t barrier = base + full + 8 * stages * group, parity = 0;
  int32_t other = stage_bytes; /* to the other stage */
  const char *from = source.a + group * depth * 4 + 4 * source.sixteen + source.jump;
  TgFactors factors;
  lay<0>(to, piece[0]), lay<1>(to, piece[1]), lay<2>(to, piece[2]), lay<3>(to, piece[3]);
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) sums[i][j] = 0;
  for (int round = group; round < source.rounds; round += groups) {
    const bool more = round + groups < source.rounds;
    float4 next;
    group_sync(group); /* the other stage has been read, and A' is in this one */
    if (round >= groups && more && threadIdx.x % each == 0) source.bring_b(base, round + groups, group, other > 0);
    tg_barrier_wait(barrier, parity);
    barrier ^= 8;
    if (other < 0) parity ^= 1;
    to += other;
    if (!more) from -= groups * depth * 4; /* what nobody reads, but is there */
    factors.load(0, memory + a_at, memory + b_at);
#pragma unroll
    for (int step = 0; step < depth; step++) {
      if (step % 8 == 0) next = fetch(from), from += source.sixteen;
      if (step == 7) lay<0>(to, next);
      if (step == 15) lay<1>(to, next);
      if (step == 23) lay<2>(to, next);
      if (step == 31) lay<3>(to, next);
      if (step < depth - 1)
        factors.load((step & 1) ^ 1, memory + a_at + (step + 1) * pitch, memory + b_at + (step + 1) * columns);
      factors.multiply<false>(step & 1, sums);
    }
    from += source.jump;
    a_at += other / 4;
    b_at += other / 4;
    other = -other;
  }
  /* Racecheck takes a block's barrier for none where its groups have met in barriers of their own unequally often. */
  if (group >= source.rounds % groups && source.rounds % groups > 0) group_sync(group);
}

/* Adds up the groups' sums and stores C. Sums on their way lie [piece][thread] in the stages of their group. */
__device__ __forceinline__ void finish(float *memory, const bulk::Problem &problem, bulk::Place place,
                                       float (*sums)[8]) {
  const int thread = threadIdx.x % each, warp = thread / 32, lane = thread % 32, group = threadIdx.x / each;
  float *const to = memory + group * (group_bytes / 4);
  float4 mine[kept][2];
  group_sync(group); /* all of its stages have been read */
#pragma unroll
  for (int g = 0; g < groups; g++)
#pragma unroll
    for (int r = 0; r < kept; r++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const float *four = &sums[g * kept + r][4 * h];
        const float4 value = make_float4(tg_apart(four[0], problem.zero), tg_apart(four[1], problem.zero),
                                         tg_apart(four[2], problem.zero), tg_apart(four[3], problem.zero));
        if (g == group)
          mine[r][h] = value;
        else
          *reinterpret_cast<float4 *>(to + (((g * kept + r) * 2 + h) * each + thread) * 4) = value;
      }
  __syncthreads();
#pragma unroll
  for (int o = 1; o < groups; o++) {
    const float *const from = memory + (group ^ o) * (group_bytes / 4);
#pragma unroll
    for (int r = 0; r < kept; r++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const float4 theirs =
            *reinterpret_cast<const float4 *>(from + (((group * kept + r) * 2 + h) * each + thread) * 4);
        float4 *const sum = &mine[r][h];
        *sum = make_float4(sum->x + theirs.x, sum->y + theirs.y, sum->z + theirs.z, sum->w + theirs.w);
      }
  }
  const int row = place.row + group * kept / 4 * 32 + lane / 4 * 4 + group * kept % 4;
  const int column = place.column + warp * 32 + lane % 4 * 4;
#pragma unroll
  for (int r = 0; r < kept; r++)
#pragma unroll
    for (int h = 0; h < 2; h++) bulk::store(problem, row + r, column + 16 * h, mine[r][h]);
}

__global__ __launch_bounds__(threads, 1) void multiply(const char *a, int64_t row_bytes, int64_t sixteen, int64_t jump,
                                                       const __grid_constant__ CUtensorMap b_map,
                                                       const __grid_constant__ bulk::Problem problem) {
  extern __shared__ __align__(128) unsigned char bytes[];
  float *const memory = reinterpret_cast<float *>(bytes);
  const uint32_t base = tg_shared_address(bytes);
  const int group = threadIdx.x / each, warp = threadIdx.x % each / 32, lane = threadIdx.x % 32;
  const bulk::Place place = bulk::place_of(problem, blockIdx.x, rows, columns);
  a += (place.row + lane % 16) * row_bytes + (warp * 8 + lane / 16 * 4) * 4;
  const Source source = {a, sixteen, jump, &b_map, place.column, problem.k / depth};
  float4 piece[4] = {};
  if (group < source.rounds) /* first of all: it takes longest */
#pragma unroll
    for (int p = 0; p < 4; p++) piece[p] = fetch(a + group * depth * 4 + p * sixteen);
  if (threadIdx.x % each == 0) {
    for (int s = 0; s < stages; s++) tg_barrier_init(base + full + 8 * (group * stages + s), 1);
    tg_barrier_fence();
    for (int s = 0; s < stages && group + s * groups < source.rounds; s++)
      source.bring_b(base, group + s * groups, group, s);
  }
  __syncthreads();
  float sums[8][8];
  multiply_rounds(memory, base, source, piece, sums);
  finish(memory, problem, place, sums);
}

bool takes(const TgGemm *gemm) {
  return tg_lies_as_read(gemm) && gemm->m % rows == 0 && gemm->k % depth == 0 && gemm->k > 0;
}

} // namespace

extern "C" cudaError_t tg_rung_sliced(const TgGemm *gemm) {
  if (!takes(gemm)) return tg_rung_turn(gemm);
  CUtensorMap b_map;
  const bulk::Problem problem = bulk::problem_of(gemm, rows, columns);
  cudaError_t status = tg_map_matrix(&b_map, gemm->b, TG_F32, gemm->k, gemm->n, gemm->ldb, depth, columns, false);
  if (status == cudaSuccess)
    status = cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (status != cudaSuccess) return status;
  const int64_t row_bytes = gemm->lda * 4;
  multiply<<<static_cast<unsigned>(problem.tiles_down * problem.tiles_across), threads, shared_bytes,
             static_cast<cudaStream_t>(gemm->stream)>>>(static_cast<const char *>(gemm->a), row_bytes, 16 * row_bytes,
                                                        groups * depth * 4 - 64 * row_bytes, b_map, problem);
  return cudaGetLastError();
}

extern "C" int64_t tg_rung_sliced_workspace(const TgGemm *gemm) {
  return takes(gemm) ? 0 : tg_rung_turn_workspace(gemm);
}
