/** @file ladder.h
 * The kernels of the ladder beside cuBLAS, on one GPU, on the same random matrices. */
#ifndef TG_LADDER_H
#define TG_LADDER_H

#include "element.h"
#include "environment.h"
#include "experiment.h"
#include "kernel.h"
#include "measurement.h"

TG_BEGIN_DECLS

/** One kernel at one size. */
typedef struct TgRung {
  const TgKernel *kernel;
  int64_t n;
  char left_out[504];  /**< why there are no figures; "" where there are */
  TgMeasurement time;  /**< of launches that the device has been waiting for: the host's part is not in it */
  TgMeasurement alone; /**< of launches on an idle device, with what the host's part leaves it idle */
  double error, limit; /**< relative, in the Frobenius norm */
  bool estimated;      /**< the error is; else it is against the result in full */
  bool right;
} TgRung;

typedef struct TgLadder {
  TgElement element;
  uint64_t seed;
  bool cold;
  GArray *sizes;      /**< int64_t */
  GPtrArray *kernels; /**< const TgKernel */
  TgEnvironment environment;
  GArray *results; /**< TgRung, kernels within sizes */
} TgLadder;

/** An empty one. */
TgLadder *tg_ladder_new(void);
void tg_ladder_free(TgLadder *ladder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgLadder, tg_ladder_free)

/** Parts of tg_experiment_ladder; they take a TgLadder. */
void tg_ladder_print(const void *measured, TgPage *page);
TgJson *tg_ladder_document(const void *measured);
char *tg_ladder_plot(const void *measured, const TgPlotFormat *format);
bool tg_ladder_right(const void *measured, GError **error);

extern const TgExperiment tg_experiment_ladder;

TG_END_DECLS

#endif
