/** @file calibration-private.h
 * What the runs of a calibration and the fit to their samples share. */
#ifndef TG_CALIBRATION_PRIVATE_H
#define TG_CALIBRATION_PRIVATE_H

#include "calibration.h"
#include "machine-keys.h"

enum {
  MOST_SAMPLES = 128, /**< of a fit; further ones are not used */
  PRODUCTS = 4        /**< of a processor, where nothing moves */
};

/** Products alone, of blocks of m x k and k x n on a grid. */
static inline TgProbe tg_calibration_products(int32_t rows, int32_t columns, int32_t products, int64_t m, int64_t n,
                                              int64_t k) {
  return (TgProbe){
      .rows = rows, .columns = columns, .products = products, .m = rows * m, .n = columns * n, .k = products * k};
}

/** Moves of blocks of size x size elements between so many places in a row, at least 2. */
TgProbe tg_calibration_moves(const TgExecutorKind *kind, const TgExecutorOptions *options, int32_t places,
                             int64_t size);

static inline TgCalibrationSample *sample_at(const TgCalibration *calibration, guint s) {
  return &g_array_index(calibration->samples, TgCalibrationSample, s);
}

/** Cubic products, and nothing else. */
static inline bool has_products_alone(const TgCalibrationSample *sample) {
  return !sample->probe.hops && !sample->probe.adds && !sample->far && !sample->few_rows && !sample->deep &&
         sample->rest == 0 && sample->fewer == 0;
}

/** Fills the rates of products, what rows and columns left over take, and the rates of thin products. */
bool tg_calibration_fit_products(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error);

/** Fills the numbers of links, and of copies within a core. */
bool tg_calibration_fit_links(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error);

/** Whether the sample shows the time of a thin product: not where products and moves run at once, or a problem is
 * tiled. */
bool tg_calibration_is_thin(const TgCalibration *calibration, const TgCalibrationSample *sample);

/** One product of the sample by the numbers found, seconds. */
double tg_calibration_product_s(const TgCalibration *calibration, const TgCalibrationSample *sample);

/** The run's time by the numbers found. For products whose size lies between others, by the rates of these neighbours:
 * the table has no row for the sizes that will be asked for. */
double tg_calibration_held_out_s(const TgCalibration *calibration, const TgCalibrationSample *sample);

/** Sets the error that there are `found` samples of WHAT where a fit needs more. Returns false. */
bool tg_calibration_too_few(const TgCalibration *calibration, const TgCalibrationPlan *plan, const char *what,
                            int found, int needed, GError **error);

#endif
