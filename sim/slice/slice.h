/** @file slice.h
 * Private to sim/: a part of the grid that stands for all of it. As long as nothing that the processors do depends on a
 * coordinate, and nothing is sent along it, those with 0 there do what all the others do: a model runs these alone, and
 * copies their times to the others where the coordinate comes in. */
#ifndef TG_SLICE_H
#define TG_SLICE_H

#include "cost.h"

typedef struct TgSlices {
  int32_t comes_in[TG_MAX_DIMS]; /**< by coordinate: the first statement before which all its values are needed */
} TgSlices;

/** What a prediction is of; `by_name` where blocks differ in size. */
typedef struct TgSliceOf {
  const TgSchedule *schedule; /**< bound */
  const TgTopology *network;
  TgEmbeddingKind embedding;
  const TgMachine *machine;
  const TgCostOptions *options;
  bool by_name;
} TgSliceOf;

/** Finds when each coordinate comes in: where no message before it meets one after it on a link. That is at statement 0
 * where nodes do not begin alike, or the network is not made of equal planes. */
void tg_slices_find(TgSlices *slices, const TgSliceOf *of);
/** The first statement after `statement` before which a coordinate comes in; INT32_MAX: none does. */
int32_t tg_slices_next(const TgSlices *slices, const TgSchedule *schedule, int32_t statement);
/** The processor that does what this one does, itself perhaps, as long as the coordinates are missing that come in
 * before `statement` or later. */
int64_t tg_slices_stand_in(const TgSlices *slices, const TgSchedule *schedule, int64_t processor, int32_t statement);
/** What part of the processors runs the statement. */
double tg_slices_part(const TgSlices *slices, const TgSchedule *schedule, int statement);

#endif
