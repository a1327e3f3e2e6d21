/* The launches behind the names of kernel-table.c. */
#include "rung.h"

#include <string.h>

static const struct {
  const char *name;
  cudaError_t (*start)(const TgGemm *);
  int64_t (*workspace)(const TgGemm *); /* NULL: needs none */
} rungs[] = {
    {"naive", tg_rung_naive, NULL},
    {"coalesced", tg_rung_coalesced, NULL},
    {"tiled", tg_rung_tiled, NULL},
    {"padded", tg_rung_padded, NULL},
    {"outer", tg_rung_outer, NULL},
    {"prefetch", tg_rung_prefetch, NULL},
    {"registers", tg_rung_registers, NULL},
    {"vectors", tg_rung_vectors, NULL},
    {"bulk", tg_rung_bulk, tg_rung_bulk_workspace},
    {"split", tg_rung_split, tg_rung_split_workspace},
    {"stream", tg_rung_stream, tg_rung_stream_workspace},
    {"turn", tg_rung_turn, tg_rung_turn_workspace},
    {"sliced", tg_rung_sliced, tg_rung_sliced_workspace},
    {"tensor", tg_rung_tensor, tg_rung_tensor_workspace},
    {"cublas", tg_rung_cublas, NULL},
};

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
