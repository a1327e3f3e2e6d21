/* In place of cuBLAS for kernels that run on the CPU: the products in f32 that the papers ask it for. */
#include "rung.h"

static float operand(const void *x, int64_t row, bool transposed, int64_t i, int64_t j) {
  return ((const float *)x)[transposed ? j * row + i : i * row + j];
}

cudaError_t tg_rung_cublas(const TgGemm *gemm) {
  for (int64_t i = 0; i < gemm->m; i++)
    for (int64_t j = 0; j < gemm->n; j++) {
      float *c = (float *)gemm->c + i * gemm->ldc + j, sum = 0;
      for (int64_t l = 0; l < gemm->k; l++)
        sum +=
            operand(gemm->a, gemm->lda, gemm->transpose_a, i, l) * operand(gemm->b, gemm->ldb, gemm->transpose_b, l, j);
      *c = gemm->add ? *c + sum : sum;
    }
  return cudaSuccess;
}
