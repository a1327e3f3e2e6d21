/* Executor `blocks` on any card: the kernels with products through registers, and the table of all. */
#include "blocks-core.cuh"

#include "launch.cuh"

/* Rows of this table from large tiles to small ones: the more processors, the smaller the part of a multiprocessor
 * that each can have. */
template <typename TILE, int RESIDENT> static TgBlocksKernel tg_row() {
  using Engine = TgTileEngine<TILE>;
  return {reinterpret_cast<const void *>(&tg_blocks_kernel<Engine, RESIDENT>),
          Engine::threads,
          Engine::rows,
          Engine::columns,
          Engine::shared_bytes,
          0,
          0,
          0};
}

static const TgBlocksKernel kernels[TG_ELEMENTS][5] = {
    {tg_blocks_bulk(), tg_row<TgTile<float, 128, 128, 16, 2, 2>, 2>(), tg_row<TgTile<float, 64, 64, 16, 1, 1>, 4>(),
     tg_row<TgTile<float, 64, 32, 16, 1, 1>, 8>(), tg_row<TgTile<float, 32, 32, 16, 1, 1>, 16>()},
    {TgBlocksKernel{}, tg_row<TgTile<double, 64, 64, 16, 1, 1>, 2>(), tg_row<TgTile<double, 32, 64, 16, 1, 1>, 4>(),
     tg_row<TgTile<double, 32, 32, 8, 1, 1>, 8>(), tg_row<TgTile<double, 32, 32, 8, 1, 1>, 16>()}};

/* 0 where the card lacks what the kernel needs. */
static cudaError_t tg_count_resident(const TgBlocksKernel &row, int *resident) {
  int major = 0, minor = 0, processors = 0, blocks = 0;
  *resident = 0;
  cudaError_t code = tg_ask_device(cudaDevAttrComputeCapabilityMajor, &major);
  if (code == cudaSuccess) code = tg_ask_device(cudaDevAttrComputeCapabilityMinor, &minor);
  if (code == cudaSuccess) code = tg_count_processors(&processors);
  if (code != cudaSuccess || !row.kernel || major * 10 + minor < row.capability) return code;
  code = cudaFuncSetAttribute(row.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, row.shared_bytes);
  if (code == cudaSuccess)
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, row.kernel, row.threads, row.shared_bytes);
  *resident = blocks * processors;
  return code;
}

bool tg_blocks_variant(int32_t number, int32_t element, TgBlocksVariant *variant, TgError *error) {
  error->message[0] = '\0';
  if (number < 0 || number >= (int)(sizeof kernels[0] / sizeof kernels[0][0])) return false;
  const TgBlocksKernel &row = kernels[element][number];
  int resident;
  const cudaError_t code = tg_count_resident(row, &resident);
  if (code != cudaSuccess) return tg_call_failed(error, "asking how many blocks are resident", code);
  *variant = {row.threads, row.rows, row.columns, resident, row.panel, row.inner};
  return true;
}

bool tg_blocks_start(int32_t number, int32_t element, const TgBlocksRun *run, TgError *error) {
  const TgBlocksKernel &row = kernels[element][number];
  TgBlocksRun copy = *run;
  void *arguments[] = {&copy};
  const cudaError_t code = cudaLaunchCooperativeKernel(row.kernel, dim3(run->processors), dim3(row.threads), arguments,
                                                       row.shared_bytes, nullptr);
  return code == cudaSuccess || tg_call_failed(error, "cudaLaunchCooperativeKernel", code);
}
