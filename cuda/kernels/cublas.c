/* cublas: the vendor's library, in full precision of the type: pedantic mode takes no TF32 and no emulation. 2mnk
 * operations; bytes are its own affair. It counts matrices by columns: row-major C = op(A)·op(B) is its
 * C' = op(B)'·op(A)', so the operands change places and nothing is copied.
 *
 * The library is half a gigabyte and takes 0.1 s to come up, so it is loaded when first asked for and not with the
 * program. A handle belongs to one thread and one device: each thread makes its own when it needs it, and it goes with
 * the thread. */
#include "rung.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)
#define LIBRARY "libcublas.so." TEXT(CUBLAS_VER_MAJOR)

typedef struct Cublas {
  cublasStatus_t (*create)(cublasHandle_t *);
  cublasStatus_t (*destroy)(cublasHandle_t);
  cublasStatus_t (*set_math_mode)(cublasHandle_t, cublasMath_t);
  cublasStatus_t (*set_stream)(cublasHandle_t, cudaStream_t);
  cublasStatus_t (*sgemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t, int64_t, int64_t,
                          const float *, const float *, int64_t, const float *, int64_t, const float *, float *,
                          int64_t);
  cublasStatus_t (*dgemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t, int64_t, int64_t,
                          const double *, const double *, int64_t, const double *, int64_t, const double *, double *,
                          int64_t);
} Cublas;

typedef struct Handle {
  int device;
  cublasHandle_t handle;
} Handle;

/* Written once, under `once`. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static cudaError_t loading = cudaErrorInitializationError;
static Cublas cublas;

static void drop(void *value) {
  Handle *handle = value;
  cublas.destroy(handle->handle);
  free(handle);
}

static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(TG_CUDA_LIBRARIES "/" LIBRARY, RTLD_NOW | RTLD_LOCAL);
  loading = cudaErrorSharedObjectInitFailed;
  if (!library) return;
  *(void **)&cublas.create = dlsym(library, "cublasCreate_v2");
  *(void **)&cublas.destroy = dlsym(library, "cublasDestroy_v2");
  *(void **)&cublas.set_math_mode = dlsym(library, "cublasSetMathMode");
  *(void **)&cublas.set_stream = dlsym(library, "cublasSetStream_v2");
  *(void **)&cublas.sgemm = dlsym(library, "cublasSgemm_v2_64");
  *(void **)&cublas.dgemm = dlsym(library, "cublasDgemm_v2_64");
  loading = cudaErrorSharedObjectSymbolNotFound;
  if (!(cublas.create && cublas.destroy && cublas.set_math_mode && cublas.set_stream && cublas.sgemm && cublas.dgemm))
    return;
  loading = pthread_key_create(&key, drop) == 0 ? cudaSuccess : cudaErrorInitializationError;
}

static cudaError_t as_cuda(cublasStatus_t status) {
  static const struct {
    cublasStatus_t status;
    cudaError_t error;
  } same[] = {
      {CUBLAS_STATUS_SUCCESS, cudaSuccess},
      {CUBLAS_STATUS_NOT_INITIALIZED, cudaErrorInitializationError},
      {CUBLAS_STATUS_ALLOC_FAILED, cudaErrorMemoryAllocation},
      {CUBLAS_STATUS_INVALID_VALUE, cudaErrorInvalidValue},
      {CUBLAS_STATUS_ARCH_MISMATCH, cudaErrorNoKernelImageForDevice},
      {CUBLAS_STATUS_EXECUTION_FAILED, cudaErrorLaunchFailure},
      {CUBLAS_STATUS_NOT_SUPPORTED, cudaErrorNotSupported},
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (same[i].status == status) return same[i].error;
  return cudaErrorUnknown;
}

/* A new handle for this thread, in place of one it may have for another device. */
static cudaError_t make(int device, cublasHandle_t *handle) {
  Handle *mine = malloc(sizeof *mine), *old = pthread_getspecific(key);
  if (!mine) return cudaErrorMemoryAllocation;
  mine->device = device;
  cudaError_t error = as_cuda(cublas.create(&mine->handle));
  if (error != cudaSuccess) {
    free(mine);
    return error;
  }
  error = as_cuda(cublas.set_math_mode(mine->handle, CUBLAS_PEDANTIC_MATH));
  if (error != cudaSuccess || pthread_setspecific(key, mine) != 0) {
    drop(mine);
    return error != cudaSuccess ? error : cudaErrorMemoryAllocation;
  }
  if (old) drop(old);
  *handle = mine->handle;
  return cudaSuccess;
}

static cudaError_t find(cublasHandle_t *handle) {
  int device;
  pthread_once(&once, load);
  if (loading != cudaSuccess) return loading;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  const Handle *mine = pthread_getspecific(key);
  if (!mine || mine->device != device) return make(device, handle);
  *handle = mine->handle;
  return cudaSuccess;
}

cudaError_t tg_rung_cublas(const TgGemm *g) {
  static const float one32 = 1, add32[] = {0, 1};
  static const double one64 = 1, add64[] = {0, 1};
  cublasHandle_t handle;
  cudaError_t error = find(&handle);
  if (error == cudaSuccess) error = as_cuda(cublas.set_stream(handle, g->stream));
  if (error != cudaSuccess) return error;
  const cublasOperation_t a = g->transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t b = g->transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  return as_cuda(g->element == TG_F64 ? cublas.dgemm(handle, b, a, g->n, g->m, g->k, &one64, g->b, g->ldb, g->a, g->lda,
                                                     &add64[g->add != 0], g->c, g->ldc)
                                      : cublas.sgemm(handle, b, a, g->n, g->m, g->k, &one32, g->b, g->ldb, g->a, g->lda,
                                                     &add32[g->add != 0], g->c, g->ldc));
}
