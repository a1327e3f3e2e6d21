/* Executor `blocks` on cards from compute capability 9.0, f32: products of tiles that the copy engine brings. 128 x 128
 * elements of C by 256 threads, 8 x 8 each, in rounds of 32 steps of k; three stages of 32 KB, and two blocks a
 * multiprocessor. Factors lie with their inner index slowest, in panels of 128, so what a round needs of one lies in a
 * piece of 16 KB. Rounds go on from tile to tile without a break: while C is stored, the next tile's stages come.
 *
 *   stage   0: A' 32 x 128   B 32 x 128        full[stage]: filled
 *           1: A' 32 x 128   B 32 x 128
 *           2: A' 32 x 128   B 32 x 128
 *   aside   two pieces of 8 KB, of copies that go along: one comes while the one before goes
 *
 * Per product of blocks of 512: 16 tiles of 16 rounds; 8192 cycles of multiply-adds a round for two blocks, in which
 * 2 x 32 KB come, and 2 x 8 KB come and go aside. */
#include "blocks-core.cuh"

#include "apart.cuh"
#include "copy-engine.cuh"

namespace bulk {

constexpr int tile = 128, depth = 32, stages = 3, threads = 256, warps = threads / 32;
constexpr int lanes_down = 8, lanes_across = 4, warps_across = 4;
constexpr int factor_elements = depth * tile, stage_elements = 2 * factor_elements;
constexpr int piece_elements = 2048, pieces = 2; /* aside */

/** What a round brings of one factor: the part of a panel of so many columns. */
struct Fetch {
  const float *from;
  int columns;
};

/** Shared memory. */
struct Shared {
  float stage[stages][stage_elements];
  float piece[pieces][piece_elements];
  uint64_t full[stages], piece_full[pieces];
};

constexpr int shared_bytes = sizeof(Shared);

__device__ __forceinline__ void bring(float *to, const float *from, uint32_t bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   tg_shared_address(to)),
               "l"(from), "r"(bytes), "r"(tg_shared_address(barrier))
               : "memory");
}

/** The product of one instruction, cut into tiles and rounds. */
struct Work {
  const TgBlocksInstruction &x;
  float *memory;

  __device__ __forceinline__ int across() const { return (x.columns + tile - 1) / tile; }
  __device__ __forceinline__ int tiles() const { return (x.rows + tile - 1) / tile * across(); }
  __device__ __forceinline__ int row(int number) const { return number / across() * tile; }
  __device__ __forceinline__ int column(int number) const { return number % across() * tile; }

  __device__ __forceinline__ int rounds() const { return x.inner / depth; }

  /* What round `round` of all tiles brings. */
  __device__ __forceinline__ Fetch left(int round) const {
    const int first = row(round / rounds()), columns = min(tile, x.rows - first);
    return {memory + x.left + static_cast<int64_t>(first) * x.inner + round % rounds() * depth * columns, columns};
  }
  __device__ __forceinline__ Fetch right(int round) const {
    const int first = column(round / rounds()), columns = min(tile, x.columns - first);
    return {memory + x.right + static_cast<int64_t>(first) * x.inner + round % rounds() * depth * columns, columns};
  }
};

/* A panel that is narrower than a tile comes row by row; what stands beside it in the stage is multiplied, but nowhere
 * stored. */
__device__ __forceinline__ void bring_factor(float *to, const Fetch &fetch, uint64_t *barrier) {
  const uint32_t row_bytes = fetch.columns * sizeof(float);
  if (fetch.columns == tile) {
    bring(to, fetch.from, depth * row_bytes, barrier);
    return;
  }
  for (int k = 0; k < depth; k++) bring(to + k * tile, fetch.from + k * fetch.columns, row_bytes, barrier);
}

/** Fills the stage of round `number` since the kernel began with round `round` of this product. All have read what was
 * there. */
__device__ __forceinline__ void fill(Shared *shared, uint32_t number, const Work &work, int round) {
  const uint32_t stage = number % stages;
  const Fetch left = work.left(round), right = work.right(round);
  tg_barrier_expect(tg_shared_address(&shared->full[stage]), (left.columns + right.columns) * depth * sizeof(float));
  bring_factor(shared->stage[stage], left, &shared->full[stage]);
  bring_factor(shared->stage[stage] + factor_elements, right, &shared->full[stage]);
}

