/* Executor `threads`: a thread is a processor, and executes its instructions of the program (threads-program.h). A
 * thread block is one instance of the schedule after another, each over a tile of C and all panels of K.
 *
 *   shared memory   | blocks of the schedule, one element each, in one or two planes | sums of the tile |
 *
 *   for each panel: load A and B | barrier | level | barrier | level | barrier … | add C to the sums | barrier
 *
 * A row of the program is 32 instructions of 8 bytes, which a warp reads in two transactions. Sums belong to the thread
 * that adds and stores them, so they need no barrier of their own. The first block takes times: one thread of each warp
 * reads the clock before and after every barrier, the other blocks run undisturbed. */
#include "launch.cuh"
#include "threads-launch.h"

enum { LONGEST_WAIT = 1 << 22 }; /* cycles: for a nanosecond clock that stands still */

__device__ inline uint64_t tg_threads_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/** Both clocks, just after that of nanoseconds went on: it does so every 32 ns on some cards, every microsecond on
 * others. */
__device__ inline void tg_read_clocks(TgThreadsClocks *clocks, int which) {
  const uint64_t before = tg_threads_ns();
  const int64_t begun = clock64();
  uint64_t now = before;
  while (now == before && clock64() - begun < LONGEST_WAIT) now = tg_threads_ns();
  clocks->cycles[which] = clock64();
  clocks->ns[which] = now;
}

template <typename T> __device__ inline void tg_load_panel(const TgThreadsRun &run, T *memory, const int64_t *at) {
  for (int64_t i = threadIdx.x; i < run.inputs; i += blockDim.x) {
    const TgThreadsInput input = run.input[i];
    const int64_t place = tg_threads_place(&run.tiling.role[input.role], &input, at);
    memory[input.target] = place < 0 ? T(0) : static_cast<const T *>(run.factor[input.role])[place];
  }
}

template <typename T> __device__ inline void tg_execute_one(T *memory, const TgThreadsInstruction &x) {
  switch (x.operation) {
  case TG_THREADS_MULTIPLY_ADD:
    memory[x.target] += memory[x.left] * memory[x.right];
    break;
  case TG_THREADS_MULTIPLY:
    memory[x.target] = memory[x.left] * memory[x.right];
    break;
  case TG_THREADS_COPY:
    memory[x.target] = memory[x.left];
    break;
  case TG_THREADS_ADD:
    memory[x.target] = memory[x.left] + memory[x.right];
    break;
  case TG_THREADS_ZERO:
    memory[x.target] = T(0);
    break;
  default:
    break;
  }
}

/** Where a warp stands in its rows. What comes next is fetched before what is at hand is executed, over barriers as
 * well. */
struct TgCursor {
  const TgThreadsInstruction *next_row;
  const int32_t *next_end;
  TgThreadsInstruction instruction; /* of the first row that is not executed */
  int32_t row, end;                 /* that row, and the end of the level */

  __device__ explicit TgCursor(const TgThreadsRun &run) {
    next_end = run.level_row + threadIdx.x / TG_THREADS_WARP * (int64_t)run.levels;
    row = next_end[0];
    end = next_end[1];
    next_end += 2;
    next_row = run.instruction + (int64_t)row * TG_THREADS_WARP + threadIdx.x % TG_THREADS_WARP;
    instruction = *next_row;
  }

  template <typename T> __device__ void execute_level(T *memory) {
    const int32_t end_after = *next_end++;
    for (; row < end; row++) {
      const TgThreadsInstruction x = instruction;
      next_row += TG_THREADS_WARP;
      instruction = *next_row;
      tg_execute_one(memory, x);
    }
    end = end_after;
  }
};

/** Adds without waiting for what was there. */
__device__ inline void tg_note_time(const TgThreadsRun &run, int step, bool first, int64_t begin, int64_t end,
                                    uint64_t waited) {
  TgThreadsTime *time = run.time + (int64_t)step * run.warps + threadIdx.x / TG_THREADS_WARP;
  if (first) {
    time->begin = begin;
    time->end = end;
  }
  atomicAdd(reinterpret_cast<unsigned long long *>(&time->busy), (unsigned long long)(end - begin) - waited);
  atomicAdd(reinterpret_cast<unsigned long long *>(&time->waited), (unsigned long long)waited);
}

