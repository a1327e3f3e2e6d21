/** @file rung.h
 * Private to cuda/: how a kernel's file shows itself to kernel-start.c. A rung is one .cu file with one function
 *
 *     cudaError_t tg_rung_NAME(const TgGemm *gemm);
 *
 * that launches it, and, where it needs one, int64_t tg_rung_NAME_workspace(const TgGemm *gemm). A new one is a file, a
 * row of kernel-table.c, a row below and its name in meson.build. */
#ifndef TG_RUNG_H
#define TG_RUNG_H

#include "kernel.h"

#include <cuda_runtime_api.h>

TG_BEGIN_DECLS

cudaError_t tg_rung_naive(const TgGemm *gemm);
cudaError_t tg_rung_coalesced(const TgGemm *gemm);
cudaError_t tg_rung_tiled(const TgGemm *gemm);
cudaError_t tg_rung_padded(const TgGemm *gemm);
cudaError_t tg_rung_outer(const TgGemm *gemm);
cudaError_t tg_rung_prefetch(const TgGemm *gemm);
cudaError_t tg_rung_registers(const TgGemm *gemm);
cudaError_t tg_rung_vectors(const TgGemm *gemm);
cudaError_t tg_rung_bulk(const TgGemm *gemm);
int64_t tg_rung_bulk_workspace(const TgGemm *gemm);
cudaError_t tg_rung_split(const TgGemm *gemm);
int64_t tg_rung_split_workspace(const TgGemm *gemm);
cudaError_t tg_rung_stream(const TgGemm *gemm);
int64_t tg_rung_stream_workspace(const TgGemm *gemm);
cudaError_t tg_rung_turn(const TgGemm *gemm);
int64_t tg_rung_turn_workspace(const TgGemm *gemm);
cudaError_t tg_rung_sliced(const TgGemm *gemm);
int64_t tg_rung_sliced_workspace(const TgGemm *gemm);
cudaError_t tg_rung_tensor(const TgGemm *gemm);
int64_t tg_rung_tensor_workspace(const TgGemm *gemm);
cudaError_t tg_rung_cublas(const TgGemm *gemm);

TG_END_DECLS

#endif