/** The copies aside; one thread. Pieces go round the two places, `coming` is the number of those asked for since the
 * kernel began, `going` of those sent on. */
struct Aside {
  Shared *shared;
  float *memory;
  const TgAside *copies;
  int copy = 0;
  int64_t begin = 0; /* of the next piece of it */
  float *target[pieces];
  uint32_t bytes[pieces];

  __device__ Aside(Shared *memory_shared, float *blocks, const TgAside *aside)
      : shared(memory_shared), memory(blocks), copies(aside) {}

  __device__ bool ask(uint32_t number) {
    while (copy < copies->count && begin >= copies->elements[copy]) {
      copy++;
      begin = 0;
    }
    if (copy == copies->count) return false;
    const int place = number % pieces;
    const int elements = static_cast<int>(min(copies->elements[copy] - begin, static_cast<int64_t>(piece_elements)));
    bytes[place] = elements * sizeof(float);
    target[place] = memory + copies->target[copy] + begin;
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pieces - 1) : "memory"); /* what was there has gone */
    tg_barrier_expect(tg_shared_address(&shared->piece_full[place]), bytes[place]);
    bring(shared->piece[place], memory + copies->source[copy] + begin, bytes[place], &shared->piece_full[place]);
    begin += elements;
    return true;
  }
  __device__ void send_on(uint32_t number) const {
    const int place = number % pieces;
    tg_barrier_wait(tg_shared_address(&shared->piece_full[place]), number / pieces & 1);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(target[place]),
                 "r"(tg_shared_address(shared->piece[place])), "r"(bytes[place])
                 : "memory");
  }
};

/** Where a thread's elements of C lie in a tile, and of their factors in a stage. */
struct Lane {
  int row, column;

  __device__ __forceinline__ Lane() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / warps_across * lanes_down * 8 + lane / lanes_across * 4;
    column = warp % warps_across * lanes_across * 8 + lane % lanes_across * 4;
  }
};

/** Rows and columns of blocks are multiples of four: of four neighbours all lie in the block, or none. */
struct Sums {
  float at[8][8];

