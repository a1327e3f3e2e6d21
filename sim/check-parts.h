/** @file check-parts.h
 * The check of C where each program of a job has only parts of the matrices. */
#ifndef TG_CHECK_PARTS_H
#define TG_CHECK_PARTS_H

#include "check.h"
#include "matrix-part.h"

/** What one program has of each matrix. */
typedef struct TgCheckParts {
  const TgMatrixPart *part[TG_MATRICES];
  int64_t parts[TG_MATRICES];
  TgMatrixJob job;
} TgCheckParts;

/** Whether tg_check_large_product() estimates the error, where its most_products is 0. */
bool tg_check_is_estimated(const TgComputes *computes, const TgShape *shape);

/** Fills `check` by an estimate. `data` are A, B and C; `parts` says what of them is there, and all programs call this
 * together; NULL: all of them. */
void tg_check_estimate(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                       const void *const *data, const TgCheckParts *parts);

#endif
