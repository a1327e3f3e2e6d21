/** @file clusters-core.cuh
 * Private to cuda/: the kernel of executor `clusters`. clusters-plan.h says what streams are.
 *
 * A block is a processor: eight warps that multiply and one thread, the producer, that keeps the copy engine busy. Its
 * tile of C is 128 x 128 in f32 (64 x 64 in f64), 8 x 8 (4 x 4) elements a thread in two groups of 16 bytes each way; a
 * slot holds DEPTH steps of k of a tile of A', or of B: 16 KB with 32 steps of f32. Two such blocks share a
 * multiprocessor, so each has 112 registers a thread and 113 KB of shared memory. One product of slots is 4096 cycles
 * of multiply-adds on half a multiprocessor's lanes; meanwhile at most 32 KB come and 32 KB go: 8 bytes a cycle each
 * way for two blocks, of the 13 to 16 that distributed shared memory was seen to give. */
#ifndef TG_CLUSTERS_CORE_CUH
#define TG_CLUSTERS_CORE_CUH

#include "clusters-launch.h"
#include "copy-engine.cuh"

namespace clusters {

constexpr int lanes_down = 8, lanes_across = 4, warps_across = 4;

/** 16 bytes of neighbours. */
template <typename T> struct alignas(16) Piece {
  static constexpr int width = 16 / sizeof(T);
  T at[width];
};

template <typename T> constexpr int width = Piece<T>::width;
template <typename T> constexpr int side = 2 * width<T>;            /* elements of C a thread, each way */
template <typename T> constexpr int tile = lanes_down *side<T> * 2; /* two warps down, four across */

/** A shape of the kernel. GROUPS of eight warps share a tile of C, each an equal part of the steps of every slot;
 * AHEAD: the operands of the next step are loaded while this one is multiplied. */
template <typename ELEMENT, int DEPTH, int GROUPS, bool AHEAD> struct Form {
  using T = ELEMENT;
  static constexpr int depth = DEPTH, groups = GROUPS, steps = DEPTH / GROUPS;
  static constexpr bool ahead = AHEAD;
  static constexpr int warps = 8 * GROUPS, consumers = 32 * warps;
  static constexpr int producers = GROUPS == 1 ? 32 : 128; /* threads; a whole group of warps can give registers away */
  static constexpr int threads = consumers + producers, blocks = GROUPS == 1 ? 2 : 1;
  static constexpr uint32_t slot_bytes = tile<T> * DEPTH * sizeof(T);
  static constexpr uint32_t sum_bytes = tile<T> * tile<T> * sizeof(T) * GROUPS;
};

__device__ __forceinline__ uint64_t clock_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/* --- barriers ------------------------------------------------------------------------------------------------------
 */

__device__ __forceinline__ uint32_t remote_address(uint32_t address, int block) {
  uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(block));
  return remote;
}

