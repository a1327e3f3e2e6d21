/* Operands as bulk-core.cuh reads them: A' (k x m) and B (k x n), rows a multiple of 16 bytes apart. */
#include "rung.h"

#include "bulk-core.cuh"

namespace {

constexpr int side = 32, rows_at_once = 8;

/* target (columns x rows) = the transpose of source (rows x columns). 8 bytes an element; through shared memory, whose
 * padding keeps columns off one bank. */
__global__ void transpose(const float *__restrict__ source, int64_t source_row, float *__restrict__ target,
                          int64_t target_row, int rows, int columns) {
  __shared__ float square[side][side + 1];
  cudaTriggerProgrammaticLaunchCompletion(); /* the next kernel may set itself up meanwhile */
  const int across = (columns + side - 1) / side, square_x = blockIdx.x % across * side,
            square_y = blockIdx.x / across * side;
  int x = square_x + threadIdx.x, y = square_y + threadIdx.y;
  for (int i = 0; i < side; i += rows_at_once)
    if (x < columns && y + i < rows) square[threadIdx.y + i][threadIdx.x] = source[(y + i) * source_row + x];
  __syncthreads();
  x = square_y + threadIdx.x;
  y = square_x + threadIdx.y;
  for (int i = 0; i < side; i += rows_at_once)
    if (x < rows && y + i < columns) target[(y + i) * target_row + x] = square[threadIdx.x][threadIdx.y + i];
}

int64_t padded(int64_t columns) {
  return (columns + 3) / 4 * 4;
}

/* An operand of k rows: where it lies, and whether it has to be laid out first. */
struct Operand {
  const float *from;
  int64_t from_row;
  int columns;
  bool turned; /* stored as its transpose */
};

bool moves(const Operand &operand) {
  return operand.turned || !tg_is_aligned(operand.from, operand.from_row);
}

int64_t bytes(const Operand &operand, int64_t k) {
  int64_t needed = moves(operand) ? k * padded(operand.columns) * static_cast<int64_t>(sizeof(float)) : 0;
  return (needed + 255) / 256 * 256;
}

Operand left(const TgGemm *gemm) {
  return {static_cast<const float *>(gemm->a), gemm->lda, static_cast<int>(gemm->m), !gemm->transpose_a};
}

Operand right(const TgGemm *gemm) {
  return {static_cast<const float *>(gemm->b), gemm->ldb, static_cast<int>(gemm->n), gemm->transpose_b != 0};
}

cudaError_t lay_out(const Operand &operand, int k, float *target, CUtensorMap *map, cudaStream_t stream) {
  if (!moves(operand))
    return tg_map_matrix(map, operand.from, TG_F32, k, operand.columns, operand.from_row, bulk::depth, bulk::tile,
                         false);
  int64_t row = padded(operand.columns);
  cudaError_t status = cudaSuccess;
  if (operand.turned) {
    const int64_t across = (k + side - 1) / side, down = (operand.columns + side - 1) / side;
    const dim3 grid(static_cast<unsigned>(across * down)); /* in one dimension: the others end at 65535 */
    transpose<<<grid, dim3(side, rows_at_once), 0, stream>>>(operand.from, operand.from_row, target, row,
                                                             operand.columns, k);
    status = cudaGetLastError();
  } else {
    status = cudaMemcpy2DAsync(target, row * sizeof(float), operand.from, operand.from_row * sizeof(float),
                               operand.columns * sizeof(float), k, cudaMemcpyDeviceToDevice, stream);
  }
  if (status != cudaSuccess) return status;
  return tg_map_matrix(map, target, TG_F32, k, operand.columns, row, bulk::depth, bulk::tile, false);
}

} // namespace

int64_t bulk::workspace(const TgGemm *gemm) {
  return bytes(left(gemm), gemm->k) + bytes(right(gemm), gemm->k);
}

cudaError_t bulk::prepare(const TgGemm *gemm, CUtensorMap *a_map, CUtensorMap *b_map, Problem *problem) {
  auto stream = static_cast<cudaStream_t>(gemm->stream);
  auto *first = static_cast<unsigned char *>(gemm->workspace);
  int m = static_cast<int>(gemm->m), n = static_cast<int>(gemm->n), k = static_cast<int>(gemm->k);
  *problem = {
      static_cast<float *>(gemm->c),     gemm->ldc, m, n, k, (m + tile - 1) / tile, (n + tile - 1) / tile, gemm->add,
      tg_is_aligned(gemm->c, gemm->ldc), 0};
  /* What is laid out last is what the kernel waits for: B first, so that A's transposition overlaps its launch. */
  cudaError_t status =
      lay_out(right(gemm), k, reinterpret_cast<float *>(first + bytes(left(gemm), gemm->k)), b_map, stream);
  if (status != cudaSuccess) return status;
  return lay_out(left(gemm), k, reinterpret_cast<float *>(first), a_map, stream);
}