  template <typename EACH> __device__ __forceinline__ static void every(const Work &work, int number, EACH each) {
    const Lane lane;
    const int row0 = work.row(number) + lane.row, column0 = work.column(number) + lane.column;
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int row = row0 + i / 4 * lanes_down * 4 + i % 4, column = column0 + h * lanes_across * 4;
        each(i, h, row < work.x.rows && column < work.x.columns, static_cast<int64_t>(row) * work.x.columns + column);
      }
  }
  /* All loads are under way before the first one is waited for. */
  __device__ __forceinline__ void begin(const Work &work, int number, float zero) {
    const float *const addend = work.x.addend < 0 ? nullptr : work.memory + work.x.addend;
    every(work, number, [&](int i, int h, bool inside, int64_t offset) {
      float4 value = make_float4(0, 0, 0, 0);
      if (inside && addend) value = __ldcg(reinterpret_cast<const float4 *>(addend + offset));
      at[i][4 * h] = tg_apart(value.x, zero);
      at[i][4 * h + 1] = tg_apart(value.y, zero);
      at[i][4 * h + 2] = tg_apart(value.z, zero);
      at[i][4 * h + 3] = tg_apart(value.w, zero);
    });
  }
  __device__ __forceinline__ void store(const Work &work, int number, float zero) const {
    every(work, number, [&](int i, int h, bool inside, int64_t offset) {
      if (inside)
        *reinterpret_cast<float4 *>(work.memory + work.x.target + offset) =
            make_float4(tg_apart(at[i][4 * h], zero), tg_apart(at[i][4 * h + 1], zero),
                        tg_apart(at[i][4 * h + 2], zero), tg_apart(at[i][4 * h + 3], zero));
    });
  }
  __device__ __forceinline__ void multiply(const float4 *a, const float4 *b) {
    const float *row = reinterpret_cast<const float *>(a), *column = reinterpret_cast<const float *>(b);
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int t = 0; t < 8; t++) {
        const int j = i & 1 ? 7 - t : t; /* there and back: the operand of the turn is reused */
        at[j][i] = fmaf(row[j], column[i], at[j][i]);
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

/** Numbers since the kernel began. */
struct Counts {
  uint32_t rounds, asked, sent;
};

/** target = addend + left' * right, target may be the addend. Returns the copies that were executed along with it. */
__device__ __forceinline__ int multiply(const TgBlocksRun &run, const TgBlocksInstruction &instruction, Shared *shared,
                                        TgAside *copies, Counts *counts) {
  const Work work = {instruction, static_cast<float *>(run.memory)};
  const int rounds = work.rounds(), tiles = work.tiles(), total = tiles * rounds;
  const uint32_t base = counts->rounds;
  const bool leads = threadIdx.x == 0 && copies->count > 0;
  bool begun = false; /* the copies, by the leading thread; copies->begun is 0 until the end */
  Aside aside(shared, work.memory, copies);
  if (threadIdx.x == 0)
    for (int r = 0; r < stages - 1 && r < total; r++) fill(shared, base + r, work, r);
  const Lane mine;
  Sums sums;
  for (int at = 0, round = 0; at < tiles; at++) {
    if (leads && !begun) {
      begun = tg_aside_is_ready(run, copies);
      if (begun) asm volatile("fence.proxy.async;" ::: "memory");
    }
    sums.begin(work, at, run.zero);
    for (int k = 0; k < instruction.inner; k += depth, round++) {
      const uint32_t stage = (base + round) % stages;
      const float *const a_now = shared->stage[stage] + mine.row;
      const float *const b_now = shared->stage[stage] + factor_elements + mine.column;
      /* All have read the stage of the round before. Nor may warps be far apart in the code: they would drive out each
       * other's instructions. */
      __syncthreads();
      tg_barrier_wait(tg_shared_address(&shared->full[stage]), (base + round) / stages & 1);
      float4 a[2][2], b[2][2]; /* this step's and the next one's */
      load(a[0], b[0], a_now, b_now);
#pragma unroll
      for (int step = 0; step < depth; step++) {
        if (step < depth - 1)
          load(a[(step & 1) ^ 1], b[(step & 1) ^ 1], a_now + (step + 1) * tile, b_now + (step + 1) * tile);
        sums.multiply(a[step & 1], b[step & 1]);
      }
      /* Warps take turns, or one would always be the last. */
      if (threadIdx.x == 32 * (1 + round % (warps - 1)) && round + stages - 1 < total)
        fill(shared, base + round + stages - 1, work, round + stages - 1);
      if (begun) {
        if (counts->asked - counts->sent == pieces) aside.send_on(counts->sent++);
        if (aside.ask(counts->asked)) counts->asked++;
      }
    }
    sums.store(work, at, run.zero);
  }
  if (begun) { /* what is left of the copies */
    while (counts->sent != counts->asked) {
      aside.send_on(counts->sent++);
      if (aside.ask(counts->asked)) counts->asked++;
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    copies->begun = 1;
  }
  __syncthreads(); /* all know whether there were copies */
  counts->rounds = base + total;
  return copies->begun ? copies->count : 0;
}

/** Products by the copy engine. */
struct Engine {
  using Element = float;
  static constexpr int threads = bulk::threads, rows = tile, columns = tile, shared_bytes = bulk::shared_bytes;
  static constexpr bool has_aside = true;
  Counts counts = {};

  __device__ void begin(float *memory) {
    Shared *const shared = reinterpret_cast<Shared *>(memory);
    if (threadIdx.x != 0) return;
    for (int s = 0; s < stages; s++) tg_barrier_init(tg_shared_address(&shared->full[s]), 1);
    for (int p = 0; p < pieces; p++) tg_barrier_init(tg_shared_address(&shared->piece_full[p]), 1);
    tg_barrier_fence();
  }
  __device__ int multiply(const TgBlocksRun &run, const TgBlocksInstruction &x, float *memory, TgAside *aside) {
    publish(); /* what others wrote and this block has waited for, likewise */
    return bulk::multiply(run, x, reinterpret_cast<Shared *>(memory), aside, &counts);
  }
  /* Between ordinary stores and copies by the engine, in the device's memory. */
  __device__ void publish() { asm volatile("fence.proxy.async;" ::: "memory"); }
};

} // namespace bulk

TgBlocksKernel tg_blocks_bulk() {
  return {reinterpret_cast<const void *>(&tg_blocks_kernel<bulk::Engine, 2>),
          bulk::threads,
          bulk::tile,
          bulk::tile,
          bulk::shared_bytes,
          90,
          bulk::tile,
          bulk::depth};
}
