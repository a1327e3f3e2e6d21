/** @file clusters-block.cuh
 * Private to cuda/: what a block of the executor `clusters` is: its shape, its shared memory, and how it waits. */
#ifndef TG_CLUSTERS_BLOCK_CUH
#define TG_CLUSTERS_BLOCK_CUH

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

/** A shape of the kernel: steps of k in a slot. */
template <typename ELEMENT, int DEPTH> struct Variant {
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

/* --- barriers ----------------------------------------------------------------------------------------------------- */

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
 * which took a tenth of the time.) After 32 us it sleeps between looks, an eighth of
 * the time so far and at most the millisecond that the hardware allows. */
__device__ __forceinline__ uint32_t wait_until(uint32_t barrier, uint32_t parity, uint32_t deadline) {
  uint32_t passed;
  asm volatile("{\n"
               "  .reg .pred p;\n"
               "  .reg .u32 begin, now, eighth;\n"
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
               "  setp.gt.u32 p, now, 32;\n"
               "  shl.b32 eighth, now, 7;\n"
               "  @p nanosleep.u32 eighth;\n"
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

/** What this cluster does. */
__device__ __forceinline__ const TgClusterJob &job_of(const TgClusterRun &run) {
  return run.job[blockIdx.x / run.processors];
}

__device__ __forceinline__ void report(const TgClusterRun &run, int rank, int step, int waiting) {
  if (atomicCAS(&run.status->failed, 0, 1) != 0) return;
  run.status->processor = rank;
  run.status->instance = job_of(run).instance;
  run.status->step = step;
  run.status->waiting = waiting;
}

/** Shared memory: the slots, then the barriers and notes. */
template <typename F> struct Shared {
  unsigned char *base;
  uint32_t full, free, ready; /* barriers of slot 0, slot 0, channel 0 */
  uint32_t *clock;            /* when a time was noted last */
  uint32_t *failed;           /* whether a wait had passed its deadline when the block began */
  uint32_t *armed;            /* the filling that was armed last, of each slot */

  __device__ __forceinline__ Shared(unsigned char *memory, const TgClusterRun &run) : base(memory) {
    const uint32_t slots = run.slots * F::slot_bytes, barriers = 16 * run.slots + 8 * run.channels;
    full = tg_shared_address(memory) + slots;
    free = full + 8 * run.slots;
    ready = free + 8 * run.slots;
    clock = reinterpret_cast<uint32_t *>(memory + slots + barriers);
    failed = clock + 1;
    armed = clock + 2;
  }
  __device__ uint32_t slot(int number) const { return tg_shared_address(base) + number * F::slot_bytes; }
  /** Of the cluster's first block, so that all its blocks do the same. After a synchronization of the cluster. */
  __device__ __forceinline__ bool cluster_failed() const {
    uint32_t it;
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(it)
                 : "r"(remote_address(tg_shared_address(failed), 0))
                 : "memory");
    return it != 0;
  }
  __device__ void init(const TgStreamProcessor &about, const TgClusterRun &run) const {
    *failed = *(volatile int32_t *)&run.status->failed;
    for (int s = 0; s < run.slots; s++) {
      armed[s] = ~0u;
      tg_barrier_init(full + 8 * s, 1);
      tg_barrier_init(free + 8 * s, max(static_cast<int>(about.arrivals[s]), 1));
    }
    for (int c = 0; c < run.channels; c++) tg_barrier_init(ready + 8 * c, 1);
    tg_barrier_fence();
  }
};

} // namespace clusters

#endif
