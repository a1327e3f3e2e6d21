/** @file apart.cuh
 * Private to cuda/: keeps the registers of sums apart from those that are stored or loaded.
 *
 * Loads and stores of 16 bytes want their four registers side by side, and a compiler that gives sums such registers
 * has no choice left when it comes to their banks: of the 2048 multiply-adds of 8 x 8 sums in 32 steps 1500 then meet a
 * factor in the bank of their sum, against 250, and the kernel loses a quarter of its speed (H200, nvcc 13.0). A zero
 * that the compiler does not know, added before a store and after a load, sets the sums free. */
#ifndef TG_APART_CUH
#define TG_APART_CUH

/** x + zero. In assembly: an ordinary addition would be merged with those of other stores, and the registers with it.
 */
__device__ __forceinline__ float tg_apart(float x, float zero) {
  asm volatile("add.f32 %0, %1, %2;" : "=f"(x) : "f"(x), "f"(zero));
  return x;
}
__device__ __forceinline__ double tg_apart(double x, double zero) {
  asm volatile("add.f64 %0, %1, %2;" : "=d"(x) : "d"(x), "d"(zero));
  return x;
}

#endif
