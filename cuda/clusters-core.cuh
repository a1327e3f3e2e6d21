/** @file clusters-core.cuh
 * Private to cuda/: the kernel of executor `clusters`. clusters-plan.h says what streams are.
 *
 * A block is a processor and has a multiprocessor to itself: sixteen warps that multiply, and three threads, the
 * filler, the sender and the confirmer, that execute the operations of the copy engine. Its tile of C is 128 x 128 in
 * f32 (64 x 64 in f64); a slot holds DEPTH steps of k of a tile of A', or of B: 32 KB with 64 steps of f32. The warps
 * are two groups that divide the steps of every slot; a thread has 8 x 8 (4 x 4) elements of C, in two groups of 16
 * bytes each way, and the groups' sums meet at the end. One product of slots is 8192 cycles of multiply-adds; meanwhile
 * at most 64 KB come and 64 KB go: 8 bytes a cycle each way, of the 13 to 16 that distributed shared memory was seen to
 * give.
 *
 * Their warps give registers to the rest: 640 threads of 96 are 512 of 112 and 128 of 32. A product needs 64
 * sums, 32 factors and little more; so slots and parities come from the constants. */
#ifndef TG_CLUSTERS_CORE_CUH
#define TG_CLUSTERS_CORE_CUH

#include "clusters-launch.h"
#include "apart.cuh"
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

