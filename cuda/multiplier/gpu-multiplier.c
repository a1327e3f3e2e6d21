/* A panel of C stays on the GPU. Chunks of A and steps of B alternate between two buffers each. One stream copies them
 * while another multiplies the previous chunk; a third stream copies final rows of C back. */
#include "gpu-multiplier.h"

#include "device.h"
#include "kernel.h"

#include <cuda_runtime.h>
#include <stdlib.h>

enum { PLACES = 2, MOST_USED = 16 /* pieces of host memory that are pinned */ };

struct TgMultiplier {
  TgMultiplierJob job;
  const TgKernel *kernel;
  char *c, *a[PLACES], *b[PLACES];
  cudaStream_t in, products, out;
  cudaEvent_t copied[PLACES], begun[PLACES], multiplied[PLACES], fetched[PLACES]; /* by chunk, modulo PLACES */
  cudaEvent_t b_done[PLACES]; /* the last product that uses this buffer of B */
  int64_t step;               /* step of B that was copied last; -1: none */
  void *used[MOST_USED];
  int used_count;
};

static bool worked(cudaError_t status, const char *what, TgError *error) {
  return status == cudaSuccess || tg_error_set(error, 0, 0, "the GPU cannot %s: %s", what, cudaGetErrorString(status));
}

static void close_multiplier(TgMultiplier *gpu) {
  cudaDeviceSynchronize();
  for (int i = 0; i < gpu->used_count; i++) cudaHostUnregister(gpu->used[i]);
  tg_device_free(gpu->c);
  for (int i = 0; i < PLACES; i++) {
    const cudaEvent_t events[] = {gpu->copied[i], gpu->begun[i], gpu->multiplied[i], gpu->fetched[i], gpu->b_done[i]};
    tg_device_free(gpu->a[i]);
    tg_device_free(gpu->b[i]);
    for (size_t e = 0; e < sizeof events / sizeof *events; e++)
      if (events[e]) cudaEventDestroy(events[e]);
  }
  const cudaStream_t streams[] = {gpu->in, gpu->products, gpu->out};
  for (size_t s = 0; s < sizeof streams / sizeof *streams; s++)
    if (streams[s]) cudaStreamDestroy(streams[s]);
  free(gpu);
}

static bool take_memory(TgMultiplier *gpu, TgError *error) {
  bool fine = (gpu->c = tg_device_allocate(gpu->job.panel_bytes, error)) != NULL;
  for (int i = 0; fine && i < PLACES; i++)
    fine = (gpu->a[i] = tg_device_allocate(gpu->job.a_bytes, error)) &&
           (gpu->b[i] = tg_device_allocate(gpu->job.b_bytes, error));
  return fine;
}

static bool make_streams(TgMultiplier *gpu, TgError *error) {
  cudaStream_t *const streams[] = {&gpu->in, &gpu->products, &gpu->out};
  cudaError_t status = cudaSuccess;
  for (size_t s = 0; s < sizeof streams / sizeof *streams && status == cudaSuccess; s++)
    status = cudaStreamCreateWithFlags(streams[s], cudaStreamNonBlocking);
  for (int i = 0; i < PLACES && status == cudaSuccess; i++) {
    cudaEvent_t *const events[] = {&gpu->copied[i], &gpu->begun[i], &gpu->multiplied[i], &gpu->fetched[i],
                                   &gpu->b_done[i]};
    for (size_t e = 0; e < sizeof events / sizeof *events && status == cudaSuccess; e++)
      status = cudaEventCreate(events[e]);
  }
  return worked(status, "create streams", error);
}

static TgMultiplier *open_multiplier(const TgMultiplierJob *job, TgError *error) {
  TgDevice device;
  if (!tg_device_open(job->device, &device, error)) return NULL;
  TgMultiplier *gpu = calloc(1, sizeof *gpu);
  if (!gpu) {
    tg_error_set(error, 0, 0, "out of memory");
    return NULL;
  }
  gpu->job = *job;
  gpu->step = -1;
  gpu->kernel = tg_kernel_find("cublas");
  if (take_memory(gpu, error) && make_streams(gpu, error)) return gpu;
  close_multiplier(gpu);
  return NULL;
}