__device__ __forceinline__ void arrive_times(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void arrive_remote(uint32_t barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ bool has_passed(uint32_t barrier, uint32_t parity) {
  uint32_t passed;
  asm volatile("{\n"
               "  .reg .pred done;\n"
               "  mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n"
               "  selp.u32 %0, 1, 0, done;\n"
               "}"
               : "=r"(passed)
               : "r"(barrier), "r"(parity)
               : "memory");
  return passed != 0;
}

/** 0 where the deadline passed, here or elsewhere. In assembly for the reason that tg_barrier_wait() gives. */
__device__ __forceinline__ uint32_t wait_until(uint32_t barrier, uint32_t parity, const TgClusterRun &run) {
  uint32_t passed;
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  .reg .u64 begin, now;\n"
               "  .reg .s32 failed;\n"
               "  mov.u32 %0, 1;\n"
               "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "  @p bra passed_%=;\n"
               "  mov.u64 begin, %%globaltimer;\n"
               "again_%=:\n"
               "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "  @p bra passed_%=;\n"
               "  ld.volatile.global.s32 failed, [%4];\n"
               "  setp.ne.s32 p, failed, 0;\n"
               "  @p bra late_%=;\n"
               "  mov.u64 now, %%globaltimer;\n"
               "  sub.u64 now, now, begin;\n"
               "  setp.le.u64 p, now, %3;\n"
               "  @p bra again_%=;\n"
               "late_%=:\n"
               "  mov.u32 %0, 0;\n"
               "passed_%=:\n"
               "}"
               : "=r"(passed)
               : "r"(barrier), "r"(parity), "l"(run.deadline_ns), "l"(&run.status->failed)
               : "memory");
  return passed;
}

__device__ __forceinline__ void report(const TgClusterRun &run, int rank, int step, int waiting) {
  if (atomicCAS(&run.status->failed, 0, 1) != 0) return;
  run.status->processor = rank;
  run.status->instance = blockIdx.x / run.processors;
  run.status->step = step;
  run.status->waiting = waiting;
}

/** Shared memory: the slots, then the barriers, then where arrivals are owed. */
template <typename F> struct Shared {
  unsigned char *base;
  uint32_t full, free, ready; /* barriers of slot 0, slot 0, channel 0 */
  uint32_t *owed_to;          /* by slot: the sender's barrier */

  __device__ Shared(unsigned char *memory, const TgClusterRun &run) : base(memory) {
    const uint32_t barriers = tg_shared_address(memory) + run.slots * F::slot_bytes;
    full = barriers;
    free = full + 8 * run.slots;
    ready = free + 8 * run.slots;
    owed_to = reinterpret_cast<uint32_t *>(memory + run.slots * F::slot_bytes + 16 * run.slots + 8 * run.channels);
  }
  __device__ uint32_t slot(int number) const { return tg_shared_address(base) + number * F::slot_bytes; }

  __device__ void init(const TgStreamProcessor &about, const TgClusterRun &run) const {
    for (int s = 0; s < run.slots; s++) {
      tg_barrier_init(full + 8 * s, 1);
      tg_barrier_init(free + 8 * s, max(static_cast<int>(about.arrivals[s]), 1));
    }
    for (int c = 0; c < run.channels; c++) tg_barrier_init(ready + 8 * c, 1);
    tg_barrier_fence();
  }
};

/* --- the producer ---------------------------------------------------------------------------------------------------
 */

/** First row and column of an instance's part of C, in tiles. */
struct Place {
  int row, column;
};

/* Some rows of instances are walked together, so that the second-level cache holds what they share. */
__device__ __forceinline__ Place place_of(const TgClusterRun &run) {
  const int number = blockIdx.x / run.processors, group = max(8 / run.rows, 1);
  const int per_group = group * run.instances_across, first = number / per_group * group;
  const int rows = min(group, run.instances_down - first), inside = number % per_group;
  return {(first + inside % rows) * run.rows, inside / rows * run.columns};
}

template <typename F> struct Producer {
  using T = typename F::T;
  const TgClusterRun &run;
  const Shared<F> &shared;
  const CUtensorMap *left_map, *right_map;
  const int rank;
  const Place place;
  uint32_t owed = 0, parities = 0; /* by slot: an arrival for the block received is owed; the parity of its filling */
  bool failed = false;
  uint32_t random = 0;

  /* Tells the sender that the block in this slot has come. */
  __device__ void settle(int slot) {
    if (!(owed >> slot & 1) || !has_passed(shared.full + 8 * slot, parities >> slot & 1)) return;
    arrive_remote(shared.owed_to[slot]);
    owed &= ~(1u << slot);
  }
  __device__ void settle_all() {
    for (uint32_t left = owed; left; left &= left - 1) settle(__ffs(left) - 1);
  }
  __device__ void wait(uint32_t barrier, uint32_t parity, const TgStreamOp &op) {
    uint64_t begin = 0;
    for (uint32_t polls = 0; !failed && !has_passed(barrier, parity); polls++) {
      settle_all();
      __nanosleep(20);
      if (polls % 64 != 63) continue;
      const uint64_t now = clock_ns();
      if (!begin) begin = now;
      failed = *static_cast<volatile int32_t *>(&run.status->failed) || now - begin > run.deadline_ns;
      if (failed) report(run, rank, op.step, 1 + op.operation);
    }
  }
  __device__ void delay() {
    random = random * 1664525u + 1013904223u;
    __nanosleep((random >> 8) % run.delay_ns);
  }
  __device__ void send(const TgStreamOp &op, uint32_t parity, uint32_t channel_parity) {
    wait(shared.full + 8 * op.slot, parity, op);
    wait(shared.ready + 8 * op.channel, channel_parity, op);
    if (failed) return;
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     remote_address(shared.slot(op.peer_slot), op.peer)),
                 "r"(shared.slot(op.slot)), "r"(F::slot_bytes),
                 "r"(remote_address(shared.full + 8 * op.peer_slot, op.peer))
                 : "memory");
  }
  __device__ void fill(const TgStreamOp &op, uint32_t parity, int panel) {
    const uint32_t full = shared.full + 8 * op.slot;
    wait(shared.free + 8 * op.slot, parity ^ 1, op);
    if (failed) return;
    settle(op.slot); /* what came before has come: its readers are through */
    tg_barrier_expect(full, F::slot_bytes);
    if (op.spare) arrive_times(shared.free + 8 * op.slot, op.spare);
    if (op.operation == TG_STREAM_RECEIVE) {
      owed |= 1u << op.slot;
      parities = (parities & ~(1u << op.slot)) | parity << op.slot;
      shared.owed_to[op.slot] = remote_address(shared.free + 8 * op.peer_slot, op.peer);
      arrive_remote(remote_address(shared.ready + 8 * op.channel, op.peer));
      return;
    }
    const int across = (op.role == TG_ROLE_LEFT ? place.row : place.column) + op.across;
    tg_copy_box(shared.slot(op.slot), op.role == TG_ROLE_LEFT ? left_map : right_map, across * tile<T>,
                (panel * run.inner + op.inner) * F::depth, full);
  }
  __device__ void produce() {
    const TgStreamProcessor &about = run.processor[rank];
    uint32_t odd = 0;
    for (int panel = 0, u = 0; panel < run.panels && !failed; panel++) {
      for (int i = about.op_first[u]; i < about.op_first[u + 1] && !failed; i++) {
        const TgStreamOp op = run.op[i];
        const uint32_t parity = op.parity ^ (op.odd & odd), channel_parity = op.channel_parity ^ (op.channel_odd & odd);
        if (run.delay_ns) delay();
        if (op.operation == TG_STREAM_SEND)
          send(op, parity, channel_parity);
        else
          fill(op, parity, panel);
      }
      if (++u < run.unit) continue;
      u = 0;
      odd ^= 1;
    }
    while (owed && !failed) wait_for_owed();
  }
  __device__ void wait_for_owed() {
    const int slot = __ffs(owed) - 1;
    const TgStreamOp last = {.operation = TG_STREAM_RECEIVE};
    wait(shared.full + 8 * slot, parities >> slot & 1, last);
    settle(slot);
  }
};

