/* tiled: squares of 32 x 32 of A and B in shared memory, each read 32 times from there. Per square of C and 32 steps of
 * k, 8 KB in f32 for 65536 operations: 8 operations a byte. Each multiply-add still takes two loads from shared memory.
 * A transposed operand is stored down the columns of its square, all 32 elements of a warp into one bank. */
#include "square.cuh"

extern "C" cudaError_t tg_rung_tiled(const TgGemm *gemm) {
  return rung::start_squares<0>(gemm);
}
