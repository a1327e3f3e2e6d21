/* Operands as tensor.cu reads them: B split, and A where its lines do not lie along k or are not aligned. */
#include "tensor-layout.cuh"

#include "launch.cuh"
#include "layout.cuh"
#include "wgmma.cuh"

namespace {

constexpr int side = tg_square;

/* high + low = source, or its transpose: 12 bytes an element. `lines` x `length` is what is written, k along `length`.
 */
template <bool TURNED>
__global__ void split(const float *__restrict__ source, int64_t source_row, float *__restrict__ high,
                      float *__restrict__ low, int64_t row, int lines, int length) {
  __shared__ float square[side][side + 1];
  const int across = (length + side - 1) / side, square_x = blockIdx.x % across * side,
            square_y = blockIdx.x / across * side;
  const int x = square_x + threadIdx.x, y = square_y + threadIdx.y; /* of what is written */
  cudaTriggerProgrammaticLaunchCompletion(); /* the kernel after this one waits for what it reads */
  if (TURNED) {
    const int from_x = square_y + threadIdx.x, from_y = square_x + threadIdx.y;
    for (int i = 0; i < side; i += tg_square_rows)
      if (from_x < lines && from_y + i < length)
        square[threadIdx.y + i][threadIdx.x] = source[(from_y + i) * source_row + from_x];
    __syncthreads();
  }
  for (int i = 0; i < side; i += tg_square_rows) {
    if (x >= length || y + i >= lines) continue;
    const float value = TURNED ? square[threadIdx.x][threadIdx.y + i] : source[(y + i) * source_row + x];
    const float first = __uint_as_float(tg_tf32(value));
    high[(y + i) * row + x] = first;
    low[(y + i) * row + x] = __uint_as_float(tg_tf32(value - first));
  }
}

int64_t bytes(int64_t lines, int64_t k) {
  return (lines * tg_padded(k) * static_cast<int64_t>(sizeof(float)) + 255) / 256 * 256;
}

bool is_laid(const TgGemm *gemm) {
  return gemm->transpose_a || !tg_is_aligned(gemm->a, gemm->lda);
}

cudaError_t lay_out_a(const TgGemm *gemm, float *target, CUtensorMap *map, cudaStream_t stream) {
  const int m = static_cast<int>(gemm->m), k = static_cast<int>(gemm->k);
  const TgStored a = {static_cast<const float *>(gemm->a), gemm->lda, gemm->transpose_a != 0, m, k};
  const bool laid = is_laid(gemm);
  const cudaError_t status = laid ? tg_lay_out(a, target, stream) : cudaSuccess;
  if (status != cudaSuccess) return status;
  return tg_map_matrix(map, laid ? target : a.from, TG_F32, m, k, laid ? tg_padded(k) : gemm->lda, tensor::rows,
                       tensor::depth, true);
}

cudaError_t split_b(const TgGemm *gemm, float *high, float *low, tensor::Maps *maps, cudaStream_t stream) {
  const int n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  const int64_t row = tg_padded(k);
  const auto kernel = gemm->transpose_b ? split<false> : split<true>;
  kernel<<<tg_count_squares(n, k), dim3(side, tg_square_rows), 0, stream>>>(static_cast<const float *>(gemm->b),
                                                                            gemm->ldb, high, low, row, n, k);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess)
    status = tg_map_matrix(&maps->b_high, high, TG_F32, n, k, row, tensor::columns, tensor::depth, true);
  if (status == cudaSuccess)
    status = tg_map_matrix(&maps->b_low, low, TG_F32, n, k, row, tensor::columns, tensor::depth, true);
  return status;
}

} // namespace

int64_t tensor::workspace(const TgGemm *gemm) {
  return 2 * bytes(gemm->n, gemm->k) + (is_laid(gemm) ? bytes(gemm->m, gemm->k) : 0);
}

cudaError_t tensor::prepare(const TgGemm *gemm, Maps *maps) {
  const auto stream = static_cast<cudaStream_t>(gemm->stream);
  auto *space = static_cast<unsigned char *>(gemm->workspace);
  const int64_t part = bytes(gemm->n, gemm->k);
  const cudaError_t status = lay_out_a(gemm, reinterpret_cast<float *>(space + 2 * part), &maps->a, stream);
  if (status != cudaSuccess) return status;
  return split_b(gemm, reinterpret_cast<float *>(space), reinterpret_cast<float *>(space + part), maps, stream);
}
