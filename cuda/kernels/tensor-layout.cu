/* Operands as tensor.cu reads them: B split, and A where its lines do not lie along k or are not aligned. */
#include "tensor-layout.cuh"

#include "launch.cuh"
#include "wgmma.cuh"

namespace {

constexpr int side = 32, rows_at_once = 8;

/* high + low = source, or its transpose; HALVES: 12 bytes an element, else high is the source itself. `lines` x
 * `length` is what is written, k along `length`. */
template <bool TURNED, bool HALVES>
__global__ void lay(const float *__restrict__ source, int64_t source_row, float *__restrict__ high,
                    float *__restrict__ low, int64_t row, int lines, int length) {
  __shared__ float square[side][side + 1];
  const int across = (length + side - 1) / side, square_x = blockIdx.x % across * side,
            square_y = blockIdx.x / across * side;
  const int x = square_x + threadIdx.x, y = square_y + threadIdx.y; /* of what is written */
  cudaTriggerProgrammaticLaunchCompletion(); /* the kernel after this one waits for what it reads */
  if (TURNED) {
    const int from_x = square_y + threadIdx.x, from_y = square_x + threadIdx.y;
    for (int i = 0; i < side; i += rows_at_once)
      if (from_x < lines && from_y + i < length)
        square[threadIdx.y + i][threadIdx.x] = source[(from_y + i) * source_row + from_x];
    __syncthreads();
  }
  for (int i = 0; i < side; i += rows_at_once) {
    if (x >= length || y + i >= lines) continue;
    const float value = TURNED ? square[threadIdx.x][threadIdx.y + i] : source[(y + i) * source_row + x];
    const float first = HALVES ? __uint_as_float(tg_tf32(value)) : value;
    high[(y + i) * row + x] = first;
    if (HALVES) low[(y + i) * row + x] = __uint_as_float(tg_tf32(value - first));
  }
}

int64_t padded(int64_t k) {
  return (k + 3) / 4 * 4;
}

int64_t bytes(int64_t lines, int64_t k) {
  return (lines * padded(k) * static_cast<int64_t>(sizeof(float)) + 255) / 256 * 256;
}

bool is_laid(const TgGemm *gemm) {
  return gemm->transpose_a || !tg_is_aligned(gemm->a, gemm->lda);
}

/* Where a matrix is laid out, `low` only if it is split. */
struct Layout {
  const void *source;
  int64_t source_row;
  bool turned;
  int lines, k;
  float *high, *low;
};

cudaError_t lay_out(const Layout &to, cudaStream_t stream) {
  auto kernel =
      to.low ? (to.turned ? lay<true, true> : lay<false, true>) : (to.turned ? lay<true, false> : lay<false, false>);
  const int64_t across = (to.k + side - 1) / side, down = (to.lines + side - 1) / side;
  const dim3 grid(static_cast<unsigned>(across * down)); /* in one dimension: the others end at 65535 */
  kernel<<<grid, dim3(side, rows_at_once), 0, stream>>>(static_cast<const float *>(to.source), to.source_row, to.high,
                                                        to.low, padded(to.k), to.lines, to.k);
  return cudaGetLastError();
}

} // namespace

int64_t tensor::workspace(const TgGemm *gemm) {
  return 2 * bytes(gemm->n, gemm->k) + (is_laid(gemm) ? bytes(gemm->m, gemm->k) : 0);
}

cudaError_t tensor::prepare(const TgGemm *gemm, Maps *maps) {
  auto stream = static_cast<cudaStream_t>(gemm->stream);
  auto *space = static_cast<unsigned char *>(gemm->workspace);
  const int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  const Layout b = {gemm->b,
                    gemm->ldb,
                    !gemm->transpose_b,
                    n,
                    k,
                    reinterpret_cast<float *>(space),
                    reinterpret_cast<float *>(space + bytes(n, k))};
  const Layout a = {
      gemm->a, gemm->lda, gemm->transpose_a != 0, m, k, reinterpret_cast<float *>(space + 2 * bytes(n, k)), nullptr};
  cudaError_t status = is_laid(gemm) ? lay_out(a, stream) : cudaSuccess;
  if (status == cudaSuccess) status = lay_out(b, stream);
  if (status == cudaSuccess)
    status = is_laid(gemm) ? tg_map_matrix(&maps->a, a.high, TG_F32, m, k, padded(k), rows, depth, true)
                           : tg_map_matrix(&maps->a, gemm->a, TG_F32, m, k, gemm->lda, rows, depth, true);
  if (status == cudaSuccess)
    status = tg_map_matrix(&maps->b_high, b.high, TG_F32, n, k, padded(k), columns, depth, true);
  if (status == cudaSuccess) status = tg_map_matrix(&maps->b_low, b.low, TG_F32, n, k, padded(k), columns, depth, true);
  return status;
}
