/* bulk: tiles by the copy engine. Per tile of C, k/32 rounds of 32 KB: 2mnk operations for 4(m n k / 64 + m n) bytes,
 * 32 operations a byte, far above what the second-level cache needs to keep up. A is laid out as its transpose first:
 * 8mk bytes, under 2% of the time from m = n = k = 2048 on. */
#include "rung.h"

#include "bulk-core.cuh"

extern "C" cudaError_t tg_rung_bulk(const TgGemm *gemm) {
  return bulk::start<1>(gemm);
}

extern "C" int64_t tg_rung_bulk_workspace(const TgGemm *gemm) {
  return bulk::workspace(gemm);
}
