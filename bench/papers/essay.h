/** @file essay.h
 * The experiments of Investigation of Matrix Multiplication, Computer Science Essay: products and transposes. */
#ifndef TG_ESSAY_H
#define TG_ESSAY_H

#include "experiment.h"
#include "results.h"

TG_BEGIN_DECLS

extern const TgExperiment tg_experiment_essay, tg_experiment_transpose;

/** Parts of them; they take TgResults. */
void tg_essay_print(const void *measured, TgPage *page);
char *tg_essay_plot(const void *measured, const TgPlotFormat *format);
void tg_transpose_print(const void *measured, TgPage *page);
char *tg_transpose_plot(const void *measured, const TgPlotFormat *format);

TG_END_DECLS

#endif
