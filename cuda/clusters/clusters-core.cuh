/** @file clusters-core.cuh
 * Private to cuda/: the kernel of executor `clusters`. clusters-plan.h explains streams.
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

#include "clusters-operations.cuh"
#include "clusters-sums.cuh"

namespace clusters {

/* --- the warps that multiply -------------------------------------------------------------------------------------- */

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
  const int rank, panels; /* of the job */
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
  int number = 0, left = panels, left_of_panel = of_panel; /* of the product in the unit */
  for (;;) {
    together(group);
    alive = wait(now);
    note(now, true);
    if (!alive) break;
    if (SEVERAL) fetch_sums(now, number, left == panels);
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
      if (--left == 0) break;
    }
    if (++number == of_unit) {
      number = 0;
      now.odd ^= 1;
    }
    now = {word[number], now.odd};
  }
  if (!alive && threadIdx.x == 0) report(run, rank, now.step(), 0);
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

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
  const TgClusterJob job = job_of(run);
  if (first) {
    run.status->begin_ns = clock_ns();
    run.status->begin_clock = clock64();
  }
  if (threadIdx.x == 0) shared.init(run.processor[rank], run);
  tg_cluster_sync(); /* nobody arrives at a barrier that is not there yet */
  if (shared.cluster_failed()) { /* or each wave of clusters would wait as long */
    tg_cluster_sync();           /* nobody leaves while others read the first block's memory */
    return;
  }
  if (threadIdx.x >= F::consumers) {
    give_registers();
    const Operator<F> producer = {run, shared, &left_map, &right_map, rank, job, place_of(run, job.instance)};
    const int warp = threadIdx.x / 32 - F::warps; /* a warp each, so that none waits for another */
    if (threadIdx.x % 32 == 0 && run.stalled != rank + 1 && warp < 3) producer.operate_all(warp);
    __syncwarp();
    for (int s = 0; s < (SEVERAL ? 1 : 2); s++) tg_cluster_sync(); /* as the others' finish_…() */
  } else {
    take_registers();
    Consumer<F, SEVERAL, TIMED> consumer = {run, words, shared, rank, job.panels};
    consumer.consume();
    if (SEVERAL)
      finish_several<F>(run, rank, job);
    else
      finish_one<F>(run, shared, consumer.sums, rank, job);
  }
  if (first) {
    run.status->end_ns = clock_ns();
    run.status->end_clock = clock64();
  }
  tg_cluster_sync(); /* nobody leaves while others send to it or read its sums */
}

} // namespace clusters

#endif
