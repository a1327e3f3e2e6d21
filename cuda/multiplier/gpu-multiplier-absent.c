#include "gpu-multiplier.h"

static TgMultiplier *open_multiplier(const TgMultiplierJob *job, TgError *error) {
  (void)job;
  tg_error_set(error, 0, 0, "this build has no CUDA (%s)", TG_CUDA_LACKS);
  return NULL;
}

const TgMultiplierKind tg_gpu_multiplier = {.name = "GPU", .open = open_multiplier};
