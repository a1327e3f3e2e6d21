/** @file dobravec.h
 * The experiments of T. Dobravec, P. Bulić, 2017: Table 1 and Fig. 1, the processor and two kernels; Table 2 and Fig.
 * 2, a kernel by the number of threads a block. */
#ifndef TG_DOBRAVEC_H
#define TG_DOBRAVEC_H

#include "experiment.h"
#include "results.h"

TG_BEGIN_DECLS

extern const TgExperiment tg_experiment_dobravec;

/** Parts of it; they take TgResults. */
void tg_dobravec_print(const void *results, TgPage *page);
char *tg_dobravec_plot(const void *results, const TgPlotFormat *format);

TG_END_DECLS

#endif
