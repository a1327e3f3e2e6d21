#include "kernel.h"

#include <inttypes.h>
#include <string.h>

enum { F32 = 1 << TG_F32, F64 = 1 << TG_F64 };

static const TgKernel kernels[] = {
    {.name = "naive",
     .idea = "one thread an element of C, neighbours of a warp in one column: every load its own sector",
     .source = "the triple loop",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "coalesced",
     .idea = "neighbours of a warp in one row: a warp's loads of B and stores of C are whole lines",
     .source = "Investigation of Matrix Multiplication, Computer Science Essay: the order of the first rungs",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "tiled",
     .idea = "blocks of 32x32 of A and B in shared memory, each element read once a block",
     .source = "CUDA C Programming Guide, shared memory",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "padded",
     .idea = "a column of padding, so that transposed tiles meet no bank twice",
     .source = "CUDA C Best Practices Guide, bank conflicts",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "outer",
     .idea = "a strip of C a thread, a column of A times an element of B: shared memory is read for A alone",
     .source = "V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "prefetch",
     .idea = "the next tile comes into registers while this one is multiplied, loops unrolled",
     .source = "Volkov, Demmel 2008",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "registers",
     .idea = "8x8 elements of C a thread: 16 loads from shared memory for 64 multiply-adds",
     .source = "G. Tan et al., Fast implementation of DGEMM on Fermi GPU, SC 2011",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "vectors",
     .idea = "registers, with loads of 16 bytes and A transposed on its way into shared memory",
     .source = "CUTLASS, efficient GEMM in CUDA",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "bulk",
     .idea = "tiles of 128x128x32 by the bulk tensor copy engine, two stages on mbarriers: no register carries a load",
     .source = "PTX ISA, cp.async.bulk.tensor",
     .elements = F32,
     .transposes = 1,
     .capability = 90,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "split",
     .idea = "bulk, with K over the blocks of a cluster, summed through distributed shared memory: for small C",
     .source = "PTX ISA, distributed shared memory",
     .elements = F32,
     .transposes = 1,
     .capability = 90,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "stream",
     .idea = "bulk, with the rounds of the last tiles divided evenly over all blocks: for tiles that fill no wave",
     .source = "M. Osama et al., Stream-K, PPoPP 2023",
     .elements = F32,
     .transposes = 1,
     .capability = 90,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "turn",
     .idea = "A turned by warps of its own, K also over two groups of warps of a block: sixteen warps a multiprocessor",
     .source = "PTX ISA, setmaxnreg; split-K inside a block as CUTLASS's sliced-K",
     .elements = F32,
     .transposes = 1,
     .capability = 90,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "sliced",
     .idea = "tiles of 64x128, K over four groups of warps of a block, A turned in registers on its way: for small C",
     .source = "CUTLASS, efficient GEMM in CUDA: sliced-K",
     .elements = F32,
     .transposes = 1,
     .capability = 90,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
    {.name = "tensor",
     .idea = "emulation on the tensor cores: each f32 as two TF32 numbers, three products, sums of 32 steps of k",
     .source = "M. Fasi et al., Matrix multiplication in multiword arithmetic, SISC 45(1), 2023",
     .elements = F32,
     .transposes = 1,
     .capability = 90,
     .newest = 90,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 0},
    {.name = "cublas",
     .idea = "the vendor's library, in full precision of the type",
     .source = "cuBLAS",
     .elements = F32 | F64,
     .transposes = 1,
     .capability = 75,
     .alignment = 1,
     .multiple = {1, 1, 1},
     .exact = 1},
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

static bool takes_sizes(const TgKernel *kernel, const TgGemm *gemm, TgError *error) {
  const int64_t sizes[] = {gemm->m, gemm->n, gemm->k};
  for (int d = 0; d < 3; d++)
    if (sizes[d] > TG_KERNEL_SIZE_MOST)
      return tg_error_set(error, 0, 0, "kernel %s takes %c up to %d, not %" PRId64, kernel->name, "mnk"[d],
                          TG_KERNEL_SIZE_MOST, sizes[d]);
  for (int d = 0; d < 3; d++)
    if (sizes[d] % kernel->multiple[d] != 0)
      return tg_error_set(error, 0, 0, "kernel %s takes %c in multiples of %" PRId32 ", not %" PRId64, kernel->name,
                          "mnk"[d], kernel -> multiple[d], sizes[d]);
  return true;
}

static bool is_aligned(const TgKernel *kernel, const void *matrix, int64_t row, int64_t element_bytes) {
  return (uintptr_t)matrix % (uintptr_t)kernel->alignment == 0 && row * element_bytes % kernel->alignment == 0;
}

bool tg_kernel_suits(const TgKernel *kernel, int32_t capability) {
  return capability >= kernel->capability && !(kernel->newest && capability > kernel->newest);
}

bool tg_kernel_takes(const TgKernel *kernel, const TgGemm *gemm, int32_t capability, TgError *error) {
  int64_t bytes = tg_element_bytes((TgElement)gemm->element);
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
  if ((gemm->transpose_a || gemm->transpose_b) && !kernel->transposes)
    return tg_error_set(error, 0, 0, "kernel %s takes no transposed matrices", kernel->name);
  if (kernel->alignment > 1 &&
      !(is_aligned(kernel, gemm->a, gemm->lda, bytes) && is_aligned(kernel, gemm->b, gemm->ldb, bytes) &&
        is_aligned(kernel, gemm->c, gemm->ldc, bytes)))
    return tg_error_set(error, 0, 0, "kernel %s needs matrices and rows aligned to %" PRId32 " bytes", kernel->name,
                        kernel->alignment);
  return takes_sizes(kernel, gemm, error);
}
