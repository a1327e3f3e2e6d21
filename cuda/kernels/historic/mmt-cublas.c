/* M·M' by cuBLAS, in f32 without TF32. Which operand is transposed makes no difference to a symmetric result, nor does
 * the library's order by columns. 2d^3 operations: its product does not know of the symmetry. As printed beta is 1, so
 * that the product is added to whatever R holds. The paper also makes a handle within every call; the ladder's is made
 * once a thread. */
#include "launch.h"
#include "rung.h"

cudaError_t tg_historic_launch_mmt_cublas(const TgHistoricRun *run, const TgHistoricShape *shape, int32_t variant) {
  const bool printed = variant == 0;
  const TgGemm gemm = {.element = TG_F32,
                       .transpose_b = 1,
                       .add = printed,
                       .m = run->m,
                       .n = run->n,
                       .k = run->k,
                       .a = run->a,
                       .b = run->a,
                       .c = run->c,
                       .lda = run->k,
                       .ldb = run->k,
                       .ldc = run->n,
                       .stream = run->stream};
  (void)shape;
  return tg_rung_cublas(&gemm);
}
