#include "kernel.h"

#include <inttypes.h>
#include <string.h>

enum { F32 = 1 << TG_F32, F64 = 1 << TG_F64 };

/* Both types on all cards that are supported; f32 on those with the bulk copy engine. */
#define ANY_CARD(NAME, IDEA, SOURCE)                                                                                   \
  { .name = NAME, .idea = IDEA, .source = SOURCE, .elements = F32 | F64, .capability = 75, .exact = 1 }
#define COPY_ENGINE(NAME, IDEA, SOURCE)                                                                                \
  { .name = NAME, .idea = IDEA, .source = SOURCE, .elements = F32, .capability = 90, .exact = 1 }

static const TgKernel kernels[] = {
    ANY_CARD("naive", "one thread per element of C, warps along columns: each load of A touches its own memory sector",
             "the triple loop"),
    ANY_CARD("coalesced", "warps along rows of C: loads of B and stores of C are coalesced",
             "Investigation of Matrix Multiplication, Computer Science Essay: the order of the first rungs"),
    ANY_CARD("tiled", "32x32 tiles of A and B in shared memory; each block loads an element once",
             "CUDA C Programming Guide, shared memory"),
    ANY_CARD("padded", "tiled with a column of padding, so that transposed tiles cause no bank conflicts",
             "CUDA C Best Practices Guide, bank conflicts"),
    ANY_CARD("outer", "one strip of C per thread, a column of A times an element of B: only A is in shared memory",
             "V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008"),
    ANY_CARD("prefetch",
             "outer, loading the next tile into registers while the current one is multiplied; unrolled loops",
             "Volkov, Demmel 2008"),
    ANY_CARD("registers", "8x8 elements of C per thread: 16 loads from shared memory for 64 multiply-adds",
             "G. Tan et al., Fast implementation of DGEMM on Fermi GPU, SC 2011"),
    ANY_CARD("vectors", "registers with 16-byte loads; A is transposed while it is stored in shared memory",
             "CUTLASS, efficient GEMM in CUDA"),
    COPY_ENGINE("bulk", "128x128x32 tiles loaded by the bulk tensor copy engine in two stages: loads bypass registers",
                "PTX ISA, cp.async.bulk.tensor"),
    COPY_ENGINE("split",
                "for small C: bulk with K split over the blocks of a cluster, summed through distributed shared memory",
                "PTX ISA, distributed shared memory"),
    COPY_ENGINE("stream", "bulk with the work of the last, partial wave of tiles divided evenly over all blocks",
                "M. Osama et al., Stream-K, PPoPP 2023"),
    COPY_ENGINE("turn",
                "for small C: separate warps transpose A; K is also split over two groups of warps, 16 warps per SM",
                "PTX ISA, setmaxnreg; split-K inside a block as CUTLASS's sliced-K"),
    COPY_ENGINE("sliced", "for small C: 64x128 tiles, K split over four groups of warps, A transposed in registers",
                "CUTLASS, efficient GEMM in CUDA: sliced-K"),
    {.name = "tensor",
     .idea = "f32 emulated on tensor cores: each number is split into two TF32 numbers, multiplied in three products",
     .source = "M. Fasi et al., Matrix multiplication in multiword arithmetic, SISC 45(1), 2023",
     .elements = F32,
     .capability = 90,
     .newest = 90},
    ANY_CARD("cublas", "NVIDIA's library, in the full precision of the type", "cuBLAS"),
};

const TgKernel *tg_kernel_list(size_t *count) {
  *count = sizeof kernels / sizeof *kernels;
  return kernels;
}

const TgKernel *tg_kernel_find(const char *name) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
  return NULL;
}

bool tg_kernel_suits(const TgKernel *kernel, int32_t capability) {
  return capability >= kernel->capability && !(kernel->newest && capability > kernel->newest);
}

bool tg_kernel_takes(const TgKernel *kernel, const TgGemm *gemm, int32_t capability, TgError *error) {
  if (!(kernel->elements >> gemm->element & 1))
    return tg_error_set(error, 0, 0, "kernel %s does not support %s", kernel->name,
                        tg_element_name((TgElement)gemm->element));
  if (capability < kernel->capability)
    return tg_error_set(error, 0, 0, "kernel %s needs a card of compute capability %d.%d, but this one has %d.%d",
                        kernel->name, kernel->capability / 10, kernel->capability % 10, capability / 10,
                        capability % 10);
  if (kernel->newest && capability > kernel->newest)
    return tg_error_set(error, 0, 0,
                        "kernel %s uses instructions of compute capability %d.%d that this card, %d.%d, lacks",
                        kernel->name, kernel->newest / 10, kernel->newest % 10, capability / 10, capability % 10);
  const int64_t sizes[] = {gemm->m, gemm->n, gemm->k};
  for (int d = 0; d < 3; d++)
    if (sizes[d] > TG_KERNEL_SIZE_MOST)
      return tg_error_set(error, 0, 0, "kernel %s takes %c up to %d, not %" PRId64, kernel->name, "mnk"[d],
                          TG_KERNEL_SIZE_MOST, sizes[d]);
  return true;
}
