/* In place of blocks.cu where the build has no CUDA. */
#include "blocks-launch.h"

static bool not_built(TgError *error) {
  return tg_error_set(error, 0, 0, "this build has no CUDA (%s)", TG_CUDA_LACKS);
}

bool tg_blocks_variant(int32_t number, int32_t element, TgBlocksVariant *variant, TgError *error) {
  (void)number;
  (void)element;
  (void)variant;
  return not_built(error);
}

bool tg_blocks_start(int32_t number, int32_t element, const TgBlocksRun *run, TgError *error) {
  (void)number;
  (void)element;
  (void)run;
  return not_built(error);
}
