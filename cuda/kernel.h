/** @file kernel.h
 * The ladder of local multiplies: kernels that compute C = A·B or C += A·B on one GPU, each a rung with one idea more
 * than the one before. What a kernel is and what it takes is known without CUDA; running it needs it.
 *
 * Matrices are row-major: element (i, j) of X is x[i * ldx + j]. With transpose_a the matrix A of the product is the
 * transpose of what is stored, likewise B: op(A) is m x k, op(B) is k x n, C is m x n. */
#ifndef TG_KERNEL_H
#define TG_KERNEL_H

#include "base.h"
#include "element.h"

TG_BEGIN_DECLS

/** A product to compute. Pointers are to device memory. */
typedef struct TgGemm {
  int32_t element; /**< a TgElement */
  int32_t transpose_a, transpose_b;
  int32_t add; /**< 1: C += A·B */
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  int64_t lda, ldb, ldc; /**< elements from one stored row to the next */
  void *workspace;       /**< of tg_kernel_workspace() bytes, aligned to 256 */
  void *stream;          /**< cudaStream_t */
} TgGemm;

/** What a kernel is and takes. */
typedef struct TgKernel {
  const char *name;
  const char *idea;   /**< one line: what it does that the one before does not */
  const char *source; /**< where the idea is from */
  int32_t elements;   /**< bit TgElement: types it takes */
  int32_t capability; /**< least compute capability, major * 10 + minor */
  int32_t newest;     /**< greatest one, where its instructions went away again; 0: none */
  int32_t exact;      /**< 1: multiplies and adds in the element's own precision; 0: an emulation, see its file */
} TgKernel;

/** All kernels, lowest rung first. */
const TgKernel *tg_kernel_list(size_t *count);
/** The kernel of this name; NULL where there is none. */
const TgKernel *tg_kernel_find(const char *name);

/** The largest m, n and k that any kernel takes: a tile further still is an int. */
enum { TG_KERNEL_SIZE_MOST = INT32_MAX - 1024 };

/** Whether cards of `capability` have the kernel's instructions. */
bool tg_kernel_suits(const TgKernel *kernel, int32_t capability);
/** Whether the kernel computes this product on a card of `capability`; if not, why, in `error` (without a place). */
bool tg_kernel_takes(const TgKernel *kernel, const TgGemm *gemm, int32_t capability, TgError *error);

/** Whether this build holds the kernels. */
bool tg_kernel_built(void);
/** Device memory that a run needs besides the operands, bytes. */
int64_t tg_kernel_workspace(const TgKernel *kernel, const TgGemm *gemm);
/** Starts the kernel on the stream. It may still be running on return; what goes wrong later shows at the next
 * synchronisation. Errors: the launch was refused, or the build has no CUDA. */
bool tg_kernel_start(const TgKernel *kernel, const TgGemm *gemm, TgError *error);

TG_END_DECLS

#endif
