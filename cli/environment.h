/** @file environment.h
 * What a measurement was taken with: version, processor, GPU, clocks. */
#ifndef TG_ENVIRONMENT_H
#define TG_ENVIRONMENT_H

#include "cli.h"

#include "device.h"
#include "json-writer.h"

typedef struct TgEnvironment {
  bool on_gpu;
  TgDevice device; /**< where on_gpu */
  char cpu[128];   /**< the processor's name, "" where the system does not say */
  char *blas;
  int clock_before_mhz, clock_after_mhz; /**< of the GPU; 0 where they cannot be had */
} TgEnvironment;

/** Fills all but the clock afterwards; the GPU, where there is to be one, must be open in `device`. */
void tg_environment_begin(TgEnvironment *environment, const TgDevice *device);
/** Reads the clock once more. */
void tg_environment_end(TgEnvironment *environment);
void tg_environment_clear(TgEnvironment *environment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgEnvironment, tg_environment_clear)

/** What executes: the GPU's name, else the processor's. */
const char *tg_environment_device(const TgEnvironment *environment);
/** Writes the member `environment`. */
void tg_environment_write(TgJson *json, const TgEnvironment *environment);

#endif
