/* registers: 8 x 8 elements of C a thread, 128 x 128 a block. Per step of k a thread loads 16 elements from shared
 * memory for 64 multiply-adds, a quarter of a load each. Per tile and 16 steps, 16 KB in f32 for 524288 operations: 32
 * a byte. */
#include "patch.cuh"

extern "C" cudaError_t tg_rung_registers(const TgGemm *gemm) {
  return rung::start_patches<1, 1>(gemm);
}
