/* Executor `blocks` on cards from compute capability 9.0, f32: products of tiles that the copy engine brings, from
 * blocks that lie with their inner index slowest. 128 x 128 elements of C by 256 threads, 8 x 8 each, in rounds of 32
 * steps of k; two stages of 32 KB, filled row by row (512 bytes a copy) by the lanes of warp 0, and two blocks a
 * multiprocessor. Rounds go on from tile to tile without a break: while C is stored, the next tile's first stages come.
 *
 *   stage   0: A' 32 x 128   B 32 x 128        full[stage]: filled;  empty[stage]: read by all eight warps
 *           1: A' 32 x 128   B 32 x 128
 *
 * Per product of blocks of 512: 16 tiles of 16 rounds; 8192 cycles of multiply-adds a round for two blocks, in which
 * 2 x 32 KB come. Copies aside: up to four pieces of 16 bytes a thread and round. */
#include "blocks-core.cuh"

#include "copy-engine.cuh"

namespace bulk {

constexpr int tile = 128, depth = 32, stages = 2, threads = 256, warps = threads / 32;
constexpr int lanes_down = 8, lanes_across = 4, warps_across = 4;
constexpr int pieces_most = 4,
              apart = depth / pieces_most; /* pieces of a copy aside in a round, and steps between them */
constexpr int stage_elements = 2 * depth * tile;
constexpr int shared_bytes = stages * stage_elements * sizeof(float) + 2 * stages * sizeof(uint64_t);

struct Barriers {
  uint32_t full, empty; /* of stage 0 */

  __device__ explicit Barriers(float *shared)
      : full(tg_shared_address(shared + stages * stage_elements)), empty(full + 8 * stages) {}
};

__device__ __forceinline__ void copy_row(float *to, const float *from, uint32_t bytes, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   tg_shared_address(to)),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

/** The product of one instruction, cut into tiles and rounds. */
struct Work {
  const TgBlocksInstruction &x;
  float *memory, *shared;
  int across, rounds, tiles;

  __device__ Work(float *blocks, const TgBlocksInstruction &instruction, float *stages_begin)
      : x(instruction), memory(blocks), shared(stages_begin), across((x.columns + tile - 1) / tile),
        rounds((x.inner + depth - 1) / depth), tiles((x.rows + tile - 1) / tile * across) {}
  __device__ int row(int number) const { return number / across * tile; }
  __device__ int column(int number) const { return number % across * tile; }
  __device__ int steps(int round) const { return min(depth, x.inner - round * depth); }

  /* Round `round` of all tiles into the stage of round `number` since the kernel began. By all lanes of a warp. */
  __device__ void fill(uint32_t number, int round) const {
    const Barriers barriers(shared);
    const int stage = number % stages, lane = threadIdx.x % 32;
    const int at = round / rounds, k = round % rounds * depth, has = steps(round % rounds);
    const int rows = min(tile, x.rows - row(at)), columns = min(tile, x.columns - column(at));
    const uint32_t full = barriers.full + 8 * stage;
    tg_barrier_wait(barriers.empty + 8 * stage, (number / stages & 1) ^ 1);
    if (lane == 0) tg_barrier_expect(full, has * (rows + columns) * sizeof(float));
    __syncwarp();
    if (lane >= has) return;
    float *to = shared + stage * stage_elements + lane * tile;
    copy_row(to, memory + x.left + static_cast<int64_t>(k + lane) * x.rows + row(at), rows * sizeof(float), full);
    copy_row(to + depth * tile, memory + x.right + static_cast<int64_t>(k + lane) * x.columns + column(at),
             columns * sizeof(float), full);
  }
};

/** The copies aside, from the tile on at which they begin. */
struct Aside {
  const TgAside *aside;
  float4 *memory;
  int64_t all;  /* pieces */
  int each = 0; /* of a thread in a round; 0: none now */
  float4 piece;

  __device__ Aside(float *blocks, const TgAside *copies) : aside(copies), memory(reinterpret_cast<float4 *>(blocks)) {
    all = 0;
    for (int c = 0; c < aside->count; c++) all += aside->pieces[c];
  }
  __device__ int each_from(const Work &work, int start) const {
    const int64_t rounds = static_cast<int64_t>(work.tiles - start) * (work.x.inner / depth);
    const int64_t each = rounds > 0 ? (all + rounds * threads - 1) / (rounds * threads) : pieces_most + 1;
    return each <= pieces_most ? static_cast<int>(each) : 0;
  }
  __device__ void begin_at(const Work &work, int start) { each = each_from(work, start); }

