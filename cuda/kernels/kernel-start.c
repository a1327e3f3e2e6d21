/* The launches behind the names of kernel-table.c. */
#include "rung.h"

#include <string.h>

#define PLAIN(NAME) {#NAME, tg_rung_##NAME, NULL},
#define SPACIOUS(NAME) {#NAME, tg_rung_##NAME, tg_rung_##NAME##_workspace},

static const struct {
  const char *name;
  cudaError_t (*start)(const TgGemm *);
  int64_t (*workspace)(const TgGemm *); /* NULL: needs none */
} rungs[] = {TG_RUNGS(PLAIN, SPACIOUS)};

enum { RUNGS = sizeof rungs / sizeof *rungs };

static int find(const char *name) {
  int r = 0;
  while (r < RUNGS && strcmp(rungs[r].name, name) != 0) r++;
  return r;
}

bool tg_kernel_built(void) {
  return true;
}

int64_t tg_kernel_workspace(const TgKernel *kernel, const TgGemm *gemm) {
  int r = find(kernel->name);
  return r < RUNGS && rungs[r].workspace ? rungs[r].workspace(gemm) : 0;
}

bool tg_kernel_start(const TgKernel *kernel, const TgGemm *gemm, TgError *error) {
  int r = find(kernel->name);
  if (r == RUNGS) return tg_error_set(error, 0, 0, "kernel %s has no code in this build", kernel->name);
  cudaError_t status = rungs[r].start(gemm);
  if (status == cudaSuccess) return true;
  cudaGetLastError(); /* what was refused here is not to be reported by a later call as well */
  return tg_error_set(error, 0, 0, "kernel %s did not start: %s", kernel->name, cudaGetErrorString(status));
}