/** The whole schedule once. */
template <typename T>
__device__ inline void tg_run_panel(const TgThreadsRun &run, T *memory, bool is_timed, bool is_first) {
  TgCursor cursor(run);
  for (int step = 0; step < run.steps; step++) {
    const int32_t first = run.step_level[step], end = run.step_level[step + 1];
    const int64_t begin = is_timed ? clock64() : 0;
    uint64_t waited = 0;
    for (int32_t level = first; level < end; level++) {
      cursor.execute_level(memory);
      const int64_t before = is_timed ? clock64() : 0;
      __syncthreads();
      if (is_timed) waited += (uint64_t)(clock64() - before);
    }
    if (is_timed && first < end) tg_note_time(run, step, is_first, begin, clock64(), waited);
  }
}

template <typename T>
__device__ inline void tg_add_panel(const TgThreadsRun &run, const T *memory, T *sums, bool is_first,
                                    int64_t elements) {
  for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) {
    const T value = memory[run.result[e]];
    sums[e] = is_first ? value : sums[e] + value;
  }
}

template <typename T>
__device__ inline void tg_store_tile(const TgThreadsRun &run, const T *sums, int64_t elements, const int64_t *at) {
  for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) {
    const int64_t place = tg_threads_c_place(&run.tiling, e, at);
    if (place >= 0) static_cast<T *>(run.c)[place] = sums[e];
  }
}

template <typename T>
__global__ void __launch_bounds__(TG_THREADS_MOST_PROCESSORS)
    tg_threads_kernel(const __grid_constant__ TgThreadsRun run) {
  extern __shared__ __align__(16) unsigned char tg_threads_shared[];
  T *memory = reinterpret_cast<T *>(tg_threads_shared), *sums = memory + run.elements;
  const int64_t elements = run.tiling.tile[TG_THREADS_TILE_ROW] * run.tiling.tile[TG_THREADS_TILE_COLUMN];
  const bool is_timed = run.time && blockIdx.x == 0 && threadIdx.x % TG_THREADS_WARP == 0;
  if (is_timed && threadIdx.x == 0) tg_read_clocks(run.clocks, 0);
  for (int64_t instance = blockIdx.x; instance < run.instances; instance += gridDim.x) {
    int64_t at[TG_THREADS_NUMBERS] = {0};
    for (int64_t panel = 0; panel < run.tiling.panels; panel++) {
      tg_threads_origin(&run.tiling, instance, panel, at);
      tg_load_panel(run, memory, at);
      __syncthreads();
      tg_run_panel(run, memory, is_timed, instance == 0 && panel == 0);
      tg_add_panel(run, memory, sums, panel == 0, elements);
      __syncthreads(); /* before the next panel takes the places of what is read here */
    }
    tg_store_tile(run, sums, elements, at);
  }
  if (is_timed && threadIdx.x == 0) tg_read_clocks(run.clocks, 1);
}

static const void *const kernels[TG_ELEMENTS] = {reinterpret_cast<const void *>(&tg_threads_kernel<float>),
                                                 reinterpret_cast<const void *>(&tg_threads_kernel<double>)};

bool tg_threads_variant(int32_t element, int32_t threads, int64_t bytes, TgThreadsVariant *variant, TgError *error) {
  cudaFuncAttributes attributes;
  int processors, blocks;
  *variant = {};
  cudaError_t code = cudaFuncGetAttributes(&attributes, kernels[element]);
  if (code == cudaSuccess) code = tg_ask_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, &variant->shared_bytes);
  if (code == cudaSuccess) code = tg_count_processors(&processors);
  if (code != cudaSuccess) return tg_call_failed(error, "asking for the limits of a block of threads", code);
  variant->threads_max = attributes.maxThreadsPerBlock;
  variant->shared_bytes -= (int32_t)attributes.sharedSizeBytes;
  if (threads > variant->threads_max || bytes > variant->shared_bytes) return true;
  code = cudaFuncSetAttribute(kernels[element], cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (code == cudaSuccess)
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels[element], threads, (size_t)bytes);
  if (code != cudaSuccess) return tg_call_failed(error, "asking how many blocks of threads are resident", code);
  variant->resident = blocks * processors;
  return true;
}

bool tg_threads_start(int32_t element, const TgThreadsRun *run, int64_t bytes, TgError *error) {
  TgThreadsRun copy = *run;
  void *arguments[] = {&copy};
  cudaError_t code = cudaFuncSetAttribute(kernels[element], cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (code == cudaSuccess)
    code = cudaLaunchKernel(kernels[element], dim3((unsigned)run->blocks), dim3((unsigned)run->processors), arguments,
                            (size_t)bytes, nullptr);
  return code == cudaSuccess || tg_call_failed(error, "the threads did not start", code);
}
