/* In place of clusters.cu where the build has no CUDA. */
#include "clusters-launch.h"

static bool not_built(TgError *error) {
  return tg_error_set(error, 0, 0, "this build has no CUDA (%s)", TG_CUDA_LACKS);
}

bool tg_cluster_variant(int32_t number, int32_t element, TgClusterVariant *variant, TgError *error) {
  (void)number;
  (void)element;
  (void)variant;
  return not_built(error);
}

int64_t tg_cluster_shared_bytes(const TgClusterVariant *variant, int32_t slots, int32_t channels) {
  (void)variant;
  (void)slots;
  (void)channels;
  return 0;
}

bool tg_cluster_resident(int32_t number, int32_t element, bool several, int32_t processors, int64_t shared_bytes,
                         int32_t *clusters, TgError *error) {
  (void)number;
  (void)element;
  (void)several;
  (void)processors;
  (void)shared_bytes;
  (void)clusters;
  return not_built(error);
}

bool tg_cluster_start(int32_t number, int32_t element, int64_t shared_bytes, const void *left, int64_t left_row,
                      const void *right, int64_t right_row, int64_t k, const TgClusterRun *run,
                      const TgClusterWords *words, TgError *error) {
  (void)number;
  (void)element;
  (void)shared_bytes;
  (void)left;
  (void)left_row;
  (void)right;
  (void)right_row;
  (void)k;
  (void)run;
  (void)words;
  return not_built(error);
}