/* --- C -------------------------------------------------------------------------------------------------------------
 */

/** Neighbours of a row of C. */
template <typename T>
__device__ __forceinline__ void store(const TgClusterRun &run, int row, int column, Piece<T> value) {
  if (row >= run.m) return;
  T *c = static_cast<T *>(run.c) + row * run.ldc + column;
  if (run.whole && column + width<T> <= run.n) {
    *reinterpret_cast<Piece<T> *>(c) = value;
    return;
  }
#pragma unroll
  for (int i = 0; i < width<T>; i++)
    if (column + i < run.n) c[i] = value.at[i];
}

template <typename T> __device__ __forceinline__ Piece<T> load_remote(uint32_t address, int block) {
  union {
    uint32_t word[4];
    Piece<T> piece;
  } value;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.word[0]), "=r"(value.word[1]), "=r"(value.word[2]), "=r"(value.word[3])
               : "r"(remote_address(address, block))
               : "memory");
  return value.piece;
}

template <typename T> __device__ __forceinline__ Piece<T> add(Piece<T> x, const Piece<T> &y) {
#pragma unroll
  for (int i = 0; i < width<T>; i++) x.at[i] += y.at[i];
  return x;
}

/** A thread's part of a tile of C: four groups of rows and columns, each `width` both ways. */
template <typename T> struct Sums {
  T at[side<T>][side<T>];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < side<T>; i++)
