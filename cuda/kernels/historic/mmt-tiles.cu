/* v002 to v004: tiles of M in shared memory, each element read W times from there. 2d^3 operations; 8W^2 bytes of M for
 * 2W^3 of them: W / 4 operations a byte. mmt.cuh draws the tiles and lists the variants.
 *
 *   v002   asks nothing: W must divide d
 *   v003   any d: asks at every multiply-add whether M has this column
 *   v004   any d: all tiles but the last have W columns, so it asks once a tile. As printed the result is that of M
 *          without its last W columns, where W divides d */
#include "mmt.cuh"

namespace {

using namespace mmt;

template <int W, Way WAY> __global__ __launch_bounds__(W *W) void v002(const historic::Task task) {
  __shared__ Tile<W, WAY> a, b;
  const Problem of = problem_of(task);
  const Place at = place_of<W, WAY>(of.d);
  const int x = static_cast<int>(blockIdx.x) * W, y = static_cast<int>(blockIdx.y) * W;
  float sum = 0;
  for (int s = 0; s < of.d; s += W) {
    a.at[at.down][at.along] = of.m[(x + at.down) * of.d + s + at.along];
    b.at[at.down][at.along] = of.m[(y + at.down) * of.d + s + at.along];
    __syncthreads();
    add(sum, a, b, at, W);
    __syncthreads(); /* before the next tiles are loaded */
  }
  of.r[at.i * of.d + at.j] = sum;
}

template <int W, Way WAY> __global__ __launch_bounds__(W *W) void v003(const historic::Task task) {
  __shared__ Tile<W, WAY> a, b;
  const Problem of = problem_of(task);
  const Place at = place_of<W, WAY>(of.d);
  float sum = 0;
  for (int s = 0; s < of.d; s += W) {
    fetch(a, of, static_cast<int>(blockIdx.x) * W, s, at);
    fetch(b, of, static_cast<int>(blockIdx.y) * W, s, at);
    __syncthreads();
    if (at.inside)
      for (int k = 0; k < W; k++)
        if (s + k < of.d) sum += a.at[at.down][k] * b.at[at.along][k];
    __syncthreads();
  }
  if (at.inside) of.r[at.i * of.d + at.j] = sum;
}

template <int W, Way WAY> __global__ __launch_bounds__(W *W) void v004(const historic::Task task) {
  __shared__ Tile<W, WAY> a, b;
  const Problem of = problem_of(task);
  const Place at = place_of<W, WAY>(of.d);
  float sum = 0;
  for (int s = 0; s < of.d; s += W) {
    fetch(a, of, static_cast<int>(blockIdx.x) * W, s, at);
    fetch(b, of, static_cast<int>(blockIdx.y) * W, s, at);
    __syncthreads();
    if (at.inside && s + W < of.d)
      add(sum, a, b, at, W);
    else if (at.inside)
      add(sum, a, b, at, last_columns<WAY>(of.d, W));
    __syncthreads();
  }
  if (at.inside) of.r[at.i * of.d + at.j] = sum;
}

} // namespace

extern "C" cudaError_t tg_historic_launch_mmt_v002(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {v002<4, corrected>, v002<8, corrected>, v002<16, corrected>, v002<32, corrected>},
      {v002<4, coalesced>, v002<8, coalesced>, v002<16, coalesced>, v002<32, coalesced>}};
  return historic::start(run, shape, kernels[variant == coalesced]);
}

extern "C" cudaError_t tg_historic_launch_mmt_v003(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {v003<4, corrected>, v003<8, corrected>, v003<16, corrected>, v003<32, corrected>},
      {v003<4, coalesced>, v003<8, coalesced>, v003<16, coalesced>, v003<32, coalesced>}};
  return historic::start(run, shape, kernels[variant == coalesced]);
}

extern "C" cudaError_t tg_historic_launch_mmt_v004(const TgHistoricRun *run, const TgHistoricShape *shape,
                                                   int32_t variant) {
  static const historic::Kernel kernels[][4] = {
      {v004<4, printed>, v004<8, printed>, v004<16, printed>, v004<32, printed>},
      {v004<4, corrected>, v004<8, corrected>, v004<16, corrected>, v004<32, corrected>},
      {v004<4, coalesced>, v004<8, coalesced>, v004<16, coalesced>, v004<32, coalesced>}};
  return historic::start(run, shape, kernels[variant]);
}
