/* C = A·B with cuBLASXt, from and to host memory, for comparison with `topogemm huge --gpu-memory`.
 *
 * Build: nvcc -O2 tools/cublasxt-gemm.c -lcublas -o cublasxt-gemm
 * Usage: cublasxt-gemm M N K [TILE [TRIALS]]
 *
 * Elements are f32. Prints one line of JSON with the seconds of each trial, after a warm-up run.
 */
#include <cublasXt.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Pinned memory, which is copied at full speed. */
static float *make(size_t count) {
  float *values;
  if (cudaMallocHost((void **)&values, count * sizeof *values) != cudaSuccess) {
    fprintf(stderr, "not enough host memory that can be pinned\n");
    exit(1);
  }
  unsigned state = 1;
  for (size_t i = 0; i < count; i++) values[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 24);
  return values;
}

int main(int count, char **word) {
  if (count < 4) return fprintf(stderr, "usage: cublasxt-gemm M N K [TILE [TRIALS]]\n"), 2;
  const size_t m = strtoull(word[1], NULL, 10), n = strtoull(word[2], NULL, 10), k = strtoull(word[3], NULL, 10);
  const int tile = count > 4 ? atoi(word[4]) : 8192, trials = count > 5 ? atoi(word[5]) : 3;
  float *a = make(m * k), *b = make(k * n), *c = make(m * n);
  const float one = 1, zero = 0;
  cublasXtHandle_t handle;
  int devices[] = {0};
  if (cublasXtCreate(&handle) || cublasXtDeviceSelect(handle, 1, devices) || cublasXtSetBlockDim(handle, tile)) return 1;
  printf("{\"m\": %zu, \"n\": %zu, \"k\": %zu, \"tile\": %d, \"times_s\": [", m, n, k, tile);
  for (int trial = -1; trial < trials; trial++) {
    const double begun_s = now_s();
    /* Row-major: C' = B' A'. */
    if (cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n)) return 1;
    cudaDeviceSynchronize();
    if (trial >= 0) printf("%s%.4f", trial ? ", " : "", now_s() - begun_s);
  }
  printf("]}\n");
  return 0;
}