#pragma unroll
      for (int j = 0; j < side<T>; j++) at[i][j] = 0;
  }
  __device__ __forceinline__ Piece<T> piece(int i, int h) const {
    Piece<T> value;
#pragma unroll
    for (int j = 0; j < width<T>; j++) value.at[j] = at[i][h * width<T> + j];
    return value;
  }
  /** Calls each(row, column, i, h) for every piece, row and column within the tile. */
  template <typename EACH> __device__ __forceinline__ static void every(EACH each) {
    const int warp = threadIdx.x / 32 % 8, lane = threadIdx.x % 32;
    const int row = warp / warps_across * lanes_down * side<T> + lane / lanes_across * width<T>;
    const int column = warp % warps_across * lanes_across * side<T> + lane % lanes_across * width<T>;
#pragma unroll
    for (int i = 0; i < side<T>; i++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        each(row + i / width<T> * lanes_down * width<T> + i % width<T>, column + h * lanes_across * width<T>, i, h);
  }
};

/** Every processor has at most one sum. A block of C that one group of warps has whole goes where it belongs; else the
 * groups' and processors' sums are laid into shared memory, and each of the processors adds up a part of the rows. */
template <typename F>
__device__ void finish_one(const TgClusterRun &run, const Shared<F> &shared, const Sums<typename F::T> &sums,
                           int rank) {
  using T = typename F::T;
  const TgStreamProcessor &about = run.processor[rank];
  const bool has = about.shared_output >= 0, alone = has && about.shares == 1 && F::groups == 1;
  const TgStreamOutput output = run.output[has ? about.shared_output : 0];
  const Place place = place_of(run);
  const int row0 = (place.row + output.row) * tile<T>, column0 = (place.column + output.column) * tile<T>;
  if (alone)
    Sums<T>::every(
        [&](int row, int column, int i, int h) { store(run, row0 + row, column0 + column, sums.piece(i, h)); });
  if (!run.gathers && F::groups == 1) return;
  tg_cluster_sync(); /* all products are done, and all blocks that were sent have come: the slots are free */
  T *const all = reinterpret_cast<T *>(shared.base), *const mine = all + threadIdx.x / 256 * tile<T> * tile<T>;
  if (has && !alone)
    Sums<T>::every([&](int row, int column, int i, int h) {
      *reinterpret_cast<Piece<T> *>(mine + row * tile<T> + column) = sums.piece(i, h);
    });
  tg_cluster_sync();
  if (!has || alone) return;
  constexpr int pieces = tile<T> / width<T>;
  const int rows = (tile<T> + about.shares - 1) / about.shares, begin = about.share * rows;
  const int end = min(begin + rows, tile<T>);
  for (int p = threadIdx.x; p < (end - begin) * pieces; p += F::consumers) {
    const int row = begin + p / pieces, column = p % pieces * width<T>;
    Piece<T> sum = {};
    for (int t = 0; t < output.terms; t++)
#pragma unroll
      for (int g = 0; g < F::groups; g++)
        sum = add(sum, load_remote<T>(tg_shared_address(all + (g * tile<T> + row) * tile<T> + column),
                                      run.term[output.first + t].processor));
    store(run, row0 + row, column0 + column, sum);
  }
}

