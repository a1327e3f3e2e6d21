/** @file oneil.h
 * The experiments of T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication: Tables 1 and 2, and their
 * continuation to larger matrices. Kernels and figures are those of the paper's table in cuda/kernels/historic/. */
#ifndef TG_ONEIL_H
#define TG_ONEIL_H

#include "experiment.h"
#include "results.h"

TG_BEGIN_DECLS

extern const TgExperiment tg_experiment_oneil;

/** Parts of it; they take TgResults. */
void tg_oneil_print(const void *measured, TgPage *page);
char *tg_oneil_plot(const void *measured, const TgPlotFormat *format);

TG_END_DECLS

#endif
