/* padded: tiled, with 33 elements to a row of a square: neighbours down a column lie in different banks, and transposed
 * operands cost what the others do. Bytes and operations are those of tiled. */
#include "square.cuh"

extern "C" cudaError_t tg_rung_padded(const TgGemm *gemm) {
  return rung::start_squares<1>(gemm);
}
