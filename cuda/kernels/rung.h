/** @file rung.h
 * Private to cuda/: how a kernel's file shows itself to kernel-start.c. A rung is one .cu file with one function
 *
 *     cudaError_t tg_rung_NAME(const TgGemm *gemm);
 *
 * that launches it, and, where it needs one, int64_t tg_rung_NAME_workspace(const TgGemm *gemm). A new one is a file, a
 * row of kernel-table.c, its name in the list below and in meson.build. */
#ifndef TG_RUNG_H
#define TG_RUNG_H

#include "kernel.h"

#include <cuda_runtime_api.h>

TG_BEGIN_DECLS

/** All of them, by whether they need a workspace. */
#define TG_RUNGS(PLAIN, SPACIOUS)                                                                                      \
  PLAIN(naive)                                                                                                         \
  PLAIN(coalesced)                                                                                                     \
  PLAIN(tiled) PLAIN(padded) PLAIN(outer) PLAIN(prefetch) PLAIN(registers) PLAIN(vectors) SPACIOUS(bulk)               \
      SPACIOUS(split) SPACIOUS(stream) SPACIOUS(turn) SPACIOUS(sliced) SPACIOUS(tensor) PLAIN(cublas)

#define TG_DECLARE_PLAIN(NAME) cudaError_t tg_rung_##NAME(const TgGemm *gemm);
#define TG_DECLARE_SPACIOUS(NAME) TG_DECLARE_PLAIN(NAME) int64_t tg_rung_##NAME##_workspace(const TgGemm *gemm);

TG_RUNGS(TG_DECLARE_PLAIN, TG_DECLARE_SPACIOUS)

TG_END_DECLS

#endif
