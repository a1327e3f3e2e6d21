/* matrixMulDS: squares of A and B in shared memory (T. Dobravec, P. Bulić, 2017, listing 4, from NVIDIA's samples). A
 * block of W x W threads computes a square of C:
 *
 *        A            B              C
 *      +--------+   +----+----+   +----+----+     for each pair of squares along k: each thread loads an element of
 *      |=>=>    |   |    | || |   |    |    |     both, barrier, W multiply-adds a thread, barrier
 *      +--------+   |    | \/ |   |    | W²<------ block (x, y)
 *      |        |   |    |    |   |    |    |
 *      +--------+   +----+----+   +----+----+
 *
 * 2mnk operations; 8W^2 bytes of A and B for 2W^3 of them: W / 4 operations a byte.
 *
 *   fixed      W is known when it is compiled
 *   run-time   W is the launch's: the squares lie one after the other in shared memory that the launch asks for, and
 *              their indices are computed (section 3.3). A block of 1 thread has squares of one element, and 31 idle
 *              lanes
 *
 * As printed the grid has no remainder, as in dobravec-global.cu, and the last square of A and of B is read whole,
 * wherever k ends: what follows in A is its next row, what follows B is nobody's. Such reads give NaN here. Corrected,
 * the grid is rounded up and what is outside is zero. */
#include "historic.cuh"

#include <cmath>

namespace {

/* Element (i, j) of a matrix that is read as printed: by its place alone. */
__device__ __forceinline__ float by_place(const void *x, int64_t rows, int64_t columns, int64_t i, int64_t j) {
  const int64_t place = i * columns + j;
  return place < rows * columns ? static_cast<const float *>(x)[place] : NAN;
}

template <bool PRINTED>
__device__ __forceinline__ float element(const void *x, int64_t rows, int64_t columns, int64_t i, int64_t j) {
  return PRINTED ? by_place(x, rows, columns, i, j) : historic::at<float>(x, rows, columns, i, j);
}

/* WIDTH is the width, or 0: that of the launch. a and b are squares in shared memory. */
template <int WIDTH, bool PRINTED>
__device__ __forceinline__ void multiply(const historic::Task &task, float *a, float *b) {
  const int w = WIDTH ? WIDTH : static_cast<int>(blockDim.x);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t i = static_cast<int64_t>(blockIdx.y) * w + y, j = static_cast<int64_t>(blockIdx.x) * w + x;
  float sum = 0;
  for (int64_t l = 0; l < task.k; l += w) {
    a[y * w + x] = element<PRINTED>(task.a, task.m, task.k, i, l + x);
    b[y * w + x] = element<PRINTED>(task.b, task.k, task.n, l + y, j);
    __syncthreads();
    for (int s = 0; s < w; s++) sum += a[y * w + s] * b[s * w + x];
    __syncthreads(); /* before the next squares are loaded */
  }
  historic::give(task, i, j, sum, false);
}

template <int W, bool PRINTED> __global__ __launch_bounds__(W *W) void fixed(const historic::Task task) {
  __shared__ float a[W * W], b[W * W];
  multiply<W, PRINTED>(task, a, b);
}

__global__ __launch_bounds__(256) void at_run_time(const historic::Task task) {
  float *squares = historic::dynamic_memory<float>();
  multiply<0, false>(task, squares, squares + blockDim.x * blockDim.x);
}

template <bool PRINTED> cudaError_t start(const TgHistoricRun *run, const TgHistoricShape *shape) {
  const historic::Instance instances[] = {{8, {fixed<8, PRINTED>}}, {16, {fixed<16, PRINTED>}}};
  return historic::start(instances, historic::task_of(run, shape), run, shape);
}

} // namespace

extern "C" cudaError_t tg_historic_launch_dobravec_shared(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                          int32_t variant) {
  return variant == 0 ? start<true>(run, shape) : start<false>(run, shape);
}

extern "C" cudaError_t tg_historic_launch_dobravec_run_time(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                            int32_t variant) {
  (void)variant;
  return historic::start(at_run_time, historic::task_of(run, shape), run, shape);
}