/** Where a group of warps keeps one of the processor's sums. */
template <typename F>
__device__ __forceinline__ typename F::T *scratch_of(const TgClusterRun &run, int processor, int sum, int group) {
  using T = typename F::T;
  const int64_t number =
      (static_cast<int64_t>(blockIdx.x / run.processors) * run.processors + processor) * run.sums + sum;
  return static_cast<T *>(run.scratch) + (number * F::groups + group) * tile<T> * tile<T>;
}

/** Processors have several sums, in the device's memory: whoever C is placed on adds up its terms. */
template <typename F> __device__ void finish_several(const TgClusterRun &run, int rank) {
  using T = typename F::T;
  const TgStreamProcessor &about = run.processor[rank];
  const Place place = place_of(run);
  constexpr int pieces = tile<T> / width<T>;
  __threadfence();
  tg_cluster_sync();
  for (int o = about.output_first; o < about.output_first + about.outputs; o++) {
    const TgStreamOutput output = run.output[o];
    const int row0 = (place.row + output.row) * tile<T>, column0 = (place.column + output.column) * tile<T>;
    for (int p = threadIdx.x; p < tile<T> * pieces; p += F::consumers) {
      const int row = p / pieces, column = p % pieces * width<T>;
      Piece<T> sum = {};
      for (int t = 0; t < output.terms * F::groups; t++) {
        const TgStreamTerm term = run.term[output.first + t / F::groups];
        const T *from = scratch_of<F>(run, term.processor, term.sum, t % F::groups) + row * tile<T> + column;
        const int4 bits = __ldcg(reinterpret_cast<const int4 *>(from));
        sum = add(sum, *reinterpret_cast<const Piece<T> *>(&bits));
      }
      store(run, row0 + row, column0 + column, sum);
    }
  }
}

/* --- the warps that multiply ----------------------------------------------------------------------------------------
 */

/** What a product needs at the moment. */
struct Factors {
  uint32_t slot[TG_ROLES], parity[TG_ROLES], flags;
  int step, sum;
};

