/* vectors: registers, with four elements of f32 or two of f64 to a load: per step of k 4 loads from shared memory for
 * 64 multiply-adds in f32, and a quarter of the loads and stores of device memory. Bytes and operations are those of
 * registers. Rows that are not aligned to 16 bytes, and edges, are taken element by element. */
#include "patch.cuh"

extern "C" cudaError_t tg_rung_vectors(const TgGemm *gemm) {
  return rung::start_patches<4, 2>(gemm);
}
