/** @file measurement.h
 * Times of trials, summed up. */
#ifndef TG_MEASUREMENT_H
#define TG_MEASUREMENT_H

#include "base.h"

TG_BEGIN_DECLS

/** Times of single trials, in seconds. The standard deviation of one trial is NaN: not known. */
typedef struct TgMeasurement {
  int32_t warmup, trials;
  double min_s, median_s, mean_s, max_s, stddev_s;
} TgMeasurement;

/** Sums up `trials` > 0 times, which it sorts, measured after `warmup` runs that do not count. */
TgMeasurement tg_measurement_of(double *seconds, int32_t trials, int32_t warmup);

TG_END_DECLS

#endif
