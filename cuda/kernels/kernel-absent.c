/* In place of kernel-start.c in a build without CUDA. */
#include "kernel.h"

bool tg_kernel_built(void) {
  return false;
}

int64_t tg_kernel_workspace(const TgKernel *kernel, const TgGemm *gemm) {
  (void)kernel;
  (void)gemm;
  return 0;
}

bool tg_kernel_start(const TgKernel *kernel, const TgGemm *gemm, TgError *error) {
  (void)gemm;
  return tg_error_set(error, 0, 0, "kernel %s cannot run: this build has no CUDA (%s)", kernel->name, TG_CUDA_LACKS);
}
