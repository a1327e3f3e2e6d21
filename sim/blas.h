/** @file blas.h
 * The BLAS that multiplies blocks. */
#ifndef TG_BLAS_H
#define TG_BLAS_H

#include "block.h"
#include "sim-error.h"

TG_BEGIN_DECLS

/** Loads OpenBLAS, at the first call in the process: its threads start, and take memory. Where the address space is
 * limited (ulimit -v, -d) it gets no more threads than fit, through OPENBLAS_NUM_THREADS in the environment for as long
 * as it loads. Errors, the same at every call: MISSING where the library is not installed; TOO_LARGE where not even one
 * thread fits. */
bool tg_blas_load(GError **error);

/** For records of an environment: "OpenBLAS 0.3.21 … SkylakeX, 2 threads", or why there is none. Loads it. Free with
 * g_free(). */
char *tg_blas_description(void);
/** … without the number of threads. */
char *tg_blas_name(void);

/** c += left * right through cblas_sgemm and cblas_dgemm; see tg_block_multiply_add(). Extents from 1 to 2^31-1. Only
 * after tg_blas_load() has returned true. */
void tg_blas_multiply_add_f32(void *c, const TgBlock *left, const TgBlock *right);
void tg_blas_multiply_add_f64(void *c, const TgBlock *left, const TgBlock *right);

/** Whether threads that multiply do so one after another, however many there are: where the address space is limited.
 * Each that multiplies at the same time as others needs a buffer, and where there is no room for it OpenBLAS never
 * returns. */
bool tg_blas_is_in_turn(void);
/** Threads of this process that can multiply at the same time: as many as OpenBLAS has. Only after tg_blas_load(). */
int tg_blas_threads_most(void);

/** Touches the buffer into which OpenBLAS packs factors for the calling thread. All threads that will multiply
 * concurrently call it concurrently, between tg_blas_threads_begin(1, 1, 1, 1) and tg_blas_threads_end(): without it
 * their first products may take up to three times as long. */
void tg_blas_touch_buffer(void);

/** Makes products of m x n x k run on as many threads as they are worth, at most `most` unless that is 0. Returns the
 * number to hand to tg_blas_threads_end(), which restores what was. The number is OpenBLAS's own setting for the
 * process, so that other threads wait in between; nothing is set before tg_blas_load(). */
int tg_blas_threads_begin(int64_t m, int64_t n, int64_t k, int most);
void tg_blas_threads_end(int threads);

TG_END_DECLS

#endif
