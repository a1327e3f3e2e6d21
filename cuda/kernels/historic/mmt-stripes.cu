/* v008, v009: a block takes a stripe of W columns of M into shared memory, all d rows of it, and adds to every element
 * of R the part that these columns give:
 *
 *        M, d columns                           R
 *      +--+--+--+--+-+                   +-------------+
 *      |  |##|  |  | |    all rows by    | + + + + + + |   the W x W threads go through all d^2 elements; each sum of W
 *      |  |##|  |  | |    all rows       | + + + + + + |   products is added atomically
 *      |  |##|  |  | |        ->         | + + + + + + |
 *      +--+--+--+--+-+                   +-------------+
 *         block y
 *
 * 2d^3 operations. 4d^2 bytes of M are read, each element once; but every stripe adds to 4d^2 bytes of R, d / W times
 * in all: W / 2 operations a byte that is added to. The stripe has room for 1024 rows, 4096 W bytes; the paper's fixed
 * array ends at 48 KB, W = 8.
 *
 *   v008   row by row: element (i, k) is word i W + k. Lanes that differ in threadIdx.x take elements of R that lie W
 *          apart, hence rows of the stripe W^2 words apart: at W = 8 a warp meets four banks, eight rows at each
 *   v009   column by column: element (i, k) is word 1024 k + i. At W = 8 a warp meets sixteen banks, two rows at each
 *
 * R must be zero before. As printed nobody sees to that, and the last stripe has d % W columns, none where W divides d.
 * Sums meet R in any order, so the last digits differ from run to run. */
#include "mmt.cuh"

namespace {

using namespace mmt;

/* How the stripe lies in shared memory. */
enum Lie { by_rows, by_columns };

template <int W, Lie LIE> __device__ __forceinline__ int word(int row, int column) {
  return LIE == by_rows ? row * W + column : column * TG_MMT_STRIPE_ROWS + row;
}

template <int W, Way WAY, Lie LIE> __global__ __launch_bounds__(W *W) void add_stripe(const historic::Task task) {
  float *stripe = historic::dynamic_memory<float>();
  const Problem of = problem_of(task);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.y) * W + y;
  for (int row = x; row < of.d; row += W)
    if (column < of.d) stripe[word<W, LIE>(row, y)] = of.m[row * of.d + column];
  __syncthreads();
  const int columns = blockIdx.y + 1 < gridDim.y ? W : last_columns<WAY>(of.d, W);
  for (int number = x * W + y; number < of.d * of.d; number += W * W) {
    const int i = number / of.d, j = number % of.d;
    float sum = 0;
    for (int k = 0; k < columns; k++) sum += stripe[word<W, LIE>(i, k)] * stripe[word<W, LIE>(j, k)];
    atomicAdd(&of.r[number], sum);
  }
}

/* More shared memory than 48 KB has to be asked for. */
cudaError_t start_stripes(const TgHistoricRun *run, const TgHistoricShape *shape,
                          const historic::Kernel (&kernels)[3]) {
  for (historic::Kernel kernel : kernels) {
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shape->dynamic_bytes);
    if (status != cudaSuccess) return status;
  }
  return historic::start(run, shape, kernels);
}

template <Lie LIE> cudaError_t start(const TgHistoricRun *run, const TgHistoricShape *shape, int32_t variant) {
  if (variant == printed)
    return start_stripes(run, shape,
                         {add_stripe<4, printed, LIE>, add_stripe<8, printed, LIE>, add_stripe<16, printed, LIE>});
  const cudaError_t status = historic::zero(run);
  if (status != cudaSuccess) return status;
  return start_stripes(run, shape,
                       {add_stripe<4, corrected, LIE>, add_stripe<8, corrected, LIE>, add_stripe<16, corrected, LIE>});
}

} // namespace

extern "C" cudaError_t tg_historic_launch_mmt_v008(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  return start<by_rows>(run, shape, variant);
}

extern "C" cudaError_t tg_historic_launch_mmt_v009(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  return start<by_columns>(run, shape, variant);
}
