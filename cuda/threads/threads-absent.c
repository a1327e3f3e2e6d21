/* In place of threads.cu where the build has no CUDA. */
#include "threads-launch.h"

static bool not_built(TgError *error) {
  return tg_error_set(error, 0, 0, "this build has no CUDA (%s)", TG_CUDA_LACKS);
}

bool tg_threads_variant(int32_t element, int32_t threads, int64_t bytes, TgThreadsVariant *variant, TgError *error) {
  (void)element;
  (void)threads;
  (void)bytes;
  (void)variant;
  return not_built(error);
}

bool tg_threads_start(int32_t element, const TgThreadsRun *run, int64_t bytes, TgError *error) {
  (void)element;
  (void)run;
  (void)bytes;
  return not_built(error);
}
