/* The block of cuda_runtime_api.h: threads as coroutines, and their barriers. */
#include "historic.cuh"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <ucontext.h>
#include <vector>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace {

enum State { READY, AT_BLOCK, AT_WARP, DONE };

constexpr size_t stack_bytes = 64 << 10;
constexpr unsigned warp_threads = 32;

struct Thread {
  jmp_buf here;
  State state;
  unsigned mask; /* of the warp's barrier that it waits at */
  uint3 index;
};

/* Its threads live on from block to block of a launch, and of later ones of the same shape. */
struct Block {
  dim3 shape = {0, 0, 0};
  std::vector<Thread> threads;
  std::vector<char> stacks;
  jmp_buf scheduler;
  size_t running;
  historic::Kernel kernel;
  historic::Task task;
};

Block block;
std::mt19937 order(1);

/* A jump does not enter the system, as swapcontext() does to keep signal masks; it needs a context to jump back to. */
void resume(size_t thread) {
  block.running = thread;
  threadIdx = block.threads[thread].index;
  if (_setjmp(block.scheduler) == 0) _longjmp(block.threads[thread].here, 1);
}

void pause(State state, unsigned mask) {
  Thread &thread = block.threads[block.running];
  thread.state = state;
  thread.mask = mask;
  if (_setjmp(thread.here) == 0) _longjmp(block.scheduler, 1);
}

ucontext_t maker;

void live() {
  Thread &thread = block.threads[block.running];
  if (_setjmp(thread.here) == 0) setcontext(&maker);
  for (;;) {
    block.kernel(block.task);
    pause(DONE, 0);
  }
}

void make_threads(const dim3 &shape) {
  const size_t count = static_cast<size_t>(shape.x) * shape.y * shape.z;
  block.shape = shape;
  block.threads.assign(count, Thread{});
  block.stacks.assign(count * stack_bytes, 0);
  for (size_t t = 0; t < count; t++) {
    ucontext_t context;
    const auto number = static_cast<unsigned>(t);
    block.threads[t].index = {number % shape.x, number / shape.x % shape.y, number / shape.x / shape.y};
    block.running = t;
    getcontext(&context);
    context.uc_stack.ss_sp = &block.stacks[t * stack_bytes];
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, live, 0);
    swapcontext(&maker, &context);
  }
}

/* Every thread that can goes on to its next barrier, or to its end; in a random order. */
bool run_ready() {
  std::vector<size_t> ready;
  for (size_t t = 0; t < block.threads.size(); t++)
    if (block.threads[t].state == READY) ready.push_back(t);
  std::shuffle(ready.begin(), ready.end(), order);
  for (size_t t : ready) {
    resume(t);
  }
  return !ready.empty();
}

/* Threads that have ended are not waited for. */
bool all_arrived(size_t first, size_t end, State state, unsigned mask) {
  for (size_t t = first; t < end; t++) {
    const Thread &thread = block.threads[t];
    if (mask >> (t - first) % warp_threads & 1 && thread.state != state && thread.state != DONE) return false;
  }
  return true;
}

void release(size_t first, size_t end, State state, unsigned mask) {
  for (size_t t = first; t < end; t++)
    if (mask >> (t - first) % warp_threads & 1 && block.threads[t].state == state) block.threads[t].state = READY;
}

void open_barriers() {
  const size_t count = block.threads.size();
  for (size_t first = 0; first < count; first += warp_threads) {
    const size_t end = std::min(count, first + warp_threads);
    for (size_t t = first; t < end; t++) {
      const unsigned mask = block.threads[t].mask;
      if (block.threads[t].state == AT_WARP && all_arrived(first, end, AT_WARP, mask))
        release(first, end, AT_WARP, mask);
    }
  }
  if (all_arrived(0, count, AT_BLOCK, ~0u)) release(0, count, AT_BLOCK, ~0u);
}

void run_block() {
  for (Thread &thread : block.threads) thread.state = READY;
  while (run_ready()) open_barriers();
  for (const Thread &thread : block.threads) {
    if (thread.state == DONE) continue;
    std::fprintf(stderr, "a barrier that not all threads reach: block (%u, %u, %u), thread (%u, %u, %u)\n", blockIdx.x,
                 blockIdx.y, blockIdx.z, thread.index.x, thread.index.y, thread.index.z);
    std::abort();
  }
}

} // namespace

void __syncthreads() {
  pause(AT_BLOCK, 0);
}

void __syncwarp(unsigned mask) {
  pause(AT_WARP, mask);
}

namespace historic {

void *dynamic_memory() {
  alignas(16) static char memory[64 << 10];
  return memory;
}

} // namespace historic

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 shape, void **arguments, size_t shared_bytes,
                             cudaStream_t) {
  if (shared_bytes > 64 << 10) return cudaErrorInvalidValue;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaErrorInvalidConfiguration;
  block.kernel = reinterpret_cast<historic::Kernel>(const_cast<void *>(kernel));
  std::memcpy(&block.task, arguments[0], sizeof block.task);
  if (shape.x != block.shape.x || shape.y != block.shape.y || shape.z != block.shape.z) make_threads(shape);
  blockDim = shape;
  gridDim = grid;
  for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
      for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) run_block();
  return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorInvalidValue ? "invalid value"
         : error == cudaSuccess         ? "no error"
                                        : "invalid configuration argument";
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t) {
  std::memset(to, byte, bytes);
  return cudaSuccess;
}
