#include "measure.h"

#include "device.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { WARMUP = 2 };

typedef struct TgRun {
  const TgKernel *kernel;
  const TgGemm *gemm;
  TgStopwatch *watch;
  void *flush;
  int64_t flush_bytes;
} TgRun;

static bool time_once(const TgRun *run, double *seconds, TgError *error) {
  if (run->flush && !(tg_device_fill(run->flush, 0, run->flush_bytes, error) && tg_device_wait(error))) return false;
  return tg_stopwatch_start(run->watch, error) && tg_kernel_start(run->kernel, run->gemm, error) &&
         tg_stopwatch_stop(run->watch, seconds, error);
}

static bool time_all(const TgRun *run, double budget_s, TgMeasurement *measurement, TgError *error) {
  double seconds[TG_TRIALS_MOST], once = 0;
  for (int w = 0; w < WARMUP; w++)
    if (!time_once(run, &once, error)) return false;
  double fit = once > 0 ? budget_s / once : TG_TRIALS_MOST;
  int trials = fit < TG_TRIALS_LEAST ? TG_TRIALS_LEAST : fit > TG_TRIALS_MOST ? TG_TRIALS_MOST : (int)fit;
  for (int t = 0; t < trials; t++)
    if (!time_once(run, &seconds[t], error)) return false;
  *measurement = tg_measurement_of(seconds, trials, WARMUP);
  return true;
}

bool tg_kernel_measure(const TgKernel *kernel, const TgGemm *gemm, double budget_s, int64_t flush_bytes,
                       TgMeasurement *measurement, TgError *error) {
  TgRun run = {.kernel = kernel, .gemm = gemm, .watch = tg_stopwatch_new(error), .flush_bytes = flush_bytes};
  bool fine = run.watch && (flush_bytes == 0 || (run.flush = tg_device_allocate(flush_bytes, error))) &&
              time_all(&run, budget_s, measurement, error);
  tg_device_free(run.flush);
  tg_stopwatch_free(run.watch);
  return fine;
}

/* NVML, found at run time: a card's clock is worth knowing, but not worth a library that must be there. */
int tg_device_clock_mhz(int device) {
  enum { CLOCK_SM = 1 };
  unsigned int mhz = 0;
  void *handle = NULL, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  int (*init)(void), (*find)(unsigned int, void **), (*clock)(void *, int, unsigned int *), (*end)(void);
  *(void **)&init = dlsym(library, "nvmlInit_v2");
  *(void **)&find = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
  *(void **)&clock = dlsym(library, "nvmlDeviceGetClockInfo");
  *(void **)&end = dlsym(library, "nvmlShutdown");
  if (init && find && clock && end && init() == 0) {
    if (find((unsigned int)device, &handle) != 0 || clock(handle, CLOCK_SM, &mhz) != 0) mhz = 0;
    end();
  }
  dlclose(library);
  return (int)mhz;
}
