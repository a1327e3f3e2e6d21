/** @file mmt.h
 * M·M' by the kernels of D. Zhao, COMP 633, 2013: speeds by width and size, the table of differences, the printed
 * example. */
#ifndef TG_MMT_EXPERIMENT_H
#define TG_MMT_EXPERIMENT_H

#include "experiment.h"
#include "mmt-sanity.h"
#include "results.h"

TG_BEGIN_DECLS

typedef struct TgMmt {
  TgResults *results;
  GArray *methods; /**< TgMethod, that the results' rows were measured by */
  GArray *sanity;  /**< TgMmtSanity; empty without a GPU */
  float from_cpu[TG_MMT_DUMP * TG_MMT_DUMP], from_gpu[TG_MMT_DUMP * TG_MMT_DUMP];
  bool has_gpu; /**< else from_gpu is nothing */
} TgMmt;

void tg_mmt_free(TgMmt *mmt);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgMmt, tg_mmt_free)

TG_END_DECLS

#endif
