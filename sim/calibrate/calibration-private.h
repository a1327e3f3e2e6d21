/** @file calibration-private.h
 * What the runs of a calibration and the fit to their samples share. */
#ifndef TG_CALIBRATION_PRIVATE_H
#define TG_CALIBRATION_PRIVATE_H

#include "calibration.h"

static inline TgCalibrationSample *sample_at(const TgCalibration *calibration, guint s) {
  return &g_array_index(calibration->samples, TgCalibrationSample, s);
}

static inline bool has_products_alone(const TgCalibrationSample *sample) {
  return !sample->probe.hops && !sample->probe.adds && !sample->far && !sample->few_rows && sample->rest == 0;
}

#endif