  /* Piece `i` of this thread in the full round of that number, counted from the start. */
  __device__ __forceinline__ int64_t place(int64_t round, int i, bool target) const {
    const int64_t number = (round * each + i) * threads + threadIdx.x, first = aside->pieces[0];
    if (number >= all) return -1;
    const int c = number >= first ? 1 : 0;
    return (target ? aside->target[c] : aside->source[c]) / 4 + number - (c ? first : 0);
  }
  __device__ __forceinline__ void load(int64_t round, int i) {
    if (i >= each) return;
    const int64_t from = place(round, i, false);
    if (from >= 0) piece = __ldcg(memory + from);
  }
  __device__ __forceinline__ void store(int64_t round, int i) const {
    if (i >= each) return;
    const int64_t to = place(round, i, true);
    if (to >= 0) memory[to] = piece;
  }
};

/** Where a thread's elements of C lie in a tile, and of their factors in a stage. */
struct Lane {
  int row, column;

  __device__ Lane() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / warps_across * lanes_down * 8 + lane / lanes_across * 4;
    column = warp % warps_across * lanes_across * 8 + lane % lanes_across * 4;
  }
};

struct Sums {
  float at[8][8];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) at[i][j] = 0;
  }
  __device__ __forceinline__ void multiply(const float4 *a, const float4 *b) {
    const float *row = reinterpret_cast<const float *>(a), *column = reinterpret_cast<const float *>(b);
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int t = 0; t < 8; t++) {
        const int j = i & 1 ? 7 - t : t; /* there and back: the operand of the turn is reused */
        at[i][j] = fmaf(row[i], column[j], at[i][j]);
      }
  }
  /* Rows and columns of blocks are multiples of four: of four neighbours all lie in the block, or none. */
  __device__ void store(const Work &work, int number) const {
    const TgBlocksInstruction &x = work.x;
    const Lane lane;
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int row = work.row(number) + lane.row + i / 4 * lanes_down * 4 + i % 4;
        const int column = work.column(number) + lane.column + h * lanes_across * 4;
        if (row >= x.rows || column >= x.columns) continue;
        const int64_t offset = static_cast<int64_t>(row) * x.columns + column;
        float4 value = make_float4(at[i][4 * h], at[i][4 * h + 1], at[i][4 * h + 2], at[i][4 * h + 3]);
        if (x.addend >= 0) {
          const float4 before = __ldcg(reinterpret_cast<const float4 *>(work.memory + x.addend + offset));
          value = make_float4(value.x + before.x, value.y + before.y, value.z + before.z, value.w + before.w);
        }
        *reinterpret_cast<float4 *>(work.memory + x.target + offset) = value;
      }
  }
};

__device__ __forceinline__ void load(float4 *a, float4 *b, const float *a_from, const float *b_from) {
#pragma unroll
  for (int h = 0; h < 2; h++) {
    a[h] = *reinterpret_cast<const float4 *>(a_from + h * lanes_down * 4);
    b[h] = *reinterpret_cast<const float4 *>(b_from + h * lanes_across * 4);
  }
}

/** target = addend + left' * right, target may be the addend; `number`: rounds since the kernel began, before and
 * after. Returns the copies that were executed along with it. */