template <typename F, bool SEVERAL, bool TIMED> struct Consumer {
  using T = typename F::T;
  const TgClusterRun &run;
  const Shared<F> &shared;
  const int rank;
  Sums<T> sums;

  __device__ __forceinline__ Factors fetch(const TgStreamProduct *product, uint32_t odd) const {
    const uint2 word = *reinterpret_cast<const uint2 *>(product); /* slot, slot, parity, parity; odd, odd, flags */
    Factors factors;
    factors.slot[0] = word.x & 0xff;
    factors.slot[1] = word.x >> 8 & 0xff;
    factors.parity[0] = (word.x >> 16 & 0xff) ^ (word.y & 0xff & odd);
    factors.parity[1] = word.x >> 24 ^ (word.y >> 8 & 0xff & odd);
    factors.flags = word.y >> 16 & 0xff;
    factors.step = TIMED ? product->step : 0;
    factors.sum = SEVERAL ? product->sum : 0;
    return factors;
  }
  __device__ __forceinline__ uint32_t wait(const Factors &factors) const {
    return wait_until(shared.full + 8 * factors.slot[0], factors.parity[0], run) &
           wait_until(shared.full + 8 * factors.slot[1], factors.parity[1], run);
  }
  __device__ __forceinline__ void release(const Factors &factors) const {
    __syncwarp(); /* lane 0 speaks for all that have read */
    if (threadIdx.x % 32 != 0) return;
    tg_barrier_arrive(shared.free + 8 * factors.slot[0]);
    tg_barrier_arrive(shared.free + 8 * factors.slot[1]);
  }
  __device__ void fetch_sums(const Factors &factors, bool first_panel) {
    if (!(factors.flags & TG_PRODUCT_FETCH)) return;
    if (first_panel && (factors.flags & TG_PRODUCT_FIRST)) {
      sums.clear();
      return;
    }
    const T *from = scratch_of<F>(run, rank, factors.sum, threadIdx.x / 256);
    Sums<T>::every([&](int row, int column, int i, int h) {
      const Piece<T> piece = *reinterpret_cast<const Piece<T> *>(from + row * tile<T> + column);
#pragma unroll
      for (int j = 0; j < width<T>; j++) sums.at[i][h * width<T> + j] = piece.at[j];
    });
  }
  __device__ void store_sums(const Factors &factors) const {
    if (!(factors.flags & TG_PRODUCT_STORE)) return;
    T *to = scratch_of<F>(run, rank, factors.sum, threadIdx.x / 256);
    Sums<T>::every([&](int row, int column, int i, int h) {
      *reinterpret_cast<Piece<T> *>(to + row * tile<T> + column) = sums.piece(i, h);
    });
  }
  /** Adds the clocks since `before` to the step's time. */
  __device__ __forceinline__ void note(int step, uint64_t &before, bool waited) const {
    if (!TIMED || threadIdx.x != 0) return;
    const uint64_t now = clock64();
    TgClusterTime *time = run.time + rank * run.steps + step - 1;
    atomicAdd(reinterpret_cast<unsigned long long *>(waited ? &time->waited : &time->busy), now - before);
    before = now;
  }
  __device__ __forceinline__ void multiply(const Piece<T> *a, const Piece<T> *b) {
    const T *row = a[0].at, *column = b[0].at;
#pragma unroll
    for (int i = 0; i < side<T>; i++)
#pragma unroll
      for (int t = 0; t < side<T>; t++) {
        const int j = i & 1 ? side<T> - 1 - t : t; /* there and back: the operand of the turn is reused */
        sums.at[i][j] = fma(row[i], column[j], sums.at[i][j]);
      }
  }
  __device__ __forceinline__ static void load(Piece<T> *a, Piece<T> *b, const T *a_from, const T *b_from) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      a[h] = *reinterpret_cast<const Piece<T> *>(a_from + h * lanes_down * width<T>);
      b[h] = *reinterpret_cast<const Piece<T> *>(b_from + h * lanes_across * width<T>);
    }
  }
  __device__ __forceinline__ void consume();
};

template <typename F, bool SEVERAL, bool TIMED> __device__ __forceinline__ void Consumer<F, SEVERAL, TIMED>::consume() {
  const TgStreamProcessor &about = run.processor[rank];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 8, group = threadIdx.x / 256;
  const TgStreamProduct *const begin = run.product + about.product_first[0];
  const int of_panel = about.product_first[1] - about.product_first[0], of_unit = of_panel * run.unit;
  const int all = of_panel * run.panels;
  const T *const mine = reinterpret_cast<const T *>(shared.base) + group * F::steps * tile<T>;
  const T *const a_mine = mine + warp / warps_across * lanes_down * side<T> + lane / lanes_across * width<T>;
  const T *const b_mine = mine + warp % warps_across * lanes_across * side<T> + lane % lanes_across * width<T>;
  constexpr int slot_elements = F::depth * tile<T>;
  Piece<T> a[F::ahead ? 2 : 1][2], b[F::ahead ? 2 : 1][2];
  sums.clear();
  if (all == 0) return;
  int number = 1; /* of the next product in the unit */
  uint32_t odd = 0;
  uint64_t before = TIMED ? clock64() : 0;
  Factors now = fetch(begin, 0), next = now;
  uint32_t alive = wait(now);
  note(now.step, before, true);
  if (F::ahead) load(a[0], b[0], a_mine + now.slot[0] * slot_elements, b_mine + now.slot[1] * slot_elements);
  for (int left = all; left > 0 && alive; left--) {
    const T *const a_now = a_mine + now.slot[0] * slot_elements, *const b_now = b_mine + now.slot[1] * slot_elements;
    if (SEVERAL) fetch_sums(now, all - left < of_panel);
#pragma unroll
    for (int step = 0; step < F::steps; step++) {
      const int here = F::ahead ? step & 1 : 0, there = F::ahead ? here ^ 1 : 0;
      if (step == F::steps / 2 && left > 1) {
        if (number == of_unit) {
          number = 0;
          odd ^= 1;
        }
        next = fetch(begin + number++, odd);
      }
      if (!F::ahead) load(a[0], b[0], a_now + step * tile<T>, b_now + step * tile<T>);
      if (F::ahead && step < F::steps - 1)
        load(a[there], b[there], a_now + (step + 1) * tile<T>, b_now + (step + 1) * tile<T>);
      if (step == F::steps - 1) {
        release(now);
        if (F::ahead && left > 1) {
          note(now.step, before, false);
          alive = wait(next);
          note(next.step, before, true);
          load(a[there], b[there], a_mine + next.slot[0] * slot_elements, b_mine + next.slot[1] * slot_elements);
        }
      }
      multiply(a[here], b[here]);
    }
    if (SEVERAL) store_sums(now);
    if (!F::ahead || left == 1) note(now.step, before, false);
    if (left == 1) break;
    now = next;
    if (F::ahead) continue;
    alive = wait(now);
    note(now.step, before, true);
  }
  if (!alive && threadIdx.x == 0) report(run, rank, TIMED ? next.step : 0, 0);
}