/** A shape of the kernel: steps of k in a slot. */
template <typename ELEMENT, int DEPTH> struct Form {
  using T = ELEMENT;
  static constexpr int groups = 2, depth = DEPTH, steps = DEPTH / groups;
  static constexpr int warps = 8 * groups, consumers = 32 * warps, threads = consumers + 128, blocks = 1;
  static constexpr uint32_t slot_bytes = tile<T> * DEPTH * sizeof(T);
  static constexpr uint32_t sum_bytes = groups * tile<T> * tile<T> * sizeof(T);
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

/** Waits for the phase; 0 where that takes longer than `deadline`, in 1024 ns. In assembly for the reason that
 * tg_barrier_wait() gives. It acquires for this block alone, which is enough: what comes from other blocks comes by the
 * copy engine, into this block's memory. (To acquire for the cluster would empty the first-level cache at every wait,
 * which took a tenth of the time.) */
__device__ __forceinline__ uint32_t wait_until(uint32_t barrier, uint32_t parity, uint32_t deadline) {
  uint32_t passed;
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  .reg .u32 begin, now;\n"
               "  .reg .u64 ns;\n"
               "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "  mov.u32 %0, 1;\n"
               "  @p bra passed_%=;\n"
               "  mov.u64 ns, %%globaltimer;\n"
               "  shr.u64 ns, ns, 10;\n"
               "  cvt.u32.u64 begin, ns;\n"
               "again_%=:\n"
               "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "  @p bra passed_%=;\n"
               "  mov.u64 ns, %%globaltimer;\n"
               "  shr.u64 ns, ns, 10;\n"
               "  cvt.u32.u64 now, ns;\n"
               "  sub.u32 now, now, begin;\n"
               "  setp.le.u32 p, now, %3;\n"
               "  @p bra again_%=;\n"
               "  mov.u32 %0, 0;\n"
               "passed_%=:\n"
               "}"
               : "=r"(passed)
               : "r"(barrier), "r"(parity), "r"(deadline)
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

/** Shared memory: the slots, then the barriers and notes. */
template <typename F> struct Shared {
  unsigned char *base;
  uint32_t full, free, ready; /* barriers of slot 0, slot 0, channel 0 */
  uint32_t *clock;            /* when a time was noted last */
  uint32_t *armed;            /* the filling that was armed last, of each slot */

  __device__ __forceinline__ Shared(unsigned char *memory, const TgClusterRun &run) : base(memory) {
    const uint32_t slots = run.slots * F::slot_bytes, barriers = 16 * run.slots + 8 * run.channels;
    full = tg_shared_address(memory) + slots;
    free = full + 8 * run.slots;
    ready = free + 8 * run.slots;
    clock = reinterpret_cast<uint32_t *>(memory + slots + barriers);
    armed = clock + 2;
  }
  __device__ uint32_t slot(int number) const { return tg_shared_address(base) + number * F::slot_bytes; }
  __device__ void init(const TgStreamProcessor &about, const TgClusterRun &run) const {
    for (int s = 0; s < run.slots; s++) {
      armed[s] = ~0u;
      tg_barrier_init(full + 8 * s, 1);
      tg_barrier_init(free + 8 * s, max(static_cast<int>(about.arrivals[s]), 1));
    }
    for (int c = 0; c < run.channels; c++) tg_barrier_init(ready + 8 * c, 1);
    tg_barrier_fence();
  }
};

/* --- operations -----------------------------------------------------------------------------------------------------
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

/** An operation as clusters-launch.h packs it. */
struct Op {
  uint4 word;

  __device__ __forceinline__ bool sends() const { return (word.x & 3) == TG_STREAM_SEND; }
  __device__ __forceinline__ bool confirms() const { return (word.x & 3) == TG_STREAM_CONFIRM; }
  __device__ __forceinline__ bool receives() const { return (word.x & 3) == TG_STREAM_RECEIVE; }
  __device__ __forceinline__ int agent() const { return max(operation(), 1) - 1; } /* of the block's three */
  __device__ __forceinline__ int operation() const { return word.x & 3; }
  __device__ __forceinline__ int slot() const { return word.x >> 2 & 31; }
  __device__ __forceinline__ int peer() const { return word.x >> 7 & 15; }
  __device__ __forceinline__ int peer_slot() const { return word.x >> 11 & 31; }
  __device__ __forceinline__ int channel() const { return word.x >> 16 & 63; }
  __device__ __forceinline__ bool is_left() const { return !(word.x >> 22 & 1); }
  __device__ __forceinline__ uint32_t unit(uint32_t odd) const { return odd ^ (word.x >> 24 & 1); }
  __device__ __forceinline__ uint32_t parity(uint32_t odd) const {
    return (word.x >> 25 & 1) ^ (word.x >> 26 & unit(odd));
  }
  __device__ __forceinline__ uint32_t channel_parity(uint32_t odd) const {
    return (word.x >> 27 & 1) ^ (word.x >> 28 & unit(odd));
  }
  __device__ __forceinline__ uint32_t spare() const { return word.y & 0xffff; }
  __device__ __forceinline__ int ahead() const { return word.y >> 16 & 0xff; }
  __device__ __forceinline__ int across() const { return word.z & 0xffff; }
  __device__ __forceinline__ int inner() const { return word.z >> 16; }
  /** The slot's filling. It differs from all that could be armed instead: they are of the same unit or the next. */
  __device__ __forceinline__ uint32_t filling(uint32_t odd) const { return (word.w >> 5 & 0xfff) << 1 | unit(odd); }
  __device__ __forceinline__ int step() const { return word.w >> 17; }
};

/** Executes operations; a thread of the block for those that fill slots, one for those that send, and one that confirms
 * what has come. They have few registers. */
template <typename F> struct Operator {
  using T = typename F::T;
  const TgClusterRun &run;
  const Shared<F> &shared;
  const CUtensorMap *left_map, *right_map;
  const int rank;
  const Place place;

  __device__ __forceinline__ bool wait(uint32_t barrier, uint32_t parity, const Op &op) const {
    if (wait_until(barrier, parity, run.deadline)) return true;
    report(run, rank, op.step(), 1 + op.operation());
    return false;
  }
  /** Until the filler has armed this filling: no barrier tells its phase from that of two fillings ago. */
  __device__ __forceinline__ bool wait_armed(const Op &op, uint32_t odd) const {
    const uint32_t begin = static_cast<uint32_t>(clock_ns() >> 10);
    while (atomicOr(shared.armed + op.slot(), 0) != op.filling(odd)) {
      __nanosleep(50);
      if (static_cast<uint32_t>(clock_ns() >> 10) - begin <= run.deadline) continue;
      report(run, rank, op.step(), 1 + op.operation());
      return false;
    }
    return true;
  }
  __device__ __forceinline__ bool send(const Op &op, uint32_t odd) const {
    if (!wait_armed(op, odd) || !wait(shared.full + 8 * op.slot(), op.parity(odd), op)) return false;
    if (!wait(shared.ready + 8 * op.channel(), op.channel_parity(odd), op)) return false;
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     remote_address(shared.slot(op.peer_slot()), op.peer())),
                 "r"(shared.slot(op.slot())), "r"(F::slot_bytes),
                 "r"(remote_address(shared.full + 8 * op.peer_slot(), op.peer()))
                 : "memory");
    return true;
  }
  __device__ __forceinline__ bool confirm(const Op &op, uint32_t odd) const {
    if (!wait_armed(op, odd) || !wait(shared.full + 8 * op.slot(), op.parity(odd), op)) return false;
    arrive_remote(remote_address(shared.free + 8 * op.peer_slot(), op.peer()));
    tg_barrier_arrive(shared.free + 8 * op.slot());
    return true;
  }
  __device__ __forceinline__ bool arm(const Op &op, uint32_t odd) const {
    if (!wait(shared.free + 8 * op.slot(), op.parity(odd) ^ 1, op)) return false;
    tg_barrier_expect(shared.full + 8 * op.slot(), F::slot_bytes);
    if (op.spare()) arrive_times(shared.free + 8 * op.slot(), op.spare());
    atomicExch(shared.armed + op.slot(), op.filling(odd));
    return true;
  }
  __device__ __forceinline__ bool receive(const Op &op, uint32_t odd) const {
    if (!arm(op, odd)) return false;
    arrive_remote(remote_address(shared.ready + 8 * op.channel(), op.peer()));
    return true;
  }
  __device__ __forceinline__ bool load(const Op &op, uint32_t odd, int panel) const {
    if (!arm(op, odd)) return false;
    tg_copy_box(shared.slot(op.slot()), op.is_left() ? left_map : right_map,
                ((op.is_left() ? place.row : place.column) + op.across()) * tile<T>,
                (panel * run.inner + op.inner()) * F::depth, shared.full + 8 * op.slot());
    return true;
  }
  /** All operations of this thread: 0: those that fill, 1: that send, 2: that confirm. They need not wait for the
   * products at which they stand, nor for other threads', only for what they wait for. */
  __device__ __forceinline__ void operate_all(int agent) const {
    const TgStreamProcessor &about = run.processor[rank];
    const int first = about.op_first + about.begin_ops, of_panel = about.products, of_unit = of_panel * run.unit;
    int at = about.op_first, left = about.begin_ops; /* of the operations at this product */
    int number = -1, panel = 0, left_of_panel = of_panel;
    uint32_t odd = 0;
    for (;;) {
      for (; left > 0; left--, at++) {
        const Op op = {__ldg(run.op + at)};
        const int own = panel + op.ahead();
        if (op.agent() != agent || own >= run.panels) continue;
        if (run.delay_ns)
          __nanosleep(__umulhi(static_cast<uint32_t>(clock()) * 2654435761u ^ run.delay_seed, run.delay_ns));
        if (!(op.sends()      ? send(op, odd)
              : op.confirms() ? confirm(op, odd)
              : op.receives() ? receive(op, odd)
                              : load(op, odd, own)))
          return;
      }
      if (number >= 0 && --left_of_panel == 0) {
        left_of_panel = of_panel;
        if (++panel == run.panels) return;
      }
      if (++number == of_unit) {
        number = 0;
        at = first;
        odd ^= 1;
      }
      left = __ldg(run.ops_of + about.product_first + number);
    }
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
  __device__ __forceinline__ Piece<T> piece(int i, int h, T zero) const {
    Piece<T> value;
#pragma unroll
    for (int j = 0; j < width<T>; j++) value.at[j] = tg_apart(at[i][h * width<T> + j], zero);
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
    Sums<T>::every([&](int row, int column, int i, int h) {
      store(run, row0 + row, column0 + column, sums.piece(i, h, static_cast<T>(run.zero)));
    });
  if (!run.gathers && F::groups == 1) return;
  tg_cluster_sync(); /* all products are done, and all blocks that were sent have come: the slots are free */
  T *const all = reinterpret_cast<T *>(shared.base), *const mine = all + threadIdx.x / 256 * tile<T> * tile<T>;
  if (has && !alone)
    Sums<T>::every([&](int row, int column, int i, int h) {
      *reinterpret_cast<Piece<T> *>(mine + row * tile<T> + column) = sums.piece(i, h, static_cast<T>(run.zero));
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

/** A product's words, in the constants, so that slots and parities take no registers of the threads. */
struct Factors {
  uint32_t word, odd;

  __device__ __forceinline__ int slot(int role) const { return word >> 5 * role & 31; }
  __device__ __forceinline__ uint32_t parity(int role) const {
    return (word >> (10 + role) & 1) ^ (word >> (12 + role) & odd);
  }
  __device__ __forceinline__ bool has(uint32_t flag) const { return word >> 14 & flag; }
  __device__ __forceinline__ int step() const { return word >> 18; }
};

template <typename F, bool SEVERAL, bool TIMED> struct Consumer {
  using T = typename F::T;
  const TgClusterRun &run;
  const TgClusterWords &words;
  const Shared<F> &shared;
  const int rank;
  Sums<T> sums;

  /** Until both factors are there. */
  __device__ __forceinline__ bool wait(const Factors &factors) const {
    uint32_t passed = 1;
#pragma unroll
    for (int role = 0; role < TG_ROLES; role++)
      passed &= wait_until(shared.full + 8 * factors.slot(role), factors.parity(role), run.deadline);
    return passed != 0;
  }
  /** Warps that are far apart in the code of a product drive each other's instructions out of the caches. */
  __device__ __forceinline__ void together(int group) const {
    asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory");
  }
  __device__ __forceinline__ void release(const Factors &factors) const {
    __syncwarp(); /* lane 0 speaks for all that have read */
    if (threadIdx.x % 32 != 0) return;
    tg_barrier_arrive(shared.free + 8 * factors.slot(0));
    tg_barrier_arrive(shared.free + 8 * factors.slot(1));
  }
  __device__ __forceinline__ const TgStreamProduct &product(int number) const {
    return run.product[run.processor[rank].product_first + number];
  }
  __device__ void fetch_sums(const Factors &factors, int number, bool first_panel) {
    if (!factors.has(TG_PRODUCT_FETCH)) return;
    if (first_panel && factors.has(TG_PRODUCT_FIRST)) {
      sums.clear();
      return;
    }
    const T *from = scratch_of<F>(run, rank, product(number).sum, threadIdx.x / 256);
    Sums<T>::every([&](int row, int column, int i, int h) {
      const Piece<T> piece = *reinterpret_cast<const Piece<T> *>(from + row * tile<T> + column);
#pragma unroll
      for (int j = 0; j < width<T>; j++) sums.at[i][h * width<T> + j] = tg_apart(piece.at[j], static_cast<T>(run.zero));
    });
  }
  __device__ void store_sums(const Factors &factors, int number) const {
    if (!factors.has(TG_PRODUCT_STORE)) return;
    T *to = scratch_of<F>(run, rank, product(number).sum, threadIdx.x / 256);
    Sums<T>::every([&](int row, int column, int i, int h) {
      *reinterpret_cast<Piece<T> *>(to + row * tile<T> + column) = sums.piece(i, h, static_cast<T>(run.zero));
    });
  }
  /** Adds the clocks since the last time to the time of the product. */
  __device__ __forceinline__ void note(const Factors &factors, bool waited) const {
    if (!TIMED || threadIdx.x != 0) return;
    const uint32_t now = static_cast<uint32_t>(clock64()), spent = now - *shared.clock;
    *shared.clock = now;
    TgClusterTime *time = run.time + rank * run.steps + factors.step() - 1;
    atomicAdd(reinterpret_cast<unsigned long long *>(waited ? &time->waited : &time->busy),
              static_cast<unsigned long long>(spent));
  }
  __device__ __forceinline__ void multiply(const Piece<T> *a, const Piece<T> *b) {
    const T *row = a[0].at, *column = b[0].at;
#pragma unroll
    for (int i = 0; i < side<T>; i++)
#pragma unroll
      for (int t = 0; t < side<T>; t++) {
        /* There and back: the operand of the turn is reused. The second half of the rows begins with the other half of
         * the columns: then fewer factors lie in the bank of their sum. */
        const int j = (i & 1 ? side<T> - 1 - t : t) ^ (i < side<T> / 2 ? 0 : side<T> / 2);
        sums.at[i][j] = fma(row[i], column[j], sums.at[i][j]);
      }
  }
  __device__ __forceinline__ static void load(Piece<T> *a, Piece<T> *b, const T *a_from, const T *b_from) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      b[h] = *reinterpret_cast<const Piece<T> *>(b_from + h * lanes_across * width<T>);
      a[h] = *reinterpret_cast<const Piece<T> *>(a_from + h * lanes_down * width<T>);
    }
  }
  __device__ __forceinline__ void consume();
};

template <typename F, bool SEVERAL, bool TIMED> __device__ __forceinline__ void Consumer<F, SEVERAL, TIMED>::consume() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 8, group = threadIdx.x / 256;
  const int of_panel = words.of_panel[rank], of_unit = of_panel * run.unit;
  const uint32_t *const word = words.word + words.first[rank];
  const T *const mine = reinterpret_cast<const T *>(shared.base) + group * F::steps * tile<T>;
  const T *const a_mine = mine + warp / warps_across * lanes_down * side<T> + lane / lanes_across * width<T>;
  const T *const b_mine = mine + warp % warps_across * lanes_across * side<T> + lane % lanes_across * width<T>;
  constexpr int slot_elements = F::depth * tile<T>;
  /* Of 32 steps at a time it was seen to wait for instructions; with clocks read between, the compiler finds banks only
   * for short loops. */
  constexpr int most = TIMED ? 4 : 16, unrolled = F::steps < most ? F::steps : most;
  Piece<T> a[2][2], b[2][2]; /* this step's and the next one's */
  bool alive = true;
  sums.clear();
  Factors now = {word[0], 0};
  if (now.has(TG_PRODUCT_NONE)) return;
  if (TIMED && threadIdx.x == 0) *shared.clock = static_cast<uint32_t>(clock64());
  int number = 0, panel = 0, left_of_panel = of_panel; /* of the product in the unit */
  for (;;) {
    together(group);
    alive = wait(now);
    note(now, true);
    if (!alive) break;
    if (SEVERAL) fetch_sums(now, number, panel == 0);
    const T *a_now = a_mine + now.slot(0) * slot_elements, *b_now = b_mine + now.slot(1) * slot_elements;
    const T *const a_end = a_now + F::steps * tile<T>;
    load(a[0], b[0], a_now, b_now);
#pragma unroll 1
    do {
#pragma unroll
      for (int step = 0; step < unrolled; step++) {
        const int here = step & 1, there = here ^ 1;
        if (step < unrolled - 1) {
          load(a[there], b[there], a_now + (step + 1) * tile<T>, b_now + (step + 1) * tile<T>);
        } else {
          a_now += unrolled * tile<T>;
          b_now += unrolled * tile<T>;
          if (a_now != a_end) load(a[there], b[there], a_now, b_now);
        }
        multiply(a[here], b[here]);
      }
    } while (a_now != a_end);
    release(now);
    if (SEVERAL) store_sums(now, number);
    note(now, false);
    if (--left_of_panel == 0) {
      left_of_panel = of_panel;
      if (++panel == run.panels) break;
    }
    if (++number == of_unit) {
      number = 0;
      now.odd ^= 1;
    }
    now = {word[number], now.odd};
  }
  if (!alive && threadIdx.x == 0) report(run, rank, now.step(), 0);
}

/* --- the kernel -----------------------------------------------------------------------------------------------------
 */

/* Only code for compute capability 9.0 itself can move registers. */
__device__ __forceinline__ void give_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 32;");
#endif
}
__device__ __forceinline__ void take_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 112;");
#endif
}

template <typename F, bool SEVERAL, bool TIMED>
__global__ void __launch_bounds__(F::threads, F::blocks)
    run_streams(const __grid_constant__ CUtensorMap left_map, const __grid_constant__ CUtensorMap right_map,
                const __grid_constant__ TgClusterRun run, const __grid_constant__ TgClusterWords words) {
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
    give_registers();
    const Operator<F> producer = {run, shared, &left_map, &right_map, rank, place_of(run)};
    const int warp = threadIdx.x / 32 - F::warps; /* a warp each, so that none waits for another */
    if (threadIdx.x % 32 == 0 && run.stalled != rank + 1 && warp < 3) producer.operate_all(warp);
    __syncwarp();
    for (int s = 0; s < (SEVERAL ? 1 : 2); s++) tg_cluster_sync(); /* as the others' finish_…() */
  } else {
    take_registers();
    Consumer<F, SEVERAL, TIMED> consumer = {run, words, shared, rank};
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