__device__ __noinline__ int multiply(const TgBlocksRun &run, const TgBlocksInstruction &instruction, float *shared,
                                     TgAside *aside, uint32_t *number_of_rounds) {
  const Work work(static_cast<float *>(run.memory), instruction, shared);
  const Barriers barriers(shared);
  const Lane mine;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, total = work.tiles * work.rounds;
  const uint32_t base = *number_of_rounds;
  Aside copies(work.memory, aside);
  if (threadIdx.x == 0 && copies.each_from(work, 0) && tg_aside_is_ready(run, aside)) aside->start = 0;
  if (warp == 0)
    for (int r = 0; r < stages && r < total; r++) work.fill(base + r, r);
  __syncthreads(); /* all know whether the copies begin now */
  const float *const a_mine = shared + mine.row, *const b_mine = shared + depth * tile + mine.column;
  float4 a[2][2], b[2][2]; /* this step's and the next one's */
  Sums sums;
  int64_t aside_round = 0;
  tg_barrier_wait(barriers.full + 8 * (base % stages), base / stages & 1);
  load(a[0], b[0], a_mine + base % stages * stage_elements, b_mine + base % stages * stage_elements);
  for (int at = 0, round = 0; at < work.tiles; at++) {
    sums.clear();
    if (aside->start == at) copies.begin_at(work, at);
    if (threadIdx.x == 0 && *static_cast<volatile int32_t *>(&aside->start) < 0 && work.rounds > stages &&
        copies.each_from(work, at + 2) && tg_aside_is_ready(run, aside))
      *static_cast<volatile int32_t *>(&aside->start) =
          at + 2; /* nobody is two tiles ahead: stages bind them together */
    for (int r = 0; r < work.rounds; r++, round++) {
      const uint32_t number = base + round, stage = number % stages, next = (number + 1) % stages;
      const float *a_now = a_mine + stage * stage_elements, *b_now = b_mine + stage * stage_elements;
      auto refill = [&]() { /* what was read in the round before; all warps are through with it soon */
                            if (warp == 0 && round > 0 && round - 1 + stages < total)
                              work.fill(number - 1 + stages, round - 1 + stages);
      };
      auto go_on = [&](int half) {
        __syncwarp(); /* lane 0 speaks for all that have read */
        if (lane == 0) tg_barrier_arrive(barriers.empty + 8 * stage);
        if (round + 1 >= total) return;
        tg_barrier_wait(barriers.full + 8 * next, (number + 1) / stages & 1);
        load(a[half], b[half], a_mine + next * stage_elements, b_mine + next * stage_elements);
      };
      if (work.steps(r) == depth) {
#pragma unroll
        for (int step = 0; step < depth; step++) {
          if (step < depth - 1)
            load(a[(step & 1) ^ 1], b[(step & 1) ^ 1], a_now + (step + 1) * tile, b_now + (step + 1) * tile);
          else
            go_on(0);
          if (step % apart == 0) copies.load(aside_round, step / apart);
          if (step % apart == apart - 1) copies.store(aside_round, step / apart);
          if (step == depth / 2) refill();
          sums.multiply(a[step & 1], b[step & 1]);
        }
        if (copies.each) aside_round++;
      } else { /* the end of k: a multiple of four steps */
        refill();
        const int steps = work.steps(r);
        for (int step = 0; step < steps; step += 2) {
          load(a[1], b[1], a_now + (step + 1) * tile, b_now + (step + 1) * tile);
          sums.multiply(a[0], b[0]);
          if (step + 2 < steps)
            load(a[0], b[0], a_now + (step + 2) * tile, b_now + (step + 2) * tile);
          else
            go_on(0);
          sums.multiply(a[1], b[1]);
        }
      }
    }
    sums.store(work, at);
  }
  *number_of_rounds = base + total;
  return copies.each ? aside->count : 0;
}

/** Products by the copy engine, where the factors lie with their inner index slowest. */
struct Engine {
  using Element = float;
  static constexpr int threads = bulk::threads, rows = tile, columns = tile, shared_bytes = bulk::shared_bytes;
  static constexpr bool has_aside = true;
  using Any = TgTile<float, 128, 128, 16, 2, 2>; /* for other factors */
  static_assert(Any::threads == threads && Any::elements * sizeof(float) <= stages * stage_elements * sizeof(float),
                "it takes the stages' memory");
  uint32_t number = 0;

  __device__ void begin(float *shared) {
    const Barriers barriers(shared);
    if (threadIdx.x != 0) return;
    for (int s = 0; s < stages; s++) {
      tg_barrier_init(barriers.full + 8 * s, 1);
      tg_barrier_init(barriers.empty + 8 * s, warps);
    }
    tg_barrier_fence();
  }
  __device__ int multiply(const TgBlocksRun &run, const TgBlocksInstruction &x, float *shared, TgAside *aside) {
    if (x.left_transposed && !x.right_transposed) {
      publish(); /* what others wrote and this block has waited for, likewise */
      return bulk::multiply(run, x, shared, aside, &number);
    }
    tg_multiply<Any>(static_cast<float *>(run.memory), x, shared);
    publish();
    return 0;
  }
  /* Ordinary stores before, copies by the engine after: in global memory, and in the stages that the other product and
   * tg_turn() write to. */
  __device__ void publish() { asm volatile("fence.proxy.async;" ::: "memory"); }
};

} // namespace bulk

TgBlocksKernel tg_blocks_bulk() {
  return {reinterpret_cast<const void *>(&tg_blocks_kernel<bulk::Engine, 2>),
          bulk::threads,
          bulk::tile,
          bulk::tile,
          bulk::shared_bytes,
          90};
}
