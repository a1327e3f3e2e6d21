/** @file environment.h
 * Where an experiment ran: device, clocks, versions, processor, BLAS. One writer for all experiments. */
#ifndef TG_ENVIRONMENT_H
#define TG_ENVIRONMENT_H

#include "device.h"
#include "json-fields.h"

TG_BEGIN_DECLS

typedef struct TgEnvironment {
  bool has_device; /**< else nothing ran on a GPU */
  TgDevice device;
  int clock_before_mhz, clock_after_mhz; /**< of the multiprocessors; 0: unknown to the driver */
  int cores;                             /**< logical processors of the host */
  char *processor;                       /**< the host's, by name */
  char *blas;
} TgEnvironment;

/** Reads everything but the clock after. `device` NULL: no GPU is used. `job`: what several programs run together, in
 * words; it comes before the processor's name. NULL: this one runs alone. */
void tg_environment_begin(TgEnvironment *environment, const TgDevice *device, const char *job);
/** Reads the clock again. */
void tg_environment_end(TgEnvironment *environment);
void tg_environment_clear(TgEnvironment *environment);

/** The member `environment` of a document. */
void tg_environment_write(TgJson *json, const TgEnvironment *environment);
/** "NVIDIA H200, compute capability 9.0, 132 multiprocessors, clock 1980 MHz before and 1980 after". Free with
 * g_free(). */
char *tg_environment_text(const TgEnvironment *environment);
/** What executes: the GPU's name, else the processor's. */
const char *tg_environment_device(const TgEnvironment *environment);
/** The host in words: "AMD EPYC 9654, 192 cores". Free with g_free(). */
char *tg_environment_host(const TgEnvironment *environment);

TG_END_DECLS

#endif
