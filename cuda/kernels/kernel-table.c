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
    ANY_CARD("naive", "one thread an element of C, neighbours of a warp in one column: every load its own sector",
             "the triple loop"),
    ANY_CARD("coalesced", "neighbours of a warp in one row: a warp's loads of B and stores of C are whole lines",
             "Investigation of Matrix Multiplication, Computer Science Essay: the order of the first rungs"),
    ANY_CARD("tiled", "blocks of 32x32 of A and B in shared memory, each element read once a block",
             "CUDA C Programming Guide, shared memory"),
    ANY_CARD("padded", "a column of padding, so that transposed tiles meet no bank twice",
             "CUDA C Best Practices Guide, bank conflicts"),
    ANY_CARD("outer", "a strip of C a thread, a column of A times an element of B: shared memory is read for A alone",
             "V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008"),
    ANY_CARD("prefetch", "the next tile comes into registers while this one is multiplied, loops unrolled",
             "Volkov, Demmel 2008"),
    ANY_CARD("registers", "8x8 elements of C a thread: 16 loads from shared memory for 64 multiply-adds",
             "G. Tan et al., Fast implementation of DGEMM on Fermi GPU, SC 2011"),
    ANY_CARD("vectors", "registers, with loads of 16 bytes and A transposed on its way into shared memory",
             "CUTLASS, efficient GEMM in CUDA"),
    COPY_ENGINE(
        "bulk",
        "tiles of 128x128x32 by the bulk tensor copy engine, two stages on mbarriers: no register carries a load",
        "PTX ISA, cp.async.bulk.tensor"),
    COPY_ENGINE("split",
                "bulk, with K over the blocks of a cluster, summed through distributed shared memory: for small C",
                "PTX ISA, distributed shared memory"),
    COPY_ENGINE("stream",
                "bulk, with the rounds of the last tiles divided evenly over all blocks: for tiles that fill no wave",
                "M. Osama et al., Stream-K, PPoPP 2023"),
    COPY_ENGINE(
        "turn",
        "A turned by warps of its own, K also over two groups of warps of a block: sixteen warps a multiprocessor",
        "PTX ISA, setmaxnreg; split-K inside a block as CUTLASS's sliced-K"),
    COPY_ENGINE(
        "sliced",
        "tiles of 64x128, K over four groups of warps of a block, A turned in registers on its way: for small C",
        "CUTLASS, efficient GEMM in CUDA: sliced-K"),
    {.name = "tensor",
     .idea = "emulation on the tensor cores: each f32 as two TF32 numbers, three products, sums of 32 steps of k",
     .source = "M. Fasi et al., Matrix multiplication in multiword arithmetic, SISC 45(1), 2023",
     .elements = F32,
     .capability = 90,
     .newest = 90},
    ANY_CARD("cublas", "the vendor's library, in full precision of the type", "cuBLAS"),
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
    return tg_error_set(error, 0, 0, "kernel %s does not take %s", kernel->name,
                        tg_element_name((TgElement)gemm->element));
  if (capability < kernel->capability)
    return tg_error_set(error, 0, 0, "kernel %s needs a card of compute capability %d.%d, this one has %d.%d",
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
