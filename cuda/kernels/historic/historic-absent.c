/* In place of historic-start.c in a build without CUDA, or without papers. */
#include "historic.h"

#ifdef TG_CUDA_LACKS
static const char lacks[] = TG_CUDA_LACKS;
#else
static const char lacks[] = "for kernels of papers: -Dpapers=false";
#endif

bool tg_historic_built(const TgHistoric *kernel) {
  (void)kernel;
  return false;
}

bool tg_historic_start(const TgHistoric *kernel, const TgHistoricRun *run, TgError *error) {
  (void)run;
  return tg_error_set(error, 0, 0, "kernel %s cannot run: this build has no CUDA (%s)", kernel->name, lacks);
}