static bool use(TgMultiplier *gpu, void *memory, int64_t bytes, TgError *error) {
  if (gpu->used_count == MOST_USED) return tg_error_set(error, 0, 0, "too many pieces of host memory to pin");
  if (!worked(cudaHostRegister(memory, (size_t)bytes, cudaHostRegisterDefault), "pin the host's memory", error))
    return false;
  gpu->used[gpu->used_count++] = memory;
  return true;
}

/* Copies a step of B after the last product that uses the buffer's previous step. */
static cudaError_t copy_b(TgMultiplier *gpu, const TgMultiplierChunk *chunk, size_t element_bytes) {
  const int place = (int)(chunk->step % PLACES);
  if (chunk->step == gpu->step) return cudaSuccess;
  gpu->step = chunk->step;
  cudaError_t status = cudaStreamWaitEvent(gpu->in, gpu->b_done[place], 0);
  if (status == cudaSuccess)
    status = cudaMemcpyAsync(gpu->b[place], chunk->b, (size_t)(chunk->inner * chunk->columns) * element_bytes,
                             cudaMemcpyHostToDevice, gpu->in);
  return status;
}

static bool begin(TgMultiplier *gpu, int64_t number, const TgMultiplierChunk *chunk, TgError *error) {
  const int at = (int)(number % PLACES), b_at = (int)(chunk->step % PLACES);
  const size_t e = (size_t)tg_element_bytes(gpu->job.element);
  char *c = gpu->c + (size_t)(chunk->c_row * chunk->columns) * e;
  const TgGemm gemm = {.element = gpu->job.element,
                       .add = !chunk->first,
                       .m = chunk->rows,
                       .n = chunk->columns,
                       .k = chunk->inner,
                       .a = gpu->a[at],
                       .b = gpu->b[b_at],
                       .c = c,
                       .lda = chunk->inner,
                       .ldb = chunk->columns,
                       .ldc = chunk->columns,
                       .stream = gpu->products};
  cudaError_t status = copy_b(gpu, chunk, e);
  if (status == cudaSuccess)
    status = cudaMemcpyAsync(gpu->a[at], chunk->a, (size_t)(chunk->rows * chunk->inner) * e, cudaMemcpyHostToDevice,
                             gpu->in);
  if (status == cudaSuccess) status = cudaEventRecord(gpu->copied[at], gpu->in);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(gpu->products, gpu->copied[at], 0);
  /* Wait until the previous panel's rows have been copied back: this product overwrites them. */
  if (status == cudaSuccess && chunk->first) status = cudaStreamWaitEvent(gpu->products, gpu->fetched[!at], 0);
  if (status == cudaSuccess) status = cudaEventRecord(gpu->begun[at], gpu->products);
  if (!worked(status, "copy", error) || !tg_kernel_start(gpu->kernel, &gemm, error)) return false;
  status = cudaEventRecord(gpu->multiplied[at], gpu->products);
  if (status == cudaSuccess) status = cudaEventRecord(gpu->b_done[b_at], gpu->products);
  if (status == cudaSuccess) status = cudaStreamWaitEvent(gpu->out, gpu->multiplied[at], 0);
  if (status == cudaSuccess && chunk->result)
    status =
        cudaMemcpyAsync(chunk->result, c, (size_t)(chunk->rows * chunk->columns) * e, cudaMemcpyDeviceToHost, gpu->out);
  if (status == cudaSuccess) status = cudaEventRecord(gpu->fetched[at], gpu->out);
  return worked(status, "multiply", error);
}

static bool finish(TgMultiplier *gpu, int64_t number, double *product_s, TgError *error) {
  const int at = (int)(number % PLACES);
  float ms = 0;
  cudaError_t status = cudaEventSynchronize(gpu->fetched[at]);
  if (status == cudaSuccess) status = cudaEventElapsedTime(&ms, gpu->begun[at], gpu->multiplied[at]);
  *product_s += 1e-3 * (double)ms;
  return worked(status, "multiply", error);
}

const TgMultiplierKind tg_gpu_multiplier = {.name = "GPU, cuBLAS",
                                            .open = open_multiplier,
                                            .use = use,
                                            .begin = begin,
                                            .finish = finish,
                                            .close = close_multiplier};
