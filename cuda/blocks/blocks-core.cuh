/** @file blocks-core.cuh
 * Private to cuda/: the kernel of executor `blocks`. A thread block is a processor and executes its list of
 * instructions (blocks-plan.h); the kernel knows five operations on blocks and nothing of schedules.
 *
 * Between processors there are counters in global memory. A processor's counter is stored with release by one thread
 * after a barrier of its block, and read with acquire by a thread of another block before a barrier there: so all that
 * the one block wrote before is seen by the whole other one, and all that it read before is done with.
 *
 * How a block multiplies is an engine: a type with its tile, its shared memory, multiply(), and publish(), which every
 * thread calls before others are told that an instruction is done. An engine may execute the copies that follow a
 * product along with it (blocks-aside.cuh). */
#ifndef TG_BLOCKS_CORE_CUH
#define TG_BLOCKS_CORE_CUH

#include "blocks-aside.cuh"
#include "blocks-launch.h"
#include "blocks-product.cuh"
#include "element.h"

#include <cuda_runtime.h>

enum { POLLS_BETWEEN_CLOCKS = 64, SPREAD = 4 };

__device__ inline uint64_t tg_clock_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ inline void tg_write_counter(uint32_t *counter, uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

__device__ inline void tg_report(const TgBlocksRun &run, const TgBlocksInstruction &instruction,
                                 const TgBlocksWait &wait, uint32_t reached) {
  TgBlocksStatus *status = run.status;
  if (atomicCAS(&status->failed, 0, 1) != 0) return;
  status->processor = instruction.processor;
  status->statement = instruction.statement;
  status->step = instruction.step;
  status->other = wait.processor;
  status->count = wait.count;
  status->reached = (int32_t)reached;
}

/** False where the deadline passed, here or elsewhere. */
__device__ inline bool tg_await(const TgBlocksRun &run, const TgBlocksInstruction &instruction,
                                const TgBlocksWait &wait) {
  const uint32_t *counter = run.done + (int64_t)wait.processor * TG_BLOCKS_STRIDE;
  uint32_t reached = tg_read_counter(counter);
  if (reached >= (uint32_t)wait.count) return true;
  const uint64_t begin_ns = tg_clock_ns();
  for (uint32_t polls = 1;; polls++) {
    reached = tg_read_counter(counter);
    if (reached >= (uint32_t)wait.count) return true;
    if (polls % POLLS_BETWEEN_CLOCKS) continue;
    if (*(volatile int32_t *)&run.status->failed) return false;
    if (tg_clock_ns() - begin_ns <= run.deadline_ns) continue;
    tg_report(run, instruction, wait, reached);
    return false;
  }
}

/** The waits of one instruction, each by a thread of its own. */
__device__ inline bool tg_await_all(const TgBlocksRun &run, const TgBlocksInstruction &instruction) {
  bool late = false;
  for (int w = threadIdx.x; w < instruction.waits && !late; w += blockDim.x)
    late = !tg_await(run, instruction, run.wait[instruction.first_wait + w]);
  return !__syncthreads_or(late);
}

/** Sleeps at random, to shake the order in which processors go on. */
__device__ inline void tg_delay(const TgBlocksRun &run, int64_t number) {
  uint32_t x = run.delay_seed * 2654435761u ^ (uint32_t)number * 2246822519u ^ blockIdx.x * 3266489917u;
  x = (x ^ x >> 15) * 2246822519u;
  x = (x ^ x >> 13) * 3266489917u;
  if (threadIdx.x == 0) __nanosleep((x ^ x >> 16) % run.delay_ns);
  __syncthreads();
}

/** target = addend + left on elements [begin, end); a missing addend or left counts as zeros. */
template <typename T>
__device__ inline void tg_spread(T *target, const T *addend, const T *left, int64_t begin, int64_t end) {
  const int64_t stride = 4 * (int64_t)blockDim.x;
  for (int64_t from = begin + 4 * (int64_t)threadIdx.x; from < end; from += SPREAD * stride) {
    TgFour<T> value[SPREAD] = {};
#pragma unroll
    for (int s = 0; s < SPREAD; s++)
      if (left && from + s * stride < end) value[s] = tg_load_four(left + from + s * stride);
#pragma unroll
    for (int s = 0; s < SPREAD; s++) {
      const int64_t at = from + s * stride;
      if (at >= end) break;
      if (addend) {
        const TgFour<T> before = tg_load_four(addend + at);
        for (int i = 0; i < 4; i++) value[s].at[i] += before.at[i];
      }
      tg_store_four(target + at, value[s]);
    }
  }
}

/** target (columns x rows) = from (rows x columns) transposed, through squares in shared memory. */
template <typename T> __device__ inline void tg_turn(T *target, const T *from, int rows, int columns, T *shared) {
  constexpr int side = 16, pitch = side + 1;
  for (int64_t row0 = 0; row0 < rows; row0 += side) {
    for (int64_t column0 = 0; column0 < columns; column0 += side) {
      for (int e = threadIdx.x; e < side * side; e += blockDim.x) {
        const int64_t row = row0 + e / side, column = column0 + e % side;
        if (row < rows && column < columns) shared[e / side * pitch + e % side] = __ldcg(from + row * columns + column);
      }
      __syncthreads();
      for (int e = threadIdx.x; e < side * side; e += blockDim.x) {
        const int64_t row = row0 + e % side, column = column0 + e / side;
        if (row < rows && column < columns) target[column * rows + row] = shared[e % side * pitch + e / side];
      }
      __syncthreads();
    }
  }
}

/** Not inlined, so that what the rest of the kernel keeps takes no registers from it. */
template <typename TILE, typename T>
__device__ __noinline__ void tg_multiply(T *memory, const TgBlocksInstruction &instruction, T *shared) {
  if (!instruction.left_transposed && !instruction.right_transposed)
    tg_block_product<TILE, true, false>(memory, instruction, shared);
  else if (!instruction.left_transposed)
    tg_block_product<TILE, true, true>(memory, instruction, shared);
  else if (!instruction.right_transposed)
    tg_block_product<TILE, false, false>(memory, instruction, shared);
  else
    tg_block_product<TILE, false, true>(memory, instruction, shared);
}

/** Products through registers, on any card. */
template <typename TILE> struct TgTileEngine {
  using Element = typename TILE::Element;
  static constexpr int threads = TILE::threads, rows = TILE::rows, columns = TILE::columns;
  static constexpr int shared_bytes = TILE::elements * sizeof(Element);
  static constexpr bool has_aside = false;

  __device__ void begin(Element *) {}
  __device__ int multiply(const TgBlocksRun &run, const TgBlocksInstruction &instruction, Element *shared, TgAside *) {
    tg_multiply<TILE>(static_cast<Element *>(run.memory), instruction, shared);
    return 0;
  }
  __device__ void publish() {}
};

/** Executes one instruction, and returns how many copies after it. */
template <typename ENGINE, typename T = typename ENGINE::Element>
__device__ inline int tg_execute(ENGINE &engine, const TgBlocksRun &run, const TgBlocksInstruction &instruction,
                                 T *shared, TgAside *aside) {
  T *memory = static_cast<T *>(run.memory), *target = memory + instruction.target;
  const T *addend = instruction.addend < 0 ? nullptr : memory + instruction.addend;
  const T *left = instruction.left < 0 ? nullptr : memory + instruction.left;
  if (instruction.operation == TG_BLOCKS_MULTIPLY) return engine.multiply(run, instruction, shared, aside);
  if (instruction.operation == TG_BLOCKS_TRANSPOSE)
    tg_turn(target, left, instruction.rows, instruction.columns, shared);
  else
    tg_spread(target, addend, left, instruction.begin, instruction.end);
  return 0;
}

/** The times of one processor, kept by its first thread. */
struct TgTimes {
  TgBlocksTime *time;
  uint64_t before_ns;

  __device__ void begin(const TgBlocksRun &run, int32_t step) {
    if (!run.time || threadIdx.x != 0) return;
    time = run.time + (int64_t)blockIdx.x * run.steps + step - 1;
    before_ns = tg_clock_ns();
    if (!time->begin_ns) time->begin_ns = before_ns;
  }
  __device__ void waited(const TgBlocksRun &run) const {
    if (run.time && threadIdx.x == 0) time->waited_ns += tg_clock_ns() - before_ns;
  }
  __device__ void end(const TgBlocksRun &run) const {
    if (run.time && threadIdx.x == 0) time->end_ns = tg_clock_ns();
  }
};

template <typename ENGINE, int RESIDENT>
__global__ void __launch_bounds__(ENGINE::threads, RESIDENT) tg_blocks_kernel(const TgBlocksRun run) {
  extern __shared__ __align__(128) unsigned char bytes[];
  __shared__ TgBlocksInstruction instruction;
  __shared__ TgAside aside;
  auto *const shared = reinterpret_cast<typename ENGINE::Element *>(bytes);
  const int processor = blockIdx.x;
  const int64_t first = run.first[processor], end = run.first[processor + 1];
  if (run.stalled == processor + 1) return;
  ENGINE engine;
  TgTimes times;
  engine.begin(shared);
  for (int64_t i = first; i < end; i++) {
    constexpr int words = sizeof instruction / sizeof(int32_t);
    if (threadIdx.x < words)
      reinterpret_cast<int32_t *>(&instruction)[threadIdx.x] =
          reinterpret_cast<const int32_t *>(run.instruction + i)[threadIdx.x];
    if (ENGINE::has_aside && threadIdx.x == 0) tg_find_aside(run, i, end, &aside);
    __syncthreads();
    times.begin(run, instruction.step);
    if (run.delay_ns) tg_delay(run, i);
    if (!tg_await_all(run, instruction)) return;
    times.waited(run);
    i += tg_execute(engine, run, instruction, shared, &aside);
    engine.publish();
    __syncthreads();
    if (threadIdx.x == 0) tg_write_counter(run.done + (int64_t)processor * TG_BLOCKS_STRIDE, (uint32_t)(i - first + 1));
    times.end(run);
  }
}

/** A kernel with its shape. */
struct TgBlocksKernel {
  const void *kernel;
  int threads, rows, columns;
  int shared_bytes;
  int capability;   /* least, major * 10 + minor; 0: any */
  int panel, inner; /* of the layout that it needs; 0: none */
};

/** That of blocks-bulk.cu. */
TgBlocksKernel tg_blocks_bulk();

#endif
