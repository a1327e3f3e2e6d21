/** @file clusters-operations.cuh
 * Private to cuda/: what the three threads of a block do that let the copy engine work. */
#ifndef TG_CLUSTERS_OPERATIONS_CUH
#define TG_CLUSTERS_OPERATIONS_CUH

#include "clusters-block.cuh"

namespace clusters {

/** First row and column of an instance's part of C, in tiles. */
struct Place {
  int row, column;
};

/* Some rows of instances are walked together, so that the second-level cache holds what they share. */
__device__ __forceinline__ Place place_of(const TgClusterRun &run, int number) {
  const int group = max(8 / run.rows, 1);
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
  const TgClusterJob job;
  const Place place;

  __device__ __forceinline__ bool wait(uint32_t barrier, uint32_t parity, const Op &op) const {
    if (wait_until(barrier, parity, run.deadline)) return true;
    report(run, rank, op.step(), 1 + op.operation());
    return false;
  }
  /** Until the filler has armed this filling: no barrier tells its phase from that of two fillings ago. */
  __device__ __forceinline__ bool wait_armed(const Op &op, uint32_t odd) const {
    const uint32_t begin = static_cast<uint32_t>(clock_ns() >> 10);
    uint32_t waited = 0;
    while (atomicOr(shared.armed + op.slot(), 0) != op.filling(odd)) {
      __nanosleep(50 + (waited << 7)); /* an eighth of it, as wait_until() */
      waited = static_cast<uint32_t>(clock_ns() >> 10) - begin;
      if (waited <= run.deadline) continue;
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
                ((job.first_panel + panel) * run.inner + op.inner()) * F::depth, shared.full + 8 * op.slot());
    return true;
  }
  /** All operations of this thread: 0: those that fill, 1: that send, 2: that confirm. They need not wait for the
   * products that they belong to, nor for other threads', only for what they wait for. */
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
        if (op.agent() != agent || own >= job.panels) continue;
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
        if (++panel == job.panels) return;
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

} // namespace clusters

#endif
