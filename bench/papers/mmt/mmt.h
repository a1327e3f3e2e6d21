/** @file mmt.h
 * M·M' by the kernels of D. Zhao, COMP 633, 2013: speeds by width and size, the table of differences, the printed
 * example. */
#ifndef TG_MMT_EXPERIMENT_H
#define TG_MMT_EXPERIMENT_H

#include "experiment.h"
#include "mmt-sanity.h"
#include "results.h"

TG_BEGIN_DECLS

/** What its results have besides the speeds. */
typedef struct TgMmt {
  GArray *sanity; /**< TgMmtSanity; empty without a GPU */
  float from_cpu[TG_MMT_DUMP * TG_MMT_DUMP];
  float from_gpu[TG_MMT_DUMP * TG_MMT_DUMP]; /**< nothing without a GPU */
} TgMmt;

/** Gives results a TgMmt, which belongs to them, with the CPU's example and without sanity checks. */
TgMmt *tg_mmt_begin(TgResults *results);

TG_END_DECLS

#endif
