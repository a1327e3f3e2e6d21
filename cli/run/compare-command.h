/** @file compare-command.h
 * What `topogemm compare` predicts and measures, and how its parts hang together. */
#ifndef TG_COMPARE_COMMAND_H
#define TG_COMPARE_COMMAND_H

#include "calibrate.h"
#include "run-command.h"

#include "estimate.h"

typedef struct TgCompareCommand {
  TgRunCommand run;
  TgMachine machine;
  bool calibrated; /**< here, for want of a machine: */
  TgCalibrateCommand calibrate;
  GPtrArray *results; /**< TgComparison, in the order of the command line */
} TgCompareCommand;

/** The prediction of one pass as `sim` has it: `formula` is the schedule's closed form or NULL; both must outlive
 * `estimate`. */
void tg_compare_estimate(const TgMachine *machine, const TgRunEntry *entry, TgElement element,
                         const TgExpectedRun *expected, const TgFormula *formula, TgEstimate *estimate);
/** Why a prediction may be off by more than the machine's error. */
typedef enum TgCompareDoubt {
  TG_DOUBT_LINKS = 1,      /**< the machine file was measured with one processor, so it has no link times */
  TG_DOUBT_PROCESSORS = 2, /**< … with another number of processors, which share resources differently */
  TG_DOUBT_TILES = 4,      /**< its rates are for other tiles */
  TG_DOUBT_SIZES = 8,      /**< its rates are for other sizes: the time is extrapolated */
  TG_DOUBT_AT_ONCE =
      16 /**< more cores or ranks are at work than in the calibration, or fewer than it has speedups for */
} TgCompareDoubt;

/** All that apply to a prediction of the shape, one or several of them together. */
unsigned tg_compare_doubts(const TgMachine *machine, const TgExecutorKind *kind, const TgRunEntry *entry,
                           const TgShape *shape);

/** Warns of a machine file for another device. */
void tg_compare_warn_of_device(const TgCli *cli, const TgMachine *machine, const TgEnvironment *environment);

void tg_compare_print(TgCli *cli, const TgCompareCommand *compare);
/** The document: of one ALGO, or `comparisons` of several. */
void tg_compare_write(TgJson *json, const TgCompareCommand *compare);
/** Refuses an -o or --trace whose suffix says nothing, or that needs gnuplot where there is none. */
TgExit tg_compare_file_check(const TgCli *cli);
/** Writes -o. */
TgExit tg_compare_file(TgCli *cli, const TgCompareCommand *compare);
/** Writes --trace. */
TgExit tg_compare_trace(TgCli *cli, const TgCompareCommand *compare);

static inline const TgComparison *tg_compare_result(const TgCompareCommand *compare, guint r) {
  return compare->results->pdata[r];
}

/** Places of all ALGOs, from 1, by the predicted or by the measured time. Free with g_free(). */
int *tg_compare_places(const TgCompareCommand *compare, bool measured);
/** How well the predictions of all ALGOs tell their runs apart. */
TgRanking tg_compare_ranking(const TgCompareCommand *compare);

#endif
