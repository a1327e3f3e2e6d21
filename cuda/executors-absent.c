/* In place of threads.cu, clusters.cu and blocks.cu where the build has no CUDA: all takes what the real one takes. */
#include "blocks-launch.h"
#include "clusters-launch.h"
#include "threads-launch.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static bool not_built(TgError *error) {
  return tg_error_set(error, 0, 0, "this build has no CUDA (%s)", TG_CUDA_LACKS);
}

bool tg_threads_variant(int32_t element, int32_t threads, int64_t bytes, TgThreadsVariant *variant, TgError *error) {
  return not_built(error);
}

bool tg_threads_start(int32_t element, const TgThreadsRun *run, int64_t bytes, TgError *error) {
  return not_built(error);
}

bool tg_cluster_variant(int32_t number, int32_t element, TgClusterVariant *variant, TgError *error) {
  return not_built(error);
}

int64_t tg_cluster_shared_bytes(const TgClusterVariant *variant, int32_t slots, int32_t channels) {
  return 0;
}

bool tg_cluster_resident(int32_t number, int32_t element, bool several, int32_t processors, int64_t shared_bytes,
                         int32_t *clusters, TgError *error) {
  return not_built(error);
}

bool tg_cluster_start(int32_t number, int32_t element, int64_t shared_bytes, const void *left, int64_t left_row,
                      const void *right, int64_t right_row, int64_t k, const TgClusterRun *run,
                      const TgClusterWords *words, TgError *error) {
  return not_built(error);
}

bool tg_blocks_variant(int32_t number, int32_t element, TgBlocksVariant *variant, TgError *error) {
  return not_built(error);
}

bool tg_blocks_start(int32_t number, int32_t element, const TgBlocksRun *run, TgError *error) {
  return not_built(error);
}
