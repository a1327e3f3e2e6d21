/** @file mmt-sanity.h
 * The sanity check of D. Zhao, COMP 633, 2013, section 4: results of kernels against the sequential program, on random
 * numbers and, so that no rounding hides anything, on whole ones; and its printed example. */
#ifndef TG_MMT_SANITY_H
#define TG_MMT_SANITY_H

#include "historic.h"

#include <glib.h>

TG_BEGIN_DECLS

enum { TG_MMT_DUMP = 7 /* rows of the printed example */, TG_MMT_SANITY_WIDTH = 8 };

/** One kernel at one size, in tiles of TG_MMT_SANITY_WIDTH. */
typedef struct TgMmtSanity {
  const char *kernel;
  int64_t d;
  int64_t wrong;    /**< elements that differ on whole numbers */
  double l2;        /**< on random numbers: the norm of the difference */
  float l2_printed; /**< the same as the paper computes it, without its root */
  double paper;     /**< what it prints for the version; NaN where it does not */
} TgMmtSanity;

/** The sizes of the paper's table, then multiples of the width, which it has none of. */
const int64_t *tg_mmt_sanity_sizes(size_t *count);
/** What the paper's table has for a kernel; NaN where nothing. */
double tg_mmt_sanity_paper(const char *kernel, int64_t d);

/** Runs all kernels of the paper that take them at all those sizes up to `most`. R is zero before each: the paper's
 * table could not be as it is if it had not been. Appends to `found`, an array of TgMmtSanity. False where the device
 * failed or memory is short. */
bool tg_mmt_sanity_run(int64_t most, uint64_t seed, GArray *found, TgError *error);

/** R of M = 0, 1, 2, … by a kernel, TG_MMT_DUMP rows of each. */
bool tg_mmt_dump(const char *kernel, float *r, TgError *error);

TG_END_DECLS

#endif
