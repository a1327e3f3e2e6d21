/** @file blas.h
 * The BLAS that multiplies blocks. */
#ifndef TG_BLAS_H
#define TG_BLAS_H

#include "block.h"

TG_BEGIN_DECLS

/** For records of an environment: "OpenBLAS 0.3.21 … SkylakeX, 2 threads". Free with g_free(). */
char *tg_blas_description(void);

/** c += left * right through cblas_sgemm and cblas_dgemm; see tg_block_multiply_add(). Extents from 1 to 2^31-1. */
void tg_blas_multiply_add_f32(void *c, const TgBlock *left, const TgBlock *right);
void tg_blas_multiply_add_f64(void *c, const TgBlock *left, const TgBlock *right);

/** Makes products of m x n x k run on as many threads as they are worth. Returns the number to hand to
 * tg_blas_threads_end(), which restores what was. The number is the BLAS library's own setting for the process. */
int tg_blas_threads_begin(int64_t m, int64_t n, int64_t k);
void tg_blas_threads_end(int threads);

TG_END_DECLS

#endif
