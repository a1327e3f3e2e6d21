/** @file measure.h
 * Times of a kernel on the device. */
#ifndef TG_MEASURE_H
#define TG_MEASURE_H

#include "kernel.h"
#include "measurement.h"

TG_BEGIN_DECLS

enum { TG_TRIALS_LEAST = 3, TG_TRIALS_MOST = 31 };

/** Runs the kernel twice to warm up, then as often as fits `budget_s` seconds, TG_TRIALS_LEAST to TG_TRIALS_MOST times.
 * @param flush_bytes where not 0, so many bytes of device memory are written before each trial, outside of its time:
 *        more than the second-level cache holds makes the trials cold */
bool tg_kernel_measure(const TgKernel *kernel, const TgGemm *gemm, double budget_s, int64_t flush_bytes,
                       TgMeasurement *measurement, TgError *error);

/** The clock of the multiprocessors now, MHz, from the driver's management library; 0 where it cannot be had. */
int tg_device_clock_mhz(int device);

TG_END_DECLS

#endif
