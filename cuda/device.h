/** @file device.h
 * One GPU, as far as the command and the benchmarks need it: what it is, its memory, its clock. Without CUDA in the
 * build, or without a GPU, tg_device_open() reports it. */
#ifndef TG_DEVICE_H
#define TG_DEVICE_H

#include "base.h"

TG_BEGIN_DECLS

enum { TG_DEVICE_NAME_BYTES = 64 };

typedef struct TgDevice {
  int32_t number;
  int32_t capability;                                  /**< major * 10 + minor */
  int32_t processors;                                  /**< streaming multiprocessors */
  int32_t clock_mhz;                                   /**< the highest of the multiprocessors */
  int32_t driver, runtime;                             /**< CUDA versions, major * 1000 + minor * 10 */
  int32_t shared_bytes;                                /**< shared memory that one block can have */
  int32_t threads_per_processor, blocks_per_processor; /**< that a multiprocessor holds at once */
  int32_t shared_per_processor_bytes;
  int32_t l2_bytes;
  int64_t memory_bytes;
  double memory_bytes_per_s; /**< of the memory's pins; 0: unknown to the driver */
  char name[TG_DEVICE_NAME_BYTES];
} TgDevice;

/** Takes GPU `number` (from 0) for this thread. Errors: no CUDA in the build, no driver, no such GPU. */
bool tg_device_open(int number, TgDevice *device, TgError *error);

/** The clock of the multiprocessors now, MHz, from the driver's management library; 0 where it cannot be had. */
int tg_device_clock_mhz(int device);

/** Memory on the device, aligned to 256 bytes; NULL with an error that states what was asked for and what is free. */
void *tg_device_allocate(int64_t bytes, TgError *error);
void tg_device_free(void *memory);
bool tg_device_copy_in(void *device, const void *host, int64_t bytes, TgError *error);
bool tg_device_copy_out(void *host, const void *device, int64_t bytes, TgError *error);
/** Starts a copy within the device; it may still be under way on return. */
bool tg_device_copy_across(void *to, const void *from, int64_t bytes, TgError *error);
/** Sets every byte. */
bool tg_device_fill(void *device, int byte, int64_t bytes, TgError *error);
/** Keeps the device busy for so long, up to a second; returns at once. What is started meanwhile begins there as soon
 * as it can, however long the host takes to start it. */
bool tg_device_hold(double seconds, TgError *error);
/** Waits until all is done; the error of whatever failed since the last call. */
bool tg_device_wait(TgError *error);

/** Two events between which the device's own clock counts. */
typedef struct TgStopwatch TgStopwatch;
TgStopwatch *tg_stopwatch_new(TgError *error);
void tg_stopwatch_free(TgStopwatch *watch);
bool tg_stopwatch_start(TgStopwatch *watch, TgError *error);
/** Waits for what was started since, and gives the seconds. */
bool tg_stopwatch_stop(TgStopwatch *watch, double *seconds, TgError *error);

TG_END_DECLS

#endif
