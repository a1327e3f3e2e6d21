/* split: bulk, with k divided over the two blocks of a cluster. Where C has too few tiles for all multiprocessors (64
 * of them at m = n = 1024) twice as many work, for 64 KB more a tile through distributed shared memory. */
#include "rung.h"

#include "bulk-core.cuh"

extern "C" cudaError_t tg_rung_split(const TgGemm *gemm) {
  return bulk::start<2>(gemm);
}

extern "C" int64_t tg_rung_split_workspace(const TgGemm *gemm) {
  return bulk::workspace(gemm);
}
