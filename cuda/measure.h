/** @file measure.h
 * Times of a kernel, and how far its result is from the product. */
#ifndef TG_MEASURE_H
#define TG_MEASURE_H

#include "kernel.h"

TG_BEGIN_DECLS

/** Times of single launches by the device's clock, in seconds. */
typedef struct TgMeasurement {
  int32_t warmup, trials;
  double min_s, median_s, mean_s, max_s, stddev_s;
} TgMeasurement;

enum { TG_TRIALS_LEAST = 3, TG_TRIALS_MOST = 31 };

/** Runs the kernel twice to warm up, then as often as fits `budget_s` seconds, TG_TRIALS_LEAST to TG_TRIALS_MOST times.
 * @param flush_bytes where not 0, so many bytes of device memory are written before each trial, outside of its time:
 *        more than the second-level cache holds makes the trials cold */
bool tg_kernel_measure(const TgKernel *kernel, const TgGemm *gemm, double budget_s, int64_t flush_bytes,
                       TgMeasurement *measurement, TgError *error);

/** Estimates the relative error of c = a·b in the Frobenius norm, ||c - ab|| / ||ab||, all in host memory, row-major,
 * without gaps or transposes. Both norms are estimated from their action on `vectors` random vectors of signs, in
 * double precision: the expected value of ||E x||^2 is ||E||^2 (R. Freivalds, Probabilistic machines can use less
 * running time, IFIP 1977, for the idea; M. Hutchinson, Commun. Stat. Simul. Comput. 18, 1989, for the estimate). NaN
 * where c has one. Costs vectors · (mk + kn + mn) operations. */
double tg_product_error(TgElement element, const void *a, const void *b, const void *c, int64_t m, int64_t n, int64_t k,
                        int vectors, uint64_t seed);

/** The clock of the multiprocessors now, MHz, from the driver's management library; 0 where it cannot be had. */
int tg_device_clock_mhz(int device);

TG_END_DECLS

#endif
