#include "measurement.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

TgMeasurement tg_measurement_of(double *seconds, int32_t trials, int32_t warmup) {
  double sum = 0, squares = 0;
  qsort(seconds, (size_t)trials, sizeof *seconds, compare);
  for (int32_t t = 0; t < trials; t++) sum += seconds[t];
  double mean = sum / trials;
  for (int32_t t = 0; t < trials; t++) squares += (seconds[t] - mean) * (seconds[t] - mean);
  return (TgMeasurement){.warmup = warmup,
                         .trials = trials,
                         .min_s = seconds[0],
                         .median_s = (seconds[trials / 2] + seconds[(trials - 1) / 2]) / 2,
                         .mean_s = mean,
                         .max_s = seconds[trials - 1],
                         .stddev_s = trials > 1 ? sqrt(squares / (trials - 1)) : NAN};
}
