/* v005 to v007: v004 for half of R. R is symmetric: blocks on one side of the diagonal end at once, the others store
 * each element twice. 2d operations for each element of tg_mmt_triangle(), d^3 and a little; half of the bytes that
 * v004 reads. One of the two stores goes down the columns of R.
 *
 *        R, blocks (x, y)
 *      +--+--+--+--+
 *      |=#|##|##|##|    #: computed and stored, here and at its mirror image
 *      +--+--+--+--+    =: a block on the diagonal computes all of its tile. Two threads store each element there, sums
 *      |  |=#|##|##|       of the same products in the same order
 *      +--+--+--+--+
 *
 *   v005   just that
 *   v006   blocks on the diagonal load one tile at a time, not the same one twice: B of B (B + 1) / 2 blocks, for B
 *          tiles a side, save half of their bytes
 *   v007   v005 with the innermost loop written out, in the paper for W = 8; here W statements whatever W is. The
 *          compiler unrolls the loop of v005, too, whose length it knows */
#include "mmt.cuh"

#include <utility>

namespace {

using namespace mmt;

enum Loop { rolled, written_out };

/* W statements, not a loop. */
template <int W, Way WAY, int... K>
__device__ __forceinline__ void add_all(float &sum, const Tile<W, WAY> &a, const Tile<W, WAY> &b, const Place &at,
                                        std::integer_sequence<int, K...>) {
  ((sum += a.at[at.down][K] * b.at[at.along][K]), ...);
}

/* The sum of one element over all tiles; `alone`: b is a, and loaded once. */
template <int W, Way WAY, Loop LOOP>
__device__ __forceinline__ float sum_of(Tile<W, WAY> &a, Tile<W, WAY> &b, bool alone, const Problem &of,
                                        const Place &at) {
  float sum = 0;
  for (int s = 0; s < of.d; s += W) {
    fetch(a, of, static_cast<int>(blockIdx.x) * W, s, at);
    if (!alone) fetch(b, of, static_cast<int>(blockIdx.y) * W, s, at);
    __syncthreads();
    if (at.inside && s + W < of.d) {
      if (LOOP == written_out)
        add_all(sum, a, b, at, std::make_integer_sequence<int, W>());
      else
        add(sum, a, b, at, W);
    } else if (at.inside) {
      add(sum, a, b, at, last_columns<WAY>(of.d, W));
    }
    __syncthreads();
  }
  return sum;
}

__device__ __forceinline__ void store_twice(const Problem &of, const Place &at, float sum) {
  if (at.inside) of.r[at.j * of.d + at.i] = of.r[at.i * of.d + at.j] = sum;
}

template <int W, Way WAY, Loop LOOP> __global__ __launch_bounds__(W *W) void half(const historic::Task task) {
  __shared__ Tile<W, WAY> a, b;
  if (blockIdx.x > blockIdx.y) return; /* the whole block */
  const Problem of = problem_of(task);
  const Place at = place_of<W, WAY>(of.d);
  store_twice(of, at, sum_of<W, WAY, LOOP>(a, b, false, of, at));
}

template <int W, Way WAY> __global__ __launch_bounds__(W *W) void v006(const historic::Task task) {
  __shared__ Tile<W, WAY> a, b;
  if (blockIdx.x > blockIdx.y) return;
  const Problem of = problem_of(task);
  const Place at = place_of<W, WAY>(of.d);
  const float sum = blockIdx.x == blockIdx.y ? sum_of<W, WAY, rolled>(a, a, true, of, at)
                                             : sum_of<W, WAY, rolled>(a, b, false, of, at);
  store_twice(of, at, sum);
}

template <Loop LOOP> cudaError_t start_half(const TgHistoricRun *run, const TgHistoricShape *shape, int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {half<4, printed, LOOP>, half<8, printed, LOOP>, half<16, printed, LOOP>, half<32, printed, LOOP>},
      {half<4, corrected, LOOP>, half<8, corrected, LOOP>, half<16, corrected, LOOP>, half<32, corrected, LOOP>},
      {half<4, coalesced, LOOP>, half<8, coalesced, LOOP>, half<16, coalesced, LOOP>, half<32, coalesced, LOOP>}};
  return historic::start(run, shape, kernels[variant]);
}

} // namespace

extern "C" cudaError_t tg_historic_launch_mmt_v005(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  return start_half<rolled>(run, shape, variant);
}

extern "C" cudaError_t tg_historic_launch_mmt_v006(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {v006<4, printed>, v006<8, printed>, v006<16, printed>, v006<32, printed>},
      {v006<4, corrected>, v006<8, corrected>, v006<16, corrected>, v006<32, corrected>},
      {v006<4, coalesced>, v006<8, coalesced>, v006<16, coalesced>, v006<32, coalesced>}};
  return historic::start(run, shape, kernels[variant]);
}

extern "C" cudaError_t tg_historic_launch_mmt_v007(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  return start_half<written_out>(run, shape, variant);
}