/* With two groups of warps a block has 96 registers a thread; the producer's warps give some to the others: 640 x 96
 * are 512 x 112 and 128 x 32. Only code for compute capability 9.0 itself can do so. */
template <typename F> __device__ __forceinline__ void give_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if (F::groups > 1) asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
#endif
}
template <typename F> __device__ __forceinline__ void take_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if (F::groups > 1) asm volatile("setmaxnreg.inc.sync.aligned.u32 112;");
#endif
}

/* --- the kernel -----------------------------------------------------------------------------------------------------
 */

template <typename F, bool SEVERAL, bool TIMED>
__global__ void __launch_bounds__(F::threads, F::blocks)
    run_streams(const __grid_constant__ CUtensorMap left_map, const __grid_constant__ CUtensorMap right_map,
                const __grid_constant__ TgClusterRun run) {
  extern __shared__ __align__(128) unsigned char memory[];
  const Shared<F> shared(memory, run);
  const int rank = blockIdx.x % run.processors;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  if (first) {
    run.status->begin_ns = clock_ns();
    run.status->begin_clock = clock64();
  }
  if (threadIdx.x == 0) shared.init(run.processor[rank], run);
  tg_cluster_sync(); /* nobody arrives at a barrier that is not there yet */
  if (threadIdx.x >= F::consumers) {
    give_registers<F>();
    if (threadIdx.x == F::consumers && run.stalled != rank + 1) {
      Producer<F> producer = {run, shared, &left_map, &right_map, rank, place_of(run)};
      producer.random = run.delay_seed ^ blockIdx.x * 2654435761u;
      producer.produce();
    }
    __syncwarp();
    const int syncs = SEVERAL ? 1 : run.gathers || F::groups > 1 ? 2 : 0; /* as the others' finish_…() */
    for (int s = 0; s < syncs; s++) tg_cluster_sync();
  } else {
    take_registers<F>();
    Consumer<F, SEVERAL, TIMED> consumer = {run, shared, rank};
    consumer.consume();
    if (SEVERAL)
      finish_several<F>(run, rank);
    else
      finish_one<F>(run, shared, consumer.sums, rank);
  }
  if (first) {
    run.status->end_ns = clock_ns();
    run.status->end_clock = clock64();
  }
  tg_cluster_sync(); /* nobody leaves while others send to it or read its sums */
}

} // namespace clusters

#endif
