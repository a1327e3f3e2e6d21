/* Executor `clusters`: the kernels of clusters-core.cuh, their limits and their launch. */
#include "clusters-core.cuh"

#include "launch.cuh"

namespace {

using clusters::Variant;

struct Row {
  const void *kernel[2][2]; /* [several sums][timed] */
  const void *add_parts;
  int tile, depth, warps, threads, blocks;
  uint32_t slot_bytes, sum_bytes;
};

template <typename F> Row row() {
  return {{{reinterpret_cast<const void *>(&clusters::run_streams<F, false, false>),
            reinterpret_cast<const void *>(&clusters::run_streams<F, false, true>)},
           {reinterpret_cast<const void *>(&clusters::run_streams<F, true, false>),
            reinterpret_cast<const void *>(&clusters::run_streams<F, true, true>)}},
          reinterpret_cast<const void *>(&clusters::add_parts<typename F::T>),
          clusters::tile<typename F::T>,
          F::depth,
          F::warps,
          F::threads,
          F::blocks,
          F::slot_bytes,
          F::sum_bytes};
}

/* The quicker first; then with smaller slots, for schedules that keep many blocks at once. */
const Row f32_rows[] = {row<Variant<float, 64>>(), row<Variant<float, 16>>()};
const Row f64_rows[] = {row<Variant<double, 64>>(), row<Variant<double, 16>>()};

const struct {
  const Row *rows;
  int count;
} table[TG_ELEMENTS] = {{f32_rows, sizeof f32_rows / sizeof *f32_rows}, {f64_rows, sizeof f64_rows / sizeof *f64_rows}};

const Row &find(int32_t number, int32_t element) {
  return table[element].rows[number];
}

/* Bytes of shared memory that a block may have if `blocks` share a multiprocessor. */
cudaError_t shared_most(int blocks, int64_t *bytes) {
  int all = 0, reserved = 0, most = 0;
  cudaError_t code = tg_ask_device(cudaDevAttrMaxSharedMemoryPerMultiprocessor, &all);
  if (code == cudaSuccess) code = tg_ask_device(cudaDevAttrReservedSharedMemoryPerBlock, &reserved);
  if (code == cudaSuccess) code = tg_ask_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, &most);
  const int share = all / blocks - reserved;
  *bytes = share < most ? share : most;
  return code;
}

cudaError_t allow(const void *kernel, int64_t shared_bytes) {
  cudaError_t code =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  return code == cudaSuccess ? cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) : code;
}

struct Launch {
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config;

  Launch(const Row &row, int processors, int64_t jobs, int64_t shared_bytes) : attribute{}, config{} {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(processors), 1, 1};
    config.gridDim = dim3(static_cast<unsigned>(jobs * processors));
    config.blockDim = dim3(static_cast<unsigned>(row.threads));
    config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
};

bool add_parts(const Row &row, TgClusterRun *run, int32_t element, TgError *error) {
  constexpr unsigned threads = 256;
  const int64_t pieces = static_cast<int64_t>(run->rows) * row.tile * run->columns * row.tile *
                         tg_element_bytes(static_cast<TgElement>(element)) / 16;
  const int divided = run->instances_down * run->instances_across - run->divided;
  void *arguments[] = {run};
  const cudaError_t code =
      cudaLaunchKernel(row.add_parts, dim3(static_cast<unsigned>((pieces + threads - 1) / threads), divided),
                       dim3(threads), arguments, 0, nullptr);
  return code == cudaSuccess || tg_call_failed(error, "adding up the parts of C", code);
}

} // namespace

bool tg_cluster_variant(int32_t number, int32_t element, TgClusterVariant *variant, TgError *error) {
  error->message[0] = '\0';
  if (number < 0 || number >= table[element].count) return false;
  const Row &row = find(number, element);
  *variant = {row.tile, row.depth, row.warps, row.blocks, row.slot_bytes, row.sum_bytes, 0};
  const cudaError_t code = shared_most(row.blocks, &variant->shared_most);
  return code == cudaSuccess || tg_call_failed(error, "asking how much shared memory there is", code);
}

int64_t tg_cluster_shared_bytes(const TgClusterVariant *variant, int32_t slots, int32_t channels) {
  const int64_t bytes =
      slots * (variant->slot_bytes + 16 + 4) + 8 * channels + 8; /* barriers, what is armed, a clock */
  return bytes > variant->sum_bytes ? bytes : variant->sum_bytes;
}

bool tg_cluster_resident(int32_t number, int32_t element, bool several, int32_t processors, int64_t shared_bytes,
                         int32_t *clusters, TgError *error) {
  const Row &row = find(number, element);
  *clusters = 0;
  for (int timed = 0; timed < 2; timed++) {
    cudaError_t code = allow(row.kernel[several][timed], shared_bytes);
    if (code == cudaErrorInvalidDeviceFunction || code == cudaErrorNoKernelImageForDevice)
      return tg_error_set(error, 0, 0, "this build has no code of clusters for this GPU");
    if (code != cudaSuccess) return tg_call_failed(error, "allowing a large cluster", code);
  }
  Launch launch(row, processors, 1, shared_bytes);
  const cudaError_t code = cudaOccupancyMaxActiveClusters(clusters, row.kernel[several][0], &launch.config);
  if (code == cudaErrorInvalidClusterSize || code == cudaErrorInvalidConfiguration) {
    cudaGetLastError();
    *clusters = 0;
    return true;
  }
  return code == cudaSuccess || tg_call_failed(error, "asking how many clusters are resident", code);
}

bool tg_cluster_start(int32_t number, int32_t element, int64_t shared_bytes, const void *left, int64_t left_row,
                      const void *right, int64_t right_row, int64_t k, const TgClusterRun *run,
                      const TgClusterWords *words, TgError *error) {
  const Row &row = find(number, element);
  CUtensorMap left_map, right_map;
  TgClusterRun run_copy = *run;
  TgClusterWords words_copy = *words;
  cudaError_t code =
      tg_map_matrix(&left_map, left, static_cast<TgElement>(element), k, run->m, left_row, row.depth, row.tile, false);
  if (code == cudaSuccess)
    code = tg_map_matrix(&right_map, right, static_cast<TgElement>(element), k, run->n, right_row, row.depth, row.tile,
                         false);
  if (code != cudaSuccess) return tg_call_failed(error, "describing a matrix to the copy engine", code);
  Launch launch(row, run->processors, run->jobs, shared_bytes);
  void *arguments[] = {&left_map, &right_map, &run_copy, &words_copy};
  code = cudaLaunchKernelExC(&launch.config, row.kernel[run->sums > 1][run->time != nullptr], arguments);
  if (code != cudaSuccess) return tg_call_failed(error, "starting the clusters", code);
  return run->parts == 1 || add_parts(row, &run_copy, element, error);
}
