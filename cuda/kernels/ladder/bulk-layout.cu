/* Operands as bulk-core.cuh reads them: A' (k x m) and B (k x n), rows a multiple of 16 bytes apart. */
#include "rung.h"

#include "bulk-core.cuh"
#include "layout.cuh"

namespace {

bool moves(const TgStored &operand) {
  return operand.transposed || !tg_is_aligned(operand.from, operand.from_row);
}

int64_t bytes(const TgStored &operand) {
  int64_t needed = moves(operand) ? operand.rows * tg_padded(operand.columns) * static_cast<int64_t>(sizeof(float)) : 0;
  return (needed + 255) / 256 * 256;
}

TgStored left(const TgGemm *gemm) {
  return {static_cast<const float *>(gemm->a), gemm->lda, !gemm->transpose_a, static_cast<int>(gemm->k),
          static_cast<int>(gemm->m)};
}

TgStored right(const TgGemm *gemm) {
  return {static_cast<const float *>(gemm->b), gemm->ldb, gemm->transpose_b != 0, static_cast<int>(gemm->k),
          static_cast<int>(gemm->n)};
}

cudaError_t lay_out(const TgStored &operand, float *target, CUtensorMap *map, cudaStream_t stream) {
  const bool is_moved = moves(operand);
  const cudaError_t status = is_moved ? tg_lay_out(operand, target, stream) : cudaSuccess;
  if (status != cudaSuccess) return status;
  return tg_map_matrix(map, is_moved ? target : operand.from, TG_F32, operand.rows, operand.columns,
                       is_moved ? tg_padded(operand.columns) : operand.from_row, bulk::depth, bulk::tile, false);
}

} // namespace

int64_t bulk::workspace(const TgGemm *gemm) {
  return bytes(left(gemm)) + bytes(right(gemm));
}

cudaError_t bulk::prepare(const TgGemm *gemm, CUtensorMap *a_map, CUtensorMap *b_map, Problem *problem) {
  auto stream = static_cast<cudaStream_t>(gemm->stream);
  auto *first = static_cast<unsigned char *>(gemm->workspace);
  *problem = problem_of(gemm, tile, tile);
  /* What is laid out last is what the kernel waits for: B first, so that A's transposition overlaps its launch. */
  const cudaError_t status = lay_out(right(gemm), reinterpret_cast<float *>(first + bytes(left(gemm))), b_map, stream);
  if (status != cudaSuccess) return status;
  return lay_out(left(gemm), reinterpret_cast<float *>(first), a_map, stream);
}
