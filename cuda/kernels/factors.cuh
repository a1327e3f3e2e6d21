/** @file factors.cuh
 * Private to cuda/kernels/: the innermost step of kernels of 8 x 8 elements of C a thread, of whose rows and columns
 * four lie together and four more 32 rows or 16 columns on: a warp has 64 x 32. */
#ifndef TG_FACTORS_CUH
#define TG_FACTORS_CUH

/** What a thread has of A' and B: this step's and the next one's. Both lie along C in shared memory. */
struct TgFactors {
  float4 a[2][2], b[2][2];

  __device__ __forceinline__ void load(int which, const float *a_from, const float *b_from) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      a[which][h] = *reinterpret_cast<const float4 *>(a_from + h * 32);
      b[which][h] = *reinterpret_cast<const float4 *>(b_from + h * 16);
    }
  }

  /** The 64 multiply-adds of a step. There and back, so that the operand of the turn is reused; with HALVES the lower
   * rows begin with the other half of the columns: in some kernels fewer factors then lie in the bank of their sum. */
  template <bool HALVES> __device__ __forceinline__ void multiply(int which, float (*sums)[8]) const {
    const float *left = reinterpret_cast<const float *>(a[which]), *right = reinterpret_cast<const float *>(b[which]);
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int t = 0; t < 8; t++) {
        const int j = (i & 1 ? 7 - t : t) ^ (HALVES && i >= 4 ? 4 : 0);
        sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
      }
  }
};

#endif
